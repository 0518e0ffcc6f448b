//! What the static eye leaves undecided of the contrasts that a browser decides, by group and reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::corpus::CorpusPage;

/// Reasons that are listed for each group.
const MOST: usize = 20;
/// What an element has of which the static eye knows no text.
const NOT_MEASURED: &str = "not measured: no text that is seen";

/// By group.
#[derive(Debug, Default)]
pub(super) struct LeftOpen {
    groups: BTreeMap<&'static str, Group>,
    lines: Vec<String>,
}

#[derive(Debug, Default)]
struct Group {
    known: usize,
    known_to_browser: usize,
    reasons: BTreeMap<String, usize>,
}

impl LeftOpen {
    /// A contrast that a browser decides, and why we do not: nothing where we do, empty where we measure nothing.
    pub(super) fn take(&mut self, page: &CorpusPage, element: &str, why: Option<&str>) {
        let group = self.groups.entry(group(page)).or_default();
        group.known_to_browser += 1;
        let Some(why) = why else {
            group.known += 1;
            return;
        };
        let why = if why.is_empty() { NOT_MEASURED } else { why };
        *group.reasons.entry(kind(why)).or_default() += 1;
        self.lines.push(format!("{}\t{element}\t{why}", page.page.display()));
    }

    /// As Markdown.
    pub(super) fn table(&self) -> String {
        let mut text = String::new();
        let mut put = |line: std::fmt::Arguments<'_>| text.write_fmt(line).expect("a String takes every write");
        for (name, group) in &self.groups {
            let share = group.known as f64 / group.known_to_browser.max(1) as f64;
            let (known, all) = (group.known, group.known_to_browser);
            put(format_args!(
                "\nThe static eye decides {known} of {all} contrasts in {name}, {share:.3}. The others:\n\n"
            ));
            let mut reasons: Vec<(&String, &usize)> = group.reasons.iter().collect();
            reasons.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
            for (reason, count) in reasons.into_iter().take(MOST) {
                put(format_args!("- {count}: {reason}\n"));
            }
        }
        text
    }

    pub(super) fn all(&self) -> String {
        self.lines.iter().fold("page\telement\twhy\n".to_owned(), |text, line| text + line + "\n")
    }
}

/// Packages of npm are themes, templates and demonstrations; the others are documentation.
fn group(page: &CorpusPage) -> &'static str {
    if page.package.starts_with("npm:") { "themes and templates" } else { "documentation" }
}

/// A reason without the names in it.
fn kind(why: &str) -> String {
    why.split('`').enumerate().map(|(index, part)| if index % 2 == 0 { part } else { "…" }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_without_names() {
        let page = |package: &str| CorpusPage { page: "p.html".into(), root: "".into(), package: package.to_owned() };
        let mut open = LeftOpen::default();
        open.take(&page("npm:a@1"), "0.1", None);
        open.take(&page("npm:a@1"), "0.2", Some("text over the gradient of `p#a`"));
        open.take(&page("npm:b@1"), "0.2", Some("text over the gradient of `p#b`"));
        open.take(&page("debian:c@1"), "0.2", Some(""));
        let table = open.table();
        assert!(table.contains("decides 1 of 3 contrasts in themes and templates, 0.333"), "{table}");
        assert!(table.contains("- 2: text over the gradient of …"), "{table}");
        assert!(table.contains(&format!("- 1: {NOT_MEASURED}")), "{table}");
        assert_eq!(open.all().lines().count(), 4);
    }
}
