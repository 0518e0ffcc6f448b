//! A Rust file as rules about orphans see it: what ships, and what only tests it.

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItem, Item, ItemUse, LitStr, Macro, Meta, UseTree};

/// Crates that exist for tests alone.
const FOR_TESTS: &[&str] = &["crates/testkit", "crates/stub"];

/// Macros whose second argument is a pattern.
const MATCHING: &[&str] = &["matches", "assert_matches", "debug_assert_matches"];

/// A file, parted.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) production: Part,
    pub(super) tests: Part,
}

/// One of the two parts of a file.
pub(super) struct Part {
    pub(super) items: Vec<Item>,
    /// What a name that was brought in by `use` stands for.
    uses: BTreeMap<String, Vec<String>>,
}

impl Source {
    /// `of_tests`: somebody else says that all of it is.
    pub(super) fn parse(path: &Path, text: &str, of_tests: bool) -> Result<Self> {
        let file = syn::parse_file(text).with_context(|| format!("cannot read {} as Rust", path.display()))?;
        let mut tests = Vec::new();
        let mut production = Vec::new();
        if of_tests || is_of_tests(path) {
            tests = file.items;
        } else {
            production = part(file.items, &mut tests);
        }
        let shipped = uses(&production);
        let mut tested = shipped.clone();
        tested.extend(uses(&tests));
        Ok(Self {
            path: path.to_owned(),
            production: Part { items: production, uses: shipped },
            tests: Part { items: tests, uses: tested },
        })
    }

    /// Files that are modules of tests because this one says so: `#[cfg(test)] mod fixtures;`.
    pub(super) fn test_modules(&self) -> Vec<PathBuf> {
        let stem = self.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let folder = if ["mod", "lib", "main"].contains(&stem) {
            self.path.parent().unwrap_or(Path::new("")).to_owned()
        } else {
            self.path.with_extension("")
        };
        let modules = self.tests.items.iter().filter_map(|item| match item {
            Item::Mod(module) if module.content.is_none() => Some(module.ident.to_string()),
            _ => None,
        });
        modules.flat_map(|name| [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")]).collect()
    }
}

impl Part {
    /// A path as it would be written without any `use`.
    pub(super) fn resolve(&self, path: &syn::Path) -> Vec<String> {
        let mut segments = path.segments.iter().map(|segment| segment.ident.to_string());
        let first = segments.next().unwrap_or_default();
        let mut full = self.uses.get(&first).cloned().unwrap_or_else(|| vec![first]);
        full.extend(segments);
        full
    }

    /// The texts of all string literals. Documentation and inline snapshots are not among them: nobody passes those on.
    pub(super) fn strings(&self) -> Vec<String> {
        let mut seen = Literals(Vec::new());
        self.items.iter().for_each(|item| seen.visit_item(item));
        seen.0
    }

    /// Every name in code, and every word in a string literal.
    pub(super) fn words(&self) -> BTreeSet<String> {
        let mut names = Names(BTreeSet::new());
        self.items.iter().for_each(|item| names.visit_item(item));
        names.0.extend(self.strings().iter().flat_map(|text| words(text)).map(str::to_owned));
        names.0
    }
}

/// The words of a text: what could be names in code.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The expressions in a macro's brackets, as far as they are ones; `matches!` is given as the `match` it stands for.
pub(super) fn expressions(call: &Macro) -> Vec<Expr> {
    let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    if MATCHING.contains(&name.as_str()) {
        let (value, pattern): (TokenStream, TokenStream) = {
            let mut tokens = call.tokens.clone().into_iter();
            let value = tokens.by_ref().take_while(|token| !is_punct(token, ',')).collect();
            (value, tokens.collect())
        };
        let pattern = pattern.to_string();
        let text = format!("match ({value}) {{ {} => true, _ => false }}", pattern.trim_end_matches([',', ' ']));
        return syn::parse_str(&text).into_iter().collect();
    }
    let mut found = Vec::new();
    gather(call.tokens.clone(), &mut found);
    found
}

fn gather(tokens: TokenStream, found: &mut Vec<Expr>) {
    let mut chunk: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        // `=>` and `:` part what is no list of expressions: arms, objects. `::` belongs to a path.
        let arrow = is_punct(&token, '=') && tokens.peek().is_some_and(|next| is_punct(next, '>'));
        let colons = is_punct(&token, ':') && tokens.peek().is_some_and(|next| is_punct(next, ':'));
        if colons {
            chunk.push(token);
            chunk.extend(tokens.next());
        } else if arrow || [',', ';', ':'].iter().any(|mark| is_punct(&token, *mark)) {
            if arrow {
                tokens.next();
            }
            flush(&mut chunk, found);
        } else {
            chunk.push(token);
        }
    }
    flush(&mut chunk, found);
}

/// Takes a chunk as an expression, or else looks into its brackets.
fn flush(chunk: &mut Vec<TokenTree>, found: &mut Vec<Expr>) {
    let tokens = std::mem::take(chunk);
    if tokens.is_empty() {
        return;
    }
    if let Ok(expression) = syn::parse2(tokens.iter().cloned().collect()) {
        found.push(expression);
        return;
    }
    for token in tokens {
        if let TokenTree::Group(group) = token {
            gather(group.stream(), found);
        }
    }
}

fn is_punct(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

fn is_of_tests(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let in_folder = path.components().any(|part| ["tests", "benches"].iter().any(|folder| part.as_os_str() == *folder));
    in_folder || name.ends_with("_tests.rs") || name == "tests.rs" || FOR_TESTS.iter().any(|at| path.starts_with(at))
}

/// Takes what only tests see out of `items`, and gives the rest.
fn part(items: Vec<Item>, tests: &mut Vec<Item>) -> Vec<Item> {
    let mut rest = Vec::new();
    for mut item in items {
        if is_for_tests(attributes(&item)) {
            tests.push(item);
            continue;
        }
        match &mut item {
            Item::Mod(module) => {
                if let Some((_, inner)) = &mut module.content {
                    *inner = part(std::mem::take(inner), tests);
                }
            }
            Item::Impl(block) => block.items.retain(|item| match item {
                ImplItem::Fn(function) => !is_for_tests(&function.attrs),
                _ => true,
            }),
            _ => {}
        }
        rest.push(item);
    }
    rest
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]`, `#[cfg(all(test, …))]`, `#[test]`, `#[tokio::test]`; not `#[cfg(not(test))]`.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => wants_test(list.tokens.clone()),
        meta => meta.path().segments.last().is_some_and(|segment| segment.ident == "test"),
    })
}

