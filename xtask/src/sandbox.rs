//! Makes sure that there is a sandbox to test, where it can be had.

use anyhow::Result;
use std::process::{Command, Stdio};

use crate::repo::Repo;

/// Installs bubblewrap where it is missing and we may. Without it the tests use what there is, so this never fails.
#[expect(clippy::unnecessary_wraps, reason = "a step like the others")]
pub(crate) fn prepare(_: &Repo) -> Result<bool> {
    if has_bubblewrap() {
        eprintln!("bubblewrap is installed");
        return Ok(true);
    }
    let install = ["install", "--yes", "--no-install-recommends", "bubblewrap"];
    // A fresh machine has no lists of packages yet.
    let is_installed = apt_get(&install) || (apt_get(&["update"]) && apt_get(&install));
    if is_installed && has_bubblewrap() {
        eprintln!("bubblewrap was installed");
    } else {
        eprintln!(
            "skipped: bubblewrap is not there and cannot be installed; the sandbox tests use Landlock and copies"
        );
    }
    Ok(true)
}

pub(crate) fn apt_get(args: &[&str]) -> bool {
    let mut apt_get = Command::new("apt-get");
    apt_get.args(args).env("DEBIAN_FRONTEND", "noninteractive");
    apt_get.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    apt_get.status().is_ok_and(|status| status.success())
}

fn has_bubblewrap() -> bool {
    let mut ask = Command::new("bwrap");
    ask.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok_and(|status| status.success())
}
