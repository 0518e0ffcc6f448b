//! Where checks run: a home of their own, what is set up for them, what is carried, and what is closed.

use crate::support::{Output, Project};
use std::path::PathBuf;
use std::process::Command;

/// A repository in one folder and a user's home in another.
struct Scene {
    project: Project,
    home: tempfile::TempDir,
}

impl Scene {
    fn new(files: &[(&str, &str)]) -> Self {
        let scene = Self { project: Project::bare(), home: tempfile::tempdir().unwrap() };
        for (path, text) in files.iter().chain(&[(".gitignore", ".tribunal/\ndata/\ndeps/\ntribunal.toml\n")]) {
            scene.project.write(path, text);
        }
        scene.git(&["init", "-q", "-b", "main"]);
        scene.commit();
        scene
    }

    fn git(&self, args: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"]);
        let done = command.args(args).current_dir(self.project.path(".")).output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "work"]);
    }

    fn home(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    fn keep_secret(&self, name: &str) {
        let path = self.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "a secret\n").unwrap();
    }

    /// Judges what is not committed.
    fn judge(&self, toml: &str, more: &[&str]) -> Output {
        self.project.write("tribunal.toml", &format!("[judge]\nmutants = 0\n{toml}"));
        let mut command = self.project.command(&[&["judge"], more].concat());
        command.env("HOME", self.home()).env_remove("XDG_CACHE_HOME").env_remove("CARGO_HOME");
        Output::of(command.spawn().unwrap())
    }

    /// The mechanisms that work here, and whether each hides.
    fn mechanisms(&self) -> Vec<(&'static str, bool)> {
        let all = self.project.json(&["agents", "doctor", "--json"]);
        let works = |name: &str| {
            all["mechanisms"]
                .as_array()
                .unwrap()
                .iter()
                .any(|tried| tried["mechanism"] == name && tried["problem"].is_null())
        };
        let mut found = vec![("none", false)];
        found.extend(works("bubblewrap").then_some(("bubblewrap", true)));
        found.extend(works("Landlock").then_some(("landlock", true)));
        found
    }
}

