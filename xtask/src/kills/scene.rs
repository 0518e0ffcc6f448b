//! A user's project with a desk and scripted agents, and everything in it that is the user's.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// So many files are written one by one.
pub(super) const MANY: u32 = 30;
const BRANCHES: &str = "refs/heads/tribunal/";

const PRD: &str = "# PRD\n\n### US-001: Add\n- `add.sh` adds\n\n### US-002: Subtract\n- `sub.sh` subtracts\n\n\
                   ### US-003: Multiply\n- `mul.sh` multiplies\n";
const SPEC: &str = "## Verification Commands\n### Test\n```sh\nsh test_add.sh\nsh test_sub.sh\nsh test_mul.sh\n```\n\n\
                    ## Criteria → Verification Mapping\n| Criterion | Method | Command |\n|---|---|---|\n\
                    | US-001 AC1: `add.sh` adds | automated | `sh test_add.sh` |\n\
                    | US-002 AC1: `sub.sh` subtracts | automated | `sh test_sub.sh` |\n\
                    | US-003 AC1: `mul.sh` multiplies | automated | `sh test_mul.sh` |\n";
/// One action an iteration: the second one fails, the fourth writes file by file, and the last claims the rest.
const WORKER: &str = r#"#!/bin/sh
cat > /dev/null
echo "begin worker $TRIBUNAL_ROUND" >> "$CALLS"
remember() {
  printf '# m\n\n## Stop Status\n%s\n\n## Next Iteration Contract\n%s\n' "$1" "$2" > "$TRIBUNAL_MEMORY"
  echo "after iteration $TRIBUNAL_ROUND: $2" > "$TRIBUNAL_CONTEXT"
}
claim() { printf '{"summary": "done", "stories_completed": ["%s"]}' "$1" > "$TRIBUNAL_CLAIM"; remember verify "after $1"; }
case $TRIBUNAL_ROUND in
1) mkdir -p docs; echo one > docs/one.md; git add -A 2> /dev/null; git commit -qm mine 2> /dev/null; remember continue "add" ;;
2) echo 'echo 4' > add.sh; claim US-001 ;;
3) echo 'echo $(($1 + $2))' > add.sh; claim US-001 ;;
4) mkdir -p many; n=0
   while [ $n -lt 30 ]; do echo $n > many/file$n; n=$((n + 1)); [ $((n % 10)) -ne 0 ] || sleep 0.02; done
   echo 'echo $(($1 - $2))' > sub.sh; claim US-002 ;;
*) echo 'echo $(($1 * $2))' > mul.sh; rm -f docs/one.md; claim US-003 ;;
esac
echo "end worker $TRIBUNAL_ROUND" >> "$CALLS"
"#;
const VERIFIER: &str = r#"#!/bin/sh
cat > /dev/null
echo "begin verifier $TRIBUNAL_ROUND" >> "$CALLS"
word=pass met=true then=continue
[ "$TRIBUNAL_ROUND" != 2 ] || { word=fail; met=false; }
[ "$TRIBUNAL_ROUND" != 5 ] || then=complete
result() { printf '{"criterion": "%s AC1", "met": %s, "evidence": "`%s`"}' "$1" "$met" "$2"; }
printf '{"verdict": "%s", "iteration": %s, "summary": "looked", "criteria_results": [%s, %s, %s], "issues": [], "recommended_state_transition": "%s", "next_iteration_contract": "go on"}' \
  "$word" "$TRIBUNAL_ROUND" "$(result US-001 'echo $(($1 + $2))')" "$(result US-002 'echo $(($1 - $2))')" \
  "$(result US-003 'echo $(($1 * $2))')" "$then" > "$TRIBUNAL_VERDICT"
echo "end verifier $TRIBUNAL_ROUND" >> "$CALLS"
"#;

/// Where the project is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Repository,
    Subfolder,
    Linked,
    Plain,
}

