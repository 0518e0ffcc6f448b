//! The desk's own seat: what the leader does itself.

use std::path::PathBuf;
use std::sync::Arc;
use tribunal_agents::{AgentError, Answer, Answering, Native, Show, TurnRequest};
use tribunal_kernel::desk::{
    CheckAnswer, CheckEnd, CheckInput, Errand, Receipt, Receipts, Sentinel, SentinelKind, SpecCheck, SurveyAnswer,
    TestCounts, looks_like_tests, tests_run,
};
use tribunal_kernel::{Digest, TurnInput};

use super::folder::{DeskFolder, digests, of_tree, text, unavailable};
use crate::command_run::{CommandRun, tail};
use crate::process::How;
use crate::sandbox::Confinement;
use crate::tree::Checkout;

/// What is kept of a check's output for people and for the verifier, in characters.
const TAIL: usize = 4000;

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
        for name in [files.claim(), files.verdict()] {
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

    /// Runs the checks in a clean checkout, one after the other: a build may come before the tests of it.
    async fn check(&self, request: &TurnRequest, input: CheckInput) -> Result<CheckAnswer, AgentError> {
        let campaign = &self.0;
        let CheckInput { commit, checks, files: named, claim } = input;
        let mut trees = campaign.trees.lock().await;
        let checkout = trees.checkout(&commit).await.map_err(|error| of_tree(&error))?;
        let (mut receipts, mut printed) = (Vec::new(), Vec::new());
        for check in checks {
            let (receipt, output) = self.prove(request, &checkout, check, &named, &commit).await?;
            receipts.push(receipt);
            printed.push(output);
        }
        checkout.close().await.map_err(|error| of_tree(&error))?;
        let files = digests(&trees, &commit, &named).await?;
        // What was seen of a new commit stands in its message.
        let commit = match claim {
            Some(claim) => {
                let message = sealed(campaign.files.slug(), request, &claim, &receipts);
                trees.reword(&message).await.map_err(|error| of_tree(&error))?
            }
            None => commit,
        };
        let receipts = Receipts { receipts, tree: commit.clone(), commit: Some(commit), files };
        Ok(CheckAnswer { receipts, printed })
    }

    /// Runs one check. Its receipt, and everything that it printed.
    async fn prove(
        &self,
        request: &TurnRequest,
        checkout: &Checkout,
        check: SpecCheck,
        named: &[String],
        commit: &str,
    ) -> Result<(Receipt, String), AgentError> {
        let campaign = &self.0;
        let Confinement { tmp, .. } = campaign.confinement(request, Vec::new())?;
        let mut env = campaign.environment.select(&[], request);
        let root = checkout.path().to_string_lossy().into_owned();
        env.extend([("CI".to_owned(), "true".to_owned()), ("GIT_CEILING_DIRECTORIES".to_owned(), root)]);
        // A build must not rewrite the tests that come after it.
        let is_there = |name: &&String| matches!(text(checkout.path(), name), Ok(Some(_)));
        let read_only = named.iter().filter(is_there).map(|name| checkout.path().join(name)).collect();
        let command = CommandRun {
            argv: vec!["sh".into(), "-c".into(), format!("exec 2>&1\n{}", check.line)],
            env,
            cwd: checkout.path().to_owned(),
            stdin: Vec::new(),
            patience: campaign.options.check_timeout,
            grace: campaign.options.grace,
            confinement: Confinement {
                writable: vec![checkout.root().to_owned()],
                read_only,
                hidden: self.project_to_hide(),
                network: campaign.options.checks_network,
                tmp,
            },
        };
        let argv = command.argv.clone();
        let seen = command.run(&campaign.sandbox).await;
        let (ended, exit, output, elapsed) = match seen {
            Ok(seen) => {
                let ended = match seen.how {
                    How::Exited => CheckEnd::Exited,
                    How::Silent | How::Overtime => CheckEnd::TimedOut,
                    How::Cancelled | How::TooMuchOutput => CheckEnd::Killed,
                };
                (ended, seen.exit, seen.output, seen.elapsed)
            }
            Err(error) => (CheckEnd::NotStarted, None, error.to_string().into_bytes(), std::time::Duration::ZERO),
        };
        let said = String::from_utf8_lossy(&output).into_owned();
        // Who is to run tests and says nothing at all has run none.
        let is_silent = said.trim().is_empty();
        let count = || tests_run(&said).or_else(|| is_silent.then(TestCounts::default));
        let tests = looks_like_tests(&check.line, &check.purpose).then(count).flatten();
        let receipt = Receipt {
            check: check.id,
            purpose: check.purpose,
            line: check.line,
            argv,
            exit,
            ended,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            output: Digest::of(&said),
            // It goes with the answer; whoever reads that looks whether it is there.
            kept: true,
            tail: tail(&said, TAIL).to_owned(),
            tests,
            tree: commit.to_owned(),
        };
        Ok((receipt, said))
    }

    /// The user's own folder: what is checked is the commit. Unless it is their home, where the tools are.
    fn project_to_hide(&self) -> Vec<PathBuf> {
        let Ok(project) = self.0.files.base().canonicalize() else { return Vec::new() };
        let holds_home = std::env::var_os("HOME").is_some_and(|home| PathBuf::from(home).starts_with(&project));
        if holds_home { Vec::new() } else { vec![project] }
    }

    async fn restore(&self, commit: &str) -> Result<(), AgentError> {
        let mut trees = self.0.trees.lock().await;
        trees.roll_back(commit).await.map_err(|error| of_tree(&error))
    }
}

impl Native for DeskSeat {
    fn answer<'a>(&'a self, request: TurnRequest, _: Show<'a>) -> Answering<'a> {
        Box::pin(async move {
            let Some(TurnInput::Errand(errand)) = request.input.clone() else {
                return Err(unavailable(&format!("it was not told what to do for `{}`", request.task)));
            };
            let text = match errand {
                Errand::Survey => json(&self.survey().await?),
                Errand::Check(input) => json(&self.check(&request, input).await?),
                Errand::Restore { commit } => self.restore(&commit).await.map(|()| "{}".to_owned())?,
            };
            Ok(Answer { text, ..Answer::default() })
        })
    }
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
