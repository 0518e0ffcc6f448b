//! What the user has begun with git and not finished: nothing is merged into the middle of it.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::TreeError;
use super::git::{Git, fields};
use super::worktree::Worktree;

/// What git leaves in its folder until it is done. A rebase picks commits, so it comes before the picking.
const BEGUN: [(&str, &str); 6] = [
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
];

impl Worktree {
    /// Refuses where the user is in the middle of something.
    pub(super) async fn check_at_rest(&self, user: &Git) -> Result<(), TreeError> {
        let folder = user.line(&["rev-parse", "--absolute-git-dir"]).await?;
        let begun = BEGUN.into_iter().find(|(name, _)| Path::new(&folder).join(name).exists());
        if let Some((_, doing)) = begun {
            return Err(TreeError::Unfinished { doing });
        }
        // A stash that did not fit leaves nothing but these.
        let unmerged = user.call(&["ls-files", "--unmerged", "-z"], &[]).await?;
        let paths = fields(&unmerged).filter_map(|entry| entry.splitn(2, |byte| *byte == b'\t').nth(1));
        let files: BTreeSet<String> = paths.map(|path| self.seen_from_project(path)).collect();
        if files.is_empty() { Ok(()) } else { Err(TreeError::Unresolved { files: files.into_iter().collect() }) }
    }
}
