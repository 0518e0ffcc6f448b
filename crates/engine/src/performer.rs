//! The turns in flight.

use std::collections::HashMap;
use tokio::sync::mpsc;
use tokio::task::{self, JoinSet};
use tokio_util::sync::CancellationToken;
use tribunal_agents::{Activity, AgentError, TurnRequest};
use tribunal_kernel::TurnId;

use crate::seating::Seating;
use crate::turn::{self, TurnEnding};

/// Glimpses that wait to be shown. A slow screen loses some of them, never an answer.
const GLIMPSES: usize = 256;

/// Performs turns, several at once.
#[derive(Debug)]
pub(crate) struct Performer {
    seating: Seating,
    under_way: HashMap<task::Id, (TurnId, CancellationToken)>,
    tasks: JoinSet<TurnEnding>,
    glimpse: mpsc::Sender<(TurnId, Activity)>,
    glimpses: mpsc::Receiver<(TurnId, Activity)>,
    speak: mpsc::UnboundedSender<(TurnId, String)>,
    /// What somebody listens to. Nothing of it may be lost; the most that a turn may print bounds it.
    speech: mpsc::UnboundedReceiver<(TurnId, String)>,
}

/// What comes out of turns in flight.
#[derive(Debug)]
pub(crate) enum TurnReport {
    Ended(TurnId, TurnEnding),
    Glimpse(TurnId, Activity),
    /// A piece of an answer that somebody listens to.
    Spoke(TurnId, String),
}

impl Performer {
    pub(crate) fn new(seating: Seating) -> Self {
        let (glimpse, glimpses) = mpsc::channel(GLIMPSES);
        let (speak, speech) = mpsc::unbounded_channel();
        Self { seating, under_way: HashMap::new(), tasks: JoinSet::new(), glimpse, glimpses, speak, speech }
    }

    /// Whether this turn is being performed.
    pub(crate) fn has(&self, turn: TurnId) -> bool {
        self.under_way.values().any(|(under_way, _)| *under_way == turn)
    }

    /// Starts a turn. If it is listened to, its text is reported as it comes.
    pub(crate) fn start(&mut self, agent: String, request: TurnRequest, is_listened_to: bool) {
        let (turn, glimpse, speak) = (request.turn, self.glimpse.clone(), self.speak.clone());
        let (seating, cancel) = (self.seating.clone(), CancellationToken::new());
        let token = cancel.clone();
        let handle = self.tasks.spawn(async move {
            let show = |activity| match activity {
                Activity::Text(text) if is_listened_to => drop(speak.send((turn, text))),
                other => drop(glimpse.try_send((turn, other))),
            };
            turn::take(seating, agent, request, token, &show).await
        });
        self.under_way.insert(handle.id(), (turn, cancel));
    }

    /// Ends these turns; their reports still come.
    pub(crate) fn cancel(&self, turns: &[TurnId]) {
        for (_, cancel) in self.under_way.values().filter(|(turn, _)| turns.contains(turn)) {
            cancel.cancel();
        }
    }

    /// Ends all turns; their reports still come.
    pub(crate) fn cancel_all(&self) {
        self.under_way.values().for_each(|(_, cancel)| cancel.cancel());
    }

    /// Whether nothing is being performed.
    pub(crate) fn is_idle(&self) -> bool {
        self.under_way.is_empty()
    }

    /// More of what is listened to, if it is there already.
    pub(crate) fn more_speech(&mut self) -> Option<(TurnId, String)> {
        self.speech.try_recv().ok()
    }

    /// The next report; never, while nothing is in flight.
    pub(crate) async fn next(&mut self) -> TurnReport {
        tokio::select! {
            biased;
            // Before the end of its turn, which was sent after it.
            Some((turn, text)) = self.speech.recv() => TurnReport::Spoke(turn, text),
            Some((turn, activity)) = self.glimpses.recv() => TurnReport::Glimpse(turn, activity),
            Some(ended) = self.tasks.join_next_with_id() => {
                let (task, ending) = match ended {
                    Ok(ended) => ended,
                    // A bug in an adapter is a failed turn, not the end of the run.
                    Err(error) => (error.id(), TurnEnding::broken(broken(&error))),
                };
                let (turn, _) = self.under_way.remove(&task).expect("every task was entered when it was spawned");
                TurnReport::Ended(turn, ending)
            }
        }
    }
}

