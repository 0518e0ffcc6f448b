//! The desk's own seat: what the leader does itself.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::time::SystemTime;
use tribunal_agents::{Activity, AgentError, Answer, Answering, Native, Show, TurnRequest};
use tribunal_kernel::desk::{
    CheckAnswer, CheckEnd, CheckInput, Errand, Receipt, Receipts, Sentinel, SentinelKind, SpecCheck, SurveyAnswer,
    TestCounts, looks_like_tests, tests_run,
};
use tribunal_kernel::evidence::{Evidence, EvidenceCommand, TestReport, TreeRole};
use tribunal_kernel::{Digest, TurnInput};

use super::folder::{DeskFolder, digests, of_tree, unavailable};
use crate::evidence::{EvidenceCollector, EvidenceError, EvidenceLimits, EvidencePlace, EvidenceRequest};

/// The seat that no model takes.
#[derive(Debug)]
pub struct DeskSeat(pub Arc<DeskFolder>);

impl DeskSeat {
    /// Its name where agents have names.
    pub const NAME: &str = "tribunal/desk";

    async fn survey(&self) -> Result<SurveyAnswer, AgentError> {
        let campaign = &self.0;
        let files = &campaign.files;
        let sentinel = [(files.complete(), SentinelKind::Complete), (files.blocked(), SentinelKind::Blocked)]
            .into_iter()
            .find_map(|(name, kind)| Some(Sentinel { kind, text: campaign.own(&name)? }));
        let notes = campaign.notes().await;
        let named = campaign.spec().map(|spec| spec.files).unwrap_or_default();
        let trees = campaign.trees.lock().await;
        // As the work found them: what the worker makes itself is its own.
        let given = digests(&trees, trees.base(), &named).await?;
        // Whatever an earlier iteration left has been dealt with.
        for name in [files.claim(), files.signal(), files.verdict()] {
            super::folder::clear(&files.path(&name)).map_err(|error| unavailable(&error.to_string()))?;
        }
        Ok(SurveyAnswer {
            prd: campaign.own(&files.prd()),
            test_spec: campaign.own(&files.test_spec()),
            memory: campaign.own(&files.memory()),
            context: campaign.own(&files.context()),
            worker_prompt: campaign.own(&files.worker_prompt()),
            verifier_prompt: campaign.own(&files.verifier_prompt()),
            sentinel,
            commit: trees.head().to_owned(),
            files: given,
            notes,
        })
    }

    /// Collects evidence for the work: what its commands do without it and with it, in checkouts outside of the project.
    async fn check(&self, request: &TurnRequest, input: CheckInput, show: Show<'_>) -> Result<CheckAnswer, AgentError> {
        let campaign = &self.0;
        let CheckInput { commit, checks, files: named, claim, may_change, known, names, sabotages } = input;
        let mut trees = campaign.trees.lock().await;
        let reader = trees.reader();
        let options = &campaign.options;
        let collector = EvidenceCollector {
            reader: &reader,
            sandbox: &campaign.sandbox,
            place: EvidencePlace {
                network: options.checks_network,
                ..EvidencePlace::closed(
                    options.checkouts.join(format!("check-{}", request.turn)),
                    campaign.environment.select(&[], request),
                    &reader,
                    options.check_home.clone(),
                    options.carry.clone(),
                )
            },
            limits: EvidenceLimits {
                run: options.check_timeout,
                grace: options.grace,
                mutants: if sabotages { EvidenceLimits::default().mutants } else { 0 },
                ..EvidenceLimits::default()
            },
        };
        let command = |check: &SpecCheck| EvidenceCommand {
            id: check.id.clone(),
            line: check.line.clone(),
            purpose: check.purpose.clone(),
            expects: check.expects.clone(),
        };
        let asked = EvidenceRequest {
            base: trees.base().to_owned(),
            head: commit.clone(),
            commands: checks.iter().map(command).collect(),
            named: named.clone(),
            may_change,
            seed: drawn(),
            known,
        };
        campaign.take_checkouts()?;
        let evidence = collector
            .collect_showing(&asked, &|told| show(Activity::Note(told)))
            .await
            .map_err(|error| of_evidence(&error))?;
        campaign.leave_checkouts();
        let (receipts, mut printed): (Vec<Receipt>, Vec<String>) =
            checks.into_iter().map(|check| receipt(check, &evidence, &commit)).unzip();
        let patch = reader.patch(&asked.base, &commit, &[]).await.map_err(|error| of_tree(&error))?;
        let patch = patch.map(|patch| patch.text).filter(|patch| !patch.is_empty());
        let diff = patch.as_ref().map(Digest::of);
        printed.extend(patch);
        let files = digests(&trees, &commit, &named).await?;
        let aside = [campaign.files.root(), tribunal_store::FOLDER];
        let new_names = reader.missing_words(&asked.base, &names, &aside).await.map_err(|error| of_tree(&error))?;
        // What was seen of a new commit stands in its message.
        let commit = match claim {
            Some(claim) => {
                let message = sealed(campaign.files.slug(), request, &claim, &receipts);
                trees.reword(&message).await.map_err(|error| of_tree(&error))?
            }
            None => commit,
        };
        let evidence = Some(Box::new(evidence));
        let tree = commit.clone();
        let receipts = Receipts { receipts, tree, commit: Some(commit), files, diff, new_names, evidence };
        Ok(CheckAnswer { receipts, printed })
    }

