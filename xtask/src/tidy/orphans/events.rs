//! Every event is made by something, matched by something else, and known to a test.

use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Item as Code, ItemImpl, Macro, Type};

use super::corpus::Corpus;
use super::rust::{Part, expressions, words};
use super::{Fault, Item};

/// The crate of all events, as others call it.
const CRATE: &str = "tribunal_kernel";
const HOME: &str = "crates/kernel";

/// An enum of events.
pub(super) struct Enum {
    /// The file that declares it, or a folder with that file in it.
    at: &'static str,
    name: &'static str,
    /// Whether watchers of a run are sent its variants.
    pub(super) is_streamed: bool,
    /// Whether it can be missing as long as its folder is, and unmatched as long as there is no page.
    is_planned: bool,
}

pub(super) const ENUMS: &[Enum] = &[
    Enum { at: "crates/kernel/src/event.rs", name: "Event", is_streamed: false, is_planned: false },
    Enum { at: "crates/kernel/src/theater/event.rs", name: "TheaterEvent", is_streamed: true, is_planned: false },
    Enum { at: "crates/kernel/src/watch", name: "WatchEvent", is_streamed: true, is_planned: true },
];

/// A variant of an enum of events.
pub(super) struct Variant {
    /// `Enum::Variant`.
    pub(super) item: Item,
    name: String,
    /// As it is written.
    pub(super) wire: String,
}

pub(super) fn rule(corpus: &Corpus<'_>) -> Result<Vec<Fault>> {
    let examples = examples(corpus)?;
    let told = told(corpus)?;
    let mut faults = Vec::new();
    for events in ENUMS {
        if events.is_planned && !corpus.repo.has(events.at) {
            continue;
        }
        let variants = variants(corpus, events);
        if variants.is_empty() {
            faults.push(Fault::file(events.at, format!("no enum `{}` with variants in here", events.name)));
        }
        let Some(home) = variants.first().map(|variant| variant.item.file.clone()) else { continue };
        let shipped = seen(corpus.production("crates"), events.name, &home);
        let tested = seen(corpus.tests("crates"), events.name, &home);
        for variant in variants {
            let key = |place| (place, variant.name.clone());
            if !shipped.contains(&key(Place::Made)) {
                faults.push(variant.item.fault("is made by nothing that ships"));
            }
            // What is streamed is handled by the page; `streams` sees to it.
            let is_for_page = events.is_streamed && (corpus.has_page() || events.is_planned);
            if !shipped.contains(&key(Place::Matched)) && !is_for_page {
                faults.push(variant.item.fault("is matched nowhere but where it is declared"));
            }
            let is_tested =
                [Place::Made, Place::Matched, Place::AtHome].map(key).iter().any(|key| tested.contains(key));
            if !is_tested && !told.contains(&variant.wire) && !examples.contains(&variant.wire) {
                faults.push(variant.item.fault("is in no test and in no frozen example"));
            }
        }
    }
    Ok(faults)
}

/// The variants of an enum, or nothing if it is not where it should be.
pub(super) fn variants(corpus: &Corpus<'_>, events: &Enum) -> Vec<Variant> {
    let mut found = Vec::new();
    for (file, part) in corpus.production(events.at) {
        for item in &part.items {
            let Code::Enum(item) = item else { continue };
            if item.ident != events.name {
                continue;
            }
            // What a variant without a name of its own holds is an enum of this list, too.
            let named = item.variants.iter().filter(|variant| !is_untagged(variant));
            found.extend(named.map(|variant| {
                let name = variant.ident.to_string();
                let full = format!("{}::{name}", events.name);
                let line = variant.ident.span().start().line;
                Variant { item: Item::new(full, file, line), wire: snake(&name), name }
            }));
        }
    }
    found
}

/// Whether it is written as what it holds: `#[serde(untagged)]`.
fn is_untagged(variant: &syn::Variant) -> bool {
    let mut is_untagged = false;
    for attribute in variant.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        // What cannot be read says something else.
        let _ = attribute.parse_nested_meta(|meta| {
            is_untagged |= meta.path.is_ident("untagged");
            Ok(())
        });
    }
    is_untagged
}

