//! Whether a draft says what a judge quotes. Compared as people read: white space, line wraps, letter case, typographic
//! quotes, dashes and Markdown's emphasis make no difference. A quote is made of whole words.
//!
//! What shows that something is met is seen by the draft's readers. What breaks a rule may stand anywhere in its source, in
//! a comment for example.

use super::page::{SEAM, marked, shown};
use super::patch::{self, PatchText};

/// So many words show something; of fewer it could be chance, unless they are all that is said.
const ENOUGH_WORDS: usize = 3;
/// So many bytes of a quote are repeated to say that it was not found.
const TOLD_BYTES: usize = 200;

/// A draft, made ready to look quotes up in it.
#[derive(Debug)]
pub(super) struct QuotedDraft {
    /// What its readers see, with marks where tags were. Of a change: what it adds.
    marked: String,
    seen: String,
    source: String,
    /// Of a change: all of it.
    patch: Option<PatchText>,
}

impl QuotedDraft {
    pub(super) fn new(draft: &str) -> Self {
        let patch = PatchText::of(draft);
        let marked = patch.as_ref().map_or_else(|| marked(draft), |patch| patch.added.clone());
        Self { seen: fold(&marked), source: fold(draft), marked, patch }
    }

    /// What its readers see.
    pub(super) fn readable(&self) -> String {
        self.patch.as_ref().map_or_else(|| self.marked.replace(SEAM, ""), |patch| patch.all.clone())
    }

    /// What a judge quotes, as the readers of this draft see it.
    fn said(&self, quote: &str) -> String {
        if self.patch.is_some() { patch::quoted(quote).0 } else { shown(quote) }
    }

    /// Whether its readers see these words, and they are enough to show something. The error says why not.
    pub(super) fn shows(&self, quote: &str) -> Result<(), String> {
        let said = self.said(quote);
        let removed = self.patch.as_ref().filter(|_| patch::quoted(quote).1).map(|patch| fold(&patch.removed));
        if !has_words(removed.as_ref().unwrap_or(&self.seen), &fold(&said)) {
            return Err(match &self.patch {
                Some(_) => format!("{}, in no line that it changes", not_found(quote)),
                None => not_found(quote),
            });
        }
        if words(&said) >= ENOUGH_WORDS || self.is_sentence(quote) {
            return Ok(());
        }
        Err(format!("{quote:?} is too little to show anything: quote at least {ENOUGH_WORDS} words"))
    }

    /// Whether it has these words, however few, and whoever sees them.
    pub(super) fn has(&self, quote: &str) -> bool {
        let said = fold(&self.said(quote));
        let all = self.patch.as_ref().map(|patch| fold(&patch.all));
        has_words(all.as_ref().unwrap_or(&self.seen), &said) || has_words(&self.source, &fold(quote))
    }

    /// Whether these words are a whole sentence, or all that stands in a line or in an element of a page.
    fn is_sentence(&self, quote: &str) -> bool {
        let bare = |text: &str| fold(text).trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let said = bare(&self.said(quote));
        let lines = self.marked.lines();
        let sentences = self.marked.split(['.', '!', '?', '。', '！', '？']);
        let elements = self.marked.split([SEAM, '\n']);
        !said.is_empty() && lines.chain(sentences).chain(elements).any(|sentence| bare(sentence) == said)
    }
}

/// Whether the draft's readers see these words, and they are enough to show something. The error says why not.
pub fn quotes(draft: &str, quote: &str) -> Result<(), String> {
    QuotedDraft::new(draft).shows(quote)
}

/// Whether a text rests on words of the draft: between quotation marks, or so many in a row that it is no chance.
pub(crate) fn cites(draft: &str, said: &str) -> bool {
    const IN_A_ROW: usize = 5;
    const MOST_BYTES: usize = 4096;
    let draft = QuotedDraft::new(draft);
    let said = crate::text::head(said, MOST_BYTES);
    let words: Vec<&str> = said.split_whitespace().collect();
    quotations(said).any(|quote| draft.shows(quote).is_ok())
        || words.windows(IN_A_ROW).any(|row| draft.shows(&row.join(" ")).is_ok())
}

/// Whether two drafts are the same, as texts are compared.
pub(crate) fn is_same_text(one: &str, other: &str) -> bool {
    fold(one) == fold(other)
}

/// The parts of a text between marks. Apostrophes look like marks, so that what is outside is among them; it is seldom in a
/// draft word by word.
fn quotations(said: &str) -> impl Iterator<Item = &str> {
    said.split(is_mark).filter(|part| !part.trim().is_empty())
}

fn is_mark(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '「' | '」' | '『' | '』')
}

pub(super) fn not_found(quote: &str) -> String {
    let told = crate::text::head(quote, TOLD_BYTES);
    let more = if told.len() < quote.len() { " …" } else { "" };
    format!("the draft does not say {told:?}{more}")
}

