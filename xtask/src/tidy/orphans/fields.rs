//! Every key of the configuration is read by somebody, and a test sets it.

use anyhow::Result;
use proc_macro2::TokenTree;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::Meta;
use tribunal_config::KEYS;
use tribunal_kernel::loops::{LOOPS, RoundLimit};

use super::corpus::Corpus;
use super::family::{Family, Field, plain};
use super::rust::Part;
use super::{Fault, Item};

const HOME: &str = "crates/config/src";
const SCHEMA: &str = "crates/config/src/schema.rs";

/// The struct that holds all others.
const ROOT: &str = "Config";

/// A key, and its other spellings.
type Key<'k> = (&'k str, &'k [&'k str]);

pub(super) fn rule(corpus: &Corpus<'_>) -> Result<Vec<Fault>> {
    let keys: Vec<Key<'_>> = KEYS.iter().map(|key| (key.path, key.aliases)).collect();
    check(corpus, &keys)
}

/// Keys that are read by their names, which the definition of a loop has.
fn named_by_a_loop() -> impl Iterator<Item = &'static str> {
    LOOPS.iter().flat_map(|kind| {
        let of_rounds = match kind.def().round_limit {
            RoundLimit::Run { key } => Some(key),
            RoundLimit::Settings => None,
        };
        of_rounds.into_iter().chain(kind.def().most_at_once)
    })
}

fn check(corpus: &Corpus<'_>, keys: &[Key<'_>]) -> Result<Vec<Fault>> {
    let family = Family::new(corpus.production("crates"), is_home, claims);
    let reads = family.reads(corpus.production("crates"));
    let tested = family.reads(corpus.tests("crates"));
    let tests: Vec<Test> = corpus.tests("crates").map(|(_, part)| Test::of(part)).collect();
    let other_names = other_names(corpus);
    let schema = corpus.repo.read(SCHEMA)?;

    let mut faults = Vec::new();
    for (path, spellings) in keys {
        let rows = [format!("Key::new(\"{path}\""), format!("::KEYS, \"{path}\"")];
        let is_row = |line: &str| rows.iter().any(|row| line.contains(row));
        let line = schema.lines().position(is_row).map_or(1, |at| at + 1);
        let item = Item::new(*path, SCHEMA, line);
        let Some(field) = field(&family, &other_names, path) else {
            faults.push(item.fault("has no field in `Config`"));
            continue;
        };
        if !reads.contains(&field) && !named_by_a_loop().any(|key| key == *path) {
            faults.push(item.fault("is read nowhere outside of crates/config"));
        }
        let all: Vec<&str> = std::iter::once(*path).chain(spellings.iter().copied()).collect();
        let is_alone = is_alone(path, keys);
        let is_named = || all.iter().any(|spelling| tests.iter().any(|test| test.names(spelling, is_alone)));
        if !tested.contains(&field) && !is_named() {
            faults.push(item.fault("is set in no test"));
        }
    }
    Ok(faults)
}

fn is_home(file: &Path) -> bool {
    file.starts_with(HOME)
}

fn claims(file: &Path, full: &[String]) -> bool {
    is_home(file) || full.first().is_some_and(|first| first == "tribunal_config")
}

/// The field that a key is kept in.
fn field(family: &Family, other_names: &BTreeMap<Field, String>, path: &str) -> Option<Field> {
    let mut owner = ROOT.to_owned();
    let mut names = path.split('.').filter(|name| *name != "*").peekable();
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            let own = other_names.get(&(owner.clone(), name.to_owned())).map_or(name, String::as_str);
            return family.has(&owner, own).then(|| (owner.clone(), own.to_owned()));
        }
        owner = family.held(&owner, name)?.to_owned();
    }
    None
}

