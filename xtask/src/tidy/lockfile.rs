//! The lockfile has a budget: every package is code that somebody must trust, build and keep up to date.

use anyhow::Result;

use super::Fault;
use crate::repo::Repo;

/// Packages in the lockfile, our own included. Raise it in the commit that needs it, and say there what the new
/// packages bring and why our own code would not do. Half of it is HTTP with TLS, for every platform: models (genai), agents (ACP),
/// tools (MCP) and the server (axum) share it. Manual pages are clap's own, with a writer of roff.
const BUDGET: usize = 392;

const LOCKFILE: &str = "Cargo.lock";

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let packages = repo.read(LOCKFILE)?.lines().filter(|line| *line == "[[package]]").count();
    let fault =
        (packages > BUDGET).then(|| Fault::file(LOCKFILE, format!("{packages} packages, and the budget is {BUDGET}")));
    Ok(fault.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;
    use super::*;

    #[test]
    fn more_packages_than_the_budget_are_a_fault() {
        let lockfile = |packages: usize| "[[package]]\nname = \"x\"\n\n".repeat(packages);
        assert_eq!(faults(rule, &[(LOCKFILE, &lockfile(BUDGET))]), Vec::<String>::new());
        assert_eq!(
            faults(rule, &[(LOCKFILE, &lockfile(BUDGET + 1))]),
            ["Cargo.lock: 393 packages, and the budget is 392"]
        );
    }
}
