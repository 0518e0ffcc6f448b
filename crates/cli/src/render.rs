//! Entries as text.

use std::time::Duration;
use tribunal_app::parked;
use tribunal_app::summary::{amounts_to, elapsed_text};
use tribunal_kernel::ballot::{Vote, VoteWord};
use tribunal_kernel::desk::StoryId;
use tribunal_kernel::{Entry, Event, Judgement, Run, Said, Score, Usage, Verdict};

/// An event in a line.
pub(crate) fn entry(run: &Run, entry: &Entry) -> String {
    let turn = |id| run.turn(id).map_or_else(String::new, |turn| format!("{} (round {})", turn.seat, turn.round));
    match &entry.event {
        Event::RunOpened { spec } => {
            format!("{} of `{}` opened, run {}", spec.kind(), spec.subject(), spec.run)
        }
        Event::RoundOpened { round } => format!("round {round}"),
        Event::TurnStarted { round, seat, attempt, routed, taken_by, .. } => {
            let own = run.spec().seats.get(seat).map_or("", |binding| binding.agent.as_str());
            let agent = taken_by.as_deref().unwrap_or(own);
            let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
            let model = routed.as_ref().map(|routed| format!(" on {} ({})", routed.model, routed.why));
            format!("{seat} (round {round}): {agent} is working{}{again}", model.unwrap_or_default())
        }
        Event::TurnAnswered { turn: id, said, bill, .. } => {
            let cost = cost(&bill.usage);
            let took = elapsed_text(Duration::from_millis(bill.elapsed_ms));
            format!("{}: {} after {took}{cost}", turn(*id), saying(said))
        }
        Event::TurnParked { turn: id, agent, until, why, taken_by, passed_to, .. } => {
            let next = match passed_to.as_ref().or(taken_by.as_ref()) {
                Some(other) => format!("`{other}` takes the turn over"),
                None => format!("goes on {}", parked::when(*until, entry.time)),
            };
            format!("{}: the provider of `{agent}` takes no requests now, {next}: {}", turn(*id), parked::words(why))
        }
        Event::TurnFailed { turn: id, error, .. } => {
            let hint = error.hint.as_ref().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
            format!("{}: failed: {error}{hint}", turn(*id))
        }
        Event::Heard { turn: id, utterances } => format!("{}: {} remarks", turn(*id), utterances.len()),
        Event::RoundClosed { round, decision, tally } => {
            let tally = tally.as_ref().map(|tally| format!("{}, ", amounts_to(run, tally))).unwrap_or_default();
            let reason = decision.reason.as_deref();
            match decision.outcome {
                Some(outcome) => format!("round {round}: {tally}{outcome}, {}", reason.unwrap_or("no reason given")),
                None => format!("round {round}: {tally}the run continues{}", reason.map_or(String::new(), colon)),
            }
        }
        Event::Ruled { turn: id, ruling } if ruling.accepted => {
            format!("{}: accepted{}", turn(*id), worth(ruling.score))
        }
        Event::Ruled { turn: id, ruling } => {
            format!("{}: sent back{}: {}", turn(*id), worth(ruling.score), ruling.reasons.join("; "))
        }
        Event::Reanchored { by, anchor } => format!("{by} replaced the anchor: {}", anchor.kind().as_str()),
        Event::DirectiveGiven { by, text } => format!("{by} says: {text}"),
        Event::InterruptRequested { by } => format!("interrupted by {by}"),
        Event::DraftSelected { draft, by } => format!("{by} selected draft {}", draft.id),
        Event::ItemsDecided { by, votes, .. } => {
            let told: Vec<String> = votes.iter().map(|vote| format!("{} {}", vote.item, vote.says.as_str())).collect();
            format!("{by} decided: {}", if told.is_empty() { "judge it again".to_owned() } else { told.join("; ") })
        }
        Event::DecisionReopened { by, why, rounds } => format!("reopened by {by} for {rounds} more rounds: {why}"),
        Event::RunResumed { .. } => "resumed".into(),
        Event::SpentElsewhere { spend } => {
            format!("runs that share its limits used {} tokens, {}", spend.tokens, spend.usd)
        }
        Event::RunClosed { outcome, reason, .. } => format!("{outcome}: {reason}"),
    }
}

