//! Changed lines, broken one at a time.

use std::time::{Duration, Instant};

use tribunal_kernel::evidence::{
    EvidenceCommand, EvidencePlan, Mutant, MutantEnd, MutantSeen, ReportStrength, RunSeen, RunState, TestState, mutants,
};

use super::collector::EvidenceCollector;
use super::laid_out::LaidOut;
use super::request::{EvidenceError, EvidenceRequest};
use super::trial_run::Beside;

/// Source files that are looked at.
const MOST_FILES: usize = 50;
/// A broken program may run for ever; it gets this many times what the whole one took, and a little more.
const PATIENCE: u32 = 3;
const LITTLE: Duration = Duration::from_secs(10);

/// A command that was green, and how long it took.
#[derive(Debug)]
pub(super) struct GreenCommand<'a> {
    pub(super) command: &'a EvidenceCommand,
    pub(super) took: Duration,
}

impl EvidenceCollector<'_> {
    /// Breaks lines until the number or the time is used up. What was left out is said.
    pub(super) async fn sabotage(
        &self,
        request: &EvidenceRequest,
        plan: &EvidencePlan,
        tree: &LaidOut,
        commands: &[GreenCommand<'_>],
    ) -> Result<(Vec<MutantSeen>, Option<String>), EvidenceError> {
        let begun = Instant::now();
        let all = self.mutants(request, plan, tree).await?;
        let mut seen = Vec::new();
        for (number, mutant) in all.iter().enumerate() {
            if begun.elapsed() > self.limits.sabotage {
                let left = all.len() - number;
                return Ok((seen, Some(format!("there was no time for {left} of {} sabotaged lines", all.len()))));
            }
            if let Some(end) = self.try_mutant(tree, mutant, commands).await? {
                seen.push(MutantSeen { mutant: mutant.clone(), end });
            }
        }
        Ok((seen, None))
    }

    /// Mutants of all files in turn, so that no file takes the number for itself.
    async fn mutants(
        &self,
        request: &EvidenceRequest,
        plan: &EvidencePlan,
        tree: &LaidOut,
    ) -> Result<Vec<Mutant>, EvidenceError> {
        let paths: Vec<String> =
            plan.sources.iter().filter(|path| !path.starts_with("../")).take(MOST_FILES).cloned().collect();
        let before = self.reader.contents(&request.base, &paths).await?;
        let mut files = Vec::new();
        for (path, before) in paths.iter().zip(before) {
            let Some(head) = tree.text(path) else { continue };
            let base = before.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            files.push(mutants(path, base.as_deref(), &head, request.seed, self.limits.mutants).into_iter());
        }
        let mut all = Vec::new();
        while all.len() < self.limits.mutants {
            let before = all.len();
            for file in &mut files {
                all.extend(file.next());
            }
            if all.len() == before {
                break;
            }
        }
        all.truncate(self.limits.mutants);
        Ok(all)
    }

    async fn try_mutant(
        &self,
        tree: &LaidOut,
        mutant: &Mutant,
        commands: &[GreenCommand<'_>],
    ) -> Result<Option<MutantEnd>, EvidenceError> {
        let Some(whole) = tree.text(&mutant.path) else { return Ok(None) };
        let Some(broken) = mutant.apply(&whole) else { return Ok(None) };
        tree.write(&mutant.path, &broken)?;
        let mut end = MutantEnd::Survived;
        for GreenCommand { command, took } in commands {
            let patience = Some(*took * PATIENCE + LITTLE);
            let run = self.run(tree, command, Beside { patience, ..Beside::default() }).await;
            let run = match run {
                Ok(run) => run,
                Err(error) => {
                    tree.write(&mutant.path, &whole)?;
                    return Err(error);
                }
            };
            if run.state != RunState::Green {
                end = if has_run(&run) { MutantEnd::Noticed } else { MutantEnd::DidNotRun };
                break;
            }
        }
        tree.write(&mutant.path, &whole)?;
        Ok(Some(end))
    }
}

/// Whether a red run says something about tests: a line that cannot even be compiled does not.
fn has_run(run: &RunSeen) -> bool {
    let has_failing = |report: &tribunal_kernel::evidence::TestReport| report.of(TestState::Failed).next().is_some();
    run.exit.is_none() || run.strength == ReportStrength::ExitOnly || run.report.as_ref().is_some_and(has_failing)
}
