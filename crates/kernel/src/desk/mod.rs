//! Loop 3, desk: a worker with a fresh context claims, a verifier with a fresh context checks.
//!
//! The files are the only memory, and whatever an agent wrote is read strictly where it moves the loop and kindly
//! everywhere else. Nothing here reads a file: texts come in, nouns come out.
//! A round is an iteration: a survey, one bounded action of the worker, and a verification if it claims something.
//!
//! | file | noun |
//! |---|---|
//! | `prd`, `story`, `criteria`, `criterion`, `named_things` | the contract: stories, what has to be true of them, and what proves it |
//! | `test_spec`, `spec_reader`, `mapping` | the commands that prove it, and which of them proves what |
//! | `command`, `expected`, `named_files` | what is a command, what it is to do, and which files it names |
//! | `memory` | what a worker leaves for the next one, and whether it wants to go on |
//! | `claim`, `signal`, `verdict_file`, `fields` | what the worker claims and the verifier says, field by field |
//! | `receipt` | what the engine saw when it ran the commands itself |
//! | `citation` | what a verifier quotes |
//! | `counts`, `runners`, `junit`, `junit_cases` | how many tests ran, by what the runner said; the tests of a report |
//! | `complaint` | errors that compare equal when they are the same |
//! | `def` | what the loop is called, needs, shows and writes |
//! | `settings`, `routing` | how the desk is run, and which model does the work |
//! | `survey`, `work`, `inspection` | what the desk's own seat, the worker and the verifier bring |
//! | `iteration`, `campaign` | what happened in one, and what follows from all of them |
//! | `input` | what the desk's own seat is sent to do |
//! | `prompts`, `trouble`, `report` | what seats are told, and what people are |
//! | `markdown`, `plain` | lines that know what they are; output without colours |

mod campaign;
mod citation;
mod claim;
mod command;
mod complaint;
mod counts;
mod criteria;
mod criterion;
mod def;
mod expected;
mod fields;
mod input;
mod inspection;
mod iteration;
mod junit;
mod junit_cases;
mod mapping;
pub(crate) mod markdown;
mod memory;
mod named_files;
mod named_things;
mod plain;
mod prd;
mod prompts;
mod receipt;
mod report;
mod routing;
mod runners;
mod settings;
mod signal;
mod spec_reader;
mod story;
mod survey;
mod test_spec;
mod trouble;
mod verdict_file;
mod work;

use std::collections::BTreeSet;

use crate::answer::{self, Misfit};
use crate::finding::Complaint;
use crate::input::TurnInput;
use crate::loops::LoopRefusal;
use crate::prompt::Prompt;
use crate::spec::RunSpec;
use crate::trial::{Ask, Exhibits, Outlook, Reading, Step, Trial};
use crate::turn::TurnErrorKind;
use crate::verdict::{Correction, Dim};
use crate::watch::StoryStatus;
use crate::{
    Decision, Digest, DraftId, Judgement, Outcome, Round, Run, Said, Score, SeatName, Severity, Slot, Tally, Turn,
    Verdict,
};

pub(crate) use junit_cases::{JunitCase, junit_cases};
pub(crate) use plain::plain;

pub use campaign::Campaign;
pub use citation::{MarkedText, has_quotation, line_of_file, quotations};
pub use claim::ClaimFile;
pub use complaint::{MAX_HEADLINE, headline, normalise};
pub use counts::{TestCounts, looks_like_tests, tests_run};
pub use criterion::{Criterion, CriterionProof};
pub use def::{DEF, KEYS};
pub use fields::FileError;
pub use input::{CheckInput, Errand, InspectInput};
pub use inspection::{Inspection, InspectionAnswer};
pub use iteration::{DeskTrouble, Iteration, IterationEnd};
pub use memory::{Memory, MemoryError, Section, StopStatus};
pub use named_files::{digest_of, file_of};
pub use prd::{Prd, PrdError};
pub use receipt::{CheckAnswer, CheckEnd, Receipt, Receipts};
pub use report::report;
pub use settings::{DESK, MutantUse, Settings, VERIFIER, WORKER};
pub use signal::SignalFile;
pub use story::{Story, StoryId};
pub use survey::{Plan, Recalled, Sentinel, SentinelKind, Survey, SurveyAnswer};
pub use test_spec::{CRITERION, Mapped, Noted, SpecCheck, SpecError, TestSpec};
pub use trouble::{Advice, advice};
pub use verdict_file::{CriterionResult, Transition, VerdictFile, VerdictWord};
pub use work::{Changed, Claimed, Incident, Work, WorkAnswer};

