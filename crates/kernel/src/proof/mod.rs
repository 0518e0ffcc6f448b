//! A proof: what a run decided about what, and on what grounds, for somebody who does not have the run.
//!
//! It is an in-toto statement. Everything in it follows from the run's log ([`ProofPredicate::of`]), so whoever gets the log
//! with it can say whether it does.
//!
//! | file | noun |
//! |---|---|
//! | `statement` | the forms that in-toto gives: a statement, its subjects, a test result |

mod statement;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::ballot::VoteWord;
use crate::desk::desk_of;
use crate::evidence::{CommandEvidence, Evidence, EvidenceCode, RunSeen};
use crate::judge::judge_of;
use crate::run::RoundState;
use crate::share::shares;
use crate::waiver::Waiver;
use crate::{Binding, Digest, Outcome, Round, Run, RunSpec, Said, SeatName, Turn, TurnState, Verdict};

pub use statement::{
    GIT_COMMIT, GIT_TREE, ProofSubject, SHA256, STATEMENT_TYPE, Statement, TEST_RESULT_TYPE, TestOutcome, TestResult,
    TestResultConfiguration,
};

/// What says of a statement that its predicate is ours.
pub const PROOF_TYPE: &str = "urn:tribunal:proof:v1";

/// What is waived where a change is judged by its own settings.
const SETTINGS_OF_CHANGE: &str = "settings_of_change";

/// Names of fields that have the end of what a command printed: nobody knows what is in there.
const PRINTED: [&str; 2] = ["tail", "printed"];

/// What a run decided, and on what grounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofPredicate {
    /// The version of the program that opened the run; older runs do not say.
    pub version: Option<String>,
    pub run: String,
    /// `review`, `joust`, `desk`, `theater` or `judge`.
    pub r#loop: String,
    /// What the run is about, in its own words: an asset, a file, a range of commits.
    pub about: String,
    pub opened: String,
    pub closed: String,
    /// How it ended: `shipped`, `converged`, `below_threshold`, …
    pub outcome: String,
    /// Whether the work was judged and passed.
    pub passed: bool,
    pub reason: String,
    pub log: ProofSeal,
    /// The SHA-256 of the brief.
    pub brief: String,
    pub seats: Vec<ProofSeat>,
    /// What every round amounted to, and what was decided.
    pub rounds: Vec<Value>,
    /// Every judgement that counted, with its votes, quotes and findings as the log has them.
    pub verdicts: Vec<ProofVerdict>,
    /// How judges did on drafts with planted faults.
    pub controls: Vec<String>,
    /// What was run, on which trees, and how it ended.
    pub receipts: Vec<ProofReceipts>,
    /// What was measured or demanded, and a person lets stand; what a person let the change alter.
    pub waivers: Vec<ProofWaiver>,
    /// What people decided in the place of judges.
    pub decided_by_people: Vec<Value>,
    /// The SHA-256 of everything that people told the run while it went on.
    pub directives: Vec<String>,
    /// What each seat used, and all of them together.
    pub costs: ProofCosts,
    /// The log, line by line as it is kept: it leads to `log.head`. Left out, everything above is a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Texts that the log cites, by their SHA-256: with them, answers can be read again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<String, String>,
}

/// Where a log begins and ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofSeal {
    /// How many events there are.
    pub events: u64,
    /// The hash of the last line, which vouches for all lines before it.
    pub head: String,
    /// The hash of the first line, which has the whole run spec.
    pub spec: String,
}

/// Who sat where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofSeat {
    pub seat: String,
    pub agent: String,
    /// `claude`, `http`, `command`, `house`, …; built-in agents have none.
    pub kind: Option<String>,
    pub model: Option<String>,
    pub effort: Option<String>,
    /// The SHA-256 of what its prompts begin with.
    pub persona: Option<String>,
    /// A program of ours, which measures and has no opinion.
    pub measured: bool,
    /// It was shown drafts with planted faults.
    pub controlled: bool,
}

/// A judgement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofVerdict {
    pub turn: u32,
    pub round: u32,
    pub seat: String,
    /// The SHA-256 of what it was told.
    pub prompt: String,
    /// The SHA-256 of what it answered.
    pub answer: String,
    /// What that means, as the log has it.
    pub verdict: Value,
}

/// What was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofReceipts {
    pub turn: u32,
    pub round: u32,
    /// The tree that the work is held against, and the work, as git names them.
    pub base: Option<String>,
    pub head: Option<String>,
    pub commands: Vec<ProofCommand>,
    /// Everything else that was seen, as the log has it, without what was printed.
    pub evidence: Option<Value>,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofCommand {
    pub check: String,
    pub line: String,
    /// Where it ran: a commit, a tree, or the role of one.
    pub on: String,
    pub exit: Option<i32>,
    pub passed: bool,
    /// The SHA-256 of everything that it printed.
    pub output: String,
}

/// Something that does not hold the gate, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProofWaiver {
    pub code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    pub why: String,
}

