//! What the reader has, held against what a proof is about.
//!
//! Whoever signs a proof can write any digest beside those that the log has. So none counts that the log does not have,
//! with one exception: which tree a commit has is not in the log, and is asked of the reader's own repository.

use std::path::Path;
use tribunal_engine::tree::anchor::{NamedCommit, named_commit};
use tribunal_kernel::Digest;
use tribunal_kernel::proof::{GIT_COMMIT, GIT_TREE, ProofSubject, SHA256};

use super::check::CheckProofRequest;
use super::found::ProofFound;
use crate::error::AppError;

/// Whether the proof is about what the reader has.
pub(super) async fn held_against(
    request: &CheckProofRequest<'_>,
    artifact: Option<&[u8]>,
    about: &[ProofSubject],
    found: &mut ProofFound,
) -> Result<(), AppError> {
    if let (Some(bytes), Some(path)) = (artifact, request.artifact) {
        let known: Vec<&String> = about.iter().filter_map(|subject| subject.digest.get(SHA256)).collect();
        let (digest, path) = (Digest::of(bytes).to_string(), path.display());
        if known.contains(&&digest) {
            found.shown.push(format!("{path} is what was judged: sha256 {digest}"));
        } else if known.is_empty() {
            found.problem(format!("the proof is about a commit, and not about {path}; hold it against `--commit REV`"));
        } else {
            found.problem(format!("{path} is not what was judged: its sha256 is {digest}"));
        }
    }
    if let Some(name) = request.commit {
        commit(name, &request.folder, about, found).await?;
    }
    if artifact.is_none() && request.commit.is_none() {
        let named: Vec<&str> = about.iter().map(|subject| subject.name.as_str()).collect();
        found.problem(format!(
            "it was not held against anything: `--artifact FILE` or `--commit REV` says what you have of {}",
            named.join(", ")
        ));
    }
    Ok(())
}

/// Whether it is about this commit.
async fn commit(name: &str, folder: &Path, about: &[ProofSubject], found: &mut ProofFound) -> Result<(), AppError> {
    let NamedCommit { commit, tree } = resolved(folder, name).await?;
    let digest = |key: &str| about.iter().find_map(|subject| subject.digest.get(key));
    let (judged, its_tree) = (digest(GIT_COMMIT), digest(GIT_TREE));
    let is_same_tree = its_tree == Some(&tree);
    match judged {
        None if its_tree.is_none() => {
            found
                .problem(format!("the proof is about a file, and not about {name}; hold it against `--artifact FILE`"));
        }
        // What was not committed has a tree alone, and the log names it.
        None if is_same_tree => found.shown.push(format!("{name} has the files that were judged: tree {tree}")),
        Some(judged) if commit.as_ref() == Some(judged) && is_same_tree => {
            found.shown.push(format!("{name} is what was judged: commit {judged}"));
        }
        Some(judged) if commit.as_ref() == Some(judged) => {
            found.problem(format!("the proof names the commit of {name} with another tree than it has"));
        }
        Some(judged) if is_same_tree => match tree_of(folder, judged).await {
            Some(own) if own == tree => {
                found.shown.push(format!("{name} has the files that were judged: tree {tree}, in another commit"));
            }
            Some(_) => found.problem(format!("the proof names the commit {judged} with another tree than it has")),
            None => {
                found.claimed.push(format!("that the commit that was judged, {judged}, has the tree of {name}"));
                found.problem(format!(
                    "{name} is another commit than the judged one, and whether that has the same files cannot be told: \
                     {judged} is not in this repository; fetch it"
                ));
            }
        },
        _ => found.problem(format!("{name} is not what was judged: its tree is {tree}")),
    }
    Ok(())
}

/// The commit that somebody typed.
pub(super) async fn resolved(folder: &Path, name: &str) -> Result<NamedCommit, AppError> {
    named_commit(folder, name).await.map_err(|error| {
        AppError::not_found(
            format!("there is no commit `{name}` here: {error}"),
            "`-C DIR` looks in another repository",
        )
    })
}

/// The tree of a commit that the proof names by its whole hash: a branch of the reader's is not to be meant.
async fn tree_of(folder: &Path, commit: &str) -> Option<String> {
    let is_hash = matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let named = if is_hash { named_commit(folder, commit).await.ok()? } else { return None };
    (named.commit.as_deref() == Some(commit)).then_some(named.tree)
}

/// Whether a statement is about what the log is about, and about nothing else.
pub(super) fn is_about(own: &[ProofSubject], claimed: &[ProofSubject]) -> bool {
    let same = |(own, claimed): (&ProofSubject, &ProofSubject)| own.name == claimed.name && is_digest_of(own, claimed);
    own.len() == claimed.len() && own.iter().zip(claimed).all(same)
}

/// Whether a subject has the digests that the log gives it. Of what git names the log has one hash: of a commit, beside which
/// stands its tree, or of a tree that nobody committed.
fn is_digest_of(own: &ProofSubject, claimed: &ProofSubject) -> bool {
    let Some(named) = own.digest.get(GIT_COMMIT) else { return own.digest == claimed.digest };
    match (claimed.digest.get(GIT_COMMIT), claimed.digest.get(GIT_TREE), claimed.digest.len()) {
        (Some(commit), Some(_), 2) => commit == named,
        (None, Some(tree), 1) => tree == named,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the log has, what is claimed, and whether that is the same.
    type Row<'r> = (&'r ProofSubject, &'r [(&'r str, &'r str)], bool);

    #[test]
    fn a_digest_that_the_log_does_not_have_is_not_believed() {
        let page = ProofSubject::artifact("page.html", Digest::of("page"));
        let commit = ProofSubject::git("main..fix", "c0ffee");
        let sha256 = page.digest[SHA256].as_str();
        let rows: [Row<'_>; 9] = [
            (&page, &[(SHA256, sha256)], true),
            (&page, &[(SHA256, sha256), (GIT_TREE, "7ree")], false),
            (&page, &[(SHA256, sha256), ("sha512", "abc")], false),
            (&page, &[], false),
            (&commit, &[(GIT_COMMIT, "c0ffee"), (GIT_TREE, "7ree")], true),
            (&commit, &[(GIT_COMMIT, "c0ffee"), (GIT_TREE, "7ree"), (SHA256, sha256)], false),
            (&commit, &[(GIT_COMMIT, "c0ffee"), (SHA256, sha256)], false),
            (&commit, &[(GIT_TREE, "c0ffee")], true),
            (&commit, &[(GIT_TREE, "7ree")], false),
        ];
        for (own, digests, holds) in rows {
            let digest = digests.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
            let claimed = ProofSubject { name: own.name.clone(), digest };
            assert_eq!(is_about(std::slice::from_ref(own), &[claimed]), holds, "{digests:?}");
        }
    }
}
