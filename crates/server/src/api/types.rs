//! What goes over the wire, besides watch events. The page's types are made from these.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tribunal_app::settings::ShownSetting;
use tribunal_kernel::faults::{Forecast, HiddenFaults, NextRound};
use tribunal_kernel::{LoopKind, Round, RunId, Score, SeatName, Seq, Time, TurnId};

/// Who answers here.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Session")]
pub struct ServerInfo {
    pub project: ProjectInfo,
    pub version: String,
}

/// A project: a folder with its runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Project")]
pub struct ProjectInfo {
    pub id: String,
    pub name: String,
    pub workspace: String,
}

/// A page of the list of runs, newest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunPage {
    pub runs: Vec<RunRow>,
    /// Give it as `after` for the next page.
    pub next: Option<RunId>,
}

/// A run, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    pub run: RunId,
    pub r#loop: LoopKind,
    pub subject: String,
    /// How the brief begins: what is wanted, on one line.
    pub brief: String,
    /// `running`, or the outcome.
    pub status: String,
    /// Whether somebody drives it now, here or elsewhere.
    pub is_driven: bool,
    /// Whether it waits for its turn.
    pub is_queued: bool,
    /// Seats in which people are awaited.
    pub waiting_for: Vec<String>,
    /// Why it ended; before that, why the last decision was made.
    pub reason: Option<String>,
    pub rounds: u32,
    pub turns: u32,
    pub tokens: u64,
    pub usd_micros: u64,
    pub opened: Time,
    pub closed: Option<Time>,
    /// What every round that is over amounts to, where the loop counts.
    pub composites: Vec<Option<Score>>,
    pub threshold: Option<Score>,
    pub scale: Option<Score>,
    /// Of what was handed over; before that, of the last round.
    pub score: Option<Score>,
    pub artifact: Option<String>,
    /// The run that this one varies, if it is a fork.
    pub fork_of: Option<RunId>,
    pub seq: Seq,
    /// What may be asked now.
    pub actions: Vec<Action>,
}

/// What may be asked of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Interrupt,
    Steer,
    Resume,
    Rerun,
    Reopen,
    Select,
    Answer,
}

/// Which runs to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RunQuery {
    /// Occurs in the subject, the reason or a finding.
    pub text: Option<String>,
    /// `running`, or an outcome.
    pub status: Option<String>,
    pub r#loop: Option<LoopKind>,
    /// The last run of the page before.
    pub after: Option<RunId>,
    /// At most so many: 50, if nothing is said.
    pub limit: Option<u32>,
}

/// Where a stream begins.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct EventQuery {
    /// The events of this run alone.
    pub run: Option<RunId>,
    /// The id of the last event that was seen. The header `Last-Event-ID` goes before it.
    pub after: Option<String>,
}

/// From where on.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct CueQuery {
    /// The id of the last event that was seen.
    pub after: Option<String>,
}

/// Two rounds.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiffQuery {
    pub from: Round,
    pub to: Round,
}

/// What changed between the drafts of two rounds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    pub from: Round,
    pub to: Round,
    pub lines: Vec<DiffLine>,
}

/// A line of one draft or of both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    pub kind: Change,
    pub text: String,
    /// Its number in the old draft, and in the new one.
    pub from: Option<u32>,
    pub to: Option<u32>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Same,
    Added,
    Removed,
}

/// How many faults are likely left in the text that was judged last (docs/forecast.md).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastLeft {
    pub judges: u32,
    /// Known faults that stand in the text.
    pub open: u32,
    /// Faults that nobody has found; nothing where it is too few to say.
    pub hidden: Option<HiddenLeft>,
    /// Why it is too few to say.
    pub too_few: Option<String>,
}

/// An expected number, and the interval that holds it in nine of ten cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HiddenLeft {
    pub expected: f64,
    pub least: u32,
    pub most: u32,
    /// What another round would find of them,
    pub next_finds: f64,
    /// and cost.
    pub next_tokens: u64,
    pub next_usd_micros: u64,
}

impl From<Forecast> for ForecastLeft {
    fn from(forecast: Forecast) -> Self {
        let Forecast { judges, open, hidden, next_round, too_few, .. } = forecast;
        let hidden = hidden.map(|HiddenFaults { expected, least, most }| {
            let (next_finds, next_tokens, next_usd_micros) =
                next_round.map_or((0.0, 0, 0), |NextRound { finds, tokens, usd }| (finds, tokens, usd.0));
            HiddenLeft { expected, least, most, next_finds, next_tokens, next_usd_micros }
        });
        Self { judges, open, hidden, too_few }
    }
}

/// A claim that did not stand.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overruled {
    pub round: Round,
    pub role: SeatName,
    /// The rule, as a word: `contradicted` by a measurement, `receipt`, `waived` and others.
    pub rule: String,
    /// In the seat's own words.
    pub claimed: String,
    /// The dimension that the claim was about, and its measured score.
    pub dim: Option<String>,
    pub counts: Option<Score>,
    pub why: String,
}

/// A person's answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GivenAnswer {
    pub turn: TurnId,
    /// An object that fits the form, or a text.
    pub answer: Value,
}

/// What to do from now on.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Steering {
    pub text: String,
}

/// Why a decision is lifted, and for how many more rounds.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reopening {
    pub why: String,
    pub rounds: u32,
}

/// The round whose draft is chosen.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Selection {
    pub round: Round,
}

/// What is different this time.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Rerun {
    pub brief: Option<String>,
}

/// What to start. Nothing said: what the project's configuration describes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Start {
    pub brief: Option<String>,
    /// Files inside of the project's folder to show along with the brief, instead of those that are configured.
    pub attachments: Vec<String>,
    /// For a review: the assets to work on.
    pub assets: Vec<String>,
    /// For a theater: a page or text inside of the project's folder to start from.
    pub source: Option<String>,
    /// Whether to start a new run of what is decided already. Without it, what changed since it was decided is refused as
    /// `stale`.
    pub again: bool,
}

/// It will be done.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Accepted {
    pub run_id: RunId,
    pub accepted: bool,
}

/// The runs that go on now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    pub runs: Vec<RunId>,
}

/// Every setting.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    pub values: Vec<ShownSetting>,
}

/// A setting and its new value; `null` takes it out of the file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSetting {
    pub key: String,
    pub value: Value,
}

/// Nothing to say.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Nothing {}

/// Why a request was not answered: problem details as in RFC 9457, with two members of our own.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Names the kind of problem: `urn:tribunal:problem:` and its `code`.
    pub r#type: String,
    /// The kind of problem in words that do not change.
    pub title: String,
    pub status: u16,
    /// What is wrong this time.
    pub detail: String,
    /// The kind of problem, for programs.
    pub code: String,
    /// What one can do.
    pub hint: Option<String>,
}