/// What it cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofCosts {
    pub tokens: u64,
    /// Millionths of a dollar.
    pub usd_micros: u64,
    pub seats: Vec<Value>,
}

/// Why there is nothing to prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unprovable {
    #[error("the run has not ended")]
    Open,
    #[error("the run handed nothing over: there is nothing that a proof could be about")]
    NoSubject,
}

impl ProofPredicate {
    /// What follows from a run that has ended. `hashes` are those of its log's first and last line.
    pub fn of(run: &Run, [first, last]: [Digest; 2]) -> Result<Self, Unprovable> {
        let end = run.end().ok_or(Unprovable::Open)?;
        let spec = run.spec();
        Ok(Self {
            version: spec.version.clone(),
            run: spec.run.to_string(),
            r#loop: spec.kind().to_string(),
            about: spec.subject().to_owned(),
            opened: run.opened().to_string(),
            closed: end.at.to_string(),
            outcome: end.outcome.to_string(),
            passed: end.outcome.is_pass() && end.outcome != Outcome::Legacy,
            reason: end.reason.clone(),
            log: ProofSeal { events: run.seq().0, head: last.to_string(), spec: first.to_string() },
            brief: spec.brief.to_string(),
            seats: seats(run),
            rounds: rounds(run),
            verdicts: run.turns().iter().flat_map(verdicts).collect(),
            controls: run.controls_told(),
            receipts: run.turns().iter().filter_map(receipts).collect(),
            waivers: waivers(spec),
            decided_by_people: run.person_votes().iter().map(|vote| json!(vote)).collect(),
            directives: run.directives().iter().map(|given| Digest::of(&given.text).to_string()).collect(),
            costs: costs(run),
            lines: None,
            texts: BTreeMap::new(),
        })
    }

    /// The same without what is only there to be looked at again.
    pub fn claims(&self) -> Self {
        Self { lines: None, texts: BTreeMap::new(), ..self.clone() }
    }

    /// The same as a test result of in-toto's.
    pub fn test_result(&self) -> TestResult {
        let (mut passed, mut failed) = (Vec::new(), Vec::new());
        for command in self.receipts.last().iter().flat_map(|receipts| &receipts.commands) {
            let name = format!("{} ({})", command.line, command.on);
            if command.passed { &mut passed } else { &mut failed }.push(name);
        }
        let open = self.rounds.last().and_then(|round| round.get("open")).and_then(Value::as_array);
        let name = |item: &Value| item.get("item").and_then(Value::as_str).map(str::to_owned);
        let open: Vec<String> = open.into_iter().flatten().filter_map(name).collect();
        let last_round = self.verdicts.last().map(|verdict| verdict.round);
        for verdict in self.verdicts.iter().filter(|verdict| Some(verdict.round) == last_round) {
            let votes = verdict.verdict.get("votes").and_then(Value::as_array).into_iter().flatten();
            for vote in votes.filter(|vote| vote.get("says") == Some(&json!(VoteWord::Met))) {
                passed.extend(name(vote).filter(|item| !open.contains(item)));
            }
        }
        failed.extend(open);
        let warned = self.waivers.iter().map(|waiver| format!("{} (waived)", waiver.code)).collect();
        let list = |mut names: Vec<String>| {
            names.sort_unstable();
            names.dedup();
            names
        };
        TestResult {
            result: if self.passed { TestOutcome::Passed } else { TestOutcome::Failed },
            configuration: vec![
                TestResultConfiguration::new("run spec", &self.log.spec),
                TestResultConfiguration::new("brief", &self.brief),
                TestResultConfiguration::new("log", &self.log.head),
            ],
            passed_tests: list(passed),
            warned_tests: list(warned),
            failed_tests: list(failed),
        }
    }
}

/// What a proof of a run is about: the artifact that it handed over, or the commit that it judged.
pub fn subjects(run: &Run) -> Result<Vec<ProofSubject>, Unprovable> {
    run.end().ok_or(Unprovable::Open)?;
    if let Some(judge) = judge_of(run.spec()) {
        return Ok(vec![ProofSubject::git(&judge.name, &judge.head)]);
    }
    if let Some(desk) = desk_of(run.spec()) {
        let work = run.turns().iter().rev().find_map(|turn| match turn.said() {
            Some(Said::Checked(receipts)) => receipts.commit.clone(),
            _ => None,
        });
        let commit = work.ok_or(Unprovable::NoSubject)?;
        return Ok(vec![ProofSubject::git(&desk.slug, &commit)]);
    }
    let draft = run.last_work().ok_or(Unprovable::NoSubject)?;
    let name = format!("{}.{}", run.spec().subject(), draft.format.extension());
    Ok(vec![ProofSubject::artifact(&name, draft.content)])
}

fn seats(run: &Run) -> Vec<ProofSeat> {
    let spec = run.spec();
    let seat = |(seat, binding): (&SeatName, &Binding)| {
        let said = |key: &str| spec.agents.get(&binding.agent)?.0.get(key)?.as_str().map(str::to_owned);
        ProofSeat {
            seat: seat.to_string(),
            agent: binding.agent.clone(),
            kind: said("kind"),
            model: binding.model.clone().or_else(|| said("model")),
            effort: binding.effort.clone().or_else(|| said("effort")),
            persona: binding.persona.as_ref().map(|persona| Digest::of(persona).to_string()),
            measured: spec.is_measured(seat),
            controlled: spec.is_controlled(seat),
        }
    };
    spec.seats.iter().map(seat).collect()
}

