//! The project's settings, shown and changed. What decides which programs run, where, and how they are confined is not
//! changed from a page.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use toml_edit::{DocumentMut, Item, Table};
use tribunal_config::{FILE_NAME, KEYS, Key, ValueKind};

use crate::console::Silent;
use crate::error::AppError;
use crate::project::{Project, ProjectAt};

/// The tables whose plain values may be changed.
const EDITABLE: [&str; 4] = ["theater", "limits", "review", "joust"];

/// A setting, and where its value comes from.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Setting")]
pub struct ShownSetting {
    pub key: String,
    pub value: Value,
    /// A file and line, a variable, a flag, or `default`.
    pub source: String,
    /// Whether it can be changed here.
    pub editable: bool,
    pub kind: SettingKind,
    /// What a choice can be.
    pub choices: Vec<String>,
    pub about: String,
}

/// What kind of value a setting has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingKind {
    Bool,
    Number,
    Text,
    Choice,
    Other,
}

/// Every setting that has a value, and those that could have one.
pub fn all(project: &Project) -> Vec<ShownSetting> {
    let known = |path: &str| project.loaded.settings.iter().any(|setting| setting.key == path);
    let mut settings: Vec<ShownSetting> = project
        .loaded
        .settings
        .iter()
        .map(|setting| show(&setting.key, Some(&setting.value), setting.origin.to_string()))
        .collect();
    let unset = KEYS.iter().filter(|key| is_editable(key) && !known(key.path));
    settings.extend(unset.map(|key| show(key.path, None, "not set".into())));
    settings
}

fn show(path: &str, value: Option<&str>, source: String) -> ShownSetting {
    let key = KEYS.iter().find(|key| fits(key.path, path));
    let kind = key.map_or(SettingKind::Other, |key| kind(key.kind));
    let choices = match key.map(|key| key.kind) {
        Some(ValueKind::Word(words)) => words.iter().map(|word| (*word).to_owned()).collect(),
        _ => Vec::new(),
    };
    let value = match (value, kind) {
        (None, _) => Value::Null,
        (Some(text), SettingKind::Bool | SettingKind::Number) => {
            serde_json::from_str(text).unwrap_or_else(|_| text.into())
        }
        (Some(text), _) => text.into(),
    };
    ShownSetting {
        key: path.to_owned(),
        value,
        source,
        editable: key.is_some_and(is_editable),
        kind,
        choices,
        about: key.map(|key| key.doc.to_owned()).unwrap_or_default(),
    }
}

fn kind(kind: ValueKind) -> SettingKind {
    match kind {
        ValueKind::Bool => SettingKind::Bool,
        ValueKind::Integer { .. } | ValueKind::Number { .. } => SettingKind::Number,
        ValueKind::Word(_) => SettingKind::Choice,
        ValueKind::Text | ValueKind::Name | ValueKind::Usd | ValueKind::Duration | ValueKind::Bytes { .. } => {
            SettingKind::Text
        }
        ValueKind::Brief | ValueKind::Path | ValueKind::Url | ValueKind::Secret | ValueKind::List { .. } => {
            SettingKind::Other
        }
    }
}

fn is_editable(key: &Key) -> bool {
    let table = key.path.split('.').next().unwrap_or_default();
    EDITABLE.contains(&table) && !key.path.contains('*') && kind(key.kind) != SettingKind::Other
}

/// Whether a path is one of those that a pattern stands for.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('.').collect(), path.split('.').collect());
    pattern.len() == path.len() && pattern.iter().zip(&path).all(|(pattern, part)| *pattern == "*" || pattern == part)
}

/// Changes a setting in tribunal.toml; everything else in it stays as it is, comments included.
pub fn set(at: &ProjectAt, path: &str, value: &Value) -> Result<(), AppError> {
    let known = "`tribunal config` lists the keys";
    let Some(key) = KEYS.iter().find(|key| key.path == path) else {
        return Err(AppError::not_found(format!("there is no setting `{path}`"), known));
    };
    if !is_editable(key) {
        return Err(AppError::conflict(format!("`{path}` cannot be changed here"), format!("edit {FILE_NAME}")));
    }
    let text = match value {
        Value::Null => None,
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(_) | Value::Object(_) => {
            return Err(AppError::invalid(format!("`{path}` has a plain value"), known));
        }
    };
    // As a flag first: a value that does not fit never reaches the file.
    let flags = text.iter().map(|text| (path.to_owned(), text.clone()));
    let project = Project::load(&at.with(flags), Arc::new(Silent))
        .map_err(|error| AppError::invalid(error.message(), error.hint().unwrap_or(known)))?;
    let file = at.config.clone().unwrap_or_else(|| project.root().join(FILE_NAME));
    write(&file, path, key, text.as_deref()).map_err(|message| AppError::environment(message, None))?;
    Project::load(at, Arc::new(Silent)).map(drop)
}

