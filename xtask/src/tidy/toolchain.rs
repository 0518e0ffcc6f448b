//! No file makes rustup download another toolchain. `rust-version` in Cargo.toml says what is needed.

use anyhow::Result;

use super::Fault;
use crate::repo::Repo;

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let files = repo.files(&["rust-toolchain", "rust-toolchain.toml"])?;
    let what = "makes rustup download another toolchain; state `rust-version` in Cargo.toml instead";
    Ok(files.into_iter().map(|file| Fault::file(file, what)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;

    #[test]
    fn a_toolchain_file_is_named_wherever_it_is() {
        let found = faults(super::rule, &[("crates/a/rust-toolchain.toml", ""), ("README.md", "")]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("crates/a/rust-toolchain.toml: makes rustup"), "{found:?}");
    }
}
