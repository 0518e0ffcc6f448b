//! From a file's text to an anchor, or to all of its mistakes.

mod fields;
mod kinds;
mod rule;

use crate::{
    anchor::Anchor,
    error::{AnchorError, AnchorMistake},
    kind::AnchorKind,
    lines::Lines,
    nearest::nearest,
    node::{Node, Value},
    obvious::Polarity,
    rule::Rule,
    syntax::Syntax,
};

use fields::Fields;

pub(crate) fn read(text: &str, syntax: Syntax) -> Result<Anchor, Vec<AnchorError>> {
    parse(text, syntax, Reader::anchor)
}

/// One rule by itself, as the log has it.
pub(crate) fn read_rule(text: &str, syntax: Syntax) -> Result<Rule, Vec<AnchorError>> {
    parse(text, syntax, |reader, root| reader.rule(root, "rule", Polarity::MustHold))
}

fn parse<T>(text: &str, syntax: Syntax, read: fn(&mut Reader, &Node) -> Option<T>) -> Result<T, Vec<AnchorError>> {
    let lines = Lines::new(text);
    let mut reader = Reader::default();
    let whole = match syntax.parse(text, &lines) {
        Ok(root) => read(&mut reader, &root),
        Err(mistakes) => {
            reader.mistakes = mistakes;
            None
        }
    };
    match whole {
        Some(whole) if reader.mistakes.is_empty() => Ok(whole),
        _ => {
            // Stable, so that mistakes at one place stay in the order in which they were noticed.
            reader.mistakes.sort_by_key(|(at, _)| *at);
            let placed = reader.mistakes.into_iter().map(|(at, mistake)| {
                let place = lines.place(text, at);
                AnchorError { line: place.line, column: place.column, mistake }
            });
            Err(placed.collect())
        }
    }
}

/// Collects mistakes with the bytes where they are. A part that could not be read is `None`, and its mistake is here.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    mistakes: Vec<(usize, AnchorMistake)>,
}

impl Reader {
    pub(crate) fn refuse(&mut self, at: usize, mistake: AnchorMistake) {
        self.mistakes.push((at, mistake));
    }

    fn invalid(&mut self, node: &Node, key: &str, expected: &str, hint: Option<&str>) {
        let hint = hint.map(str::to_owned);
        let mistake =
            AnchorMistake::Invalid { key: key.to_owned(), found: node.shown(), expected: expected.to_owned(), hint };
        self.refuse(node.at, mistake);
    }

    fn unknown_word(&mut self, node: &Node, key: &str, known: &[&str]) {
        let nearest = node.text().and_then(|text| nearest(text, known.iter().copied())).map(str::to_owned);
        let known = known.iter().map(|word| (*word).to_owned()).collect();
        self.refuse(node.at, AnchorMistake::UnknownWord { key: key.to_owned(), found: node.shown(), nearest, known });
    }

    fn anchor(&mut self, root: &Node) -> Option<Anchor> {
        let Value::Table(entries) = &root.value else {
            self.invalid(root, "anchor", "a table with a `kind`", None);
            return None;
        };
        let mut fields = Fields::new(root.at, entries);
        let Some(node) = fields.take("kind") else {
            let known = AnchorKind::WORDS.join(", ");
            self.refuse(
                root.at,
                AnchorMistake::Missing { key: "kind".to_owned(), expected: format!("one of {known}") },
            );
            return None;
        };
        let Some(kind) = node.text().and_then(AnchorKind::from_word) else {
            self.unknown_word(node, "kind", AnchorKind::WORDS);
            return None;
        };
        let anchor = match kind {
            AnchorKind::Invariants => self.invariants(&mut fields).map(Anchor::Invariants),
            AnchorKind::Acceptance => self.acceptance(&mut fields).map(Anchor::Acceptance),
            AnchorKind::Exemplars => self.exemplars(&mut fields).map(Anchor::Exemplars),
            AnchorKind::Assertions => self.assertions(&mut fields).map(Anchor::Assertions),
            AnchorKind::Rubric => self.rubric(&mut fields).map(Anchor::Rubric),
            AnchorKind::Goal => self.goal(&mut fields).map(Anchor::Goal),
        };
        self.finish(&fields);
        anchor
    }
}
