//! `tribunal check`: what the house measures of pages and texts, for people and for CI.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;
use tribunal_anchors::report::{self, FileReport, ReportLevel, RuleHelp, TextStyle};
use tribunal_app::check::{CheckRequest, CheckedFile, CheckedFiles};
use tribunal_app::{AppError, Exit, Project};
use tribunal_checks::{Weight, rule_page, rules};

use crate::args::{self, CheckFormat, FailOn, Global};
use crate::{comment, out};

/// What stands for stdin.
const STDIN: &str = "-";
/// No text from stdin is longer: one byte more than what is checked.
const MAX_STDIN: u64 = (64 << 20) + 1;

pub(super) async fn check(project: &Project, global: &Global, args: &args::Check) -> Result<Exit, AppError> {
    let dir = global.dir.clone().unwrap_or_default();
    let reads_stdin = args.paths.iter().any(|path| path == Path::new(STDIN));
    if args.stdin_name.is_some() && !reads_stdin {
        return Err(AppError::invalid(
            "`--stdin-name` names a text that nobody gave",
            "pass `-` to check what is on stdin",
        ));
    }
    let request = CheckRequest {
        paths: args.paths.iter().filter(|path| *path != Path::new(STDIN)).cloned().collect(),
        given: reads_stdin.then(stdin).transpose()?.map(|bytes| (args.stdin_name.clone(), bytes)),
        design: args.design.clone(),
        anchor: args.anchor.clone(),
        semantic: args.semantic,
        root: args.root.clone(),
        changed: args.changed.as_ref().map(|base| Some(base.clone()).filter(|base| !base.is_empty())),
        baseline: args.baseline.clone(),
        update_baseline: args.update_baseline,
    };
    let checked = request.run(project, &dir).await?;
    if checked.files.is_empty() {
        project.console.say(&format!("nothing changed in {} files", checked.unchanged));
    }
    if let Some(looked) = checked.looked() {
        project.console.say(&looked);
    }
    let fails = match args.fail_on {
        FailOn::Must => Some(ReportLevel::Must),
        FailOn::Should => Some(ReportLevel::Should),
        FailOn::Never => None,
    };
    let passes = checked.passes(fails);
    let format = if global.json { CheckFormat::Json } else { args.format };
    let is_coloured = format == CheckFormat::Text && args.output.is_none() && may_colour();
    if let Some(path) = &args.comment_file {
        let files: Vec<FileReport> = checked.files.iter().map(|file| file.report.clone()).collect();
        comment::write(global, path, "check", &report::markdown(&files, passes))?;
    }
    let text = written(checked, format, fails, args.scores, TextStyle { is_coloured });
    match &args.output {
        Some(path) => drop(tribunal_store::atomic::write(&dir.join(path), text.as_bytes())?),
        None if format == CheckFormat::Text => out::show_made_visible(&text),
        None if format == CheckFormat::Json => out::json(text.trim_end()),
        None => out::data(&text),
    }
    Ok(if passes { Exit::Pass } else { Exit::NotPassed })
}

fn stdin() -> Result<Vec<u8>, AppError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MAX_STDIN).read_to_end(&mut bytes);
    read.map_err(|error| AppError::environment(format!("cannot read stdin: {error}"), None))?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(AppError::invalid("there is nothing on stdin", "pipe a page into it, or name a file"));
    }
    Ok(bytes)
}

/// Colours are for a terminal whose owner likes them.
fn may_colour() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

fn written(
    checked: CheckedFiles,
    format: CheckFormat,
    fails: Option<ReportLevel>,
    with_scores: bool,
    style: TextStyle,
) -> String {
    if format == CheckFormat::Json {
        return format!("{:#}\n", checked.object(fails));
    }
    let passes = checked.passes(fails);
    let mut out = String::new();
    if format == CheckFormat::Text && with_scores {
        checked.files.iter().for_each(|file| scores(&mut out, file));
    }
    let files: Vec<FileReport> = checked.files.into_iter().map(|file| file.report).collect();
    out.push_str(&match format {
        CheckFormat::Text | CheckFormat::Json => report::text(&files, style),
        CheckFormat::Sarif => report::sarif(&files, &help()),
        CheckFormat::Junit => report::files_as_cases(&files, fails),
        CheckFormat::Github => report::github(&files),
        CheckFormat::Gitlab => report::gitlab(&files),
        CheckFormat::Markdown => report::markdown(&files, passes),
    });
    out
}

fn scores(out: &mut String, file: &CheckedFile) {
    for report in &file.scores {
        let score = report.score.map_or_else(|| "nothing to measure".to_owned(), |score| format!("{score:.1}"));
        let _ = writeln!(out, "{}: {} {score}", report::visible(&file.report.path), report.role.as_str());
        for dim in &report.dims {
            let score = if dim.decided { format!("{:.1}", dim.score) } else { "?".to_owned() };
            let evidence = dim.evidence.join("; ");
            let _ = writeln!(out, "  {:14} {score:>4}  {}", dim.dimension, report::visible(&evidence));
        }
    }
}

/// What code hosts are told of every rule.
fn help() -> Vec<RuleHelp> {
    let of = |rule: &tribunal_checks::CheckRule| RuleHelp {
        id: rule.id,
        title: rule.title,
        text: format!("{} {} {}", rule.finds, rule.why, rule.fix),
        markdown: rule_page(rule),
        level: match rule.weight {
            Weight::MustFix => ReportLevel::Must,
            Weight::Should => ReportLevel::Should,
            Weight::Note => ReportLevel::Note,
        },
        tags: rule
            .role
            .iter()
            .map(|role| role.as_str().to_owned())
            .chain(rule.wcag.iter().map(|one| format!("wcag{}", one.number.replace('.', ""))))
            .collect(),
    };
    rules().map(of).collect()
}
