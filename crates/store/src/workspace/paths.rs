//! Where the files lie, relative to the workspace, and names that are safe in paths.

use std::path::PathBuf;
use tribunal_kernel::{DraftId, Format, Round};

use super::WorkspaceError;

/// The snapshot of the workspace.
pub(super) const STATE: &str = "state.json";
/// Where other tools keep what is known of an episode.
pub(super) const EPISODE: &str = "episode.yaml";
/// Longer names become unwieldy long before the file system refuses them.
const MAX_NAME: usize = 100;

/// The name of an asset, `^[a-z][a-z0-9_]*$`: safe in every path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset(String);

/// The folder of everything that is kept for reviews.
pub(super) const COPY: &str = "copy";

impl Asset {
    /// Reads the name of an asset.
    pub fn parse(name: &str) -> Result<Self, WorkspaceError> {
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.bytes().all(is_word)
            && name.len() <= MAX_NAME
        {
            Ok(Self(name.to_owned()))
        } else {
            Err(WorkspaceError::BadAsset { asset: name.to_owned() })
        }
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `copy/candidates/<asset>`
    pub(super) fn candidates(&self) -> PathBuf {
        PathBuf::from(format!("copy/candidates/{}", self.0))
    }

    /// `copy/candidates/<asset>/candidate_<uuid>.<extension>`
    pub(super) fn candidate(&self, id: DraftId, extension: &str) -> PathBuf {
        self.candidates().join(format!("candidate_{id}.{extension}"))
    }

    /// `copy/reviews/<asset>/iteration_<NN>[.<reviewer>].json`
    pub(super) fn review(&self, round: Round, reviewer: Option<&str>) -> PathBuf {
        let suffix = reviewer.map(|reviewer| format!(".{}", safe(reviewer))).unwrap_or_default();
        PathBuf::from(format!("copy/reviews/{}/{}{suffix}.json", self.0, numbered(round)))
    }

    /// `copy/protocol/<asset>/iteration_<NN>.json`
    pub(super) fn protocol(&self, round: Round) -> PathBuf {
        PathBuf::from(format!("copy/protocol/{}/{}.json", self.0, numbered(round)))
    }

    /// `copy/protocol/<asset>/iteration_<NN>.creator.json`
    pub(super) fn protocol_creator(&self, round: Round) -> PathBuf {
        PathBuf::from(format!("copy/protocol/{}/{}.creator.json", self.0, numbered(round)))
    }

    /// `copy/protocol/<asset>/state.json`
    pub(super) fn protocol_state(&self) -> PathBuf {
        PathBuf::from(format!("copy/protocol/{}/state.json", self.0))
    }

    /// `copy/selected/<asset>.<ext>`
    pub(super) fn selected(&self, format: Format) -> PathBuf {
        PathBuf::from(format!("copy/selected/{}.{}", self.0, format.extension()))
    }
}

/// `copy/provenance/prompts/<id>.json`
pub(super) fn prompt(id: &str) -> PathBuf {
    PathBuf::from(format!("copy/provenance/prompts/{}.json", safe(id)))
}

/// The name with every character outside `[A-Za-z0-9._-]` replaced by `_`.
pub(super) fn safe(name: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    name.chars().map(|c| if is_safe(c) { c } else { '_' }).take(MAX_NAME).collect()
}

/// Two digits, more when needed.
fn numbered(round: Round) -> String {
    format!("iteration_{:02}", round.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asset_cannot_leave_its_folder() {
        for name in ["slug", "title_detail", "a1"] {
            assert_eq!(Asset::parse(name).unwrap().as_str(), name);
        }
        for name in ["", "_a", "1a", "Slug", "a-b", "a/b", "..", "a.b", "é", "a\n", &"a".repeat(101)] {
            assert!(Asset::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn names_are_made_safe() {
        for (name, expected) in [
            ("codex", "codex"),
            ("GPT-5.2_x", "GPT-5.2_x"),
            ("my agent", "my_agent"),
            ("../../etc/passwd", ".._.._etc_passwd"),
            ("über\u{1f600}\n", "_ber__"),
        ] {
            assert_eq!(safe(name), expected);
        }
    }

    #[test]
    fn numbers_have_two_digits_and_more_when_needed() {
        let asset = Asset::parse("slug").unwrap();
        assert_eq!(asset.protocol(Round(7)), PathBuf::from("copy/protocol/slug/iteration_07.json"));
        assert_eq!(asset.protocol(Round(123)), PathBuf::from("copy/protocol/slug/iteration_123.json"));
        assert_eq!(asset.review(Round(1), None), PathBuf::from("copy/reviews/slug/iteration_01.json"));
        assert_eq!(asset.review(Round(1), Some("a b")), PathBuf::from("copy/reviews/slug/iteration_01.a_b.json"));
    }
}