fn wants_test(tokens: TokenStream) -> bool {
    let mut is_negated = false;
    for token in tokens {
        match token {
            TokenTree::Ident(word) if word == "test" => return true,
            TokenTree::Ident(word) => is_negated = word == "not",
            TokenTree::Group(group) if !is_negated && wants_test(group.stream()) => return true,
            _ => {}
        }
    }
    false
}

fn uses(items: &[Item]) -> BTreeMap<String, Vec<String>> {
    struct Uses(BTreeMap<String, Vec<String>>);
    impl Visit<'_> for Uses {
        fn visit_item_use(&mut self, item: &ItemUse) {
            bring(&item.tree, &mut Vec::new(), &mut self.0);
        }
    }
    let mut found = Uses(BTreeMap::new());
    for item in items {
        found.visit_item(item);
    }
    found.0
}

fn bring(tree: &UseTree, path: &mut Vec<String>, found: &mut BTreeMap<String, Vec<String>>) {
    let full = |path: &[String], last: &str| -> Vec<String> {
        let own = (last != "self").then(|| last.to_owned());
        path.iter().cloned().chain(own).collect()
    };
    match tree {
        UseTree::Path(tree) => {
            path.push(tree.ident.to_string());
            bring(&tree.tree, path, found);
            path.pop();
        }
        UseTree::Name(tree) => {
            let full = full(path, &tree.ident.to_string());
            found.insert(full.last().cloned().unwrap_or_default(), full);
        }
        UseTree::Rename(tree) => {
            found.insert(tree.rename.to_string(), full(path, &tree.ident.to_string()));
        }
        UseTree::Group(tree) => tree.items.iter().for_each(|item| bring(item, path, found)),
        UseTree::Glob(_) => {}
    }
}

