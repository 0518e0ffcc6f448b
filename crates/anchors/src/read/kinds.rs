//! The fields of each kind of anchor.

use std::collections::BTreeSet;

use crate::{
    anchor::{
        Acceptance, AcceptanceItem, Assertion, Assertions, Dimension, DimensionWeight, Direction, Exemplars, Goal,
        Invariants, Measure, Rubric, Scale,
    },
    error::AnchorMistake,
    node::{Node, Value},
    number::Number,
    obvious::Polarity,
    rule::{Rule, Test},
};

use super::{Reader, fields::Fields};

impl Reader {
    pub(super) fn invariants(&mut self, fields: &mut Fields<'_>) -> Option<Invariants> {
        let must = self.rules(fields, "MUST", Polarity::MustHold);
        let should = self.rules(fields, "SHOULD", Polarity::MustHold);
        let must_not = self.rules(fields, "MUST_NOT", Polarity::MustNotBe);
        let none_given = ["MUST", "SHOULD", "MUST_NOT"].iter().all(|key| fields.take(key).is_none());
        if none_given {
            self.missing(fields, "MUST", "a list of rules in `MUST`, `SHOULD` or `MUST_NOT`");
            return None;
        }
        Some(Invariants { must: must?, should: should?, must_not: must_not? })
    }

    pub(super) fn acceptance(&mut self, fields: &mut Fields<'_>) -> Option<Acceptance> {
        let items = self.entries(fields, "items", "questions", Self::item)?;
        Some(Acceptance { items })
    }

    fn item(&mut self, node: &Node) -> Option<AcceptanceItem> {
        let mut fields = self.table(node, "items", "a table with `question` and `done_when`")?;
        let question = self.required_text(&mut fields, "question", "what the work must answer");
        let done_when = self.required_text(&mut fields, "done_when", "how one can tell that it is answered");
        let node = fields.take("rule");
        let rule = node.map(|node| self.rule(node, "rule", Polarity::MustHold));
        self.finish(&fields);
        Some(AcceptanceItem {
            question: question?,
            done_when: done_when?,
            rule: rule.map_or(Some(None), |rule| rule.map(Some))?,
        })
    }

    pub(super) fn exemplars(&mut self, fields: &mut Fields<'_>) -> Option<Exemplars> {
        if fields.take("positive").is_none() {
            fields.take("negative");
            self.missing(fields, "positive", "a list of texts to come close to");
            return None;
        }
        let positive = self.texts(fields, "positive", "texts");
        let given = fields.take("negative").is_some();
        let negative = if given { self.texts(fields, "negative", "texts") } else { Some(Vec::new()) };
        let positive = positive?;
        if positive.is_empty() {
            self.empty(fields, "positive", "at least one text");
        }
        Some(Exemplars { positive, negative: negative? })
    }

    pub(super) fn assertions(&mut self, fields: &mut Fields<'_>) -> Option<Assertions> {
        let checks = self.entries(fields, "checks", "checks", Self::check)?;
        Some(Assertions { checks })
    }

    fn check(&mut self, node: &Node) -> Option<Assertion> {
        let mut fields = self.table(node, "checks", "a table with `description` and `predicate`")?;
        let description = self.required_text(&mut fields, "description", "what is checked, in words");
        let predicate = if let Some(node) = fields.take("predicate") {
            self.assertion(node)
        } else {
            self.missing(&fields, "predicate", "a rule of kind `pattern`, `predicate` or `command`");
            None
        };
        self.finish(&fields);
        Some(Assertion { description: description?, predicate: predicate? })
    }

    /// A rule that a machine decides: everything else is no assertion.
    fn assertion(&mut self, node: &Node) -> Option<Rule> {
        let rule = self.rule(node, "predicate", Polarity::MustHold)?;
        if rule.test == Test::Semantic {
            self.refuse(
                node.at,
                AnchorMistake::Misplaced {
                    what: "a rule that needs a model".to_owned(),
                    list: "predicate".to_owned(),
                    hint: "say it as a pattern, a predicate or a command: { kind = \"pattern\", pattern = \"…\" }"
                        .to_owned(),
                },
            );
            return None;
        }
        Some(rule)
    }

    pub(super) fn rubric(&mut self, fields: &mut Fields<'_>) -> Option<Rubric> {
        let dims = self.entries(fields, "dims", "dimensions", Self::dimension);
        self.names_once(fields, "dims");
        let dims = dims?;
        Some(Rubric { dims })
    }

