//! A campaign for people who were not there.

use std::fmt::Write as _;

use super::campaign::Campaign;
use super::iteration::IterationEnd;
use super::settings::{VERIFIER, WORKER};
use super::trouble::advice;
use crate::{Outcome, Run, Turn};

/// Stories, iterations, receipts, models and what to do next, as Markdown.
pub fn report(run: &Run) -> String {
    let campaign = Campaign::of(run);
    let mut text = String::new();
    let _ = writeln!(text, "# Desk `{}`\n\nRun {}", run.spec().subject(), run.spec().run);
    if let Some(end) = run.end() {
        let _ = writeln!(text, "\n**{}**: {}", end.outcome, end.reason);
    }
    let same = run.spec().same_model_judges();
    if !same.is_empty() {
        text.push('\n');
    }
    for judge in same {
        let _ = writeln!(text, "- {judge}");
    }
    stories(&mut text, &campaign);
    iterations(&mut text, &campaign);
    circle(&mut text, &campaign);
    notes(&mut text, run, &campaign);
    let spent = run.budget().spent;
    let _ = writeln!(text, "\n## Cost\n\n{} tokens, {}, {} turns", spent.tokens, spent.usd, run.turns().len());
    next(&mut text, run);
    text
}

fn stories(text: &mut String, campaign: &Campaign<'_>) {
    let Some(plan) = campaign.plan() else { return };
    let verified = campaign.verified();
    text.push_str("\n## Stories\n\n| story | title | state |\n|---|---|---|\n");
    for story in &plan.stories {
        let state = verified.get(&story.id).map_or("open".to_owned(), |round| format!("verified in iteration {round}"));
        let _ = writeln!(text, "| {} | {} | {state} |", story.id, cell(&story.title));
    }
}

fn iterations(text: &mut String, campaign: &Campaign<'_>) {
    text.push_str("\n## Iterations\n");
    for (iteration, ending) in campaign.history() {
        let told = match ending {
            IterationEnd::Continue => "went on".to_owned(),
            IterationEnd::Pass { stories, .. } => {
                let names: Vec<&str> = stories.iter().map(super::StoryId::as_str).collect();
                format!("pass for {}", names.join(", "))
            }
            IterationEnd::Fail(trouble) => format!("fail, `{}`", trouble.code),
            IterationEnd::Blocked(trouble) => format!("blocked, `{}`", trouble.code),
        };
        let _ = writeln!(text, "\n### Iteration {}: {told}\n", iteration.round);
        for (seat, turn) in [(WORKER, iteration.worker), (VERIFIER, iteration.verifier)] {
            if let Some(routed) = turn.and_then(|turn| turn.routed.as_deref()) {
                let _ = writeln!(text, "- {seat} on {}: {}", routed.model, routed.why);
            }
        }
        if let Some(work) = iteration.work {
            let commit = iteration.receipts.and_then(|receipts| receipts.commit.as_deref()).unwrap_or(&work.commit);
            let files = if work.changed.len() == 1 { "file" } else { "files" };
            let _ = writeln!(text, "- commit {}, {} {files} changed", short(commit), work.changed.len());
            for link in work.incidents.iter().filter(|incident| incident.is_link()) {
                let _ = writeln!(text, "- {}", link.detail);
            }
        }
        if let Some(receipts) = iteration.receipts {
            text.push_str("\n| check | command | result | output |\n|---|---|---|---|\n");
            for receipt in &receipts.receipts {
                let result = receipt.failure().unwrap_or_else(|| match receipt.tests {
                    Some(tests) => format!("passed, {} tests", tests.passed),
                    None => "passed".into(),
                });
                let line = cell(&receipt.line);
                let _ =
                    writeln!(text, "| {} | `{line}` | {} | {} |", receipt.check, cell(&result), receipt.output.short());
            }
        }
        if let Some(evidence) = iteration.receipts.and_then(|receipts| receipts.evidence.as_deref()) {
            // A fence that no line of it can end.
            let _ = writeln!(text, "\nWithout the work and with it:\n\n~~~~text\n{}~~~~", evidence.side_by_side());
        }
        if let Some(inspection) = iteration.inspection {
            let verdict = &inspection.verdict;
            let _ = writeln!(text, "\nVerdict: {}. {}", verdict.word, verdict.summary.as_deref().unwrap_or_default());
            for correction in &verdict.corrections {
                let _ = writeln!(text, "- it said {}, but {}", correction.given, correction.why);
            }
            for incident in &inspection.incidents {
                let _ = writeln!(text, "- `{}`: {}", incident.code, incident.detail);
            }
        }
        if let IterationEnd::Fail(trouble) | IterationEnd::Blocked(trouble) = ending {
            let _ = writeln!(text, "\n> {}", trouble.text.lines().collect::<Vec<_>>().join("\n> "));
        }
    }
}

/// The two ways between which the worker goes back and forth.
fn circle(text: &mut String, campaign: &Campaign<'_>) {
    let Some(circle) = campaign.circle() else { return };
    let _ = writeln!(text, "\n## Going in circles\n\n{}.", capital(&circle.what));
    for position in &circle.positions {
        let _ = writeln!(text, "\nIteration {} was refused for:\n", position.round);
        for demand in &position.demands {
            let _ = writeln!(text, "- {}", demand.lines().collect::<Vec<_>>().join(" "));
        }
    }
}

/// What a person should know beside the result.
fn notes(text: &mut String, run: &Run, campaign: &Campaign<'_>) {
    let mut notes: Vec<String> = campaign.survey().map(|survey| survey.notes.clone()).unwrap_or_default();
    let model_of = |seat: &str| {
        let turn = run.turns().iter().rev().find(|turn| turn.seat == *seat)?;
        let binding = run.spec().seats.get(&turn.seat)?;
        let model = turn.model().or(binding.model.as_deref()).unwrap_or_default();
        Some((binding.agent.clone(), model.to_owned()))
    };
    if let (Some(worker), Some(verifier)) = (model_of(WORKER), model_of(VERIFIER))
        && worker == verifier
    {
        notes.push(format!("worker and verifier were the same agent and model ({}): it judged its own work", worker.0));
    }
    let edited = run.turns().iter().filter(|turn| turn.said().is_some_and(|said| is_new_plan(turn, said))).count();
    if edited > 0 {
        notes.push(format!("the PRD or the test spec was edited {edited} times while the run went on"));
    }
    if !notes.is_empty() {
        let _ = writeln!(text, "\n## Notes\n\n- {}", notes.join("\n- "));
    }
}

fn is_new_plan(turn: &Turn, said: &crate::Said) -> bool {
    matches!(said, crate::Said::Surveyed(survey) if survey.plan.is_some()) && turn.round.0 > 1
}

fn next(text: &mut String, run: &Run) {
    let Some(end) = run.end() else { return };
    let what = match end.outcome {
        Outcome::Converged => format!("`tribunal adopt {}` takes the work over into your checkout.", run.spec().run),
        Outcome::Blocked => {
            let code = end.reason.split(':').next().unwrap_or_default();
            format!(
                "{}. Then `tribunal desk clean {}` and run it again.",
                capital(advice(code).action),
                run.spec().subject()
            )
        }
        Outcome::TimedOut => {
            format!("`tribunal desk run {} --max-iter N` goes on with a higher limit.", run.spec().subject())
        }
        _ => format!("`tribunal desk run {}` goes on.", run.spec().subject()),
    };
    let _ = writeln!(text, "\n## Next\n\n{what}");
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// A text that does not end the cell it stands in.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