struct Literals(Vec<String>);

impl Visit<'_> for Literals {
    fn visit_attribute(&mut self, _: &Attribute) {}

    fn visit_lit_str(&mut self, literal: &LitStr) {
        self.0.push(literal.value());
    }

    fn visit_macro(&mut self, call: &Macro) {
        self.tokens(call.tokens.clone());
    }
}

impl Literals {
    fn tokens(&mut self, tokens: TokenStream) {
        let mut is_snapshot = false;
        for token in tokens {
            match &token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) if !is_snapshot => {
                    if let Ok(text) = syn::parse_str::<LitStr>(&literal.to_string()) {
                        self.0.push(text.value());
                    }
                }
                _ => {}
            }
            is_snapshot = is_punct(&token, '@');
        }
    }
}

struct Names(BTreeSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_attribute(&mut self, _: &Attribute) {}

    fn visit_ident(&mut self, name: &proc_macro2::Ident) {
        self.0.insert(name.to_string());
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        visit::visit_macro(self, call);
        self.tokens(call.tokens.clone());
    }
}

impl Names {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(name) => {
                    self.0.insert(name.to_string());
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source::parse(Path::new(path), text, false).unwrap()
    }

    #[test]
    fn a_file_is_parted() {
        let text = "
            /// \"documented\"
            const A: &str = \"shipped\";
            #[cfg(not(test))] const B: &str = \"shipped, too\";
            #[cfg(any(test, feature = \"x\"))] fn helper() { f(\"helped\"); }
            mod inner { #[cfg(test)] mod tests { const C: &str = \"inner\"; } }
            #[cfg(test)] mod tests { fn t() { assert_eq!(a, \"told\"); assert_snapshot!(b, @\"shown\"); } }
            #[cfg(test)] mod fixtures;
        ";
        let source = source("crates/a/src/b.rs", text);
        assert_eq!(source.production.strings(), ["shipped", "shipped, too"]);
        assert_eq!(source.tests.strings(), ["helped", "inner", "told"]);
        assert_eq!(
            source.test_modules(),
            [Path::new("crates/a/src/b/fixtures.rs"), Path::new("crates/a/src/b/fixtures/mod.rs")]
        );
    }

    #[test]
    fn some_files_are_tests_as_a_whole() {
        for (path, expected) in [
            ("crates/a/src/b.rs", false),
            ("crates/a/tests/it/b.rs", true),
            ("crates/a/src/b_tests.rs", true),
            ("crates/testkit/src/sim.rs", true),
        ] {
            assert_eq!(source(path, "const A: u8 = 1;").production.items.is_empty(), expected, "{path}");
        }
    }

    #[test]
    fn names_stand_for_what_was_brought_in() {
        let source = source("a.rs", "use tribunal_config::{self as config, Config, Seat as Chair}; use b::c::{self};");
        for (path, expected) in [
            ("Config", "tribunal_config::Config"),
            ("config::Agent", "tribunal_config::Agent"),
            ("Chair", "tribunal_config::Seat"),
            ("c::D", "b::c::D"),
            ("Other::X", "Other::X"),
        ] {
            let path: syn::Path = syn::parse_str(path).unwrap();
            assert_eq!(source.production.resolve(&path).join("::"), expected);
        }
    }

    #[test]
    fn macros_are_looked_into() {
        for (text, expected) in [
            ("format!(\"{}\", a.b)", 2),
            ("matches!(a, B::C { .. } | B::D if x.y)", 1),
            ("json!({ \"a\": b.c, \"d\": [e::F, g] })", 4),
            ("select! { x = f.g() => { h.i } }", 2),
            ("assert_snapshot!(a, @\"b\")", 1),
        ] {
            let call: Macro = syn::parse_str(text).unwrap();
            assert_eq!(expressions(&call).len(), expected, "{text}");
        }
    }
}
