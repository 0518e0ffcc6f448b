//! `tribunal check`: what the house measures of a page or a text, for people and for CI.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tribunal_agents::house::Files;
use tribunal_anchors::{Anchor, LintResult, Opinion, Span, Test, Violation, lint, report};
use tribunal_checks::{Document, Finding, Report, Role, Tokens, Weight, measure};
use tribunal_kernel::{LoopKind, consult};

use super::print_json;
use crate::args::{self, CheckFormat, Global};
use crate::consult::Consultant;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::read_anchor;
use crate::project::Project;
use crate::seating::bindings;

/// What was measured of a file.
struct Checked {
    path: PathBuf,
    reports: Vec<Report>,
}

pub(super) fn check(global: &Global, args: &args::Check) -> Result<Exit, Failure> {
    let dir = global.dir.clone().unwrap_or_default();
    if let Some(anchor) = &args.anchor {
        return against(global, args, &dir, anchor);
    }
    let tokens = match &args.design {
        Some(design) => Tokens::from_markdown(&read(&dir.join(design))?),
        None => Tokens::default(),
    };
    let mut checked = Vec::new();
    for name in &args.files {
        checked.push(Checked { path: name.clone(), reports: reports(&dir.join(name), &tokens)? });
    }
    match if global.json { CheckFormat::Json } else { args.format } {
        CheckFormat::Text => checked.iter().for_each(text),
        CheckFormat::Json => {
            print_json(&json!({ "files": checked.iter().map(object).collect::<Vec<_>>(), "passed": passes(&checked) }));
        }
        CheckFormat::Sarif => print!("{}", report::sarif(&checked.iter().map(linted).collect::<Vec<_>>())),
        CheckFormat::Junit => print!("{}", report::junit(&checked.iter().map(linted).collect::<Vec<_>>())),
    }
    Ok(if passes(&checked) { Exit::Pass } else { Exit::NotPassed })
}

/// The deterministic rules of an anchor. Rules that need an opinion are not decided here, and the output says so.
fn against(global: &Global, args: &args::Check, dir: &Path, anchor: &Path) -> Result<Exit, Failure> {
    let anchor = read_anchor(&dir.join(anchor))?;
    let mut results = Vec::new();
    for name in &args.files {
        let (_, result) = linted_by(&anchor, &dir.join(name))?;
        results.push((name.display().to_string(), result.closing()));
    }
    Ok(print_results(global, args, &results))
}

/// All rules of an anchor. Who sits for the linters is asked about those that need an opinion, if all others hold.
pub(super) async fn with_opinions(project: &Project, global: &Global, args: &args::Check) -> Result<Exit, Failure> {
    let dir = global.dir.clone().unwrap_or_default();
    let anchor = read_anchor(&dir.join(args.anchor.as_deref().unwrap_or(Path::new("anchor.toml"))))?;
    let joust = &project.config().joust;
    let seats: Vec<&str> = joust.linters.iter().map(String::as_str).collect();
    let linters: Vec<Consultant<'_>> = bindings(project.config(), &seats)?
        .into_iter()
        .map(|(seat, binding)| Consultant::new(project, seat, binding, LoopKind::Joust, "lint"))
        .collect();
    let mut results = Vec::new();
    for name in &args.files {
        let (text, mut result) = linted_by(&anchor, &dir.join(name))?;
        let asked: Vec<_> = result.pending.iter().filter(|pending| pending.rule.test == Test::Semantic).collect();
        let asked: Vec<_> = asked.into_iter().map(|pending| (pending.level, pending.rule.clone())).collect();
        if result.violations.is_empty() && !asked.is_empty() {
            let mut opinions = Vec::new();
            for linter in &linters {
                let rules = asked.iter().map(|(level, rule)| (*level, rule));
                let prompt = consult::opinion(&name.display().to_string(), linter.seat(), rules, &text);
                let answer = linter.ask(prompt, consult::read_opinion).await?;
                opinions.push(Opinion { provider: linter.agent().to_owned(), answer });
            }
            let quorum = (joust.quorum as usize).min(opinions.len());
            result = result
                .merge(&text, &opinions, quorum)
                .map_err(|error| Failure::environment(error.to_string(), None))?;
        }
        results.push((name.display().to_string(), result.closing()));
    }
    Ok(print_results(global, args, &results))
}

