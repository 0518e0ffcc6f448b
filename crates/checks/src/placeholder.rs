//! Words that a draft leaves behind: TODO and friends, lorem ipsum.

use crate::copy::guard::quotations;

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

/// What a document is about, as far as such words may belong to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// In some languages TODO in capitals says "everything".
    pub(crate) todo_is_a_word: bool,
    /// The document explains, or makes, filler text.
    pub(crate) filler_text: bool,
}

impl About {
    /// `language` is what the document says, `headings` are its title and headings.
    pub(crate) fn new<'h>(language: Option<&str>, headings: impl IntoIterator<Item = &'h str>) -> Self {
        Self { todo_is_a_word: language.is_some_and(says_todo), filler_text: headings.into_iter().any(names_filler) }
    }
}

/// Whether TODO is a word of the language.
pub(crate) fn says_todo(tag: &str) -> bool {
    let tag = tag.trim().to_ascii_lowercase();
    matches!(tag.split(['-', '_']).next(), Some("es" | "pt" | "gl" | "ast"))
}

/// A heading that speaks of filler text instead of being made of it.
fn names_filler(heading: &str) -> bool {
    const ABOUT: &[&str] = &[
        "generat",
        "what is",
        "about",
        "why",
        "dummy",
        "placeholder",
        "filler",
        "blindtext",
        "histor",
        "plugin",
        "library",
    ];
    let lower = heading.to_lowercase();
    let named = lower.contains("lorem") && !lower.contains("dolor");
    named && ABOUT.iter().any(|word| lower.contains(word))
}

const MARKERS: &[&str] = &["TODO", "FIXME", "TBD"];
const FILLERS: &[&str] = &["lorem ipsum", "dolor sit amet", "consectetur adipiscing"];

pub(crate) fn placeholders(text: &str, about: About) -> Vec<Placeholder> {
    let mut found = Vec::new();
    let may_have = MARKERS.iter().any(|word| text.contains(word));
    let quoted = if may_have { quotations(text) } else { Vec::new() };
    for word in MARKERS.iter().filter(|_| may_have) {
        for (at, _) in text.match_indices(word) {
            let (before, after) = (&text[..at], &text[at + word.len()..]);
            let alone = !before.ends_with(is_word) && !after.starts_with(is_word);
            let marked = !(about.todo_is_a_word && *word == "TODO") || after.starts_with([':', '(']);
            let inside = |(from, to): &(usize, usize)| *from <= at && at < *to;
            let mentioned = is_named_by(after) || is_thing(before, after) || is_row(before, after);
            if alone && marked && !mentioned && !quoted.iter().any(inside) {
                found.push(Placeholder { at, kind: Kind::Marker, word });
            }
        }
    }
    if !about.filler_text {
        fillers(text, &mut found);
    }
    found.sort_by_key(|placeholder| placeholder.at);
    found
}

fn fillers(text: &str, found: &mut Vec<Placeholder>) {
    // ASCII lower case keeps every byte where it was.
    let lower = text.to_ascii_lowercase();
    let mut hits: Vec<(usize, &'static str)> =
        FILLERS.iter().flat_map(|word| lower.match_indices(word).map(move |(at, _)| (at, *word))).collect();
    if hits.is_empty() {
        return;
    }
    hits.sort_unstable();
    let quoted = quotations(text);
    let mut last = None;
    for (at, word) in hits {
        let quoted = quoted.iter().any(|(from, to)| *from <= at && at < *to && outside(text, *from, *to));
        if quoted || (word == "lorem ipsum" && is_spoken_of(&lower, at)) {
            continue;
        }
        // One stretch of filler text is one finding.
        if last.is_none_or(|last| at > last + 200) {
            found.push(Placeholder { at, kind: Kind::Filler, word });
        }
        last = Some(at);
    }
}

/// Whether there is a sentence around a quotation: then the sentence speaks of what it quotes.
fn outside(text: &str, from: usize, to: usize) -> bool {
    text[..from].split_whitespace().count() + text[to..].split_whitespace().count() >= 3
}

/// Whether the two words are named in a text of other words, instead of beginning the usual Latin.
fn is_spoken_of(lower: &str, at: usize) -> bool {
    let after = &lower[at + "lorem ipsum".len()..];
    let more = |text: &str| text.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic)).count();
    let latin = after.trim_start_matches(|c: char| !c.is_alphabetic());
    let is_latin = ["dolor", "lorem", "sit ", "amet", "consec", "set "].iter().any(|start| latin.starts_with(start));
    !is_latin && (more(&lower[..at]) >= 1 || more(after) >= 1) && !after.starts_with(['.', '\u{2026}'])
}

/// What a text speaks of that has such a word in its name: a TODO app, TODO.md, TODO comments, a TODO-Liste.
const NAMED: &[&str] = &[
    "annotation",
    "annotations",
    "app",
    "application",
    "applications",
    "apps",
    "block",
    "blocks",
    "board",
    "column",
    "comment",
    "comments",
    "demo",
    "directive",
    "directives",
    "entries",
    "entry",
    "example",
    "extension",
    "file",
    "files",
    "group",
    "highlight",
    "item",
    "items",
    "keyword",
    "keywords",
    "label",
    "labels",
    "list",
    "lists",
    "manager",
    "marker",
    "markers",
    "message",
    "messages",
    "note",
    "notes",
    "page",
    "project",
    "reminder",
    "section",
    "state",
    "status",
    "tag",
    "tags",
    "task",
    "tasks",
    "test",
    "tests",
    "tracker",
    "tree",
    "tutorial",
    "warning",
    "warnings",
];

