//! Precision and recall, by rule and eye.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tribunal_checks::MAX_FINDINGS_PER_CODE;

use super::super::ours::{self, Verdict};
use super::super::rule::{self, CONTRAST, RULES, Rule, Scope};
use super::left_open::LeftOpen;
use super::links::{AddressKind, LinksSaid};
use super::look::{AxeNode, Looked};
use super::plain::Plain;
use crate::corpus::CorpusPage;

/// The element of rules that are about the page as a whole.
const PAGE: &str = "page";
const FOCUS: &str = "focus-visible";
/// Pages that are named as the worst, for each rule and eye.
const WORST: usize = 5;

/// Everything that was compared.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pages: usize,
    /// Pages that ask for a style sheet which nobody can read.
    unread: usize,
    left_out: Vec<String>,
    rows: BTreeMap<(String, Eye), Row>,
    lines: Vec<String>,
    open: LeftOpen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Eye {
    Static,
    Browser,
}

/// One rule with one eye.
#[derive(Debug, Default)]
struct Row {
    pages: usize,
    /// Elements that the truth decides.
    elements: usize,
    /// Both say that it fails.
    both: usize,
    /// We say so, and the truth says that it passes or has nothing to say.
    only_ours: usize,
    /// The truth says so, and we say that it passes, or say nothing.
    missed: usize,
    /// The truth says so, and we do not decide.
    undecided: usize,
    /// We decide where the truth does not.
    alone: usize,
    /// Elements that both decide, and those of them where both say the same.
    decided: usize,
    agreed: usize,
    /// Elements that we, and that the browser eye decides, where both eyes are asked.
    known: usize,
    known_to_browser: usize,
    wrong: BTreeMap<String, usize>,
}

/// What one side says of an element.
#[derive(Debug, Clone, Default)]
struct Word {
    verdict: Option<Verdict>,
    told: String,
}

/// By element.
type Words = BTreeMap<String, Word>;

impl Eye {
    fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Browser => "browser",
        }
    }
}

impl Tally {
    pub(super) fn leave_out(&mut self, page: &CorpusPage, why: &str) {
        self.left_out.push(format!("{}: {why}", page.page.display()));
    }

    /// The static eye is compared with the page as it is written, the browser eye with what scripts make of it.
    pub(super) fn take(
        &mut self,
        page: &CorpusPage,
        looked: &Looked,
        plain: &Plain,
        focus: Option<&BTreeMap<String, bool>>,
    ) {
        self.pages += 1;
        for rule in RULES {
            let (ours, is_cut) = of_static(rule, looked, plain);
            let mut axe = of_axe(rule, &plain.nodes);
            scrolled_to(&mut axe, &ours, &of_axe(rule, &plain.high));
            if is_cut {
                axe.retain(|element, _| ours.contains_key(element));
            }
            // Of what the browser eye could decide: it does not look at pages whose sheets cannot be read.
            self.compare(page, rule.name, Eye::Static, &axe, &ours, looked.seen.as_ref().map(|_| &axe));
            if let Some(seen) = &of_browser(rule, looked) {
                let mut axe = of_axe(rule, &looked.nodes);
                scrolled_to(&mut axe, seen, &of_axe(rule, &plain.live));
                self.compare(page, rule.name, Eye::Browser, &axe, seen, None);
            }
        }
        self.unread += usize::from(looked.seen.is_none());
        if let Some(focus) = focus.filter(|_| looked.seen.is_some()) {
            let truth = focus.iter().map(|(path, shown)| {
                let verdict = if *shown { Verdict::Passes } else { Verdict::Fails };
                (path.clone(), Word { verdict: Some(verdict), told: String::new() })
            });
            let truth: Words = truth.collect();
            let only = |words: Words| words.into_iter().filter(|(path, _)| truth.contains_key(path)).collect::<Words>();
            let seen = only(of_code(ours::FOCUS, looked));
            self.compare(page, FOCUS, Eye::Browser, &truth, &seen, None);
            let mut mine = Words::new();
            for (said, paths) in &looked.said {
                if said.code == ours::FOCUS {
                    mine.extend(
                        paths
                            .iter()
                            .map(|path| (path.clone(), Word { verdict: Some(Verdict::Fails), told: String::new() })),
                    );
                }
            }
            self.compare(page, FOCUS, Eye::Static, &truth, &only(mine), Some(&seen));
        }
    }