/// Fields that can be given under another name: `#[serde(alias = "asset")]`.
fn other_names(corpus: &Corpus<'_>) -> BTreeMap<Field, String> {
    let mut found = BTreeMap::new();
    for item in corpus.production(HOME).flat_map(|(_, part)| &part.items) {
        let syn::Item::Struct(item) = item else { continue };
        for field in &item.fields {
            let Some(name) = field.ident.as_ref().map(plain) else { continue };
            for alias in field.attrs.iter().filter_map(alias) {
                found.insert((item.ident.to_string(), alias), name.clone());
            }
        }
    }
    found
}

fn alias(attribute: &syn::Attribute) -> Option<String> {
    let Meta::List(list) = &attribute.meta else { return None };
    let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
    let place = tokens.iter().position(|token| matches!(token, TokenTree::Ident(word) if word == "alias"))?;
    let TokenTree::Literal(text) = tokens.get(place + 2)? else { return None };
    Some(text.to_string().trim_matches('"').to_owned())
}

/// What the tests of a file say.
struct Test {
    paths: BTreeSet<Vec<String>>,
    words: BTreeSet<String>,
}

impl Test {
    fn of(part: &Part) -> Self {
        Self { paths: part.strings().iter().flat_map(|text| paths(text)).collect(), words: part.words() }
    }

    /// Whether they name the key. Helpers put lines under a header that they bring: such a line counts if it can mean
    /// only this key, and the file knows the header's name at all.
    fn names(&self, key: &str, is_alone: bool) -> bool {
        let (table, name) = (key.split('.').next().unwrap_or_default(), key.rsplit('.').next().unwrap_or_default());
        let is_line = || self.words.contains(table) && self.paths.contains(&vec![name.to_owned()]);
        self.paths.iter().any(|path| fits(path, key)) || (is_alone && is_line())
    }
}

/// Whether no other key ends with the same name.
fn is_alone(path: &str, keys: &[Key<'_>]) -> bool {
    let last = |path: &str| path.rsplit('.').next().filter(|name| *name != "*").map(str::to_owned);
    last(path).is_some() && keys.iter().filter(|(other, _)| last(other) == last(path)).count() == 1
}

/// Whether these are the parts of the key; `*` is any name. A variable's parts are in one: `LIMITS_USD`.
fn fits(name: &[impl AsRef<str>], key: &str) -> bool {
    if let [variable] = name
        && let Some(parts) = variable.as_ref().strip_prefix("TRIBUNAL_")
    {
        return match key.replace('.', "_").to_uppercase().split_once('*') {
            Some((before, after)) => parts.len() > before.len() && parts.starts_with(before) && parts.ends_with(after),
            None => parts == key.replace('.', "_").to_uppercase(),
        };
    }
    let key: Vec<&str> = key.split('.').collect();
    name.len() == key.len() && name.iter().zip(key).all(|(name, part)| part == "*" || name.as_ref() == part)
}

/// Whatever in a text could be a key: dotted, as a variable, or as TOML with its header.
fn paths(text: &str) -> Vec<Vec<String>> {
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let words = text.split(|c: char| !is_of_key(c)).filter(|word| word.contains('.') || word.starts_with("TRIBUNAL_"));
    let mut found: Vec<Vec<&str>> = words.map(|word| word.trim_matches('.').split('.').collect()).collect();

    let mut header: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            header = names(name.0);
        } else if let Some((key, value)) = line.split_once('=') {
            let path: Vec<&str> = header.iter().copied().chain(names(key)).collect();
            // An inline table.
            for pair in value.split(['{', ',']).filter_map(|pair| pair.split_once('=')) {
                found.push(path.iter().copied().chain(names(pair.0)).collect());
            }
            found.push(path);
        }
    }
    found.into_iter().map(|path| path.into_iter().map(str::to_owned).collect()).collect()
}

fn names(key: &str) -> Vec<&str> {
    key.split('.').map(|name| name.trim().trim_matches('"')).collect()
}

#[cfg(test)]
mod tests {
    use super::super::rust::Source;
    use super::super::tests::orphans;
    use super::*;

