//! Markdown for a comment on a pull request.

use std::fmt::Write;

use super::{FileReport, ReportLevel, ReportTotals, ReportedFinding, shown::line};

/// A comment on a pull request has an end; so many findings are listed.
const MAX_LISTED: usize = 200;

/// The totals first, then a table of what must be fixed, and the rest behind a fold.
pub fn markdown(files: &[FileReport], passed: bool) -> String {
    let totals = ReportTotals::of(files);
    let mut out = format!("### {} {totals}\n", if passed { "✅" } else { "❌" });
    for (level, title) in
        [(ReportLevel::Must, "Must be fixed"), (ReportLevel::Should, "Should be fixed"), (ReportLevel::Note, "Notes")]
    {
        let found: Vec<(&str, &ReportedFinding)> = files
            .iter()
            .flat_map(|file| file.counting().map(|finding| (file.path.as_str(), finding)))
            .filter(|(_, finding)| finding.level == level)
            .collect();
        if found.is_empty() {
            continue;
        }
        let is_folded = level != ReportLevel::Must;
        let _ = if is_folded {
            writeln!(out, "\n<details><summary>{title} ({})</summary>\n", found.len())
        } else {
            writeln!(out, "\n**{title}**\n")
        };
        out.push_str("| where | what | rule |\n|---|---|---|\n");
        for (page, finding) in found.iter().take(MAX_LISTED) {
            let place = finding.span.as_ref().map_or(String::new(), |span| format!(":{}:{}", span.line, span.column));
            let place = format!("{}{place}", finding.path(page));
            let rule = code(&finding.rule).replace('|', "\\|");
            let _ = writeln!(out, "| {} | {} | {rule} |", cell(&place), cell(&finding.told()));
        }
        if found.len() > MAX_LISTED {
            let _ = writeln!(out, "\n{} more are not listed.", found.len() - MAX_LISTED);
        }
        if is_folded {
            out.push_str("\n</details>\n");
        }
    }
    let open: Vec<(&str, &super::UndecidedRule)> =
        files.iter().flat_map(|file| file.undecided.iter().map(|one| (file.path.as_str(), one))).collect();
    if !open.is_empty() {
        let _ = writeln!(out, "\n<details><summary>Undecided ({})</summary>\n", open.len());
        for (page, undecided) in open.iter().take(MAX_LISTED) {
            let fails = if undecided.fails { "**fails**: " } else { "" };
            let _ = writeln!(out, "- {fails}{}: {}: {}", plain(page), plain(&undecided.rule), plain(&undecided.why));
        }
        out.push_str("\n</details>\n");
    }
    out
}

/// Text of others on one line, with nothing in it that would be an element, a mention or a picture.
pub fn plain(text: &str) -> String {
    line(text).replace('&', "&amp;").replace('<', "&lt;").replace("![", "!\\[").replace('@', "@\u{200b}")
}

/// The same in a table.
pub fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|")
}

/// Code, between as many backticks as it takes.
pub fn code(text: &str) -> String {
    let text = line(text);
    let ticks = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.is_empty() || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// How often a character stands in a row at most.
pub fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_decided_is_told_in_words() {
        let rule = crate::report::UndecidedRule { rule: "contrast".into(), why: "a picture".into(), fails: false };
        let file = FileReport { path: "a.html".into(), undecided: vec![rule], ..FileReport::default() };
        let told = markdown(&[file], true);
        assert!(told.contains("<summary>Undecided (1)</summary>\n\n- a.html: contrast: a picture"), "{told}");
    }

    #[test]
    fn what_others_wrote_is_text_and_nothing_else() {
        let nasty = "<img src=x onerror=alert(1)>\n# Title | @team ![x](http://x)";
        assert_eq!(cell(nasty), "&lt;img src=x onerror=alert(1)> # Title \\| @\u{200b}team !\\[x](http://x)");
        assert_eq!(code("a `b` c"), "``a `b` c``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(longest_run("a```b`", '`'), 3);
    }
}
