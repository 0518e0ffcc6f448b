//! What was typed after the command.

use anyhow::Result;
use std::fmt;

/// The words that are not understood yet. Each is taken once; what is left in the end is a mistake.
#[derive(Debug)]
pub(crate) struct Args {
    words: Vec<String>,
}

/// A mistake in what was typed.
#[derive(Debug)]
pub(crate) struct Usage(String);

impl Args {
    pub(crate) fn new(words: impl IntoIterator<Item = String>) -> Self {
        Self { words: words.into_iter().collect() }
    }

    /// Whether somebody asks for help.
    pub(crate) fn wants_help(&self) -> bool {
        self.words.iter().any(|word| word == "--help" || word == "-h")
    }

    /// Takes a flag such as `--json`.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// Takes an option with its value: `--seed 7` or `--seed=7`.
    pub(crate) fn option(&mut self, name: &str) -> Result<Option<String>> {
        let with_value = format!("{name}=");
        let Some(at) = self.words.iter().position(|word| word == name || word.starts_with(&with_value)) else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        if let Some(value) = word.strip_prefix(&with_value) {
            return Ok(Some(value.to_owned()));
        }
        if at == self.words.len() {
            return Err(Usage::new(format!("{name} needs a value")).into());
        }
        Ok(Some(self.words.remove(at)))
    }

    /// Every word, for another program that takes the same.
    pub(crate) fn all(self) -> Vec<String> {
        self.words
    }

    /// The words that remain: no options, only names.
    pub(crate) fn names(self) -> Result<Vec<String>> {
        match self.words.iter().find(|word| word.starts_with('-')) {
            Some(unknown) => Err(Usage::new(format!("unknown option {unknown}")).into()),
            None => Ok(self.words),
        }
    }

    /// Nothing may remain.
    pub(crate) fn end(self) -> Result<()> {
        match self.names()?.first() {
            Some(extra) => Err(Usage::new(format!("unexpected argument {extra}")).into()),
            None => Ok(()),
        }
    }
}

impl Usage {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args::new(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn words_are_taken_once() {
        let mut args = args("--seed 7 --json --dir=/x fold start");
        assert!(args.flag("--json"));
        assert!(!args.flag("--json"));
        assert_eq!(args.option("--seed").unwrap().as_deref(), Some("7"));
        assert_eq!(args.option("--dir").unwrap().as_deref(), Some("/x"));
        assert_eq!(args.names().unwrap(), ["fold", "start"]);
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(args("--seed").option("--seed").unwrap_err().to_string(), "--seed needs a value");
        assert_eq!(args("--sed 7").end().unwrap_err().to_string(), "unknown option --sed");
        assert_eq!(args("more").end().unwrap_err().to_string(), "unexpected argument more");
    }
}
