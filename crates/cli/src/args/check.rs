//! What `tribunal check` and `tribunal explain` are told.

use clap::Args as ClapArgs;
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "Examples:
  tribunal check page.html
  tribunal check .
  tribunal check 'docs/**/*.md' --format sarif -o checks.sarif
  tribunal check . --changed=main --format github --comment-file comment.md
  tribunal check . --baseline baseline.json --update-baseline
  tribunal check page.html --design DESIGN.md --anchor anchor.toml --json
  render | tribunal check - --stdin-name page.html";

#[derive(Debug, ClapArgs)]
pub(crate) struct Check {
    /// HTML or Markdown files, folders that have some, globs, or `-` for stdin
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// What the text from stdin is called: its ending says what it is, and links start from its folder
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_name: Option<PathBuf>,
    /// The folder that links stay inside of [default: that of the repository, else of the project, else of the page]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// The design file to judge the brand by
    #[arg(long, value_name = "FILE")]
    pub(crate) design: Option<PathBuf>,
    /// Check against the rules of an anchor; with `--design`, besides measuring
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Option<PathBuf>,
    /// Also ask the linters of tribunal.toml about rules that need an opinion
    #[arg(long, requires = "anchor")]
    pub(crate) semantic: bool,
    /// Check only files that changed, and report only lines that did: against REF, or against the last commit
    #[arg(long, value_name = "REF", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) changed: Option<String>,
    /// Fail only because of what this file does not have
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write what is found now to the baseline
    #[arg(long, requires = "baseline", conflicts_with = "changed")]
    pub(crate) update_baseline: bool,
    /// The level of findings that fail the check
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "must")]
    pub(crate) fail_on: FailOn,
    /// Also print the score of every dimension
    #[arg(long)]
    pub(crate) scores: bool,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: CheckFormat,
    /// Write the result to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also write a comment for a pull request to this file: Markdown with a marker by which CI finds its last comment
    #[arg(long, value_name = "FILE")]
    pub(crate) comment_file: Option<PathBuf>,
}

/// What fails a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FailOn {
    /// What must be fixed
    Must,
    /// What should be fixed, too
    Should,
    /// Nothing
    Never,
}

/// How measurements are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people
    Text,
    /// One object with everything
    Json,
    /// For code hosts, which show it beside the lines
    Sarif,
    /// For build servers: every file is a case
    Junit,
    /// Annotations of GitHub Actions
    Github,
    /// A code quality report of GitLab
    Gitlab,
    /// For a comment on a pull request
    Markdown,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Explain {
    /// The id of a rule, as `tribunal check` prints it
    #[arg(value_name = "RULE")]
    pub(crate) rule: Option<String>,
}
