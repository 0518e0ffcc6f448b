//! Tests of ours, run beside the others.

use tribunal_kernel::evidence::{
    Canary, CanarySong, CommandEvidence, PathRole, RunSeen, SpoiledSong, SpoiledTests, TestComparison, TestReport,
    TestRunner, TreeRole, canary, role_of, runners_of,
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
        let runners = runners_of(line, &given.texts);
        if runners.is_empty() {
            return self.control(request, command, given, base, base_paths).await;
        }
        for (runner, folder) in runners {
            if seen.contains(&runner) {
                continue;
            }
            seen.push(runner);
            let tests = ordered(&tests, line);
            let song = match canary(runner, request.seed, &folder, &tests, |path| given.text(path)) {
                // Where no test of ours has a place, one that is given may be made to fail.
                Err(why) => match self.control(request, command, given, base, base_paths).await? {
                    Some(song) if !matches!(song, CanarySong::NotPlaced(_)) => song,
                    _ => CanarySong::NotPlaced(why),
                },
                Ok(canary) => {
                    let spoiled = spoiled(request, command, runner, given, base_paths);
                    self.hear(command, &canary, &spoiled, given, base).await?
                }
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
        spoiled: &SpoiledTests,
        given: &LaidOut,
        base: &LaidOut,
    ) -> Result<CanarySong, EvidenceError> {
        if !spoiled.is_empty() {
            match self.try_spoiled(command, canary, spoiled, given).await? {
                SpoiledSong::True => return Ok(CanarySong::True),
                // They get in each other's way: tests of ours are tried alone next.
                SpoiledSong::Unclear => {}
                // At the base nobody lies: what passes there, too, was not made to fail.
                SpoiledSong::Lied(why) => match self.try_spoiled(command, canary, spoiled, base).await? {
                    SpoiledSong::Lied(_) => {}
                    SpoiledSong::True | SpoiledSong::Unclear => return Ok(CanarySong::False(why)),
                },
            }
        }
        let mut song = self.try_canary(command, canary, given, false).await?;
        let mut names_canary = false;
        if song == CanarySong::Silent {
            names_canary = true;
            song = self.try_canary(command, canary, given, true).await?;
        }
        // A test that depends on time or chance fails once; whoever hides something is found each time.
        if matches!(song, CanarySong::False(_)) {
            song = self.try_canary(command, canary, given, names_canary).await?;
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

    /// Runs a canary together with given tests that were made to fail at their ends. They must come there, and everything
    /// else must be as it was; where it is not, nothing follows.
    async fn try_spoiled(
        &self,
        command: &CommandEvidence,
        canary: &Canary,
        spoiled: &SpoiledTests,
        tree: &LaidOut,
    ) -> Result<SpoiledSong, EvidenceError> {
        let originals: Vec<(&String, Option<String>)> =
            spoiled.files.keys().map(|path| (path, tree.text(path))).collect();
        if originals.iter().any(|(_, text)| text.is_none()) || tree.text(&canary.path).is_some() {
            return Ok(SpoiledSong::Unclear);
        }
        for (path, text) in &spoiled.files {
            tree.write(path, text)?;
        }
        tree.write(&canary.path, &canary.text)?;
        let run = self.run(tree, &command.command, Beside { canary: Some(canary), ..Beside::default() }).await;
        tree.remove(&canary.path)?;
        for (path, text) in originals {
            tree.write(path, &text.unwrap_or_default())?;
        }
        let RunSeen { report, printed, .. } = run?;
        let song = spoiled.heard(report.as_ref());
        let is_as_before = canary.heard(report.as_ref()) == CanarySong::True
            && spoiled.came_to_their_ends(&printed)
            && newly_failing(command, tree, report.as_ref()).iter().all(|name| spoiled.names.contains(name));
        Ok(if song == SpoiledSong::True && !is_as_before { SpoiledSong::Unclear } else { song })
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
        let run =
            self.run(tree, &command.command, Beside { canary: Some(canary), names_canary, ..Beside::default() }).await;
        tree.remove(&canary.path)?;
        let run = run?;
        let song = canary.heard(run.report.as_ref());
        // Who lied the first time and is honest now, because a file tells it so, is found by its own tests.
        match newly_failing(command, tree, run.report.as_ref()).first() {
            Some(name) if song == CanarySong::True => {
                Ok(CanarySong::False(format!("`{name}` passed before and fails when it runs beside tests of ours")))
            }
            _ => Ok(song),
        }
    }
}

/// Tests that passed on this tree before, and fail now.
fn newly_failing(command: &CommandEvidence, tree: &LaidOut, now: Option<&TestReport>) -> Vec<String> {
    let before = command.on(tree.role).and_then(|run| run.report.as_ref());
    before.zip(now).map(|(before, now)| TestComparison::of(before, now).newly_failing).unwrap_or_default()
}

/// Given tests that passed, made to fail.
fn spoiled(
    request: &EvidenceRequest,
    command: &CommandEvidence,
    runner: TestRunner,
    given: &LaidOut,
    base_paths: &[String],
) -> SpoiledTests {
    let report = |role: TreeRole| command.on(role).and_then(|run| run.report.as_ref());
    let Some(passed) = report(given.role) else { return SpoiledTests::default() };
    // In Rust, tests stand in the files that they test as well.
    let is_rust = matches!(runner, TestRunner::CargoTest | TestRunner::Nextest);
    let may_have = |path: &&String| is_rust || role_of(path) == PathRole::Test;
    let paths: Vec<String> = base_paths.iter().filter(may_have).cloned().collect();
    SpoiledTests::of(runner, request.seed, passed, report(TreeRole::Base), &paths, |path| given.text(path))
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
