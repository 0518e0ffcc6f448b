//! Tests of ours, run beside the others.

use tribunal_kernel::evidence::{
    Canary, CanarySong, CommandEvidence, PathRole, TestComparison, TestRunner, canary, role_of, runners_of,
};

use super::collector::EvidenceCollector;
use super::laid_out::LaidOut;
use super::request::{EvidenceError, EvidenceRequest};
use super::trial_run::Beside;

impl EvidenceCollector<'_> {
    /// What each runner of a command says of our tests: the first thing that is not as it must be.
    pub(super) async fn sing(
        &self,
        request: &EvidenceRequest,
        command: &CommandEvidence,
        given: &LaidOut,
        base: &LaidOut,
        base_paths: &[String],
    ) -> Result<Option<CanarySong>, EvidenceError> {
        let line = &command.command.line;
        let tests: Vec<String> = base_paths.iter().filter(|path| role_of(path) == PathRole::Test).cloned().collect();
        let mut seen: Vec<TestRunner> = Vec::new();
        let mut last = None;
        for (runner, folder) in runners_of(line, &given.texts) {
            if seen.contains(&runner) {
                continue;
            }
            seen.push(runner);
            let tests = ordered(&tests, line);
            let song = match canary(runner, request.seed, &folder, &tests, |path| given.text(path)) {
                Err(why) => CanarySong::NotPlaced(why),
                Ok(canary) => self.hear(command, &canary, given, base).await?,
            };
            if song != CanarySong::True {
                return Ok(Some(song));
            }
            last = Some(song);
        }
        Ok(last)
    }

    /// Runs a canary on the given tree. If it does not come through, the base says whether it could have.
    async fn hear(
        &self,
        command: &CommandEvidence,
        canary: &Canary,
        given: &LaidOut,
        base: &LaidOut,
    ) -> Result<CanarySong, EvidenceError> {
        let mut song = self.try_canary(command, canary, given, false).await?;
        let mut names_canary = false;
        if song == CanarySong::Silent {
            names_canary = true;
            song = self.try_canary(command, canary, given, true).await?;
        }
        // A lie is one wherever it is heard.
        if matches!(song, CanarySong::True | CanarySong::Lied) {
            return Ok(song);
        }
        // A runner that does not come through with ours at the base either is not one that hides them.
        Ok(match self.try_canary(command, canary, base, names_canary).await? {
            CanarySong::True => song,
            before => CanarySong::NotPlaced(format!("at the base it is no better: {}", before.told())),
        })
    }

    async fn try_canary(
        &self,
        command: &CommandEvidence,
        canary: &Canary,
        tree: &LaidOut,
        names_canary: bool,
    ) -> Result<CanarySong, EvidenceError> {
        if tree.text(&canary.path).is_some() {
            return Ok(CanarySong::NotPlaced(format!("there is a file `{}` already", canary.path)));
        }
        tree.write(&canary.path, &canary.text)?;
        let run = self.run(tree, &command.command, Beside { canary: Some(canary), names_canary, patience: None }).await;
        tree.remove(&canary.path)?;
        let run = run?;
        let song = canary.heard(run.report.as_ref());
        // Who lied the first time and is honest now, because a file tells it so, is found by its own tests.
        let before = command.on(tree.role).and_then(|run| run.report.as_ref());
        let lost = before.zip(run.report.as_ref()).map(|(before, now)| TestComparison::of(before, now).newly_failing);
        match lost.unwrap_or_default().first() {
            Some(name) if song == CanarySong::True => {
                Ok(CanarySong::False(format!("`{name}` passed before and fails when it runs beside tests of ours")))
            }
            _ => Ok(song),
        }
    }
}

/// The tests that a command names come first: beside them ours are found.
fn ordered(tests: &[String], line: &str) -> Vec<String> {
    let (mut named, others): (Vec<String>, Vec<String>) = tests.iter().cloned().partition(|path| {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        line.contains(path.as_str()) || (!folder.is_empty() && line.contains(folder))
    });
    named.extend(others);
    named
}
