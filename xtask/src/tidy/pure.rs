//! Pure crates: what they depend on and what they use of `std` is listed, and nothing else may be used. Nothing there
//! may do IO, read a clock or depend on the order of a hash.
//!
//! The lists hold for unit tests, too: nobody has to wonder which part of a file is which.

use anyhow::{Context, Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::Path;

use super::Fault;
use crate::repo::Repo;

/// What a crate may depend on, and what it does depend on.
const BUDGETS: &[(&str, &[&str])] = &[
    (
        "crates/kernel/Cargo.toml",
        &["schemars", "serde", "serde_json", "sha2", "thiserror", "tribunal-anchors", "tribunal-wire", "uuid"],
    ),
    ("crates/anchors/Cargo.toml", &["regex", "regex-automata", "serde", "serde_json", "strsim", "thiserror", "toml"]),
    (
        "crates/checks/Cargo.toml",
        // serde and serde_json: what a browser tells of a page is JSON, and reading it needs no browser to be tested.
        &[
            "cssparser",
            "html5ever",
            "palette",
            "precomputed-hash",
            "pulldown-cmark",
            "selectors",
            "serde",
            "serde_json",
            "tribunal-anchors",
        ],
    ),
    ("crates/wire/Cargo.toml", &["memchr"]),
];

/// What pure code may use of `std`, with everything below it. A name is added when somebody needs it and it neither
/// looks outside nor differs from run to run.
const ALLOWED: &[&str] = &[
    "any::Any",
    "array",
    "borrow",
    "cell",
    "char",
    "cmp",
    "collections::BTreeMap",
    "collections::BTreeSet",
    "collections::VecDeque",
    "collections::btree_map",
    "convert",
    "error::Error",
    "fmt",
    "iter",
    "marker",
    "mem",
    "num",
    "ops",
    "ptr::eq",
    "rc",
    "slice",
    "str",
    "string",
    "sync::Arc",
    "sync::LazyLock",
    "sync::OnceLock",
    "time::Duration",
    "vec",
];

/// Other names of the same thing.
const STD: &[&str] = &["std", "core", "alloc"];

/// Macros that are always there, and reach outside of the program or of what it was given.
const OUTSIDE: &[&str] = &["dbg", "eprint", "eprintln", "option_env", "print", "println", "thread_local"];

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for (manifest, budget) in BUDGETS {
        let text = repo.read(Path::new(manifest))?;
        let parsed: toml::Table = text.parse().with_context(|| (*manifest).to_owned())?;
        let used: BTreeSet<&str> = match parsed.get("dependencies").and_then(toml::Value::as_table) {
            Some(table) => table.keys().map(String::as_str).collect(),
            None => BTreeSet::new(),
        };
        let budget: BTreeSet<&str> = budget.iter().copied().collect();
        let beyond = used.difference(&budget).map(|name| format!("a pure crate may not depend on `{name}`"));
        let unused = budget.difference(&used).map(|name| format!("`{name}` is in its budget and not used any more"));
        faults.extend(beyond.chain(unused).map(|what| Fault::file(*manifest, what)));
    }
    let sources: Vec<String> = BUDGETS.iter().map(|(manifest, _)| manifest.replace("Cargo.toml", "src")).collect();
    for file in repo.files(&[".rs"])?.into_iter().filter(|file| sources.iter().any(|folder| file.starts_with(folder))) {
        let tokens: TokenStream =
            repo.read(&file)?.parse().map_err(|error| anyhow!("cannot read {} as Rust: {error}", file.display()))?;
        let mut reach = Reach::default();
        reach.walk(tokens);
        let outside = reach.found.into_iter().map(|(line, name)| {
            Fault::line(&file, line, format!("pure code may not use `{name}`: see ALLOWED in xtask/src/tidy/pure.rs"))
        });
        faults.extend(outside);
    }
    Ok(faults)
}

/// What code names that is not on the list, with its line.
#[derive(Default)]
struct Reach {
    found: Vec<(usize, String)>,
}

