//! The anchor in any loop: what rules say of a draft before anybody with an opinion is asked.
//!
//! The seat [`RULES`] is taken by a program. It is asked like any other, so its receipts are in the log; a draft that
//! breaks a rule goes back to its author like any answer that does not fit.

use schemars::JsonSchema;
use serde::Deserialize;
use tribunal_anchors::{Anchor, AnchorKind, Predicate, RequirementLevel, Rule, Test};

use crate::answer::Misfit;
use crate::finding::Complaint;
use crate::prompt::{Content, Part, Prompt};
use crate::ruling::Ruling;
use crate::trial::{Ask, Exhibits, Reading, Step};
use crate::verdict::{Correction, Dim};
use crate::{
    Digest, Draft, Finding, Judgement, Outcome, Run, Said, Score, SeatName, Severity, Slot, Turn, TurnId, Verdict,
};

/// The seat that runs commands and looks at files: what a rule can decide without an opinion.
pub const RULES: &str = "rules";
/// The label of what drafts are judged against.
pub(crate) const ANCHOR: &str = "the anchor";
/// The label of the draft.
pub(crate) const DRAFT: &str = "the draft";

/// What a linter, or the rules' own seat, says of a draft.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct LintAnswer {
    /// Rules that the draft breaks. Empty if it breaks none.
    pub violations: Vec<RuleObjection>,
    /// SHOULD rules that it does not meet.
    #[serde(default)]
    pub should_violations: Vec<RuleObjection>,
    /// What was measured, where something was.
    #[serde(default)]
    #[schemars(skip)]
    pub measured: Option<f64>,
    /// How far apart several measurements were.
    #[serde(default)]
    #[schemars(skip)]
    pub noise: Option<f64>,
}

/// A rule that is broken, and where.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct RuleObjection {
    /// The rule, word for word.
    pub rule: String,
    /// The words of the draft that break it, copied exactly. Without them the objection does not count.
    #[serde(default)]
    pub quote: String,
    #[serde(default)]
    pub why: String,
}

/// What the rules' own seat works on.
#[derive(Debug, Clone, PartialEq)]
pub struct RulesInput<B = Digest> {
    pub anchor: Box<Anchor>,
    pub draft: B,
}

/// What a seat says of the draft that a turn brought.
pub(crate) enum Heard<'r> {
    Said(&'r Verdict),
    Ask(Ask),
    Failed(String),
}

/// What comes before the draft of `turn` is shown to anybody with an opinion: the rules are asked, or it is sent back.
/// Nothing, if it holds or nothing can be checked.
pub(crate) fn hold(run: &Run, turn: &Turn) -> Option<Step> {
    match verdict(run, turn)? {
        Heard::Ask(ask) => Some(Step::Ask(vec![ask])),
        Heard::Failed(reason) => Some(Step::End { outcome: Outcome::Failed, reason }),
        Heard::Said(verdict) => {
            let broken: Vec<String> = verdict.must_fixes().map(told).collect();
            let is_broken = !broken.is_empty();
            is_broken.then(|| Step::Rule { turn: turn.id, ruling: Ruling::reject(broken, None) })
        }
    }
}

/// What the rules say of the draft of `turn`, if the run's anchor has any that a program can check.
pub(crate) fn verdict<'r>(run: &'r Run, turn: &Turn) -> Option<Heard<'r>> {
    let anchor = run.anchor()?;
    let is_checkable = needs_seat(anchor) || anchor.rules().iter().any(|(_, rule)| rule.test != Test::Semantic);
    is_checkable.then(|| heard(run, turn, &SeatName::new(RULES), RULES))
}

/// What `seat` says of the draft of `turn`.
pub(crate) fn heard<'r>(run: &'r Run, turn: &Turn, seat: &SeatName, task: &str) -> Heard<'r> {
    let round = run.rounds().last().map_or(turn.round, |state| state.round);
    // A panel that speaks in one stream has one turn for several rounds; everybody else drafts in the round it is for.
    let round = if turn.heard.is_some() { round } else { turn.round };
    let task = format!("{task}:{}", turn.id);
    match run.slot(round, seat, &task) {
        Slot::Answered { said: Said::Verdict(verdict), .. } => Heard::Said(verdict),
        Slot::Exhausted { error, .. } => Heard::Failed(format!("{seat} could not judge it: {error}")),
        Slot::Open { .. } | Slot::InFlight | Slot::Answered { .. } => Heard::Ask(Ask::new(round, seat.clone(), task)),
    }
}

