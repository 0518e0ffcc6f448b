//! A person in a seat. Waiting is looking into the store: it holds nothing, and whoever looks next finds what was given.

use std::sync::Arc;
use std::time::Duration;
use tribunal_agents::{AgentError, Answer, Answering, Native, Show, TurnRequest};
use tribunal_kernel::Time;
use tribunal_store::{Backend, StoreError};

use crate::attached;
use crate::clock::{Clock as _, SystemClock};

/// How often we look for an answer.
pub const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A person who is asked through the store.
#[derive(Debug)]
pub struct Human {
    /// The agent's name.
    pub name: String,
    pub store: Arc<dyn Backend>,
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
            let questions = self.store.questions();
            attached::lay_out_for_people(&*self.store, request.run, &request.attachments).map_err(broken)?;
            let files = request.attachments.iter().map(|file| (file.name.as_str(), file.media_type));
            let links = attached::told_to_people(&*self.store, request.run, files);
            let question = format!("{}{links}", request.prompt);
            let since = questions.ask(request.run, request.turn, &question).await.map_err(broken)?;
            loop {
                if let Some(text) = questions.find(request.run, request.turn).await.map_err(broken)? {
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
pub fn is_over(since: Time, patience: Duration) -> bool {
    SystemClock.now().since(since) >= patience
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tribunal_kernel::{Round, RunId, SeatName, TurnId};
    use tribunal_store::{FileBackend, Layout};
    use uuid::Uuid;

    const RUN: RunId = RunId(Uuid::nil());
    const TURN: TurnId = TurnId(1);

    fn request() -> TurnRequest {
        TurnRequest {
            place: String::new(),
            run: RUN,
            r#loop: None,
            works_on_files: false,
            judges: false,
            round: Round(1),
            turn: TURN,
            seat: SeatName::new("reviewer"),
            task: "review".into(),
            model: None,
            effort: None,
            prompt: "What do you think?".into(),
            stable: 0,
            attachments: Vec::new(),
            form: None,
            input: None,
            meter: tribunal_kernel::quote::TurnMeter::default(),
            is_resumed: false,
        }
    }

    fn human(root: &tempfile::TempDir, patience: Option<Duration>) -> Human {
        Human { name: "ada".into(), store: Arc::new(FileBackend::new(root.path())), patience }
    }

    #[tokio::test]
    async fn the_question_waits_in_a_file_and_the_answer_is_taken_from_one() {
        let root = tempfile::tempdir().unwrap();
        let human = human(&root, None);
        let answering = human.answer(request(), &|_| {});
        let answered = async {
            // The time is written down before the question.
            let question = Layout::new(root.path()).question(RUN, TURN);
            while !question.exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert!(human.store.questions().asked(RUN, TURN).await.unwrap().is_some());
            assert_eq!(fs::read_to_string(question).unwrap(), "What do you think?");
            human.store.questions().answer(RUN, TURN, "Fine.").await.unwrap();
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
        // Asked a minute ago, by somebody who is gone.
        let since = Time(SystemClock.now().0 - 61_000);
        let path = Layout::new(root.path()).asked(RUN, TURN);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{{\"since\":\"{since}\"}}")).unwrap();
        let error = human.answer(request(), &|_| {}).await.unwrap_err();
        assert_eq!(error, AgentError::Overtime { agent: "ada".into(), total: Duration::from_secs(60) });
        human.store.questions().answer(RUN, TURN, "Late.").await.unwrap();
        assert_eq!(human.answer(request(), &|_| {}).await.unwrap().text, "Late.");
    }
}
