//! Breakers: what ends a trial that no longer gets anywhere.
//!
//! A breaker looks at history and says whether it trips; what follows is the loop's business. They are small on
//! purpose: the rounds that a loop allows ([`rounds`]), and things that repeat in a row ([`Streak`]) — failed turns,
//! the same error, an unchanged context.

use crate::Round;

/// Failed turns in a row, over all seats, after which a run gives up: an environment that fails
/// this often will not mend by itself.
pub const MAX_FAILURES_IN_A_ROW: u32 = 12;

/// Whether `round` is the last one that is allowed.
pub fn rounds(round: Round, allowed: u32) -> bool {
    round.0 >= allowed
}

/// Counts how often the same thing happened in a row.
#[derive(Debug, Clone)]
pub struct Streak<T> {
    last: Option<T>,
    length: u32,
}

/// Nothing has happened yet.
impl<T> Default for Streak<T> {
    fn default() -> Self {
        Self { last: None, length: 0 }
    }
}

impl<T: PartialEq> Streak<T> {
    /// Takes in what happened; returns how often it has now happened in a row.
    pub fn see(&mut self, what: T) -> u32 {
        self.length = if self.last.as_ref() == Some(&what) { self.length + 1 } else { 1 };
        self.last = Some(what);
        self.length
    }

    /// How often the last thing happened in a row.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// The thing that is being repeated.
    pub fn last(&self) -> Option<&T> {
        self.last.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_resets_the_streak() {
        let mut streak = Streak::default();
        let seen: Vec<u32> = ["a", "a", "b", "b", "b"].into_iter().map(|item| streak.see(item)).collect();
        assert_eq!(seen, [1, 2, 1, 2, 3]);
    }
}