impl Reach {
    /// Tokens instead of a syntax tree, so that what stands in a macro is seen as well.
    fn walk(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.walk(group.stream()),
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    let is_field = at > 0 && is_punct(&tokens[at - 1], '.');
                    // `core` and `alloc` are words that a variable may go by.
                    let is_path = match &tokens[at + 1..] {
                        [TokenTree::Ident(next), ..] => next == "as",
                        [one, two, ..] => is_punct(one, ':') && is_punct(two, ':'),
                        _ => false,
                    };
                    if STD.contains(&name.as_str()) && !is_field && (is_path || name == "std") {
                        self.path(&name, "", &tokens[at + 1..], ident.span().start().line);
                    }
                    let is_macro = tokens.get(at + 1).is_some_and(|next| is_punct(next, '!'))
                        && matches!(tokens.get(at + 2), Some(TokenTree::Group(_)));
                    if is_macro && OUTSIDE.contains(&name.as_str()) {
                        self.found.push((ident.span().start().line, format!("{name}!")));
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// What follows `root::path`: more of the path, or a list of several.
    fn path(&mut self, root: &str, path: &str, rest: &[TokenTree], line: usize) {
        let leads_on = rest.len() > 2 && is_punct(&rest[0], ':') && is_punct(&rest[1], ':');
        match rest.get(2).filter(|_| leads_on) {
            Some(TokenTree::Ident(_)) => self.segment(root, path, &rest[2..]),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                for one in inside.split(|token| is_punct(token, ',')).filter(|one| !one.is_empty()) {
                    self.segment(root, path, one);
                }
            }
            // `std::*`, or the end of it: `std as other` gives the whole of it another name.
            _ => self.judge(root, path, line),
        }
    }

    /// The next word of a path, and what follows it.
    fn segment(&mut self, root: &str, path: &str, tokens: &[TokenTree]) {
        let line = tokens[0].span().start().line;
        match &tokens[0] {
            TokenTree::Ident(next) if next != "self" => {
                let path = if path.is_empty() { next.to_string() } else { format!("{path}::{next}") };
                // What is allowed is allowed with everything below it; what is not may still lead to it.
                if !is_allowed(&path) {
                    self.path(root, &path, &tokens[1..], line);
                }
            }
            // `self`, a star, or something that is no path.
            _ => self.judge(root, path, line),
        }
    }

    fn judge(&mut self, root: &str, path: &str, line: usize) {
        if !is_allowed(path) {
            self.found.push((line, if path.is_empty() { root.to_owned() } else { format!("{root}::{path}") }));
        }
    }
}

fn is_allowed(path: &str) -> bool {
    ALLOWED
        .iter()
        .any(|allowed| path.strip_prefix(allowed).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")))
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;
    use super::*;

    /// All manifests as they must be.
    fn manifests() -> Vec<(&'static str, String)> {
        BUDGETS.iter().map(|(path, budget)| (*path, manifest(budget))).collect()
    }

    fn manifest(names: &[&str]) -> String {
        let lines = names.iter().map(|name| format!("{name}.workspace = true\n")).collect::<Vec<_>>().concat();
        format!("[package]\nname = \"a\"\n\n[dependencies]\n{lines}\n[dev-dependencies]\nproptest = \"1\"\n")
    }

    fn given(files: &[(&str, String)]) -> Vec<String> {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        faults(rule, &files)
    }

    #[test]
    fn what_is_beyond_a_budget_or_left_of_it_is_named() {
        let mut files = manifests();
        assert_eq!(given(&files), [] as [String; 0]);
        files[3].1 = manifest(&["tokio"]);
        assert_eq!(
            given(&files),
            [
                "crates/wire/Cargo.toml: a pure crate may not depend on `tokio`",
                "crates/wire/Cargo.toml: `memchr` is in its budget and not used any more",
            ]
        );
    }

    #[test]
    fn pure_code_uses_what_is_listed() {
        for (code, outside) in [
            ("use std::fmt;", None),
            ("use std::{borrow::Cow, collections::{BTreeMap, BTreeSet}, fmt::{self, Debug}};", None),
            ("use std::sync::Arc; use std::time::Duration; use core::mem;", None),
            ("fn f(x: &mut Vec<u8>) -> Vec<u8> { std::mem::take(x) }", None),
            ("fn f(x: X) -> bool { x.std && x.core().alloc }", None),
            ("fn f() -> &'static str { \"std::fs::read\" } // std::fs", None),
            ("use std::fs;", Some("std::fs")),
            ("use ::std::fs;", Some("std::fs")),
            ("fn f() { std::fs::read(\"a\"); }", Some("std::fs::read")),
            ("fn f() { ::core::hint::black_box(1); }", Some("core::hint::black_box")),
            ("use std::{fs, fmt};", Some("std::fs")),
            ("use std::{fmt, io::{self as other}};", Some("std::io")),
            ("use std::{fmt, io::Write};", Some("std::io::Write")),
            ("use std::{collections::{BTreeMap, HashMap}, fmt};", Some("std::collections::HashMap")),
            ("fn f() { let a = std::time::Instant::now(); }", Some("std::time::Instant::now")),
            ("use std::time::{Duration, SystemTime};", Some("std::time::SystemTime")),
            ("fn f() { std::env::var(\"A\"); }", Some("std::env::var")),
            ("fn f() { std::thread::spawn(|| ()); }", Some("std::thread::spawn")),
            ("use std::net::TcpStream;", Some("std::net::TcpStream")),
            ("use std::process::Command;", Some("std::process::Command")),
            ("use std::path::Path;", Some("std::path::Path")),
            ("use std::sync::Mutex;", Some("std::sync::Mutex")),
            ("use std::hash::RandomState;", Some("std::hash::RandomState")),
            // Another name for the whole, or for a part that holds more than what is listed.
            ("use std as other;", Some("std")),
            ("extern crate std as other;", Some("std")),
            ("use std::{self as other};", Some("std")),
            ("use std::*;", Some("std")),
            ("use std::{*};", Some("std")),
            ("use std::collections as c;", Some("std::collections")),
            ("use std::collections::*;", Some("std::collections")),
            ("use std::time::{self};", Some("std::time")),
            ("fn f() { vec![std::fs::read(\"a\")]; }", Some("std::fs::read")),
            ("fn f() { println!(\"a\"); }", Some("println!")),
            ("const A: Option<&str> = option_env!(\"HOME\");", Some("option_env!")),
            ("use core as other;", Some("core")),
            ("fn f(core: u8) -> X { X { core, alloc: core } }", None),
        ] {
            let mut files = manifests();
            files.push(("crates/kernel/src/a.rs", code.to_owned()));
            files.push(("crates/engine/src/a.rs", "use std::fs;".to_owned()));
            files.push(("crates/kernel/tests/a.rs", "use std::fs;".to_owned()));
            let wanted = outside.map(|name| {
                format!(
                    "crates/kernel/src/a.rs:1: pure code may not use `{name}`: see ALLOWED in xtask/src/tidy/pure.rs"
                )
            });
            assert_eq!(given(&files), Vec::from_iter(wanted), "{code}");
        }
    }
}
