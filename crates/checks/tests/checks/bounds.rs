//! What holds for every document whatever it says: nothing panics, scores are scores, places are inside the text, and the
//! editor comes to rest without making anything worse. Shared with the fuzz target.

use tribunal_checks::{
    DesignTokens, Document, DocumentFormat, MeasuredFinding, Role, RoleReport, SourceLocation, contrasts, fix, lint,
    measure,
};

/// What the pages link to, whatever they call it. It imports itself.
const SHEET: &str = "@import 'a.css'; p { color: #888; padding: 7px } .a b { color: var(--a) }";
const DESIGN: &str = "# Design\n\n| token | value |\n|---|---|\n| ink | #1a1a2e |\n| accent | #0b5fff |\n| gap | 8px |\n\n\
                      ## Never\n\n- `Comic Sans`\n";

/// The whole check. The last byte chooses how the rest is read; at the end, so that a corpus can be read.
pub(crate) fn check(data: &[u8]) {
    let (choice, data) = data.split_last().map_or((0, data), |(last, rest)| (*last, rest));
    let text = String::from_utf8_lossy(data);
    let tokens = if choice & 1 == 0 { DesignTokens::default() } else { DesignTokens::from_markdown(DESIGN) };
    let document = match choice >> 1 & 3 {
        0 => Document::markdown(&text),
        // The text as a style sheet that a page links to.
        1 => {
            let page = "<link rel=stylesheet href=a.css><p class=a>a <b>b</b></p><a href=x>c</a>";
            return rests(&Document::html(page, &|_| Some(text.to_string())), &tokens);
        }
        _ => Document::html(&text, &|_| Some(SHEET.to_owned())),
    };
    for format in [DocumentFormat::Html, DocumentFormat::Markdown, DocumentFormat::Plain] {
        inside(&lint(&text, format, &|_| false), &text);
    }
    for contrast in contrasts(&document) {
        is_inside(&contrast.place, &text);
        assert!(contrast.ratio.is_err() || matches!(contrast.ratio, Ok(1.0..=21.0)), "{contrast:?}");
    }
    rests(&document, &tokens);
}

fn reports(document: &Document, tokens: &DesignTokens) -> Vec<RoleReport> {
    let reports = Role::ALL.map(|role| measure(role, document, tokens, &|_| true));
    for report in &reports {
        let scores = report.dims.iter().map(|dim| dim.score).chain(report.score);
        scores.for_each(|score| assert!((0.0..=10.0).contains(&score), "{report}"));
        inside(&report.findings().cloned().collect::<Vec<_>>(), document.source());
    }
    reports.into()
}

/// The editor leaves nothing that it would mend the next time, and nothing worse than it was.
fn rests(document: &Document, tokens: &DesignTokens) {
    let before = reports(document, tokens);
    let fixed = fix(document, tokens);
    assert!(
        fixed.edits.is_empty() == (fixed.text(document) == document.source()),
        "edits without a change, or a change without"
    );
    let revised = document.revised(fixed.text(document));
    let after = reports(&revised, tokens);
    for (before, after) in before.iter().zip(&after) {
        for dim in &after.dims {
            let was = before.dims.iter().find(|was| was.dimension == dim.dimension);
            assert!(was.is_none_or(|was| was.score <= dim.score), "worse than it was:\n{before}\nand now\n{after}");
        }
    }
    let again = fix(&revised, tokens);
    assert_eq!(again.edits, [], "mended again");
}

fn inside(findings: &[MeasuredFinding], text: &str) {
    // Places in linked sheets are places of other texts.
    let places = findings.iter().filter_map(|finding| finding.place.as_ref()).filter(|place| place.file.is_none());
    places.for_each(|place| is_inside(place, text));
}

fn is_inside(place: &SourceLocation, text: &str) {
    // Linked sheets have lines of their own.
    if place.file.is_some() {
        return;
    }
    let line = text.split('\n').nth(place.line as usize - 1).unwrap_or_else(|| panic!("{place} is below the text"));
    assert!(place.column as usize <= line.chars().count() + 1, "{place} is beside {line:?}");
}
