//! A campaign from one sentence: what is written for somebody who has configured nothing.

use std::fs;
use std::path::PathBuf;
use tribunal_agents::Vendor;
use tribunal_kernel::desk::{VERIFIER, WORKER};

use super::answers::PlanAnswers;
use super::commands::{checks, command, suggested};
use super::files;
use crate::error::AppError;
use crate::input::{MAX_TEXT, bounded};
use crate::logins;
use crate::loops::desk;
use crate::project::Project;
use crate::seat_proposal::SeatProposal;

/// So many campaigns may begin with the same words.
const MOST_NAMESAKES: usize = 100;

/// What a sentence comes to. Nothing of it is written yet.
#[derive(Debug)]
pub struct SentencePlan {
    pub slug: String,
    /// Who would sit where, of those who do not sit there already.
    pub seats: SeatProposal,
    /// What would be written, in order.
    pub files: Vec<PlannedFile>,
    /// Whether the commands are guessed from the words alone: no file of the project shows them.
    pub is_guess: bool,
}

/// A file that would be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    pub path: PathBuf,
    pub text: String,
    /// The text goes to the end of what is there.
    pub is_added: bool,
    /// Whether a person should read it before they agree.
    pub is_plan: bool,
}

impl SentencePlan {
    /// Finds out who could do it, what would prove it, and what it is called. Changes nothing.
    pub fn new(project: &Project, objective: &str, given_checks: &[String]) -> Result<Self, AppError> {
        let objective = objective.trim();
        bounded("the objective", objective, MAX_TEXT)?;
        if objective.split_whitespace().count() < 2 {
            return Err(AppError::invalid(
                format!("`{objective}` is neither a command of the desk nor an objective"),
                "say in a sentence what you want done: `tribunal desk \"fix the off-by-one in parse_range\"`; `tribunal desk \
                 --help` lists the commands",
            ));
        }
        let seats = seats(project)?;
        let (lines, is_guess) = lines(project, objective, given_checks)?;
        let mut answers = PlanAnswers::guess(objective, &project.workspace());
        answers.commands = lines.iter().map(|line| command("Test", line)).collect();
        let files = campaign(project, &mut answers)?;
        let toml = toml(project, &seats)?;
        Ok(Self { slug: answers.slug, seats, files: toml.into_iter().chain(files).collect(), is_guess })
    }

    /// Writes what is planned. What has come to be there since stays.
    pub fn write(&self) -> Result<(), AppError> {
        for file in &self.files {
            let text = match fs::read_to_string(&file.path) {
                Ok(before) if file.is_added => added(&before, &file.text),
                Ok(_) => continue,
                Err(_) => file.text.clone(),
            };
            tribunal_store::atomic::write(&file.path, text.as_bytes())?;
        }
        Ok(())
    }
}

/// Who takes the seats that nobody has.
fn seats(project: &Project) -> Result<SeatProposal, AppError> {
    let config = project.config();
    let proposal = SeatProposal::missing(config, WORKER, VERIFIER, &logins::likely());
    let empty: Vec<&str> = [WORKER, VERIFIER].into_iter().filter(|seat| config.agent_in(seat).is_none()).collect();
    if proposal.is_empty() && !empty.is_empty() {
        let (what, hint) = nobody(&empty);
        return Err(AppError::misconfigured(what, hint));
    }
    Ok(proposal)
}

/// What is missing where nobody can take these seats, and what helps.
fn nobody(empty: &[&str]) -> (String, String) {
    let missing = match empty {
        [VERIFIER] => "there is nobody to verify the work",
        [WORKER] => "there is nobody to do the work",
        _ => "there is nobody to do the work and nobody to verify it",
    };
    let seats: Vec<String> = empty.iter().map(|seat| format!("`[seats.{seat}]`")).collect();
    let hint = format!(
        "`{}`, then {}; or name a program of your own under `[agents.NAME]` in tribunal.toml, and `agent = \"NAME\"` under {}",
        Vendor::Claude.installation(),
        Vendor::Claude.login(),
        seats.join(" and ")
    );
    (format!("{missing}: no agent is installed and logged in here"), hint)
}

