//! What a run came to.

use std::process::Output;
use std::time::Duration;

use super::case::{Case, Words};

/// The exit code of what passed.
const PASSED: i32 = 0;

/// How a run ended, and what it printed.
#[derive(Debug)]
pub(super) struct End {
    pub(super) word: EndWord,
    /// What was expected and is not so.
    missing: Vec<String>,
    printed: String,
    took: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndWord {
    /// A lie did not pass, and for the reason that the case gives.
    Caught,
    /// A lie passed.
    Shipped,
    /// An honest run came to its end.
    Passed,
    /// An honest run did not.
    HeldUp,
    /// It did not end as the case says, so the case shows nothing.
    Otherwise,
}

impl EndWord {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Caught => "caught",
            Self::Shipped => "SHIPPED",
            Self::Passed => "passed",
            Self::HeldUp => "HELD UP",
            Self::Otherwise => "OTHERWISE",
        }
    }

    pub(super) fn is_well(self) -> bool {
        matches!(self, Self::Caught | Self::Passed)
    }
}

impl End {
    pub(super) fn of(case: &Case, output: &Output, handed_over: &[String], took: Duration) -> Self {
        let code = output.status.code();
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let ended = code.map_or_else(|| "killed".to_owned(), |code| format!("exit {code}"));
        let printed = format!("{ended}\n{stdout}{stderr}");
        // The result; where there is none, why not.
        let mut result = format!("{ended}\n{}", if stdout.is_empty() { &stderr } else { &stdout });
        if !case.script.shell.is_empty() {
            result.push_str(last_round(&stderr));
        }
        let script = &case.script;
        let lacks = |text: &str, words: &Words| -> Vec<String> {
            words.iter().filter(|word| !text.contains(*word)).map(|word| format!("it does not say {word:?}")).collect()
        };
        let mut missing = lacks(&result, &script.ends);
        missing.extend(script.says.iter().flat_map(|says| lacks(&printed, says)));
        if let Some(words) = script.ships.as_ref().filter(|words| !handed_over.iter().any(|text| text.contains(*words)))
        {
            missing.push(format!("what was handed over does not say {words:?}"));
        }
        let is_passed = code == Some(PASSED);
        let is_shipped = match &script.never_ships {
            Some(words) => is_passed && handed_over.iter().any(|text| text.contains(words)),
            None => is_passed,
        };
        let word = match (case.is_lie, missing.is_empty()) {
            (true, _) if is_shipped => EndWord::Shipped,
            (true, true) => EndWord::Caught,
            (false, _) if !is_passed => EndWord::HeldUp,
            (false, true) => EndWord::Passed,
            (_, false) => EndWord::Otherwise,
        };
        Self { word, missing, printed, took }
    }

    /// Something else that is not so, however it ended.
    pub(super) fn blame(&mut self, what: &str) {
        self.missing.push(what.to_owned());
        if self.word.is_well() {
            self.word = EndWord::Otherwise;
        }
    }

    /// What was expected and what was printed, indented.
    pub(super) fn told(&self) -> String {
        let missing = self.missing.iter().map(String::as_str);
        let lines = missing.chain(self.printed.lines()).map(|line| format!("    {line}\n"));
        format!("{}    {:.1} s", lines.collect::<String>(), self.took.as_secs_f64())
    }
}

/// How the last iteration of a desk ended: a campaign that has used up its iterations does not repeat why it did.
fn last_round(stderr: &str) -> &str {
    let begins = stderr.match_indices(": round ").map(|(at, _)| at);
    begins.last().map_or("", |at| &stderr[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_iteration_says_why() {
        let stderr =
            "calc: worker (round 1): working\ncalc: round 1: fail: no_claim: a\ncalc: round 2: fail: forged: a\nb\n";
        assert_eq!(last_round(stderr), ": round 2: fail: forged: a\nb\n");
        assert_eq!(last_round("error: there is no plan\n"), "");
    }
}
