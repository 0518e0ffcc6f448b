//! The tool `findings`: what was found, what became of it, and the draft that stands.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tribunal_app::{AppError, Project};
use tribunal_kernel::finding::{FindingState, Life};
use tribunal_kernel::text::head;
use tribunal_kernel::{Draft, Round, Run, Said, Severity, Verdict};
use tribunal_store::artifacts;

/// At most so many findings are shown; `left_out` says how many are not.
const MAX_FINDINGS: usize = 200;
/// At most so many bytes of the draft are shown; the rest follows with `draft_from`.
const MAX_DRAFT: usize = 48 * 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FindingsOf {
    /// A run id, a unique part of it, or its asset. Default: the newest run.
    run: Option<String>,
    /// Only open findings.
    open_only: bool,
    /// Whether to show the draft's text.
    draft: bool,
    /// Show the draft from this byte on; for drafts that are longer than one answer.
    draft_from: usize,
}

impl Default for FindingsOf {
    fn default() -> Self {
        Self { run: None, open_only: false, draft: true, draft_from: 0 }
    }
}

pub(super) async fn findings(project: &Project, args: FindingsOf) -> Result<Value, AppError> {
    let run = project.read(project.find(args.run.as_deref()).await?).await?;
    let standing = standing(&run);
    let text = match standing {
        Some((_, draft)) => project.text(draft.content).await,
        None => None,
    };
    let mut lives: Vec<&Life> = run.findings().iter().filter(|life| !args.open_only || stands(life.state)).collect();
    // What keeps the work from passing comes first; among equals, what was raised first.
    lives.sort_by_key(|life| (!stands(life.state), std::cmp::Reverse(life.finding.severity)));
    let must_fix = lives.iter().filter(|life| stands(life.state) && life.finding.severity == Severity::MustFix).count();
    let left_out = lives.len().saturating_sub(MAX_FINDINGS);
    let shown: Vec<Value> = lives.iter().take(MAX_FINDINGS).map(|life| finding(life, text.as_deref())).collect();
    let draft = standing.map(|(round, draft)| {
        let mut object = json!({ "id": draft.id, "round": round, "format": draft.format.extension() });
        if let Some(file) = artifacts::shipped(&project.artifacts(run.spec().run), &run) {
            object["file"] = json!(file);
        }
        if let Some(text) = text.as_deref().filter(|_| args.draft) {
            let (from, to) = window(text, args.draft_from);
            object["bytes"] = json!(text.len());
            object["text"] = json!(&text[from..to]);
            object["next_from"] = json!((to < text.len()).then_some(to));
        }
        object
    });
    Ok(json!({
        "run": run.spec().run, "asset": run.spec().subject(), "loop": run.spec().kind(),
        "status": run.end().map_or("running", |end| end.outcome.as_str()),
        "passed": run.end().is_some_and(|end| end.outcome.is_pass()),
        "open_must_fix": must_fix, "findings": shown, "left_out": left_out,
        "judged": judged(&run), "receipts": receipts(&run), "draft": draft,
    }))
}

/// What was handed over, or picked, or stands at the end of the last round that has a draft.
fn standing(run: &Run) -> Option<(Option<Round>, &Draft)> {
    if let Some(ship) = run.end().and_then(|end| end.ship.as_deref()) {
        return Some((Some(ship.round), &ship.draft));
    }
    if let Some(draft) = run.selection() {
        return Some((None, draft));
    }
    run.rounds().iter().rev().find_map(|state| Some((Some(state.round), run.standing(state.round)?)))
}

fn stands(state: FindingState) -> bool {
    matches!(state, FindingState::Open | FindingState::Reopened { .. })
}

fn finding(life: &Life, draft: Option<&str>) -> Value {
    let target = life.finding.target.as_deref();
    let line = target.zip(draft).and_then(|(quote, text)| {
        let at = text.find(quote).filter(|_| !quote.trim().is_empty())?;
        Some(text[..at].lines().count().max(1))
    });
    json!({
        "id": life.finding.id, "severity": life.finding.severity.as_str(), "text": life.finding.text,
        "code": life.finding.code, "by": life.by, "raised_in_round": life.raised, "life": life.state.to_string(),
        "stands": stands(life.state), "target": target, "line": line,
    })
}

/// What every seat said last of a draft: the scores, and the notes that are their evidence.
fn judged(run: &Run) -> Vec<Value> {
    let mut last: Vec<(&str, Round, &Verdict)> = Vec::new();
    for turn in run.turns() {
        let Some(verdict) = turn.said().and_then(Said::verdict) else { continue };
        last.retain(|(seat, ..)| *seat != turn.seat.as_str());
        last.push((turn.seat.as_str(), turn.round, verdict));
    }
    last.into_iter()
        .map(|(seat, round, verdict)| {
            json!({
                "seat": seat, "round": round, "judgement": verdict.judgement, "word": verdict.word,
                "score": verdict.score, "dims": verdict.dims, "summary": verdict.summary,
                "corrections": verdict.corrections,
            })
        })
        .collect()
}

/// What was run last, and what was seen.
fn receipts(run: &Run) -> Vec<Value> {
    let checked = run.turns().iter().rev().find_map(|turn| match turn.said()? {
        Said::Checked(receipts) => Some(receipts),
        _ => None,
    });
    let receipts = checked.into_iter().flat_map(|checked| &checked.receipts);
    receipts
        .take(MAX_FINDINGS)
        .map(|receipt| {
            json!({
                "check": receipt.check, "command": receipt.line, "exit": receipt.exit, "failure": receipt.failure(),
                "tests": receipt.tests, "tree": receipt.tree,
            })
        })
        .collect()
}

/// The part of a text that is shown: whole characters from `from` on.
fn window(text: &str, from: usize) -> (usize, usize) {
    let whole = |at: usize| head(text, at).len();
    let from = whole(from);
    (from, whole(from.saturating_add(MAX_DRAFT)))
}
