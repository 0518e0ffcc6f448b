//! What is shown of a joust beside its events: what drafts are judged by, who waits to be heard, what was criticised, and
//! what became of each rule.

use tribunal_anchors::Anchor;
use tribunal_kernel::ballot::{ItemState, JudgedItem};
use tribunal_kernel::joust::{BOOTSTRAP, joust_of, snowball};
use tribunal_kernel::{Entry, Event, Run, Said, TurnId, rules};

/// The lines that follow an entry; `run` is the run after it.
pub(crate) fn lines(run: &Run, entry: &Entry) -> Vec<String> {
    if joust_of(run.spec()).is_none() {
        return Vec::new();
    }
    match &entry.event {
        Event::RunOpened { .. } | Event::Reanchored { .. } => anchor(run),
        Event::RoundOpened { .. } => snowball::queue(run)
            .into_iter()
            .map(|request| {
                let vacant = if request.is_vacant() { " (no such seat)" } else { "" };
                let (summon, by) = (request.summon, request.requested_by);
                format!("waiting: {}, asked by {by}: {}{vacant}", summon.specialist, summon.ask)
            })
            .collect(),
        Event::TurnAnswered { said, .. } => match &**said {
            Said::Mutation(mutation) => mutation.critique.iter().map(|text| format!("critique: {text}")).collect(),
            _ => Vec::new(),
        },
        Event::RoundClosed { tally: Some(tally), .. } => {
            tally.missing.iter().map(|seat| format!("skipped: {seat}, none of whose rewrites could be taken")).collect()
        }
        Event::Ruled { turn, ruling } => {
            let is_first = run.turn(*turn).is_some_and(|turn| turn.task == BOOTSTRAP);
            let bootstrapped = if is_first && run.spec().anchor.is_none() { anchor(run) } else { Vec::new() };
            bootstrapped.into_iter().chain(changes(run, *turn, &ruling.items)).collect()
        }
        _ => Vec::new(),
    }
}

/// What drafts are judged by: its kind, why, and rule by rule.
fn anchor(run: &Run) -> Vec<String> {
    let (Some(anchor), Some(settings)) = (run.anchor(), joust_of(run.spec())) else { return Vec::new() };
    let mut lines = vec![format!("anchor: {} ({})", anchor.kind().as_str(), snowball::why(settings, run))];
    lines.extend(anchor.items().iter().map(|(level, rule)| format!("{}: {}", level.as_str(), rule.name())));
    if let Anchor::Rubric(rubric) = anchor {
        lines.extend(rubric.dims.iter().map(|dim| format!("dimension: {}", dim.name)));
    }
    let commands = rules::commands(anchor);
    let is_trusted = run.spec().trial().may_run_commands(run);
    let word = if is_trusted { "command" } else { "command, not run until you allow it (`--allow-commands`)" };
    lines.extend(commands.into_iter().map(|command| format!("{word}: {command}")));
    lines
}

/// The rules that stand otherwise than for the draft before, a line each.
fn changes(run: &Run, turn: TurnId, items: &[JudgedItem]) -> Vec<String> {
    let mut earlier = run.turns().iter().rev().filter(|earlier| earlier.id < turn);
    let before = earlier.find_map(|earlier| earlier.ruling.as_deref().filter(|ruling| ruling.accepted));
    let was = |name: &str| {
        before.and_then(|before| before.items.iter().find(|item| item.item == name)).map(|item| item.state)
    };
    let is_news = |item: &&JudgedItem| match was(&item.item) {
        Some(state) => state != item.state,
        None => item.state != ItemState::Met,
    };
    let told = |item: &JudgedItem| {
        let from = was(&item.item).map(|state| format!("{} → ", state.as_str())).unwrap_or_default();
        format!("{from}{}: {}", item.state.as_str(), item.item)
    };
    items.iter().filter(is_news).map(told).collect()
}
