//! A trial for people who were not there: rounds, scores, what they rest on, what was changed and what is left.

use std::fmt::Write as _;

use super::settings::{DESIGNER, LINT, Settings};
use super::{JUDGE, status};
use crate::ballot::PersonVote;
use crate::circles::CirclePosition;
use crate::faults::Forecast;
use crate::finding::FindingState;
use crate::text::one_line;
use crate::{Finding, Round, Run, Said, SeatName, Verdict};

/// The report of a theater, in Markdown. Nothing for other loops.
pub fn report(run: &Run) -> Option<String> {
    let settings = run.spec().settings_of::<Settings>()?;
    let mut text = format!("# {}\n\n", settings.artifact);
    match run.end() {
        Some(end) => {
            let _ = writeln!(text, "**{}**: {}\n", status(end.outcome), end.reason);
            match end.ship.as_deref() {
                Some(ship) => {
                    let with = ship.composite.map(|score| format!(" with {score}")).unwrap_or_default();
                    let _ = writeln!(
                        text,
                        "Handed over: round {}{with}, `shipped.{}`.\n",
                        ship.round,
                        ship.draft.format.extension()
                    );
                }
                None => text.push_str("Nothing was handed over.\n\n"),
            }
        }
        None => text.push_str("The trial goes on.\n\n"),
    }
    let same = run.spec().same_model_judges();
    for judge in &same {
        let _ = writeln!(text, "- {judge}");
    }
    if !same.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "It takes {} of {} and no open must-fix to pass.\n\n| round | composite | must-fix | |\n|---|---|---|---|",
        settings.threshold, settings.scale
    );
    for state in run.rounds() {
        if let Some(tally) = &state.tally {
            let reason = state.closed.as_ref().and_then(|(_, decision)| decision.reason.clone()).unwrap_or_default();
            let _ =
                writeln!(text, "| {} | {} | {} | {} |", state.round, tally.composite, tally.must_fix, cell(&reason));
        }
    }
    let controls = run.controls_told();
    if !controls.is_empty() {
        let _ = writeln!(text, "\nJudges and what they made of drafts with planted faults:\n");
        for line in controls {
            let _ = writeln!(text, "- {line}");
        }
    }
    open_questions(&mut text, run);
    for state in run.rounds() {
        round(&mut text, settings, run, state.round);
    }
    left(&mut text, run);
    Some(text)
}

/// What nobody could decide, what people decided or let stand, and two positions that nobody brought together.
fn open_questions(text: &mut String, run: &Run) {
    let open = run.open_items();
    if !open.is_empty() {
        text.push_str("\nWhat the anchor asks for and is not met:\n\n");
    }
    for item in open {
        let why = item.why.as_deref().map(|why| format!(": {}", one_line(why))).unwrap_or_default();
        let _ = writeln!(text, "- {}: {}{why}", item.state.as_str(), one_line(&item.item));
    }
    for PersonVote { by, vote, .. } in run.person_votes() {
        let _ = writeln!(text, "\nDecided by {by}: {} is {}.", one_line(&vote.item), vote.says.as_str());
    }
    for waiver in &run.spec().waivers {
        let _ = writeln!(text, "\nWaived: `{}`: {}.", waiver.code, one_line(&waiver.why));
    }
    if let Some(circle) = run.circle() {
        let [one, other] = &circle.positions;
        let demands = |position: &CirclePosition| {
            if position.demands.is_empty() { "nothing demanded".to_owned() } else { position.demands.join("<br>") }
        };
        let _ = writeln!(
            text,
            "\nGoing in circles: {}.\n\n| round {} | round {} |\n|---|---|\n| {} | {} |",
            circle.what,
            one.round,
            other.round,
            cell(&demands(one)),
            cell(&demands(other))
        );
    }
}

fn round(text: &mut String, settings: &Settings, run: &Run, round: Round) {
    let _ = writeln!(text, "\n## Round {round}\n");
    let notes = run.turns_of(round).find_map(|turn| match turn.said()? {
        Said::Draft { notes, .. } if turn.seat == *DESIGNER => notes.as_deref(),
        _ => None,
    });
    if let Some(notes) = notes {
        text.push_str("What the designer did:\n\n");
        for line in notes.lines() {
            let _ = writeln!(text, "- {line}");
        }
        text.push('\n');
    }
    for (seat, verdict) in settings.votes(run, round).judges() {
        vote(text, seat, verdict);
    }
    let lint = run.turns_of(round).find(|turn| turn.seat == *LINT && turn.task == JUDGE);
    if let Some(Said::Verdict(verdict)) = lint.and_then(|turn| turn.said()) {
        for finding in &verdict.findings {
            let _ = writeln!(text, "- **must fix** (lint): {}", finding.text);
        }
    }
}

fn vote(text: &mut String, seat: &SeatName, verdict: &Verdict) {
    let score = verdict.score.map_or_else(|| "no score".to_owned(), |score| score.to_string());
    let _ = writeln!(text, "### {seat}: {score}\n");
    if !verdict.dims.is_empty() {
        text.push_str("| dimension | score | evidence |\n|---|---|---|\n");
        for dim in &verdict.dims {
            let score = dim.score.map(|score| score.to_string()).unwrap_or_default();
            let _ = writeln!(text, "| {} | {score} | {} |", cell(&dim.name), cell(&dim.note));
        }
        text.push('\n');
    }
    for Finding { text: demand, contested, .. } in &verdict.findings {
        let weight = if *contested { "contested" } else { "must fix" };
        let _ = writeln!(text, "- **{weight}**: {demand}");
    }
    for correction in &verdict.corrections {
        let _ = writeln!(text, "- **{}**: {}", correction.rule, correction.why);
    }
    if !verdict.findings.is_empty() || !verdict.corrections.is_empty() {
        text.push('\n');
    }
}

/// What nobody mended.
fn left(text: &mut String, run: &Run) {
    let open = |state: FindingState| matches!(state, FindingState::Open | FindingState::Reopened { .. });
    let mut left = run.findings().iter().filter(|life| open(life.state)).peekable();
    if left.peek().is_some() {
        text.push_str("\n## What is left to do\n\n");
    }
    for life in left {
        let _ = writeln!(text, "- {} ({}, since round {})", life.finding.text, life.by, life.raised);
    }
    if let Some(forecast) = run.forecast().filter(Forecast::is_comparison) {
        let _ = writeln!(text, "\nForecast: {forecast}.");
    }
}

/// Text inside a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