/// `RunClosed` is `run_closed`.
pub(in crate::tidy) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// The names of the events in frozen examples.
fn examples(corpus: &Corpus<'_>) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for file in corpus.repo.files(&[".json"])?.into_iter().filter(|file| file.starts_with("testdata/events")) {
        let example: serde_json::Value = serde_json::from_str(&corpus.repo.read(&file)?)?;
        types(&example, &mut found);
    }
    Ok(found)
}

/// Every word of a text in a test, and of a snapshot that one is held against.
fn told(corpus: &Corpus<'_>) -> Result<BTreeSet<String>> {
    let mut texts: Vec<String> = corpus.tests("crates").flat_map(|(_, part)| part.strings()).collect();
    for file in corpus.repo.files(&[".snap"])?.into_iter().filter(|file| file.starts_with("crates")) {
        texts.push(corpus.repo.read(&file)?);
    }
    Ok(texts.iter().flat_map(|text| words(text)).map(str::to_owned).collect())
}

fn types(value: &serde_json::Value, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            found.extend(fields.get("type").and_then(|name| name.as_str()).map(str::to_owned));
            fields.values().for_each(|value| types(value, found));
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| types(value, found)),
        _ => {}
    }
}

/// How a variant occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Made,
    Matched,
    /// Matched by the file that declares it: to give its name, which is no handling.
    AtHome,
}

/// Every variant of `owner` that occurs in these parts, and how.
fn seen<'p>(parts: impl Iterator<Item = (&'p Path, &'p Part)>, owner: &str, home: &Path) -> BTreeSet<(Place, String)> {
    let mut found = BTreeSet::new();
    for (file, part) in parts {
        let mut look = Look { file, part, owner, is_home: file == home, is_own: false, found: &mut found };
        part.items.iter().for_each(|item| look.visit_item(item));
    }
    found
}

struct Look<'p> {
    file: &'p Path,
    part: &'p Part,
    owner: &'p str,
    is_home: bool,
    /// Whether `Self` is the enum.
    is_own: bool,
    found: &'p mut BTreeSet<(Place, String)>,
}

impl Look<'_> {
    fn note(&mut self, path: &syn::Path, place: Place) {
        let full = self.part.resolve(path);
        let [before @ .., owner, name] = &full[..] else { return };
        let is_ours = if owner == "Self" {
            self.is_own
        } else {
            // Other crates have an `Event`, too.
            let from = before.first().unwrap_or(owner);
            owner == self.owner && (from == CRATE || (self.file.starts_with(HOME) && !from.starts_with("tribunal_")))
        };
        if is_ours {
            let place = if self.is_home && place == Place::Matched { Place::AtHome } else { place };
            self.found.insert((place, name.clone()));
        }
    }
}

