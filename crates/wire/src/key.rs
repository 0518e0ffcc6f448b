//! The names of the protocol's attributes.

/// An attribute that some tag of the protocol has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Composite,
    Decision,
    MaxRounds,
    Mime,
    MustFix,
    N,
    Name,
    Role,
    Round,
    Scale,
    Score,
    Status,
    Threshold,
    Version,
}

impl Key {
    pub(crate) const COUNT: usize = 14;
    const MAX_BYTES: usize = 9;

    /// The attribute these letters, in any case, stand for.
    pub(crate) fn read(letters: &[u8]) -> Option<Self> {
        // Models nearly always write a name as we do.
        Self::in_lower_case(letters).or_else(|| {
            let mut lower = [0; Self::MAX_BYTES];
            let lower = lower.get_mut(..letters.len())?;
            lower.copy_from_slice(letters);
            lower.make_ascii_lowercase();
            Self::in_lower_case(lower)
        })
    }

    fn in_lower_case(letters: &[u8]) -> Option<Self> {
        Some(match letters {
            b"n" => Self::N,
            b"name" => Self::Name,
            b"role" => Self::Role,
            b"mime" => Self::Mime,
            b"score" => Self::Score,
            b"round" => Self::Round,
            b"scale" => Self::Scale,
            b"status" => Self::Status,
            b"version" => Self::Version,
            b"must_fix" => Self::MustFix,
            b"decision" => Self::Decision,
            b"composite" => Self::Composite,
            b"maxrounds" => Self::MaxRounds,
            b"threshold" => Self::Threshold,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_letter_case() {
        let rows = [
            ("as we write it", "must_fix", Some(Key::MustFix)),
            ("with a capital inside", "maxRounds", Some(Key::MaxRounds)),
            ("in capitals", "SCORE", Some(Key::Score)),
            ("the shortest", "N", Some(Key::N)),
            ("another", "href", None),
            ("longer", "name_", None),
            ("too long", "must_fix_it", None),
            ("nothing", "", None),
        ];
        for (name, letters, expected) in rows {
            assert_eq!(Key::read(letters.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn every_key_has_its_place() {
        assert_eq!(Key::Version as usize + 1, Key::COUNT);
    }
}
