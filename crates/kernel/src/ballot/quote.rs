//! Whether a draft says what a judge quotes. Compared as people read: white space, line wraps, letter case, typographic
//! quotes, dashes and Markdown's emphasis make no difference.

/// So many words show something; of fewer it could be chance, unless they are all that is said.
const ENOUGH_WORDS: usize = 3;

/// Whether the draft has these words, and they are enough to show something. The error says why not.
pub fn quotes(draft: &str, quote: &str) -> Result<(), String> {
    if !is_in(draft, quote) {
        return Err(not_found(quote));
    }
    if words(&shown(quote)) >= ENOUGH_WORDS || is_sentence(draft, quote) {
        return Ok(());
    }
    Err(format!("{quote:?} is too little to show anything: quote at least {ENOUGH_WORDS} words"))
}

/// Whether the draft has these words, however few.
pub(super) fn is_in(draft: &str, quote: &str) -> bool {
    let quote = fold(quote);
    !quote.is_empty() && (fold(draft).contains(&quote) || fold(&shown(draft)).contains(&quote))
}

pub(super) fn not_found(quote: &str) -> String {
    format!("the draft does not say {quote:?}")
}

/// Elements within a line of text; others begin a line of their own.
const INLINE: [&str; 20] = [
    "a", "abbr", "b", "bdi", "cite", "code", "del", "em", "i", "ins", "kbd", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "u",
];

/// A page as its readers see it: whoever judges one may quote either.
pub(super) fn shown(draft: &str) -> String {
    let mut text = String::with_capacity(draft.len());
    let mut rest = draft;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        text.push_str(before);
        let is_tag = tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        let Some(end) = tag.find('>').filter(|_| is_tag) else {
            text.push('<');
            rest = &tag[1..];
            continue;
        };
        let name =
            tag[1..end].trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if !INLINE.iter().any(|inline| name.eq_ignore_ascii_case(inline)) {
            text.push('\n');
        }
        // What no reader sees goes to its end.
        let closing = match name.to_ascii_lowercase().as_str() {
            "style" if !tag.starts_with("</") => "</style",
            "script" if !tag.starts_with("</") => "</script",
            _ if tag.starts_with("<!--") => "-->",
            _ => "",
        };
        let hidden = (!closing.is_empty()).then(|| tag.find(closing)).flatten();
        rest = &tag[hidden.map_or(end + 1, |from| tag[from..].find('>').map_or(tag.len(), |more| from + more + 1))..];
    }
    text.push_str(rest);
    let entities = [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.into_iter().fold(text, |text, (entity, plain)| text.replace(entity, plain))
}

/// How many words these are. Where words have no spaces between them, a character is one.
fn words(text: &str) -> usize {
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
    let together = text.chars().filter(|c| matches!(c, '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')).count();
    text.split_whitespace().filter(is_word).count().max(together)
}

/// Whether these words are a whole sentence, or all that stands in a line.
fn is_sentence(draft: &str, quote: &str) -> bool {
    let bare = |text: &str| fold(text).trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let said = bare(quote);
    let mut sentences = draft.lines().chain(draft.split(['.', '!', '?', '。', '！', '？', '<', '>']));
    !said.is_empty() && sentences.any(|sentence| bare(sentence) == said)
}

/// A text as it is compared.
fn fold(text: &str) -> String {
    let plain: String = text.chars().filter_map(plain).collect::<String>().to_lowercase();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A character as it is compared; nothing, if it only emphasises.
fn plain(c: char) -> Option<char> {
    match c {
        '*' | '_' | '`' | '\u{200b}' | '\u{feff}' | '\u{ad}' => None,
        '‘' | '’' | '‚' | '‛' => Some('\''),
        '“' | '”' | '„' | '‟' | '«' | '»' => Some('"'),
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => Some('-'),
        '…' => Some('.'),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_compared_as_people_read() {
        let draft = "# Done\n\nWe **ship**\non Fri\u{AD}day — “soon”.\nYes. It's *snake_case*, isn’t it?";
        for said in [
            "we ship on friday",
            "on Friday - \"soon\"",
            "**We ship** on Friday",
            "Yes.",
            "yes",
            "# Done",
            "done",
            "It’s snake_case, isn't it",
            "  We\tship   on\n\nFriday ",
        ] {
            assert_eq!(quotes(draft, said), Ok(()), "{said}");
        }
        for (said, why) in [
            ("we shipped on Friday", "does not say"),
            ("", "does not say"),
            ("  ", "does not say"),
            ("***", "does not say"),
            ("ship", "too little"),
            ("on Friday", "too little"),
            ("- -", "does not say"),
        ] {
            assert!(quotes(draft, said).is_err_and(|told| told.contains(why)), "{said}: {:?}", quotes(draft, said));
        }
        let page = "<h1>Rye</h1><p class=x>We <b>move</b> in&nbsp;June &amp; July, 2 < 3.</p>";
        for said in ["We move in June & July", "<b>move</b> in&nbsp;June", "Rye", "july, 2 < 3"] {
            assert_eq!(quotes(page, said), Ok(()), "{said}");
        }
        assert!(
            quotes(page, "class").is_err() && quotes(page, "move").is_ok(),
            "a cell, a link, a word in bold is whole"
        );
        assert!(is_in(draft, "ship") && !is_in(draft, " ") && !is_in("", ""));
    }
}
