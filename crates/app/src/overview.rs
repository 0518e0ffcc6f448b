//! What a folder has for us: the first thing that somebody sees who types `tribunal` and nothing else.

use serde_json::{Value, json};
use std::path::PathBuf;
use tribunal_agents::Vendor;
use tribunal_config::Origin;

use crate::check::{FilesBelow, files_below};
use crate::desk;
use crate::error::AppError;
use crate::logins;
use crate::programs;
use crate::project::Project;

/// So many commands are proposed: more than that, and nobody tries one.
const MOST_PROPOSED: usize = 3;

/// A folder, as far as it can be told without a call and without reading what is in its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    pub folder: PathBuf,
    pub files: FilesBelow,
    /// The commands that test it.
    pub tests: Vec<String>,
    pub has_git: bool,
    /// Whether a tribunal.toml, here or above, says something.
    pub is_project: bool,
    /// Command lines on the PATH that can take a seat, and whether somebody is logged in.
    pub agents: Vec<(Vendor, bool)>,
    pub runs: usize,
}

/// A command, and what it is good for here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub command: String,
    pub what_for: &'static str,
}

/// Looks at the folder of a project.
pub async fn overview(project: &Project) -> Result<Overview, AppError> {
    let folder = project.workspace();
    let installed = Vendor::ALL.into_iter().filter(|vendor| programs::find(vendor.program()).is_some());
    let usable = logins::usable();
    let survey = project.survey().await?;
    Ok(Overview {
        files: files_below(&folder),
        tests: desk::checks(project),
        has_git: folder.ancestors().any(|above| above.join(".git").exists()),
        is_project: project.loaded.settings.iter().any(|setting| matches!(setting.origin, Origin::Project(_))),
        agents: installed.map(|vendor| (vendor, usable.contains(&vendor))).collect(),
        runs: survey.specs.len() + survey.unreadable.len(),
        folder,
    })
}

impl Overview {
    /// What to try here, the most fitting first.
    pub fn proposals(&self) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        let mut propose = |command: &str, what_for| proposals.push(Proposal { command: command.into(), what_for });
        if self.runs > 0 {
            propose("tribunal status", "how the runs of this folder stand");
        }
        if self.is_project && self.runs == 0 {
            propose("tribunal run", "run the trial that tribunal.toml describes");
        }
        if self.has_git && !self.tests.is_empty() {
            propose("tribunal judge", "does your last change hold, and could its tests have failed?");
        }
        if self.files.pages > 0 {
            propose("tribunal check .", "measure these pages; `tribunal fix` then changes what is certain");
        } else if self.files.texts > 0 {
            propose("tribunal check .", "measure these texts: wording, structure, dead links");
        }
        if self.has_git && self.agents.iter().any(|(_, is_usable)| *is_usable) {
            propose("tribunal desk \"fix …\"", "let an agent change the code, and check every claim it makes");
        }
        if !self.is_project && self.runs == 0 {
            propose("tribunal demo", "see what it does: three trials in a minute, without an account");
        }
        if !self.is_project {
            propose("tribunal init my-trial", "a small project that runs as it is, to look at and change");
        }
        propose("tribunal serve", "watch runs in the browser");
        proposals.truncate(MOST_PROPOSED);
        proposals
    }

    /// The same for programs.
    pub fn object(&self) -> Value {
        let agents =
            self.agents.iter().map(|(vendor, is_usable)| json!({ "name": vendor.program(), "logged_in": is_usable }));
        let proposals = self
            .proposals()
            .into_iter()
            .map(|Proposal { command, what_for }| json!({ "command": command, "what_for": what_for }));
        json!({
            "folder": self.folder,
            "pages": self.files.pages,
            "texts": self.files.texts,
            "counted_all": self.files.is_complete,
            "tests": self.tests,
            "git": self.has_git,
            "project": self.is_project,
            "agents": agents.collect::<Vec<_>>(),
            "runs": self.runs,
            "try": proposals.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Overview {
        Overview {
            folder: PathBuf::from("/work"),
            files: FilesBelow { pages: 0, texts: 0, is_complete: true },
            tests: vec![],
            has_git: false,
            is_project: false,
            agents: vec![],
            runs: 0,
        }
    }

    #[test]
    fn what_is_proposed_fits_the_folder() {
        let pages = FilesBelow { pages: 3, texts: 1, is_complete: true };
        let texts = FilesBelow { pages: 0, texts: 2, is_complete: true };
        let tests = || vec!["cargo test".to_owned()];
        for (name, overview, want) in [
            ("an empty folder", empty(), "demo init serve"),
            ("pages", Overview { files: pages.clone(), ..empty() }, "check demo init"),
            ("texts", Overview { files: texts, ..empty() }, "check demo init"),
            ("a repository with tests", Overview { has_git: true, tests: tests(), ..empty() }, "judge demo init"),
            ("tests outside of a repository", Overview { tests: tests(), ..empty() }, "demo init serve"),
            (
                "somebody who is not logged in",
                Overview { has_git: true, agents: vec![(Vendor::Claude, false)], ..empty() },
                "demo init serve",
            ),
            (
                "an agent and tests",
                Overview { has_git: true, tests: tests(), agents: vec![(Vendor::Claude, true)], ..empty() },
                "judge desk demo",
            ),
            ("a project", Overview { is_project: true, ..empty() }, "run serve"),
            (
                "everything",
                Overview {
                    files: pages,
                    tests: tests(),
                    has_git: true,
                    is_project: true,
                    agents: vec![(Vendor::Claude, true)],
                    runs: 4,
                    ..empty()
                },
                "status judge check",
            ),
        ] {
            let proposals = overview.proposals();
            let words = proposals.iter().filter_map(|proposal| proposal.command.split(' ').nth(1));
            assert_eq!(words.collect::<Vec<_>>().join(" "), want, "{name}");
        }
    }
}
