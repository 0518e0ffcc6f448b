//! Every flag and every argument of the command line does something, and a test passes it.

use anyhow::Result;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::{Attribute, Fields, Item as Code, Meta};

use super::corpus::Corpus;
use super::family::{Family, plain};
use super::rust::Part;
use super::{Fault, Item};

const CLI: &str = "crates/cli";
const ARGS: &[&str] = &["crates/cli/src/args.rs", "crates/cli/src/args"];

/// The struct of the whole command line; what is flattened into it goes with every command.
const ROOT: &str = "Args";

#[expect(clippy::unnecessary_wraps, reason = "a check, like others that can fail")]
pub(super) fn rule(corpus: &Corpus<'_>) -> Result<Vec<Fault>> {
    let parts: Vec<_> = corpus.production(CLI).filter(|(file, _)| is_home(file)).collect();
    let tree = Tree::of(&parts);
    if tree.flags.is_empty() {
        return Ok(vec![Fault::file(ARGS[0], "no flags found in here")]);
    }
    let family = Family::new(corpus.production(CLI), is_home, claims);
    let reads = family.reads(corpus.production(CLI));
    let tests: Vec<BTreeSet<String>> = corpus.tests(CLI).map(|(_, part)| passed(&part.strings())).collect();

    let mut faults = Vec::new();
    for flag in &tree.flags {
        let field = (flag.owner.clone(), flag.field.clone());
        if !reads.contains(&field) {
            faults.push(flag.item.fault("is read nowhere outside of the arguments"));
        }
        let commands = tree.commands(&flag.owner);
        let is_tested = tests.iter().any(|words| {
            let has_command = commands.iter().any(|names| names.iter().all(|name| words.contains(name)));
            has_command && flag.names.as_ref().is_none_or(|names| names.iter().any(|name| words.contains(name)))
        });
        if !is_tested {
            let commands: Vec<String> = commands.iter().map(|names| names.join(" ")).collect();
            let commands =
                if commands == [""] { "a command".to_owned() } else { format!("`{}`", commands.join("`, `")) };
            faults.push(flag.item.fault(&format!("is passed to {commands} by no test")));
        }
    }
    Ok(faults)
}

fn is_home(file: &Path) -> bool {
    ARGS.iter().any(|at| file.starts_with(at))
}

fn claims(file: &Path, full: &[String]) -> bool {
    is_home(file) || full.iter().any(|segment| segment == "args")
}

/// What tests pass to the program: words that stand alone, and command lines as a whole. A text that merely mentions a
/// flag, such as a hint, passes nothing.
fn passed(strings: &[String]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for text in strings {
        let mut parts = text.split_whitespace();
        let first = parts.next().unwrap_or_default();
        words.insert(first.split('=').next().unwrap_or_default().to_owned());
        if first == "tribunal" || first.starts_with('-') || !text.contains(['`', ':', '\n']) {
            words.extend(parts.map(|word| word.split('=').next().unwrap_or_default().to_owned()));
        }
    }
    words
}

/// A flag, or an argument that goes by its place.
struct Flag {
    item: Item,
    owner: String,
    field: String,
    /// How it can be written; nothing if it goes by its place.
    names: Option<Vec<String>>,
}

/// Commands and what they take.
#[derive(Default)]
struct Tree {
    flags: Vec<Flag>,
    /// From a struct to the enum of its commands, and to what is flattened into it.
    holds: BTreeMap<String, Vec<String>>,
    /// By enum: the name of each command, and the struct or enum it takes.
    commands: BTreeMap<String, Vec<(String, String)>>,
}

impl Tree {
    fn of(parts: &[(&Path, &Part)]) -> Self {
        let mut tree = Self::default();
        for (file, part) in parts {
            for item in &part.items {
                match item {
                    Code::Struct(item) if derives(&item.attrs, &["Parser", "ClapArgs", "Args"]) => {
                        tree.learn(file, &item.ident.to_string(), &item.fields);
                    }
                    Code::Enum(item) if derives(&item.attrs, &["Subcommand"]) => {
                        let commands = item.variants.iter().filter_map(|variant| {
                            let taken = variant.fields.iter().next()?;
                            Some((kebab(&variant.ident.to_string()), last(&taken.ty)?))
                        });
                        tree.commands.insert(item.ident.to_string(), commands.collect());
                    }
                    _ => {}
                }
            }
        }
        tree
    }

