//! A file of `testdata/truth`: what is played, and how it must end.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Table, Value};

use super::merge::merge;
use crate::repo::Repo;

pub(super) const FOLDER: &str = "testdata/truth";
/// What the cases of a folder have in common.
const FAMILY: &str = "family.toml";

/// One run.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// The file without its ending, and the row of it: `joust/lie-quotes: the rule`.
    pub(super) name: String,
    pub(super) family: String,
    pub(super) is_lie: bool,
    /// What the lie is, or what is honest about it.
    pub(super) sentence: String,
    pub(super) script: Script,
}

/// What a file says, in the end.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    lie: Option<String>,
    honest: Option<String>,
    /// What `tribunal` is told.
    pub(super) command: Vec<String>,
    /// Words that the result must have, `exit 1` among them: a lie that fails for another reason shows nothing.
    pub(super) ends: Words,
    /// Words that must be in whatever is printed, on the way to the result, too.
    pub(super) says: Option<Words>,
    /// What a lie would hand over: where it is in the bytes, a run may pass without them.
    pub(super) never_ships: Option<String>,
    /// What the text that is handed over must have.
    pub(super) ships: Option<String>,
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) config: Table,
    #[serde(default)]
    pub(super) agents: BTreeMap<String, ScriptedAgent>,
    /// Agents that work on files, each in the seat of its name: scripts for `testdata/truth/agents/desk.sh`.
    #[serde(default)]
    pub(super) shell: BTreeMap<String, String>,
    /// Whether the files are committed to a repository before anything runs, but for those of `.tribunal`.
    #[serde(default)]
    pub(super) repository: bool,
    /// What is done in the project before it is committed, in shell: links, modes, a repository of its own.
    pub(super) prepare: Option<String>,
    /// Only a sandbox keeps this from happening, so it is not played where there is none.
    #[serde(default)]
    pub(super) needs_sandbox: bool,
}

/// Who takes which seats, and how it is played: `testdata/truth/agents` reads the rest.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ScriptedAgent {
    #[serde(default)]
    pub(super) seats: Vec<String>,
    /// What it is set up with besides its command, such as `controls`.
    #[serde(default)]
    pub(super) setup: Table,
    #[serde(flatten)]
    pub(super) part: Table,
}

/// One text, or several that must all be there.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    One(String),
    All(Vec<String>),
}

impl Words {
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::All(words) => words,
        }
        .iter()
        .map(String::as_str)
    }
}

/// Every case that there is.
pub(super) fn all(repo: &Repo) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in repo.files(&[".toml"])? {
        let Ok(inside) = path.strip_prefix(FOLDER) else { continue };
        let (Some(family), Some(stem)) = (inside.parent().and_then(|it| it.to_str()), inside.file_stem()) else {
            continue;
        };
        if path.ends_with(FAMILY) || family.is_empty() {
            continue;
        }
        let common = repo.read(path.with_file_name(FAMILY))?;
        let name = format!("{family}/{}", stem.to_string_lossy());
        cases.extend(read(&name, family, &common, &repo.read(&path)?).with_context(|| path.display().to_string())?);
    }
    Ok(cases)
}

/// The cases of a file: one, or one for each `[[variant]]`.
fn read(name: &str, family: &str, common: &str, text: &str) -> Result<Vec<Case>> {
    let mut table: Table = text.parse()?;
    let variants = table.remove("variant");
    let table = merge(common.parse()?, table);
    let Some(variants) = variants else { return Ok(vec![one(name.to_owned(), family, table)?]) };
    let Value::Array(variants) = variants else { bail!("`variant` is not a list of tables") };
    let mut cases = Vec::new();
    for variant in variants {
        let Value::Table(mut variant) = variant else { bail!("a `variant` is not a table") };
        let Some(Value::String(row)) = variant.remove("name") else { bail!("a `variant` has no `name`") };
        let whole = merge(table.clone(), variant);
        cases.push(one(format!("{name}: {row}"), family, whole).with_context(|| row)?);
    }
    Ok(cases)
}

fn one(name: String, family: &str, mut table: Table) -> Result<Case> {
    // What a family has as the end of honest runs is not that of a lie.
    let honest_end = table.remove("honest_ends");
    if table.contains_key("honest") && !table.contains_key("ends") {
        table.extend(honest_end.map(|end| ("ends".to_owned(), end)));
    }
    let script: Script = Value::Table(table).try_into()?;
    let (is_lie, sentence) = match (&script.lie, &script.honest) {
        (Some(lie), None) => (true, lie.clone()),
        (None, Some(honest)) => (false, honest.clone()),
        _ => bail!("it must have a `lie` or an `honest`, and not both"),
    };
    let file = name.rsplit('/').next().unwrap_or_default();
    let word = if is_lie { "lie-" } else { "honest-" };
    if !file.starts_with(word) {
        bail!("its file must begin with `{word}`");
    }
    Ok(Case { name, family: family.to_owned(), is_lie, sentence, script })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const COMMON: &str = "command = ['run']\nhonest_ends = 'converged'\n[config.run]\nloop = 'joust'\n";

    #[test]
    fn a_file_has_one_case_or_one_for_each_row() {
        let cases = read("joust/honest-x", "joust", COMMON, "honest = 'All is well.'").unwrap();
        assert_eq!((cases.len(), cases[0].is_lie, cases[0].sentence.as_str()), (1, false, "All is well."));
        assert_eq!(cases[0].script.ends.iter().collect::<Vec<_>>(), ["converged"]);
        let rows = "ends = 'needs_human'\n[[variant]]\nname = 'a'\nlie = 'A.'\n[[variant]]\nname = 'b'\nlie = 'B.'\n\
                    config.joust.quorum = 2\n";
        let cases = read("joust/lie-x", "joust", COMMON, rows).unwrap();
        assert_eq!(
            cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(),
            ["joust/lie-x: a", "joust/lie-x: b"]
        );
        assert!(cases[1].script.config.contains_key("joust") && cases[1].script.config.contains_key("run"));
    }

    #[test]
    fn mistakes_are_named() {
        for (name, text, expected) in [
            ("j/lie-x", "ends = 'x'", "it must have a `lie` or an `honest`, and not both"),
            ("j/lie-x", "lie = 'A.'", "missing field `ends`"),
            ("j/honest-x", "lie = 'A.'\nends = 'x'", "its file must begin with `lie-`"),
            ("j/lie-x", "lie = 'A.'\nends = 'x'\nend = 'y'", "unknown field `end`"),
        ] {
            let error = read(name, "j", COMMON, text).unwrap_err();
            assert!(format!("{error:#}").contains(expected), "{text}: {error:#}");
        }
    }

    /// A case that is there twice under two names counts twice and shows no more.
    #[test]
    fn every_case_says_something_else() {
        let cases = all(&Repo::here().unwrap()).unwrap();
        let sentences: BTreeSet<(&str, &str)> =
            cases.iter().map(|case| (case.family.as_str(), case.sentence.as_str())).collect();
        assert_eq!(sentences.len(), cases.len(), "two cases of a family have the same sentence");
        let lies = cases.iter().filter(|case| case.is_lie).count();
        assert!(lies >= 120 && cases.len() - lies >= 120, "{lies} lies and {} honest runs", cases.len() - lies);
    }
}