impl Shape {
    pub(super) const ALL: [Self; 4] = [Self::Repository, Self::Subfolder, Self::Linked, Self::Plain];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Repository => "repository",
            Self::Subfolder => "subfolder",
            Self::Linked => "linked",
            Self::Plain => "plain",
        }
    }
}

/// A folder of its own: home, project, agents, and where agents count.
#[derive(Debug)]
pub(super) struct Scene {
    folder: TempDir,
    shape: Shape,
    root: PathBuf,
}

/// Everything that is the user's, by its name.
pub(super) type Belongings = BTreeMap<String, Vec<u8>>;

impl Scene {
    pub(super) fn new(shape: Shape, sandbox: &str) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("tribunal-kills-").tempdir().context("cannot make a folder")?;
        let root = folder.path().canonicalize()?;
        let scene = Self { folder, shape, root };
        for name in ["home", "tmp", "calls", "agents"] {
            fs::create_dir(scene.root.join(name))?;
        }
        let project = scene.project();
        fs::create_dir_all(scene.top())?;
        if shape == Shape::Linked {
            let main = scene.root.join("main");
            fs::create_dir(&main)?;
            scene.git(&main, &["init", "-q", "-b", "main"])?;
            scene.git(&main, &["commit", "-q", "--allow-empty", "-m", "zero"])?;
            fs::remove_dir(scene.top())?;
            scene.git(&main, &["worktree", "add", "-q", "-b", "mine", &scene.top().display().to_string()])?;
        }
        fs::create_dir_all(&project)?;
        let operations = [("add", "+", 5), ("sub", "-", 3), ("mul", "*", 8)];
        for (name, _, expected) in operations {
            let call = format!(
                "sh {name}.sh {}",
                if name == "sub" {
                    "7 4"
                } else if name == "add" {
                    "2 3"
                } else {
                    "2 4"
                }
            );
            let test = format!(
                "echo 1..1\n[ \"$({call} 2> /dev/null)\" = {expected} ] && echo 'ok 1 - {name}' || {{ echo 'not ok 1 - {name}'; exit 1; }}\n"
            );
            write(&project.join(format!("test_{name}.sh")), &test)?;
        }
        write(&project.join("notes.txt"), "a calculator\n")?;
        write(&scene.top().join(".gitignore"), "target/\n")?;
        for (name, script) in [("worker", WORKER), ("verifier", VERIFIER)] {
            let head = format!("#!/bin/sh\nCALLS={}\n", scene.calls().display());
            let path = scene.root.join(format!("agents/{name}.sh"));
            write(&path, &script.replacen("#!/bin/sh\n", &head, 1))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        write(&project.join("tribunal.toml"), &scene.config(sandbox))?;
        let desk = project.join(".tribunal/desk");
        for (name, text) in [
            ("plans/prd-calc.md", PRD),
            ("plans/test-spec-calc.md", SPEC),
            ("prompts/calc.worker.prompt.md", "You are the worker.\n"),
            ("prompts/calc.verifier.prompt.md", "You are the verifier.\n"),
            ("memos/calc-memory.md", "## Stop Status\ncontinue\n\n## Next Iteration Contract\nBegin\n"),
            ("context/calc-latest.md", "nothing yet\n"),
        ] {
            write(&desk.join(name), text)?;
        }
        if shape != Shape::Plain {
            scene.be_a_user()?;
        }
        Ok(scene)
    }

