//! A command line that was made to report out of band, or why it was not.

use serde::{Deserialize, Serialize};

use super::runner::TestRunner;

/// A command line, and how it is asked for its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adapted {
    Yes(AdaptedLine),
    /// It is run as it is: its exit code is all that is known of it.
    No {
        why: String,
    },
}

/// A line that reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AdaptedLine {
    pub line: String,
    /// Variables that are set for it.
    pub env: Vec<(String, String)>,
    /// Folders of the project that come before PATH: where the programs of a package manager are.
    pub bin_folders: Vec<String>,
    /// Files that must be in the folder of the reports before it runs.
    pub files: Vec<(String, String)>,
    pub asks: Vec<ReportAsk>,
    /// Whether something in the line hides the runner's exit code, so that the report alone counts.
    pub hides_exit: bool,
    /// The folder of the project that the runner works in.
    pub folder: String,
}

/// A report that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportAsk {
    pub runner: TestRunner,
    pub form: ReportForm,
    /// The file in the folder of the reports; without one it is read from the output.
    pub file: Option<String>,
}

/// What a report is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportForm {
    Junit,
    /// With what the tests printed.
    NextestJunit,
    JestJson,
    GoJson,
    /// What libtest prints.
    Libtest,
}

/// How much is known of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportStrength {
    /// Nothing but how it ended.
    ExitOnly,
    /// Tests by name, from what the runner printed: the tested program could print there, too.
    Output,
    /// Tests by name, from a report at a place that we chose.
    File,
}

impl AdaptedLine {
    /// How much the weakest of its reports says.
    pub fn strength(&self) -> ReportStrength {
        let of = |ask: &ReportAsk| if ask.file.is_some() { ReportStrength::File } else { ReportStrength::Output };
        self.asks.iter().map(of).min().unwrap_or(ReportStrength::ExitOnly)
    }
}
