//! The anchor in any loop: what rules say of a draft before anybody with an opinion is asked.
//!
//! The seat [`RULES`] is taken by a program. It is asked like any other, so its receipts are in the log; a draft that
//! breaks a rule goes back to its author like any answer that does not fit.

use serde::{Deserialize, Serialize};
use tribunal_anchors::{Anchor, AnchorKind, Predicate, RequirementLevel, Rule, Test};

use crate::answer::Misfit;
use crate::ballot::{
    self, AllMet, Ballot, BallotAnswer, BallotLine, BallotReading, ItemState, JudgedItem, Quorum, Vote, VoteWord,
};
use crate::finding::Complaint;
use crate::prompt::{Content, Part, Prompt};
use crate::ruling::Ruling;
use crate::trial::{Ask, Exhibits, Reading, Step};
use crate::verdict::Dim;
use crate::{
    Digest, Draft, DraftId, Finding, Judgement, Outcome, Run, Said, Score, SeatName, Severity, Slot, Turn, TurnId,
    Verdict,
};

/// The seat that runs commands and looks at files: what a rule can decide without an opinion.
pub const RULES: &str = "rules";
/// The label of what drafts are judged against.
pub(crate) const ANCHOR: &str = "the anchor";
/// The label of the draft.
pub(crate) const DRAFT: &str = "the draft";

/// What the rules' own seat says of a draft.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RulesAnswer {
    /// One for every rule that needs no opinion.
    pub votes: Vec<Vote>,
    /// What was measured, where something was.
    #[serde(default)]
    pub measured: Option<f64>,
    /// How far apart several measurements were.
    #[serde(default)]
    pub noise: Option<f64>,
    /// What was run, for the record.
    #[serde(default)]
    pub receipts: Vec<serde_json::Value>,
}

/// What a goal's measure goes by, where it could not be taken.
pub const MEASURE: &str = "measure";

/// What the rules' own seat works on.
#[derive(Debug, Clone, PartialEq)]
pub struct RulesInput<B = Digest> {
    pub anchor: Box<Anchor>,
    pub draft: B,
    /// Whether a person wrote its commands, or allowed them. Without, none is run, and what they decide stays undecided.
    pub may_run: bool,
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
    let is_checkable = needs_seat(anchor) || !checkable(anchor).is_empty();
    is_checkable.then(|| heard(run, turn, &SeatName::new(RULES), RULES))
}

/// The items of an anchor that a program can check.
pub fn checkable(anchor: &Anchor) -> Vec<(RequirementLevel, Rule)> {
    anchor.items().into_iter().filter(|(_, rule)| rule.test != Test::Semantic).collect()
}

/// The items of an anchor that only somebody with an opinion can decide.
pub fn semantic(anchor: &Anchor) -> Vec<(RequirementLevel, Rule)> {
    anchor.items().into_iter().filter(|(_, rule)| rule.test == Test::Semantic).collect()
}

/// What is put to the vote beside a judge's usual answer, in loops whose judges have one.
pub(crate) fn ballot(run: &Run) -> Ballot {
    let items = run.anchor().map(semantic).unwrap_or_default();
    Ballot::of(items.iter().map(|(level, rule)| (*level, rule)))
}

/// Whether a seat gets a ballot: where something is put to the vote, and where it has to be seen whether a judge looks.
pub(crate) fn is_balloted(run: &Run, ballot: &Ballot, seat: &SeatName) -> bool {
    !run.spec().is_measured(seat) && (!ballot.is_empty() || run.spec().is_controlled(seat))
}

/// A ballot as it is put to a seat.
pub(crate) fn put(run: &Run, ask: &Ask, ballot: &Ballot, draft: Option<&Draft>) -> [Part; 2] {
    match draft.filter(|_| run.spec().is_controlled(&ask.seat)) {
        Some(draft) => ballot.attended_parts(Content::Blob(draft.content), drawn(run, ask.round, &ask.seat, &ask.task)),
        None => ballot.parts(),
    }
}

