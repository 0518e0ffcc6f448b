//! `tribunal fix`: pages fixed where they are.

use serde_json::json;
use std::io::{self, BufRead, IsTerminal as _, Write as _};
use tribunal_app::fix::{self, FixOutcome, FixRequest};
use tribunal_app::{AppError, Exit, Project};
use tribunal_checks::{Certainty, Edit};

use super::print_json;
use crate::args::{self, Global};

/// Suggestions that are listed; the rest is counted.
const MAX_LISTED: usize = 20;

pub(super) async fn fix(project: &Project, global: &Global, args: &args::Fix) -> Result<Exit, AppError> {
    if args.interactive && !io::stdin().is_terminal() {
        return Err(AppError::invalid(
            "`--interactive` needs a terminal to ask in",
            "leave it out, or look at the edits with `--diff`",
        ));
    }
    let request = FixRequest {
        dir: global.dir.clone().unwrap_or_default(),
        paths: args.paths.clone(),
        root: args.root.clone(),
        design: args.design.clone(),
        takes_suggestions: args.takes_suggestions,
        writes: !args.diff,
    };
    let mut asker = Asker { says: None };
    let mut wants = |edit: &Edit| !args.interactive || asker.wants(edit, &mut io::stdin().lock());
    let outcome = fix::fix(project, &request, &mut wants).await?;
    let exit = if outcome.passes() { Exit::Pass } else { Exit::NotPassed };
    if global.json {
        let mut object = outcome.object();
        object["exit"] = json!(exit.code());
        print_json(&object);
        return Ok(exit);
    }
    for file in &outcome.files {
        crate::out::data(&file.diff);
    }
    // With `--diff`, the patch is the result: the rest is said beside it.
    for line in told(&outcome, args) {
        if args.diff {
            eprintln!("{line}");
        } else {
            println!("{line}");
        }
    }
    Ok(exit)
}

/// What was done, and what is left.
fn told(outcome: &FixOutcome, args: &args::Fix) -> Vec<String> {
    let mut lines = Vec::new();
    for edit in &outcome.edits {
        lines.push(format!("{}: {} [{}]", at(edit), edit.why, edit.code));
    }
    for file in &outcome.files {
        lines.extend(file.backup.as_ref().map(|backup| format!("{}: the old text is in {backup}", file.name)));
    }
    for (file, why) in &outcome.refused {
        lines.push(format!("{file}: not changed: {why}"));
    }
    for (page, why) in &outcome.unseen {
        lines.push(format!("{page}: {why}"));
    }
    for (page, finding) in &outcome.must_fix {
        let place = finding.span.as_ref().map(|span| format!(":{}:{}", span.line, span.column)).unwrap_or_default();
        lines.push(format!("{}{place}: must fix: {} [{}]", finding.path(page), finding.told(), finding.rule));
    }
    for edit in outcome.suggestions.iter().take(MAX_LISTED) {
        let Certainty::Suggested(doubt) = &edit.certainty else { continue };
        let change = format!("`{}` to `{}`", short(&edit.before), short(&edit.after));
        lines.push(format!("{}: suggested: {change}: {}; but {doubt} [{}]", at(edit), edit.why, edit.code));
    }
    if let Some(more @ 1..) = outcome.suggestions.len().checked_sub(MAX_LISTED) {
        lines.push(format!("{more} more suggestions: `--json` lists them all"));
    }
    lines.push(total(outcome, args));
    lines
}

fn total(outcome: &FixOutcome, args: &args::Fix) -> String {
    let (edits, files) = (counted(outcome.edits.len(), "edit"), counted(outcome.files.len(), "file"));
    let done = match (outcome.edits.is_empty(), args.diff) {
        (true, _) => "nothing to change with certainty".to_owned(),
        (false, true) => format!("{edits} in {files} would be made; `tribunal fix` without `--diff` makes them"),
        (false, false) => format!("{edits} in {files}"),
    };
    let done = match (outcome.edits.is_empty(), args.takes_suggestions, outcome.seen) {
        (false, false, 1..) => format!("{done}, compared in a browser"),
        _ => done,
    };
    let (before, left) = (outcome.must_fix_before, outcome.must_fix.len());
    let faults = match (before, left) {
        (0, 0) => "nothing must be fixed".to_owned(),
        (before, 0) => format!("all {before} must-fixes are gone"),
        (before, left) if before == left => format!("{} left", counted(left, "must-fix")),
        (before, left) => format!("{left} of {} left", counted(before, "must-fix")),
    };
    let suggestions = match outcome.suggestions.len() {
        0 => String::new(),
        many => format!("; {}: `--unsafe` makes them, `-i --unsafe` asks", counted(many, "suggestion")),
    };
    format!("{done}; {faults}{suggestions}")
}

fn counted(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, noun) => format!("1 {noun}"),
        (number, "must-fix") => format!("{number} must-fixes"),
        (number, noun) => format!("{number} {noun}s"),
    }
}

fn at(edit: &Edit) -> String {
    let place = edit.place.as_ref().map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
    format!("{}{place}", edit.file)
}

/// Enough to see what it is.
fn short(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST { line } else { line.chars().take(MOST).chain(['…']).collect() }
}

/// Somebody who is asked about each edit.
struct Asker {
    /// What they said of all that is to come.
    says: Option<bool>,
}

impl Asker {
    fn wants(&mut self, edit: &Edit, answers: &mut dyn BufRead) -> bool {
        if let Some(says) = self.says {
            return says;
        }
        eprintln!("{}: {} [{}]", at(edit), edit.why, edit.code);
        if let Certainty::Suggested(doubt) = &edit.certainty {
            eprintln!("  not certain: {doubt}");
        }
        eprintln!("- {}", edit.before.trim_end());
        eprintln!("+ {}", edit.after.trim_end());
        loop {
            eprint!("make this edit? y(es), n(o), a(ll that follow), q(uit): ");
            let _ = io::stderr().flush();
            let mut line = String::new();
            // Whoever is gone wants nothing more.
            if answers.read_line(&mut line).map_or(true, |read| read == 0) {
                self.says = Some(false);
                return false;
            }
            match line.trim().to_ascii_lowercase().as_str() {
                "y" | "yes" => return true,
                "n" | "no" => return false,
                "a" | "all" => {
                    self.says = Some(true);
                    return true;
                }
                "q" | "quit" => {
                    self.says = Some(false);
                    return false;
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_asked_decides_for_each_or_for_all() {
        let edit = Edit {
            code: "page.lang",
            why: "the words are English".into(),
            before: "<html>".into(),
            after: "<html lang=\"en\">".into(),
            file: "a.html".into(),
            place: None,
            certainty: Certainty::Certain,
        };
        for (answers, want) in [
            ("y\nn\ny\n", [true, false, true]),
            ("n\na\n", [false, true, true]),
            ("y\nq\n", [true, false, false]),
            ("what\n\nyes\nno\n", [true, false, false]),
            ("", [false, false, false]),
        ] {
            let (mut asker, mut input) = (Asker { says: None }, answers.as_bytes());
            let got = [(); 3].map(|()| asker.wants(&edit, &mut input));
            assert_eq!(got, want, "{answers:?}");
        }
    }
}