/// The turn that a call is about.
pub(crate) fn subject_of(task: &str) -> Option<TurnId> {
    task.split_once(':')?.1.parse().ok().map(TurnId)
}

/// The draft that a call is about.
pub(crate) fn judged<'r>(run: &'r Run, task: &str, round: crate::Round) -> Option<&'r Draft> {
    let turn = run.turn(subject_of(task)?)?;
    turn.drafts().filter(|(of, _)| *of <= round).last().map(|(_, draft)| draft)
}

/// Whether commands have to run, files have to be looked at, or something has to be measured.
pub(crate) fn needs_seat(anchor: &Anchor) -> bool {
    let looks_at_files =
        |rule: &Rule| matches!(rule.test, Test::Predicate(Predicate::FileExists { .. } | Predicate::LinkResolves));
    let is_measured = matches!(anchor, Anchor::Goal(goal) if goal.measure.is_some());
    is_measured || !anchor.commands().is_empty() || anchor.rules().iter().any(|(_, rule)| looks_at_files(rule))
}

/// The anchor, for a prompt.
pub(crate) fn material(run: &Run) -> Option<Part> {
    run.anchor().map(shown)
}

fn shown(anchor: &Anchor) -> Part {
    let text = serde_json::to_string_pretty(anchor).expect("an anchor is plain JSON");
    Part::Material { label: ANCHOR, content: Content::Text(text) }
}

/// What the program that runs commands and looks at files works on, under this anchor.
pub(crate) fn input(run: &Run, anchor: &Anchor, task: &str, round: crate::Round) -> Option<RulesInput> {
    let draft = judged(run, task, round)?.content;
    Some(RulesInput { anchor: Box::new(anchor.clone()), draft })
}

/// For the program that runs commands and looks at files.
pub(crate) fn prompt(run: &Run, ask: &Ask) -> Prompt {
    let mut parts = vec![Part::Text(format!("Seat: {}\nDraft: {}", ask.seat, run.spec().subject()))];
    if let Some(RulesInput { anchor, draft }) = run.anchor().and_then(|anchor| input(run, anchor, &ask.task, ask.round))
    {
        parts.extend([shown(&anchor), Part::Material { label: DRAFT, content: Content::Blob(draft) }]);
    }
    Prompt { template: "rules", parts }
}

/// The texts that an objection is held against.
pub(crate) fn exhibits(run: &Run, turn: &Turn) -> Vec<Digest> {
    judged(run, &turn.task, turn.round).map(|draft| draft.content).into_iter().collect()
}

/// What a linter, or the rules' own seat, objects to. An objection without a quote from the draft does not count.
pub(crate) fn read(run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
    let is_ours = turn.seat == *RULES;
    let read = if is_ours { crate::answer::own(answer) } else { crate::answer::read(answer) };
    let LintAnswer { violations, should_violations, measured, noise } = read?;
    let draft = judged(run, &turn.task, turn.round).ok_or_else(nothing_to_judge)?;
    let text = exhibits.text(&draft.content).unwrap_or_default();
    let mut corrections = Vec::new();
    let all = violations.into_iter().map(|objection| (Severity::MustFix, objection));
    let complaints = all.chain(should_violations.into_iter().map(|objection| (Severity::Should, objection)));
    let complaints = complaints
        .map(|(severity, objection)| {
            let quote = objection.quote.trim();
            let contested = !is_ours && (quote.is_empty() || !text.contains(quote));
            if contested {
                let why = format!("the draft does not say {quote:?}");
                corrections.push(Correction { given: objection.rule.clone(), rule: "quote_not_found".into(), why });
            }
            let text = if objection.why.is_empty() { objection.rule.clone() } else { objection.why };
            Complaint { severity, text, code: None, target: Some(objection.rule), contested }
        })
        .collect();
    let findings = run.findings().identify(run.spec().run, &turn.seat, complaints);
    let is_broken = findings.iter().any(|finding| !finding.contested && finding.severity == Severity::MustFix);
    let judgement = if is_broken { Judgement::Fail } else { Judgement::Pass };
    let noise =
        noise.map(|noise| Dim { name: "noise".into(), score: Some(Score::from_f64(noise)), note: String::new() });
    let verdict = Verdict {
        findings,
        corrections,
        score: measured.map(Score::from_f64),
        dims: noise.into_iter().collect(),
        ..Verdict::new(draft.id, judgement)
    };
    Ok(Reading { said: Said::Verdict(verdict), blobs: Vec::new() })
}

