//! Loop 5, judge: a change that somebody made is tried in one round by what can be run. Nobody drafts.
//!
//! | file | noun |
//! |---|---|
//! | `def` | what the loop is called, needs, shows and writes |
//! | `asked` | what the change is asked to do, item by item |
//! | `verifying` | whether it does, by the ballots of verifiers |
//! | `stop` | an agent that says it is done, and what it is told |
//!
//! What is run, on which trees, and what follows from it is said in [`crate::evidence`].

pub mod asked;
mod def;
mod stop;
mod verifying;

use serde::{Deserialize, Serialize};

use crate::answer::{self, Misfit};
use crate::evidence::{Evidence, EvidenceCode, EvidenceCommand, EvidenceFinding, EvidenceWeight, MayChange};
use crate::input::TurnInput;
use crate::prompt::{Part, Prompt};
use crate::spec::RunSpec;
use crate::trial::{Ask, Exhibits, Outlook, Reading, Step, Trial};
use crate::{Decision, Digest, Draft, Outcome, Round, Run, Said, Score, SeatName, Slot, Tally, Turn, rules};

pub use def::{DEF, KEYS};
pub use stop::{STOPS_VERSION, Stop, StopEnd, StopFinding, Stops};
pub use verifying::{AskedItem, SeatVote, asked_of};

/// The seat that no model takes: it runs what can be run.
pub const EVIDENCE: &str = "evidence";
/// What it is asked.
pub const COLLECT: &str = "collect";
/// The seat that votes where nobody says who does.
pub const VERIFIER: &str = "verifier";
/// What verifiers are asked.
pub const VERIFY: &str = "verify";
/// The same once more, in reverse order, of whoever alone would let it pass.
pub const REVERIFY: &str = "reverify";

/// So many findings are told in the reason of a decision.
const TOLD: usize = 3;

/// What is judged, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The change, for people: `main..HEAD`, `uncommitted`.
    pub name: String,
    /// What it is held against, and what it is: commits or trees, as git names them.
    pub base: String,
    pub head: String,
    pub commands: Vec<EvidenceCommand>,
    /// Tests and files that steer them which a person lets the change alter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_change: Vec<String>,
    /// How many changed lines are broken, one at a time, to see whether the checks notice.
    pub mutants: u32,
    /// How long one run of one command may take.
    pub check_timeout_ms: u64,
    /// Whether commands may use the network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// Folders that git ignores and that were there for the commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carry: Vec<String>,
    /// What made the rest that git does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Who votes on whether the change does what it is asked to, which is the run's anchor. Nobody: what was run decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verifiers: Vec<SeatName>,
    /// So many equal votes decide an item.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub quorum: u32,
    /// The change as a patch, for those who vote on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Draft>,
    /// It is longer than what they are shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// Settings that the change brings along, or found and took away, by their keys. They did not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unheeded: Vec<String>,
    /// They did count: a person said so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_changed: bool,
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

/// A change, and the commands that are to prove it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectInput {
    pub base: String,
    pub head: String,
    pub commands: Vec<EvidenceCommand>,
    pub may_change: MayChange,
    /// What our own tests are called, and which lines are broken first. Nobody who made the change knows it.
    pub seed: Digest,
    pub mutants: u32,
    pub check_timeout_ms: u64,
}

/// The settings of a run, if it judges a change.
pub fn judge_of(spec: &RunSpec) -> Option<&Settings> {
    spec.settings_of()
}

/// What was seen of the change, once it was looked at.
pub fn evidence_of(run: &Run) -> Option<&Evidence> {
    match collected(run)?.said()? {
        Said::Collected(evidence) => Some(evidence),
        _ => None,
    }
}

/// The turn that looked at the change.
fn collected(run: &Run) -> Option<&Turn> {
    run.turns().iter().rev().find(|turn| matches!(turn.said(), Some(Said::Collected(_))))
}

/// Whether nothing could be run for want of packages. Somebody may have brought them since: it is tried again when asked.
pub fn lacked_packages(run: &Run) -> bool {
    run.end().is_some_and(|end| end.outcome == Outcome::NeedsHuman)
        && evidence_of(run).is_some_and(|evidence| {
            evidence.findings.iter().any(|finding| finding.code == EvidenceCode::PackagesMissing)
        })
}

impl Settings {
    /// What a reader has to know of settings that the change brings along.
    fn told(&self) -> String {
        if self.unheeded.is_empty() {
            return String::new();
        }
        let named: Vec<String> = self.unheeded.iter().take(TOLD).map(|key| format!("`{key}`")).collect();
        let more = self.unheeded.len().saturating_sub(TOLD);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = named.join(", ");
        if self.as_changed {
            format!("; judged by settings that the change itself brings along, as a person allowed: {named}{more}")
        } else {
            format!("; the change also sets {named}{more}, which did not count here: read that before you take it over")
        }
    }
}

impl Trial for Settings {
    fn subject(&self) -> &str {
        &self.name
    }

    fn main_seat(&self) -> &str {
        EVIDENCE
    }

    fn seats(&self) -> Vec<&str> {
        self.verifiers.iter().map(SeatName::as_str).collect()
    }

