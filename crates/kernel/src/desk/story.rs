//! User stories and their names.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

use crate::Digest;

/// The name of a user story. `US-1`, `us_01` and `User Story 1` are all `US-001`: a worker that drops a zero in its
/// claim still means the same story.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoryId(String);

/// A piece of the contract that is claimed and verified as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    pub id: StoryId,
    pub title: String,
    /// What has to be true, one entry each, with nested points drawn into theirs.
    pub criteria: Vec<String>,
    /// Given files that the work may change: `may change: tests/…`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_change: Vec<String>,
    /// Of the story's own text, without regard to line ends and trailing blanks: a verified story whose text
    /// changes is a new promise.
    pub digest: Digest,
}

/// More digits than this are no number of a story.
const MAX_DIGITS: usize = 9;

impl StoryId {
    /// The story that `text` begins with, markup aside: `US-001: title` is `US-001`.
    pub fn of(text: &str) -> Option<Self> {
        Self::leading(text).map(|(id, _)| id)
    }

    /// The stories that `text` names anywhere.
    pub fn named_in(text: &str) -> BTreeSet<Self> {
        let bytes = text.as_bytes();
        let starts = bytes.windows(2).enumerate().filter(|(at, pair)| {
            pair.eq_ignore_ascii_case(b"us") && !at.checked_sub(1).is_some_and(|at| bytes[at].is_ascii_alphanumeric())
        });
        starts.filter_map(|(at, _)| number(&text[at + 2..])).map(|(id, _)| id).collect()
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The story that `text` begins with, and what follows its name.
    pub(super) fn leading(text: &str) -> Option<(Self, &str)> {
        let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '[' | '~'));
        let spoken = ["user story", "story"].into_iter().find_map(|word| strip_word(text, word));
        if let Some(found) = spoken.and_then(|rest| number(rest.trim_start_matches([' ', '#']))) {
            return Some(found);
        }
        let text = spoken.map_or(text, str::trim_start);
        number(strip_word(text, "us")?)
    }
}

fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    head.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}

/// A story's number at the start of `text`, and what follows it.
fn number(text: &str) -> Option<(StoryId, &str)> {
    let text = text.strip_prefix(['-', '_', '\u{2011}']).unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    if digits > MAX_DIGITS {
        return None;
    }
    let mut after = rest.chars();
    let is_part_of_more = match after.next() {
        Some('.') => after.next().is_some_and(|c| c.is_ascii_digit()),
        Some(next) => next.is_alphanumeric(),
        None => false,
    };
    let number: u32 = number.parse().ok().filter(|_| !is_part_of_more)?;
    Some((StoryId(format!("US-{number:03}")), rest))
}

impl fmt::Display for StoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
