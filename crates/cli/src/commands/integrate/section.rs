//! A section of a text file that others write, too: between two markers, put in and taken out to the byte.
//!
//! A section is always preceded by one line break of its own, except in a file that we make: so taking it out gives
//! back what was there, with or without a final newline.

/// How the markers look in a kind of file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Markers {
    pub(super) begin: &'static str,
    pub(super) end: &'static str,
}

pub(super) const MARKDOWN: Markers = Markers {
    begin: "<!-- tribunal:begin; written by `tribunal integrate`, which also removes it -->\n",
    end: "<!-- tribunal:end -->\n",
};
pub(super) const TOML: Markers = Markers {
    begin: "# tribunal:begin; written by `tribunal integrate`, which also removes it\n",
    end: "# tribunal:end\n",
};

/// A file with one marker and not the other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Torn;

/// The file with the section as it is now.
pub(super) fn put(text: Option<&str>, markers: Markers, section: &str) -> Result<String, Torn> {
    let block = format!("{}{section}{}", markers.begin, markers.end);
    let Some(text) = text else { return Ok(block) };
    match find(text, markers)? {
        Some((from, to)) => Ok(format!("{}{block}{}", &text[..from], &text[to..])),
        None => Ok(format!("{text}\n{block}")),
    }
}

/// The file without the section; nothing if nothing else was in it and we had made it.
pub(super) fn take(text: &str, markers: Markers) -> Result<Option<String>, Torn> {
    let Some((from, to)) = find(text, markers)? else { return Ok(Some(text.to_owned())) };
    if from == 0 && to == text.len() {
        return Ok(None);
    }
    let before = &text[..from];
    Ok(Some(format!("{}{}", before.strip_suffix('\n').unwrap_or(before), &text[to..])))
}

fn find(text: &str, markers: Markers) -> Result<Option<(usize, usize)>, Torn> {
    match (text.find(markers.begin), text.find(markers.end)) {
        (Some(from), Some(end)) if from < end => Ok(Some((from, end + markers.end.len()))),
        (None, None) => Ok(None),
        _ => Err(Torn),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_taken_out_to_the_byte() {
        for text in ["", "a", "a\n", "a\n\n", "# A\n\ntext\n", "\n"] {
            let with = put(Some(text), MARKDOWN, "one\n").expect("no markers yet");
            assert_eq!(put(Some(&with), MARKDOWN, "one\n").as_ref(), Ok(&with), "a second time changes nothing");
            let newer = put(Some(&with), MARKDOWN, "two\n").expect("both markers");
            assert!(newer.contains("two\n") && !newer.contains("one\n"), "{newer}");
            assert_eq!(take(&newer, MARKDOWN), Ok(Some(text.to_owned())));
            let added = take(&format!("{newer}more\n"), MARKDOWN);
            assert_eq!(added, Ok(Some(format!("{text}more\n"))), "what others add behind it stays");
        }
        let made = put(None, TOML, "x = 1\n").expect("nothing is in the way");
        assert_eq!(take(&made, TOML), Ok(None));
    }

    #[test]
    fn a_file_that_lost_a_marker_is_left_alone() {
        for text in [MARKDOWN.begin, MARKDOWN.end, &format!("{}{}", MARKDOWN.end, MARKDOWN.begin)] {
            assert_eq!((put(Some(text), MARKDOWN, ""), take(text, MARKDOWN)), (Err(Torn), Err(Torn)), "{text}");
        }
    }
}