/// The desk's own seat looks at the files.
pub const SURVEY: &str = "survey";
/// The worker's task.
pub const WORK: &str = "work";
/// The desk's own seat runs the commands of the test spec.
pub const CHECK: &str = "check";
/// The verifier's task.
pub const VERIFY: &str = "verify";
/// The desk's own seat takes work back.
pub const RESTORE: &str = "restore";

/// The settings of a run, if it is a desk.
pub fn desk_of(spec: &RunSpec) -> Option<&Settings> {
    spec.settings_of()
}

impl Trial for Settings {
    fn subject(&self) -> &str {
        &self.slug
    }

    fn main_seat(&self) -> &str {
        WORKER
    }

    fn seats(&self) -> Vec<&str> {
        vec![WORKER, VERIFIER]
    }

    fn models(&self) -> Vec<&str> {
        let chosen = self.worker_model.iter().chain(&self.verifier_model);
        self.ladder.iter().chain(&self.verifier_ladder).chain(chosen).map(String::as_str).collect()
    }

    fn can_fork(&self) -> Result<(), LoopRefusal> {
        let hint = "`tribunal desk run` goes on from where they stand";
        Err(LoopRefusal::new("is a desk: its work is in files", hint))
    }

    fn next(&self, run: &Run) -> Step {
        let decision = run.decision();
        if let (true, Some(outcome)) = (decision.is_settled(), decision.outcome) {
            return Step::End { outcome, reason: decision.reason.clone().unwrap_or_default() };
        }
        match run.rounds().last() {
            None => Step::Open(Round(1)),
            Some(state) if state.closed.is_some() => Step::Open(state.round.next()),
            Some(state) => self.iterate(run, state.round),
        }
    }

    fn prompt(&self, run: &Run, ask: &Ask) -> Prompt {
        match &*ask.task {
            WORK => prompts::worker(self, run, ask.round),
            VERIFY => prompts::verifier(self, run, ask.round),
            _ => prompts::desk(self, run, ask),
        }
    }

    fn input(&self, run: &Run, ask: &Ask) -> Option<TurnInput> {
        input::of(run, ask)
    }

    /// Every answer here is put together by a program of ours: what an agent printed or wrote is a string in it.
    fn read(&self, run: &Run, turn: &Turn, answer: &str, _: &Exhibits) -> Result<Reading, Misfit> {
        let plain = |said| Ok(Reading { said, blobs: Vec::new() });
        match turn.task.as_str() {
            SURVEY => Ok(read_survey(run, answer::own(answer)?)),
            WORK => {
                let work = Work::from(answer::own::<WorkAnswer>(answer)?);
                plain(Said::Worked(Box::new(work.of_plan(Campaign::of(run).plan()))))
            }
            CHECK => Ok(read_check(answer::own(answer)?)),
            VERIFY => plain(Said::Inspected(Box::new(read_inspection(self, run, turn, answer::own(answer)?)?))),
            _ => plain(Said::Done),
        }
    }

    fn stories(&self, run: &Run) -> Vec<StoryStatus> {
        let campaign = Campaign::of(run);
        let verified = campaign.verified();
        let stories = campaign.plan().map(|plan| plan.stories.as_slice()).unwrap_or_default().iter();
        stories
            .map(|story| StoryStatus {
                id: story.id.as_str().to_owned(),
                title: story.title.clone(),
                verified_in: verified.get(&story.id).copied(),
            })
            .collect()
    }

