//! Kill after any event, replay, go on: the same log.

use crate::support::{Play, settings, spec};
use proptest::prelude::*;
use tribunal_kernel::{Entry, Run};

/// Answers that may fit, may not, and may be failures.
fn answers() -> impl Strategy<Value = Vec<String>> {
    let answer = prop_oneof![
        ("[a-c]", any::<bool>())
            .prop_map(|(text, done)| { format!(r#"{{"done": {done}, "candidate": {{"content": "{text}"}}}}"#) }),
        prop_oneof![Just("ok"), Just("changes_requested"), Just("needs_human")].prop_map(|word| format!(
            r#"{{"verdict": "{word}", "issues": [{{"message": "m", "severity": "warning"}}]}}"#
        )),
        Just("!it died".to_owned()),
        Just("nothing to see here".to_owned()),
    ];
    prop::collection::vec(answer, 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_log_folds_to_one_state_wherever_it_was_cut(answers in answers(), max in 1u32..5) {
        let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
        let mut whole = Play::new(spec(settings("description", max)));
        whole.play(&answers);
        for cut in 1..=whole.entries.len() {
            let mut again = Play::new(spec(settings("description", max)));
            again.texts = whole.texts.clone();
            again.entries = whole.entries[..cut].to_vec();
            let given = ended(&again.entries);
            again.play(&answers[given..]);
            prop_assert_eq!(&again.entries, &whole.entries, "cut after {}", cut);
        }
        let folded = Run::fold(&whole.entries).unwrap().unwrap();
        prop_assert_eq!(format!("{folded:?}"), format!("{:?}", whole.run()));
    }
}

/// How many turns have ended: so many answers are used up.
fn ended(entries: &[Entry]) -> usize {
    entries.iter().filter(|entry| matches!(entry.event.name(), "turn_answered" | "turn_failed")).count()
}
