//! What one source says: values read by the kind of their key, names that it introduces, and its mistakes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use tribunal_anchors::nearest;

use crate::{
    error::{ConfigError, ConfigMistake},
    kind::{ListItem, Refusal, ValueKind},
    nearest::{Wanted, children, nearest_path},
    origin::Origin,
    schema::{Found, Key, dotted, fill, find, is_free, is_of_models, named_table, without_dots},
    value::{Raw, Value},
};

/// So much of a refused value is repeated in the message.
const SHOWN_MAX: usize = 60;

/// One value for one key.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    pub(crate) key: &'static Key,
    /// The key as the source spelled it.
    pub(crate) spelled: String,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// Names that the user chose, by table, each with the place that introduced it.
pub(crate) type Names = BTreeMap<String, BTreeMap<String, Origin>>;

#[derive(Debug, Default)]
pub(crate) struct Layer {
    /// By canonical path, in the order in which the source gave them.
    given: Vec<(String, Given)>,
    pub(crate) names: Names,
    /// Paths that the source tried to give: what is missing because of another mistake is not a mistake of its own.
    pub(crate) attempted: BTreeSet<String>,
    /// Those of them that came to nothing: what another value is held against may be none that the user wanted.
    pub(crate) refused: BTreeSet<String>,
    pub(crate) errors: Vec<ConfigError>,
    pub(crate) notes: Vec<String>,
    /// Whether the source could not be read as a whole, so that nothing follows from what it does not say.
    pub(crate) broken: bool,
}

impl Layer {
    pub(crate) fn refuse(&mut self, origin: &Origin, mistake: ConfigMistake) {
        self.errors.push(ConfigError { origin: origin.clone(), mistake });
    }

    /// Takes in a value for a path that may or may not be known. `written` is the value as the source has it.
    pub(crate) fn offer(&mut self, path: &[&str], raw: &Raw, written: &str, origin: &Origin, base: &Path) {
        match find(path) {
            Found::Key(key, canonical, names) => {
                if !self.introduce(key, &names, origin) {
                    return;
                }
                self.attempted.insert(canonical.clone());
                let spelled = path.join(".");
                match key.kind.read(raw, base) {
                    Ok(value) => self.given.push((canonical, Given { key, spelled, value, origin: origin.clone() })),
                    Err(refusal) => {
                        self.refused.insert(canonical);
                        self.refuse(origin, explain(spelled, key.kind, refusal, raw, written));
                    }
                }
            }
            Found::Table { .. } => {
                let found = raw.type_word().to_owned();
                self.refuse(origin, ConfigMistake::NotATable { key: dotted(path), found, known: children(path) });
            }
            Found::Unknown => self.refuse_unknown(path, Wanted::Key, origin),
        }
    }

    pub(crate) fn refuse_unknown(&mut self, path: &[&str], wanted: Wanted, origin: &Origin) {
        let nearest = nearest_path(path, wanted);
        // The nearest key was probably meant: that it is missing need not be said as well.
        self.attempted.extend(nearest.clone());
        self.refused.extend(nearest.clone());
        let known = (0..path.len()).rev().map(|end| children(&path[..end])).find(|known| !known.is_empty());
        let known = known.unwrap_or_default();
        self.refuse(origin, ConfigMistake::UnknownKey { key: dotted(path), nearest, known });
    }

    /// Notes a name that the user chose for a table such as `agents`; `false` if it cannot be one.
    pub(crate) fn introduce_name(&mut self, table: &str, name: &str, origin: &Origin) -> bool {
        let is_plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        let good = !name.trim().is_empty() && (is_free(table) || is_of_models(table) || is_plain(name));
        if good {
            let names = self.names.entry(table.to_owned()).or_default();
            names.entry(without_dots(name)).or_insert_with(|| origin.clone());
        } else {
            self.refuse(origin, ConfigMistake::BadName { table: table.to_owned(), name: dotted(&[name]) });
        }
        good
    }