    fn outlook(&self, _: u32) -> Outlook {
        // How many iterations it takes nobody knows: this is one of them.
        Outlook::new(1, [WORKER, VERIFIER].map(|seat| (SeatName::new(seat), 1)))
    }
}

impl Settings {
    fn iterate(&self, run: &Run, round: Round) -> Step {
        let iteration = Iteration::of(run, round);
        let Some(survey) = iteration.survey else { return own(run, round, SURVEY) };
        if let Some(sentinel) = &survey.sentinel {
            let (outcome, said) = match sentinel.kind {
                SentinelKind::Complete => (Outcome::Converged, "complete"),
                SentinelKind::Blocked => (Outcome::Blocked, "blocked"),
            };
            return Step::End { outcome, reason: format!("{said}: somebody left a sentinel") };
        }
        let campaign = Campaign::of(run);
        if let Some(problem) = &survey.problem {
            let trouble = DeskTrouble { code: "plan_unreadable", text: problem.clone() };
            return self.close(campaign, iteration, &IterationEnd::Blocked(trouble));
        }
        let contract = campaign.contract().unwrap_or_default();
        if iteration.work.is_none() && iteration.worker_error.is_none() {
            let (failures, is_stuck) = (campaign.failed_verifications(), campaign.same_error() >= 2);
            let routed = routing::worker(self, routing::Signs { contract, failures, is_stuck });
            return Step::Ask(vec![Ask::new(round, SeatName::new(WORKER), WORK).routed(routed)]);
        }
        // What cannot be started at all is not the work's fault, and another iteration does not help.
        for (seat, error) in [(WORKER, iteration.worker_error), (VERIFIER, iteration.verifier_error)] {
            if let Some(error) = error.filter(|error| error.kind == TurnErrorKind::Unavailable) {
                return Step::End { outcome: Outcome::Failed, reason: format!("{seat}: {error}") };
            }
        }
        match iteration.ending(campaign.plan()) {
            // What was done against the rules is taken back before anybody builds on it.
            Some(IterationEnd::Fail(_))
                if !iteration.is_restored
                    && iteration.work.is_some()
                    && (self.roll_back || iteration.misdeed(campaign.plan()).is_some()) =>
            {
                own(run, round, RESTORE)
            }
            Some(ending) => self.close(campaign, iteration, &ending),
            None if iteration.receipts.is_none() => own(run, round, CHECK),
            None => {
                let routed = routing::verifier(self, contract, iteration.worker.and_then(Turn::model));
                Step::Ask(vec![Ask::new(round, SeatName::new(VERIFIER), VERIFY).routed(routed)])
            }
        }
    }

    /// The iteration is over: is the campaign?
    fn close(&self, campaign: Campaign<'_>, iteration: Iteration<'_>, ending: &IterationEnd) -> Step {
        let round = iteration.round;
        let campaign = campaign.with(iteration, ending.clone());
        let stories = campaign.plan().map_or(0, |plan| plan.stories.len());
        let verified = campaign.verified().len();
        let decision = match ending {
            IterationEnd::Pass { complete: true, .. } if campaign.is_verified() => {
                Decision::terminal(Outcome::Converged, round, "complete: every story is verified")
            }
            IterationEnd::Blocked(trouble) => blocked(round, trouble.code, &trouble.text),
            IterationEnd::Pass { .. } | IterationEnd::Continue | IterationEnd::Fail(_) => {
                self.tripped(&campaign, round).unwrap_or_else(|| {
                    Decision::in_progress(Some(match ending {
                        IterationEnd::Pass { .. } => format!("pass: {verified} of {stories} stories are verified"),
                        IterationEnd::Fail(DeskTrouble { code, text }) => format!("fail: {code}: {}", headline(text)),
                        IterationEnd::Continue | IterationEnd::Blocked(_) => "continue".into(),
                    }))
                })
            }
        };
        let must_fix = iteration.inspection.map_or(0, |inspection| inspection.verdict.must_fixes().count());
        let tally = Tally {
            composite: Score::share(verified, stories),
            must_fix: u32::try_from(must_fix).unwrap_or(u32::MAX),
            missing: Vec::new(),
            open: Vec::new(),
            warnings: iteration.inspection.iter().flat_map(|it| &it.incidents).map(|it| it.code.clone()).collect(),
        };
        Step::Close { round, decision, tally: Some(Box::new(tally)) }
    }