#[test]
fn checks_have_a_home_of_their_own_and_no_secrets() {
    let scene = Scene::new(&[("value", "1")]);
    let secrets = [".ssh/id", ".aws/credentials", ".netrc", ".cargo/credentials.toml", ".claude/.credentials.json"];
    for name in &secrets {
        scene.keep_secret(name);
    }
    scene.project.write(".env", "a secret\n");
    scene.project.write("value", "2");
    let mut closed: Vec<PathBuf> = secrets.iter().map(|name| scene.home().join(name)).collect();
    closed.push(scene.project.path(".").canonicalize().unwrap().join(".env"));
    let closed: Vec<String> = closed.iter().map(|path| format!("'{}'", path.display())).collect();
    let own = format!(
        "test \"$HOME\" != '{}' && test ! -e \"$HOME/left\" && echo x > \"$HOME/left\" && test -d \"$CARGO_HOME\" && \
         git log --oneline | grep -q . && test -z \"$(git remote)\" && test -z \"$(git status --porcelain)\"",
        scene.home().display()
    );
    let hidden = format!("! cat {} 2>/dev/null | grep -q secret", closed.join(" "));
    for (mechanism, hides) in scene.mechanisms() {
        let set = format!("run.sandbox={mechanism}");
        let checks = if hides { format!("{own:?}, {hidden:?}") } else { format!("{own:?}") };
        let output = scene.judge(&format!("checks = [{checks}]\n"), &["--again", "--set", &set]);
        assert_eq!(output.code, 0, "{mechanism}: {}", output.all());
    }
    assert!(!scene.home().join("left").exists());
    // Nothing is left behind but what may be used again.
    let left = std::fs::read_dir(scene.home().join(".cache/tribunal/evidence")).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn a_setup_is_run_once_for_the_lock_files_and_nobody_poisons_it() {
    let scene = Scene::new(&[
        ("requirements.txt", "one\n"),
        (
            "prepare.sh",
            "mkdir -p deps && cp requirements.txt deps/made && echo base > deps/by && echo changed > value\n",
        ),
        ("value", "1\n"),
    ]);
    scene.project.write("value", "2\n");
    let toml = "setup = [\"sh prepare.sh\"]\nchecks = [\"cmp requirements.txt deps/made && grep -q base deps/by && ! grep -q changed value && echo poison > deps/by\"]\n";
    for (mechanism, _) in scene.mechanisms() {
        let set = format!("run.sandbox={mechanism}");
        let first = scene.judge(toml, &["--again", "--set", &set]);
        assert_eq!(first.code, 0, "{mechanism}: {}", first.all());
        assert_eq!(first.stderr.matches("setup: sh prepare.sh").count(), 1, "{mechanism}: {}", first.all());
        let second = scene.judge(toml, &["--again", "--set", &set]);
        assert_eq!(second.code, 0, "{mechanism}: {}", second.all());
        assert!(!second.stderr.contains("setup: "), "{mechanism}: {}", second.all());
        std::fs::remove_dir_all(scene.home().join(".cache")).unwrap();
    }
    // Another lock file: each side has its own, made by the base's script.
    scene.project.write("requirements.txt", "two\n");
    scene.project.write("prepare.sh", "mkdir -p deps && cp requirements.txt deps/made && echo worker > deps/by\n");
    let output = scene.judge(toml, &["--again"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(output.stderr.matches("setup: sh prepare.sh").count(), 2, "{}", output.all());
}

#[test]
fn a_setup_that_fails_is_told_with_its_end_and_nothing_is_judged() {
    let scene = Scene::new(&[("requirements.txt", "one\n"), ("value", "1\n")]);
    scene.project.write("value", "2\n");
    for _ in 0..2 {
        let output = scene.judge("setup = [\"echo no such package; exit 3\"]\nchecks = [\"true\"]\n", &["--again"]);
        assert_eq!(output.code, 4, "{}", output.all());
        assert!(output.all().contains("exit 3") && output.all().contains("no such package"), "{}", output.all());
        assert!(!output.stdout.contains("\nholds"), "{}", output.all());
        // What failed is not kept: it is tried again.
        assert!(output.stderr.contains("setup: echo no such package"), "{}", output.all());
    }
}

#[test]
fn what_is_carried_can_be_read_and_what_is_beside_it_cannot() {
    let scene = Scene::new(&[("value", "1\n")]);
    scene.project.write("data/known.txt", "3\n");
    scene.project.write(".env", "a secret\n");
    scene.project.write("value", "2\n");
    let beside = scene.project.path(".").canonicalize().unwrap();
    let check =
        format!("grep -q 3 data/known.txt && ! cat '{0}/.env' '{0}/value' 2>/dev/null | grep -q .", beside.display());
    for (mechanism, _) in scene.mechanisms().into_iter().filter(|(_, hides)| *hides) {
        let set = format!("run.sandbox={mechanism}");
        let output = scene.judge(&format!("carry = [\"data\"]\nchecks = [{check:?}]\n"), &["--again", "--set", &set]);
        assert_eq!(output.code, 0, "{mechanism}: {}", output.all());
    }
}

#[test]
fn submodules_are_there_as_far_as_they_are_here() {
    let library = Scene::new(&[("code", "1\n")]);
    let scene = Scene::new(&[("value", "1\n")]);
    let from = library.project.path(".").canonicalize().unwrap();
    scene.git(&["submodule", "--quiet", "add", from.to_str().unwrap(), "lib"]);
    scene.commit();
    scene.project.write("value", "2\n");
    let toml = "checks = [\"grep -q 1 lib/code && git status\"]\n";
    let output = scene.judge(toml, &["--again"]);
    assert_eq!(output.code, 0, "{}", output.all());
    std::fs::remove_dir_all(scene.project.path(".git/modules")).unwrap();
    std::fs::remove_dir_all(scene.project.path("lib")).unwrap();
    std::fs::create_dir(scene.project.path("lib")).unwrap();
    let output = scene.judge(toml, &["--again", "HEAD~1..HEAD"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.all().contains("the submodule `lib` is empty"), "{}", output.all());
}