/// What a judge votes. The error is also one who has not looked.
pub(crate) fn cast(
    run: &Run,
    turn: &Turn,
    ballot: &Ballot,
    draft: &Draft,
    lines: &[BallotLine],
    exhibits: &Exhibits,
) -> Result<BallotReading, Misfit> {
    if !is_balloted(run, ballot, &turn.seat) {
        return Ok(BallotReading::default());
    }
    let text = exhibits.text(&draft.content).unwrap_or_default();
    let is_last = turn.attempt > run.spec().max_retries;
    if !run.spec().is_controlled(&turn.seat) {
        return ballot.read(lines, text, is_last);
    }
    let seed = drawn(run, turn.round, &turn.seat, &turn.task);
    ballot.attended(text, ballot::seed(&[&seed.0, &turn.attempt.to_le_bytes()])).read(lines, text, is_last)
}

/// What the items of known truth in a call are drawn from, before its attempts are told apart.
fn drawn(run: &Run, round: crate::Round, seat: &SeatName, task: &str) -> Digest {
    let round = round.0.to_le_bytes();
    ballot::seed(&[run.spec().origin().0.as_bytes(), &round, seat.as_str().as_bytes(), task.as_bytes()])
}

/// Whether a draft holds, where there is something to hold it against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    NoAnchor,
    All(AllMet),
    /// What is not met, in a sentence.
    Open(String),
}

/// How every item of the anchor stands for the draft of `turn`, by the rules' own seat and by these judges. In loops
/// where nobody can justify a SHOULD, it is a warning.
pub(crate) fn items(run: &Run, turn: &Turn, judges: &[(String, &Verdict)]) -> Vec<JudgedItem> {
    let Some(anchor) = run.anchor() else { return Vec::new() };
    let mut items = match verdict(run, turn) {
        Some(Heard::Said(verdict)) => checked(anchor, Ok(verdict)),
        Some(Heard::Failed(why)) => checked(anchor, Err(&why)),
        Some(Heard::Ask(_)) => checked(anchor, Err("it was not checked")),
        None => Vec::new(),
    };
    let voters: Vec<(String, &[Vote])> =
        judges.iter().map(|(voter, verdict)| (voter.clone(), verdict.votes.as_slice())).collect();
    items.extend(opinions(run, &voters, None));
    if let Some((_, draft)) = turn.drafts().last() {
        run.take_person_votes(draft.id, &mut items);
    }
    for item in items.iter_mut().filter(|item| item.level == RequirementLevel::Should) {
        item.justified = item.state == ItemState::Broken;
    }
    items
}

/// How the items that need an opinion stand after these votes, and after what a person decided of this draft.
pub(crate) fn opinions(run: &Run, voters: &[(String, &[Vote])], draft: Option<DraftId>) -> Vec<JudgedItem> {
    let ballot = ballot(run);
    let count = |name: &str| ballot::count(name, voters, Quorum(1));
    let judged = ballot.items().iter().map(|item| {
        let (state, why) = count(&item.name);
        JudgedItem { level: item.level, item: item.name.clone(), state, why, justified: false }
    });
    let mut items: Vec<JudgedItem> = judged.collect();
    if let Some(draft) = draft {
        run.take_person_votes(draft, &mut items);
    }
    for item in items.iter_mut().filter(|item| item.level == RequirementLevel::Should) {
        item.justified = item.state == ItemState::Broken;
    }
    items
}

/// Whether every item is met.
pub(crate) fn held(run: &Run, turn: &Turn, judges: &[(String, &Verdict)]) -> Held {
    let items = items(run, turn, judges);
    if items.is_empty() {
        return Held::NoAnchor;
    }
    match AllMet::of(&items) {
        Ok(all) => Held::All(all),
        Err(open) => Held::Open(open.told().unwrap_or_default()),
    }
}

