//! SHA-256, the one hash of the project: blobs, the log's chain, request digests, identities.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The address of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, schemars::JsonSchema)]
#[schemars(transparent)]
pub struct Digest(#[schemars(with = "String")] pub [u8; 32]);

/// How many hex digits a short form shows.
const SHORT: usize = 12;

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes.as_ref()).into())
    }

    /// Reads 64 lower-case hex digits.
    pub fn parse(hex: &str) -> Option<Self> {
        let hex = hex.as_bytes();
        if hex.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        let mut seen = 0;
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            let (high, low) = (NIBBLES[usize::from(pair[0])], NIBBLES[usize::from(pair[1])]);
            seen |= high | low;
            *byte = high << 4 | low;
        }
        (seen < NO_DIGIT).then_some(Self(bytes))
    }

    /// The first twelve hex digits, for people and for file names.
    pub fn short(&self) -> String {
        let mut hex = self.to_string();
        hex.truncate(SHORT);
        hex
    }
}

/// Hashes several fields so that no two different lists of fields look alike.
#[derive(Debug, Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds a field, preceded by its length.
    pub fn field(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// The digest of all fields.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// What stands in [`NIBBLES`] for bytes that are no hex digits.
const NO_DIGIT: u8 = 0x10;

/// The value of every hex digit. A long log has millions of digests, and random digits make every branch on them a
/// wrong guess.
const NIBBLES: [u8; 256] = {
    let mut table = [NO_DIGIT; 256];
    let mut value = 0u8;
    while value < 16 {
        table[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    table
};

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        f.write_str(std::str::from_utf8(&text).expect("hex digits are ASCII"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.short())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hex;
        impl de::Visitor<'_> for Hex {
            type Value = Digest;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("64 lower-case hex digits")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
                Digest::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(Hex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_we_write_is_read() {
        let digest = Digest::of("x");
        let hex = digest.to_string();
        assert_eq!(Digest::parse(&hex), Some(digest));
        for wrong in [hex.to_uppercase(), hex[1..].to_owned(), hex.replacen(&hex[5..6], "g", 1), format!("{hex}0")] {
            assert_eq!(Digest::parse(&wrong), None, "{wrong}");
        }
    }
}
