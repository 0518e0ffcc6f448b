//! What says how a change is judged, and by whom: whoever made the change has no say in it.

use std::collections::BTreeSet;
use std::path::Path;
use tribunal_config::Brief;
use tribunal_engine::tree::{NamedChange, TreeError};
use tribunal_kernel::judge::VERIFIER;

use super::CONFIG;
use crate::found_settings::plain;
use crate::project::Project;

/// What a word of a command line is parted by, where it is a line for a shell or the value of a flag.
const PARTING: [char; 12] = [' ', '\t', '\n', '"', '\'', '=', ';', '|', '&', '(', ')', ','];
/// So many words of a command line are looked at.
const MOST_WORDS: usize = 500;

/// The settings that the change itself changes: the file that the hook names, or those on the way from `from` to the top of
/// the repository. What cannot be compared counts as changed.
pub(super) async fn settings(change: &NamedChange, from: &Path, named: Option<&Path>, top: &Path) -> Option<String> {
    let folders = from.ancestors().take_while(|folder| folder.starts_with(top));
    let files = named.map(|file| plain(&from.join(file))).into_iter().chain(folders.map(|folder| folder.join(CONFIG)));
    for file in files {
        let Some(path) = relative(&file, top) else { continue };
        if is_otherwise(change, top, &path).await.unwrap_or(true) {
            return Some(path);
        }
    }
    None
}

/// Whether a file of settings says something else than before. What is in the folder counts and not what git sees of it: a
/// file that is ignored is read like any other.
async fn is_otherwise(change: &NamedChange, top: &Path, path: &str) -> Result<bool, TreeError> {
    let file = top.join(path);
    let mut path = path.to_owned();
    if file.is_symlink() {
        if change.paths(top).await?.contains(&path) {
            return Ok(true);
        }
        // The link is as it was; what it leads to may be no part of the repository.
        match file.canonicalize().ok().map(|real| relative(&real, top)) {
            Some(Some(real)) => path = real,
            Some(None) => return Ok(false),
            None => {}
        }
    }
    let [before, _] = change.file(top, &path).await?;
    let after = match std::fs::read_to_string(top.join(&path)) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(_) => return Ok(true),
    };
    if before == after {
        return Ok(false);
    }
    match (before, after) {
        (Some(before), Some(after)) => {
            let read = |text: &str| text.parse::<toml::Table>().ok();
            Ok(read(&before).zip(read(&after)).is_none_or(|(before, after)| before != after))
        }
        (None, Some(_)) => Ok(!change.found_ignored(top, &path).await?),
        _ => Ok(true),
    }
}

/// The file that the change changes and by which it is judged: the spec, or what [`programs`] finds.
pub(super) async fn judges(project: &Project, change: &NamedChange, top: &Path) -> Option<(String, &'static str)> {
    if let Some(spec) = &project.config().judge.spec {
        let Ok(changed) = change.paths(top).await else {
            return Some((CONFIG.to_owned(), "it cannot be compared with what was before"));
        };
        if let Some(spec) = first_of(&changed, project, top, &spec.to_string_lossy()) {
            return Some((spec, "it says what the change has to do"));
        }
    }
    programs(project, change, top).await
}

/// The file that the change changes and that is run, or read as an instruction, outside of the sandbox of checks: what a
/// verifier's command names, who a verifier is told to be, what is started for a message.
pub(crate) async fn programs(project: &Project, change: &NamedChange, top: &Path) -> Option<(String, &'static str)> {
    let config = project.config();
    let seats = match (config.judge.verifiers.as_slice(), &config.judge.spec) {
        ([], Some(_)) => vec![VERIFIER],
        (named, _) => named.iter().map(String::as_str).collect(),
    };
    let agents: Vec<_> = seats.iter().filter_map(|seat| config.agent_in(seat)).collect();
    let commands =
        agents.iter().flat_map(|(_, agent)| words_of(&agent.command)).map(|word| (word, "a verifier runs it"));
    let own = seats.iter().filter_map(|seat| config.seats.get(*seat)?.persona.as_ref());
    let personas = agents.iter().filter_map(|(_, agent)| agent.persona.as_ref()).chain(own).filter_map(Brief::path);
    let personas = personas.map(|path| (path.to_string_lossy().into_owned(), "it says who a verifier is"));
    let messages = config.notify.command.as_deref().unwrap_or_default();
    let messages = words_of(messages).into_iter().map(|word| (word, "it is started for messages"));
    let words: Vec<(String, &str)> = commands.chain(personas).chain(messages).take(MOST_WORDS).collect();
    if words.is_empty() {
        return None;
    }
    let Ok(changed) = change.paths(top).await else {
        return Some((CONFIG.to_owned(), "it cannot be compared with what was before"));
    };
    words.into_iter().find_map(|(word, why)| Some((first_of(&changed, project, top, &word)?, why)))
}

/// What a command line may name as a file.
fn words_of(command: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    for (number, word) in command.iter().enumerate() {
        words.push(word.clone());
        words.extend(word.split(PARTING).map(str::to_owned));
        // A module of Python's.
        if number.checked_sub(1).is_some_and(|before| command[before] == "-m") {
            let module = word.replace('.', "/");
            words.extend([format!("{module}.py"), format!("{module}/__main__.py")]);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The path of a word that the change touches: as it is written and with every link followed, from the project's folder or
/// the one that is worked in.
fn first_of(changed: &BTreeSet<String>, project: &Project, top: &Path, word: &str) -> Option<String> {
    let places = [project.root().to_owned(), project.workspace()];
    let places = places.iter().map(|place| place.canonicalize().unwrap_or_else(|_| place.clone()));
    let written = places.map(|place| plain(&place.join(word))).collect::<Vec<_>>();
    let real = written.iter().filter_map(|path| path.canonicalize().ok()).collect::<Vec<_>>();
    written.iter().chain(&real).filter_map(|path| relative(path, top)).find(|path| changed.contains(path))
}

/// As git names it; nothing outside of the repository.
fn relative(path: &Path, top: &Path) -> Option<String> {
    Some(path.strip_prefix(top).ok()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_command_line_names_is_looked_at() {
        for (command, named) in [
            (&["./v.sh"][..], "./v.sh"),
            (&["python3", "tools/v.py"], "tools/v.py"),
            (&["sh", "-c", "exec ./v.sh --fast"], "./v.sh"),
            (&["judge", "--rules=rules.json"], "rules.json"),
            (&["python3", "-m", "tools.v"], "tools/v.py"),
            (&["my tool.sh"], "my tool.sh"),
        ] {
            let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            assert!(words_of(&command).iter().any(|word| word == named), "{command:?}");
        }
        assert_eq!(plain(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}
