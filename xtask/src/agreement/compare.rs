//! The two side by side, element by element.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::browser::{Answer, Seen};
use super::ours::{Page, Verdict};
use super::reasons::Reasons;
use super::rule::{self, Rule, Scope};

/// Ratios may differ by so much: axe cuts to two places, and both sides round colours to bytes at different moments.
const TOLERANCE: f64 = 0.05;

/// The element of rules that are about the page as a whole.
const PAGE: &str = "page";

/// Everything that was compared.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    rows: Vec<Row>,
    disagreements: Vec<Disagreement>,
    ratios: Ratios,
}

/// One page under one rule.
#[derive(Debug)]
struct Row {
    page: String,
    rule: String,
    elements: usize,
    axe: Count,
    ours: Count,
    agreeing: usize,
}

#[derive(Debug, Default)]
struct Count {
    fail: usize,
    undecided: usize,
}

/// Contrast ratios that both know.
#[derive(Debug, Default)]
struct Ratios {
    compared: usize,
    greatest: f64,
}

#[derive(Debug, PartialEq)]
pub(super) struct Disagreement {
    pub(super) page: String,
    pub(super) rule: String,
    pub(super) element: String,
    axe: String,
    ours: String,
}

/// What one side says of an element; nothing said is no complaint.
#[derive(Debug, Clone, Copy)]
struct View {
    verdict: Verdict,
    ratio: Option<f64>,
}

impl View {
    const SILENT: Self = Self { verdict: Verdict::Passes, ratio: None };

    fn worse(self, other: Self) -> Self {
        Self { verdict: self.verdict.max(other.verdict), ratio: self.ratio.or(other.ratio) }
    }

    fn show(self) -> String {
        let ratio = self.ratio.map(|ratio| format!(" at {:.2}:1", (ratio * 100.0).floor() / 100.0));
        self.verdict.as_str().to_owned() + &ratio.unwrap_or_default()
    }
}

/// By rule and scheme, then by element: what axe says, and what we say.
type Views = BTreeMap<(usize, bool), BTreeMap<String, (View, View)>>;

impl Comparison {
    pub(super) fn of(pages: &[Page], answer: &Answer) -> Result<Self> {
        let mut comparison = Self::default();
        for page in pages {
            let seen = answer.pages.iter().find(|seen| seen.name == page.name);
            let seen = seen.with_context(|| format!("axe says nothing of page {}", page.name))?;
            let views = views(page, seen).with_context(|| format!("page {}", page.name))?;
            for ((number, dark), elements) in &views {
                let rule = &rule::RULES[*number];
                let name = if *dark { format!("{}, dark", rule.name) } else { rule.name.to_owned() };
                comparison.take(&page.name, &name, elements);
            }
        }
        Ok(comparison)
    }

    fn take(&mut self, page: &str, rule: &str, elements: &BTreeMap<String, (View, View)>) {
        let before = self.disagreements.len();
        for (element, (axe, ours)) in elements {
            let difference = axe.ratio.zip(ours.ratio).map(|(axe, ours)| (axe - ours).abs());
            if let Some(difference) = difference {
                self.ratios.compared += 1;
                self.ratios.greatest = self.ratios.greatest.max(difference);
            }
            if axe.verdict != ours.verdict || difference.is_some_and(|difference| difference > TOLERANCE) {
                self.disagreements.push(Disagreement {
                    page: page.to_owned(),
                    rule: rule.to_owned(),
                    element: element.clone(),
                    axe: axe.show(),
                    ours: ours.show(),
                });
            }
        }
        let count = |side: fn(&(View, View)) -> View| {
            let of = |verdict| elements.values().filter(|views| side(views).verdict == verdict).count();
            Count { fail: of(Verdict::Fails), undecided: of(Verdict::Undecided) }
        };
        self.rows.push(Row {
            page: page.to_owned(),
            rule: rule.to_owned(),
            elements: elements.len(),
            axe: count(|(axe, _)| *axe),
            ours: count(|(_, ours)| *ours),
            agreeing: elements.len() - (self.disagreements.len() - before),
        });
    }

