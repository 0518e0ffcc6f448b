//! The house: built-in agents that measure instead of opine, and cost nothing.
//!
//! They answer in the same form as everybody else, and read no prompt: what they work on is the turn's input.
//!
//! | file | noun |
//! |---|---|
//! | `page` | a page, as the house looks at it |
//! | `files`, `page_files` | what lies around it, below its root, and what a build will put there |
//! | `viewer` | who shows pages as a browser does |
//! | `measuring` | what is found in a page: one list for `check`, `run` and `fix` |
//! | `finding`, `policy` | a finding as it is reported, and what is excused |
//! | `judge` | measurements as a vote, or as evidence for others |
//! | `certain` | edits that a browser agrees with |
//! | `editor` | mechanical fixes as a draft |

mod certain;
mod editor;
mod files;
mod finding;
mod judge;
mod measuring;
mod page;
mod page_files;
mod policy;
mod viewer;

use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Handle;
use tribunal_checks::Role;
use tribunal_kernel::theater::{self, FixInput};
use tribunal_kernel::{TurnInput, last_look};

use crate::adapter::{Answer, Answering, Native, Show};
use crate::{AgentError, TurnRequest};
pub use certain::{FixedPage, SeenFixing, fix_seen};
pub use files::Files;
use judge::{Exhibit, Measured};
pub use measuring::{MeasuredText, Measuring, PageFindings, counts};
use page::PlacedPage;
pub use page_files::PageFiles;
pub use policy::{ExcusedPath, PagePolicy, UNREADABLE};
pub use viewer::{PageSeen, PageToView, PageViewer, ViewerError, Viewing};

/// The house, in whatever seat it is given.
#[derive(Debug, Clone)]
pub struct House {
    /// The folder that local links and style sheets start from.
    root: PathBuf,
    settings: HouseSettings,
}

/// How the house measures here: what `check` measures by.
#[derive(Debug, Clone, Default)]
pub struct HouseSettings {
    pub measuring: Measuring,
    /// Nothing outside of it is read [default: the page's repository, else the workspace, else its folder].
    pub root: Option<PathBuf>,
    /// The folder that `/x` starts from.
    pub site_root: Option<PathBuf>,
    /// Folders that a build makes.
    pub built: Vec<PathBuf>,
    /// Who shows pages as a browser does, if anybody.
    pub viewer: Option<Arc<dyn PageViewer>>,
}

impl House {
    /// Its name where agents have names. The slash keeps it apart from those of the configuration.
    pub const NAME: &str = "tribunal/house";