fn rounds(run: &Run) -> Vec<Value> {
    let round = |state: &RoundState| {
        let tally = state.tally.as_deref();
        json!({
            "round": state.round,
            "composite": tally.map(|tally| tally.composite),
            "mustFix": tally.map(|tally| tally.must_fix),
            "open": tally.map(|tally| &tally.open),
            "decision": state.closed.as_ref().map(|(_, decision)| decision),
        })
    };
    run.rounds().iter().map(round).collect()
}

/// What a turn judged; one that speaks for several seats has a verdict of each, in every round.
fn verdicts(turn: &Turn) -> Vec<ProofVerdict> {
    let TurnState::Answered { said, raw, .. } = &turn.state else { return Vec::new() };
    let given = |round: Round, seat: &SeatName, verdict: &Verdict| ProofVerdict {
        turn: turn.id.0,
        round: round.0,
        seat: seat.to_string(),
        prompt: turn.prompt.to_string(),
        answer: raw.to_string(),
        verdict: json!(verdict),
    };
    let Some(heard) = &turn.heard else {
        return said.verdict().map(|verdict| given(turn.round, &turn.seat, verdict)).into_iter().collect();
    };
    let rounds = (1..=heard.latest_round().map_or(0, |round| round.0)).map(Round);
    rounds.flat_map(|round| heard.verdicts(round).map(move |(seat, verdict)| given(round, seat, verdict))).collect()
}

fn receipts(turn: &Turn) -> Option<ProofReceipts> {
    let (base, head, commands, evidence) = match turn.said()? {
        Said::Collected(evidence) => {
            (Some(evidence.base.clone()), Some(evidence.head.clone()), seen(evidence), Some(&**evidence))
        }
        Said::Checked(receipts) => {
            let commands = receipts.receipts.iter().map(|receipt| ProofCommand {
                check: receipt.check.clone(),
                line: receipt.line.clone(),
                on: receipt.tree.clone(),
                exit: receipt.exit,
                passed: receipt.has_passed(),
                output: receipt.output.to_string(),
            });
            let evidence = receipts.evidence.as_deref();
            let base = evidence.map(|evidence| evidence.base.clone());
            (base, receipts.commit.clone(), commands.collect(), evidence)
        }
        _ => return None,
    };
    let evidence = evidence.map(|evidence| unprinted(json!(evidence)));
    Some(ProofReceipts { turn: turn.id.0, round: turn.round.0, base, head, commands, evidence })
}

fn seen(evidence: &Evidence) -> Vec<ProofCommand> {
    let of = |command: &CommandEvidence| -> Vec<ProofCommand> {
        let run = |seen: &RunSeen| ProofCommand {
            check: command.command.id.clone(),
            line: command.command.line.clone(),
            on: json!(seen.tree).as_str().map_or_else(|| json!(seen.tree).to_string(), str::to_owned),
            exit: seen.exit,
            passed: seen.is_green(),
            output: seen.output.to_string(),
        };
        command.runs.iter().map(run).collect()
    };
    evidence.commands.iter().flat_map(of).collect()
}

/// The same without what was printed.
fn unprinted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(key, _)| !PRINTED.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| (key, unprinted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(unprinted).collect()),
        value => value,
    }
}

/// What a person waived, and what a person allowed the change that is judged.
fn waivers(spec: &RunSpec) -> Vec<ProofWaiver> {
    let waived = spec.waivers.iter().map(|Waiver { code, target, why }| ProofWaiver {
        code: code.clone(),
        target: target.clone(),
        why: why.clone(),
    });
    let judge = judge_of(spec);
    let altered = judge.into_iter().flat_map(|judge| &judge.may_change).map(|path| ProofWaiver {
        code: EvidenceCode::ChecksTampered.as_str().to_owned(),
        target: Some(path.clone()),
        why: "a person lets the change alter it (`may_change`)".to_owned(),
    });
    let own = judge.filter(|judge| judge.as_changed).map(|judge| {
        let keys = judge.unheeded.join("`, `");
        let keys = if keys.is_empty() { keys } else { format!(": `{keys}`") };
        ProofWaiver {
            code: SETTINGS_OF_CHANGE.to_owned(),
            target: None,
            why: format!(
                "a person lets the settings count that the change itself brings along (`--use-changed-config`){keys}"
            ),
        }
    });
    waived.chain(altered).chain(own).collect()
}

fn costs(run: &Run) -> ProofCosts {
    let spent = run.budget().spent;
    ProofCosts {
        tokens: spent.tokens,
        usd_micros: json!(spent.usd).as_u64().unwrap_or_default(),
        seats: shares(run).iter().map(|share| json!(share)).collect(),
    }
}