    /// The breaker that trips now, if one does.
    fn tripped(&self, campaign: &Campaign<'_>, round: Round) -> Option<Decision> {
        let last = campaign.last_trouble().map(|trouble| headline(&trouble.text)).unwrap_or_default();
        // The second time a stronger model tries once more; the third time nobody does.
        if campaign.same_error() > 2 {
            return Some(blocked(round, "repeated_error", &format!("three times in a row: {last}")));
        }
        if let Some(circle) = campaign.circle() {
            return Some(blocked(round, "going_in_circles", &circle.what));
        }
        if campaign.failures() >= self.max_consecutive_failures {
            let text = format!("{} iterations in a row failed; the last one: {last}", campaign.failures());
            return Some(blocked(round, "repeated_failure", &text));
        }
        if campaign.unchanged() >= self.stale_after {
            let text = format!("no file, no context and no verified story changed in {} iterations", self.stale_after);
            return Some(blocked(round, "stale_context", &text));
        }
        None
    }
}

fn blocked(round: Round, code: &str, text: &str) -> Decision {
    Decision::terminal(Outcome::Blocked, round, format!("{code}: {text}"))
}

/// What the desk's own seat has to do. If it cannot, nobody can go on.
fn own(run: &Run, round: Round, task: &'static str) -> Step {
    let desk = SeatName::new(DESK);
    match run.slot(round, &desk, task) {
        Slot::Exhausted { error, .. } => Step::End { outcome: Outcome::Failed, reason: format!("{DESK}: {error}") },
        Slot::Open { .. } | Slot::InFlight | Slot::Answered { .. } => Step::Ask(vec![Ask::new(round, desk, task)]),
    }
}

fn read_survey(run: &Run, found: SurveyAnswer) -> Reading {
    let text = |text: Option<String>| text.unwrap_or_default();
    let (prd, test_spec) = (text(found.prd), text(found.test_spec));
    let (worker, verifier) = (text(found.worker_prompt), text(found.verifier_prompt));
    let before = Campaign::of(run);
    let is_known = before.survey().is_some_and(|survey| {
        survey.problem.is_none() && (survey.prd, survey.test_spec) == (Digest::of(&prd), Digest::of(&test_spec))
    });
    let (plan, problem) = match Plan::read(&prd, &test_spec) {
        Ok(plan) => ((!is_known).then(|| Box::new(plan)), None),
        Err(problem) => (None, Some(problem)),
    };
    let survey = Survey {
        sentinel: found.sentinel,
        plan,
        problem,
        prd: Digest::of(&prd),
        test_spec: Digest::of(&test_spec),
        worker_prompt: Digest::of(&worker),
        verifier_prompt: Digest::of(&verifier),
        memory: Recalled::read(found.memory.as_deref()),
        context: campaign::context_digest(&text(found.context)),
        commit: found.commit,
        files: found.files,
        notes: found.notes,
    };
    Reading { said: Said::Surveyed(Box::new(survey)), blobs: vec![prd, test_spec, worker, verifier] }
}

fn read_check(CheckAnswer { mut receipts, printed }: CheckAnswer) -> Reading {
    let here: BTreeSet<Digest> = printed.iter().map(Digest::of).collect();
    for receipt in &mut receipts.receipts {
        receipt.kept = here.contains(&receipt.output);
    }
    receipts.diff = receipts.diff.filter(|diff| here.contains(diff));
    Reading { said: Said::Checked(Box::new(receipts)), blobs: printed }
}

