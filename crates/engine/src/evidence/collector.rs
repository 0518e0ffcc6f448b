//! The measures, cheapest first: what fails early saves the rest.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant, SystemTime};

use tribunal_kernel::evidence::{
    Adapted, CanarySong, ChangedPath, CommandEvidence, Evidence, EvidenceCommand, EvidencePlan, GivenRoles, PlanInput,
    ReportWish, RunSeen, TreeRole, adapt, runners_of,
};

use super::kept::{KeptLimits, prune};
use super::laid_out::LaidOut;
use super::request::{EvidenceError, EvidenceLimits, EvidencePlace, EvidenceRequest};
use super::sabotage::GreenCommand;
use super::setup::ShowSetup;
use super::trial_run::Beside;
use super::trial_trees::TrialTrees;
use crate::sandbox::{Mechanism, Sandbox};
use crate::tree::{ChangeKind, CommitReader};

/// Collects evidence for changes of one project.
#[derive(Debug)]
pub struct EvidenceCollector<'a> {
    pub reader: &'a CommitReader,
    pub sandbox: &'a Sandbox,
    pub place: EvidencePlace,
    pub limits: EvidenceLimits,
}

impl EvidenceCollector<'_> {
    /// Collects all there is, and draws the conclusions. The folder of the checkouts is gone afterwards.
    pub async fn collect(&self, request: &EvidenceRequest) -> Result<Evidence, EvidenceError> {
        self.collect_showing(request, &|_| {}).await
    }

    /// The same, and tells what is set up meanwhile.
    pub async fn collect_showing(
        &self,
        request: &EvidenceRequest,
        show: ShowSetup<'_>,
    ) -> Result<Evidence, EvidenceError> {
        let folder = &self.place.folder;
        fs::create_dir_all(folder).map_err(EvidenceError::io(folder))?;
        let place =
            EvidencePlace { folder: folder.canonicalize().map_err(EvidenceError::io(folder))?, ..self.place.clone() };
        let own = EvidenceCollector { reader: self.reader, sandbox: self.sandbox, place, limits: self.limits };
        let evidence = own.measure(request, show).await;
        // Caches of Go cannot be removed as they are.
        let _ = crate::tree::remove_all(folder);
        evidence
    }

    async fn measure(&self, request: &EvidenceRequest, show: ShowSetup<'_>) -> Result<Evidence, EvidenceError> {
        // What is set up once is not counted as the time of the checks.
        let prepared = self.prepare(request, show).await?;
        self.clean_up();
        let mut begun = Instant::now();
        let (plan, base_paths) = self.plan(request).await?;
        let mut evidence = Evidence {
            base: self.reader.tree(&request.base).await?,
            head: self.reader.tree(&request.head).await?,
            seed: request.seed,
            commands: request.commands.iter().cloned().map(CommandEvidence::new).collect(),
            touched: plan.touched.clone(),
            inline: plan.inline.clone(),
            not_put_back: plan.not_put_back.clone(),
            test_aware: plan.test_aware.iter().map(ToString::to_string).collect(),
            mutants: Vec::new(),
            rewritten: Vec::new(),
            left_out: Vec::new(),
            findings: Vec::new(),
            elapsed_ms: 0,
        };
        let (mut trees, waited) =
            Box::pin(self.lay_out_all(request, (plan, base_paths), prepared, &mut evidence.commands, show)).await?;
        begun += waited;
        evidence.left_out.extend(trees.given.notes.iter().cloned());
        self.all(request, &mut trees, &mut evidence, begun).await?;
        evidence.elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        evidence.conclude();
        Ok(evidence)
    }

    /// Every measure in its order. Each says in `left_out` what it did not do.
    async fn all(
        &self,
        request: &EvidenceRequest,
        trees: &mut TrialTrees,
        evidence: &mut Evidence,
        begun: Instant,
    ) -> Result<(), EvidenceError> {
        let is_late = || begun.elapsed() > self.limits.total;
        let is_red = |command: &CommandEvidence| command.on(TreeRole::Given).is_some_and(|run| !run.is_green());
        let is_apart = self.keeps_runs_apart();
        // 1. The base, and the work with the given files put back.
        self.run_base_and_given(request, trees, evidence, is_apart).await?;
        let has_failed = evidence.commands.iter().any(is_red);
        // 2. The work as it is where that is something else, and the given tests without the new ones. Tests of ours run
        // beside the given ones meanwhile. What is red needs no more than to be told apart from tampering.
        let mut songs = BTreeMap::new();
        for role in [TreeRole::Head, TreeRole::WithoutNewTests] {
            let Some(tree) = trees.of(role) else { continue };
            if has_failed && role == TreeRole::Head {
                self.run_all(tree, evidence, is_red).await?;
            } else if !has_failed && is_apart && songs.is_empty() {
                songs = self.run_and_sing(request, trees, role, evidence).await?;
            } else if !has_failed {
                self.run_all(tree, evidence, |command| trees.are_for(role, command)).await?;
            }
        }
        self.ask_what_is_needed(request, trees, evidence).await?;
        forget_what_asks_for_new_tests(trees, evidence);
        // What is new in given tests was not seen yet without what steers them.
        if !has_failed && let Some(tree) = trees.unsteered(self, request).await? {
            self.run_all(&tree, evidence, |_| true).await?;
        }
        // Test by test.
        for command in &mut evidence.commands {
            command.compare();
        }
        if is_late() {
            evidence.left_out.push("there was no time for canaries and sabotage".into());
            return Ok(());
        }
        let is_told =
            |run: &RunSeen| !matches!(run.tree, TreeRole::Base | TreeRole::Unsteered | TreeRole::WithoutNewTests);
        let is_unwell = |command: &CommandEvidence| command.runs.iter().any(|run| is_told(run) && !run.is_green());
        if evidence.commands.iter().any(|command| is_unwell(command) || evidence.has_lost(command)) {
            return Ok(());
        }
        // 3. Tests of ours.
        for at in 0..evidence.commands.len() {
            if is_late() {
                evidence.left_out.push("there was no time for canaries".into());
                return Ok(());
            }
            evidence.commands[at].canary = match songs.remove(&at) {
                Some(song) => song,
                None => {
                    self.sing(request, &evidence.commands[at], &trees.given, &trees.base, &trees.base_paths).await?
                }
            };
        }
        // 4. The work's tests without the work, for whatever was not red at the base.
        let was_green = |command: &CommandEvidence| command.on(TreeRole::Base).is_some_and(RunSeen::is_green);
        if !trees.plan.tests_only.is_empty() && evidence.commands.iter().any(was_green) && !is_late() {
            // Where the base is built nothing but the tests is new, and nobody asks for the base itself any more.
            trees.base.turn_into(self.reader, TreeRole::TestsOnly, &trees.plan.tests_only).await?;
            self.run_new_tests(&trees.base, &trees.plan.new_tests(), evidence, was_green).await?;
        }
        // 5. Sabotage.
        if self.limits.mutants > 0 && !is_late() {
            let commands = evidence.commands.clone();
            let green: Vec<GreenCommand<'_>> = commands
                .iter()
                .map(|command| {
                    let took =
                        command.runs.iter().filter(|run| run.tree != TreeRole::Base).map(|run| run.elapsed_ms).max();
                    GreenCommand { command: &command.command, took: Duration::from_millis(took.unwrap_or_default()) }
                })
                .collect();
            // Tests that the work added to given files count, too, where they are green.
            let tree = trees.head.as_ref().unwrap_or(&trees.given);
            let (mutants, left) = self.sabotage(request, &trees.plan, tree, &green).await?;
            evidence.mutants = mutants;
            evidence.left_out.extend(left);
        }
        Ok(())
    }

    pub(super) async fn run_all(
        &self,
        tree: &LaidOut,
        evidence: &mut Evidence,
        wanted: impl Fn(&CommandEvidence) -> bool,
    ) -> Result<(), EvidenceError> {
        let Evidence { commands, rewritten, .. } = evidence;
        for command in commands.iter_mut().filter(|command| wanted(command)) {
            let (run, changed) = self.run_once(tree, &command.command, &[]).await?;
            command.runs.push(run);
            rewritten.extend(changed);
        }
        Ok(())
    }

    /// Runs the base, unless it was seen before, and the work with the given files put back: one after the other, the base
    /// before anything of the work has run; or both at the same time where they do not notice each other.
    async fn run_base_and_given(
        &self,
        request: &EvidenceRequest,
        trees: &mut TrialTrees,
        evidence: &mut Evidence,
        is_apart: bool,
    ) -> Result<(), EvidenceError> {
        for at in 0..evidence.commands.len() {
            let line = &evidence.commands[at].command.clone();
            let known = request.known.iter().find(|known| known.command == *line);
            let known = known.and_then(|known| known.on(TreeRole::Base)).cloned();
            let (base, given) = match known {
                Some(base) => (base, self.run_once(&trees.given, line, &[]).await?),
                None if is_apart => {
                    let (base, given) =
                        tokio::join!(self.run_once(&trees.base, line, &[]), self.run_once(&trees.given, line, &[]));
                    let base = self.alone(request, trees, TreeRole::Base, line, base?, evidence).await?;
                    (base.0, self.alone(request, trees, TreeRole::Given, line, given?, evidence).await?)
                }
                None => {
                    let base = self.run_once(&trees.base, line, &[]).await?;
                    (base.0, self.run_once(&trees.given, line, &[]).await?)
                }
            };
            evidence.commands[at].runs.extend([base, given.0]);
            evidence.rewritten.extend(given.1);
        }
        Ok(())
    }

    /// Runs the wanted commands on a tree, and tests of ours beside the given ones at the same time: what they say, by the
    /// number of the command.
    async fn run_and_sing(
        &self,
        request: &EvidenceRequest,
        trees: &mut TrialTrees,
        role: TreeRole,
        evidence: &mut Evidence,
    ) -> Result<BTreeMap<usize, Option<CanarySong>>, EvidenceError> {
        let mut songs = BTreeMap::new();
        for at in 0..evidence.commands.len() {
            let line = &evidence.commands[at].command.clone();
            let Some(tree) = trees.of(role).filter(|_| trees.are_for(role, &evidence.commands[at])) else { continue };
            let (run, song) = tokio::join!(
                self.run_once(tree, line, &[]),
                self.sing(request, &evidence.commands[at], &trees.given, &trees.base, &trees.base_paths)
            );
            let (run, changed) = self.alone(request, trees, role, line, run?, evidence).await?;
            evidence.commands[at].runs.push(run);
            evidence.rewritten.extend(changed);
            // One that does not come through is heard again alone.
            if let song @ Some(CanarySong::True) = song? {
                songs.insert(at, song);
            }
        }
        Ok(songs)
    }

    /// What was seen of a command that did not run alone. What is not green like this runs again alone, and what is seen then
    /// counts: tests may depend on how busy a machine is. It runs on a tree that is laid out again, for the first run may
    /// have left something behind that makes the second one green; and that it was red is told.
    async fn alone(
        &self,
        request: &EvidenceRequest,
        trees: &mut TrialTrees,
        role: TreeRole,
        command: &EvidenceCommand,
        seen: (RunSeen, Vec<String>),
        evidence: &mut Evidence,
    ) -> Result<(RunSeen, Vec<String>), EvidenceError> {
        if seen.0.is_green() {
            return Ok(seen);
        }
        trees.renew(self, request, role).await?;
        let Some(fresh) = trees.of(role) else { return Ok(seen) };
        let again = self.run_once(fresh, command, &[]).await?;
        if again.0.is_green() && role != TreeRole::Base {
            evidence
                .left_out
                .push(format!("`{}` was red when it ran beside another tree, and green alone", command.line));
        }
        Ok(again)
    }

    /// Whether two runs on two trees do not notice each other: no ports, no temporary files, no processes in common.
    fn keeps_runs_apart(&self) -> bool {
        matches!(self.sandbox.mechanism(), Mechanism::Bubblewrap { .. })
            && !self.place.network
            && self.place.writable.is_empty()
            && std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1)
    }

    /// Runs the work's tests, and only these where the runner can be told so.
    async fn run_new_tests(
        &self,
        tree: &LaidOut,
        tests: &[String],
        evidence: &mut Evidence,
        wanted: impl Fn(&CommandEvidence) -> bool,
    ) -> Result<(), EvidenceError> {
        let Evidence { commands, rewritten, .. } = evidence;
        for command in commands.iter_mut().filter(|command| wanted(command)) {
            let mut seen = self.run_once(tree, &command.command, tests).await?;
            // A choice that finds no test says nothing.
            let has_tests = seen.0.report.as_ref().is_some_and(|report| !report.tests.is_empty());
            if !tests.is_empty() && command.is_reported() && !has_tests {
                seen = self.run_once(tree, &command.command, &[]).await?;
            }
            command.runs.push(seen.0);
            rewritten.extend(seen.1);
        }
        Ok(())
    }

    /// Runs a command, and puts back what it changed of what decides what is seen.
    pub(super) async fn run_once(
        &self,
        tree: &LaidOut,
        command: &EvidenceCommand,
        only: &[String],
    ) -> Result<(RunSeen, Vec<String>), EvidenceError> {
        let mut run = self.run(tree, command, Beside { only, ..Beside::default() }).await?;
        run.rewritten = tree.put_back(self.reader).await?;
        let told = run.rewritten.iter().map(|path| format!("`{}` changed {path}", command.line)).collect();
        Ok((run, told))
    }

    /// Removes what is kept and nobody has used for long, beside the checks: nobody waits for it.
    fn clean_up(&self) {
        if let Some(home) = &self.place.home {
            let cache = home.cache.clone();
            // What cannot be removed today is tried again tomorrow.
            drop(tokio::task::spawn_blocking(move || prune(&cache, &KeptLimits::default(), SystemTime::now())));
        }
    }

    async fn plan(&self, request: &EvidenceRequest) -> Result<(EvidencePlan, Vec<String>), EvidenceError> {
        let base_paths = self.reader.paths(&request.base).await?;
        let changes = self.reader.changes(&request.base, &request.head).await?;
        let changed: Vec<ChangedPath> = changes
            .into_iter()
            .map(|change| ChangedPath {
                is_at_base: change.kind != ChangeKind::Added,
                is_at_head: change.kind != ChangeKind::Deleted,
                path: change.path,
            })
            .collect();
        let given = self.texts(&request.base, &GivenRoles::wanted(&changed, &base_paths)).await?;
        let paths: Vec<String> =
            changed.iter().map(|changed| changed.path.clone()).filter(|path| is_read(path)).collect();
        let base = self.texts(&request.base, &paths).await?;
        let head = self.texts(&request.head, &paths).await?;
        let head_text = |path: &str| head.get(path).cloned();
        let lines = request.commands.iter().map(|command| command.line.as_str());
        let plan = PlanInput {
            changed: &changed,
            base_paths: &base_paths,
            named: &request.named,
            may_change: &request.may_change,
            roles: &GivenRoles::read(&changed, lines, &given, head_text),
            base_text: |path: &str| base.get(path).cloned(),
            head_text,
        }
        .plan();
        Ok((plan, base_paths))
    }

    async fn texts(&self, commit: &str, paths: &[String]) -> Result<BTreeMap<String, String>, EvidenceError> {
        let contents = self.reader.contents(commit, paths).await?;
        let texts = paths
            .iter()
            .zip(contents)
            .filter_map(|(path, bytes)| Some((path.clone(), String::from_utf8(bytes?).ok()?)));
        Ok(texts.collect())
    }
}

