//! What creator and reviewer are told.

use std::fmt::Write as _;

use super::answers::BallotedReview;
use super::{CREATOR, CreatorAnswer, REVIEWER, ReviewerAnswer, Settings, draft_of, verdict_of};
use crate::prompt::{Content, Part, Prompt};
use crate::rules;
use crate::trial::Ask;
use crate::{Draft, Round, Run, Severity};

pub(super) fn creator(settings: &Settings, run: &Run, round: Round) -> Prompt {
    let asset = &settings.asset;
    let mut parts = opening(settings, run, round, CREATOR);
    let previous = previous_round(settings, round);
    let candidate = match previous {
        Some(previous) => draft_of(run, previous),
        None => settings.given.seed.as_ref(),
    };
    parts.extend(candidate.map(|draft| material("the previous candidate", draft)));
    let review = match (previous, &settings.given.prior) {
        (Some(previous), _) => review_of(run, previous).map(Content::Text),
        (None, Some(prior)) => Some(Content::Blob(prior.review)),
        (None, None) => None,
    };
    if let Some(content) = review {
        parts.push(Part::Material { label: "the previous review", content });
    }
    let measured = previous.and_then(|previous| crate::last_look::material(run, previous));
    parts.extend(measured);
    parts.push(Part::Text(format!(
        "Write the whole candidate for `{asset}` that the brief asks for. Where there is a previous candidate, keep what \
         is good in it and settle every issue of the previous review. Set `done` to true when you would publish the \
         candidate as it is."
    )));
    parts.push(Part::ForPerson(if previous.is_some() {
        format!("Please rewrite `{asset}`: keep what is good, and fix what the last review found.")
    } else {
        format!("Please write `{asset}`, as the brief asks. A reviewer looks at it next.")
    }));
    parts.push(Part::answer_form::<CreatorAnswer>());
    Prompt { template: "review_creator", parts }
}

pub(super) fn reviewer(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let round = ask.round;
    let mut parts = opening(settings, run, round, REVIEWER);
    parts.extend(draft_of(run, round).map(|draft| material("the candidate", draft)));
    if let Some(prior) = &settings.given.prior {
        parts.push(Part::Material { label: "an earlier review", content: Content::Blob(prior.review) });
    }
    let earlier = earlier_issues(run);
    if !earlier.is_empty() {
        parts.push(Part::Text("Your earlier issues, and what had become of each at your last review:".into()));
        parts.push(Part::Material { label: "your earlier issues", content: Content::Text(earlier) });
        parts.push(Part::Text(
            "Check each of them against the candidate. Raise one again, with the same code and wording, only if it is \
             still there; do not ask for the opposite of what you asked for before."
                .into(),
        ));
    }
    parts.push(Part::Text(
        "Judge the candidate against the brief. `ok`: publish it as it is; warnings may stand beside it, errors may not. \
         `changes_requested`: it has errors that the creator can mend. `needs_human`: a person must decide."
            .into(),
    ));
    parts.push(Part::ForPerson(format!(
        "Please review `{}`: does the candidate do what the brief asks? If something must change before it can be \
         published, ask for changes and say what is wrong, one issue each.",
        settings.asset
    )));
    if run.spec().is_controlled(&ask.seat) {
        parts.push(Part::Text(
            "With `ok`, say in `summary` what it rests on: quote the words of the candidate that do what the brief asks."
                .into(),
        ));
    }
    if run.anchor().is_some() {
        parts.push(Part::Text("What the anchor asks for and the candidate does not meet is an error.".into()));
    }
    let ballot = rules::ballot(run);
    if rules::is_balloted(run, &ballot, &ask.seat) {
        parts.extend(rules::put(run, ask, &ballot, draft_of(run, round)));
        parts.push(Part::answer_form::<BallotedReview>());
    } else {
        parts.push(Part::answer_form::<ReviewerAnswer>());
    }
    Prompt { template: "review_reviewer", parts }
}

fn opening(settings: &Settings, run: &Run, round: Round, seat: &str) -> Vec<Part> {
    let last = run.last_round(settings.max_iterations);
    let mut parts = vec![
        Part::Text(format!(
            "Seat: {seat}\nAsset: {}\n\nYou are the {seat} in a loop of creator and reviewer that ends when the creator \
             is done and the reviewer says ok.",
            settings.asset
        )),
        Part::Material { label: "the brief", content: Content::Blob(run.spec().brief) },
    ];
    parts.extend(rules::material(run));
    parts.push(Part::Break);
    parts.push(Part::Text(format!("Iteration: {round} of at most {last}")));
    parts
}

fn material(label: &'static str, draft: &Draft) -> Part {
    Part::Material { label, content: Content::Blob(draft.content) }
}

/// The round before `round`, if this run made it.
fn previous_round(settings: &Settings, round: Round) -> Option<Round> {
    (settings.first_round() < round).then(|| Round(round.0 - 1))
}

fn review_of(run: &Run, round: Round) -> Option<String> {
    let verdict = verdict_of(run, round)?;
    let mut text = format!("verdict: {}\n", verdict.word);
    if let Some(summary) = &verdict.summary {
        let _ = writeln!(text, "summary: {summary}");
    }
    for finding in &verdict.findings {
        let _ = write!(text, "- {}: {}", severity(finding.severity), finding.text);
        describe(&mut text, finding.code.as_deref(), finding.target.as_deref());
    }
    Some(text)
}

fn earlier_issues(run: &Run) -> String {
    let mut text = String::new();
    let of_reviewer = run.findings().iter().filter(|life| life.by == *REVIEWER);
    for life in of_reviewer {
        let _ = write!(
            text,
            "- raised in {}, {}: {}: {}",
            life.raised,
            life.state,
            severity(life.finding.severity),
            life.finding.text
        );
        describe(&mut text, life.finding.code.as_deref(), life.finding.target.as_deref());
    }
    text
}

fn describe(text: &mut String, code: Option<&str>, field: Option<&str>) {
    for (name, value) in [("code", code), ("field", field)] {
        if let Some(value) = value {
            let _ = write!(text, " [{name}: {value}]");
        }
    }
    text.push('\n');
}

/// The reviewer's own words for how much a finding weighs.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::MustFix => "error",
        Severity::Should | Severity::Note => "warning",
    }
}
