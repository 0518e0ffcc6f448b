//! Places in streams: what a reader has seen, as it says in `Last-Event-ID`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use tribunal_kernel::{RunId, Seq, Time};

/// A run that was opened this long before a cursor was written may not have been noticed by then.
const UNNOTICED_MS: u64 = 5_000;

/// A place in the stream of one run: `17` after all that entry 17 tells, `17.2` after the first two events of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// Everything up to this entry has been seen.
    whole: u64,
    /// So many events of the next entry, too.
    part: u32,
}

/// A place in the stream of all runs: how far each of those that go on has been seen, and when that was.
///
/// A run that is not named had ended long before, or was not there yet. Entries of the first kind are owed if they are
/// newer than the cursor; of the second kind all are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cursor {
    time: Time,
    seen: BTreeMap<String, Position>,
}

/// What was given is no place in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a position in the stream")]
pub struct Unreadable;

impl Position {
    /// After everything that entry `seq` tells.
    pub fn after(seq: Seq) -> Self {
        Self { whole: seq.0, part: 0 }
    }

    /// After the event number `part` (from 1) of the `of` events that entry `seq` tells.
    pub fn within(seq: Seq, part: usize, of: usize) -> Self {
        if part >= of {
            return Self::after(seq);
        }
        Self { whole: seq.0.saturating_sub(1), part: u32::try_from(part).unwrap_or(u32::MAX) }
    }
}

impl Cursor {
    /// What has been seen at `time`.
    pub fn new(time: Time, seen: impl IntoIterator<Item = (RunId, Position)>) -> Self {
        Self { time, seen: seen.into_iter().map(|(run, position)| (short(run), position)).collect() }
    }

    /// Takes note of what is shown now, while what was missed is told. The time stays: what is not named is still owed.
    pub fn see(&mut self, run: RunId, position: Position) {
        self.seen.insert(short(run), position);
    }

    /// What of `run` is owed: entries later than this place, unless they are older than this time.
    pub fn owed(&self, run: RunId) -> (Position, Time) {
        if let Some(position) = self.seen.get(&short(run)) {
            return (*position, Time(0));
        }
        (Position::default(), if is_new(run, self.time) { Time(0) } else { Time(self.time.0 + 1) })
    }
}

/// Whether a cursor of this time that does not name the run takes it for one that was not there yet.
pub(super) fn is_new(run: RunId, time: Time) -> bool {
    opened(run) > time.0.saturating_sub(UNNOTICED_MS)
}

/// The last digits of a run's id: drawn by chance, so they tell runs of one project apart.
fn short(run: RunId) -> String {
    let id = run.0.simple().to_string();
    id[id.len() - 12..].to_owned()
}

/// When a run was opened, in milliseconds: it stands in its id.
fn opened(run: RunId) -> u64 {
    u64::try_from(run.0.as_u128() >> 80).unwrap_or_default()
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            0 => write!(f, "{}", self.whole),
            part => write!(f, "{}.{part}", self.whole + 1),
        }
    }
}

impl FromStr for Position {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let number = |text: &str| -> Result<u64, Unreadable> {
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if is_plain { text.parse().map_err(|_| Unreadable) } else { Err(Unreadable) }
        };
        match text.split_once('.') {
            None => Ok(Self { whole: number(text)?, part: 0 }),
            Some((seq, part)) => {
                let whole = number(seq)?.checked_sub(1).ok_or(Unreadable)?;
                let part = u32::try_from(number(part)?).map_err(|_| Unreadable)?;
                Ok(Self { whole, part })
            }
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.time.0)?;
        self.seen.iter().try_for_each(|(run, position)| write!(f, ";{run}:{position}"))
    }
}

impl FromStr for Cursor {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let mut parts = text.split(';');
        let time = parts.next().and_then(|time| time.parse().ok()).map(Time).ok_or(Unreadable)?;
        let mut seen = BTreeMap::new();
        for part in parts {
            let (run, position) = part.split_once(':').ok_or(Unreadable)?;
            seen.insert(run.to_owned(), position.parse()?);
        }
        Ok(Self { time, seen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    proptest! {
        #[test]
        fn places_are_read_as_they_are_written(seq in 1u64..1_000_000, part in 1usize..9, of in 1usize..9) {
            let position = Position::within(Seq(seq), part, of);
            prop_assert_eq!(position.to_string().parse(), Ok(position));
            prop_assert!(position <= Position::after(Seq(seq)) && position > Position::after(Seq(seq - 1)));
        }
    }

    #[test]
    fn places_have_an_order_and_short_names() {
        let shown: Vec<String> = (1..=3).map(|part| Position::within(Seq(17), part, 3).to_string()).collect();
        assert_eq!(shown, ["17.1", "17.2", "17"]);
        for bad in ["", "x", "-1", "1.", ".1", "0.1", "1.2.3", "+1", "99999999999999999999"] {
            assert_eq!(bad.parse::<Position>(), Err(Unreadable), "{bad}");
        }
    }

    #[test]
    fn a_cursor_knows_what_is_owed() {
        let run = |ms: u128, tail: u128| RunId(Uuid::from_u128(ms << 80 | tail));
        let (live, old, new, unnoticed) = (run(1_000, 1), run(2_000, 2), run(101_000, 3), run(99_000, 4));
        let cursor = Cursor::new(Time(100_000), [(live, Position::after(Seq(7)))]);
        let read: Cursor = cursor.to_string().parse().unwrap();
        assert_eq!(read, cursor);
        assert_eq!(read.to_string(), "100000;000000000001:7");
        assert_eq!(read.owed(live), (Position::after(Seq(7)), Time(0)));
        assert_eq!(read.owed(old), (Position::default(), Time(100_001)), "reopened: what is newer than the cursor");
        assert_eq!(read.owed(new), (Position::default(), Time(0)));
        assert_eq!(read.owed(unnoticed), (Position::default(), Time(0)));
        for bad in ["", "x", "1;", "1;a", "1;a:b", ";a:1"] {
            assert_eq!(bad.parse::<Cursor>(), Err(Unreadable), "{bad}");
        }
    }
}