    async fn restore(&self, commit: &str) -> Result<(), AgentError> {
        let mut trees = self.0.trees.lock().await;
        trees.roll_back(commit).await.map_err(|error| of_tree(&error))
    }
}

impl Native for DeskSeat {
    fn answer<'a>(&'a self, request: TurnRequest, show: Show<'a>) -> Answering<'a> {
        Box::pin(async move {
            let Some(TurnInput::Errand(errand)) = request.input.clone() else {
                return Err(unavailable(&format!("it was not told what to do for `{}`", request.task)));
            };
            let text = match errand {
                Errand::Survey => json(&self.survey().await?),
                Errand::Check(input) => json(&self.check(&request, input, show).await?),
                Errand::Restore { commit } => self.restore(&commit).await.map(|()| "{}".to_owned())?,
            };
            Ok(Answer { text, ..Answer::default() })
        })
    }
}

/// What was seen of one check on the work with everything given put back, and all that it printed.
fn receipt(check: SpecCheck, evidence: &Evidence, commit: &str) -> (Receipt, String) {
    let run = evidence.of(&check.id).and_then(|command| command.on(TreeRole::Given));
    let printed = run.map(|run| run.printed.clone()).unwrap_or_default();
    let counts = || {
        let reported = run.and_then(|run| run.report.as_ref()).map(TestReport::counts);
        reported.or_else(|| tests_run(&printed)).or_else(|| printed.trim().is_empty().then(TestCounts::default))
    };
    let counts_tests = check.expects.is_success() && looks_like_tests(&check.line, &check.purpose);
    let receipt = Receipt {
        tests: counts_tests.then(counts).flatten(),
        argv: vec!["sh".into(), "-c".into(), run.map_or_else(|| check.line.clone(), |run| run.line.clone())],
        exit: run.and_then(|run| run.exit),
        ended: run.map_or(CheckEnd::NotStarted, |run| run.ended),
        elapsed_ms: run.map_or(0, |run| run.elapsed_ms),
        output: Digest::of(&printed),
        // It goes with the answer; whoever reads that looks whether it is there.
        kept: true,
        tail: run.map(|run| run.tail.clone()).unwrap_or_default(),
        state: run.map(|run| run.state.clone()),
        tree: commit.to_owned(),
        check: check.id,
        purpose: check.purpose,
        line: check.line,
    };
    (receipt, printed)
}

/// What nobody who wrote the work can have known.
fn drawn() -> Digest {
    let draw = || RandomState::new().build_hasher().finish();
    Digest::of(format!("{:x} {:x} {:?}", draw(), draw(), SystemTime::now()))
}

fn of_evidence(error: &EvidenceError) -> AgentError {
    AgentError::Unavailable { agent: DeskSeat::NAME.into(), reason: error.to_string(), hint: Some(error.hint()) }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("an answer is plain JSON")
}

/// The message of a commit whose checks were run.
fn sealed(slug: &str, request: &TurnRequest, claim: &str, receipts: &[Receipt]) -> String {
    let told = receipts.iter().map(|receipt| {
        let result = receipt.failure().unwrap_or_else(|| "passed".into());
        format!("Receipt: {} {result} sha256:{} {}", receipt.check, receipt.output, receipt.line.replace('\n', " "))
    });
    let told: Vec<String> = told.collect();
    format!("{slug}: iteration {}, {claim}\n\n{}\nTribunal-Run: {}\n", request.round, told.join("\n"), request.run)
}