    /// A repository in the middle of somebody's day: tags, a stash, a hook, something staged and something not.
    fn be_a_user(&self) -> Result<()> {
        let top = self.top();
        if self.shape != Shape::Linked {
            self.git(&top, &["init", "-q", "-b", "main"])?;
        }
        self.git(&top, &["add", "-A", "--", ".", ":!*.tribunal*", ":!*tribunal.toml"])?;
        self.git(&top, &["commit", "-qm", "first"])?;
        self.git(&top, &["tag", "v1"])?;
        self.git(&top, &["branch", "other"])?;
        let notes = self.project().join("notes.txt");
        write(&notes, "stashed\n")?;
        self.git(&top, &["stash", "-q"])?;
        write(&notes, "staged\n")?;
        self.git(&top, &["add", "--update"])?;
        write(&notes, "not staged\n")?;
        write(&self.project().join("mine.txt"), "not known to git\n")?;
        let hooks = self.common()?.join("hooks");
        fs::create_dir_all(&hooks)?;
        for hook in ["pre-commit", "post-commit", "reference-transaction", "post-checkout"] {
            let path = hooks.join(hook);
            write(&path, &format!("#!/bin/sh\ntouch {}\n", self.root.join("hooked").display()))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }

    fn config(&self, sandbox: &str) -> String {
        let agent = |name: &str| {
            let path = self.root.join(format!("agents/{name}.sh")).display().to_string();
            format!("[agents.{name}]\nkind = \"command\"\ncommand = [{path:?}]\n[seats.{name}]\nagent = \"{name}\"\n")
        };
        format!(
            "[run]\nloop = \"desk\"\nsandbox = \"{sandbox}\"\n[desk]\nslug = \"calc\"\nmax_iter = 8\nmutants = \"off\"\nwritable = [{:?}]\n\
             [limits]\ngrace = \"500ms\"\n{}{}",
            self.root.join("calls").display().to_string(),
            agent("worker"),
            agent("verifier"),
        )
    }

    /// `tribunal`, as the user calls it.
    pub(super) fn tribunal(&self, tribunal: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(tribunal);
        command.args(args).current_dir(self.project()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("LANG", "C.UTF-8");
        command.env("HOME", self.root.join("home")).env("TMPDIR", self.root.join("tmp"));
        command.env("TRIBUNAL_CHECKS_EYES", "static");
        command.stdin(Stdio::null());
        command
    }

    pub(super) fn project(&self) -> PathBuf {
        if self.shape == Shape::Subfolder { self.top().join("apps/calc") } else { self.top() }
    }

    fn top(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The repository itself.
    fn common(&self) -> Result<PathBuf> {
        let said = self.git(&self.top(), &["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
        Ok(PathBuf::from(said))
    }

    pub(super) fn calls(&self) -> PathBuf {
        self.root.join("calls/calls")
    }

    pub(super) fn trees(&self) -> PathBuf {
        self.project().join(".tribunal/trees")
    }

    /// Where branches of ours are files.
    pub(super) fn branches(&self) -> PathBuf {
        let main = if self.shape == Shape::Linked { self.root.join("main") } else { self.top() };
        main.join(".git").join(BRANCHES)
    }

    /// Where the worker of a run writes file by file.
    pub(super) fn many(&self, run: &Path) -> PathBuf {
        let work = run.join("work");
        if self.shape == Shape::Subfolder { work.join("apps/calc/many") } else { work.join("many") }
    }

    /// The logs of all runs.
    pub(super) fn logs(&self) -> Vec<PathBuf> {
        let runs = fs::read_dir(self.project().join(".tribunal/runs")).into_iter().flatten().flatten();
        let mut logs: Vec<PathBuf> =
            runs.map(|run| run.path().join("log.ndjson")).filter(|log| log.is_file()).collect();
        logs.sort();
        logs
    }

    /// The content of the work, if it is on a branch.
    pub(super) fn work(&self) -> Result<Option<String>> {
        if self.shape == Shape::Plain {
            return Ok(None);
        }
        let listed = self.git(&self.top(), &["for-each-ref", "--format=%(refname)", BRANCHES])?;
        ensure!(listed.lines().count() == 1, "there is one branch for a run, and there are: {listed:?}");
        Ok(Some(self.git(&self.top(), &["rev-parse", &format!("{}^{{tree}}", listed.trim())])?))
    }

    /// How many commits the work has.
    pub(super) fn commits(&self) -> Result<usize> {
        if self.shape == Shape::Plain {
            return Ok(0);
        }
        Ok(self
            .git(&self.top(), &["log", "--format=%H", "--glob=refs/heads/tribunal/*", "--not", "HEAD"])?
            .lines()
            .count())
    }

    /// The message of the last commit of the work.
    pub(super) fn last_message(&self) -> String {
        self.git(&self.top(), &["log", "-1", "--format=%B", "--glob=refs/heads/tribunal/*"]).unwrap_or_default()
    }

    /// Files with their modes, and where the repository stands.
    pub(super) fn belongings(&self) -> Result<Belongings> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.top(), self.root.join("agents")];
        if self.shape == Shape::Linked {
            folders.push(self.root.join("main"));
        }
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)?.flatten() {
                let path = entry.path();
                // What we keep for the run; what the user's desk consists of comes below.
                if entry.file_name() == ".tribunal" {
                    folders.extend(["desk/plans", "desk/prompts"].map(|name| path.join(name)));
                    continue;
                }
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    // Objects are added, and our own branch: what the others say is listed below.
                    let is_ours = ["objects", "tribunal"].iter().any(|name| entry.file_name() == *name);
                    if !(is_ours && path.components().any(|part| part.as_os_str() == ".git")) {
                        folders.push(path);
                    }
                } else {
                    let mode = entry.metadata()?.permissions().mode();
                    let content = fs::read(&path).unwrap_or_default();
                    found.insert(format!("{} {mode:o}", path.display()), content);
                }
            }
        }
        if self.shape != Shape::Plain {
            for args in [
                &["for-each-ref", "--format=%(refname) %(objectname)"][..],
                &["worktree", "list", "--porcelain"],
                &["stash", "list"],
                &["status", "--porcelain", "-b"],
            ] {
                let said = self.git(&self.top(), args)?;
                let said: Vec<&str> = said.lines().filter(|line| !line.contains(BRANCHES)).collect();
                found.insert(format!("git {}", args[0]), said.join("\n").into_bytes());
            }
        }
        Ok(found)
    }

