//! People in seats: who is awaited, what they are asked, and whether what they say fits.
//!
//! | file | noun |
//! |---|---|
//! | `form` | a schema as TOML to fill in, and the answer in it |
//! | `attendant` | what happens while a run waits for people |

pub mod attendant;
pub mod form;

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tribunal_config::{AgentKind, Config};
use tribunal_engine::human;
use tribunal_kernel::trial::Exhibits;
use tribunal_kernel::{Run, RunId, RunSpec, SeatName, Turn, TurnId};
use tribunal_store::{Layout, StoreError, answers};

use crate::error::AppError;
use crate::project::text;
use form::FormError;

/// The agents that are people, and how long each may think.
#[derive(Debug, Clone, Default)]
pub struct People {
    patience: Arc<BTreeMap<String, Option<Duration>>>,
}

impl People {
    /// The people that are configured.
    pub fn of(config: &Config) -> Self {
        let people = config.agents.iter().filter(|(_, agent)| agent.kind == AgentKind::Human);
        Self { patience: Arc::new(people.map(|(name, agent)| (name.clone(), agent.turn)).collect()) }
    }

    /// Whether a person sits there.
    pub fn sit_in(&self, spec: &RunSpec, seat: &SeatName) -> bool {
        spec.seats.get(seat).is_some_and(|binding| self.patience.contains_key(&binding.agent))
    }

    /// The seats of a run in which people sit.
    pub fn seats<'c>(&self, spec: &'c RunSpec) -> Vec<&'c str> {
        spec.seats.keys().filter(|seat| self.sit_in(spec, seat)).map(SeatName::as_str).collect()
    }

    /// The turns of a run that people have to take.
    pub fn awaited<'r>(&self, run: &'r Run) -> Vec<&'r Turn> {
        run.in_flight().filter(|turn| self.sit_in(run.spec(), &turn.seat)).collect()
    }

    /// Those of them that nobody has answered yet.
    pub fn open<'r>(&self, layout: &Layout, run: &'r Run) -> Result<Vec<&'r Turn>, StoreError> {
        let mut open = Vec::new();
        for turn in self.awaited(run) {
            if answers::find(layout, run.spec().run, turn.id)?.is_none() {
                open.push(turn);
            }
        }
        Ok(open)
    }

    /// Whether a run waits for nobody but people.
    pub fn are_all(&self, run: &Run) -> bool {
        let awaited = self.awaited(run).len();
        awaited > 0 && awaited == run.in_flight().count()
    }

    /// Whether nothing will happen to a run before one of them says something: they were asked, and have time left.
    fn keep_waiting(&self, layout: &Layout, run: &Run) -> Result<bool, StoreError> {
        if !self.are_all(run) || self.open(layout, run)?.len() != run.in_flight().count() {
            return Ok(false);
        }
        let spec = run.spec();
        for turn in run.in_flight() {
            let agent = spec.seats.get(&turn.seat).map(|binding| binding.agent.as_str());
            let patience = agent.and_then(|agent| self.patience.get(agent).copied().flatten());
            match answers::asked(layout, spec.run, turn.id)? {
                Some(since) if !patience.is_some_and(|patience| human::is_over(since, patience)) => {}
                Some(_) | None => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// The names of seats, for a sentence.
pub fn named(turns: &[&Turn]) -> String {
    turns.iter().map(|turn| turn.seat.as_str()).collect::<Vec<_>>().join(", ")
}

/// What a person is asked.
#[derive(Debug, Clone)]
pub struct Question {
    layout: Layout,
    run: Arc<Run>,
    turn: TurnId,
    pub prompt: String,
    /// The schema of the answer, where it has one.
    pub form: Option<Value>,
}

impl Question {
    pub fn of(layout: &Layout, run: &Arc<Run>, turn: &Turn) -> Result<Self, AppError> {
        let prompt = text(layout, turn.prompt).ok_or_else(|| {
            AppError::environment("the question is missing", Some("`tribunal verify` says what is damaged".into()))
        })?;
        let form = run.form(turn);
        Ok(Self { layout: layout.clone(), run: Arc::clone(run), turn: turn.id, prompt, form })
    }

    pub fn run(&self) -> RunId {
        self.run.spec().run
    }

    /// Whose turn it is, in a few words.
    pub fn title(&self) -> String {
        let place = self.run.turn(self.turn).map(|turn| format!("{}, round {}", turn.seat, turn.round));
        format!("{}: {}", self.run.spec().subject(), place.unwrap_or_default())
    }

    /// What there is to fill in: what was written at the last try, or nothing yet.
    pub fn blank(&self) -> Result<String, StoreError> {
        let kept = answers::kept(&self.layout, self.run(), self.turn)?;
        Ok(kept.unwrap_or_else(|| self.form.as_ref().map(form::skeleton).unwrap_or_default()))
    }

    /// Keeps what did not fit for the next try.
    pub fn keep(&self, text: &str) -> Result<(), StoreError> {
        let text = form::uncomplained(text);
        answers::keep(&self.layout, self.run(), self.turn, form::cut(&text))
    }

    /// Gives the answer. Whether it was the first one.
    pub fn give(&self, answer: &str) -> Result<bool, StoreError> {
        answers::give(&self.layout, self.run(), self.turn, answer)
    }

    /// The answer in what a person wrote, as the trial can use it; or what is wrong with it.
    ///
    /// A form that is filled in becomes JSON. Whoever writes JSON, or a text where a text will do, is taken at their word.
    pub fn understand(&self, written: &str) -> Result<String, String> {
        let written = form::uncomplained(written);
        let written = form::cut(&written);
        let mut no_form = None;
        let answer = match self.form.as_ref().map(|schema| form::read(schema, written)) {
            Some(Ok(answer)) => answer.to_string(),
            Some(Err(FormError::Syntax(why))) if !form::is_ours(written) => {
                no_form = Some(why);
                written.trim().to_owned()
            }
            Some(Err(error)) => return Err(error.to_string()),
            None => written.trim().to_owned(),
        };
        if answer.is_empty() {
            return Err("there is no answer in it".into());
        }
        match self.misfit(&answer) {
            None => Ok(answer),
            Some(misfit) => Err(match no_form {
                Some(why) if !written.contains('{') => format!("{misfit}\nAs a form it cannot be read: {why}"),
                Some(_) | None => misfit,
            }),
        }
    }

    /// Why the trial could not use this answer, if it could not.
    fn misfit(&self, answer: &str) -> Option<String> {
        let Some(turn) = self.run.turn(self.turn) else { return Some("its turn is over".into()) };
        let mut exhibits = Exhibits::new(&tribunal_checks::Inspector);
        for digest in self.run.exhibits(turn) {
            exhibits.extend(text(&self.layout, digest).map(|text| (digest, Arc::from(text))));
        }
        self.run.read(turn, answer, &exhibits).err().map(|misfit| misfit.to_string())
    }
}
