//! The plan: which trees a change is looked at on, and what in it touches what is given.

use serde::{Deserialize, Serialize};

use super::given::{MayChange, PathRole, role_of};
use super::inline_tests::{has_inline_tests, inline_changes, with_tests_of};
use super::mixed::{is_steered_anew, merged};
use super::new_tests::{apart, asks_for};
use super::source::SourceLanguage;

/// Which tree something ran on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeRole {
    /// What the work began with.
    Base,
    /// The work, with everything that is given put back.
    Given,
    /// The work as it is.
    Head,
    /// The work's tests without the rest of the work.
    TestsOnly,
    /// The work with its own tests, and with what steers runners put back.
    Unsteered,
    /// The work with the given files put back, and without the new tests.
    WithoutNewTests,
}

impl TreeRole {
    /// As a place in a sentence.
    pub fn told(self) -> &'static str {
        match self {
            Self::Base => "at the base",
            Self::Given => "with the given files put back",
            Self::Head => "on the work as it is",
            Self::TestsOnly => "with the work's tests and without the work",
            Self::Unsteered => "without what steers a runner anew",
            Self::WithoutNewTests => "with the given tests and without the new ones",
        }
    }
}

/// A path that differs between base and head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    pub path: String,
    pub is_at_base: bool,
    pub is_at_head: bool,
}

/// What makes one tree of another: by paths, so that nobody has to hold files in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeEdit {
    /// The file as the other commit has it.
    Restore(String),
    Remove(String),
    Write {
        path: String,
        text: String,
    },
}

/// Something given that the work touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedPath {
    pub path: String,
    pub what: Touch,
    /// Whether the story, or a person, allows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allowed: bool,
}

/// What was done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    TestAdded,
    TestChanged,
    TestDeleted,
    SteeringAdded,
    SteeringChanged,
    SteeringDeleted,
}

/// What is done to find evidence for a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvidencePlan {
    /// From the head to the tree with the given files.
    pub given: Vec<TreeEdit>,
    /// From the head to the tree with the work's own tests and what steers runners put back. Nothing, where the tree with
    /// the given files is just that.
    pub unsteered: Vec<TreeEdit>,
    /// From the head to the tree with the given tests and without the new ones. Nothing, where none of them could be noticed.
    pub without_new_tests: Vec<TreeEdit>,
    /// From the base to the tree with the work's tests alone.
    pub tests_only: Vec<TreeEdit>,
    pub touched: Vec<TouchedPath>,
    /// Tests inside of source files that were removed or changed, as `path: name`.
    pub inline: Vec<String>,
    /// Whether the head has to run as it is, too: something given differs in it.
    pub needs_head: bool,
    /// Source files of the work, for sabotage.
    pub sources: Vec<String>,
    /// Nothing was given, so new files that steer are the work itself.
    pub is_from_nothing: bool,
}

impl EvidencePlan {
    /// The files that the work's tests are in; none, where more than whole files is new.
    pub fn new_tests(&self) -> Vec<String> {
        let files = self.tests_only.iter().map(|edit| match edit {
            TreeEdit::Restore(path) => Some(path.clone()),
            TreeEdit::Remove(_) | TreeEdit::Write { .. } => None,
        });
        files.collect::<Option<_>>().unwrap_or_default()
    }

    /// Whether a command has to run without the new tests, too: one that asks for one of them itself is nothing without it.
    pub fn is_tried_without_new_tests(&self, line: &str, base_paths: &[String]) -> bool {
        let removed = self.removed_tests();
        !removed.is_empty() && !asks_for(line, &removed, base_paths)
    }

    /// The new tests that are left out where the given ones run alone.
    pub fn removed_tests(&self) -> Vec<&str> {
        let is_new = |path: &str| self.touched.iter().any(|it| it.what == Touch::TestAdded && it.path == path);
        let removed = self.without_new_tests.iter().filter_map(|edit| match edit {
            TreeEdit::Remove(path) => Some(path.as_str()),
            TreeEdit::Restore(_) | TreeEdit::Write { .. } => None,
        });
        removed.filter(|path| is_new(path)).collect()
    }

    fn put_back_steering(&mut self, edit: TreeEdit) {
        self.needs_head = true;
        self.unsteered.push(edit.clone());
        self.given.push(edit);
    }
}

/// What the plan needs to know of the two commits.
#[derive(Debug)]
pub struct PlanInput<'a, B, H> {
    pub changed: &'a [ChangedPath],
    /// Every path at the base.
    pub base_paths: &'a [String],
    /// What the test spec names: given, whatever it is.
    pub named: &'a [String],
    pub may_change: &'a MayChange,
    /// The text of a file at the base, and at the head.
    pub base_text: B,
    pub head_text: H,
}