pub(crate) fn nothing_to_judge() -> Misfit {
    Misfit::Unacceptable("there is no draft to judge".into())
}

/// A broken rule in one line.
pub(crate) fn told(finding: &Finding) -> String {
    match &finding.target {
        Some(rule) if *rule != finding.text => format!("{rule}: {}", finding.text),
        _ => finding.text.clone(),
    }
}

/// Asks for an opinion on a draft, under these rules alone.
pub(crate) fn opinion<'a>(
    subject: &str,
    seat: &SeatName,
    rules: impl IntoIterator<Item = (RequirementLevel, &'a Rule)>,
    draft: Option<Content>,
) -> Prompt {
    let told: Vec<String> =
        rules.into_iter().map(|(level, rule)| format!("- {}: {}", level.as_str(), rule.name())).collect();
    let mut parts = vec![Part::Text(format!(
        "Seat: {seat}\nDraft: {subject}\nTemperature: 0\n\nYou judge whether a draft breaks any of these rules, and nothing \
         else:"
    ))];
    parts.push(Part::Material { label: "the rules", content: Content::Text(told.join("\n")) });
    parts.push(Part::Break);
    parts.extend(draft.map(|content| Part::Material { label: DRAFT, content }));
    parts.push(Part::Text(
        "Name each rule that is broken word for word, and quote the words of the draft that break it.".into(),
    ));
    parts.push(Part::answer_form::<LintAnswer>());
    Prompt { template: "opinion", parts }
}

/// How an anchor of this kind is written.
pub(crate) fn form(kind: AnchorKind) -> String {
    format!(
        "{}\nWrite a rule that a program can check wherever there is one: {{\"kind\": \"pattern\", \"pattern\": \"(?m)^## \
         Risks$\", \"rule\": \"has a section on risks\"}}. A rule in plain words needs an opinion each time.",
        shape(kind)
    )
}

/// The anchor that a seat wrote, which must be of the kind that was asked for.
pub(crate) fn written(value: serde_json::Value, wanted: AnchorKind) -> Result<Anchor, Misfit> {
    let anchor: Anchor =
        serde_json::from_value(value).map_err(|error| Misfit::Unacceptable(format!("`anchor`: {error}")))?;
    let (wanted, found) = (wanted.as_str(), anchor.kind().as_str());
    if wanted != found {
        return Err(Misfit::Unacceptable(format!("`anchor` is of kind `{found}`, and `{wanted}` was asked for")));
    }
    Ok(anchor)
}

/// What an anchor of this kind looks like.
fn shape(kind: AnchorKind) -> &'static str {
    match kind {
        AnchorKind::Invariants => r#"{"kind": "invariants", "MUST": [rule…], "SHOULD": [rule…], "MUST_NOT": [rule…]}"#,
        AnchorKind::Acceptance => r#"{"kind": "acceptance", "items": [{"question": "…", "done_when": "…"}]}"#,
        AnchorKind::Exemplars => {
            r#"{"kind": "exemplars", "positive": ["a text like this"], "negative": ["not like this"]}"#
        }
        AnchorKind::Assertions => r#"{"kind": "assertions", "checks": [{"description": "…", "predicate": rule}]}"#,
        AnchorKind::Rubric => r#"{"kind": "rubric", "dims": [{"name": "…", "weight": 3, "floor": 5}]}"#,
        AnchorKind::Goal => r#"{"kind": "goal", "north_star": "…", "constraints": [rule…]}"#,
    }
}
