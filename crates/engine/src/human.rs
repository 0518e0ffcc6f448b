//! A person in a seat. Waiting is looking for a file: it holds nothing, and whoever looks next finds what was given.

use std::time::{Duration, SystemTime};
use tribunal_agents::{AgentError, Answer, Answering, Native, Show, TurnRequest};
use tribunal_store::{Layout, StoreError, answers};

/// How often we look for an answer.
pub const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A person who is asked through files.
#[derive(Debug)]
pub struct Human {
    /// The agent's name.
    pub name: String,
    pub layout: Layout,
    /// How long they may think, from when they were first asked.
    pub patience: Option<Duration>,
}

impl Native for Human {
    fn answer<'a>(&'a self, request: TurnRequest, _: Show<'a>) -> Answering<'a> {
        Box::pin(async move {
            let broken = |error: StoreError| AgentError::Unavailable {
                agent: self.name.clone(),
                reason: error.to_string(),
                hint: error.hint(),
            };
            let since = answers::ask(&self.layout, request.run, request.turn, &request.prompt).map_err(broken)?;
            loop {
                if let Some(text) = answers::find(&self.layout, request.run, request.turn).map_err(broken)? {
                    return Ok(Answer { text, ..Answer::default() });
                }
                if let Some(total) = self.patience.filter(|patience| is_over(since, *patience)) {
                    return Err(AgentError::Overtime { agent: self.name.clone(), total });
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        })
    }
}

/// Whether so much time has passed. A clock that was set back lets people think longer, and nothing breaks.
pub fn is_over(since: SystemTime, patience: Duration) -> bool {
    since.elapsed().is_ok_and(|elapsed| elapsed >= patience)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tribunal_kernel::{LoopKind, Round, RunId, SeatName, TurnId};
    use uuid::Uuid;

    const RUN: RunId = RunId(Uuid::nil());
    const TURN: TurnId = TurnId(1);

    fn request() -> TurnRequest {
        TurnRequest {
            run: RUN,
            kind: LoopKind::Review,
            round: Round(1),
            turn: TURN,
            seat: SeatName::new("reviewer"),
            task: "review".into(),
            model: None,
            effort: None,
            prompt: "What do you think?".into(),
            stable: 0,
        }
    }

    fn human(root: &tempfile::TempDir, patience: Option<Duration>) -> Human {
        Human { name: "ada".into(), layout: Layout::new(root.path()), patience }
    }

    #[tokio::test]
    async fn the_question_waits_in_a_file_and_the_answer_is_taken_from_one() {
        let root = tempfile::tempdir().unwrap();
        let human = human(&root, None);
        let answering = human.answer(request(), &|_| {});
        let answered = async {
            while answers::asked(&human.layout, RUN, TURN).unwrap().is_none() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert_eq!(fs::read_to_string(human.layout.question(RUN, TURN)).unwrap(), "What do you think?");
            answers::give(&human.layout, RUN, TURN, "Fine.").unwrap();
        };
        let (answer, ()) = tokio::join!(answering, answered);
        assert_eq!(answer.unwrap().text, "Fine.");
        // Whoever asks again, after a crash, has it at once.
        assert_eq!(human.answer(request(), &|_| {}).await.unwrap().text, "Fine.");
    }

    #[tokio::test]
    async fn a_restart_gives_nobody_more_time_but_an_answer_that_is_there_counts() {
        let root = tempfile::tempdir().unwrap();
        let human = human(&root, Some(Duration::from_secs(60)));
        answers::ask(&human.layout, RUN, TURN, "What do you think?").unwrap();
        let file = fs::File::options().write(true).open(human.layout.question(RUN, TURN)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(61)).unwrap();
        let error = human.answer(request(), &|_| {}).await.unwrap_err();
        assert_eq!(error, AgentError::Overtime { agent: "ada".into(), total: Duration::from_secs(60) });
        answers::give(&human.layout, RUN, TURN, "Late.").unwrap();
        assert_eq!(human.answer(request(), &|_| {}).await.unwrap().text, "Late.");
    }
}
