//! What was told last, as it was written out. A reader that fell behind and comes back gets it from here.
//!
//! From the log it would have to be folded from the beginning: when a busy moment makes many fall behind, reading the
//! log so often would keep the machine busy, and they would fall behind again.

use axum::body::Bytes;
use std::collections::VecDeque;

use super::mailbox::MAILBOX;
use super::position::Position;

/// So many frames are kept: a full mailbox, and what is told until its reader is back.
const KEPT: usize = 8 * MAILBOX;
/// Long texts are not kept: who missed them reads the log.
const KEPT_BYTES: usize = 1024 * 1024;

/// The end of a stream.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// Everything after this place is here.
    from: Option<Position>,
    told: VecDeque<Told>,
    frames: usize,
    bytes: usize,
}

/// Frames that were told together, each with the place after it and where it ends.
#[derive(Debug)]
struct Told {
    ends: Vec<(Position, usize)>,
    bytes: Bytes,
}

impl Recent {
    /// Takes in what follows what is here; `before` says where that begins if nothing is.
    pub(super) fn keep(&mut self, before: Position, ends: Vec<(Position, usize)>, bytes: Bytes) {
        self.from.get_or_insert(before);
        self.frames += ends.len();
        self.bytes += bytes.len();
        self.told.push_back(Told { ends, bytes });
        while self.frames > KEPT || self.bytes > KEPT_BYTES {
            let Some(oldest) = self.told.pop_front() else { break };
            self.frames -= oldest.ends.len();
            self.bytes -= oldest.bytes.len();
            self.from = oldest.ends.last().map(|(place, _)| *place).or(self.from);
        }
    }

    /// Something was not told here.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Everything after a place, if all of it is here.
    pub(super) fn after(&self, place: Position) -> Option<VecDeque<Bytes>> {
        if self.from? > place {
            return None;
        }
        let rest = |told: &Told| {
            let seen = told.ends.iter().take_while(|(end, _)| *end <= place).last().map_or(0, |(_, end)| *end);
            (seen < told.bytes.len()).then(|| told.bytes.slice(seen..))
        };
        Some(self.told.iter().filter_map(rest).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::Seq;

    fn place(seq: u64) -> Position {
        Position::after(Seq(seq))
    }

    /// Two frames a batch; every frame is its number.
    fn told(recent: &mut Recent, seqs: std::ops::Range<u64>) {
        for seq in seqs.step_by(2) {
            let (first, second) = (format!("{seq} "), format!("{} ", seq + 1));
            let ends = vec![(place(seq), first.len()), (place(seq + 1), first.len() + second.len())];
            recent.keep(place(seq - 1), ends, Bytes::from(first + &second));
        }
    }

    fn text(recent: &Recent, after: u64) -> Option<String> {
        let pieces = recent.after(place(after))?;
        Some(pieces.iter().map(|piece| String::from_utf8_lossy(piece).into_owned()).collect())
    }

    #[test]
    fn a_place_within_what_is_kept_is_found_and_any_other_is_not() {
        let mut recent = Recent::default();
        assert_eq!(text(&recent, 7), None, "nothing is kept");
        told(&mut recent, 5..11);
        assert_eq!(text(&recent, 3), None, "4 was not told here");
        for (after, rest) in [(4, "5 6 7 8 9 10 "), (5, "6 7 8 9 10 "), (8, "9 10 "), (10, ""), (11, "")] {
            assert_eq!(text(&recent, after).as_deref(), Some(rest), "after {after}");
        }
        recent.forget();
        assert_eq!(text(&recent, 10), None);
    }

    #[test]
    fn what_is_too_much_is_let_go_from_its_beginning() {
        let mut recent = Recent::default();
        let last = KEPT as u64 + 100;
        told(&mut recent, 1..last + 1);
        let oldest = last - KEPT as u64;
        assert_eq!(text(&recent, oldest - 1), None);
        assert!(text(&recent, oldest).unwrap().starts_with(&format!("{} ", oldest + 1)));
        assert_eq!((recent.frames, recent.told.len()), (KEPT, KEPT / 2));

        let long = KEPT_BYTES + 1;
        recent.keep(place(last), vec![(place(last + 1), long)], Bytes::from("x".repeat(long)));
        assert_eq!(text(&recent, last), None, "a text that is too long is in the log alone");
        assert_eq!((text(&recent, last + 1).as_deref(), recent.bytes), (Some(""), 0));
    }
}
