//! A rule: a bare text, or a table with a kind.

use crate::{
    error::AnchorMistake,
    node::{Node, Value},
    obvious::{Polarity, heading_test},
    pattern::{Pattern, Scope},
    predicate::{Predicate, Range},
    rule::{CommandTest, Rule, Test},
    schema::Schema,
};

use super::{Reader, fields::Fields};

const KINDS: [&str; 4] = ["pattern", "predicate", "command", "semantic"];
/// A day: whatever runs longer is no check.
const MAX_TIMEOUT_SECONDS: u64 = 86_400;
const MAX_COUNT: u64 = 1_000_000_000;

impl Reader {
    pub(super) fn rule(&mut self, node: &Node, key: &str, polarity: Polarity) -> Option<Rule> {
        if node.text().is_some() {
            let text = self.text(node, key)?;
            return Some(Rule::from_words(&text, polarity));
        }
        let mut fields = self.table(node, key, "a rule: a text, or a table with `kind`")?;
        let kind = match fields.take("kind") {
            Some(kind) if kind.text().is_some_and(|kind| KINDS.contains(&kind)) => kind.text().unwrap_or_default(),
            Some(kind) => {
                self.unknown_word(kind, "kind", &KINDS);
                return None;
            }
            None => {
                self.missing(&fields, "kind", "`pattern`, `predicate`, `command` or `semantic`");
                return None;
            }
        };
        let mut id = self.optional_text(&mut fields, "id");
        let mut words = self.optional_text(&mut fields, "rule");
        let test = match kind {
            "pattern" => self.pattern(&mut fields, polarity).map(Test::Pattern),
            "predicate" => self.predicate(&mut fields).and_then(|test| self.turned(node, key, test, polarity)),
            "command" => self.command(node, &mut fields, key, polarity).map(Test::Command),
            _ => {
                if fields.take("rule").is_none() {
                    self.missing(&fields, "rule", "the rule in words");
                }
                // Judges read it with the rule; what is said of the rule goes by the rule alone.
                if let (Some(hint), Some(rule)) = (self.optional_text(&mut fields, "hint"), &mut words) {
                    id = id.or_else(|| Some(rule.clone()));
                    *rule = format!("{rule} ({hint})");
                }
                Some(Test::Semantic)
            }
        };
        self.finish(&fields);
        let test = test?;
        let rule = words.unwrap_or_else(|| describe(&test));
        Some(Rule { test, id, rule })
    }

    fn pattern(&mut self, fields: &mut Fields<'_>, polarity: Polarity) -> Option<Pattern> {
        let pattern = self.required_text(fields, "pattern", "a regular expression");
        let must_match = self.flag(fields, "must_match");
        if let (Some(true), Polarity::MustNotBe, Some(node)) = (must_match, polarity, fields.take("must_match")) {
            self.refuse(
                node.at,
                AnchorMistake::Misplaced {
                    what: "`must_match = true`".to_owned(),
                    list: "MUST_NOT".to_owned(),
                    hint: "leave `must_match` out: what stands in MUST_NOT must not match".to_owned(),
                },
            );
        }
        let scope = match fields.take("scope") {
            None => Some(Scope::Document),
            Some(node) => self.scope(node),
        };
        let pattern = Pattern {
            pattern: pattern?,
            must_match: must_match.unwrap_or(polarity == Polarity::MustHold),
            scope: scope?,
        };
        if let (Err(why), Some(node)) = (pattern.compile(), fields.take("pattern")) {
            let hint = if why.contains("too large") {
                "make the counted repetitions smaller"
            } else {
                "patterns are regular expressions of the Rust crate `regex`; in TOML write them between single quotes"
            };
            self.refuse(node.at, AnchorMistake::BadPattern { why, hint: hint.to_owned() });
        }
        Some(pattern)
    }

    fn scope(&mut self, node: &Node) -> Option<Scope> {
        match (&node.value, node.text()) {
            (_, Some("document")) => Some(Scope::Document),
            (_, Some("heading")) => Some(Scope::Heading),
            (Value::Table(_), _) => {
                let mut fields = self.table(node, "scope", "a table with `section`")?;
                let section = self.required_text(&mut fields, "section", "the name of a heading");
                self.finish(&fields);
                section.map(Scope::Section)
            }
            (_, Some("section")) => {
                self.invalid(node, "scope", "the name of the section", Some("write scope = { section = \"Risks\" }"));
                None
            }
            _ => {
                self.unknown_word(node, "scope", &["document", "heading", "{ section = \"…\" }"]);
                None
            }
        }
    }