    pub(super) fn table(&self) -> String {
        let mut table = format!("{}\n", line("page", "rule", "elements", "axe", "ours", "agreement"));
        for rows in self.rows.chunk_by(|a, b| a.page == b.page) {
            let (calm, telling): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.is_calm());
            table.extend(telling.iter().map(|row| row.show()));
            if let Some(first) = calm.first() {
                let elements = calm.iter().map(|row| row.elements).sum();
                let rule = if let [_] = calm[..] { first.rule.clone() } else { format!("{} more rules", calm.len()) };
                let (axe, ours) = (Count::default(), Count::default());
                let calm = Row { page: first.page.clone(), rule, elements, axe, ours, agreeing: elements };
                table.push_str(&calm.show());
            }
        }
        let all: usize = self.rows.iter().map(|row| row.elements).sum();
        let agreeing: usize = self.rows.iter().map(|row| row.agreeing).sum();
        let Ratios { compared, greatest } = self.ratios;
        writeln!(
            table,
            "{agreeing} of {all} agree; {compared} contrast ratios known to both differ by {greatest:.3} at most"
        )
        .expect("a String takes every write");
        table
    }

    /// Prints every disagreement that has a reason; gives those that have none, and reasons that nothing needs.
    pub(super) fn faults(&self, reasons: &Reasons) -> Vec<String> {
        let mut faults = Vec::new();
        for one in &self.disagreements {
            match reasons.of(&one.page, &one.rule, &one.element) {
                Some(reason) => println!("{one}\n    {reason}"),
                None => faults.push(format!("unexplained: {one}")),
            }
        }
        let needed = |page: &str, rule: &str, element: &str| {
            self.disagreements.iter().any(|one| one.page == page && one.rule == rule && one.element == element)
        };
        faults.extend(reasons.without(needed));
        faults
    }
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { page, rule, element, axe, ours } = self;
        write!(f, "{page}, {rule}, {element}: axe {axe}, ours {ours}")
    }
}

impl Row {
    /// Nobody complains of anything: rules like that share a line.
    fn is_calm(&self) -> bool {
        self.agreeing == self.elements && [&self.axe, &self.ours].iter().all(|count| count.fail + count.undecided == 0)
    }

    fn show(&self) -> String {
        let Self { page, rule, elements, axe, ours, agreeing } = self;
        let agreement = format!("{agreeing} of {elements}");
        line(page, rule, &elements.to_string(), &axe.show(), &ours.show(), &agreement) + "\n"
    }
}

impl Count {
    fn show(&self) -> String {
        match (self.fail, self.undecided) {
            (0, 0) => "-".to_owned(),
            (fail, 0) => format!("{fail} fail"),
            (0, undecided) => format!("{undecided} undecided"),
            (fail, undecided) => format!("{fail} fail, {undecided} undecided"),
        }
    }
}

fn line(page: &str, rule: &str, elements: &str, axe: &str, ours: &str, agreement: &str) -> String {
    format!("{page:<10} | {rule:<20} | {elements:>8} | {axe:<20} | {ours:<20} | {agreement}")
}

fn views(page: &Page, seen: &Seen) -> Result<Views> {
    let mut views = Views::new();
    let mut put = |rule: &'static Rule, dark: bool, element: &str, view: View, is_axe: bool| {
        let number = rule::RULES.iter().position(|other| other.name == rule.name).expect("a rule of the table");
        let element = if rule.scope == Scope::Page { PAGE } else { element };
        let both = views.entry((number, dark)).or_default().entry(element.to_owned());
        let (axe, ours) = both.or_insert((View::SILENT, View::SILENT));
        let side = if is_axe { axe } else { ours };
        *side = side.worse(view);
    };
    for node in &seen.nodes {
        let rule = rule::of_axe(&node.rule).with_context(|| format!("axe answers with rule {}", node.rule))?;
        put(rule, node.dark, &node.element, View { verdict: node.verdict, ratio: node.ratio }, true);
    }
    let mut leads = seen.leads.iter();
    for said in &page.said {
        let Some(rule) = said.rule else {
            if said.selector.is_some() {
                leads.next();
            }
            continue;
        };
        let element = match &said.selector {
            None => PAGE,
            // A place that leads to several elements, or to none, helps nobody.
            Some(selector) => match leads.next().map(Vec::as_slice) {
                Some([element]) => element,
                other => bail!("`{selector}` leads to {} elements", other.map_or(0, <[String]>::len)),
            },
        };
        put(rule, said.dark, element, View { verdict: said.verdict, ratio: said.ratio }, false);
    }
    Ok(views)
}

