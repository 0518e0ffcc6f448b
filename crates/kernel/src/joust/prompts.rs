//! What the seats of a joust are told.

use std::fmt::Write as _;
use tribunal_anchors::Kind;

use super::answers::{BootstrapAnswer, CompactionAnswer, LintAnswer, MutationAnswer, ScoreAnswer};
use super::settings::{MAIN, Settings};
use super::{POLISH, judging, mutation_of, snowball};
use crate::prompt::{Content, Part, Prompt};
use crate::trial::Ask;
use crate::{Draft, Run};

/// The label of what drafts are judged against.
pub const ANCHOR: &str = "the anchor";
/// The label of the draft.
pub const DRAFT: &str = "the draft";

pub(super) fn bootstrap(settings: &Settings, run: &Run) -> Prompt {
    let mut parts = vec![Part::Text(format!(
        "Seat: {MAIN}\nDraft: {}\n\nYou begin a joust: you write a first draft, and editors will rewrite it in turn. Every \
         rewrite is judged against an anchor.",
        settings.name
    ))];
    parts.push(brief(run));
    if let Some(seed) = &settings.seed {
        parts.push(Part::Material { label: "a text to begin from", content: Content::Blob(seed.content) });
    }
    match &settings.anchor {
        Some(_) => parts.extend(anchor(settings, run)),
        None => parts.push(Part::Text(format!(
            "Write the anchor, too. Its kind is `{}`: {}.\n{}\nWrite a rule that a program can check wherever there is \
             one: {{\"kind\": \"pattern\", \"pattern\": \"(?m)^## Risks$\", \"rule\": \"has a section on risks\"}}. A rule \
             in plain words needs an opinion each time.",
            settings.kind.as_str(),
            settings.why,
            form(settings.kind)
        ))),
    }
    parts.push(Part::answer_form::<BootstrapAnswer>());
    Prompt { template: "joust_bootstrap", parts }
}

/// For jousters, specialists and the polish alike: they differ in what they are asked.
pub(super) fn mutation(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let mut parts = vec![Part::Text(format!(
        "Seat: {}\nDraft: {}\nRound: {} of at most {}\n\nYou rewrite a draft. Your rewrite is judged against the anchor and \
         takes the draft's place only if it breaks no rule and is worth no less.",
        ask.seat,
        settings.name,
        ask.round,
        run.last_round(settings.max_rounds)
    ))];
    parts.push(brief(run));
    parts.extend(anchor(settings, run));
    parts.extend(snowball::accepted(run).map(|(_, mutation, _)| draft(&mutation.draft)));
    parts.extend(talk(run));
    parts.push(Part::Text(match request(run, ask) {
        Some(request) => format!(
            "You are the {}, summoned by {}. What you are asked:\n{}",
            ask.seat, request.requested_by, request.summon.ask
        ),
        None if ask.task == POLISH => "Polish the draft: settle what is open, smooth what was changed in haste.".into(),
        None => {
            "Make the draft better under the anchor. Say in `critique` what was wrong with it. Summon a specialist \
                 only if the draft needs one."
                .into()
        }
    }));
    parts.push(Part::answer_form::<MutationAnswer>());
    Prompt { template: "joust_mutation", parts }
}

/// Only the rules that need an opinion.
pub(super) fn lint(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let mut rules = String::new();
    if let Some(anchor) = snowball::anchor(settings, run) {
        for (level, rule) in judging::semantic(anchor) {
            let _ = writeln!(rules, "- {}: {}", level.as_str(), rule.name());
        }
    }
    let subject = judging::subject_of(&ask.task).and_then(|turn| mutation_of(run, turn));
    if subject.is_some_and(|mutation| mutation.measured.near_tie) {
        let _ = writeln!(rules, "- MUST: {}", judging::CLOSER);
    }
    let mut parts = vec![Part::Text(format!(
        "Seat: {}\nDraft: {}\nTemperature: 0\n\nYou judge whether a draft breaks any of these rules, and nothing else:",
        ask.seat, settings.name
    ))];
    parts.push(Part::Material { label: "the rules", content: Content::Text(rules) });
    parts.extend(subject.map(|mutation| draft(&mutation.draft)));
    parts.push(Part::Text(
        "Name each rule that is broken word for word, and quote the words of the draft that break it.".into(),
    ));
    parts.push(Part::answer_form::<LintAnswer>());
    Prompt { template: "joust_lint", parts }
}

