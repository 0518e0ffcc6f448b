//! The trees of a judgement, as they are on disk.

use std::time::{Duration, Instant};

use tribunal_kernel::evidence::{CommandEvidence, EvidencePlan, GivenRoles, TreeEdit, TreeRole};

use super::collector::EvidenceCollector;
use super::go_cache::{GoCache, uses_go};
use super::laid_out::LaidOut;
use super::request::{EvidenceError, EvidenceRequest};
use super::setup::{PreparedTrees, ShowSetup};

/// Files of the base in which a new test may be named.
const MOST_NAMING: usize = 2000;

/// The trees, and what is needed to lay one of them out again.
#[derive(Debug)]
pub(super) struct TrialTrees {
    pub(super) plan: EvidencePlan,
    pub(super) base: LaidOut,
    pub(super) given: LaidOut,
    /// The work as it is, where that is something else than with the given files put back.
    pub(super) head: Option<LaidOut>,
    /// The given tests without the new ones, where there are both.
    pub(super) without_new_tests: Option<LaidOut>,
    /// New files beside the given tests that these, or the work, cannot do without.
    kept: Vec<String>,
    pub(super) base_paths: Vec<String>,
    head_paths: Vec<String>,
    prepared: PreparedTrees,
    go: Option<GoCache>,
}

impl TrialTrees {
    /// The tree of a role that may have to run again.
    pub(super) fn of(&self, role: TreeRole) -> Option<&LaidOut> {
        match role {
            TreeRole::Base => Some(&self.base),
            TreeRole::Given => Some(&self.given),
            TreeRole::Head => self.head.as_ref(),
            TreeRole::WithoutNewTests => self.without_new_tests.as_ref(),
            TreeRole::TestsOnly | TreeRole::Unsteered => None,
        }
    }

    /// Whether a command runs on the tree of a role.
    pub(super) fn are_for(&self, role: TreeRole, command: &CommandEvidence) -> bool {
        role != TreeRole::WithoutNewTests
            || self.plan.is_tried_without_new_tests(&command.command.line, &self.base_paths)
    }

    /// Lays the tree of a role out again, for what ran on it may have left something behind.
    pub(super) async fn renew(
        &mut self,
        collector: &EvidenceCollector<'_>,
        request: &EvidenceRequest,
        role: TreeRole,
    ) -> Result<(), EvidenceError> {
        let edits = match role {
            TreeRole::Given => self.plan.given.clone(),
            TreeRole::WithoutNewTests => self.plan.without_new_tests(&self.kept, &[]),
            _ => Vec::new(),
        };
        let fresh = self.laid_out(collector, request, role, &edits).await?;
        match role {
            TreeRole::Base => self.base = fresh,
            TreeRole::Given => self.given = fresh,
            TreeRole::Head => self.head = Some(fresh),
            TreeRole::WithoutNewTests => self.without_new_tests = Some(fresh),
            TreeRole::TestsOnly | TreeRole::Unsteered => {}
        }
        Ok(())
    }

    /// The given tests without those of the new ones that are not kept. `removed` ones are not there at all.
    pub(super) async fn keep(
        &mut self,
        collector: &EvidenceCollector<'_>,
        request: &EvidenceRequest,
        kept: &[String],
        removed: &[String],
    ) -> Result<LaidOut, EvidenceError> {
        self.kept = kept.to_vec();
        let edits = self.plan.without_new_tests(kept, removed);
        self.laid_out(collector, request, TreeRole::WithoutNewTests, &edits).await
    }

    async fn laid_out(
        &self,
        collector: &EvidenceCollector<'_>,
        request: &EvidenceRequest,
        role: TreeRole,
        edits: &[TreeEdit],
    ) -> Result<LaidOut, EvidenceError> {
        let mut fresh = collector.lay_out(request, role, edits, &self.prepared).await?;
        read(&mut fresh, (&self.base_paths, &self.head_paths), &request.named, &self.plan.roles);
        self.bring_go(&fresh).await?;
        Ok(fresh)
    }

    /// The work's own tests with what steers runners put back, where that was not seen yet.
    pub(super) async fn unsteered(
        &self,
        collector: &EvidenceCollector<'_>,
        request: &EvidenceRequest,
    ) -> Result<Option<LaidOut>, EvidenceError> {
        if self.plan.unsteered.is_empty() {
            return Ok(None);
        }
        let mut tree = collector.lay_out(request, TreeRole::Unsteered, &self.plan.unsteered, &self.prepared).await?;
        self.bring_go(&tree).await?;
        tree.read_recipes(&self.head_paths);
        Ok(Some(tree))
    }

