//! Whether a panel sits at all: what the configuration, the project's skill and the brief say about it.

use std::fs;
use std::path::Path;
use tribunal_config::{Config, Policy};

use crate::error::AppError;

/// The file of a project that describes what it is good at.
const SKILL: &str = "SKILL.md";

/// What the policies come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanelPolicy {
    pub seats_panel: bool,
    /// Which of them decided, where it was not the default.
    pub reason: Option<String>,
}

/// The nearest policy wins: the brief's, then that of `SKILL.md`, then the configuration's. The switch
/// `theater.enabled` is not a policy: off is off.
pub fn find(config: &Config, brief: &str, workspace: &Path, wants_panel: bool) -> Result<PanelPolicy, AppError> {
    if !config.theater.enabled {
        return Ok(PanelPolicy { seats_panel: false, reason: Some("off: `theater.enabled` is false".into()) });
    }
    let skill = skill_file(workspace);
    let said = [("the brief", brief), (SKILL, skill.as_str())]
        .into_iter()
        .find_map(|(whose, text)| Some((whose, front_matter_policy(text)?)));
    let (policy, whose) = match said {
        Some((whose, word)) => {
            let known = Policy::ALL.iter().find(|policy| policy.as_str() == word).copied();
            let policy = known.ok_or_else(|| {
                AppError::misconfigured(
                    format!("`critique.policy: {word}` in {whose} is not a policy"),
                    format!("it can be {}", Policy::WORDS.join(", ")),
                )
            })?;
            (policy, format!("`critique.policy` of {whose}"))
        }
        None => (config.theater.policy, "`theater.policy`".to_owned()),
    };
    let is_default = said.is_none() && policy == Policy::Always;
    let seats_panel = match policy {
        Policy::Always => true,
        Policy::OnDemand => wants_panel,
        Policy::Off => false,
    };
    Ok(PanelPolicy { seats_panel, reason: (!is_default).then(|| format!("{policy}: {whose}")) })
}

/// What a project says that it is good at; nothing, where it says nothing.
pub(super) fn skill_file(workspace: &Path) -> String {
    fs::read_to_string(workspace.join(SKILL)).unwrap_or_default()
}

/// Where a policy stands in front matter: for itself, or among the settings of a tool that has more of them.
const POLICY_KEYS: [&str; 2] = ["critique.policy", "od.critique.policy"];

/// `critique.policy` of a text's front matter, or the same below `od`: nested or dotted.
fn front_matter_policy(text: &str) -> Option<&str> {
    front_matter(text, &POLICY_KEYS)
}

/// What the front matter of a text says under one of these keys: nested or dotted.
pub(super) fn front_matter<'t>(text: &'t str, keys: &[&str]) -> Option<&'t str> {
    let body = text.trim_start_matches('\u{feff}').strip_prefix("---")?;
    let body = body.strip_prefix("\r\n").or_else(|| body.strip_prefix('\n'))?;
    // The keys that a line is below, each with how far it is indented.
    let mut above: Vec<(usize, &str)> = Vec::new();
    for line in body.lines().take_while(|line| line.trim_end() != "---") {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        if key.trim().is_empty() || key.trim_start().starts_with('#') {
            continue;
        }
        let indent = key.len() - key.trim_start().len();
        above.retain(|(outer, _)| *outer < indent);
        above.push((indent, key.trim()));
        let path: Vec<&str> = above.iter().map(|(_, key)| *key).collect();
        if keys.contains(&path.join(".").as_str()) && !value.is_empty() {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_says_what_the_policy_is() {
        for (name, text, expected) in [
            ("nested", "---\ntitle: x\ncritique:\n  policy: off\n---\nBrief", Some("off")),
            ("dotted", "---\ncritique.policy: \"on-demand\"\n---\n", Some("on-demand")),
            ("comment", "---\ncritique:\n  policy: always # please\n---\n", Some("always")),
            ("below a tool", "---\nname: x\nod:\n  mode: y\n  critique:\n    policy: off\n---\n", Some("off")),
            ("below a tool, dotted", "---\nod.critique.policy: off\n---\n", Some("off")),
            ("below another tool", "---\nother:\n  critique:\n    policy: off\n---\n", None),
            ("a neighbour", "---\ncritique:\n  mode: x\npolicy: off\n---\n", None),
            ("of something else", "---\nmoney:\n  policy: off\n---\n", None),
            ("after the front matter", "---\ntitle: x\n---\ncritique.policy: off\n", None),
            ("no front matter", "critique.policy: off\n", None),
            ("a rule", "----\ncritique.policy: off\n", None),
        ] {
            assert_eq!(front_matter_policy(text), expected, "{name}");
        }
    }
}