pub(super) fn scorer(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let mut parts = vec![Part::Text(format!(
        "Seat: {}\nDraft: {}\nTemperature: 0\n\nYou score a draft in the dimensions of the anchor, on 0, 1, 2, 3, 5, 8, 13.",
        ask.seat, settings.name
    ))];
    parts.extend(anchor(settings, run));
    parts.extend(judging::subject_of(&ask.task).and_then(|turn| mutation_of(run, turn)).map(|it| draft(&it.draft)));
    parts.push(Part::answer_form::<ScoreAnswer>());
    Prompt { template: "joust_score", parts }
}

/// For the program that runs commands and looks at files.
pub(super) fn rules(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let mut parts = vec![Part::Text(format!("Seat: {}\nDraft: {}", ask.seat, settings.name))];
    parts.extend(anchor(settings, run));
    parts.extend(judging::subject_of(&ask.task).and_then(|turn| mutation_of(run, turn)).map(|it| draft(&it.draft)));
    Prompt { template: "joust_rules", parts }
}

pub(super) fn compaction(settings: &Settings, run: &Run) -> Prompt {
    let mut parts = vec![Part::Text(format!(
        "Seat: {MAIN}\nDraft: {}\n\nThe talk about the draft has grown long. Say what is settled, so that nobody has to \
         discuss it again.",
        settings.name
    ))];
    parts.extend(talk(run));
    parts.push(Part::answer_form::<CompactionAnswer>());
    Prompt { template: "joust_compaction", parts }
}

fn request<'r>(run: &'r Run, ask: &Ask) -> Option<snowball::Request<'r>> {
    snowball::requests(run).into_iter().find(|request| snowball::summon_task(request.number) == ask.task)
}

fn brief(run: &Run) -> Part {
    Part::Material { label: "the brief", content: Content::Blob(run.charter().brief) }
}

fn draft(draft: &Draft) -> Part {
    Part::Material { label: DRAFT, content: Content::Blob(draft.content) }
}

fn anchor(settings: &Settings, run: &Run) -> Option<Part> {
    let anchor = snowball::anchor(settings, run)?;
    let text = serde_json::to_string_pretty(anchor).expect("an anchor is plain JSON");
    Some(Part::Material { label: ANCHOR, content: Content::Text(text) })
}

/// What was said, and what is settled.
fn talk(run: &Run) -> Vec<Part> {
    let mut parts = Vec::new();
    let resolved: Vec<String> = snowball::resolved(run).into_iter().map(|text| format!("- {text}\n")).collect();
    if !resolved.is_empty() {
        parts.push(Part::Material { label: "what is settled", content: Content::Text(resolved.concat()) });
    }
    let trail: Vec<String> = snowball::trail(run)
        .into_iter()
        .map(|remark| format!("- round {}, {}: {}\n", remark.round, remark.seat, remark.text))
        .collect();
    if !trail.is_empty() {
        parts.push(Part::Material { label: "what was said of the draft", content: Content::Text(trail.concat()) });
    }
    parts
}

/// What an anchor of this kind looks like.
fn form(kind: Kind) -> &'static str {
    match kind {
        Kind::Invariants => r#"{"kind": "invariants", "MUST": [rule…], "SHOULD": [rule…], "MUST_NOT": [rule…]}"#,
        Kind::Acceptance => r#"{"kind": "acceptance", "items": [{"question": "…", "done_when": "…"}]}"#,
        Kind::Exemplars => r#"{"kind": "exemplars", "positive": ["a text like this"], "negative": ["not like this"]}"#,
        Kind::Assertions => r#"{"kind": "assertions", "checks": [{"description": "…", "predicate": rule}]}"#,
        Kind::Rubric => r#"{"kind": "rubric", "dims": [{"name": "…", "weight": 3, "floor": 5}]}"#,
        Kind::Goal => r#"{"kind": "goal", "north_star": "…", "constraints": [rule…]}"#,
    }
}