fn broken(error: &task::JoinError) -> AgentError {
    AgentError::Unavailable { agent: "?".into(), reason: format!("its adapter failed: {error}"), hint: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::sync::Barrier;
    use tribunal_agents::{Agent, Answer, Answering, Environment, Native, Show};
    use tribunal_kernel::{Round, RunId, SeatName, TurnError};

    use crate::process::Bounds;
    use crate::seating::Seated;

    const BOUNDS: Bounds = Bounds {
        idle: Duration::from_secs(60),
        total: Duration::from_secs(60),
        grace: Duration::from_secs(1),
        stdout: 1024,
        stderr_tail: 1024,
    };

    /// Answers only when all others are being asked, too.
    #[derive(Debug)]
    struct Together(Barrier);

    impl Native for Together {
        fn answer<'a>(&'a self, request: TurnRequest, _: Show<'a>) -> Answering<'a> {
            Box::pin(async move {
                assert_ne!(request.prompt, "panic", "as asked");
                self.0.wait().await;
                Ok(Answer { text: request.prompt, ..Answer::default() })
            })
        }
    }

    fn performer(size: usize) -> Performer {
        let agent = Agent::Native(Arc::new(Together(Barrier::new(size))));
        let agents = [("judge".to_owned(), Seated { agent, bounds: BOUNDS })].into();
        Performer::new(Seating::new(agents, Environment::default()))
    }

    fn request(turn: u32, prompt: &str) -> TurnRequest {
        TurnRequest {
            place: String::new(),
            run: RunId(uuid::Uuid::nil()),
            r#loop: None,
            works_on_files: false,
            judges: false,
            round: Round(1),
            turn: TurnId(turn),
            seat: SeatName::new("judge"),
            task: "judge".into(),
            model: None,
            effort: None,
            prompt: prompt.to_owned(),
            stable: 0,
            attachments: Vec::new(),
            form: None,
            input: None,
            meter: tribunal_kernel::quote::TurnMeter::default(),
            is_resumed: false,
        }
    }

    async fn ended(performer: &mut Performer) -> (TurnId, Result<Answer, TurnError>) {
        match performer.next().await {
            TurnReport::Ended(turn, ending) => (turn, ending.result),
            TurnReport::Glimpse(..) | TurnReport::Spoke(..) => panic!("native agents show nothing before they answer"),
        }
    }

    #[tokio::test]
    async fn turns_that_do_not_depend_on_each_other_run_at_once() {
        let mut performer = performer(3);
        for turn in 1..=3 {
            performer.start("judge".into(), request(turn, "x"), false);
        }
        let mut turns = Vec::new();
        for _ in 0..3 {
            let (turn, result) = ended(&mut performer).await;
            assert!(result.is_ok() && !performer.has(turn));
            turns.push(turn.0);
        }
        turns.sort_unstable();
        assert_eq!(turns, [1, 2, 3]);
    }

    #[tokio::test]
    async fn cancelling_ends_them_all_and_each_is_reported() {
        let mut performer = performer(9);
        performer.start("judge".into(), request(1, "x"), false);
        performer.start("judge".into(), request(2, "x"), true);
        performer.cancel(&[TurnId(1), TurnId(2)]);
        for _ in 0..2 {
            assert_eq!(ended(&mut performer).await.1, Err(AgentError::Cancelled.into()));
        }
    }

    #[tokio::test]
    async fn an_adapter_that_panics_fails_its_own_turn_alone() {
        let mut performer = performer(2);
        for (turn, prompt) in [(1, "x"), (2, "panic"), (3, "x")] {
            performer.start("judge".into(), request(turn, prompt), false);
        }
        for _ in 0..3 {
            let (turn, result) = ended(&mut performer).await;
            assert_eq!(result.is_err(), turn == TurnId(2), "{turn}");
        }
    }
}