    /// The house for artifacts that belong to the folder `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), settings: HouseSettings::default() }
    }

    /// The same, measuring as these settings say.
    #[must_use]
    pub fn with(self, settings: HouseSettings) -> Self {
        Self { settings, ..self }
    }

    /// Whether the house can judge in this seat.
    pub fn can_judge(seat: &str) -> bool {
        Role::ALL.iter().any(|role| role.as_str() == seat)
    }

    async fn reply(&self, request: &TurnRequest) -> Result<String, AgentError> {
        match &request.input {
            Some(TurnInput::Measure(measured)) => self.judge(request, measured).await,
            Some(TurnInput::Fix(FixInput { page: Some(page), has_demands: false })) => Ok(editor::unchanged(page)),
            Some(TurnInput::Fix(FixInput { page: Some(page), has_demands: true })) => {
                let placed = PlacedPage::of(page, &self.root, &self.settings);
                editor::edit(page, &placed, &self.settings).await.map_err(blind)
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

    async fn judge(&self, request: &TurnRequest, Measured { page, scale }: &Measured) -> Result<String, AgentError> {
        let seat = request.seat.as_str();
        let role = Role::ALL.into_iter().find(|role| role.as_str() == seat);
        if role.is_none() && ![theater::LINT, theater::MEASURE, last_look::LAST_LOOK].contains(&seat) {
            return Err(unavailable(
                format!("the house does not know how to measure `{seat}`"),
                "it judges as critic, brand, a11y, copy or production",
            ));
        }
        let placed = PlacedPage::of(page, &self.root, &self.settings);
        let seen = match (&self.settings.viewer, placed.view(&self.settings)) {
            (Some(viewer), Some(view)) => viewer.view(view).await.map_err(blind)?,
            _ => PageSeen::default(),
        };
        let measuring = &self.settings.measuring;
        let exhibit = Exhibit { page, placed: &placed, seen: &seen, measuring, scale: *scale };
        Ok(match (seat, role) {
            (theater::LINT, _) => exhibit.lint(),
            (theater::MEASURE, _) => exhibit.measure(),
            (_, Some(role)) => exhibit.vote(role),
            (_, None) => exhibit.last_look(),
        })
    }
}

impl Native for House {
    fn answer<'a>(&'a self, request: TurnRequest, _: Show<'a>) -> Answering<'a> {
        let house = self.clone();
        // A page of many megabytes takes a processor for seconds: whoever waits for it has to be able to stop waiting.
        let asked = tokio::task::spawn_blocking(move || Handle::current().block_on(house.reply(&request)));
        Box::pin(async move {
            let broken = |error| unavailable(format!("it broke down while it measured: {error}"), "please report this");
            let text = asked.await.map_err(broken)??;
            Ok(Answer { text, ..Answer::default() })
        })
    }
}

/// A browser was asked for, and is of no use.
fn blind(error: ViewerError) -> AgentError {
    unavailable(error.what, &error.hint)
}

fn unavailable(reason: String, hint: &str) -> AgentError {
    AgentError::Unavailable { agent: House::NAME.into(), reason, hint: Some(hint.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::prompt::{Content, Part, Prompt};
    use tribunal_kernel::rules::RulesInput;
    use tribunal_kernel::theater::{MeasureInput, PageInput};
    use tribunal_kernel::{Format, Round, RunId, Score, SeatName, TurnId};

    fn request(seat: &str, task: &str, input: Option<TurnInput<Arc<str>>>) -> TurnRequest {
        TurnRequest {
            place: String::new(),
            run: RunId(uuid::Uuid::nil()),
            r#loop: None,
            works_on_files: false,
            judges: false,
            round: Round(1),
            turn: TurnId(1),
            seat: SeatName::new(seat),
            task: task.into(),
            model: None,
            effort: None,
            prompt: String::new(),
            stable: 0,
            attachments: Vec::new(),
            form: None,
            input,
            meter: tribunal_kernel::quote::TurnMeter::default(),
            is_resumed: false,
        }
    }

    fn measured(text: &str) -> TurnInput<Arc<str>> {
        let page = PageInput { text: text.into(), format: Format::Html, folder: None, file: None, design: None };
        TurnInput::Measure(MeasureInput { page, scale: Score::points(10) })
    }

    fn seen_by(viewer: impl PageViewer + 'static) -> House {
        let settings = HouseSettings { viewer: Some(Arc::new(viewer)), ..HouseSettings::default() };
        House::new(std::env::temp_dir()).with(settings)
    }

    /// Keeps its thread, as a page of many megabytes does.
    #[derive(Debug)]
    struct Busy(std::sync::Mutex<std::sync::mpsc::Receiver<()>>);

    impl PageViewer for Busy {
        fn view(&self, _: PageToView) -> Viewing<'_> {
            Box::pin(async {
                let _ = self.0.lock().unwrap().recv_timeout(std::time::Duration::from_secs(20));
                Ok(PageSeen::default())
            })
        }
    }

    #[tokio::test]
    async fn whoever_waits_for_it_can_stop_waiting() {
        let (free, held) = std::sync::mpsc::channel();
        let house = seen_by(Busy(std::sync::Mutex::new(held)));
        let asked = house.answer(request("a11y", theater::JUDGE, Some(measured("<p>words"))), &|_| {});
        let answer = tokio::time::timeout(std::time::Duration::from_millis(1), asked).await;
        assert!(answer.is_err(), "the limit of a turn is kept while it measures");
        drop(free);
    }

    /// A page whose scripts never end.
    #[derive(Debug)]
    struct Hanging;

    impl PageViewer for Hanging {
        fn view(&self, _: PageToView) -> Viewing<'_> {
            let unseen = Some("not seen by the browser, measured without it: it did not load".to_owned());
            Box::pin(async {
                Ok(PageSeen { unseen, hangs: Some("it did not load".to_owned()), ..PageSeen::default() })
            })
        }
    }

    #[tokio::test]
    async fn what_nobody_saw_at_rest_is_no_pass_and_what_the_source_says_against_it_stays() {
        let score = async |text: &str| {
            let answer = seen_by(Hanging).reply(&request("a11y", theater::JUDGE, Some(measured(text)))).await.unwrap();
            let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
            let dims = answer["dims"].as_array().unwrap().clone();
            let contrast = dims.into_iter().find(|dim| dim["name"] == "contrast").unwrap();
            (contrast["score"].clone(), contrast["note"].as_str().unwrap().to_owned())
        };
        let (black, why) = score("<html lang=en><title>x</title><script>for (;;);</script><p>words").await;
        assert_eq!(black, serde_json::Value::Null);
        assert!(why.contains("nobody has seen the page at rest") && why.contains("it did not load"), "{why}");
        let (faint, _) =
            score("<html lang=en><title>x</title><script>for (;;);</script><p style='color: #eee'>words").await;
        assert!(faint.as_f64().is_some_and(|score| score < 7.0), "{faint}");
        let (still, _) = score("<html lang=en><title>x</title><p>words").await;
        assert_eq!(still.as_f64(), Some(10.0), "what runs nothing is what its source says");
    }

    #[tokio::test]
    async fn what_nobody_saw_at_rest_ships_nowhere() {
        for seat in [theater::LINT, last_look::LAST_LOOK] {
            for (script, expected) in [("<script>for (;;);</script>", true), ("", false)] {
                let page = measured(&format!("<!doctype html><html lang=en><title>x</title>{script}<p>words"));
                let answer = seen_by(Hanging).reply(&request(seat, theater::JUDGE, Some(page))).await.unwrap();
                assert_eq!(answer.contains("page.unsettled"), expected, "{seat}: {answer}");
            }
        }
    }

    /// Whatever the prompt says: a page that was not handed over is not judged, and nothing takes its place.
    #[tokio::test]
    async fn without_an_input_of_its_kind_it_refuses() {
        let run = RunId(uuid::Uuid::nil());
        let page = Part::Material { label: "the artifact", content: Content::Text("<p>x</p>".into()) };
        let parts = vec![Part::Text("Seat: critic\nScale: 10\nFormat: html".into()), page];
        let prompt = Prompt { template: "x", parts }.render(run, |_| None).unwrap();
        let anchor = Box::new(serde_json::from_str(r#"{"kind": "invariants", "MUST": ["is honest"]}"#).unwrap());
        for input in [None, Some(TurnInput::Rules(RulesInput { anchor, draft: "<p>x</p>".into(), may_run: true }))] {
            for (seat, task) in
                [("critic", theater::JUDGE), (theater::LINT, theater::JUDGE), ("designer", theater::DRAFT)]
            {
                let request = TurnRequest { prompt: prompt.text.clone(), ..request(seat, task, input.clone()) };
                let refused = House::new(std::env::temp_dir()).reply(&request).await.unwrap_err();
                assert!(refused.to_string().contains("was given no page to work on"), "{seat}: {refused}");
            }
        }
    }
}