    fn dimension(&mut self, node: &Node) -> Option<Dimension> {
        let mut fields = self.table(node, "dims", "a table with `name`")?;
        let name = self.required_text(&mut fields, "name", "what is scored");
        let description = self.optional_text(&mut fields, "description");
        let weight = fields.take("weight").map(|node| {
            let number = if let Value::Integer(number) = &node.value { number.parse().ok() } else { None };
            if number.is_none() {
                self.invalid(node, "weight", "a whole number from 1 to 5", None);
            }
            number.map(DimensionWeight::new)
        });
        let weight = weight.unwrap_or(Some(DimensionWeight::LEAST));
        let scale = match fields.take("scale") {
            None => Some(Scale::Points),
            Some(node) => match node.text() {
                Some("points") => Some(Scale::Points),
                Some("color") => Some(Scale::Color),
                _ => {
                    self.unknown_word(node, "scale", &["points", "color"]);
                    None
                }
            },
        };
        let most = scale.map_or(13, Scale::max);
        let floor = self.whole(&mut fields, "floor", 0, u64::from(most)).and_then(|floor| u32::try_from(floor).ok());
        self.finish(&fields);
        Some(Dimension { name: name?, description, weight: weight?, scale: scale?, floor })
    }

    pub(super) fn goal(&mut self, fields: &mut Fields<'_>) -> Option<Goal> {
        let north_star = self.required_text(fields, "north_star", "what the work is to get better at");
        let constraints = self.rules(fields, "constraints", Polarity::MustHold);
        let measure = fields.take("measure").map(|node| self.measure(node));
        Some(Goal {
            north_star: north_star?,
            constraints: constraints?,
            measure: measure.map_or(Some(None), |measure| measure.map(Some))?,
        })
    }

    fn measure(&mut self, node: &Node) -> Option<Measure> {
        let mut fields = self.table(node, "measure", "a table with `command` and `direction`")?;
        let command = self.argv(&mut fields, "command");
        let direction = match fields.take("direction") {
            None => {
                self.missing(&fields, "direction", "`minimise` or `maximise`");
                None
            }
            Some(node) => match node.text() {
                Some("minimise" | "minimize") => Some(Direction::Minimise),
                Some("maximise" | "maximize") => Some(Direction::Maximise),
                _ => {
                    self.unknown_word(node, "direction", &["minimise", "maximise"]);
                    None
                }
            },
        };
        let target = fields.take("target").map(|node| {
            let number = match &node.value {
                Value::Integer(text) | Value::Float(text) => Number::parse(text),
                _ => None,
            };
            if number.is_none() {
                self.invalid(node, "target", "a number with at most six decimals", None);
            }
            number
        });
        self.finish(&fields);
        Some(Measure {
            command: command?,
            direction: direction?,
            target: target.map_or(Some(None), |target| target.map(Some))?,
        })
    }

    /// A program and its arguments.
    pub(super) fn argv(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<Vec<String>> {
        let Some(node) = fields.take(key) else {
            self.missing(fields, key, "a program and its arguments");
            return None;
        };
        if node.text().is_some() {
            let hint = format!("write every argument by itself: {key} = [\"cargo\", \"test\"]");
            self.invalid(node, key, "a list of arguments", Some(&hint));
            return None;
        }
        let argv = self.texts(fields, key, "arguments")?;
        if argv.is_empty() {
            self.empty(fields, key, "a program and its arguments");
            return None;
        }
        Some(argv)
    }

    fn rules(&mut self, fields: &mut Fields<'_>, key: &'static str, polarity: Polarity) -> Option<Vec<Rule>> {
        if fields.take(key).is_none() {
            return Some(Vec::new());
        }
        let items = self.list(fields, key, "rules")?;
        // Every item is looked at, so that every mistake is found.
        let rules: Vec<Option<Rule>> = items.iter().map(|item| self.rule(item, key, polarity)).collect();
        rules.into_iter().collect()
    }

    /// A list of tables that must not be empty.
    fn entries<T>(
        &mut self,
        fields: &mut Fields<'_>,
        key: &'static str,
        of: &str,
        one: fn(&mut Self, &Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        if fields.take(key).is_none() {
            self.missing(fields, key, &format!("a list of {of}"));
            return None;
        }
        let items = self.list(fields, key, of)?;
        if items.is_empty() {
            self.empty(fields, key, &format!("at least one of the {of}"));
            return None;
        }
        let read: Vec<Option<T>> = items.iter().map(|item| one(self, item)).collect();
        read.into_iter().collect()
    }

    /// Refuses a `name` that an entry before has.
    fn names_once(&mut self, fields: &mut Fields<'_>, key: &'static str) {
        let Some(Value::List(items)) = fields.take(key).map(|node| &node.value) else { return };
        let mut seen = BTreeSet::new();
        for item in items {
            let Value::Table(entries) = &item.value else { continue };
            let Some((_, node)) = entries.iter().find(|(key, _)| key.name == "name") else { continue };
            if let Some(name) = node.text().filter(|name| !seen.insert(*name)) {
                self.refuse(node.at, AnchorMistake::Repeated { key: name.to_owned() });
            }
        }
    }

    fn empty(&mut self, fields: &mut Fields<'_>, key: &'static str, expected: &str) {
        let at = fields.take(key).map_or(fields.at, |node| node.at);
        let (key, expected) = (key.to_owned(), expected.to_owned());
        self.refuse(at, AnchorMistake::Invalid { key, found: "empty".to_owned(), expected, hint: None });
    }
}
