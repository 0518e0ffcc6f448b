//! A project with a runner, changes of it, and what is found of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use tribunal_engine::evidence::{EvidenceCollector, EvidenceLimits, EvidencePlace, EvidenceRequest};
use tribunal_engine::sandbox::{Mechanism, Sandbox};
use tribunal_engine::tree::CommitReader;
use tribunal_kernel::Digest;
use tribunal_kernel::evidence::{
    CommandEvidence, CommandExpectation, Evidence, EvidenceCommand, EvidenceWeight, MayChange,
};

/// What a change does: texts are written, and nothing removes a file.
pub(super) type Change<'c> = &'c [(&'c str, Option<&'c str>)];

/// A repository with a base.
pub(super) struct Bench {
    folder: TempDir,
    base: String,
    pub(super) env: Vec<(String, String)>,
    pub(super) carry: Vec<(PathBuf, String)>,
    pub(super) may_change: Vec<String>,
    pub(super) mutants: usize,
    /// The project's folder in the repository.
    pub(super) below: &'static str,
    pub(super) known: Vec<CommandEvidence>,
}

impl Bench {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        for (path, text) in files {
            write(&project, path, text);
        }
        git(&project, &["init", "-q", "-b", "main"]);
        let base = commit(&project);
        let env = ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "GOCACHE", "GOPATH"];
        let env = env.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect();
        Self { folder, base, env, carry: Vec::new(), may_change: Vec::new(), mutants: 0, below: "", known: Vec::new() }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The evidence for a change, by one command.
    pub(super) async fn evidence(&self, line: &str, change: Change<'_>) -> Evidence {
        self.evidence_with(line, CommandExpectation::Success, change).await
    }

    pub(super) async fn evidence_with(&self, line: &str, expects: CommandExpectation, change: Change<'_>) -> Evidence {
        let project = self.project();
        git(&project, &["checkout", "-qf", "-B", "work", &self.base]);
        git(&project, &["clean", "-qffdx"]);
        for (path, text) in change {
            match text {
                Some(text) => write(&project, path, text),
                None => fs::remove_file(project.join(path)).unwrap(),
            }
        }
        let head = commit(&project);
        let reader = CommitReader::of(&project.join(self.below)).await.unwrap();
        let sandbox = Sandbox::forced(Mechanism::Copy, None).unwrap();
        let collector = EvidenceCollector {
            reader: &reader,
            sandbox: &sandbox,
            place: EvidencePlace {
                folder: self.folder.path().join("checkouts"),
                env: self.env.clone(),
                writable: Vec::new(),
                hidden: Vec::new(),
                network: false,
                carry: self.carry.clone(),
                home: None,
            },
            limits: EvidenceLimits {
                run: Duration::from_secs(300),
                grace: Duration::from_secs(1),
                total: Duration::from_secs(3000),
                mutants: self.mutants,
                sabotage: Duration::from_secs(3000),
            },
        };
        let command = EvidenceCommand { expects, ..EvidenceCommand::new("c1", line) };
        let request = EvidenceRequest {
            base: self.base.clone(),
            head,
            commands: vec![command],
            named: Vec::new(),
            may_change: MayChange(self.may_change.clone()),
            seed: Digest::of("seven"),
            known: self.known.clone(),
        };
        let mut evidence = collector.collect(&request).await.unwrap();
        // What the text of the work gives away is left aside: here it has to come out by what is run.
        evidence.test_aware.clear();
        evidence.conclude();
        assert!(!self.folder.path().join("checkouts").exists(), "nothing is left");
        evidence
    }

    /// Tries every row, and says of all that differ what was seen.
    pub(super) async fn table(&self, line: &str, rows: &[(&str, Change<'_>, &str)]) {
        let mut wrong = Vec::new();
        for (what, change, expected) in rows {
            let evidence = self.evidence(line, change).await;
            let found = concluded(&evidence);
            if found != *expected {
                wrong.push(format!(
                    "{what}: expected `{expected}`, found `{found}`\n{}{}",
                    evidence.side_by_side(),
                    tails(&evidence)
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n---\n"));
    }
}

/// Whether it holds, and the codes of what was found, without notes.
pub(super) fn concluded(evidence: &Evidence) -> String {
    let told = evidence.findings.iter().filter(|finding| finding.weight != EvidenceWeight::Note);
    let mut codes: Vec<&str> = told.map(|finding| finding.code.as_str()).collect();
    codes.dedup();
    let word = if evidence.holds() { "holds" } else { "fails" };
    std::iter::once(word).chain(codes).collect::<Vec<_>>().join(" ")
}

fn tails(evidence: &Evidence) -> String {
    let runs = evidence.commands.iter().flat_map(|command| &command.runs);
    runs.map(|run| format!("[{:?}] {}\n{}", run.tree, run.line, run.tail)).collect::<Vec<_>>().join("\n")
}

fn write(project: &Path, path: &str, text: &str) {
    let path = project.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn commit(project: &Path) -> String {
    git(project, &["add", "-Af"]);
    git(project, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(project, &["rev-parse", "HEAD"]).trim().to_owned()
}

fn git(project: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(project);
    let said = git.output().unwrap();
    assert!(said.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap()
}

/// Whether a program is there; if not it is said.
pub(super) fn is_installed(program: &str, args: &[&str]) -> bool {
    let found = Command::new(program).args(args).output().is_ok_and(|said| said.status.success());
    if !found {
        eprintln!("note: `{program} {}` does not work here: its table is not tried", args.join(" "));
    }
    found
}

/// A folder for what tests install, kept between runs.
pub(super) fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}