fn write(file: &Path, path: &str, key: &Key, text: Option<&str>) -> Result<(), String> {
    let cannot = |what: &str, why: &dyn std::fmt::Display| format!("cannot {what} {}: {why}", file.display());
    let old =
        if file.exists() { fs::read_to_string(file).map_err(|error| cannot("read", &error))? } else { String::new() };
    let new = edited(&old, path, key, text).map_err(|error| cannot("read", &error))?;
    tribunal_store::atomic::write(file, new.as_bytes()).map(drop).map_err(|error| error.to_string())
}

/// The file's text with the setting in it, or without.
fn edited(old: &str, path: &str, key: &Key, text: Option<&str>) -> Result<String, toml_edit::TomlError> {
    let mut document: DocumentMut = old.parse()?;
    let (table, name) = path.split_once('.').unwrap_or(("", path));
    match text {
        None => {
            if let Some(table) = document.get_mut(table).and_then(Item::as_table_like_mut) {
                table.remove(name);
            }
        }
        Some(text) => {
            let table = document.entry(table).or_insert(Item::Table(Table::new()));
            if let Some(table) = table.as_table_like_mut() {
                let value = toml_edit::value(plain(key.kind, text));
                match table.get_mut(name).and_then(Item::as_value_mut) {
                    // What stands behind the value, a comment perhaps, stays there.
                    Some(old) => {
                        let decor = old.decor().clone();
                        if let Ok(mut new) = value.into_value() {
                            *new.decor_mut() = decor;
                            *old = new;
                        }
                    }
                    None => drop(table.insert(name, value)),
                }
            }
        }
    }
    Ok(document.to_string())
}

fn plain(kind: ValueKind, text: &str) -> toml_edit::Value {
    match kind {
        ValueKind::Bool => text.parse::<bool>().map_or_else(|_| text.into(), Into::into),
        ValueKind::Integer { .. } => text.parse::<i64>().map_or_else(|_| text.into(), Into::into),
        ValueKind::Number { .. } => text.parse::<f64>().map_or_else(|_| text.into(), Into::into),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str) -> &'static Key {
        KEYS.iter().find(|key| key.path == path).unwrap()
    }

    #[test]
    fn a_setting_changes_and_nothing_else() {
        let old = "# ours\n[theater]\nmax_rounds = 3 # enough\n\n[agents.a]\nkind = \"house\"\n";
        let change = |path: &str, text| edited(old, path, key(path), text).unwrap();
        insta::assert_snapshot!(change("theater.max_rounds", Some("5")), @r#"
        # ours
        [theater]
        max_rounds = 5 # enough

        [agents.a]
        kind = "house"
        "#);
        insta::assert_snapshot!(change("theater.enabled", Some("false")), @r#"
        # ours
        [theater]
        max_rounds = 3 # enough
        enabled = false

        [agents.a]
        kind = "house"
        "#);
        insta::assert_snapshot!(change("limits.usd", Some("2.50")), @r#"
        # ours
        [theater]
        max_rounds = 3 # enough

        [agents.a]
        kind = "house"

        [limits]
        usd = "2.50"
        "#);
        insta::assert_snapshot!(change("theater.max_rounds", None), @r#"
        # ours
        [theater]

        [agents.a]
        kind = "house"
        "#);
    }

    #[test]
    fn what_decides_which_programs_run_is_not_changed_from_a_page() {
        for path in
            ["agents.*.command", "agents.*.kind", "run.sandbox", "run.workspace", "desk.writable", "theater.source"]
        {
            assert!(!is_editable(key(path)), "{path}");
        }
        for path in ["theater.enabled", "theater.score_threshold", "limits.usd", "review.max_iterations"] {
            assert!(is_editable(key(path)), "{path}");
        }
    }
}
