//! What the seats of a joust are told.

use super::answers::{BallotedScores, BootstrapAnswer, CompactionAnswer, MutationAnswer, ScoreAnswer};
use super::settings::{MAIN, Settings};
use super::{POLISH, judging, mutation_of, snowball};
use crate::ballot::Ballot;
use crate::prompt::{Content, Part, Prompt};
use crate::rules::{self, DRAFT};
use crate::trial::Ask;
use crate::{Draft, Run};

pub(super) fn bootstrap(settings: &Settings, run: &Run) -> Prompt {
    let mut parts = vec![Part::Text(format!(
        "Seat: {MAIN}\nDraft: {}\n\nYou begin a joust: you write a first draft, and editors will rewrite it in turn. Every \
         rewrite is judged against an anchor.",
        settings.name
    ))];
    parts.push(Part::ForPerson(format!(
        "Please write the first draft of `{}`. Others rewrite it after you.",
        settings.name
    )));
    parts.push(brief(run));
    if let Some(seed) = &settings.seed {
        parts.push(Part::Material { label: "a text to begin from", content: Content::Blob(seed.content) });
    }
    if run.spec().anchor.is_some() {
        parts.extend(rules::material(run));
        parts.push(Part::answer_form::<BootstrapAnswer>());
    } else {
        parts.push(Part::ForPerson(format!(
            "Please also write what drafts are judged against (the anchor), as JSON. It looks like this:\n{}",
            rules::form(settings.kind)
        )));
        parts.push(Part::Text(format!(
            "Write the anchor, too. Its kind is `{}`: {}.\n{}",
            settings.kind.as_str(),
            settings.why,
            rules::form(settings.kind)
        )));
        parts.push(super::anchor_form::bootstrap(settings.kind));
    }
    Prompt { template: "joust_bootstrap", parts }
}

/// For jousters, specialists and the polish alike: they differ in what they are asked.
pub(super) fn mutation(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let mut parts = vec![Part::Text(format!(
        "Seat: {}\nDraft: {}\n\nYou rewrite a draft. Your rewrite is judged against the anchor and takes the draft's place \
         only if it breaks no rule and is worth no less.",
        ask.seat, settings.name,
    ))];
    parts.push(brief(run));
    parts.extend(rules::material(run));
    parts.push(Part::Break);
    parts.push(Part::Text(format!("Round: {} of at most {}", ask.round, run.last_round(settings.max_rounds))));
    parts.extend(snowball::accepted(run).map(|(_, mutation, _)| draft(&mutation.draft)));
    parts.extend(talk(run));
    parts.extend(not_met(run));
    let before = crate::Round(ask.round.0.saturating_sub(1));
    parts.extend(crate::last_look::material(run, before));
    parts.push(Part::ForPerson(match request(run, ask) {
        Some(request) => format!(
            "Please rewrite the draft as the {}. {} asks you:\n{}",
            ask.seat, request.requested_by, request.summon.ask
        ),
        None if ask.task == POLISH => "Please polish the draft: settle what is open, and smooth what is rough.".into(),
        None => "Please make the draft better, and say what was wrong with it.".into(),
    }));
    parts.push(Part::Text(match request(run, ask) {
        Some(request) => format!(
            "You are the {}, summoned by {}. What you are asked:\n{}\n\nSay in `critique` what you find as rules, one a \
             line, each beginning with MUST, SHOULD or MUST NOT; whoever rewrites the draft after you is told.",
            ask.seat, request.requested_by, request.summon.ask
        ),
        None if ask.task == POLISH => "Polish the draft: settle what is open, smooth what was changed in haste.".into(),
        None => {
            let seats: Vec<&str> = snowball::specialists(settings, run).map(crate::SeatName::as_str).collect();
            let whom = if seats.is_empty() { String::new() } else { format!(": {}", seats.join(", ")) };
            format!(
                "Make the draft better under the anchor. Say in `critique` what was wrong with it. Summon a specialist \
                 only if the draft needs one{whom}."
            )
        }
    }));
    parts.push(Part::answer_form::<MutationAnswer>());
    Prompt { template: "joust_mutation", parts }
}

/// Only what needs an opinion.
pub(super) fn lint(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let subject = rules::subject_of(&ask.task).and_then(|turn| mutation_of(run, turn));
    let items = rules::put(run, ask, &judging::ballot_of(run, &ask.task), subject.map(|mutation| &mutation.draft));
    let draft = subject.map(|mutation| Content::Blob(mutation.draft.content));
    rules::opinion(&settings.name, &ask.seat, items, draft)
}

pub(super) fn scorer(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let mut parts = vec![Part::Text(format!(
        "Seat: {}\nDraft: {}\n\nYou score a draft in these dimensions, each by its name and on its own scale.{}",
        ask.seat,
        settings.name,
        dims_told(settings, run)
    ))];
    parts.push(Part::ForPerson(format!(
        "Please score the draft, each of these by its name:{}",
        dims_told(settings, run)
    )));
    parts.extend(rules::material(run));
    parts.push(Part::Break);
    let judged = rules::judged(run, &ask.task, ask.round);
    parts.extend(judged.map(draft));
    let nothing = Ballot::default();
    if rules::is_balloted(run, &nothing, &ask.seat) {
        parts.extend(rules::put(run, ask, &nothing, judged));
        parts.push(Part::answer_form::<BallotedScores>());
    } else {
        parts.push(Part::answer_form::<ScoreAnswer>());
    }
    Prompt { template: "joust_score", parts }
}

/// The dimensions to score, a line each.
fn dims_told(settings: &Settings, run: &Run) -> String {
    let dims = settings.rubrics(run.anchor()).flat_map(|rubric| &rubric.dims).map(|dim| {
        let about = dim.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        format!("\n- {} ({}){about}", dim.name, super::scale_told(dim.scale))
    });
    dims.collect()
}

pub(super) fn compaction(settings: &Settings, run: &Run) -> Prompt {
    let mut parts = vec![Part::Text(format!(
        "Seat: {MAIN}\nDraft: {}\n\nThe talk about the draft has grown long. Say what is settled, so that nobody has to \
         discuss it again.",
        settings.name
    ))];
    parts.push(Part::ForPerson("Please say what is settled, so that nobody discusses it again.".into()));
    parts.extend(talk(run));
    parts.push(Part::answer_form::<CompactionAnswer>());
    Prompt { template: "joust_compaction", parts }
}

fn request<'r>(run: &'r Run, ask: &Ask) -> Option<snowball::SummonRequest<'r>> {
    snowball::requests(run).into_iter().find(|request| snowball::summon_task(request.number) == ask.task)
}

fn brief(run: &Run) -> Part {
    Part::Material { label: "the brief", content: Content::Blob(run.spec().brief) }
}

fn draft(draft: &Draft) -> Part {
    Part::Material { label: DRAFT, content: Content::Blob(draft.content) }
}

/// What the last round left open, and why.
fn not_met(run: &Run) -> Option<Part> {
    let tally = run.rounds().iter().rev().find_map(|state| state.tally.as_deref())?;
    let open: Vec<String> = tally
        .open
        .iter()
        .map(|item| {
            let why = item.why.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
            format!("- {}: {}{why}\n", item.state.as_str(), item.item)
        })
        .collect();
    let content = Content::Text(open.concat());
    (!open.is_empty()).then_some(Part::Material { label: "what is not met yet", content })
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