    /// One value a key, after checking that the source does not contradict itself. Of a repeated flag the last counts.
    pub(crate) fn settle(&mut self) -> BTreeMap<String, Given> {
        let mut settled: BTreeMap<String, Given> = BTreeMap::new();
        let mut given = std::mem::take(&mut self.given);
        given.sort_by_key(|(_, given)| given.origin.reading_order());
        for (path, given) in given {
            if let Some(other) = settled.get(&path)
                && other.spelled != given.spelled
                && other.value != given.value
            {
                let (alias, other) = if given.spelled == path { (other, &given) } else { (&given, other) };
                let (origin, spellings) = (alias.origin.clone(), [alias.spelled.clone(), other.spelled.clone()]);
                self.refuse(&origin, ConfigMistake::Spellings { key: path.clone(), spellings });
            }
            settled.insert(path, given);
        }
        for (path, given) in &settled {
            if let Some(rival) = given.key.rival
                && path.as_str() < rival
                && let Some(other) = settled.get(rival)
            {
                let later = if given.origin.reading_order() > other.origin.reading_order() { given } else { other };
                self.refuse(&later.origin, ConfigMistake::Rivals { key: path.clone(), rival: rival.to_owned() });
            }
        }
        settled
    }

    fn introduce(&mut self, key: &Key, names: &[String], origin: &Origin) -> bool {
        let Some(table) = named_table(key.path) else { return true };
        names.iter().all(|name| self.introduce_name(table, name, origin))
    }
}

/// All paths that a pattern stands for, given the names that exist.
pub(crate) fn instances(pattern: &str, names: &Names) -> Vec<String> {
    match named_table(pattern) {
        None => vec![pattern.to_owned()],
        Some(table) => {
            names.get(table).into_iter().flat_map(BTreeMap::keys).map(|name| fill(pattern, &[name])).collect()
        }
    }
}

fn explain(key: String, kind: ValueKind, refusal: Refusal, raw: &Raw, written: &str) -> ConfigMistake {
    let expected = kind.describe();
    match refusal {
        Refusal::Value => {
            let found = if kind.hides() || *raw == Raw::Table { raw.type_word().to_owned() } else { quote(written) };
            ConfigMistake::Invalid { hint: suggest(kind, raw), key, found, expected }
        }
        Refusal::Item(of, number, text) => {
            let expected = of.describe().to_owned();
            let (found, hint) = match of {
                ListItem::Variable => (
                    "something else (not shown)".to_owned(),
                    Some("use the name only, without `$`, `=` or the value".to_owned()),
                ),
                ListItem::Word(words) => {
                    let near = text.as_deref().and_then(|text| nearest(text, words.iter().copied()));
                    let hint = near.map(|word| format!("did you mean `{word}`?"));
                    (text.map_or("not a string".to_owned(), |text| quote(&text)), hint)
                }
                ListItem::Argument | ListItem::Name | ListItem::Text | ListItem::Path | ListItem::Pixels => {
                    (text.map_or("not a string".to_owned(), |text| quote(&text)), None)
                }
            };
            ConfigMistake::InvalidItem { key, number, found, expected, hint }
        }
        Refusal::Repeated(item) => ConfigMistake::Repeated { key, item },
        Refusal::LiteralSecret => ConfigMistake::LiteralSecret { key },
        Refusal::Credentials => ConfigMistake::Credentials { key },
    }
}

fn suggest(kind: ValueKind, raw: &Raw) -> Option<String> {
    match (kind, raw) {
        (ValueKind::Word(words), _) => {
            let text = raw.text()?;
            let bare = text.trim_matches(['"', '\'']);
            if bare != text && words.contains(&bare) {
                return Some(format!("write it without quotes: `{bare}`"));
            }
            nearest(text, words.iter().copied()).map(|word| format!("did you mean `{word}`?"))
        }
        (ValueKind::List { .. }, Raw::Text(_)) => Some("write it in brackets: [\"…\"]".to_owned()),
        (ValueKind::List { of: ListItem::Argument, .. }, Raw::Loose(_)) => {
            Some("write it as a list: '[\"program\", \"argument\"]'".to_owned())
        }
        (ValueKind::List { .. }, Raw::Loose(_)) => {
            Some("separate names with commas, or write a list: '[\"…\"]'".to_owned())
        }
        _ => None,
    }
}

/// The first line of a value between backticks, cut where it gets long.
fn quote(written: &str) -> String {
    let line = written.lines().next().unwrap_or_default();
    // A control character could rewrite what the terminal shows.
    let plain = line.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    let shown: String = plain.take(SHOWN_MAX).collect();
    let cut = if shown.chars().count() < written.chars().count() { "…" } else { "" };
    format!("`{shown}{cut}`")
}
