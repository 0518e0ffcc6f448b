//! What goes with the binary.

use anyhow::{Context, Result, bail};
use std::fs;
use std::process::Command;

use super::binary::Binary;
use crate::repo::Repo;

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];
const TEXTS: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Everything that a package may carry.
#[derive(Debug)]
pub(super) struct Goods {
    pub(super) binary: Vec<u8>,
    /// By the name of the shell.
    pub(super) completions: Vec<(&'static str, Vec<u8>)>,
    /// By the name of the page.
    pub(super) manual: Vec<(String, Vec<u8>)>,
    /// By the name of the file.
    pub(super) texts: Vec<(&'static str, Vec<u8>)>,
}

impl Goods {
    pub(super) fn of(repo: &Repo, binary: &Binary) -> Result<Self> {
        let asked = |words: &[&str]| -> Result<Vec<u8>> {
            let output = Command::new(&binary.path).args(words).output().context("the binary does not start")?;
            if !output.status.success() {
                bail!("`tribunal {}` ended with {}", words.join(" "), output.status);
            }
            Ok(output.stdout)
        };
        let completions = SHELLS.map(|shell| -> Result<_> { Ok((shell, asked(&["completions", shell])?)) });
        let folder = tempfile::tempdir()?;
        asked(&["man", "--to", &folder.path().to_string_lossy()])?;
        let mut manual = Vec::new();
        for page in fs::read_dir(folder.path())? {
            let page = page?;
            manual.push((page.file_name().to_string_lossy().into_owned(), fs::read(page.path())?));
        }
        manual.sort();
        let texts = TEXTS.map(|name| -> Result<_> { Ok((name, repo.read(name)?.into_bytes())) });
        Ok(Self {
            binary: binary.bytes.clone(),
            completions: completions.into_iter().collect::<Result<_>>()?,
            manual,
            texts: texts.into_iter().collect::<Result<_>>()?,
        })
    }

    /// The completions of a shell.
    pub(super) fn completion(&self, shell: &str) -> &[u8] {
        let found = self.completions.iter().find(|(name, _)| *name == shell);
        found.map_or(&[], |(_, script)| script)
    }
}

#[cfg(test)]
pub(super) fn example() -> Goods {
    Goods {
        binary: b"#!/bin/sh\necho tribunal\n".to_vec(),
        completions: SHELLS.map(|shell| (shell, shell.as_bytes().to_vec())).to_vec(),
        manual: vec![("tribunal.1".into(), b".TH tribunal 1\n".to_vec())],
        texts: TEXTS.map(|name| (name, name.as_bytes().to_vec())).to_vec(),
    }
}
