//! What a change is asked to do, item by item: by a spec, or by the messages of its commits.

use tribunal_anchors::{Anchor, Invariants, Rule, Test};

use crate::desk::Prd;
use crate::desk::markdown::{Kind, lines};
use crate::text::{head, one_line};

/// So many items are put to the vote: nobody judges more of them with care.
const MOST_ITEMS: usize = 60;
/// So many bytes of an item are put to the vote.
const MOST_BYTES: usize = 2_000;
/// So many bytes of it are its name.
const NAME_BYTES: usize = 120;

/// Why there is nothing to vote on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AskedError {
    #[error("it asks for nothing")]
    Nothing,
    #[error("it asks for {0} things, and at most {MOST_ITEMS} are put to the vote")]
    TooMuch(usize),
}

impl AskedError {
    /// What the author can do.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Nothing => "write what the change has to do as a list, an item for each thing",
            Self::TooMuch(_) => "name a shorter spec: what this one change has to do",
        }
    }
}

/// What a spec asks for: the criteria of its stories, else the items of its lists and the rows of its tables; and every
/// paragraph besides that demands something. Without any of them, all its paragraphs.
pub fn of_spec(text: &str) -> Result<Anchor, AskedError> {
    let stories = Prd::read(text).map(|prd| prd.stories).unwrap_or_default();
    let criteria = stories.iter().flat_map(|story| {
        let named = (1..).zip(&story.criteria);
        named.map(|(number, words)| (Some(format!("{} AC{number}: {words}", story.id)), words.clone()))
    });
    let mut asked: Vec<(Option<String>, String)> = criteria.collect();
    let mut parts = parts(text);
    if !asked.is_empty() {
        // Items outside of the stories count where they demand something, like every other text.
        for part in &mut parts {
            part.is_item = false;
        }
        parts
            .retain(|part| !stories.iter().any(|story| story.criteria.iter().any(|known| known.contains(&part.words))));
    }
    let is_listed = !asked.is_empty() || parts.iter().any(|part| part.is_item);
    let is_asked = |part: &SpecPart| part.is_item || !is_listed || demands(&part.words);
    asked.extend(parts.into_iter().filter(is_asked).map(|part| (None, part.words)));
    anchor(asked)
}

/// What the messages of commits promise: each of them, and each item of a list in it.
pub fn of_messages(messages: &[String]) -> Result<Anchor, AskedError> {
    let said = messages.iter().map(|message| message.trim()).filter(|message| !message.is_empty());
    anchor(said.flat_map(|message| {
        let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
        let listed = parts(body).into_iter().filter(|part| part.is_item).map(|part| (None, part.words));
        let whole = format!("does what its message says: {}", one_line(message));
        [(Some(subject.to_owned()), whole)].into_iter().chain(listed).collect::<Vec<_>>()
    }))
}

/// Words of somebody who demands something.
const DEMANDS: [&str; 8] = ["must", "shall", "should", "has to", "have to", "needs to", "need to", "may not"];

fn demands(words: &str) -> bool {
    let words = format!(" {} ", words.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " "));
    DEMANDS.iter().any(|demand| words.contains(&format!(" {demand} ")))
}

/// A paragraph of a spec, or an item of a list or a row of a table in it.
#[derive(Debug)]
struct SpecPart {
    words: String,
    is_item: bool,
    indent: usize,
}

/// The parts of a text. Nested points, wrapped lines and further paragraphs of an item are drawn into it, and so is code that
/// follows it.
fn parts(text: &str) -> Vec<SpecPart> {
    let mut parts: Vec<SpecPart> = Vec::new();
    // Whether the last line goes on, and whether a blank one came since.
    let (mut is_open, mut is_blank, mut rows) = (false, false, 0);
    for line in lines(text) {
        let indent = line.raw.chars().take_while(|c| c.is_whitespace()).count();
        let last = parts.last_mut().filter(|_| is_open);
        if !matches!(line.kind, Kind::Row(_)) {
            rows = 0;
        }
        match line.kind {
            Kind::Item { indent, text } => {
                match last.filter(|last| last.is_item && last.indent < indent) {
                    Some(last) => push(&mut last.words, "; ", text),
                    None => parts.push(SpecPart { words: text.to_owned(), is_item: true, indent }),
                }
                (is_open, is_blank) = (true, false);
            }
            Kind::Text(text) => {
                match last.filter(|last| !is_blank || (last.is_item && last.indent < indent)) {
                    Some(last) => push(&mut last.words, " ", text),
                    None => parts.push(SpecPart { words: text.to_owned(), is_item: false, indent }),
                }
                (is_open, is_blank) = (true, false);
            }
            Kind::Code(text) => {
                if let Some(last) = last {
                    push(&mut last.words, " ", text.trim());
                }
            }
            Kind::Row(text) => {
                rows += 1;
                let is_rule = text.chars().all(|c| "|-: ".contains(c));
                // The first one says what the columns are.
                if rows > 1 && !is_rule {
                    let cells: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
                    parts.push(SpecPart { words: cells.join(" – "), is_item: true, indent: 0 });
                }
                is_open = false;
            }
            Kind::Blank => is_blank = true,
            Kind::Opening(_) | Kind::Closing => {}
            Kind::Heading { .. } | Kind::Comment => is_open = false,
        }
    }
    parts
}

