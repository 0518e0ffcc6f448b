//! The plan: which trees a change is looked at on, and what in it touches what is given.

use serde::{Deserialize, Serialize};

use super::doc_tests::{doc_changes, with_docs_of};
use super::given::{MayChange, PathRole, is_folder_of_tests};
use super::given_roles::GivenRoles;
use super::inline_tests::{
    has_inline_tests, has_new_gates, inline_changes, put_back, with_tests_of, without_new_gates,
};
use super::loads::loads;
use super::mixed::{is_steered_anew, merged};
use super::new_tests::{NewTest, apart, asks_for};
use super::source::SourceLanguage;
use super::test_aware::{TestAware, signs};
use super::test_text::has_tests;

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
    /// The new tests without which the given ones have to hold, too.
    pub new_beside: Vec<NewTest>,
    /// From the base to the tree with the work's tests alone.
    pub tests_only: Vec<TreeEdit>,
    pub touched: Vec<TouchedPath>,
    /// Tests inside of source files that were removed or changed, as `path: name`.
    pub inline: Vec<String>,
    /// Source files with tests, and whole folders of them, that were removed or changed and could not be put back.
    pub not_put_back: Vec<String>,
    /// Whether the head has to run as it is, too: something given differs in it.
    pub needs_head: bool,
    /// Source files of the work, for sabotage.
    pub sources: Vec<String>,
    /// Those among them that ask whether they are being tested, and nobody allowed it.
    pub test_aware: Vec<TestAware>,
    /// Nothing was given, so new files that steer are the work itself.
    pub is_from_nothing: bool,
    /// What the base says of files beside their names.
    pub roles: GivenRoles,
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
        let new = self.left_out();
        !new.is_empty() && !asks_for(line, &new, base_paths)
    }

    /// The new tests that are left out where the given ones run alone.
    pub fn left_out(&self) -> Vec<&str> {
        self.new_beside.iter().map(|new| new.path.as_str()).collect()
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
    /// What the base says of files beside their names.
    pub roles: &'a GivenRoles,
    /// The text of a file at the base, and at the head.
    pub base_text: B,
    pub head_text: H,
}

impl<B: Fn(&str) -> Option<String>, H: Fn(&str) -> Option<String>> PlanInput<'_, B, H> {
    /// Makes the plan.
    pub fn plan(&self) -> EvidencePlan {
        let is_given = |path: &String| self.roles.role_of(path) != PathRole::Work;
        let mut plan = EvidencePlan {
            is_from_nothing: !self.base_paths.iter().any(is_given),
            roles: self.roles.clone(),
            ..EvidencePlan::default()
        };
        for changed in self.changed {
            let is_named = self.named.iter().any(|name| name.split('#').next() == Some(changed.path.as_str()));
            match self.roles.role_of(&changed.path) {
                PathRole::Work if is_named => self.test(changed, &mut plan),
                PathRole::Work if changed.is_at_base && is_folder_of_tests(&changed.path) => {
                    self.folder_of_tests(changed, &mut plan);
                }
                PathRole::Work => self.work(changed, &mut plan),
                PathRole::Test => self.test(changed, &mut plan),
                PathRole::Steering => self.steering(changed, &mut plan),
                PathRole::Mixed => self.mixed(changed, &mut plan),
            }
        }
        if plan.given.len() == plan.unsteered.len() {
            plan.unsteered.clear();
        }
        self.gates(&mut plan);
        plan.test_aware = self.test_aware(&plan);
        let is_moved = |new: &NewTest| plan.given.contains(&TreeEdit::Remove(new.path.clone()));
        let new = apart(&plan, self.changed, self.base_paths, &self.head_text);
        let is_allowed = |new: &NewTest| self.may_change.allows(&new.path);
        let new: Vec<NewTest> = new.into_iter().filter(|new| !is_moved(new) && !is_allowed(new)).collect();
        plan.new_beside.extend(new);
        for new in &plan.new_beside {
            if !plan.touched.iter().any(|touched| touched.path == new.path) {
                plan.touched.push(TouchedPath { path: new.path.clone(), what: Touch::TestAdded, allowed: false });
            }
        }
        plan
    }

    /// Where something new in Rust is built for tests alone and could help given ones, all of that is left out once: new tests in
    /// one file may need what is new in another.
    fn gates(&self, plan: &mut EvidencePlan) {
        let is_rust = |path: &&String| SourceLanguage::of(path) == Some(SourceLanguage::Rust);
        let paths = plan.sources.iter().filter(is_rust).filter(|path| !self.may_change.allows(path));
        let texts = paths.filter_map(|path| {
            Some((path.clone(), (self.head_text)(path)?, (self.base_text)(path).unwrap_or_default()))
        });
        let texts: Vec<(String, String, String)> = texts.collect();
        if !texts.iter().any(|(_, head, base)| has_new_gates(head, base)) {
            return;
        }
        for (path, head, base) in texts {
            if let Some(text) = without_new_gates(&head, &base) {
                plan.new_beside.push(NewTest::of_module(&path, text));
            }
        }
    }

    /// A new file with tests that nothing of the work loads is a test by another name, and may say so.
    fn test_aware(&self, plan: &EvidencePlan) -> Vec<TestAware> {
        let given: Vec<&str> =
            self.base_paths.iter().map(String::as_str).filter(|path| self.roles.is_test(path)).collect();
        let texts: Vec<(&String, String)> =
            plan.sources.iter().filter_map(|path| Some((path, (self.head_text)(path)?))).collect();
        let is_test = |path: &String, head: &str| {
            let is_new = self.changed.iter().any(|changed| changed.path == *path && !changed.is_at_base);
            let has_tests = SourceLanguage::of(path).is_some_and(|language| has_tests(language, head));
            is_new && has_tests && !texts.iter().any(|(own, text)| *own != path && loads(own, text, path))
        };
        let asked = texts.iter().filter(|(path, head)| !self.may_change.allows(path) && !is_test(path, head));
        asked
            .flat_map(|(path, head)| signs(path, (self.base_text)(path).as_deref(), head, given.iter().copied()))
            .collect()
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

    /// A submodule, or a link, whose other end is another one now: nothing of it is put back by its path.
    fn folder_of_tests(&self, changed: &ChangedPath, plan: &mut EvidencePlan) {
        let what = if changed.is_at_head { Touch::TestChanged } else { Touch::TestDeleted };
        if !self.touch(&changed.path, what, plan) {
            plan.not_put_back.push(changed.path.clone());
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
        let docs = base.as_deref().zip(head.as_deref()).map(|(base, head)| doc_changes(base, head)).unwrap_or_default();
        if !changes.is_empty() || !docs.is_empty() {
            plan.inline.extend(changes.iter().map(|change| format!("{path}: {}", change.name)));
            plan.inline.extend(docs.iter().map(|of| format!("{path}: {of} (documentation)")));
            let is_gone = head.is_none();
            let what = if is_gone { Touch::TestDeleted } else { Touch::TestChanged };
            let allowed = self.touch(path, what, plan);
            if !allowed && let (Some(base), Some(head)) = (&base, &head) {
                plan.needs_head = true;
                let documented = with_docs_of(head, base);
                let text = if changes.is_empty() { Some(documented) } else { put_back(&documented, base) };
                match text {
                    Some(text) => plan.given.push(TreeEdit::Write { path: path.clone(), text }),
                    None => plan.not_put_back.push(path.clone()),
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