/// The verifier's word, and what it is worth beside the receipts.
fn read_inspection(settings: &Settings, run: &Run, turn: &Turn, found: InspectionAnswer) -> Result<Inspection, Misfit> {
    let Some(text) = &found.verdict else {
        return Err(Misfit::Unacceptable("there is no verdict in the file that TRIBUNAL_VERDICT names".into()));
    };
    let file = VerdictFile::read(text).map_err(|error| Misfit::Unacceptable(format!("the verdict: {error}")))?;
    if let Some(other) = file.iteration.filter(|iteration| *iteration != turn.round.0) {
        return Err(Misfit::Unacceptable(format!(
            "the verdict is of iteration {other}, and iteration {} is judged",
            turn.round
        )));
    }
    if let Some(incident) = found.incidents.iter().find(|incident| incident.code == "verifier_wrote") {
        return Err(Misfit::Unacceptable(format!("a verifier changes nothing: {}", incident.detail)));
    }
    let iteration = Iteration::of(run, turn.round);
    let campaign = Campaign::of(run);
    let (Some(work), Some(receipts), Some(plan)) = (iteration.work, iteration.receipts, campaign.plan()) else {
        return Err(Misfit::Unacceptable("there is nothing to judge".into()));
    };
    let checks = campaign.checks(work);
    let scope = campaign.scope(work);
    let against = inspection::contradictions(settings, &file, plan, &checks, receipts, campaign.last_receipts());
    // What the receipts say is enough against a pass; nobody has to vote on it.
    if file.verdict == VerdictWord::Pass && against.is_empty() {
        let criteria = Criterion::of(plan, &scope);
        let unvoted = inspection::unvoted(&file, &criteria, receipts, plan, &found);
        if !unvoted.is_empty() {
            let told = format!("the verdict is pass, and not every criterion is judged:\n- {}", unvoted.join("\n- "));
            return Err(Misfit::Unacceptable(told));
        }
    }
    let given = match file.verdict {
        VerdictWord::Pass => "pass",
        VerdictWord::Fail => "fail",
        VerdictWord::Blocked => "blocked",
    };
    let judgement = match file.verdict {
        VerdictWord::Pass if against.is_empty() => Judgement::Pass,
        VerdictWord::Pass | VerdictWord::Fail => Judgement::Fail,
        VerdictWord::Blocked => Judgement::Abstain,
    };
    let is_corrected = file.verdict == VerdictWord::Pass && !against.is_empty();
    let corrections = against.iter().filter(|_| is_corrected);
    let corrections =
        corrections.map(|why| Correction { given: given.into(), rule: "receipt".into(), why: why.clone() }).collect();
    let unmet = file.criteria_results.iter().filter(|result| !result.met).map(|result| Complaint {
        severity: Severity::MustFix,
        text: if result.evidence.is_empty() { result.criterion.clone() } else { result.evidence.clone() },
        code: None,
        target: Some(result.criterion.clone()),
        contested: false,
    });
    let said = file.issues.iter().chain(&file.missing_evidence).chain(&against).map(Complaint::must_fix);
    let complaints = unmet.chain(said).collect();
    let dims = file.criteria_results.iter().map(|result| Dim {
        name: result.criterion.clone(),
        score: Some(Score::points(u32::from(result.met))),
        note: result.evidence.clone(),
    });
    let verdict = Verdict {
        word: given.into(),
        dims: dims.collect(),
        summary: Some(file.summary.clone()).filter(|text| !text.is_empty()),
        findings: run.findings().identify(run.spec().run, &turn.seat, complaints),
        corrections,
        ..Verdict::new(DraftId(run.spec().run.derive("commit", &[work.commit.as_bytes()])), judgement)
    };
    Ok(Inspection {
        verdict,
        word: file.verdict,
        transition: file.recommended_state_transition,
        contract: file.next_iteration_contract,
        scope,
        incidents: found.incidents,
    })
}
