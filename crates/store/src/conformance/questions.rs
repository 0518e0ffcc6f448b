//! What people are asked.

use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tribunal_kernel::TurnId;

use super::{Harness, run_id};
use crate::Backend;

const TURN: TurnId = TurnId(3);

pub async fn the_first_answer_counts(store: Arc<dyn Backend>) {
    let run = run_id(1);
    drop(store.logs().create(run).await.expect("create"));
    let questions = store.questions();
    assert_eq!(questions.asked(run, TURN).await.expect("asked"), None);
    assert_eq!(questions.find(run, TURN).await.expect("find"), None);
    let since = questions.ask(run, TURN, "What?").await.expect("ask");
    assert_eq!(questions.asked(run, TURN).await.expect("asked"), Some(since));
    let mut answers = JoinSet::new();
    for number in 0..8 {
        let store = store.clone();
        answers.spawn(async move {
            let text = format!("größer, {number}\n");
            (store.questions().answer(run, TURN, &text).await.expect("answer"), text)
        });
    }
    let answers = answers.join_all().await;
    let first: Vec<_> = answers.into_iter().filter(|(is_first, _)| *is_first).map(|(_, text)| text).collect();
    assert_eq!(first.len(), 1, "one answer is the first");
    assert_eq!(questions.find(run, TURN).await.expect("find").as_ref(), first.first());
    assert!(!questions.answer(run, TURN, "late").await.expect("answer"));
    assert_eq!(questions.find(run, TurnId(4)).await.expect("find"), None, "an answer is for one turn");
    assert_eq!(questions.find(run_id(2), TURN).await.expect("find"), None, "of one run");
}

pub async fn what_did_not_fit_is_kept_until_there_is_an_answer(store: Arc<dyn Backend>) {
    let run = run_id(1);
    drop(store.logs().create(run).await.expect("create"));
    let questions = store.questions();
    questions.ask(run, TURN, "What?").await.expect("ask");
    assert_eq!(questions.kept(run, TURN).await.expect("kept"), None);
    for text in ["Thi", "This"] {
        questions.keep(run, TURN, text).await.expect("keep");
        assert_eq!(questions.kept(run, TURN).await.expect("kept").as_deref(), Some(text));
    }
    assert_eq!(questions.find(run, TURN).await.expect("find"), None, "that was no answer");
    assert!(questions.answer(run, TURN, "This.").await.expect("answer"));
    assert_eq!(questions.kept(run, TURN).await.expect("kept"), None);
}

pub async fn a_question_keeps_its_time_over_restarts(harness: &dyn Harness, number: u32) {
    let run = run_id(1);
    let store = harness.open(number).await.expect("open");
    drop(store.logs().create(run).await.expect("create"));
    let since = store.questions().ask(run, TURN, "What?").await.expect("ask");
    drop(store);
    tokio::time::sleep(Duration::from_millis(5)).await;
    let store = harness.open(number).await.expect("open again");
    assert_eq!(store.questions().ask(run, TURN, "What?").await.expect("ask"), since, "asking again gives no more time");
    assert_eq!(store.questions().asked(run, TURN).await.expect("asked"), Some(since));
    let later = store.questions().ask(run, TurnId(4), "And?").await.expect("ask");
    assert!(later >= since);
}