    /// The addresses of a page: the truth is where Chromium would go, and whether there is such a file.
    pub(super) fn follow(&mut self, page: &CorpusPage, said: &LinksSaid) {
        for kind in AddressKind::ALL {
            let (mut truth, mut ours) = (Words::new(), Words::new());
            for (_, element, address) in said.ours.iter().filter(|(other, ..)| *other == kind) {
                put(&mut ours, element.clone(), Verdict::Fails, address.clone());
            }
            for led in said.truth.iter().filter(|led| led.kind() == kind) {
                if !said.is_cut || ours.contains_key(&led.element) || led.verdict != Verdict::Fails {
                    put(&mut truth, led.element.clone(), led.verdict, format!("{} {}", led.why, led.address));
                }
            }
            self.compare(page, kind.rule(), Eye::Static, &truth, &ours, None);
        }
    }

    fn compare(&mut self, page: &CorpusPage, rule: &str, eye: Eye, axe: &Words, ours: &Words, seen: Option<&Words>) {
        let row = self.rows.entry((rule.to_owned(), eye)).or_default();
        row.pages += 1;
        let name = page.page.display().to_string();
        let mut elements: Vec<&String> = axe.keys().chain(ours.keys()).collect();
        elements.sort();
        elements.dedup();
        for element in elements {
            let nothing = Word::default();
            let (theirs, our) = (axe.get(element).unwrap_or(&nothing), ours.get(element).unwrap_or(&nothing));
            let is_wrong = match (theirs.verdict, our.verdict) {
                (Some(Verdict::Fails), Some(Verdict::Fails)) => {
                    row.both += 1;
                    false
                }
                (Some(Verdict::Fails), Some(Verdict::Undecided)) => {
                    row.undecided += 1;
                    eye == Eye::Browser
                }
                (Some(Verdict::Fails), Some(Verdict::Passes) | None) => {
                    row.missed += 1;
                    true
                }
                (Some(Verdict::Passes) | None, Some(Verdict::Fails)) => {
                    row.only_ours += 1;
                    true
                }
                (Some(Verdict::Undecided), Some(Verdict::Fails)) => {
                    row.alone += 1;
                    false
                }
                _ => false,
            };
            let is_decided = |word: &Word| matches!(word.verdict, Some(Verdict::Passes | Verdict::Fails));
            row.elements += usize::from(is_decided(theirs));
            if is_decided(theirs) && is_decided(our) {
                row.decided += 1;
                row.agreed += usize::from(theirs.verdict == our.verdict);
            }
            if let Some(seen) = seen
                && seen.get(element).is_some_and(is_decided)
            {
                row.known_to_browser += 1;
                row.known += usize::from(is_decided(our));
                if rule == CONTRAST {
                    self.open.take(page, element, (!is_decided(our)).then_some(our.told.as_str()));
                }
            }
            if is_wrong {
                *row.wrong.entry(name.clone()).or_default() += 1;
                let say = |word: &Word| {
                    format!(
                        "{}{}",
                        word.verdict.map_or("nothing", Verdict::as_str),
                        if word.told.is_empty() { String::new() } else { format!(" ({})", word.told) }
                    )
                };
                self.lines.push(format!(
                    "{rule}\t{}\t{name}\t{element}\taxe {}\tours {}",
                    eye.as_str(),
                    say(theirs),
                    say(our)
                ));
            }
        }
    }

    /// Every contrast that the static eye leaves open and a browser decides.
    pub(super) fn left_open(&self) -> String {
        self.open.all()
    }

