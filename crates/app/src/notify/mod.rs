//! Messages to people who are not looking: a run needs somebody, has ended, or waits for its provider; or an agent does not
//! keep to the protocol any more.
//!
//! A message never blocks a run and never fails one: it is sent beside it, within [`PATIENCE`], and what cannot be sent
//! is said once.
//!
//! | file | noun |
//! |---|---|
//! | `message` | what is said of a run |
//! | `alert` | what is said of an agent |
//! | `signature` | how whoever receives it knows that it is ours |
//! | `channels` | how it gets there: the desktop, a webhook, a command |

mod alert;
mod channels;
mod message;
pub mod signature;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;
use tribunal_config::NotifyOn;
use tribunal_kernel::{Entry, Event, Outcome, Run, TurnId};

use crate::people::People;
use crate::project::Project;
pub(crate) use alert::AgentAlert;
use channels::Channel;
use message::Occasion;
use serde::Serialize;

/// A message is sent within this time, or not at all.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// So many messages are under way at the same time; what comes on top of them is dropped, and that is said.
const MOST_AT_ONCE: usize = 16;

/// Tells people about one run while it is driven.
#[derive(Debug)]
pub struct Notifier {
    project: Project,
    people: People,
    channels: Arc<[Channel]>,
    sending: JoinSet<()>,
    /// What went wrong and was said.
    said: Arc<Mutex<BTreeSet<String>>>,
    /// Turns of which it was said that they wait.
    parked: BTreeSet<TurnId>,
}

impl Notifier {
    /// As the project configures it. Nothing, if nobody wants to be told.
    pub fn of(project: &Project) -> Option<Self> {
        let channels = Channel::of(project);
        let people = People::of(project.config());
        (!channels.is_empty()).then(|| Self {
            project: project.clone(),
            people,
            channels: channels.into(),
            sending: JoinSet::new(),
            said: Arc::default(),
            parked: BTreeSet::new(),
        })
    }

    /// Something became durable: whoever has to know is told.
    pub fn follow(&mut self, run: &Run, entries: &[Entry]) {
        let asked = entries.iter().filter_map(|entry| match &entry.event {
            Event::TurnStarted { turn, seat, .. } if self.people.sit_in(run.spec(), seat) => Some(*turn),
            _ => None,
        });
        let asked: Vec<TurnId> = asked.collect();
        if !asked.is_empty() {
            self.send(run, Occasion::Asked(asked));
        }
        for entry in entries {
            if let Event::TurnParked { turn, until, taken_by: None, passed_to: None, .. } = &entry.event {
                self.parked(run, *turn, until.since(entry.time));
            }
        }
        if entries.iter().any(|entry| matches!(entry.event, Event::RunClosed { .. }))
            && let Some(end) = run.end()
        {
            let needs_person = end.outcome == Outcome::NeedsHuman;
            self.send(run, if needs_person { Occasion::Undecided } else { Occasion::Ended });
        }
    }

    /// A turn waits for its provider, for so long: worth a message, once, where it is long.
    pub fn parked(&mut self, run: &Run, turn: TurnId, wait: Duration) {
        if wait >= self.project.config().notify.parked_after && self.parked.insert(turn) {
            self.send(run, Occasion::Parked { turn, wait });
        }
    }

    /// Waits for what is still under way; none of it takes longer than [`PATIENCE`].
    pub async fn finish(mut self) {
        while self.sending.join_next().await.is_some() {}
    }

    fn send(&mut self, run: &Run, occasion: Occasion) {
        let kind = occasion.kind();
        if !self.project.config().notify.on.contains(&kind) {
            return;
        }
        while self.sending.try_join_next().is_some() {}
        if self.sending.len() >= MOST_AT_ONCE {
            complain(&self.project, &self.said, "too many messages at once; the last ones were dropped");
            return;
        }
        let (project, channels, said) = (self.project.clone(), self.channels.clone(), self.said.clone());
        let run = Arc::new(run.clone());
        self.sending.spawn(async move {
            let message = message::of(&project, &run, &occasion).await;
            deliver(&project, &channels, &said, &Letter::new(&message.text, &message)).await;
        });
    }
}

/// Tells people of an agent, and waits until that is done: there is no run beside which it could be.
pub(crate) async fn alert(project: &Project, alert: &AgentAlert) {
    if project.config().notify.on.contains(&NotifyOn::Agent) {
        deliver(project, &Channel::of(project), &Mutex::default(), &Letter::new(&alert.text, alert)).await;
    }
}

/// A message in the two forms in which it is sent.
struct Letter {
    /// All of it in a line.
    text: String,
    json: Vec<u8>,
}

impl Letter {
    fn new(text: &str, message: &impl Serialize) -> Self {
        Self { text: text.to_owned(), json: serde_json::to_vec(message).expect("a message is plain data") }
    }
}

async fn deliver(project: &Project, channels: &[Channel], said: &Mutex<BTreeSet<String>>, letter: &Letter) {
    for channel in channels {
        let sent = tokio::time::timeout(PATIENCE, channel.send(project, letter)).await;
        if let Some(why) = sent.unwrap_or_else(|_| Err("it took too long".into())).err() {
            complain(project, said, &format!("cannot notify by {}: {why}", channel.name()));
        }
    }
}

/// Says what went wrong, once.
fn complain(project: &Project, said: &Mutex<BTreeSet<String>>, why: &str) {
    if said.lock().unwrap_or_else(PoisonError::into_inner).insert(why.to_owned()) {
        project.console.note(why);
    }
}

impl Occasion {
    /// What is said of it in the configuration.
    fn kind(&self) -> NotifyOn {
        match self {
            Self::Asked(_) | Self::Undecided => NotifyOn::NeedsPerson,
            Self::Ended => NotifyOn::Ended,
            Self::Parked { .. } => NotifyOn::Parked,
        }
    }
}