    /// Git in a folder of the user's; hooks do not count here.
    fn git(&self, folder: &Path, args: &[&str]) -> Result<String> {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0"])
            .args(args);
        git.current_dir(folder).env("GIT_OPTIONAL_LOCKS", "0").env("HOME", self.root.join("home"));
        let done = git.output().context("git is not installed, and desks need it")?;
        ensure!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        Ok(String::from_utf8_lossy(&done.stdout).trim_end().to_owned())
    }

    /// What nobody needs any more and is still there: temporary files, locks, checkouts.
    pub(super) fn left(&self) -> Vec<PathBuf> {
        let mut left = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
                let is_in = |folder: &str| folder_of(&path) == self.root.join(folder);
                let is_temporary =
                    name.starts_with("tmp_") || name.starts_with(".tribunal-") || name.starts_with("checks-");
                let is_lock = path.extension().is_some_and(|it| it == "lock") && path.iter().any(|part| part == ".git");
                if is_temporary || is_lock || is_in("tmp") || is_in("home/.cache/tribunal/evidence") {
                    left.push(path);
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                }
            }
        }
        if self.root.join("hooked").exists() {
            left.push(self.root.join("hooked"));
        }
        left.sort();
        left
    }

    /// Leaves everything where it is.
    pub(super) fn keep(&mut self) {
        self.folder.disable_cleanup(true);
    }
}

/// Whether a sandbox works on this machine.
pub(super) fn works_here(tribunal: &Path, sandbox: &str) -> Result<bool> {
    let scene = Scene::new(Shape::Repository, sandbox)?;
    let output = scene.tribunal(tribunal, &["desk", "run", "calc", "--max-iter", "1"]).output()?;
    // One iteration is never enough: it ends at its limit.
    Ok(output.status.code() == Some(3))
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(folder_of(path))?;
    fs::write(path, text).with_context(|| path.display().to_string())
}
