//! What a crash leaves behind at the end of a log, told apart from damage.
//!
//! An append is one write of whole lines, so a crash can leave a prefix of it, or, where the file grew before its
//! pages reached the disk, zeros in the place of pages. Whatever else does not verify was not made by a crash of ours,
//! and cutting it off would destroy evidence.

use std::io;

use super::line;
use super::lines::{FileLines, Piece};
use crate::error::Damage;

/// Disks write whole sectors: a page that never made it begins and ends at a multiple of this.
const SECTOR: u64 = 512;

/// What is wrong with the first piece that is not a good line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TailVerdict {
    Torn,
    Damaged(Damage),
}

/// Judges an unterminated piece: nothing can follow it.
pub(crate) fn judge_unterminated(piece: &[u8], offset: u64) -> TailVerdict {
    // A whole line and one byte more: the newline was there and has been changed.
    if let Some((&found, line)) = piece.split_last()
        && line::is_intact(line)
        && !has_unwritten_sector(piece, offset)
    {
        return TailVerdict::Damaged(Damage::Newline { found });
    }
    TailVerdict::Torn
}

/// Judges a line that is bad because of `damage`; `rest` is what follows it. `piece` excludes the newline.
pub(crate) fn judge_line(
    piece: &[u8],
    offset: u64,
    damage: Damage,
    rest: &mut FileLines<'_>,
) -> io::Result<TailVerdict> {
    if !has_unwritten_sector(piece, offset) {
        return Ok(TailVerdict::Damaged(damage));
    }
    while let Some(piece) = rest.next()? {
        if let Piece::Line(line) = piece
            && line::is_intact(line)
        {
            return Ok(TailVerdict::Damaged(damage));
        }
    }
    Ok(TailVerdict::Torn)
}

/// Whether some of these bytes were never written: zeros from the start of the piece, or of a sector, to the end of
/// the piece or of a sector. Zeros anywhere else are bytes that have been changed.
fn has_unwritten_sector(piece: &[u8], offset: u64) -> bool {
    let mut from = 0;
    while let Some(zero) = memchr::memchr(0, &piece[from..]) {
        let begin = from + zero;
        let end = piece[begin..].iter().position(|byte| *byte != 0).map_or(piece.len(), |length| begin + length);
        let at_edge = |index: usize| (offset + index as u64).is_multiple_of(SECTOR);
        if (begin == 0 || at_edge(begin)) && (end == piece.len() || at_edge(end)) {
            return true;
        }
        from = end;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_count_as_unwritten_only_where_sectors_begin_and_end() {
        let zeros = |from: usize, to: usize, length: usize| {
            let mut piece = vec![b'x'; length];
            piece[from..to].fill(0);
            piece
        };
        for (name, piece, offset, unwritten) in [
            ("none", zeros(0, 0, 20), 0, false),
            ("all", zeros(0, 20, 20), 7, true),
            ("from the piece's start to a sector's end", zeros(0, 12, 20), 500, true),
            ("from the piece's start to nowhere", zeros(0, 11, 20), 500, false),
            ("from a sector's start to the end", zeros(12, 20, 20), 500, true),
            ("a whole sector in the middle", zeros(12, 524, 600), 500, true),
            ("one byte in the middle", zeros(9, 10, 20), 500, false),
            ("one byte, then a sector", zeros(12, 524, 600).tap(5), 500, true),
        ] {
            assert_eq!(has_unwritten_sector(&piece, offset), unwritten, "{name}");
        }
    }

    trait Tap {
        fn tap(self, at: usize) -> Self;
    }
    impl Tap for Vec<u8> {
        fn tap(mut self, at: usize) -> Self {
            self[at] = 0;
            self
        }
    }
}
