//! The file log: one event a line, each line chained to the one before it by a hash.
//!
//! ```text
//! {"seq":7,"time":"2026-11-15T08:30:00.125Z","prev":"<64 hex>","event":{…},"hash":"<64 hex>"}\n
//! ```
//!
//! - `seq` counts from 1 without gaps, so it is the line's number, too.
//! - `prev` is the `hash` of the line before; 64 zeros in the first line.
//! - `hash` is the SHA-256 of all bytes of the line before `,"hash"`. They include `prev`, so a hash vouches for the
//!   whole log up to its line.
//! - The order of the fields is fixed and there is no white space between them. A raw newline or NUL never occurs
//!   inside a line, as JSON escapes both.
//!
//! An auditor needs no program of ours to check line 7:
//!
//! ```sh
//! sed -n 7p log.ndjson | sed -E 's/,"hash":"[0-9a-f]{64}"\}$//' | tr -d '\n' | sha256sum
//! ```
//!
//! What the chain does not show: that lines are missing at the *end*, or that somebody rewrote everything from some
//! line on. Whoever must know keeps the last hash somewhere else.
//!
//! | file | has |
//! |---|---|
//! | `line` | the form of a line, both ways |
//! | `lines` | a file, line by line |
//! | `follow` | a log that somebody else writes, followed |
//! | `reader` | a whole log, verified, on all cores |
//! | `tail` | what a crash leaves behind, told apart from damage |
//! | `writer` | appending, durably |
//! | `sealed` | a log as bytes, with the hash of every line |
//! | `lock`, `fence` | one writer at a time, and none that lost its turn |

pub(crate) mod fence;
pub mod follow;
pub(crate) mod line;
pub(crate) mod lines;
pub mod lock;
pub(crate) mod reader;
pub mod sealed;
pub(crate) mod tail;
pub(crate) mod writer;

use tribunal_kernel::Entry;

use crate::StoreError;

/// The longest line that is written or read. A turn's texts are blobs; an event only cites them.
pub const MAX_LINE: u64 = 256 * 1024 * 1024;

/// The lines of a log with these entries: what auditors check, whatever a backend keeps.
pub fn lines_of(entries: &[Entry]) -> Result<Vec<u8>, StoreError> {
    let (mut lines, mut head) = (Vec::new(), line::ChainHead::START);
    for entry in entries {
        head = line::write(&mut lines, &head, entry.time, &entry.event)
            .map_err(|source| StoreError::Unwritable { source })?;
    }
    Ok(lines)
}