/// Whether what follows makes a name of it, or a sentence in capitals.
fn is_named_by(after: &str) -> bool {
    if let Some(rest) = after.strip_prefix(['-', '.', '/']) {
        return rest.starts_with(char::is_alphabetic);
    }
    let Some(rest) = after.strip_prefix([' ', '\u{a0}']) else { return after.starts_with(['\'', '\u{2019}']) };
    let word: &str = rest.split(|c: char| !is_word(c)).next().unwrap_or_default();
    let is_capital = word.chars().count() > 1 && word.chars().all(char::is_uppercase) && !MARKERS.contains(&word);
    NAMED.contains(&word.to_lowercase().as_str()) || is_capital
}

/// Whether an article or its like makes a thing of it: *a TODO*, *every FIXME*, *marked as TODO*.
fn is_thing(before: &str, after: &str) -> bool {
    const ARTICLES: &[&str] = &[
        "a", "all", "an", "another", "any", "as", "called", "each", "ein", "einem", "einen", "every", "few", "jedes",
        "keine", "kein", "like", "many", "mark", "marked", "more", "no", "of", "one", "our", "several", "some", "that",
        "the", "these", "this", "those", "tagged", "with", "word", "words", "your", "das", "die", "dem", "als",
    ];
    if after.starts_with(':') {
        return false;
    }
    let last = before.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    before.ends_with(char::is_whitespace) && ARTICLES.contains(&last.to_lowercase().as_str())
}

/// Whether it stands in a row of such words: *TODO, FIXME and XXX*, *TODO / DOING / DONE*.
fn is_row(before: &str, after: &str) -> bool {
    const LINKS: &[&str] = &[", ", ",", " / ", "/", " | ", "|", " and ", " or ", ", and ", ", or ", " und ", " oder "];
    let shouts = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let next = |link: &&str| after.strip_prefix(*link).map(|rest| rest.split(|c: char| !is_word(c)).next());
    let last = |link: &&str| before.strip_suffix(*link).map(|rest| rest.rsplit(|c: char| !is_word(c)).next());
    LINKS.iter().any(|link| next(link).or_else(|| last(link)).flatten().is_some_and(shouts))
        || LINKS.iter().any(|link| last(link).flatten().is_some_and(shouts))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, about: About) -> Vec<(usize, &'static str)> {
        placeholders(text, about).into_iter().map(|p| (p.at, p.word)).collect()
    }

    #[test]
    fn what_was_left_behind_is_found() {
        for (text, want) in [
            ("TODO: write this", vec![(0, "TODO")]),
            ("The price is TBD. FIXME", vec![(13, "TBD"), (18, "FIXME")]),
            (
                "TODO ask legal. The rest is TODO for us. TODO. TODO - later",
                vec![(0, "TODO"), (28, "TODO"), (41, "TODO"), (47, "TODO")],
            ),
            ("[TODO] (TBD)", vec![(1, "TODO"), (8, "TBD")]),
            ("The TODO: write this", vec![(4, "TODO")]),
            ("Lorem ipsum dolor sit amet, consectetur", vec![(0, "lorem ipsum")]),
            ("Lorem ipsum", vec![(0, "lorem ipsum")]),
            ("Welcome! Lorem ipsum dolor sit amet.", vec![(9, "lorem ipsum")]),
            ("\u{201c}Lorem ipsum dolor sit amet.\u{201d}", vec![(3, "lorem ipsum")]),
        ] {
            assert_eq!(found(text, About::default()), want, "{text}");
        }
        assert_eq!(found("TODO: precio", About { todo_is_a_word: true, ..About::default() }), [(0, "TODO")]);
    }

    #[test]
    fn what_a_text_speaks_of_stays() {
        for text in [
            "MASTODON and todo lists, the todo app, TodoMVC",
            "TODO_LIST is a name",
            "The TODO app syncs; TODO.md and the TODO-Liste, all TODO comments",
            "TODO EL MUNDO",
            "The TODO Group runs surveys; TODO Tree shows them",
            "Leave a TODO, find every FIXME, and mark it as TODO in the code",
            "It looks for \u{201c}TODO\u{201d}, \"FIXME\" and 'TBD'",
            "Comments with TODO, FIXME or XXX are shown",
            "TODO / DOING / DONE",
            "Find TODO and FIXME comments",
            "A Lorem Ipsum generator for the command line",
            "Über Lorem Ipsum",
            "The phrase \u{201c}Lorem ipsum dolor sit amet\u{201d} is from Cicero",
        ] {
            assert_eq!(found(text, About::default()), [], "{text}");
        }
        assert_eq!(found("TODO INCLUIDO. TODO", About::new(Some("es-MX"), [])), []);
        let about = About::new(None, ["Home", "Lorem Ipsum Generator"]);
        assert_eq!(found("Lorem ipsum dolor sit amet", about), []);
        let about = About::new(None, ["Lorem ipsum dolor", "Home"]);
        assert_eq!(found("Lorem ipsum dolor sit amet", about), [(0, "lorem ipsum")], "a heading of filler is filler");
    }
}
