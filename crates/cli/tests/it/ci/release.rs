//! A folder as a release has it. What is in the archive starts the program under test: packing that one takes long.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

use super::root;

pub(super) const ARCHIVE: &str = "tribunal-x86_64-unknown-linux-gnu.tar.gz";

pub(super) struct Release(TempDir);

impl Release {
    pub(super) fn new() -> Self {
        let release = Self(tempfile::tempdir().unwrap());
        let inside = release.path("tribunal-x86_64-unknown-linux-gnu");
        fs::create_dir(&inside).unwrap();
        let binary = inside.join("tribunal");
        fs::write(&binary, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_tribunal"))).unwrap();
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
        release.shell(&format!("tar -czf {ARCHIVE} tribunal-x86_64-unknown-linux-gnu"));
        release.shell(&format!("sha256sum {ARCHIVE} > SHA256SUMS"));
        for (name, path) in [("install.sh", "install.sh"), ("comment.py", "ci/comment.py")] {
            fs::copy(root().join(path), release.path(name)).unwrap();
        }
        release
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub(super) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn shell(&self, script: &str) {
        assert!(Command::new("sh").args(["-ec", script]).current_dir(self.folder()).status().unwrap().success());
    }
}