    fn learn(&mut self, file: &Path, owner: &str, fields: &Fields) {
        for field in fields {
            let Some(name) = &field.ident else { continue };
            let has = |attribute: &str, word: &str| {
                let mut lists = field.attrs.iter().filter(|given| given.path().is_ident(attribute));
                lists.find_map(|given| option(given, word))
            };
            if has("command", "flatten").is_some() || has("command", "subcommand").is_some() {
                self.holds.entry(owner.to_owned()).or_default().extend(held(&field.ty));
                continue;
            }
            let field_name = plain(name);
            let or = |given: String, own: String| if given.is_empty() { own } else { given };
            let initial: String = field_name.chars().take(1).collect();
            let long = has("arg", "long").map(|given| format!("--{}", or(given, kebab(&field_name))));
            let short = has("arg", "short").map(|given| format!("-{}", or(given, initial)));
            let names: Vec<String> = long.into_iter().chain(short).collect();
            let shown = names.first().cloned().unwrap_or_else(|| format!("{owner}.{field_name}"));
            self.flags.push(Flag {
                item: Item::new(shown, file, name.span().start().line),
                owner: owner.to_owned(),
                field: field_name,
                names: Some(names).filter(|names| !names.is_empty()),
            });
        }
    }

    /// The commands that take what `owner` describes: each the words to type, none for whatever goes with all of them.
    fn commands(&self, owner: &str) -> Vec<Vec<String>> {
        if owner == ROOT {
            return vec![Vec::new()];
        }
        let mut found = Vec::new();
        for (holder, _) in self.holds.iter().filter(|(_, held)| held.iter().any(|held| held == owner)) {
            found.extend(self.commands(holder));
        }
        for (group, commands) in &self.commands {
            for (name, _) in commands.iter().filter(|(_, taken)| taken == owner) {
                let before = self.commands(group);
                found.extend(before.into_iter().map(|words| [words, vec![name.clone()]].concat()));
            }
        }
        found
    }
}

/// The type that is held, also where it may be missing: `Option<DeskCommand>`.
fn held(ty: &syn::Type) -> Option<String> {
    let syn::Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last()?;
    match &segment.arguments {
        syn::PathArguments::AngleBracketed(inner) if segment.ident == "Option" => {
            inner.args.iter().find_map(|inner| match inner {
                syn::GenericArgument::Type(inner) => last(inner),
                _ => None,
            })
        }
        _ => last(ty),
    }
}

fn derives(attributes: &[Attribute], names: &[&str]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).any(|attribute| match &attribute.meta {
        Meta::List(list) => {
            let mut tokens = list.tokens.clone().into_iter();
            tokens.any(|token| matches!(token, TokenTree::Ident(word) if names.iter().any(|name| word == name)))
        }
        _ => false,
    })
}

/// The text that an attribute gives to this option, empty where it gives none: `long = "dry-run"`, `long`.
fn option(attribute: &Attribute, word: &str) -> Option<String> {
    let Meta::List(list) = &attribute.meta else { return None };
    let parts = split(list.tokens.clone());
    let given = parts.iter().find(|part| matches!(part.first(), Some(TokenTree::Ident(name)) if name == word))?;
    Some(match given.get(2) {
        Some(TokenTree::Literal(text)) => text.to_string().trim_matches(['"', '\'']).to_owned(),
        _ => String::new(),
    })
}

/// What stands between commas.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    all.split(is_comma).map(<[TokenTree]>::to_vec).collect()
}

/// The last name of a type's path.
fn last(ty: &syn::Type) -> Option<String> {
    let syn::Type::Path(ty) = ty else { return None };
    Some(ty.path.segments.last()?.ident.to_string())
}

