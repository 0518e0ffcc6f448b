//! Which variables an agent gets to see: an allow-list, so that a secret reaches only the agent it is meant for.

use std::collections::BTreeMap;

use crate::TurnRequest;

/// What programs commonly need, and no secrets.
const COMMON: &[&str] =
    &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TRIBUNAL_ACCOUNT", "TZ", "USER"];
const COMMON_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// The variables of our own process, from which agents get a selection.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// An environment of these variables.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(variables.into_iter().collect())
    }

    /// The value of one variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// What an agent sees: the common variables, those named in `allowed`, and the turn's own. Sorted by name.
    pub fn select(&self, allowed: &[String], request: &TurnRequest) -> Vec<(String, String)> {
        let is_allowed = |name: &str| {
            COMMON.contains(&name)
                || COMMON_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
                || allowed.iter().any(|allowed| allowed == name)
        };
        let mut selected: BTreeMap<String, String> = self.0.clone();
        selected.retain(|name, _| is_allowed(name));
        selected.extend(request.variables());
        selected.into_iter().collect()
    }
}

/// Names alone: values may be secret.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}