/// The commands that prove the work, and whether words alone suggest them.
fn lines(project: &Project, objective: &str, given: &[String]) -> Result<(Vec<String>, bool), AppError> {
    let given: Vec<String> = given.iter().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    let known = if given.is_empty() { checks(project) } else { given };
    if !known.is_empty() {
        return Ok((known, false));
    }
    match suggested(objective) {
        Some(line) => Ok((vec![line.to_owned()], true)),
        None => Err(AppError::misconfigured(
            "there is no command that could prove the work",
            "name one: `tribunal desk \"…\" --check \"python3 -m pytest\"`",
        )),
    }
}

/// The files of a campaign under a name that is free; those of the same objective are used again.
fn campaign(project: &Project, answers: &mut PlanAnswers) -> Result<Vec<PlannedFile>, AppError> {
    let name = answers.slug.clone();
    for number in 1..=MOST_NAMESAKES {
        if number > 1 {
            answers.slug = format!("{name}-{number}");
        }
        let desk = desk::files(project, &answers.slug)?;
        let texts = files::files(&desk, answers);
        let is_free = texts.iter().all(|(name, _)| !desk.path(name).exists());
        let is_same = fs::read_to_string(desk.path(&desk.prd())).is_ok_and(|prd| texts[0].1 == prd);
        if is_free || is_same {
            let plans = [desk.prd(), desk.test_spec()];
            let new = texts.into_iter().filter(|(name, _)| !desk.path(name).exists());
            let file = |(name, text): (String, String)| PlannedFile {
                path: desk.path(&name),
                text,
                is_added: false,
                is_plan: plans.contains(&name),
            };
            return Ok(new.map(file).collect());
        }
    }
    Err(AppError::conflict(
        format!("there are {MOST_NAMESAKES} campaigns called `{name}` already"),
        "say it in other words, or remove old ones",
    ))
}

/// What tribunal.toml needs so that whoever comes back finds the same agents. Lines that are there stay.
fn toml(project: &Project, seats: &SeatProposal) -> Result<Option<PlannedFile>, AppError> {
    if seats.is_empty() {
        return Ok(None);
    }
    let path = project.root().join(tribunal_config::FILE_NAME);
    let lines = seats.seated("");
    let lines = lines.trim_start();
    let before = fs::read_to_string(&path).ok();
    let text = match &before {
        Some(_) => lines.to_owned(),
        None => format!("# Who works at the desk. `tribunal config` shows every setting.\n\n{lines}"),
    };
    let whole = before.as_deref().map_or_else(|| text.clone(), |before| added(before, &text));
    if toml::from_str::<toml::Table>(&whole).is_err() {
        return Err(AppError::misconfigured(
            format!("{} has no place for the seats of a desk", path.display()),
            format!("add them yourself:\n{lines}"),
        ));
    }
    Ok(Some(PlannedFile { path, text, is_added: before.is_some(), is_plan: true }))
}

fn added(before: &str, text: &str) -> String {
    let between = if before.is_empty() || before.ends_with("\n\n") {
        ""
    } else if before.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    format!("{before}{between}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_missing_is_named_and_nobody_else() {
        for (empty, told, seats) in [
            (&[WORKER][..], "nobody to do the work:", "under `[seats.worker]`"),
            (&[VERIFIER], "nobody to verify the work:", "under `[seats.verifier]`"),
            (
                &[WORKER, VERIFIER],
                "nobody to do the work and nobody to verify it:",
                "under `[seats.worker]` and `[seats.verifier]`",
            ),
        ] {
            let (what, hint) = nobody(empty);
            assert!(what.contains(told) && hint.ends_with(seats), "{empty:?}: {what}: {hint}");
        }
    }

    #[test]
    fn lines_are_added_and_none_is_changed() {
        for (before, expected) in [("", "x\n"), ("a", "a\n\nx\n"), ("a\n", "a\n\nx\n"), ("a\n\n", "a\n\nx\n")] {
            assert_eq!(added(before, "x\n"), expected, "{before:?}");
        }
    }
}