fn push(words: &mut String, between: &str, more: &str) {
    words.push_str(between);
    words.push_str(more);
}

fn anchor(asked: impl IntoIterator<Item = (Option<String>, String)>) -> Result<Anchor, AskedError> {
    let rule = |(name, words): (Option<String>, String)| {
        let rule = head(&one_line(&words), MOST_BYTES).to_owned();
        let name = one_line(name.as_deref().unwrap_or(&rule));
        Rule { test: Test::Semantic, id: Some(head(&name, NAME_BYTES).to_owned()), rule }
    };
    let says_something = |(_, words): &(Option<String>, String)| words.chars().any(char::is_alphanumeric);
    let must: Vec<Rule> = asked.into_iter().filter(says_something).map(rule).collect();
    match must.len() {
        0 => Err(AskedError::Nothing),
        found if found > MOST_ITEMS => Err(AskedError::TooMuch(found)),
        _ => Ok(Anchor::Invariants(Invariants { must, ..Invariants::default() })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(anchor: Result<Anchor, AskedError>) -> Vec<String> {
        let items = anchor.unwrap().items();
        items.into_iter().map(|(_, rule)| format!("{}: {}", rule.name(), rule.rule)).collect()
    }

    #[test]
    fn a_spec_asks_for_what_it_lists_and_what_it_demands_besides() {
        let rows: [(&str, &str, &[&str]); 7] = [
            (
                "stories, and a constraint beside them",
                "# PRD\n\n### US-001: Divide\n\n- divide(6, 3) is 2\n- divide(1, 0) raises\n\n## Constraints\n\n- It must not log.\n- Nice.\n",
                &["divide(6, 3) is 2", "divide(1, 0) raises", "It must not log."],
            ),
            (
                "items with what belongs to them",
                "Intro.\n\n1. [ ] parses `1..3`,\n   both ends included\n   - also spaces\n\n   and nothing else\n2. keeps the old form\n\nNotes.\n",
                &["parses `1..3`, both ends included; also spaces and nothing else", "keeps the old form"],
            ),
            ("a demand above a list", "It MUST be fast.\n\n- a\n", &["It MUST be fast.", "a"]),
            (
                "prose",
                "# Title\n\nDivision by zero\nraises.\n\nNothing else changes.\n",
                &["Division by zero raises.", "Nothing else changes."],
            ),
            ("a table", "| what | how |\n|---|---|\n| divide | by two |\n", &["divide – by two"]),
            ("code that an item is about", "- prints\n```\nhello\n```\n", &["prints hello"]),
            ("no demand", "Mustard is nice.\n\n- a\n", &["a"]),
        ];
        for (name, text, expected) in rows {
            let asked: Vec<String> = of_spec(text).unwrap().items().into_iter().map(|(_, rule)| rule.rule).collect();
            assert_eq!(asked, expected, "{name}");
        }
    }

    #[test]
    fn nothing_and_too_much_are_no_ballot() {
        for empty in ["", "# Title\n", "```\n- code\n```\n", "| a |\n|---|\n", "<!-- - a comment -->\n", "-  \n"] {
            assert_eq!(of_spec(empty), Err(AskedError::Nothing), "{empty:?}");
        }
        let many = "- x\n".repeat(MOST_ITEMS + 1);
        assert_eq!(of_spec(&many), Err(AskedError::TooMuch(MOST_ITEMS + 1)));
        assert_eq!(of_messages(&["  \n".to_owned()]), Err(AskedError::Nothing));
    }

    #[test]
    fn a_commit_promises_what_its_message_says() {
        let messages = ["calc: divide\n\nRaises ValueError.\n\n- halves\n".to_owned(), "docs".to_owned()];
        assert_eq!(
            told(of_messages(&messages)),
            [
                "calc: divide: does what its message says: calc: divide Raises ValueError. - halves",
                "halves: halves",
                "docs: does what its message says: docs"
            ]
        );
        let items = of_messages(&["fix".to_owned(), "fix".to_owned()]).unwrap().items();
        assert_eq!(items[1].1.name(), "fix (2)", "two of the same name are two items");
    }
}
