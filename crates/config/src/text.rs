//! Flags and environment variables as layers: pairs of a name and a text that the key's kind reads.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use tribunal_anchors::nearest;

use crate::{
    error::ConfigMistake,
    layer::{Layer, Names, instances},
    origin::Origin,
    schema::{KEYS, Key, is_free, parts, variable},
    value::Raw,
};

/// Variables of ours that are no settings: what the engine tells agents, and what the command line reads itself.
pub const RESERVED: &[&str] = &[
    "TRIBUNAL_ACCOUNT",
    "TRIBUNAL_ATTACHMENTS",
    "TRIBUNAL_SEAT",
    "TRIBUNAL_ROUND",
    "TRIBUNAL_RUN",
    "TRIBUNAL_PLACE",
    "TRIBUNAL_LOOP",
    "TRIBUNAL_TURN",
    "TRIBUNAL_TASK",
    "TRIBUNAL_MODEL",
    "TRIBUNAL_MEMORY",
    "TRIBUNAL_CONTEXT",
    "TRIBUNAL_CLAIM",
    "TRIBUNAL_VERDICT",
    "TRIBUNAL_PRD",
    "TRIBUNAL_TEST_SPEC",
    "TRIBUNAL_RECEIPTS",
    "TRIBUNAL_CONFIG",
    "TRIBUNAL_TOKEN",
];

/// What the name of every variable of ours starts with.
pub(crate) const PREFIX: &str = "TRIBUNAL_";

pub(crate) fn flags(pairs: &[(String, String)], base: &Path) -> Layer {
    let mut layer = Layer::default();
    for (key, text) in pairs {
        let origin = Origin::Flag { key: key.clone() };
        layer.offer(&parts(key), &Raw::Loose(text.clone()), text, &origin, base);
    }
    layer
}

/// `names` are those of the other sources: a variable sets something on an agent, it does not make one.
pub(crate) fn env(pairs: &[(String, String)], names: &Names, base: &Path) -> Layer {
    let mut layer = Layer::default();
    let known = variables(names);
    for (name, text) in pairs {
        // An empty variable is the usual way to say that it is not set.
        if !name.starts_with(PREFIX) || RESERVED.contains(&name.as_str()) || text.is_empty() {
            continue;
        }
        let origin = Origin::Env { variable: name.clone() };
        match known.get(name).map(|paths| paths.iter().collect::<Vec<_>>()).as_deref() {
            Some([path]) => {
                let path: Vec<&str> = path.split('.').collect();
                layer.offer(&path, &Raw::Loose(text.clone()), text, &origin, base);
            }
            Some(paths) => {
                let paths = paths.iter().map(|path| (*path).clone()).collect();
                layer.refuse(&origin, ConfigMistake::SharedVariable { paths });
            }
            None => match of_a_role(name) {
                Some(path) => {
                    let path: Vec<&str> = path.split('.').collect();
                    layer.offer(&path, &Raw::Loose(text.clone()), text, &origin, base);
                }
                None => layer.notes.push(note(name, known.keys())),
            },
        }
    }
    layer
}

/// The path of a variable whose key ends in a name. Unlike an agent, a role is nothing that a file must have introduced,
/// and a role is lower case, so that its name can be read off the variable.
fn of_a_role(name: &str) -> Option<String> {
    let tables = KEYS.iter().filter_map(|key| key.path.strip_suffix(".*")).filter(|table| !is_free(table));
    let mut paths = tables.filter_map(|table| {
        let role = name.strip_prefix(&variable(table))?.strip_prefix('_').filter(|role| !role.is_empty())?;
        Some(format!("{table}.{}", role.to_lowercase()))
    });
    paths.next()
}

fn note<'k>(name: &str, known: impl Iterator<Item = &'k String>) -> String {
    // The prefix that all have in common must not make them look alike.
    match nearest(&name[PREFIX.len()..], known.map(|known| &known[PREFIX.len()..])) {
        Some(nearest) => format!("`{name}` is not a known setting and is ignored; did you mean `{PREFIX}{nearest}`?"),
        None => format!("`{name}` is not a known setting and is ignored"),
    }
}

/// Every variable that means something, with the paths that it could mean.
fn variables(names: &Names) -> BTreeMap<String, BTreeSet<String>> {
    let mut variables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for spelling in KEYS.iter().flat_map(Key::spellings) {
        for path in instances(spelling, names) {
            variables.entry(variable(&path)).or_default().insert(path);
        }
    }
    variables
}
