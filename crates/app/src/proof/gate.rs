//! What a change had to hold against: its base, and the commands. A gate that lets everything pass passes everything, so both
//! are named.

use tribunal_engine::tree::anchor::NamedCommit;
use tribunal_kernel::judge::judge_of;

use super::check::{CheckProofRequest, OpenedProof};
use super::found::ProofFound;
use super::held::resolved;
use crate::error::AppError;

/// Says what the gate was, and whether the base is the commit that it has to be.
pub(super) async fn gate(
    opened: Option<&OpenedProof>,
    request: &CheckProofRequest<'_>,
    found: &mut ProofFound,
) -> Result<(), AppError> {
    let wanted = match request.base {
        Some(name) => Some((name, resolved(&request.folder, name).await?)),
        None => None,
    };
    // What is wrong with the log was said.
    let Some(OpenedProof { run, receipts, .. }) = opened else { return Ok(()) };
    let mut lines: Vec<&str> = receipts.iter().flat_map(|receipts| &receipts.commands).map(|it| &*it.line).collect();
    let judge = judge_of(run.spec());
    if let Some(judge) = judge {
        let base = &judge.base;
        found.shown.push(format!("what the change was held against: {base}"));
        lines.extend(judge.commands.iter().map(|command| command.line.as_str()));
    }
    lines.sort_unstable();
    lines.dedup();
    found.shown.extend(lines.iter().map(|line| format!("a command that had to succeed: `{line}`")));
    match (wanted, judge.map(|judge| &judge.base)) {
        (Some((name, NamedCommit { commit: Some(commit), .. })), Some(base)) if *base == commit => {
            found.shown.push(format!("{name} is what the change was held against: commit {commit}"));
        }
        (Some((name, named)), Some(base)) => {
            let is = named.commit.unwrap_or(named.tree);
            found.problem(format!("the change was not held against {name}, which is {is}, but against {base}"));
        }
        (Some((name, _)), None) => {
            found.problem(format!("no change was judged: there is nothing that was held against {name}"));
        }
        (None, _) => {}
    }
    Ok(())
}
