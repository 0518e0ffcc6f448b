//! Which episode a workspace belongs to.

use std::path::Path;

use super::paths::EPISODE;
use super::{WorkspaceError, json};

/// The `episode_id` of `episode.yaml`, or else the name of the folder.
pub(super) fn id(root: &Path) -> Result<String, WorkspaceError> {
    let stated = json::read_text(&root.join(EPISODE))?.as_deref().and_then(stated);
    Ok(stated.unwrap_or_else(|| folder(root)))
}

/// The value of a plain `episode_id: x` line. One line is all we want to know, so there is no need for all of YAML;
/// a value in one of its richer forms counts as not stated.
fn stated(yaml: &str) -> Option<String> {
    let value = yaml.lines().find_map(|line| line.strip_prefix("episode_id:"))?;
    if !value.starts_with([' ', '\t']) {
        return None;
    }
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote) {
            let (inside, after) = rest.split_once(quote)?;
            let after = after.trim_start();
            let is_plain = !inside.contains('\\') && (after.is_empty() || after.starts_with('#'));
            return (is_plain && !inside.trim().is_empty()).then(|| inside.to_owned());
        }
    }
    let value = value.split(" #").next().unwrap_or_default().trim_end();
    let is_plain = !value.starts_with(['#', '|', '>', '{', '[', '&', '*', '!', '%', '@', '`']);
    (is_plain && !value.is_empty() && value != "null" && value != "~").then(|| value.to_owned())
}

fn folder(root: &Path) -> String {
    let whole = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    whole.file_name().map_or_else(|| "workspace".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_line_states_the_id() {
        for (yaml, expected) in [
            ("episode_id: ep_001", Some("ep_001")),
            ("title: x\nepisode_id:  'ep 2'  # the second\n", Some("ep 2")),
            ("episode_id: \"ep_3\"\r\n", Some("ep_3")),
            ("episode_id: a b # c", Some("a b")),
            ("  episode_id: nested", None),
            ("episode_id:", None),
            ("episode_id: ''", None),
            ("episode_id: null", None),
            ("episode_id: |\n  x", None),
            ("episode_id: \"a\\u0041\"", None),
            ("episode_idea: x", None),
        ] {
            assert_eq!(stated(yaml).as_deref(), expected, "{yaml}");
        }
    }
}