    fn judges(&self) -> Vec<&str> {
        self.seats()
    }

    fn judged<'r>(&self, run: &'r Run, ask: &Ask) -> Option<&'r Draft> {
        is_vote(&ask.task).then(|| verifying::change_of(run)).flatten()
    }

    fn exhibits(&self, _: &Run, turn: &Turn) -> Vec<Digest> {
        self.change.iter().filter(|_| is_vote(&turn.task)).map(|change| change.content).collect()
    }

    fn standing<'r>(&self, run: &'r Run, _: Round) -> Option<&'r Draft> {
        verifying::change_of(run)
    }

    fn cites(&self) -> Vec<Digest> {
        self.change.iter().map(|change| change.content).collect()
    }

    fn next(&self, run: &Run) -> Step {
        let decision = run.decision();
        if let (true, Some(outcome)) = (decision.is_settled(), decision.outcome) {
            return Step::End { outcome, reason: decision.reason.clone().unwrap_or_default() };
        }
        let round = match run.rounds().last() {
            None => return Step::Open(Round(1)),
            Some(state) if state.closed.is_some() => return Step::Open(state.round.next()),
            Some(state) => state.round,
        };
        let seat = SeatName::new(EVIDENCE);
        match run.slot(round, &seat, COLLECT) {
            Slot::Answered { turn, said: Said::Collected(evidence) } => {
                let (decision, tally) = decide(self, round, evidence);
                // Nobody is paid for an opinion on what does not hold anyway.
                if decision.outcome != Some(Outcome::Converged) || self.verifiers.is_empty() {
                    return Step::Close { round, decision, tally: Some(Box::new(tally)) };
                }
                match verifying::items(self, run, turn, true) {
                    Ok(items) => verifying::decide(self, run, (turn, &items), (decision, tally), round),
                    Err(first) => first,
                }
            }
            Slot::Exhausted { error, .. } => {
                Step::End { outcome: Outcome::Failed, reason: format!("nothing could be tried: {}", error.message) }
            }
            Slot::Open { .. } | Slot::InFlight | Slot::Answered { .. } => {
                Step::Ask(vec![Ask::new(round, seat, COLLECT)])
            }
        }
    }

    fn prompt(&self, run: &Run, ask: &Ask) -> Prompt {
        if is_vote(&ask.task) {
            return verifying::prompt(self, run, ask);
        }
        let commands: Vec<String> = self.commands.iter().map(|command| format!("\n- {}", command.line)).collect();
        let text =
            format!("Seat: {}\nBase: {}\nHead: {}\nCommands:{}", ask.seat, self.base, self.head, commands.concat());
        Prompt { template: "judge_collect", parts: vec![Part::Text(text)] }
    }

    fn input(&self, run: &Run, ask: &Ask) -> Option<TurnInput> {
        let is_collected = ask.task == COLLECT;
        is_collected.then(|| {
            TurnInput::Collect(CollectInput {
                base: self.base.clone(),
                head: self.head.clone(),
                commands: self.commands.clone(),
                may_change: MayChange(self.may_change.clone()),
                seed: Digest::of(format!("evidence for run {}", run.spec().run)),
                mutants: self.mutants,
                check_timeout_ms: self.check_timeout_ms,
            })
        })
    }

    fn read(&self, run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
        if is_vote(&turn.task) {
            return rules::read_ballot(run, turn, &verifying::ballot_of(run, &turn.task), answer, exhibits);
        }
        let evidence: Evidence = answer::own(answer)?;
        Ok(Reading { said: Said::Collected(Box::new(evidence)), blobs: Vec::new() })
    }

    fn outlook(&self, done: u32) -> Outlook {
        let left = 1u32.saturating_sub(done);
        let all = [SeatName::new(EVIDENCE)].into_iter().chain(self.verifiers.iter().cloned());
        // What would pass is counted again by one of them.
        let again = self.verifiers.first().filter(|_| self.quorum < 2).map(|seat| (seat.clone(), left));
        Outlook::new(1, all.map(|seat| (seat, left)).chain(again))
    }
}

/// Whether a call asks for a vote.
fn is_vote(task: &str) -> bool {
    matches!(task.split(':').next(), Some(VERIFY | REVERIFY))
}