    const KEYS: &[Key<'_>] = &[
        ("limits.usd", &[]),
        ("limits.wall", &[]),
        ("agents.*.model", &[]),
        ("review.asset", &[]),
        ("review.assets", &["assets"]),
    ];
    const CONFIG: &str = "
        pub struct Config { pub limits: Limits, pub agents: BTreeMap<String, Agent>, pub review: Review }
        pub struct Limits { pub usd: u64, pub wall: u64 }
        pub struct Agent { pub model: String }
        pub struct Review { #[serde(default, alias = \"asset\")] pub assets: Vec<String> }
        fn check(config: &Config) -> bool { config.limits.wall > 0 }
    ";
    const USER: &str = "
        use tribunal_config::Config;
        fn run(config: &Config) { spend(config.limits.usd); for a in config.agents.values() { ask(&a.model) } }
        fn assets(config: &Config) -> &[String] { &config.review.assets }
    ";
    const TEST: &str = "#[test] fn t() {
        load(\"[agents.writer]\\nmodel = 'x'\\n\");
        run(&[\"--set\", \"limits.usd=2\"]);
        env(\"TRIBUNAL_REVIEW_ASSET\", \"a\");
        load(\"assets = ['a']\"); }
    ";

    fn said(user: &str, test: &str) -> Vec<String> {
        let rows: Vec<String> = KEYS.iter().map(|(path, _)| format!("    Key::new(\"{path}\"),\n")).collect();
        let schema = format!("static KEYS: &[Key] = &[\n{}];\n", rows.concat());
        let files = [
            (SCHEMA, &schema[..]),
            ("crates/config/src/config.rs", CONFIG),
            ("crates/cli/src/run.rs", user),
            ("crates/cli/tests/it/run.rs", test),
        ];
        orphans(|corpus| check(corpus, KEYS), &files)
    }

    #[test]
    fn a_key_that_nobody_reads_is_named() {
        let test = TEST.replace("limits.usd=2", "limits.usd=2 limits.wall=1m");
        assert_eq!(
            said(USER, &test),
            ["crates/config/src/schema.rs:3: `limits.wall` is read nowhere outside of crates/config"]
        );
    }

    #[test]
    fn a_key_that_no_test_sets_is_named() {
        let user = USER.replace("limits.usd", "limits.wall").replace("&a.model", "&a.model, config.limits.usd");
        assert_eq!(said(&user, TEST), ["crates/config/src/schema.rs:3: `limits.wall` is set in no test"]);
    }

    #[test]
    fn a_line_without_its_header_counts_if_it_can_mean_only_one_key() {
        let test = |text: &str| {
            let source = Source::parse(Path::new("crates/a/tests/b.rs"), text, true).unwrap();
            Test::of(&source.tests)
        };
        let helped = test("fn t() { Project::theater(\"cast = ['a']\") }");
        assert!(helped.names("theater.cast", true) && !helped.names("theater.cast", false));
        assert!(!test("fn t() { write(\"cast = 1\") }").names("theater.cast", true));
        assert!(is_alone("limits.usd", KEYS) && !is_alone("limits.usd", &[("limits.usd", &[]), ("a.*.usd", &[])]));
    }

    #[test]
    fn keys_are_recognised_in_texts() {
        for (text, key, expected) in [
            ("--set theater.max_rounds=3", "theater.max_rounds", true),
            ("`theater.max_rounds`.", "theater.max_rounds", true),
            ("[theater]\nmax_rounds = 3", "theater.max_rounds", true),
            ("[joust]\nmax_rounds = 3", "theater.max_rounds", false),
            ("max_rounds = 3", "theater.max_rounds", false),
            ("[theater.weights]\ncritic = 1", "theater.weights.*", true),
            ("[agents]\na = { kind = \"x\", model = \"y\" }", "agents.*.model", true),
            ("TRIBUNAL_AGENTS_A_B_MODEL", "agents.*.model", true),
            ("TRIBUNAL_LIMITS_USD", "limits.usd", true),
            ("TRIBUNAL_LIMITS_USDX", "limits.usd", false),
        ] {
            assert_eq!(paths(text).iter().any(|name| fits(name, key)), expected, "{text:?} {key}");
        }
    }
}
