//! Ratios that axe computed: `testdata/checks/contrast.tsv`, which the tests of `crates/checks` compare ours with.

use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::fs;

use crate::repo::Repo;

const FILE: &str = "testdata/checks/contrast.tsv";
const HEAD: &str = "text\tground\tratio";
/// The file has four places.
const TOLERANCE: f64 = 0.000_051;

/// The file: pairs of colours, and the ratio of each.
#[derive(Debug)]
pub(super) struct Golden {
    lines: Vec<(String, String, f64)>,
}

impl Golden {
    pub(super) fn read(repo: &Repo) -> Result<Self> {
        Self::parse(&repo.read(FILE)?).with_context(|| format!("cannot read {FILE}"))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(HEAD) {
            bail!("its first line is not `{HEAD}`");
        }
        let read = |line: &str| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [text, ground, ratio] = cells[..] else { bail!("`{line}` has not three cells") };
            let ratio = ratio.parse().with_context(|| format!("`{ratio}` is no ratio"))?;
            Ok((text.to_owned(), ground.to_owned(), ratio))
        };
        Ok(Self { lines: lines.map(read).collect::<Result<_>>()? })
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.iter().map(|(text, ground, _)| (text.as_str(), ground.as_str()))
    }

    pub(super) fn faults(&self, ratios: &[f64]) -> Vec<String> {
        let pairs = self.lines.iter().zip(ratios);
        let wrong = pairs.filter(|((_, _, ratio), axe)| (*ratio - **axe).abs() > TOLERANCE);
        let say = |((text, ground, ratio), axe): (&(String, String, f64), &f64)| {
            format!("{FILE}: {text} on {ground} is {ratio}, axe says {axe:.4}; hint: cargo xtask agreement --write")
        };
        wrong.map(say).collect()
    }

    pub(super) fn write(&self, repo: &Repo, ratios: &[f64]) -> Result<()> {
        fs::write(repo.root().join(FILE), self.with(ratios)).with_context(|| format!("cannot write {FILE}"))
    }

    fn with(&self, ratios: &[f64]) -> String {
        let mut text = format!("{HEAD}\n");
        for ((color, ground, _), ratio) in self.lines.iter().zip(ratios) {
            writeln!(text, "{color}\t{ground}\t{ratio:.4}").expect("a String takes every write");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_axe_says_differently_is_named_and_can_be_written() {
        let golden = Golden::parse("text\tground\tratio\n#000\t#fff\t21\nred\t#fff\t4.5\n").unwrap();
        assert_eq!(
            golden.faults(&[21.0, 3.998_44]),
            ["testdata/checks/contrast.tsv: red on #fff is 4.5, axe says 3.9984; hint: cargo xtask agreement --write"]
        );
        let written = golden.with(&[21.0, 3.998_44]);
        assert_eq!(written, "text\tground\tratio\n#000\t#fff\t21.0000\nred\t#fff\t3.9984\n");
        assert_eq!(Golden::parse(&written).unwrap().faults(&[21.0, 3.998_44]), Vec::<String>::new());
    }

    #[test]
    fn a_damaged_file_is_named() {
        for (name, text) in [("no head", "#000\t#fff\t21"), ("two cells", "text\tground\tratio\n#000\t21")] {
            assert!(Golden::parse(text).is_err(), "{name}");
        }
    }
}