fn saying(said: &Said) -> String {
    match said {
        Said::Heard => "has spoken".into(),
        Said::Done => "done".into(),
        Said::Surveyed(survey) => match &survey.plan {
            Some(plan) => format!("{} stories, {} checks", plan.stories.len(), plan.spec.commands.len()),
            None => "the plan is as it was".into(),
        },
        Said::Worked(work) => {
            let stop = work.memory.stop.map_or("no stop status", |stop| stop.as_str());
            let claim = work.claim.as_ref().map(|claim| {
                let stories: Vec<&str> = claim.stories.iter().map(StoryId::as_str).collect();
                format!(", claims {}", stories.join(", "))
            });
            let files = if work.changed.len() == 1 { "1 file".into() } else { format!("{} files", work.changed.len()) };
            format!("{stop}, {files} changed{}", claim.unwrap_or_default())
        }
        Said::Checked(receipts) => {
            let failed: Vec<String> = receipts
                .receipts
                .iter()
                .filter_map(|receipt| Some(format!("`{}`: {}", receipt.line, receipt.failure()?)))
                .collect();
            let all = receipts.receipts.len();
            match failed.as_slice() {
                [] => format!("{all} checks passed"),
                failed => format!("{} of {all} checks failed: {}", failed.len(), failed.join("; ")),
            }
        }
        Said::Inspected(inspection) => judgement(&inspection.verdict),
        Said::Collected(evidence) => match evidence.findings.len() {
            0 => "nothing speaks against it".into(),
            1 => "1 finding".into(),
            several => format!("{several} findings"),
        },
        Said::Mutation(mutation) => {
            let summon = mutation.summon.as_ref().map(|summon| format!(", summons {}", summon.specialist));
            format!("rewrite {}{}", mutation.draft.content.short(), summon.unwrap_or_default())
        }
        Said::Resolved { decisions } => format!("{} decisions settled", decisions.len()),
        Said::Draft { draft, done, .. } => {
            let done = if *done == Some(true) { ", says it is done" } else { "" };
            format!("draft {}{done}", draft.content.short())
        }
        Said::Verdict(verdict) => judgement(verdict),
        Said::Controlled(control) => control.to_string(),
    }
}

fn judgement(verdict: &Verdict) -> String {
    let issues = match verdict.findings.len() {
        0 => String::new(),
        1 => ", 1 issue".to_owned(),
        several => format!(", {several} issues"),
    };
    let corrected: Vec<String> = verdict
        .corrections
        .iter()
        .map(|correction| format!(" (it said {}, but {})", correction.given, correction.why))
        .collect();
    let word = match verdict.score {
        Some(score) => format!("{score}"),
        None if verdict.word.is_empty() && !verdict.votes.is_empty() => votes(&verdict.votes),
        None if verdict.word.is_empty() && verdict.dims.is_empty() => match verdict.judgement {
            Judgement::Pass => "nothing to fix".into(),
            _ if verdict.must_fixes().next().is_some() => "to fix".into(),
            _ => "no score".into(),
        },
        None if verdict.word.is_empty() => {
            format!("{} dimensions scored", verdict.dims.iter().filter(|dim| dim.score.is_some()).count())
        }
        None => verdict.word.clone(),
    };
    format!("{word}{issues}{}", corrected.concat())
}

/// `3 met, 1 broken`.
fn votes(votes: &[Vote]) -> String {
    let words = [(VoteWord::Met, "met"), (VoteWord::Broken, "broken"), (VoteWord::CannotTell, "undecided")];
    let counted = words.map(|(says, word)| (votes.iter().filter(|vote| vote.says == says).count(), word));
    let told = counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    told.collect::<Vec<_>>().join(", ")
}

fn worth(score: Option<Score>) -> String {
    score.map(|score| format!(", worth {score}")).unwrap_or_default()
}

fn colon(text: &str) -> String {
    format!(": {text}")
}

fn cost(usage: &Usage) -> String {
    let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
    match (tokens, usage.usd) {
        (0, None) => String::new(),
        (tokens, None) => format!(", {tokens} tokens"),
        (tokens, Some(usd)) => format!(", {tokens} tokens, {usd}"),
    }
}