/// Whether these words stand in the text, not as parts of others: `art of the` is not in `start of the`.
fn has_words(text: &str, words: &str) -> bool {
    let mut from = 0;
    while let Some(at) = text[from..].find(words).filter(|_| !words.is_empty()) {
        let (start, end) = (from + at, from + at + words.len());
        if !goes_on(&text[..start], &text[start..]) && !goes_on(&text[..end], &text[end..]) {
            return true;
        }
        // Within a word no other one begins.
        let first = text[start..].chars().next().map_or(1, char::len_utf8);
        let Some(gap) = text[start..].find(|c: char| !is_letter(c)) else { return false };
        from = start + gap.max(first);
    }
    false
}

/// Whether a word or a number goes on from one text to the other. 12.5 and 1,250 are numbers.
fn goes_on(before: &str, after: &str) -> bool {
    let (mut before, mut after) = (before.chars().rev(), after.chars());
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    match (before.next(), after.next()) {
        (Some(last), Some(first)) if is_letter(last) && is_letter(first) => true,
        (Some('.' | ','), first) => is_digit(first) && is_digit(before.next()),
        (last, Some('.' | ',')) => is_digit(last) && is_digit(after.next()),
        _ => false,
    }
}

/// Whether it is part of a word that has gaps around it.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !stands_alone(c)
}

/// Of scripts that have no gaps between words: there, a character is one.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// How many words these are.
fn words(text: &str) -> usize {
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
    let together = text.chars().filter(|c| stands_alone(*c)).count();
    text.split_whitespace().filter(is_word).count().max(together)
}

/// A text as it is compared.
fn fold(text: &str) -> String {
    let plain: String = text.chars().filter_map(plain).collect::<String>().to_lowercase();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A character as it is compared; nothing, if it only emphasises.
fn plain(c: char) -> Option<char> {
    match c {
        '*' | '_' | '`' | '\u{200b}' | '\u{feff}' | '\u{ad}' | SEAM => None,
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
        let draft = QuotedDraft::new(draft);
        assert!(draft.has("ship") && !draft.has(" ") && !QuotedDraft::new("").has(""));
    }

    #[test]
    fn a_quote_is_made_of_whole_words() {
        let draft = "At the start of the week, banana na na: 12.5 tons, 1,250 in all. 六月です, l'homme est bon.";
        for said in ["start of the", "na na: 12.5", "12.5 tons, 1,250", "1,250 in all", "月です", "homme est bon"] {
            assert_eq!(quotes(draft, said), Ok(()), "{said}");
        }
        for said in ["art of the", "start of th", "ana na na", "na na: 12", "5 tons, 1,250", "tons, 1", "250 in all"] {
            assert!(quotes(draft, said).is_err_and(|why| why.contains("does not say")), "{said}");
        }
    }

    #[test]
    fn markdown_is_quoted_as_it_is_read() {
        let draft = "It is [paid by Ana](https://example.org/a \"Bo pays it all\") Ruiz, ![the whole plan](x.png) for 5\\* euros.\n\n[//]: # (Carl pays for all of it)\n[1]: https://example.org \"Dora pays for it\"\n";
        for said in [
            "paid by Ana Ruiz",
            "[paid by Ana](https://example.org/a) Ruiz",
            "the whole plan for 5* euros",
            "for 5\\* euros",
        ] {
            assert_eq!(quotes(draft, said), Ok(()), "{said}");
        }
        for hidden in ["Bo pays it all", "Carl pays for all of it", "Dora pays for it"] {
            assert!(quotes(draft, hidden).is_err(), "{hidden}");
            assert!(QuotedDraft::new(draft).has(hidden), "it may break a rule: {hidden}");
        }
    }

    #[test]
    fn what_nobody_sees_shows_nothing_but_may_break_a_rule() {
        let draft = QuotedDraft::new("# Plan\n<!-- we move in May -->\n<p title=\"we move in July\">Soon.</p>");
        for hidden in ["we move in May", "we move in July", "<!-- we move in May -->"] {
            assert!(draft.shows(hidden).is_err() && draft.has(hidden), "{hidden}");
        }
    }

    #[test]
    fn a_summary_rests_on_the_draft_if_it_repeats_words_of_it() {
        let draft = "# Plan\n\nWe move in June, all of us, with everything that we have.\n";
        for said in [
            "It says “We move in June”, as asked.",
            "'all of us' is there, and \"with everything that\" too",
            "it names June because we move in June, all of us, and that is enough",
            "`Plan` is the heading",
        ] {
            assert!(cites(draft, said), "{said}");
        }
        for said in ["", "Looks good to me.", "\"we move in July\" is right", "It moves in June.", "“June”", "''"] {
            assert!(!cites(draft, said), "{said}");
        }
        assert!(cites("fast-search", "The slug is `fast-search`, as the brief asks."));
        assert!(cites("七時に開店します。", "「七時に開店」と書いてある"));
    }

    #[test]
    fn a_long_quote_is_not_repeated() {
        let long = "at home ".repeat(20_000);
        assert!(quotes("We move.", &long).is_err_and(|why| why.len() < 300));
        assert!(quotes(&"a".repeat(100_000), &"a".repeat(50_000)).is_err());
    }
}
