//! Results as text for people, and as JSON, SARIF and JUnit for programs.

mod json;
mod junit;
mod sarif;
mod text;

pub use json::json;
pub use junit::junit;
pub use sarif::sarif;
pub use text::text;

use crate::result::LintResult;

/// A file as it is shown, and what was found in it.
pub type LintedFile = (String, LintResult);