/// A plain command that is red without the new tests shows nothing where a script that was given asks for one of them.
fn forget_what_asks_for_new_tests(trees: &TrialTrees, evidence: &mut Evidence) {
    let is_alone = |run: &RunSeen| run.tree == TreeRole::WithoutNewTests && !run.is_green();
    let is_unclear = |command: &CommandEvidence| !command.is_reported() && command.runs.iter().any(is_alone);
    if !evidence.commands.iter().any(is_unclear) || !trees.asks_for_new_tests() {
        return;
    }
    let Evidence { commands, left_out, .. } = evidence;
    for command in commands.iter_mut().filter(|command| is_unclear(command)) {
        command.runs.retain(|run| !is_alone(run));
        left_out.push(format!(
            "`{}` asks for a new test by its name, so the given ones were not tried without it",
            command.command.line
        ));
    }
}

/// Which runners the commands use, and why one is not asked.
pub(super) fn name_runners(commands: &mut [CommandEvidence], tree: &LaidOut) {
    let wish = ReportWish { folder: "/reports", ..ReportWish::default() };
    for command in commands {
        let runners = runners_of(&command.command.line, &tree.texts);
        command.runners = runners.into_iter().map(|(runner, _)| runner).collect();
        if let Adapted::No { why } = adapt(&command.command.line, &tree.texts, &wish) {
            command.plain = Some(why);
        }
    }
}

/// Whether the plan looks into a file: only what may be source, and those of which a part is given.
fn is_read(path: &str) -> bool {
    const READ: [&str; 24] = [
        "c", "cc", "cjs", "cpp", "cs", "cts", "dart", "go", "h", "hpp", "java", "js", "jsx", "kt", "mjs", "mts", "php",
        "py", "pyi", "rs", "scala", "swift", "ts", "tsx",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_source = name.rsplit_once('.').is_some_and(|(_, extension)| READ.contains(&extension));
    is_source || matches!(name, "Cargo.toml" | "go.mod" | "package.json" | "pyproject.toml" | "setup.cfg")
}