fn linted_by(anchor: &Anchor, path: &Path) -> Result<(String, LintResult), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = Files::new(folder);
    let text = read(path)?;
    let result = lint(anchor, &text, None, &|path| files.exists(path));
    Ok((text, result))
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
    let is_valid = results.iter().all(|(_, result)| result.violations.is_empty());
    if is_valid { Exit::Pass } else { Exit::NotPassed }
}

fn reports(path: &Path, tokens: &Tokens) -> Result<Vec<Report>, Failure> {
    let source = read(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = Files::new(folder);
    let is_markdown = path
        .extension()
        .is_some_and(|extension| ["md", "markdown", "txt"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
    let document =
        if is_markdown { Document::markdown(&source) } else { Document::html(&source, &|sheet| files.sheet(sheet)) };
    let roles = Role::ALL.into_iter().filter(|role| *role != Role::Brand || !tokens.is_empty());
    Ok(roles.map(|role| measure(role, &document, tokens, &|path| files.exists(path))).collect())
}

fn read(path: &Path) -> Result<String, Failure> {
    let cannot = |why: String| {
        Failure::usage(format!("cannot read {}: {why}", path.display()), "name HTML or Markdown files in UTF-8")
    };
    let bytes = fs::read(path).map_err(|error| cannot(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| cannot("it is not text in UTF-8".into()))
}

fn passes(checked: &[Checked]) -> bool {
    checked.iter().flat_map(|file| &file.reports).all(|report| report.must_fix.is_empty())
}

fn text(file: &Checked) {
    let path = file.path.display();
    for report in &file.reports {
        let score = report.score.map_or_else(|| "nothing to measure".to_owned(), |score| format!("{score:.1}"));
        println!("{path}: {} {score}", report.role.as_str());
        for dim in &report.dims {
            println!("  {:14} {:>4.1}  {}", dim.dimension, dim.score, dim.evidence.join("; "));
            for reason in &dim.undecided {
                println!("  {:14}       undecided: {reason}", "");
            }
        }
    }
    for (role, finding) in findings(file) {
        let place = finding.place.as_ref().map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        let evidence = if finding.evidence.is_empty() { String::new() } else { format!(" ({})", finding.evidence) };
        println!("{path}{place}: {}: {}{evidence} [{role}.{}]", word(finding.weight), finding.text, finding.code);
    }
}

fn object(file: &Checked) -> Value {
    let reports: Vec<Value> = file
        .reports
        .iter()
        .map(|report| {
            let dims: Vec<Value> = report
                .dims
                .iter()
                .map(|dim| {
                    let findings: Vec<Value> = dim.findings.iter().map(finding_object).collect();
                    json!({
                        "dimension": dim.dimension, "score": dim.score, "evidence": dim.evidence,
                        "undecided": dim.undecided, "findings": findings,
                    })
                })
                .collect();
            json!({ "role": report.role.as_str(), "score": report.score, "dims": dims })
        })
        .collect();
    json!({ "file": file.path, "reports": reports })
}

fn finding_object(finding: &Finding) -> Value {
    let place = finding.place.as_ref();
    json!({
        "code": finding.code, "weight": finding.weight.as_str(), "text": finding.text, "evidence": finding.evidence,
        "line": place.map(|place| place.line), "column": place.map(|place| place.column),
        "selector": place.and_then(|place| place.selector.clone()),
    })
}

/// The measurements in the form that anchors have, for formats that are written there.
fn linted(file: &Checked) -> (String, LintResult) {
    let of = |weight: Weight| {
        let found = findings(file).filter(move |(_, finding)| finding.weight == weight);
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
    (file.path.display().to_string(), result)
}

fn violation(finding: &Finding) -> Violation {
    let evidence = if finding.evidence.is_empty() { String::new() } else { format!(" ({})", finding.evidence) };
    let span = finding.place.as_ref().map(|place| Span {
        line: place.line,
        column: place.column,
        end_line: place.line,
        end_column: place.column,
        quote: String::new(),
    });
    Violation { rule: finding.code.to_owned(), message: format!("{}{evidence}", finding.text), span }
}

fn findings(file: &Checked) -> impl Iterator<Item = (&'static str, &Finding)> {
    file.reports.iter().flat_map(|report| report.findings().map(|finding| (report.role.as_str(), finding)))
}

fn word(weight: Weight) -> &'static str {
    match weight {
        Weight::MustFix => "must fix",
        Weight::Should => "should",
        Weight::Note => "note",
    }
}
