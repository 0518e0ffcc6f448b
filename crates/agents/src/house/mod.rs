//! The house: built-in agents that measure instead of opine, and cost nothing.
//!
//! They read the same prompts as everybody else, and answer in the same form: who they are is a line of the prompt, and
//! what they work on is its material.
//!
//! | file | noun |
//! |---|---|
//! | `brief` | what a prompt holds for a program |
//! | `judge` | measurements as a vote, or as evidence for others |
//! | `editor` | mechanical fixes as a draft |

mod brief;
mod editor;
mod judge;

use std::path::{Component, Path, PathBuf};
use tribunal_checks::Role;
use tribunal_kernel::theater;

use crate::adapter::{Answer, Answering, Native, Show};
use crate::{AgentError, TurnRequest};
use brief::Brief;

/// The house, in whatever seat it is given.
#[derive(Debug, Clone)]
pub struct House {
    /// The folder that local links and style sheets start from.
    root: PathBuf,
}

/// No style sheet is longer.
const MAX_SHEET: u64 = 4 << 20;

impl House {
    /// Its name where agents have names. The slash keeps it apart from those of the configuration.
    pub const NAME: &str = "tribunal/house";

    /// The house for artifacts that belong to the folder `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Whether the house can judge in this seat.
    pub fn can_judge(seat: &str) -> bool {
        Role::ALL.iter().any(|role| role.as_str() == seat)
    }

    fn reply(&self, request: &TurnRequest) -> Result<String, AgentError> {
        let brief = Brief::read(&request.prompt);
        match (request.task.as_str(), request.seat.as_str()) {
            (theater::JUDGE, theater::LINT) => Ok(judge::lint(&brief, &self.files(&brief))),
            (theater::JUDGE, theater::MEASURE) => Ok(judge::measure(&brief, &self.files(&brief))),
            (theater::JUDGE, seat) => match Role::ALL.into_iter().find(|role| role.as_str() == seat) {
                Some(role) => Ok(judge::vote(role, &brief, &self.files(&brief))),
                None => Err(unavailable(
                    format!("the house does not know how to measure `{seat}`"),
                    "it judges as critic, brand, a11y, copy or production",
                )),
            },
            (theater::DRAFT | theater::PLAIN, _) => editor::edit(&brief, &self.files(&brief)).ok_or_else(|| {
                unavailable(
                    "the house editor fixes an existing page and cannot write a new one".into(),
                    "pass a page: `tribunal run page.html`, or put an agent that writes into the seat `designer`",
                )
            }),
            (task, _) => Err(unavailable(format!("the house has no opinion on `{task}`"), "seat another agent here")),
        }
    }

    fn files(&self, brief: &Brief<'_>) -> Files {
        // The line is ours, from the run's spec: a page that was given may lie outside of the workspace.
        Files::new(brief.folder.map_or_else(|| self.root.clone(), |folder| self.root.join(folder)))
    }
}

impl Native for House {
    fn answer<'a>(&'a self, request: TurnRequest, _: Show<'a>) -> Answering<'a> {
        Box::pin(async move { Ok(Answer { text: self.reply(&request)?, ..Answer::default() }) })
    }
}

/// The files beside an artifact.
#[derive(Debug)]
pub struct Files {
    root: PathBuf,
}

impl Files {
    /// The files under `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Whether there is such a file. Nobody learns from a link what lies outside of the project.
    pub fn exists(&self, path: &str) -> bool {
        is_inside(Path::new(path)) && self.root.join(path).exists()
    }

    /// The text of a style sheet.
    pub fn sheet(&self, path: &str) -> Option<String> {
        let path = Path::new(path.split(['?', '#']).next().unwrap_or_default());
        let file = self.root.join(path);
        let is_small = || std::fs::metadata(&file).is_ok_and(|file| file.is_file() && file.len() <= MAX_SHEET);
        (is_inside(path) && is_small()).then(|| std::fs::read_to_string(&file).ok()).flatten()
    }
}

fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn unavailable(reason: String, hint: &str) -> AgentError {
    AgentError::Unavailable { agent: House::NAME.into(), reason, hint: Some(hint.to_owned()) }
}
