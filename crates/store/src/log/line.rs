//! The form of a line, both ways. It is parsed by hand, because its order is fixed and there are many.

use tribunal_kernel::{Digest, Entry, Event, Seq, Time};

use crate::error::Damage;

/// A digest as it stands in a line.
pub(crate) type Hex = [u8; 64];

/// Where a log ends: what the next line has to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChainHead {
    pub(crate) seq: Seq,
    pub(crate) hash: Hex,
}

impl ChainHead {
    /// The head of an empty log.
    pub(crate) const START: Self = Self { seq: Seq(0), hash: [b'0'; 64] };

    /// The hash of the last line.
    pub(crate) fn digest(&self) -> Digest {
        str::from_utf8(&self.hash).ok().and_then(Digest::parse).expect("a hash that was checked is hex")
    }
}

const SEQ: &[u8] = b"{\"seq\":";
const TIME: &[u8] = b",\"time\":\"";
const PREV: &[u8] = b"\",\"prev\":\"";
const EVENT: &[u8] = b"\",\"event\":";
const HASH: &[u8] = b",\"hash\":\"";
const END: &[u8] = b"\"}";
/// `2026-11-15T08:30:00.125Z`
const TIME_LEN: usize = 24;
const TRAILER: usize = HASH.len() + 64 + END.len();

/// Writes the line after `head`, newline included, and returns the new head.
pub(crate) fn write(
    out: &mut Vec<u8>,
    head: &ChainHead,
    time: Time,
    event: &Event,
) -> Result<ChainHead, serde_json::Error> {
    let from = out.len();
    let seq = head.seq.next();
    out.extend_from_slice(SEQ);
    out.extend_from_slice(seq.0.to_string().as_bytes());
    out.extend_from_slice(TIME);
    out.extend_from_slice(time.to_string().as_bytes());
    out.extend_from_slice(PREV);
    out.extend_from_slice(&head.hash);
    out.extend_from_slice(EVENT);
    serde_json::to_writer(&mut *out, event)?;
    let hash = hex(Digest::of(&out[from..]));
    out.extend_from_slice(HASH);
    out.extend_from_slice(&hash);
    out.extend_from_slice(END);
    out.push(b'\n');
    Ok(ChainHead { seq, hash })
}

/// Reads the line that follows `head` (without its newline) and moves the head on.
pub(crate) fn read(line: &[u8], head: &mut ChainHead) -> Result<Entry, Damage> {
    let line = LogLine::follows(line, head)?;
    let entry = line.entry()?;
    *head = line.head();
    Ok(entry)
}

/// The same, for lines that need not be understood: verified all the same, but without their event.
pub(crate) fn follow(line: &[u8], head: &mut ChainHead, is_wanted: bool) -> Result<Option<Entry>, Damage> {
    let line = LogLine::follows(line, head)?;
    let entry = if is_wanted { Some(line.entry()?) } else { None };
    *head = line.head();
    Ok(entry)
}

/// A line, taken apart. Nothing in it is believed yet.
#[derive(Debug)]
pub(crate) struct LogLine<'a> {
    pub(crate) seq: Seq,
    time: Time,
    prev: &'a Hex,
    event: &'a [u8],
    stated: &'a Hex,
    computed: Digest,
}

impl<'a> LogLine<'a> {
    pub(crate) fn split(line: &'a [u8]) -> Result<Self, Damage> {
        Self::try_split(line).ok_or(Damage::Shape)
    }

    /// A line that is intact and follows `head`.
    fn follows(line: &'a [u8], head: &ChainHead) -> Result<Self, Damage> {
        let line = Self::split(line)?;
        line.check_hash()?;
        line.check_follows(head.seq.next(), &[head.hash])?;
        Ok(line)
    }

    fn try_split(line: &'a [u8]) -> Option<Self> {
        let (body, trailer) = line.split_at_checked(line.len().checked_sub(TRAILER)?)?;
        let stated = trailer.strip_prefix(HASH)?.strip_suffix(END)?;

        let rest = body.strip_prefix(SEQ)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (seq, rest) = rest.split_at(digits);
        let (time, rest) = rest.strip_prefix(TIME)?.split_at_checked(TIME_LEN)?;
        let (prev, rest) = rest.strip_prefix(PREV)?.split_first_chunk()?;
        Some(Self {
            seq: Seq(number(seq)?),
            time: Time::parse(str::from_utf8(time).ok()?)?,
            prev,
            event: rest.strip_prefix(EVENT)?,
            stated: stated.first_chunk()?,
            computed: Digest::of(body),
        })
    }

    pub(crate) fn check_hash(&self) -> Result<(), Damage> {
        if hex(self.computed) == *self.stated {
            return Ok(());
        }
        Err(Damage::Hash { stated: text(self.stated), computed: self.computed })
    }

    /// Whether the line is number `seq` and follows a line with one of these hashes.
    pub(crate) fn check_follows(&self, seq: Seq, hashes: &[Hex]) -> Result<(), Damage> {
        if self.seq != seq {
            return Err(Damage::Seq { expected: seq, found: self.seq });
        }
        match hashes.first() {
            Some(expected) if !hashes.contains(self.prev) => {
                Err(Damage::Chain { expected: text(expected), found: text(self.prev) })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn entry(&self) -> Result<Entry, Damage> {
        // Checking the whole line at once is faster than letting the parser check every string.
        let event = str::from_utf8(self.event).map_err(|error| Damage::Event { why: error.to_string() })?;
        let event = serde_json::from_str(event).map_err(|error| Damage::Event { why: error.to_string() })?;
        Ok(Entry { seq: self.seq, time: self.time, event })
    }

    /// The head of a log that ends with this line.
    pub(crate) fn head(&self) -> ChainHead {
        ChainHead { seq: self.seq, hash: *self.stated }
    }

    /// What the next line may name as its `prev`, if this one has a wrong hash: the one it states, or the one it
    /// ought to have.
    pub(crate) fn hashes(&self) -> [Hex; 2] {
        [*self.stated, hex(self.computed)]
    }

    /// The `prev` of this line.
    pub(crate) fn prev(&self) -> &Hex {
        self.prev
    }
}

/// Whether these bytes are a line that somebody finished, wherever it belongs.
pub(crate) fn is_intact(line: &[u8]) -> bool {
    LogLine::split(line).is_ok_and(|line| line.check_hash().is_ok())
}

/// Digits without leading zeros.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits[0] == b'0' {
        return None;
    }
    digits.iter().try_fold(0u64, |sum, digit| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

fn hex(digest: Digest) -> Hex {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut hex = [0; 64];
    for (pair, byte) in hex.chunks_exact_mut(2).zip(digest.0) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    hex
}

/// For messages: the field need not be hex if the line is damaged.
fn text(hex: &Hex) -> String {
    String::from_utf8_lossy(hex).into_owned()
}