/// How the items that a program checks stand, by what the rules' own seat said. It says so of each; in logs from before
/// there were ballots it named those that are broken.
pub(crate) fn checked(anchor: &Anchor, said: Result<&Verdict, &str>) -> Vec<JudgedItem> {
    let stand = |item: &str| match said {
        Err(why) => (ItemState::Undecided, Some(why.to_owned())),
        Ok(verdict) if verdict.votes.is_empty() => {
            let broken = verdict.must_fixes().find(|finding| finding.target.as_deref() == Some(item));
            broken.map_or((ItemState::Met, None), |finding| (ItemState::Broken, Some(finding.text.clone())))
        }
        Ok(verdict) => ballot::count(item, &[(RULES.into(), verdict.votes.as_slice())], Quorum(1)),
    };
    let judged = checkable(anchor).into_iter().map(|(level, rule)| {
        let (state, why) = stand(rule.name());
        JudgedItem { level, item: rule.name().to_owned(), state, why, justified: false }
    });
    judged.collect()
}

/// What `seat` says of the draft of `turn`.
pub(crate) fn heard<'r>(run: &'r Run, turn: &Turn, seat: &SeatName, task: &str) -> Heard<'r> {
    let task = match run.reanchorings() {
        0 => format!("{task}:{}", turn.id),
        // What was said under another anchor is void.
        anchor => format!("{task}:{}@{anchor}", turn.id),
    };
    // A panel that speaks in one stream has one turn for several rounds; everybody else drafts in the round it is for. A
    // draft of an earlier round may be judged again later: who has not answered is asked in the round that is open.
    let now = run.rounds().last().map_or(turn.round, |state| state.round);
    let asked = run.turns().iter().rev().find(|asked| asked.seat == *seat && asked.task == task);
    let is_answered = |asked: &&Turn| asked.said().is_some();
    let round = if turn.heard.is_some() { now } else { asked.filter(is_answered).map_or(now, |asked| asked.round) };
    match run.slot(round, seat, &task) {
        Slot::Answered { said: Said::Verdict(verdict), .. } => Heard::Said(verdict),
        Slot::Exhausted { error, .. } => Heard::Failed(format!("{seat} could not judge it: {error}")),
        Slot::Open { .. } | Slot::InFlight | Slot::Answered { .. } => Heard::Ask(Ask::new(round, seat.clone(), task)),
    }
}

/// The turn that a call is about.
pub(crate) fn subject_of(task: &str) -> Option<TurnId> {
    let turn = task.split_once(':')?.1;
    turn.split('@').next()?.parse().ok().map(TurnId)
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
    is_measured || anchor.items().iter().any(|(_, rule)| rule.command().is_some() || looks_at_files(rule))
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
    Some(RulesInput { anchor: Box::new(anchor.clone()), draft, may_run: run.spec().trial().may_run_commands(run) })
}

/// For the program that runs commands and looks at files.
pub(crate) fn prompt(run: &Run, ask: &Ask) -> Prompt {
    let mut parts = vec![Part::Text(format!("Seat: {}\nDraft: {}", ask.seat, run.spec().subject()))];
    if let Some(RulesInput { anchor, draft, .. }) =
        run.anchor().and_then(|anchor| input(run, anchor, &ask.task, ask.round))
    {
        parts.extend([shown(&anchor), Part::Material { label: DRAFT, content: Content::Blob(draft) }]);
    }
    Prompt { template: "rules", parts }
}

/// The texts that an objection is held against.
pub(crate) fn exhibits(run: &Run, turn: &Turn) -> Vec<Digest> {
    judged(run, &turn.task, turn.round).map(|draft| draft.content).into_iter().collect()
}