    /// Whether something at the base asks for a new test by its name. The change has no say in that.
    pub(super) fn asks_for_new_tests(&self) -> bool {
        let names: Vec<&str> =
            self.plan.left_out().into_iter().map(|path| path.rsplit('/').next().unwrap_or(path)).collect();
        let texts = self.base_paths.iter().take(MOST_NAMING).filter_map(|path| self.base.text(path));
        texts.into_iter().any(|text| names.iter().any(|name| text.contains(name)))
    }

    /// Gives a tree in which nothing has run yet a build cache with the standard library.
    async fn bring_go(&self, tree: &LaidOut) -> Result<(), EvidenceError> {
        bring_go(self.go.as_ref(), tree).await
    }
}

impl EvidenceCollector<'_> {
    /// Lays out what is looked at in every judgement, and says how long somebody waited for what is made once.
    pub(super) async fn lay_out_all(
        &self,
        request: &EvidenceRequest,
        (plan, base_paths): (EvidencePlan, Vec<String>),
        prepared: PreparedTrees,
        commands: &mut [CommandEvidence],
        show: ShowSetup<'_>,
    ) -> Result<(TrialTrees, Duration), EvidenceError> {
        let head_paths = self.reader.paths(&request.head).await?;
        let tried_alone =
            |command: &CommandEvidence| plan.is_tried_without_new_tests(&command.command.line, &base_paths);
        let without = commands.iter().any(tried_alone);
        let alone = plan.without_new_tests(&[], &[]);
        // All at once: a judgement of a small change is mostly the making of its trees.
        let (mut given, mut base, mut head, mut without_new_tests) = tokio::try_join!(
            self.lay_out(request, TreeRole::Given, &plan.given, &prepared),
            self.lay_out(request, TreeRole::Base, &[], &prepared),
            self.lay_out_if(plan.needs_head, request, TreeRole::Head, &[], &prepared),
            self.lay_out_if(without, request, TreeRole::WithoutNewTests, &alone, &prepared),
        )?;
        for tree in [Some(&mut given), Some(&mut base), head.as_mut(), without_new_tests.as_mut()].into_iter().flatten()
        {
            read(tree, (&base_paths, &head_paths), &request.named, &plan.roles);
        }
        super::collector::name_runners(commands, &given);
        let (mut go, mut waited) = (None, Duration::ZERO);
        if commands.iter().any(uses_go) {
            let begun = Instant::now();
            go = self.go_cache(show).await;
            waited = begun.elapsed();
        }
        for tree in [&given, &base].into_iter().chain(&head).chain(&without_new_tests) {
            bring_go(go.as_ref(), tree).await?;
        }
        let kept = Vec::new();
        let trees =
            TrialTrees { plan, base, given, head, without_new_tests, kept, base_paths, head_paths, prepared, go };
        Ok((trees, waited))
    }

    async fn lay_out_if(
        &self,
        is_needed: bool,
        request: &EvidenceRequest,
        role: TreeRole,
        edits: &[TreeEdit],
        prepared: &PreparedTrees,
    ) -> Result<Option<LaidOut>, EvidenceError> {
        if is_needed { self.lay_out(request, role, edits, prepared).await.map(Some) } else { Ok(None) }
    }

    async fn lay_out(
        &self,
        request: &EvidenceRequest,
        role: TreeRole,
        edits: &[TreeEdit],
        prepared: &PreparedTrees,
    ) -> Result<LaidOut, EvidenceError> {
        let (base, head) = (request.base.as_str(), request.head.as_str());
        let (commits, prepared) = match role {
            TreeRole::Base | TreeRole::TestsOnly => ((base, head), prepared.base.as_ref()),
            TreeRole::Given | TreeRole::Head | TreeRole::Unsteered | TreeRole::WithoutNewTests => {
                ((head, base), prepared.head.as_ref())
            }
        };
        LaidOut::new(self.reader, &self.place, role, commits, edits, prepared).await
    }
}

/// Reads what commands stand in, and keeps watch over what decides what is seen.
fn read(tree: &mut LaidOut, (base_paths, head_paths): (&[String], &[String]), named: &[String], roles: &GivenRoles) {
    let paths = match tree.role {
        TreeRole::Base => base_paths.to_vec(),
        TreeRole::Given | TreeRole::WithoutNewTests => [head_paths, base_paths].concat(),
        TreeRole::Head | TreeRole::TestsOnly | TreeRole::Unsteered => head_paths.to_vec(),
    };
    tree.read_recipes(&paths);
    tree.guard(&paths, named, roles);
}

async fn bring_go(go: Option<&GoCache>, tree: &LaidOut) -> Result<(), EvidenceError> {
    match go.zip(tree.home.as_ref()) {
        Some((go, home)) => go.bring(home).await,
        None => Ok(()),
    }
}
