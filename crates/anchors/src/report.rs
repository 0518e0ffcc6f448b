//! Results as text for people, and as SARIF, `JUnit`, annotations of GitHub, GitLab's code quality and Markdown for
//! programs: one form that everything is brought into, and one writer for each format.
//!
//! | file | noun |
//! |---|---|
//! | `file` | a file and what was found in it |
//! | `text`, `sarif`, `junit`, `github`, `gitlab`, `markdown` | the formats |
//! | `shown` | texts of others, with nothing in them that a terminal or a page would obey |

mod file;
mod github;
mod gitlab;
mod junit;
mod markdown;
mod sarif;
mod shown;
mod text;

pub use file::{FileReport, ReportLevel, ReportedFinding, RuleHelp, Standing, UndecidedRule, fingerprint};
pub use github::github;
pub use gitlab::gitlab;
pub use junit::{files_as_cases, junit};
pub use markdown::{cell, code, longest_run, markdown, plain};
pub use sarif::sarif;
pub use shown::{visible, visible_json};
pub use text::{ReportTotals, TextStyle, text};

use crate::result::LintResult;

/// A file as it is shown, and what was found in it.
pub type LintedFile = (String, LintResult);
