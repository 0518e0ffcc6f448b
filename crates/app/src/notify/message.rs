//! What people are told, as programs read it and in a line.

use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tribunal_engine::Clock as _;
use tribunal_kernel::{Run, RunId, Time, TurnId};

use crate::decide::Undecided;
use crate::people::Question;
use crate::project::Project;
use crate::vote::{VoteLink, VotedOn, Voter};

/// A newer one has more in it, and nothing else.
pub(super) const VERSION: u32 = 1;

/// Why somebody is told something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Occasion {
    /// People are asked for these turns.
    Asked(Vec<TurnId>),
    /// It ended, and a person has to decide.
    Undecided,
    Ended,
    /// A turn waits for its provider.
    Parked {
        turn: TurnId,
        wait: Duration,
    },
}

/// A message.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Message {
    version: u32,
    kind: &'static str,
    time: Time,
    project: String,
    run: RunId,
    r#loop: String,
    subject: String,
    /// How the run stands: `waiting`, `running`, or its outcome.
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// All of it in a line.
    pub(super) text: String,
    /// Where the run can be looked at, while a server answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// What people are asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    questions: Vec<AskedInMessage>,
    /// What nobody could decide.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    items: Vec<UndecidedInMessage>,
}

#[derive(Debug, Clone, Serialize)]
struct AskedInMessage {
    turn: TurnId,
    seat: String,
    /// What is asked, in words.
    asked: String,
    links: Vec<AnswerLink>,
}

#[derive(Debug, Clone, Serialize)]
struct UndecidedInMessage {
    item: String,
    /// What is asked, in words.
    asked: String,
    links: Vec<AnswerLink>,
}

/// A link that gives one answer. Opening it shows what it would do; only the button there votes.
#[derive(Debug, Clone, Serialize)]
struct AnswerLink {
    answer: String,
    url: String,
    expires: Time,
}

/// Where links of a message lead, and who signs them.
struct Links {
    base: String,
    voter: Voter,
    expires: Time,
}

impl Links {
    async fn of(project: &Project) -> Option<Self> {
        let config = &project.config().notify;
        let base = match &config.url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => project.store.servers().find().await.ok().flatten()?.address,
        };
        let voter = Voter::of(project).await.ok()?;
        Some(Self { base, voter, expires: project.clock.now().plus(config.link_expires) })
    }

    fn answers(&self, run: RunId, question: &VotedOn, answers: &[String]) -> Vec<AnswerLink> {
        let link = |answer: &String| {
            let link = self.voter.sign(run, question, answer, self.expires);
            AnswerLink {
                answer: answer.clone(),
                url: format!("{}{}", self.base, VoteLink::path(&link)),
                expires: self.expires,
            }
        };
        answers.iter().map(link).collect()
    }
}

/// What a project is called in messages.
pub(super) fn project_name(project: &Project) -> String {
    project.root().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The message for an occasion.
pub(super) async fn of(project: &Project, run: &Arc<Run>, occasion: &Occasion) -> Message {
    let (id, subject) = (run.spec().run, run.spec().subject().to_string());
    let end = run.end();
    let links = Links::of(project).await;
    let mut message = Message {
        version: VERSION,
        kind: occasion.kind().as_str(),
        time: project.clock.now(),
        project: project_name(project),
        run: id,
        r#loop: run.spec().kind().to_string(),
        status: end.map_or("running", |end| end.outcome.as_str()).to_owned(),
        reason: end.map(|end| end.reason.clone()),
        text: String::new(),
        url: links.as_ref().map(|links| format!("{}/#/runs/{id}", links.base)),
        questions: Vec::new(),
        items: Vec::new(),
        subject: subject.clone(),
    };
    message.text = match occasion {
        Occasion::Asked(turns) => {
            "waiting".clone_into(&mut message.status);
            for turn in turns.iter().filter_map(|turn| run.turn(*turn)) {
                // What cannot be read is asked for all the same.
                let question = Question::of(&project.store, run, turn).await.ok();
                let words: Vec<String> =
                    question.iter().flat_map(Question::quick_answers).map(|(word, _)| word).collect();
                let voted_on = VotedOn::Turn(turn.id);
                message.questions.push(AskedInMessage {
                    turn: turn.id,
                    seat: turn.seat.to_string(),
                    asked: question.map(|question| question.asked).unwrap_or_default(),
                    links: links.as_ref().map(|links| links.answers(id, &voted_on, &words)).unwrap_or_default(),
                });
            }
            let seats: Vec<&str> = message.questions.iter().map(|question| question.seat.as_str()).collect();
            format!("{subject}: waiting for a person: {}; answer with `tribunal answer {id}`", seats.join(", "))
        }
        Occasion::Undecided => {
            let words = ["met".to_owned(), "broken".to_owned()];
            for open in Undecided::of(run).map(|undecided| undecided.items).unwrap_or_default() {
                let Some(voted_on) = VotedOn::item(run, &open.item.item) else { continue };
                message.items.push(UndecidedInMessage {
                    item: open.item.item,
                    asked: open.words,
                    links: links.as_ref().map(|links| links.answers(id, &voted_on, &words)).unwrap_or_default(),
                });
            }
            let reason = message.reason.as_deref().unwrap_or_default();
            format!("{subject}: needs a person to decide: {reason}; `tribunal answer {id}` shows what")
        }
        Occasion::Ended => format!("{subject}: {}: {}", message.status, message.reason.as_deref().unwrap_or_default()),
        Occasion::Parked { turn, wait } => {
            let seat = run.turn(*turn).map(|turn| turn.seat.to_string()).unwrap_or_default();
            let minutes = wait.as_secs().div_ceil(60);
            format!("{subject}: the {seat} waits for its provider, for about {minutes} minutes")
        }
    };
    message
}
