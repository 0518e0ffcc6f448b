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
use tribunal_engine::{attached, human};
use tribunal_kernel::prompt::MissingBlob;
use tribunal_kernel::trial::Exhibits;
use tribunal_kernel::{Digest, QuestionSection, Run, RunId, RunSpec, SeatName, Turn, TurnId};
use tribunal_store::{Backend, StoreError};

use crate::error::AppError;
use crate::input::{MAX_TEXT, bounded};
use crate::project::text;
use form::{Field, FormError};

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
    pub async fn open<'r>(&self, store: &dyn Backend, run: &'r Run) -> Result<Vec<&'r Turn>, StoreError> {
        let mut open = Vec::new();
        for turn in self.awaited(run) {
            if store.questions().find(run.spec().run, turn.id).await?.is_none() {
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
    async fn keep_waiting(&self, store: &dyn Backend, run: &Run) -> Result<bool, StoreError> {
        if !self.are_all(run) || self.open(store, run).await?.len() != run.in_flight().count() {
            return Ok(false);
        }
        let spec = run.spec();
        for turn in run.in_flight() {
            let agent = spec.seats.get(&turn.seat).map(|binding| binding.agent.as_str());
            let patience = agent.and_then(|agent| self.patience.get(agent).copied().flatten());
            match store.questions().asked(spec.run, turn.id).await? {
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
    store: Arc<dyn Backend>,
    run: Arc<Run>,
    turn: TurnId,
    /// What is asked and what there is to read for it, as one text.
    pub prompt: String,
    /// What is asked, in a few words.
    pub asked: String,
    /// What there is to read for it: the brief, the work, what was said of it before.
    pub sections: Vec<QuestionSection>,
    /// The schema of the answer, where it has one.
    pub form: Option<Value>,
    /// What was written at the last try and did not fit.
    kept: Option<String>,
    /// What the answer may quote.
    exhibits: Vec<(Digest, Arc<str>)>,
}

impl Question {
    pub async fn of(store: &Arc<dyn Backend>, run: &Arc<Run>, turn: &Turn) -> Result<Self, AppError> {
        let question = run.question(turn);
        let mut texts = BTreeMap::new();
        for digest in question.blobs() {
            if let Some(text) = text(&**store, digest).await {
                texts.insert(digest, text);
            }
        }
        let fetch = |digest: Digest| texts.get(&digest).map(String::as_str);
        let missing = |_: MissingBlob| {
            AppError::environment("the question is missing", Some("`tribunal verify` shows what is damaged".into()))
        };
        let mut prompt = question.render(run.spec().run, fetch).map_err(missing)?.text;
        let (asked, mut sections) = question.sections(fetch).map_err(missing)?;
        let attachments = run.attachments_of(turn);
        let files = attachments.iter().map(|it| (it.name.as_str(), it.media_type));
        prompt.push_str(&attached::told_to_people(&**store, run.spec().run, files));
        for (number, attachment) in (1..).zip(&attachments) {
            let is_its = |section: &&mut QuestionSection| section.image == Some(attachment.content);
            for section in sections.iter_mut().filter(is_its) {
                let place = attached::place(&**store, run.spec().run, number, &attachment.name);
                section.text = format!("{} Open {}", section.text, place.display());
            }
        }
        let form = question.form();
        let kept = store.questions().kept(run.spec().run, turn.id).await?;
        let mut exhibits = Vec::new();
        for digest in run.exhibits(turn) {
            exhibits.extend(text(&**store, digest).await.map(|text| (digest, Arc::from(text))));
        }
        let (store, run, turn) = (store.clone(), run.clone(), turn.id);
        Ok(Self { store, run, turn, prompt, asked, sections, form, kept, exhibits })
    }

    pub fn run(&self) -> RunId {
        self.run.spec().run
    }

    /// Answers of one word: where a choice is all that has to be said. The words, and the answers.
    pub fn quick_answers(&self) -> Vec<(String, String)> {
        let Some(schema) = &self.form else { return Vec::new() };
        let mut required = form::fields(schema).into_iter().filter(|(_, _, is_required)| *is_required);
        let (Some((name, field, _)), None) = (required.next(), required.next()) else { return Vec::new() };
        let Field::Word(words) = form::field(field) else { return Vec::new() };
        let answer = |word: &&str| {
            let answer = serde_json::json!({ name: word }).to_string();
            Some(((*word).to_owned(), self.understand(&answer).ok()?))
        };
        words.iter().filter_map(answer).collect()
    }

    /// Whose turn it is, in a few words.
    pub fn title(&self) -> String {
        let place = self.run.turn(self.turn).map(|turn| format!("{}, round {}", turn.seat, turn.round));
        format!("{}: {}", self.run.spec().subject(), place.unwrap_or_default())
    }

    /// What there is to fill in: what was written at the last try, or nothing yet.
    pub fn blank(&self) -> String {
        self.kept.clone().unwrap_or_else(|| self.form.as_ref().map(form::skeleton).unwrap_or_default())
    }

    /// Keeps what did not fit for the next try.
    pub async fn keep(&self, text: &str) -> Result<(), StoreError> {
        let text = form::uncomplained(text);
        self.store.questions().keep(self.run(), self.turn, form::cut(&text)).await
    }

    /// Gives the answer. Whether it was the first one.
    pub async fn give(&self, answer: &str) -> Result<bool, StoreError> {
        self.store.questions().answer(self.run(), self.turn, answer).await
    }

    /// The answer in what a person wrote, as the trial can use it; or what is wrong with it.
    ///
    /// A form that is filled in becomes JSON. Whoever writes JSON, or a text where a text will do, is taken at their word.
    pub fn understand(&self, written: &str) -> Result<String, String> {
        bounded("the answer", written, MAX_TEXT).map_err(|error| error.message())?;
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
            return Err("it contains no answer".into());
        }
        match self.misfit(&answer) {
            None => Ok(answer),
            Some(misfit) => Err(match no_form {
                Some(why) if !written.contains('{') => format!("{misfit}\nIt cannot be read as a form either: {why}"),
                Some(_) | None => misfit,
            }),
        }
    }

    /// Why the trial could not use this answer, if it could not.
    fn misfit(&self, answer: &str) -> Option<String> {
        let Some(turn) = self.run.turn(self.turn) else { return Some("its turn is over".into()) };
        let mut exhibits = Exhibits::new(&tribunal_checks::Inspector);
        exhibits.extend(self.exhibits.iter().cloned());
        self.run.read(turn, answer, &exhibits).err().map(|misfit| misfit.to_string())
    }
}
