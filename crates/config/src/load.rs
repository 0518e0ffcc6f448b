//! Sources in, a typed configuration out, with the origin of every value. Pure: what is read is passed in.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    check::Check,
    config::Config,
    error::ConfigErrors,
    file::File,
    layer::{Given, Layer, Names, instances},
    origin::{Origin, Spot},
    schema::{KEYS, with_dots},
    text,
    value::Raw,
    words::AgentKind,
};

/// Everything that a configuration is made from, as data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// The working folder: relative paths in flags and variables start from it.
    pub cwd: PathBuf,
    /// The path and text of `tribunal.toml`.
    pub project: Option<(PathBuf, String)>,
    /// The path and text of the user's configuration.
    pub user: Option<(PathBuf, String)>,
    /// Names that do not start with `TRIBUNAL_` are ignored.
    pub env: Vec<(String, String)>,
    /// Keys and the texts given for them; of a key given twice the last counts.
    pub flags: Vec<(String, String)>,
}

/// A configuration, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    pub config: Config,
    /// Every key that has a value, in the order of the schema, agents and seats by name.
    pub settings: Vec<EffectiveSetting>,
    /// What is odd but no mistake, such as a variable that sets nothing.
    pub notes: Vec<String>,
    /// The folder of `tribunal.toml`, or the working folder if there is none.
    pub dir: PathBuf,
}

/// A key's value as people read it, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EffectiveSetting {
    /// The canonical path, with names in place of `*`.
    pub key: String,
    /// A secret is shown as the `$NAME` of its variable.
    pub value: String,
    pub origin: Origin,
}

/// Puts the sources together: flag over environment over `tribunal.toml` over user configuration over default.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigErrors> {
    let cwd = sources.cwd.as_path();
    let dir = sources.project.as_ref().map_or_else(|| cwd.to_owned(), |(path, _)| folder(cwd, path));

    let user = file(cwd, sources.user.as_ref(), Origin::User);
    let project = file(cwd, sources.project.as_ref(), Origin::Project);
    let flags = text::flags(&sources.flags, cwd);
    let mut names = all_names([&project, &user, &flags]);
    let env = text::env(&sources.env, &names, cwd);

    // Weakest first.
    let mut layers = [defaults(&names, &dir), user, project, env, flags];
    let mut merged: BTreeMap<String, Given> = BTreeMap::new();
    for layer in &mut layers {
        for (path, given) in layer.settle() {
            if let Some(rival) = given.key.rival {
                merged.remove(rival);
            }
            merged.insert(path, given);
        }
    }

    let mut implied = implied(&merged, &names, &dir);
    for (path, given) in implied.settle() {
        let name = path.split('.').nth(1).unwrap_or_default().to_owned();
        names.entry("agents".to_owned()).or_default().insert(name, given.origin.clone());
        merged.insert(path, given);
    }

    let mut errors: Vec<_> = layers.iter_mut().flat_map(|layer| std::mem::take(&mut layer.errors)).collect();
    // What an unreadable file lacks is not missing, so the layers are only held against each other if all were read.
    if !layers.iter().any(|layer| layer.broken) {
        let all = layers.iter_mut().chain([&mut implied]);
        let attempted = all.flat_map(|layer| std::mem::take(&mut layer.attempted)).collect();
        let refused = layers.iter_mut().flat_map(|layer| std::mem::take(&mut layer.refused)).collect();
        errors.extend(Check { merged: &merged, names: &names, attempted: &attempted, refused: &refused }.run());
    }
    match ConfigErrors::collect(errors) {
        Some(errors) => Err(errors),
        None => Ok(Loaded {
            config: typed(&merged),
            settings: settings(&merged),
            notes: layers.into_iter().flat_map(|layer| layer.notes).collect(),
            dir,
        }),
    }
}

fn file(cwd: &Path, source: Option<&(PathBuf, String)>, origin: fn(Spot) -> Origin) -> Layer {
    let Some((path, text)) = source else { return Layer::default() };
    // Below the working folder the rest of the path says enough.
    let shown = path.strip_prefix(cwd).unwrap_or(path);
    File { text, shown, base: &folder(cwd, path), origin }.read()
}