/// A change holds if nothing speaks against it, and something was there that could have.
fn decide(settings: &Settings, round: Round, evidence: &Evidence) -> (Decision, Tally) {
    let against: Vec<&EvidenceFinding> =
        evidence.findings.iter().filter(|finding| finding.weight == EvidenceWeight::Fails).collect();
    let must_fix = u32::try_from(against.len()).unwrap_or(u32::MAX);
    let is_empty = evidence.commands.is_empty();
    let decision = if is_empty {
        Decision::terminal(Outcome::NeedsHuman, round, "no command was run, so nothing was shown")
    } else if !against.is_empty() && against.iter().all(|finding| finding.code == EvidenceCode::PackagesMissing) {
        Decision::terminal(Outcome::NeedsHuman, round, told(&against))
    } else if against.is_empty() && evidence.holds() {
        // Whoever reads "holds" has to know that nothing but an exit code says so.
        let weaker = evidence
            .findings
            .iter()
            .filter(|finding| finding.weight == EvidenceWeight::Weakens || finding.code == EvidenceCode::ExitOnly);
        let reason = match told(&weaker.collect::<Vec<_>>()) {
            weaker if weaker.is_empty() => "every check holds".to_owned(),
            weaker => format!("every check holds; it would show more without this: {weaker}"),
        };
        Decision::terminal(Outcome::Converged, round, reason)
    } else {
        Decision::terminal(Outcome::Blocked, round, told(&against))
    };
    let decision = Decision { reason: decision.reason.map(|reason| reason + &settings.told()), ..decision };
    let composite = if decision.outcome == Some(Outcome::Converged) { Score::points(1) } else { Score::ZERO };
    (decision, Tally { composite, must_fix, missing: Vec::new(), open: Vec::new(), warnings: Vec::new() })
}

/// The first of them, in a sentence.
fn told(findings: &[&EvidenceFinding]) -> String {
    let named = findings.iter().take(TOLD).map(|finding| format!("{}: {}", finding.code.as_str(), finding.text));
    let more = findings.len().saturating_sub(TOLD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", named.collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::CommandEvidence;
    use serde_json::json;

    fn settings() -> Settings {
        let texts = json!({ "name": "a..b", "base": "a", "head": "b", "commands": [] });
        let numbers = json!({ "mutants": 0, "check_timeout_ms": 1 });
        let both = texts.as_object().into_iter().chain(numbers.as_object()).flatten();
        serde_json::from_value(both.map(|(key, value)| (key.clone(), value.clone())).collect()).unwrap()
    }

    #[test]
    fn settings_of_the_change_are_told_whether_they_counted_or_not() {
        let keys = ["agents.v.command", "judge.checks", "judge.network", "limits.usd"].map(str::to_owned).to_vec();
        let reason =
            |settings: &Settings, commands| decide(settings, Round(1), &evidence(commands, &[])).0.reason.unwrap();
        let mut brought = Settings { unheeded: keys, ..settings() };
        assert_eq!(
            reason(&brought, 1),
            "every check holds; the change also sets `agents.v.command`, `judge.checks`, `judge.network` and 1 more, which did \
             not count here: read that before you take it over"
        );
        assert!(reason(&brought, 0).contains("did not count here"), "whatever comes of it");
        brought.as_changed = true;
        assert!(reason(&brought, 1).contains("as a person allowed: `agents.v.command`"));
        assert_eq!(reason(&settings(), 1), "every check holds");
    }

    fn evidence(commands: usize, findings: &[(EvidenceCode, EvidenceWeight)]) -> Evidence {
        let command = |number: usize| EvidenceCommand::new(format!("C{number}"), "true");
        Evidence {
            base: "a".into(),
            head: "b".into(),
            seed: Digest::of("x"),
            commands: (0..commands).map(|number| CommandEvidence::new(command(number))).collect(),
            touched: Vec::new(),
            inline: Vec::new(),
            not_put_back: Vec::new(),
            test_aware: Vec::new(),
            mutants: Vec::new(),
            rewritten: Vec::new(),
            left_out: Vec::new(),
            findings: findings
                .iter()
                .map(|(code, weight)| EvidenceFinding { code: *code, weight: *weight, command: None, text: "x".into() })
                .collect(),
            elapsed_ms: 1,
        }
    }

    #[test]
    fn a_change_holds_only_if_something_was_run_and_nothing_speaks_against_it() {
        let outcome = |evidence: &Evidence| decide(&settings(), Round(1), evidence).0.outcome.unwrap();
        let (fails, noted) = (EvidenceWeight::Fails, EvidenceWeight::Note);
        assert_eq!(outcome(&evidence(0, &[])), Outcome::NeedsHuman, "nothing was run");
        assert_eq!(outcome(&evidence(1, &[])), Outcome::Converged);
        assert_eq!(outcome(&evidence(1, &[(EvidenceCode::MutantsSurvived, noted)])), Outcome::Converged);
        assert_eq!(outcome(&evidence(1, &[(EvidenceCode::Regressed, fails)])), Outcome::Blocked);
        let missing = (EvidenceCode::PackagesMissing, fails);
        assert_eq!(outcome(&evidence(1, &[missing])), Outcome::NeedsHuman, "nothing is known of the change");
        assert_eq!(outcome(&evidence(2, &[missing, (EvidenceCode::ChecksTampered, fails)])), Outcome::Blocked);
        let exit_only = decide(&settings(), Round(1), &evidence(1, &[(EvidenceCode::ExitOnly, noted)])).0;
        assert_eq!(exit_only.outcome, Some(Outcome::Converged));
        assert!(exit_only.reason.unwrap().contains("exit_only"), "it is said of what holds, too");
        let many = [(EvidenceCode::ChecksTampered, fails); 5];
        let (decision, tally) = decide(&settings(), Round(1), &evidence(1, &many));
        assert_eq!(tally.must_fix, 5);
        assert!(decision.reason.unwrap().ends_with("; and 2 more"));
    }
}
