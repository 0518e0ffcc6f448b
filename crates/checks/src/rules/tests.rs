use super::*;
use crate::{DesignTokens, Document, DocumentFormat, WordLists, copy_with, lint, measure, report};

/// What the examples of the brand are measured by.
const DESIGN: &str = "# Design\n\n## Colours\n\n| name | value |\n|---|---|\n| ink | #1a1a1a |\n| oven | #c2410c |\n\n## Fonts\n\n\
                      - body: Inter\n\n## Radii\n\n- card: 8px\n\n## Spacing\n\n- small: 8px\n- large: 16px\n\n## Forbidden\n\n\
                      - magenta: #ff00ff\n";

/// Examples that would be too long to read in full.
const SHORTENED: [&str; 4] = ["copy.hard", "rhythm.wall", "space.long-lines", "space.short-lines"];

#[test]
fn every_row_says_everything() {
    for rule in rules() {
        for (what, text) in [("title", rule.title), ("finds", rule.finds), ("why", rule.why), ("fix", rule.fix)] {
            assert!(!text.trim().is_empty(), "{}: {what}", rule.id);
            assert!(!text.contains("  "), "{}: {what} has a gap: {text}", rule.id);
            assert_eq!(text.ends_with('.'), what != "title", "{}: {what}", rule.id);
        }
        assert!(rule.example.bad != rule.example.good, "{}", rule.id);
    }
}

#[test]
fn every_example_is_measured() {
    let lists = WordLists {
        banned: vec!["moist".into()],
        preferred: vec![("utilise".into(), "use".into())],
        names: vec!["CrumbCo".into()],
    };
    for rule in rules().filter(|rule| !SHORTENED.contains(&rule.id)) {
        let Some(role) = rule.role else { continue };
        let found = |text: &str| {
            let (document, format) = if rule.example.language == "html" {
                (Document::html(text, &|_| None), DocumentFormat::Html)
            } else {
                (Document::markdown(text), DocumentFormat::Markdown)
            };
            let exists = |_: &str| false;
            let report = match rule.dimension {
                Some("wording") => report(role, copy_with(&document, &lists)),
                _ => measure(role, &document, &DesignTokens::from_markdown(DESIGN), &exists),
            };
            let mut found: Vec<(&str, Weight)> = report.findings().map(|one| (one.code, one.weight)).collect();
            found.extend(lint(text, format, &exists).iter().map(|one| (one.code, one.weight)));
            found
        };
        let (bad, good) = (found(rule.example.bad), found(rule.example.good));
        let weight = bad.iter().filter(|(code, _)| *code == rule.id).map(|(_, weight)| *weight).min();
        assert_eq!(weight, Some(rule.weight), "{} in {:?}: {bad:?}", rule.id, rule.example.bad);
        assert!(!good.iter().any(|(code, _)| *code == rule.id), "{} in {:?}: {good:?}", rule.id, rule.example.good);
    }
}

#[test]
fn the_nearest_id_is_found() {
    for (asked, expected) in [
        ("contrast", Some("contrast.text")),
        ("contrast.txt", Some("contrast.text")),
        ("duplicate-id", Some("markup.duplicate-id")),
        ("img.alt", Some("image.alt")),
        ("xyzzy", None),
    ] {
        assert_eq!(nearest_rule(asked), expected, "{asked}");
    }
}

#[test]
fn a_page_is_markdown_with_one_thought_a_line() {
    insta::assert_snapshot!(markdown(rule("image.alt").unwrap()));
}
