//! Words that a draft leaves behind: TODO and friends, lorem ipsum.

/// What was found, and the byte it begins at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placeholder {
    pub(crate) at: usize,
    pub(crate) kind: Kind,
    pub(crate) word: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Work that the author left for later.
    Marker,
    /// Text that stands in for text.
    Filler,
}

const MARKERS: &[&str] = &["TODO", "FIXME", "TBD"];
const FILLERS: &[&str] = &["lorem ipsum", "dolor sit amet", "consectetur adipiscing"];

/// `todo_is_a_word` is for languages in which TODO in capitals says "everything".
pub(crate) fn placeholders(text: &str, todo_is_a_word: bool) -> Vec<Placeholder> {
    let mut found = Vec::new();
    for word in MARKERS {
        for (at, _) in text.match_indices(word) {
            let after = &text[at + word.len()..];
            let alone = !text[..at].ends_with(is_word) && !after.starts_with(is_word);
            let marked = !(todo_is_a_word && *word == "TODO") || after.starts_with([':', '(']);
            if alone && marked && !is_name(after) {
                found.push(Placeholder { at, kind: Kind::Marker, word });
            }
        }
    }
    // ASCII lower case keeps every byte where it was.
    let lower = text.to_ascii_lowercase();
    let mut last = None;
    let mut fillers: Vec<(usize, &'static str)> =
        FILLERS.iter().flat_map(|word| lower.match_indices(word).map(move |(at, _)| (at, *word))).collect();
    fillers.sort_unstable();
    for (at, word) in fillers {
        // One stretch of filler text is one finding.
        if last.is_none_or(|last| at > last + 200) {
            found.push(Placeholder { at, kind: Kind::Filler, word });
        }
        last = Some(at);
    }
    found.sort_by_key(|placeholder| placeholder.at);
    found
}

/// What a text speaks of that has such a word in its name: a TODO app, TODO.md, TODO comments, a TODO-Liste.
const NAMED: &[&str] = &[
    "app", "apps", "comment", "comments", "entries", "entry", "file", "files", "item", "items", "list", "lists",
    "marker", "markers", "note", "notes",
];

/// Whether what follows makes a name of it, or a sentence in capitals.
fn is_name(after: &str) -> bool {
    if let Some(rest) = after.strip_prefix(['-', '.']) {
        return rest.starts_with(char::is_alphabetic);
    }
    let Some(rest) = after.strip_prefix(' ') else { return false };
    let word: &str = rest.split(|c: char| !is_word(c)).next().unwrap_or_default();
    let is_capital = word.chars().count() > 1 && word.chars().all(char::is_uppercase) && !MARKERS.contains(&word);
    NAMED.contains(&word) || is_capital
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_as_words() {
        for (text, spanish, want) in [
            ("TODO: write this", false, vec![(0, "TODO")]),
            ("a TODO, a FIXME; TBD", false, vec![(2, "TODO"), (10, "FIXME"), (17, "TBD")]),
            ("MASTODON and todo lists", false, vec![]),
            ("TODO_LIST is a name", false, vec![]),
            ("TODO INCLUIDO", true, vec![]),
            ("TODO: precio", true, vec![(0, "TODO")]),
            ("The TODO app syncs; TODO.md and the TODO-Liste, all TODO comments", false, vec![]),
            ("TODO EL MUNDO", false, vec![]),
            (
                "TODO ask legal. The rest is TODO for us. TODO. TODO - later",
                false,
                vec![(0, "TODO"), (28, "TODO"), (41, "TODO"), (47, "TODO")],
            ),
            ("Lorem ipsum dolor sit amet, consectetur", false, vec![(0, "lorem ipsum")]),
            ("Über Lorem Ipsum", false, vec![(6, "lorem ipsum")]),
        ] {
            let got: Vec<_> = placeholders(text, spanish).into_iter().map(|p| (p.at, p.word)).collect();
            assert_eq!(got, want, "{text}");
        }
    }
}