impl<B: Fn(&str) -> Option<String>, H: Fn(&str) -> Option<String>> PlanInput<'_, B, H> {
    /// Makes the plan.
    pub fn plan(&self) -> EvidencePlan {
        let is_given = |path: &String| matches!(role_of(path), PathRole::Test | PathRole::Steering);
        let mut plan = EvidencePlan {
            is_from_nothing: !self.base_paths.iter().any(|path| is_given(path) || role_of(path) == PathRole::Mixed),
            ..EvidencePlan::default()
        };
        for changed in self.changed {
            let is_named = self.named.iter().any(|name| name.split('#').next() == Some(changed.path.as_str()));
            match role_of(&changed.path) {
                PathRole::Work if is_named => self.test(changed, &mut plan),
                PathRole::Work => self.work(changed, &mut plan),
                PathRole::Test => self.test(changed, &mut plan),
                PathRole::Steering => self.steering(changed, &mut plan),
                PathRole::Mixed => self.mixed(changed, &mut plan),
            }
        }
        if plan.given.len() == plan.unsteered.len() {
            plan.unsteered.clear();
        }
        let apart = apart(&plan, self.base_paths, &self.head_text);
        let new: Vec<TreeEdit> = apart.into_iter().filter(|edit| !plan.given.contains(edit)).collect();
        if !new.is_empty() {
            plan.without_new_tests = plan.given.iter().chain(&new).cloned().collect();
        }
        plan
    }

    fn touch(&self, path: &str, what: Touch, plan: &mut EvidencePlan) -> bool {
        let allowed = self.may_change.allows(path);
        plan.touched.push(TouchedPath { path: path.to_owned(), what, allowed });
        allowed
    }

    fn test(&self, changed: &ChangedPath, plan: &mut EvidencePlan) {
        let path = &changed.path;
        let what = match (changed.is_at_base, changed.is_at_head) {
            (false, _) => Touch::TestAdded,
            (true, true) => Touch::TestChanged,
            (true, false) => Touch::TestDeleted,
        };
        let allowed = self.touch(path, what, plan);
        if changed.is_at_base && !allowed {
            plan.given.push(TreeEdit::Restore(path.clone()));
            plan.needs_head = true;
        } else if self.is_moved_here(changed) {
            // Where it was, it is put back; two of them would get in each other's way.
            plan.given.push(TreeEdit::Remove(path.clone()));
            plan.needs_head = true;
        }
        if changed.is_at_head {
            plan.tests_only.push(TreeEdit::Restore(path.clone()));
        } else if allowed {
            plan.tests_only.push(TreeEdit::Remove(path.clone()));
        }
    }

    /// Whether a given test of the same name is gone from somewhere else.
    fn is_moved_here(&self, changed: &ChangedPath) -> bool {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let is_gone = |other: &&ChangedPath| !other.is_at_head && !self.may_change.allows(&other.path);
        !changed.is_at_base && self.changed.iter().filter(is_gone).any(|other| name(&other.path) == name(&changed.path))
    }

    fn steering(&self, changed: &ChangedPath, plan: &mut EvidencePlan) {
        let path = &changed.path;
        let what = match (changed.is_at_base, changed.is_at_head) {
            (false, _) => Touch::SteeringAdded,
            (true, true) => Touch::SteeringChanged,
            (true, false) => Touch::SteeringDeleted,
        };
        let allowed = self.touch(path, what, plan);
        if allowed || plan.is_from_nothing {
            if changed.is_at_head && allowed {
                plan.tests_only.push(TreeEdit::Restore(path.clone()));
            }
            return;
        }
        plan.put_back_steering(if changed.is_at_base {
            TreeEdit::Restore(path.clone())
        } else {
            TreeEdit::Remove(path.clone())
        });
    }

    fn mixed(&self, changed: &ChangedPath, plan: &mut EvidencePlan) {
        let path = &changed.path;
        let base = if changed.is_at_base { (self.base_text)(path) } else { None };
        let head = if changed.is_at_head { (self.head_text)(path) } else { None };
        if !is_steered_anew(path, base.as_deref(), head.as_deref()) {
            return;
        }
        let what = match (&base, &head) {
            (None, _) => Touch::SteeringAdded,
            (_, Some(_)) => Touch::SteeringChanged,
            _ => Touch::SteeringDeleted,
        };
        if self.touch(path, what, plan) || (base.is_none() && plan.is_from_nothing) {
            return;
        }
        plan.put_back_steering(match head.and_then(|head| merged(path, base.as_deref(), &head)) {
            Some(text) => TreeEdit::Write { path: path.clone(), text },
            None if changed.is_at_base => TreeEdit::Restore(path.clone()),
            None => TreeEdit::Remove(path.clone()),
        });
    }

    fn work(&self, changed: &ChangedPath, plan: &mut EvidencePlan) {
        let path = &changed.path;
        if changed.is_at_head && SourceLanguage::of(path).is_some() {
            plan.sources.push(path.clone());
        }
        if SourceLanguage::of(path) != Some(SourceLanguage::Rust) {
            return;
        }
        let base = if changed.is_at_base { (self.base_text)(path) } else { None };
        let head = if changed.is_at_head { (self.head_text)(path) } else { None };
        let changes = base.as_deref().map(|base| inline_changes(base, head.as_deref().unwrap_or_default()));
        let changes = changes.unwrap_or_default();
        if !changes.is_empty() {
            plan.inline.extend(changes.iter().map(|change| format!("{path}: {}", change.name)));
            let is_gone = head.is_none();
            let what = if is_gone { Touch::TestDeleted } else { Touch::TestChanged };
            let allowed = self.touch(path, what, plan);
            if !allowed && let (Some(base), Some(head)) = (&base, &head) {
                plan.needs_head = true;
                if let Some(text) = with_tests_of(head, base) {
                    plan.given.push(TreeEdit::Write { path: path.clone(), text });
                }
            }
        }
        // The head's tests on the base's code: shows whether they are red without the work.
        if let (Some(base), Some(head)) = (&base, &head)
            && has_inline_tests(head)
            && let Some(text) = with_tests_of(base, head)
            && changes_tests(base, head)
        {
            plan.tests_only.push(TreeEdit::Write { path: path.clone(), text });
        }
    }
}

/// Whether the head has tests that the base does not have like that.
fn changes_tests(base: &str, head: &str) -> bool {
    !inline_changes(head, base).is_empty()
}