/// `max_iterations` and `MaxIterations` are `max-iterations`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(if c == '_' { '-' } else { c.to_ascii_lowercase() });
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::super::tests::orphans;
    use super::*;

    const ARGS: &str = "
        #[derive(Debug, Parser)]
        pub(crate) struct Args {
            #[command(flatten)] pub(crate) global: Global,
            #[command(subcommand)] pub(crate) command: Command,
        }
        #[derive(ClapArgs)] pub(crate) struct Global { #[arg(short = 'C', long = \"dir\", global = true)] pub(crate) dir: PathBuf }
        #[derive(Subcommand)] pub(crate) enum Command { Run(Run), Desk(Desk), Config } #[derive(ClapArgs)] pub(crate) struct Desk { #[command(subcommand)] pub(crate) command: Option<DeskCommand> }
        #[derive(Subcommand)] pub(crate) enum DeskCommand { Logs(DeskLogs) }
        #[derive(ClapArgs)] pub(crate) struct Run {
            #[arg(value_name = \"ASSET\")] pub(crate) assets: Vec<String>,
            #[arg(long)] pub(crate) from_round: u32,
            #[command(flatten)] pub(crate) limits: Limits,
        }
        #[derive(ClapArgs)] pub(crate) struct Limits { #[arg(long)] pub(crate) usd: String }
        #[derive(ClapArgs)] pub(crate) struct DeskLogs { pub(crate) slug: String }
        impl Limits { pub(crate) fn settings(&self) -> Vec<String> { vec![self.usd.clone()] } }
        fn parse() -> u8 { 1 }
    ";
    const MAIN: &str = "
        use crate::args::{Args, Command, DeskCommand, Run};
        fn main(args: Args) {
            cd(&args.global.dir);
            match args.command { Command::Run(args) => run(&args), Command::Desk(Desk { command: Some(DeskCommand::Logs(logs)) }) => show(logs.slug), _ => {} }
        }
        fn run(args: &Run) { start(&args.assets, args.from_round, args.limits.settings()) }
    ";
    const TEST: &str = "#[test] fn t() {
        tribunal(&[\"run\", \"a\", \"--from-round\", \"2\", \"--usd=1\"]);
        tribunal(\"-C notes desk logs calculator\"); }
    ";

    fn said(main: &str, test: &str) -> Vec<String> {
        let files =
            [("crates/cli/src/args.rs", ARGS), ("crates/cli/src/main.rs", main), ("crates/cli/tests/it/main.rs", test)];
        orphans(rule, &files)
    }

    #[test]
    fn flags_that_are_read_and_tested_are_good() {
        assert_eq!(said(MAIN, TEST), Vec::<String>::new());
    }

    #[test]
    fn a_flag_that_nobody_reads_is_named() {
        assert_eq!(
            said(&MAIN.replace("args.from_round", "1"), TEST),
            ["crates/cli/src/args.rs:12: `--from-round` is read nowhere outside of the arguments"]
        );
        assert_eq!(
            said(&MAIN.replace("args.limits.settings()", "1").replace("logs.slug", "1"), TEST),
            [
                "crates/cli/src/args.rs:15: `--usd` is read nowhere outside of the arguments",
                "crates/cli/src/args.rs:16: `DeskLogs.slug` is read nowhere outside of the arguments"
            ]
        );
    }

    #[test]
    fn a_flag_that_no_test_passes_is_named() {
        assert_eq!(
            said(MAIN, &TEST.replace("\"--from-round\"", "\"hint: see --from-round\"").replace("desk logs", "desk")),
            [
                "crates/cli/src/args.rs:12: `--from-round` is passed to `run` by no test",
                "crates/cli/src/args.rs:16: `DeskLogs.slug` is passed to `desk logs` by no test"
            ]
        );
        assert_eq!(
            said(MAIN, &TEST.replace("-C ", "")),
            ["crates/cli/src/args.rs:7: `--dir` is passed to a command by no test"]
        );
    }
}
