//! Stops: an agent says that it is done, and is believed, refused, or let through all the same.
//!
//! Nobody is refused for ever: after so many refusals in a row a session is let through, and a person can let it go at
//! once. Either is recorded, so that whoever looks later knows that nothing was shown.

use serde::{Deserialize, Serialize};

use crate::{RunId, Time};

/// So many are kept.
const STOPS_KEPT: usize = 500;
/// The form in which they are kept.
pub const STOPS_VERSION: u32 = 1;

/// Every stop of a project's agents, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stops {
    pub version: u32,
    #[serde(default)]
    pub stops: Vec<Stop>,
}

/// An agent wanted to stop, or a person said that it may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    pub at: Time,
    /// Which agent: `claude`, `codex`, …; nothing where a person spoke.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Which of its sessions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    pub end: StopEnd,
    /// The run that judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// What was so when its session began is noted, so that a note that is missing later was taken away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noted: bool,
    pub why: String,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopEnd {
    /// The change holds.
    Held,
    /// The change does not hold: the agent goes on.
    Refused,
    /// The change does not hold, and the session was refused often enough.
    LetThrough,
    /// Nothing could be judged.
    NotJudged,
    /// A person said that the next stop gets through.
    LetGo,
    /// So it did.
    Released,
}

/// What was found out about the change that an agent calls done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopFinding {
    /// There is no change.
    Nothing,
    Holds(String),
    DoesNotHold(String),
    /// It cannot be told, and why.
    CannotTell(String),
}

impl Default for Stops {
    fn default() -> Self {
        Self { version: STOPS_VERSION, stops: Vec::new() }
    }
}

impl Stops {
    /// One more; the oldest are forgotten.
    pub fn push(&mut self, stop: Stop) {
        self.stops.push(stop);
        let over = self.stops.len().saturating_sub(STOPS_KEPT);
        self.stops.drain(..over);
    }

    /// What a person said, if the next stop gets through because of it. It is good for one stop, of whatever kind.
    pub fn let_go(&self) -> Option<&str> {
        self.stops.last().filter(|stop| stop.end == StopEnd::LetGo).map(|stop| stop.why.as_str())
    }

    /// Whether it was noted what was so when a session began.
    pub fn was_noted(&self, agent: &str, session: &str) -> bool {
        self.stops.iter().any(|stop| stop.noted && stop.agent == agent && stop.session == session)
    }

    /// How often a session was refused since it last got through.
    pub fn refused(&self, agent: &str, session: &str) -> usize {
        let own = self.stops.iter().rev().filter(|stop| stop.agent == agent && stop.session == session);
        own.take_while(|stop| stop.end == StopEnd::Refused).count()
    }

    /// What becomes of a stop; nothing is recorded where there was nothing to judge.
    pub fn decide(&self, agent: &str, session: &str, most: u32, found: StopFinding) -> Option<(StopEnd, String)> {
        match found {
            StopFinding::Nothing => None,
            StopFinding::Holds(why) => Some((StopEnd::Held, why)),
            StopFinding::CannotTell(why) => Some((StopEnd::NotJudged, why)),
            StopFinding::DoesNotHold(why) if self.refused(agent, session) < most as usize => {
                Some((StopEnd::Refused, why))
            }
            StopFinding::DoesNotHold(why) => Some((StopEnd::LetThrough, why)),
        }
    }

    /// Those that got through although nothing was shown.
    pub fn unproven(&self) -> impl Iterator<Item = &Stop> {
        let is_unproven = |end| matches!(end, StopEnd::LetThrough | StopEnd::NotJudged | StopEnd::Released);
        self.stops.iter().filter(move |stop| is_unproven(stop.end))
    }
}

impl StopEnd {
    /// For people.
    pub fn told(self) -> &'static str {
        match self {
            Self::Held => "the change holds",
            Self::Refused => "refused",
            Self::LetThrough => "let through after too many refusals",
            Self::NotJudged => "let through, it could not be judged",
            Self::LetGo => "the next one may go",
            Self::Released => "let go by a person",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops(ends: &[(&str, StopEnd)]) -> Stops {
        let mut stops = Stops::default();
        for (session, end) in ends {
            let (agent, session) = ("claude".to_owned(), (*session).to_owned());
            stops.push(Stop { at: Time(1), agent, session, end: *end, run: None, noted: false, why: "because".into() });
        }
        stops
    }

    /// What was before, how often at most, and what follows.
    type Row = (&'static [(&'static str, StopEnd)], u32, StopEnd);

    #[test]
    fn nobody_is_refused_for_ever_and_nobody_gets_through_because_another_was_refused() {
        use StopEnd::{Held, LetGo, LetThrough, NotJudged, Refused};
        let rows: [Row; 8] = [
            (&[], 3, Refused),
            (&[], 0, LetThrough),
            (&[("a", Refused), ("a", Refused)], 3, Refused),
            (&[("a", Refused), ("a", Refused), ("a", Refused)], 3, LetThrough),
            (&[("b", Refused), ("b", Refused), ("b", Refused)], 3, Refused),
            (&[("a", Refused), ("a", Refused), ("a", Held), ("a", Refused)], 3, Refused),
            (&[("a", Refused), ("a", Refused), ("a", Refused), ("a", LetThrough)], 3, Refused),
            (&[("a", Refused), ("b", Held), ("", LetGo), ("a", Refused), ("b", NotJudged)], 2, LetThrough),
        ];
        for (before, most, end) in rows {
            let decided = stops(before).decide("claude", "a", most, StopFinding::DoesNotHold("red".into()));
            assert_eq!(decided, Some((end, "red".to_owned())), "{before:?}, at most {most}");
        }
        let many: Vec<_> = (0..5).map(|_| ("a", Refused)).collect();
        assert_eq!(stops(&many).refused("codex", "a"), 0, "another agent's session is another one");
    }

    #[test]
    fn silence_and_what_cannot_be_judged_are_no_pass() {
        let none = Stops::default();
        assert_eq!(none.decide("claude", "a", 3, StopFinding::Nothing), None);
        let told = |found| none.decide("claude", "a", 3, found).map(|(end, _)| end);
        assert_eq!(told(StopFinding::CannotTell("no git".into())), Some(StopEnd::NotJudged));
        assert_eq!(told(StopFinding::Holds("green".into())), Some(StopEnd::Held));
        let both = stops(&[("a", StopEnd::Held), ("a", StopEnd::NotJudged), ("a", StopEnd::Refused)]);
        assert_eq!(both.unproven().count(), 1, "what could not be judged is shown later");
    }

    #[test]
    fn a_person_lets_one_stop_go_and_no_second_one() {
        assert_eq!(stops(&[("", StopEnd::LetGo)]).let_go(), Some("because"));
        for after in [StopEnd::Released, StopEnd::Held, StopEnd::Refused, StopEnd::NotJudged] {
            assert_eq!(stops(&[("", StopEnd::LetGo), ("a", after)]).let_go(), None, "{after:?}");
        }
        assert_eq!(Stops::default().let_go(), None);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut all = stops(&vec![("a", StopEnd::Held); STOPS_KEPT]);
        all.push(Stop { end: StopEnd::Refused, ..all.stops[0].clone() });
        assert_eq!((all.stops.len(), all.stops[STOPS_KEPT - 1].end), (STOPS_KEPT, StopEnd::Refused));
    }
}