#[cfg(test)]
mod tests {
    use super::super::browser::Node;
    use super::super::ours::Said;
    use super::*;

    fn compared(axe: &[(&str, Verdict, Option<f64>)], ours: &[(&str, Verdict, Option<f64>)]) -> Comparison {
        let rule = rule::of_axe("color-contrast").unwrap();
        let said = ours.iter().map(|(element, verdict, ratio)| Said {
            rule: Some(rule),
            code: "contrast.text",
            dark: false,
            selector: Some((*element).to_owned()),
            verdict: *verdict,
            ratio: *ratio,
            why: None,
        });
        let page = Page { name: "a".to_owned(), file: "a.html".into(), dark: false, said: said.collect() };
        let nodes = axe.iter().map(|(element, verdict, ratio)| Node {
            rule: "color-contrast".to_owned(),
            dark: false,
            element: (*element).to_owned(),
            verdict: *verdict,
            ratio: *ratio,
        });
        let leads = ours.iter().map(|(element, ..)| vec![(*element).to_owned()]).collect();
        let seen = Seen { name: "a".to_owned(), leads, nodes: nodes.collect() };
        let answer = Answer { axe: String::new(), chromium: String::new(), pages: vec![seen], pairs: Vec::new() };
        Comparison::of(&[page], &answer).unwrap()
    }

    #[test]
    fn every_kind_of_difference() {
        use Verdict::{Fails, Passes, Undecided};
        for (name, axe, ours, want) in [
            ("both silent of what the other sees pass", vec![("#a", Passes, Some(5.0))], vec![], ""),
            ("both fail", vec![("#a", Fails, Some(4.0))], vec![("#a", Fails, Some(4.04))], ""),
            (
                "other numbers",
                vec![("#a", Fails, Some(4.0))],
                vec![("#a", Fails, Some(4.06))],
                "a, color-contrast, #a: axe fails at 4.00:1, ours fails at 4.05:1",
            ),
            (
                "only axe",
                vec![("#a", Fails, Some(4.0))],
                vec![],
                "a, color-contrast, #a: axe fails at 4.00:1, ours passes",
            ),
            ("only ours", vec![], vec![("#a", Fails, None)], "a, color-contrast, #a: axe passes, ours fails"),
            (
                "one cannot decide",
                vec![("#a", Undecided, None)],
                vec![("#a", Passes, None)],
                "a, color-contrast, #a: axe undecided, ours passes",
            ),
        ] {
            let found: Vec<String> = compared(&axe, &ours).disagreements.iter().map(ToString::to_string).collect();
            assert_eq!(found.join("; "), want, "{name}");
        }
    }

    #[test]
    fn a_reason_is_needed_and_must_be_needed() {
        let comparison = compared(&[("#a", Verdict::Fails, None)], &[]);
        let none = Reasons::parse("").unwrap();
        assert_eq!(comparison.faults(&none), ["unexplained: a, color-contrast, #a: axe fails, ours passes"]);
        let reasons =
            "[[disagreement]]\npage = \"a\"\nrule = \"color-contrast\"\nselectors = [\"#a\", \"#b\"]\nreason = \"x\"\n";
        let reasons = Reasons::parse(reasons).unwrap();
        assert_eq!(
            comparison.faults(&reasons),
            ["testdata/checks/disagreements.toml: a, color-contrast, #b agree: the reason is not needed"]
        );
    }

    #[test]
    fn the_table_counts() {
        let comparison = compared(
            &[("#a", Verdict::Fails, Some(2.0)), ("#b", Verdict::Undecided, None)],
            &[("#a", Verdict::Fails, Some(2.0)), ("#c", Verdict::Passes, Some(9.0))],
        );
        assert_eq!(
            comparison.table(),
            "\
page       | rule                 | elements | axe                  | ours                 | agreement
a          | color-contrast       |        3 | 1 fail, 1 undecided  | 1 fail               | 2 of 3
2 of 3 agree; 1 contrast ratios known to both differ by 0.000 at most
"
        );
    }
}