impl<'ast> Visit<'ast> for Look<'_> {
    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        let outer = self.is_own;
        self.is_own = matches!(&*block.self_ty, Type::Path(own) if own.path.is_ident(self.owner)) && self.is_home;
        visit::visit_item_impl(self, block);
        self.is_own = outer;
    }

    fn visit_expr_struct(&mut self, made: &'ast syn::ExprStruct) {
        self.note(&made.path, Place::Made);
        visit::visit_expr_struct(self, made);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.note(&path.path, Place::Made);
    }

    fn visit_pat_struct(&mut self, pattern: &'ast syn::PatStruct) {
        self.note(&pattern.path, Place::Matched);
        visit::visit_pat_struct(self, pattern);
    }

    fn visit_pat_tuple_struct(&mut self, pattern: &'ast syn::PatTupleStruct) {
        self.note(&pattern.path, Place::Matched);
        visit::visit_pat_tuple_struct(self, pattern);
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        // To syn this path is an expression.
        match pattern {
            syn::Pat::Path(pattern) => self.note(&pattern.path, Place::Matched),
            _ => visit::visit_pat(self, pattern),
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        for expression in expressions(call) {
            self.visit_expr(&expression);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::orphans;
    use super::*;

    const EVENT: &str = "
        pub enum Event {
            RunOpened { at: u8 },
            RunClosed,
        }
        impl Event { fn name(&self) -> &str { match self { Self::RunOpened { .. } => \"run_opened\", Self::RunClosed => \"run_closed\" } } }
    ";
    const THEATER: &str = "pub enum TheaterEvent { Ship(u8) }";
    const RUN: &str = "
        use crate::{TheaterEvent, Event};
        fn next() -> Event { Event::RunOpened { at: 1 } }
        fn apply(event: &Event) { match event { Event::RunOpened { at } => {}, Event::RunClosed => {} } }
        fn ship() { show(TheaterEvent::Ship(1)); if let TheaterEvent::Ship(_) = x {} }
    ";
    const ENGINE: &str = "
        use tribunal_kernel::Event;
        fn end(events: Vec<Event>) { record(vec![Event::RunClosed]); events.iter().any(|e| matches!(e, Event::RunClosed)) }
    ";
    const TEST: &str =
        "use tribunal_kernel::TheaterEvent; #[test] fn t() { assert!(matches!(x, TheaterEvent::Ship(_))) }";
    const EXAMPLE: &str = r#"{"type": "run_opened", "data": {"heard": [{"type": "run_closed"}]}}"#;

    fn said(changes: &[(&str, &str)]) -> Vec<String> {
        let mut files = vec![
            ("crates/kernel/src/event.rs", EVENT),
            ("crates/kernel/src/theater/event.rs", THEATER),
            ("crates/kernel/src/run.rs", RUN),
            ("crates/engine/src/session.rs", ENGINE),
            ("crates/kernel/tests/it/run.rs", TEST),
            ("testdata/events/run_opened.json", EXAMPLE),
        ];
        files.extend(changes);
        orphans(rule, &files)
    }

    #[test]
    fn events_with_a_use_and_a_test_are_good() {
        assert_eq!(said(&[]), Vec::<String>::new());
    }

    #[test]
    fn an_event_that_nothing_makes_is_named() {
        // Another crate's event of that name is another event.
        let engine = ENGINE.replace("tribunal_kernel", "tribunal_wire");
        assert_eq!(
            said(&[("crates/engine/src/session.rs", &engine)]),
            ["crates/kernel/src/event.rs:4: `Event::RunClosed` is made by nothing that ships"]
        );
    }

    #[test]
    fn an_event_that_nothing_matches_is_named() {
        let run = RUN.replace("Event::RunOpened { at } => {}", "_ => {}");
        assert_eq!(
            said(&[("crates/kernel/src/run.rs", &run)]),
            ["crates/kernel/src/event.rs:3: `Event::RunOpened` is matched nowhere but where it is declared"]
        );
    }

    #[test]
    fn an_event_without_a_test_is_named() {
        assert_eq!(
            said(&[("crates/kernel/tests/it/run.rs", "")]),
            ["crates/kernel/src/theater/event.rs:1: `TheaterEvent::Ship` is in no test and in no frozen example"]
        );
        let told = "#[test] fn t() { assert_eq!(line, \"critique.ship\") }";
        assert_eq!(said(&[("crates/kernel/tests/it/run.rs", told)]), Vec::<String>::new());
        let shown = ("crates/cli/tests/it/snapshots/it__parse.snap", r#"{"type":"ship"}"#);
        assert_eq!(said(&[("crates/kernel/tests/it/run.rs", ""), shown]), Vec::<String>::new());
    }

    #[test]
    fn a_variant_that_is_written_as_what_it_holds_is_no_event_of_its_own() {
        let watch = |attribute: &str| format!("pub enum WatchEvent {{ {attribute} Theater(TheaterEvent) }}");
        assert_eq!(
            said(&[("crates/kernel/src/watch/event.rs", &watch("#[serde(untagged)]"))]),
            ["crates/kernel/src/watch: no enum `WatchEvent` with variants in here"]
        );
        assert_eq!(
            said(&[("crates/kernel/src/watch/event.rs", &watch("#[serde(default)]"))]),
            [
                "crates/kernel/src/watch/event.rs:1: `WatchEvent::Theater` is made by nothing that ships",
                "crates/kernel/src/watch/event.rs:1: `WatchEvent::Theater` is in no test and in no frozen example",
            ]
        );
    }

    #[test]
    fn an_enum_that_is_not_in_its_place_is_named() {
        assert_eq!(
            said(&[("crates/kernel/src/watch/mod.rs", "pub enum Other { A }")]),
            ["crates/kernel/src/watch: no enum `WatchEvent` with variants in here"]
        );
    }
}
