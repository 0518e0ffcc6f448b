//! Whether an answer holds one ballot, and no other. Of a judge who gives two, or who repeats the one that a draft told it to
//! give, nobody knows which is meant.

use serde_json::Value;

use crate::answer::Misfit;

const KEY: &str = "ballot";

/// The ballot of an answer, while the answer is read piece by piece.
#[derive(Debug, Default)]
pub(crate) struct SingleBallot {
    found: Option<Value>,
    has_other: bool,
}

impl SingleBallot {
    /// An object that is an answer. The same ballot may be there more often: agents repeat themselves.
    pub(crate) fn take(&mut self, answer: &Value) {
        let Some(ballot) = answer.get(KEY) else { return };
        self.has_other |= self.found.as_ref().is_some_and(|found| found != ballot);
        self.found = Some(ballot.clone());
    }

    /// An object that is none: what it holds may be the judge's own, in a form that cannot be read.
    pub(crate) fn take_misfit(&mut self, object: &Value) {
        self.has_other |= holds(object);
    }

    /// What is no complete object.
    pub(crate) fn take_prose(&mut self, text: &str) {
        self.has_other |= text.match_indices(KEY).any(|(at, _)| is_key(&text[..at], &text[at + KEY.len()..]));
    }

    pub(crate) fn check(self) -> Result<(), Misfit> {
        if self.found.is_some() && self.has_other {
            let why =
                "there is more than one `ballot` in the answer, and they differ: answer with one, and quote no other";
            return Err(Misfit::Unacceptable(why.into()));
        }
        Ok(())
    }
}

fn holds(value: &Value) -> bool {
    match value {
        Value::Object(entries) => entries.contains_key(KEY) || entries.values().any(holds),
        Value::Array(items) => items.iter().any(holds),
        _ => false,
    }
}

/// Whether the word between these two is a key, in whatever quotes: `'ballot': [`, `{ballot: [`.
fn is_key(before: &str, after: &str) -> bool {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '“' | '”' | '„' | '‘' | '’' | '\\');
    let bare = after.trim_start_matches(is_quote);
    let is_opened = before.ends_with(is_quote) || before.trim_end().ends_with(['{', ',']);
    is_opened && bare.trim_start().starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_told_from_a_word() {
        for text in [
            "{'ballot': [",
            "{ ballot : [",
            "“ballot”:",
            "x, ballot: 3",
            r#"{\"ballot\": ["#,
            "{\"note\": 1, \"ballot\":",
        ] {
            let at = text.find(KEY).unwrap();
            assert!(is_key(&text[..at], &text[at + KEY.len()..]), "{text}");
        }
        for text in ["Here is my ballot: ", "a `ballot` of three", "the ballot", "ballot: yes"] {
            let at = text.find(KEY).unwrap();
            assert!(!is_key(&text[..at], &text[at + KEY.len()..]), "{text}");
        }
    }
}
