//! New files beside the given tests that the given tests, or the work, cannot do without.
//!
//! Only where the given tests are red without the new ones: what is needed then is kept, and all others are left out again.

use tribunal_kernel::evidence::{CommandEvidence, Evidence, RunSeen, TestRunner, TreeRole};

use super::collector::EvidenceCollector;
use super::request::{EvidenceError, EvidenceRequest};
use super::trial_trees::TrialTrees;

impl EvidenceCollector<'_> {
    /// Runs what is red without the new tests once more, beside those of them that it needs.
    pub(super) async fn ask_what_is_needed(
        &self,
        request: &EvidenceRequest,
        trees: &mut TrialTrees,
        evidence: &mut Evidence,
    ) -> Result<(), EvidenceError> {
        if !evidence.commands.iter().any(is_open) {
            return Ok(());
        }
        forget_what_is_not_built(evidence);
        let at_base: String =
            evidence.commands.iter().filter_map(|command| command.on(TreeRole::Base)).map(said).collect();
        let mut kept = trees.plan.asked_for_at_base(&at_base);
        let loaded = trees.plan.loaded_by_work(|path| trees.given.text(path));
        if !loaded.is_empty() {
            // Whether the work really loads them is seen where they are not there at all.
            let tree = trees.keep(self, request, &kept, &loaded).await?;
            for command in evidence.commands.iter().filter(|command| is_open(command)) {
                let (run, _) = self.run_once(&tree, &command.command, &[]).await?;
                let more = trees.plan.missed(&loaded, &said(&run));
                kept.extend(more.into_iter().filter(|path| !kept.contains(path)).collect::<Vec<_>>());
            }
        }
        if kept.is_empty() {
            return Ok(());
        }
        let tree = trees.keep(self, request, &kept, &[]).await?;
        for command in evidence.commands.iter_mut().filter(|command| is_open(command)) {
            command.runs.retain(|run| run.tree != TreeRole::WithoutNewTests);
            let (run, changed) = self.run_once(&tree, &command.command, &[]).await?;
            command.runs.push(run);
            evidence.rewritten.extend(changed);
        }
        let names = kept.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
        evidence
            .left_out
            .push(format!("the given tests need {names}, which the change adds: they were not tried without"));
        Ok(())
    }
}

/// Without what is new, the rest need not be a program of Rust: then nothing follows, and it is said.
fn forget_what_is_not_built(evidence: &mut Evidence) {
    let is_unbuilt = |run: &RunSeen| {
        run.tree == TreeRole::WithoutNewTests
            && run.report.is_none()
            && run.printed.contains("error: could not compile")
    };
    let Evidence { commands, left_out, .. } = evidence;
    let is_rust = |runner: &TestRunner| matches!(runner, TestRunner::CargoTest | TestRunner::Nextest);
    let is_meant = |command: &&mut CommandEvidence| {
        !command.runners.is_empty() && command.runners.iter().all(is_rust) && command.runs.iter().any(is_unbuilt)
    };
    for command in commands.iter_mut().filter(is_meant) {
        command.runs.retain(|run| !is_unbuilt(run));
        let line = &command.command.line;
        left_out.push(format!(
            "`{line}` cannot be built without what the change builds for tests alone, so that was not tried"
        ));
    }
}

/// Whether a command is green beside the new tests and red without them.
fn is_open(command: &CommandEvidence) -> bool {
    let is_green = |role: TreeRole| command.on(role).map(RunSeen::is_green);
    is_green(TreeRole::Given) == Some(true) && is_green(TreeRole::WithoutNewTests) == Some(false)
}

fn said(run: &RunSeen) -> String {
    // What was seen before has only its end.
    format!("{}\n{}\n", run.printed, run.tail)
}