/// What the rules' own seat says, of every rule that it can check: less would be a pass that nobody gave.
pub(crate) fn read(run: &Run, turn: &Turn, answer: &str) -> Result<Reading, Misfit> {
    let RulesAnswer { votes, measured, noise, .. } = crate::answer::own(answer)?;
    let draft = judged(run, &turn.task, turn.round).ok_or_else(nothing_to_judge)?;
    let items = run.anchor_of(turn).map(checkable).unwrap_or_default();
    let missing = items.iter().find(|(_, rule)| votes.iter().filter(|vote| vote.item == rule.name()).count() != 1);
    if let Some((_, rule)) = missing {
        return Err(Misfit::NotOurs(format!("it must answer once for `{}`", rule.name())));
    }
    let mut complaints = Ballot::of(items.iter().map(|(level, rule)| (*level, rule))).complaints(&votes);
    let unmeasured = votes.iter().find(|vote| vote.item == MEASURE && vote.says == VoteWord::Broken);
    complaints.extend(unmeasured.map(|vote| Complaint {
        target: Some(MEASURE.to_owned()),
        ..Complaint::must_fix(vote.why.clone().unwrap_or_else(|| "nothing could be measured".into()))
    }));
    let noise =
        noise.map(|noise| Dim { name: "noise".into(), score: Some(Score::from_f64(noise)), note: String::new() });
    let verdict = Verdict {
        score: measured.map(Score::from_f64),
        dims: noise.into_iter().collect(),
        ..verdict_of(run, turn, draft, complaints, votes)
    };
    Ok(Reading { said: Said::Verdict(verdict), blobs: Vec::new() })
}

/// What a judge says of the items of a ballot.
pub(crate) fn read_ballot(
    run: &Run,
    turn: &Turn,
    ballot: &Ballot,
    answer: &str,
    exhibits: &Exhibits,
) -> Result<Reading, Misfit> {
    let draft = run.spec().trial().judged(run, &Ask::of(turn)).ok_or_else(nothing_to_judge)?;
    let BallotAnswer { ballot: lines, .. } = crate::answer::read(answer)?;
    let BallotReading { votes, corrections } = cast(run, turn, ballot, draft, &lines, exhibits)?;
    let complaints = ballot.complaints(&votes);
    let verdict = Verdict { corrections, ..verdict_of(run, turn, draft, complaints, votes) };
    Ok(Reading { said: Said::Verdict(verdict), blobs: Vec::new() })
}

fn verdict_of(run: &Run, turn: &Turn, draft: &Draft, complaints: Vec<Complaint>, votes: Vec<Vote>) -> Verdict {
    let findings = run.findings().identify(run.spec().run, &turn.seat, complaints);
    let is_broken = findings.iter().any(|finding| !finding.contested && finding.severity == Severity::MustFix);
    let judgement = match votes.iter().all(|vote| vote.says != VoteWord::CannotTell) {
        _ if is_broken => Judgement::Fail,
        true => Judgement::Pass,
        false => Judgement::Abstain,
    };
    Verdict { findings, votes, ..Verdict::new(draft.id, judgement) }
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

/// Asks for an opinion on a draft, on these items alone.
pub(crate) fn opinion(subject: &str, seat: &SeatName, [items, how]: [Part; 2], draft: Option<Content>) -> Prompt {
    let mut parts = vec![Part::Text(format!(
        "Seat: {seat}\nDraft: {subject}\n\nYou judge whether a draft holds, item by item, and nothing else."
    ))];
    parts.extend([items, Part::Break]);
    parts.extend(draft.map(|content| Part::Material { label: DRAFT, content }));
    parts.push(Part::ForPerson(format!("Please judge `{subject}`, item by item.")));
    parts.push(how);
    parts.push(Part::answer_form::<BallotAnswer>());
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

/// A command in one line, for whoever has to allow it: where a word ends can be seen, and nothing in it hides.
pub fn command_line(argv: &[String]) -> String {
    let is_plain =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c));
    let shown = |word: &String| if is_plain(word) { word.clone() } else { format!("{word:?}") };
    argv.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// The commands that an anchor would run, a line each.
pub fn commands(anchor: &Anchor) -> Vec<String> {
    let rules = anchor.items();
    let of_rules = rules.iter().filter_map(|(_, rule)| rule.command()).map(|command| command_line(&command.argv));
    let measure = match anchor {
        Anchor::Goal(goal) => goal.measure.as_ref().map(|measure| command_line(&measure.command)),
        _ => None,
    };
    of_rules.chain(measure).collect()
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