fn folder(cwd: &Path, file: &Path) -> PathBuf {
    cwd.join(file.parent().unwrap_or(Path::new("")))
}

/// The names of all layers; the first layer that has one says where it was introduced.
fn all_names<const N: usize>(layers: [&Layer; N]) -> Names {
    let mut all = Names::new();
    for (table, names) in layers.into_iter().flat_map(|layer| &layer.names) {
        let known = all.entry(table.clone()).or_default();
        for (name, origin) in names {
            known.entry(name.clone()).or_insert_with(|| origin.clone());
        }
    }
    all
}

fn defaults(names: &Names, dir: &Path) -> Layer {
    let mut layer = Layer::default();
    for key in KEYS {
        let Some(default) = key.default else { continue };
        for path in instances(key.path, names) {
            let path: Vec<&str> = path.split('.').collect();
            layer.offer(&path, &Raw::Loose(default.to_owned()), default, &Origin::Default, dir);
        }
    }
    layer
}

/// Agents that a seat names and nobody defines: a command line that we know needs nothing but its name.
fn implied(merged: &BTreeMap<String, Given>, names: &Names, dir: &Path) -> Layer {
    let mut layer = Layer::default();
    let is_known = |name: &str| names.get("agents").is_some_and(|known| known.contains_key(name));
    for seat in names.get("seats").into_iter().flatten().map(|(seat, _)| seat) {
        let agent = merged.get(&format!("seats.{seat}.agent")).and_then(|given| given.value.text());
        let kind = agent.and_then(AgentKind::command_line).map(AgentKind::as_str);
        if let Some(kind) = kind.filter(|kind| !is_known(kind)) {
            layer.offer(&["agents", kind, "kind"], &Raw::Loose(kind.to_owned()), kind, &Origin::Default, dir);
        }
    }
    layer
}

fn typed(merged: &BTreeMap<String, Given>) -> Config {
    let mut root = toml::Table::new();
    // Every table is there, if empty, so that the typed structs need no defaults of their own.
    for key in KEYS {
        table(&mut root, key.path.split('.').take(1));
    }
    for (path, given) in merged {
        if let Some((parent, leaf)) = path.rsplit_once('.') {
            let parent: Vec<String> = parent.split('.').map(with_dots).collect();
            table(&mut root, parent.iter().map(String::as_str)).insert(with_dots(leaf), given.value.to_toml());
        }
    }
    Config::deserialize(root).expect("a test proves that every row of the schema fits its field")
}

fn table<'t, 'p>(root: &'t mut toml::Table, path: impl Iterator<Item = &'p str>) -> &'t mut toml::Table {
    path.fold(root, |parent, part| {
        let child = parent.entry(part).or_insert_with(|| toml::Table::new().into());
        child.as_table_mut().expect("no key of the schema is the table of another")
    })
}

fn settings(merged: &BTreeMap<String, Given>) -> Vec<EffectiveSetting> {
    let mut rows: Vec<_> = merged.iter().map(|(path, given)| (listing_order(path, given), path, given)).collect();
    rows.sort_by_key(|(order, ..)| *order);
    let rows = rows.into_iter();
    rows.map(|(_, path, given)| EffectiveSetting {
        key: with_dots(path),
        value: given.value.to_string(),
        origin: given.origin.clone(),
    })
    .collect()
}

/// By table as in the schema, then by name, so that what belongs to one agent stands together, then by row.
fn listing_order<'p>(path: &'p str, given: &Given) -> (usize, &'p str, usize) {
    let mut parts = path.split('.');
    let table = parts.next();
    let of_table = KEYS.iter().position(|key| key.path.split('.').next() == table).unwrap_or(KEYS.len());
    let row = KEYS.iter().position(|key| key == given.key).unwrap_or(KEYS.len());
    let name = if given.key.path.contains('*') { parts.next().unwrap_or_default() } else { "" };
    (of_table, name, row)
}
