//! The house: built-in agents that measure instead of opine, and cost nothing.
//!
//! They answer in the same form as everybody else, and read no prompt: what they work on is the turn's input.
//!
//! | file | noun |
//! |---|---|
//! | `page` | a page, as the house looks at it |
//! | `files` | what lies around it, below its root |
//! | `judge` | measurements as a vote, or as evidence for others |
//! | `editor` | mechanical fixes as a draft |

mod editor;
mod files;
mod judge;
mod page;

use std::path::PathBuf;
use tribunal_checks::Role;
use tribunal_kernel::theater::{self, FixInput};
use tribunal_kernel::{TurnInput, last_look};

use crate::adapter::{Answer, Answering, Native, Show};
use crate::{AgentError, TurnRequest};
pub use files::Files;
use judge::Measured;
use page::Page;

/// The house, in whatever seat it is given.
#[derive(Debug, Clone)]
pub struct House {
    /// The folder that local links and style sheets start from.
    root: PathBuf,
}

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
        match &request.input {
            Some(TurnInput::Measure(measured)) => self.judge(request, measured),
            Some(TurnInput::Fix(FixInput { page: Some(page), has_demands })) => {
                Ok(editor::edit(page, *has_demands, &self.files(page)))
            }
            Some(TurnInput::Fix(FixInput { page: None, .. })) => Err(unavailable(
                "the house editor fixes an existing page and cannot write a new one".into(),
                "pass a page: `tribunal run page.html`, or put an agent that writes into the seat `designer`",
            )),
            // Whatever it would say of a page that it was not given is made up.
            Some(_) | None => Err(unavailable(
                format!("the house was given no page to work on: it has no opinion on `{}`", request.task),
                "seat another agent here",
            )),
        }
    }

    fn judge(&self, request: &TurnRequest, measured: &Measured) -> Result<String, AgentError> {
        let files = self.files(&measured.page);
        match request.seat.as_str() {
            theater::LINT => Ok(judge::lint(measured, &files)),
            theater::MEASURE => Ok(judge::measure(measured, &files)),
            last_look::LAST_LOOK => Ok(judge::last_look(measured, &files)),
            seat => match Role::ALL.into_iter().find(|role| role.as_str() == seat) {
                Some(role) => Ok(judge::vote(role, measured, &files)),
                None => Err(unavailable(
                    format!("the house does not know how to measure `{seat}`"),
                    "it judges as critic, brand, a11y, copy or production",
                )),
            },
        }
    }

    fn files(&self, page: &Page) -> Files {
        // It comes from the run's spec: a page that was given may lie outside of the workspace.
        let folder = page.folder.as_ref().map_or_else(|| self.root.clone(), |folder| self.root.join(folder));
        Files::within(&Files::root_of(&folder, Some(&self.root)), &folder, None)
    }
}

impl Native for House {
    fn answer<'a>(&'a self, request: TurnRequest, _: Show<'a>) -> Answering<'a> {
        Box::pin(async move { Ok(Answer { text: self.reply(&request)?, ..Answer::default() }) })
    }
}

fn unavailable(reason: String, hint: &str) -> AgentError {
    AgentError::Unavailable { agent: House::NAME.into(), reason, hint: Some(hint.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::prompt::{Content, Part, Prompt};
    use tribunal_kernel::rules::RulesInput;
    use tribunal_kernel::{Round, RunId, SeatName, TurnId};

    /// Whatever the prompt says: a page that was not handed over is not judged, and nothing takes its place.
    #[test]
    fn without_an_input_of_its_kind_it_refuses() {
        let run = RunId(uuid::Uuid::nil());
        let page = Part::Material { label: "the artifact", content: Content::Text("<p>x</p>".into()) };
        let parts = vec![Part::Text("Seat: critic\nScale: 10\nFormat: html".into()), page];
        let prompt = Prompt { template: "x", parts }.render(run, |_| None).unwrap();
        let anchor = Box::new(serde_json::from_str(r#"{"kind": "invariants", "MUST": ["is honest"]}"#).unwrap());
        for input in [None, Some(TurnInput::Rules(RulesInput { anchor, draft: "<p>x</p>".into(), may_run: true }))] {
            for (seat, task) in
                [("critic", theater::JUDGE), (theater::LINT, theater::JUDGE), ("designer", theater::DRAFT)]
            {
                let request = TurnRequest {
                    place: String::new(),
                    run,
                    r#loop: None,
                    works_on_files: false,
                    judges: false,
                    round: Round(1),
                    turn: TurnId(1),
                    seat: SeatName::new(seat),
                    task: task.into(),
                    model: None,
                    effort: None,
                    prompt: prompt.text.clone(),
                    stable: 0,
                    form: None,
                    input: input.clone(),
                };
                let refused = House::new(std::env::temp_dir()).reply(&request).unwrap_err();
                assert!(refused.to_string().contains("was given no page to work on"), "{seat}: {refused}");
            }
        }
    }
}