    pub(super) fn disagreements(&self) -> String {
        let mut text = "rule\teye\tpage\telement\taxe\tours\n".to_owned();
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// As Markdown, for docs/checks.md.
    pub(super) fn table(&self, axe: &str) -> String {
        let unread =
            format!("{} of them with style sheets that cannot be read, which are not for the browser eye", self.unread);
        let mut text = format!("{} pages, {unread}, axe-core {axe}\n\n", self.pages);
        text.push_str("| rule | eye | elements | fails for both | ours alone | axe alone | undecided here | precision | recall | agree where both decide | decided |\n");
        text.push_str("|---|---|---|---|---|---|---|---|---|---|---|\n");
        let mut put = |line: std::fmt::Arguments<'_>| text.write_fmt(line).expect("a String takes every write");
        for ((rule, eye), row) in &self.rows {
            let all = row.both + row.missed + row.undecided;
            put(format_args!(
                "| {rule} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                eye.as_str(),
                row.elements,
                row.both,
                row.only_ours,
                row.missed,
                row.undecided,
                share(row.both, row.both + row.only_ours),
                share(row.both, all),
                share(row.agreed, row.decided),
                share(row.known, row.known_to_browser),
            ));
        }
        put(format_args!("{}", self.open.table()));
        put(format_args!("\nThe worst pages:\n\n"));
        for ((rule, eye), row) in &self.rows {
            let mut worst: Vec<(&String, &usize)> = row.wrong.iter().collect();
            worst.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
            for (page, count) in worst.into_iter().take(WORST) {
                put(format_args!("- {rule}, {}: {page}, {count}\n", eye.as_str()));
            }
        }
        if !self.left_out.is_empty() {
            put(format_args!("\nLeft out:\n\n"));
        }
        for page in &self.left_out {
            put(format_args!("- {page}\n"));
        }
        text
    }
}

/// To three places, cut: .9949 is not .995. Nothing for nothing.
fn share(part: usize, all: usize) -> String {
    if all == 0 {
        return "–".to_owned();
    }
    format!("{:.3}", (part as f64 / all as f64 * 1000.0).floor() / 1000.0)
}

fn put(words: &mut Words, element: String, verdict: Verdict, told: String) {
    let word = words.entry(element).or_default();
    if word.verdict.is_none_or(|other| other < verdict) {
        *word = Word { verdict: Some(verdict), told };
    }
}

fn of_axe(rule: &Rule, nodes: &[AxeNode]) -> Words {
    let mut words = Words::new();
    // What axe passes without a ratio it has not measured.
    let is_measured =
        |node: &&AxeNode| rule.name != CONTRAST || node.verdict != Verdict::Passes || node.ratio.is_some();
    for node in nodes.iter().filter(|node| rule.axe.contains(&node.rule.as_str())).filter(is_measured) {
        let element = match (rule.scope, &node.path) {
            (Scope::Page, _) => PAGE.to_owned(),
            (Scope::Element, Some(path)) => path.clone(),
            // In a shadow tree, which no source has.
            (Scope::Element, None) => continue,
        };
        let parts = [
            node.ratio.map(|ratio| format!("{ratio}")),
            node.colors.clone(),
            node.why.clone(),
            Some(node.html.clone()),
        ];
        put(&mut words, element, node.verdict, parts.into_iter().flatten().collect::<Vec<_>>().join(" "));
    }
    words
}

/// What axe says of an element once it is scrolled to: it is asked about what fails for us alone. There, too, it leaves some
/// undecided, such as texts of one letter.
fn scrolled_to(axe: &mut Words, ours: &Words, high: &Words) {
    let fails =
        |words: &Words, element: &String| words.get(element).is_some_and(|word| word.verdict == Some(Verdict::Fails));
    for (element, word) in high.iter().filter(|(element, _)| fails(ours, element)) {
        if fails(high, element) || !axe.contains_key(element) {
            axe.insert(element.clone(), word.clone());
        }
    }
}

/// Whether the browser eye fails something that axe does not, in the window that both have.
pub(super) fn fails_for_us_alone(rule: &str, looked: &Looked) -> bool {
    let Some(rule) = RULES.iter().find(|one| one.name == rule) else { return false };
    let (axe, ours) = (of_axe(rule, &looked.nodes), of_browser(rule, looked).unwrap_or_default());
    let fails = |word: Option<&Word>| word.is_some_and(|word| word.verdict == Some(Verdict::Fails));
    ours.iter().any(|(element, word)| fails(Some(word)) && !fails(axe.get(element)))
}

/// What the static eye says, and whether its list ends early.
fn of_static(rule: &Rule, looked: &Looked, plain: &Plain) -> (Words, bool) {
    let mut words = Words::new();
    let mut leads = plain.leads.iter();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (said, _) in &looked.said {
        let Some(paths) = said.selector.as_ref().map(|_| leads.next()) else {
            if rule.scope == Scope::Page && said.rule.is_some_and(|other| other.name == rule.name) {
                put(&mut words, PAGE.to_owned(), said.verdict, String::new());
            }
            continue;
        };
        // A placeholder is a name for axe; for us it is a finding of its own, which asks for a label, too.
        let is_own = said.rule.is_some_and(|other| other.name == rule.name) && said.code != "form.placeholder";
        if !is_own || said.dark {
            continue;
        }
        if said.code != "contrast.text" {
            *counts.entry(said.code).or_default() += 1;
        }
        let told = said.ratio.map(|ratio| format!("{ratio:.2}")).or_else(|| said.why.clone()).unwrap_or_default();
        let path = paths.into_iter().flatten().flatten().next();
        match (rule.scope, path) {
            (Scope::Page, _) => put(&mut words, PAGE.to_owned(), said.verdict, told),
            (Scope::Element, Some(path)) => put(&mut words, path.clone(), said.verdict, told),
            (Scope::Element, None) => put(&mut words, format!("nowhere {:?}", said.selector), said.verdict, told),
        }
    }
    (words, counts.values().any(|count| *count >= MAX_FINDINGS_PER_CODE))
}

fn of_browser(rule: &Rule, looked: &Looked) -> Option<Words> {
    let code = match rule.name {
        CONTRAST => "contrast.text",
        "target-size" => "target.small",
        _ => return None,
    };
    debug_assert!(rule::of_ours(code, "").is_some(), "a code of the table");
    looked.seen.as_ref().map(|_| of_code(code, looked))
}

fn of_code(code: &str, looked: &Looked) -> Words {
    let mut words = Words::new();
    for seen in looked.seen.iter().flatten().filter(|seen| seen.code == code) {
        let Some(path) = &seen.path else { continue };
        let path = path.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
        let (verdict, why) = match &seen.passes {
            Ok(true) => (Verdict::Passes, String::new()),
            Ok(false) => (Verdict::Fails, String::new()),
            Err(why) => (Verdict::Undecided, why.clone()),
        };
        let value = seen.value.map(|value| format!("{value:.2}")).unwrap_or_default();
        let colors =
            seen.colors.map(|(text, ground)| format!("{} on {}", text.hex(), ground.hex())).unwrap_or_default();
        let told = [value, colors, why, seen.name.clone()];
        let told = told.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" ");
        put(&mut words, path, verdict, told);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_cut_and_nothing_is_no_share() {
        assert_eq!(share(0, 0), "–");
        assert_eq!(share(9949, 10_000), "0.994");
        assert_eq!(share(1, 1), "1.000");
    }

    #[test]
    fn what_axe_says_of_an_element_that_is_scrolled_away() {
        use Verdict::{Fails, Passes, Undecided};
        let words = |list: &[(&str, Verdict)]| -> Words {
            let word = |verdict: &Verdict| Word { verdict: Some(*verdict), told: String::new() };
            list.iter().map(|(element, verdict)| ((*element).to_owned(), word(verdict))).collect()
        };
        for (name, here, ours, there, want) in [
            ("nobody asks what does not fail for us", None, Passes, Fails, None),
            ("a fault", None, Fails, Fails, Some(Fails)),
            ("a fault after all", Some(Passes), Fails, Fails, Some(Fails)),
            ("one letter", None, Fails, Undecided, Some(Undecided)),
            ("what axe passes there is ours alone", None, Fails, Passes, Some(Passes)),
            ("what axe passed here stays", Some(Passes), Fails, Undecided, Some(Passes)),
        ] {
            let mut axe = here.map(|verdict| words(&[("a", verdict)])).unwrap_or_default();
            scrolled_to(&mut axe, &words(&[("a", ours)]), &words(&[("a", there)]));
            assert_eq!(axe.get("a").and_then(|word| word.verdict), want, "{name}");
        }
    }

    #[test]
    fn what_only_one_side_says_is_counted_against_us() {
        use Verdict::{Fails, Passes, Undecided};
        let page = CorpusPage { page: "p.html".into(), root: "".into(), package: String::new() };
        let words = |list: &[(&str, Verdict)]| -> Words {
            let word = |verdict: &Verdict| Word { verdict: Some(*verdict), told: String::new() };
            list.iter().map(|(element, verdict)| ((*element).to_owned(), word(verdict))).collect()
        };
        let mut tally = Tally::default();
        let axe = words(&[("a", Fails), ("b", Passes), ("c", Undecided), ("d", Fails), ("e", Fails)]);
        let ours = words(&[("a", Fails), ("b", Fails), ("c", Fails), ("d", Undecided), ("f", Fails)]);
        tally.compare(&page, "r", Eye::Browser, &axe, &ours, None);
        let row = &tally.rows[&("r".to_owned(), Eye::Browser)];
        assert_eq!((row.both, row.only_ours, row.missed, row.undecided, row.alone), (1, 2, 1, 1, 1));
        assert_eq!((row.decided, row.agreed), (2, 1));
        assert_eq!(tally.lines.len(), 4);
    }
}
