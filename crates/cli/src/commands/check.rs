//! `tribunal check`: what the house measures of a page or a text, for people and for CI.

use serde_json::json;
use std::path::Path;
use tribunal_anchors::{LintResult, SourceSpan, Violation, report};
use tribunal_app::check::{MeasuredPage, Page, read};
use tribunal_app::loops::read_anchor;
use tribunal_app::{AppError, Exit, Project};
use tribunal_checks::{DesignTokens, MeasuredFinding, Weight};

use super::print_json;
use crate::args::{self, CheckFormat, Global};

pub(super) fn check(global: &Global, args: &args::Check) -> Result<Exit, AppError> {
    let dir = global.dir.clone().unwrap_or_default();
    if let Some(anchor) = &args.anchor {
        return against(global, args, &dir, anchor);
    }
    let tokens = match &args.design {
        Some(design) => DesignTokens::from_markdown(&read(&dir.join(design))?),
        None => DesignTokens::default(),
    };
    let mut checked = Vec::new();
    for name in &args.files {
        checked.push(Page::read(&dir, name)?.measured(&tokens));
    }
    let passes = checked.iter().all(MeasuredPage::passes);
    match if global.json { CheckFormat::Json } else { args.format } {
        CheckFormat::Text => checked.iter().for_each(text),
        CheckFormat::Json => {
            let files: Vec<_> = checked.iter().map(MeasuredPage::object).collect();
            print_json(&json!({ "files": files, "passed": passes }));
        }
        CheckFormat::Sarif => print!("{}", report::sarif(&checked.iter().map(linted).collect::<Vec<_>>())),
        CheckFormat::Junit => print!("{}", report::junit(&checked.iter().map(linted).collect::<Vec<_>>())),
    }
    Ok(if passes { Exit::Pass } else { Exit::NotPassed })
}

/// The deterministic rules of an anchor. Rules that need an opinion are not decided here, and the output says so.
fn against(global: &Global, args: &args::Check, dir: &Path, anchor: &Path) -> Result<Exit, AppError> {
    let anchor = read_anchor(&dir.join(anchor))?;
    let mut results = Vec::new();
    for name in &args.files {
        let page = Page::read(dir, name)?;
        results.push((page.name.clone(), page.linted(&anchor).closing()));
    }
    Ok(print_results(global, args, &results))
}

/// All rules of an anchor, those that need an opinion, too.
pub(super) async fn with_opinions(project: &Project, global: &Global, args: &args::Check) -> Result<Exit, AppError> {
    let dir = global.dir.clone().unwrap_or_default();
    let anchor = read_anchor(&dir.join(args.anchor.as_deref().unwrap_or(Path::new("anchor.toml"))))?;
    let pages = args.files.iter().map(|name| Page::read(&dir, name)).collect::<Result<Vec<_>, _>>()?;
    let results = tribunal_app::check::with_opinions(project, &anchor, &pages).await?;
    Ok(print_results(global, args, &results))
}

fn print_results(global: &Global, args: &args::Check, results: &[(String, LintResult)]) -> Exit {
    let print = match if global.json { CheckFormat::Json } else { args.format } {
        CheckFormat::Text => report::text(results),
        CheckFormat::Json => report::json(results),
        CheckFormat::Sarif => report::sarif(results),
        CheckFormat::Junit => report::junit(results),
    };
    print!("{print}");
    if !print.ends_with('\n') {
        println!();
    }
    // What nobody decided is no pass.
    let is_passed = results.iter().all(|(_, result)| result.is_passed());
    if is_passed { Exit::Pass } else { Exit::NotPassed }
}

fn text(page: &MeasuredPage) {
    let path = &page.name;
    for report in &page.reports {
        let score = report.score.map_or_else(|| "nothing to measure".to_owned(), |score| format!("{score:.1}"));
        println!("{path}: {} {score}", report.role.as_str());
        for dim in &report.dims {
            println!("  {:14} {:>4.1}  {}", dim.dimension, dim.score, dim.evidence.join("; "));
            for reason in &dim.undecided {
                println!("  {:14}       undecided: {reason}", "");
            }
        }
    }
    for (role, finding) in page.findings() {
        let place = finding.place.as_ref().map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        let evidence = if finding.evidence.is_empty() { String::new() } else { format!(" ({})", finding.evidence) };
        println!("{path}{place}: {}: {}{evidence} [{role}.{}]", word(finding.weight), finding.text, finding.code);
    }
}

/// The measurements in the form that anchors have, for formats that are written there.
fn linted(page: &MeasuredPage) -> (String, LintResult) {
    let of = |weight: Weight| {
        let found = page.findings().filter(move |(_, finding)| finding.weight == weight);
        found.map(|(_, finding)| violation(finding)).collect::<Vec<_>>()
    };
    let violations = of(Weight::MustFix);
    let result = LintResult {
        valid: violations.is_empty(),
        violations,
        should_violations: of(Weight::Should),
        open: of(Weight::Note),
        scores: Vec::new(),
        pending: Vec::new(),
        notes: Vec::new(),
        near_tie: false,
    };
    (page.name.clone(), result)
}

fn violation(finding: &MeasuredFinding) -> Violation {
    let evidence = if finding.evidence.is_empty() { String::new() } else { format!(" ({})", finding.evidence) };
    let span = finding.place.as_ref().map(|place| SourceSpan {
        line: place.line,
        column: place.column,
        end_line: place.line,
        end_column: place.column,
        quote: String::new(),
    });
    Violation { rule: finding.code.to_owned(), message: format!("{}{evidence}", finding.text), span }
}

fn word(weight: Weight) -> &'static str {
    match weight {
        Weight::MustFix => "must fix",
        Weight::Should => "should",
        Weight::Note => "note",
    }
}