    fn predicate(&mut self, fields: &mut Fields<'_>) -> Option<Predicate> {
        let Some(node) = fields.take("predicate") else {
            self.missing(fields, "predicate", &format!("one of {}", Predicate::WORDS.join(", ")));
            fields.give_up();
            return None;
        };
        match node.text() {
            Some("contains") => {
                self.sought(fields).map(|(text, ignore_case)| Predicate::Contains { text, ignore_case })
            }
            Some("not_contains") => {
                self.sought(fields).map(|(text, ignore_case)| Predicate::NotContains { text, ignore_case })
            }
            Some("heading") => {
                let text = self.required_text(fields, "text", "the words of the heading");
                let level = self.whole(fields, "level", 1, 6).and_then(|level| u8::try_from(level).ok());
                Some(Predicate::Heading { text: text?, level })
            }
            Some("word_count") => self.range(fields).map(Predicate::WordCount),
            Some("line_count") => self.range(fields).map(Predicate::LineCount),
            Some("json_schema") => {
                let Some(node) = fields.take("schema") else {
                    self.missing(fields, "schema", "a JSON schema");
                    return None;
                };
                Schema::read(node, self).map(|schema| Predicate::JsonSchema { schema })
            }
            Some("well_formed_html") => Some(Predicate::WellFormedHtml),
            Some("file_exists") => self
                .required_text(fields, "path", "a path relative to the draft")
                .map(|path| Predicate::FileExists { path }),
            Some("link_resolves") => Some(Predicate::LinkResolves),
            _ => {
                self.unknown_word(node, "predicate", &Predicate::WORDS);
                fields.give_up();
                None
            }
        }
    }

    fn sought(&mut self, fields: &mut Fields<'_>) -> Option<(String, bool)> {
        let text = self.required_text(fields, "text", "the words to look for");
        let ignore_case = self.flag(fields, "ignore_case").unwrap_or(false);
        Some((text?, ignore_case))
    }

    fn range(&mut self, fields: &mut Fields<'_>) -> Option<Range> {
        let before = self.mistakes.len();
        let min = self.whole(fields, "min", 0, MAX_COUNT);
        let max = self.whole(fields, "max", 0, MAX_COUNT);
        if self.mistakes.len() > before {
            return None;
        }
        match (min, max) {
            (None, None) => {
                self.missing(fields, "max", "`min`, `max` or both");
                None
            }
            (Some(least), Some(most)) if most < least => {
                if let Some(node) = fields.take("max") {
                    self.invalid(node, "max", &format!("no less than `min`, which is `{least}`"), None);
                }
                None
            }
            _ => Some(Range { min, max }),
        }
    }

    fn command(&mut self, node: &Node, fields: &mut Fields<'_>, list: &str, polarity: Polarity) -> Option<CommandTest> {
        let argv = self.argv(fields, "argv");
        let timeout_seconds = self.whole(fields, "timeout_seconds", 1, MAX_TIMEOUT_SECONDS);
        if polarity == Polarity::MustNotBe {
            let hint = "a command passes with exit code 0: put it into MUST".to_owned();
            self.refuse(
                node.at,
                AnchorMistake::Misplaced { what: "a command".to_owned(), list: list.to_owned(), hint },
            );
        }
        Some(CommandTest { argv: argv?, timeout_seconds })
    }

    /// In `MUST_NOT` a predicate says what must not be; it is kept as what must hold instead.
    fn turned(&mut self, node: &Node, list: &str, predicate: Predicate, polarity: Polarity) -> Option<Test> {
        if polarity == Polarity::MustHold {
            return Some(Test::Predicate(predicate));
        }
        match predicate {
            Predicate::Contains { text, ignore_case } | Predicate::NotContains { text, ignore_case } => {
                Some(Test::Predicate(Predicate::NotContains { text, ignore_case }))
            }
            Predicate::Heading { text, level: None } => Some(heading_test(text, None, true)),
            other => {
                let what = format!("the predicate `{}`", other.word());
                let hint = "it says what must hold: put it into MUST".to_owned();
                self.refuse(node.at, AnchorMistake::Misplaced { what, list: list.to_owned(), hint });
                None
            }
        }
    }
}

/// The words of a rule whose author gave none.
fn describe(test: &Test) -> String {
    match test {
        Test::Pattern(Pattern { pattern, must_match, scope }) => {
            let verb = if *must_match { "matches" } else { "does not match" };
            match scope {
                Scope::Document => format!("{verb} `{pattern}`"),
                Scope::Heading => format!("a heading {verb} `{pattern}`"),
                Scope::Section(name) => format!("the section `{name}` {verb} `{pattern}`"),
            }
        }
        Test::Predicate(predicate) => predicate.to_string(),
        Test::Command(command) => format!("`{}` passes", command.argv.join(" ")),
        Test::Semantic => String::new(),
    }
}
