//! The closing tag that alone ends a region, and how to find it quickly.

use memchr::memmem::Finder;

use crate::tag::Name;

/// `</NAME`, in any letter case, with white space or `>` after it.
#[derive(Debug)]
pub(crate) struct Closer {
    name: Name,
    upper: Finder<'static>,
    lower: Finder<'static>,
}

/// How far a text agrees with the closing tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Match {
    No,
    /// As far as it goes.
    Partly,
    Fully,
}

impl Closer {
    pub(crate) fn new(name: Name) -> Self {
        // Regions are full of other tags; the first letter of the name leaves few of them to look at.
        let (upper, lower) = match name.as_str().as_bytes().first() {
            Some(b'A') => ("</A", "</a"),
            Some(b'D') => ("</D", "</d"),
            Some(b'M') => ("</M", "</m"),
            Some(b'N') => ("</N", "</n"),
            Some(b'R') => ("</R", "</r"),
            Some(b'S') => ("</S", "</s"),
            Some(b'T') => ("</T", "</t"),
            _ => ("</", "</"),
        };
        Self { name, upper: Finder::new(upper), lower: Finder::new(lower) }
    }

    pub(crate) fn name(&self) -> Name {
        self.name
    }

    /// Where the closing tag begins, or may begin if the text ends too early to tell. Looks at every byte twice at most.
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        let upper = self.find_by(&self.upper, text, text.len());
        let lower = self.find_by(&self.lower, text, upper.unwrap_or(text.len()));
        // The end may be too short for the finders.
        let tail = text.len().saturating_sub(2);
        lower.or(upper).or_else(|| (tail..text.len()).find(|&at| self.matches(&text[at..]) == Match::Partly))
    }

    /// The first match that begins as the finder says, before `end`.
    fn find_by(&self, finder: &Finder<'_>, text: &[u8], end: usize) -> Option<usize> {
        let mut from = 0;
        while let Some(found) = finder.find(&text[from..end]) {
            let candidate = from + found;
            if self.matches(&text[candidate..]) != Match::No {
                return Some(candidate);
            }
            from = candidate + 1;
        }
        None
    }

    /// Bytes of `</NAME`.
    pub(crate) fn len(&self) -> usize {
        2 + self.name.as_str().len()
    }

    pub(crate) fn matches(&self, text: &[u8]) -> Match {
        let mut bytes = text.iter().copied();
        for expected in b"</".iter().chain(self.name.as_str().as_bytes()) {
            match bytes.next() {
                None => return Match::Partly,
                Some(byte) if byte.to_ascii_uppercase() != *expected => return Match::No,
                Some(_) => {}
            }
        }
        match bytes.next() {
            None => Match::Partly,
            Some(byte) if byte == b'>' || byte.is_ascii_whitespace() => Match::Fully,
            Some(_) => Match::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_possible_closing_tag_is_found() {
        let rows = [
            ("whole", "a </b> </ARTIFACT> </ARTIFACT>", Some(7)),
            ("another letter case", "</a></aRTIfact\n></ARTIFACT>", Some(4)),
            ("longer names", "</ARTIFACTS> </ARTIFACT_> </articles> x", None),
            ("cut after the name", "x</ARTIFACT", Some(1)),
            ("cut in the name", "x</Art", Some(1)),
            ("cut after the slash", "x</", Some(1)),
            ("cut after the bracket", "x<", Some(1)),
            ("only the bracket", "<", Some(0)),
            ("nothing", "", None),
            ("a bracket before the end", "<x", None),
            ("among its likes", "</a></A></a></A></artifact>", Some(16)),
        ];
        for (name, text, expected) in rows {
            assert_eq!(Closer::new(Name::Artifact).find(text.as_bytes()), expected, "{name}");
        }
    }
}
