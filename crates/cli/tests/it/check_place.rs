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
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.home().join("bin").display()));
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

/// A Go that builds nothing but a file, and only where nothing else is.
const GO: &str = r#"#!/bin/sh
case "$1" in
version) echo "go version go9.9 here/here" ;;
env) echo "$@" ;;
build) test -z "$(ls -A)" && mkdir -p "$GOCACHE/00" && echo clean > "$GOCACHE/00/std" ;;
*) exit 1 ;;
esac
"#;

fn put_program(scene: &Scene, name: &str, text: &str) {
    let path = scene.home().join("bin").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn gos_standard_library_is_built_once_and_nobody_poisons_it() {
    let scene = Scene::new(&[("value", "1\n")]);
    put_program(&scene, "go", GO);
    scene.project.write("value", "2\n");
    let kept = scene.home().join(".cache/tribunal/go/*/home/.cache/go-build/00/std");
    let own = r#"go version && grep -q clean "$GOCACHE/00/std" && echo poison > "$GOCACHE/00/std""#;
    let others = format!("! echo poison > \"$(echo {})\"", kept.display());
    for (mechanism, hides) in scene.mechanisms() {
        let set = format!("run.sandbox={mechanism}");
        let check = if hides { format!("{own} && {others}") } else { own.to_owned() };
        let toml = format!("checks = [{check:?}]\n");
        for built in [1, 0] {
            let output = scene.judge(&toml, &["--again", "--set", &set]);
            assert_eq!(output.code, 0, "{mechanism}: {}", output.all());
            let told = output.stderr.matches("building the standard library of go9.9").count();
            assert_eq!(told, built, "{mechanism}: {}", output.all());
        }
        std::fs::remove_dir_all(scene.home().join(".cache")).unwrap();
    }
    // One that cannot be built is not missed, and nothing of it is kept.
    put_program(&scene, "go", &GO.replace("&& echo clean", "&& exit 1; echo clean"));
    let output = scene.judge("checks = ['go version && test ! -e \"$GOCACHE/00\"']\n", &["--again"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let kept = std::fs::read_dir(scene.home().join(".cache/tribunal/go")).unwrap();
    assert!(kept.flatten().all(|entry| !entry.path().is_dir()));
}

#[test]
fn packages_that_are_missing_are_no_word_against_the_change() {
    let scene = Scene::new(&[("check.py", "import not_there_yet\n"), ("value", "1\n")]);
    scene.project.write("value", "2\n");
    let lib = scene.home().join("lib");
    let toml = format!("checks = ['PYTHONPATH={} python3 check.py']\n", lib.display());
    let output = scene.judge(&toml, &[]);
    assert_eq!(output.code, 1, "{}", output.all());
    for told in
        ["not judged (needs_human): packages_missing", "`not_there_yet` is missing", "setup = [\"python3 -m venv"]
    {
        assert!(output.stdout.contains(told), "{told}: {}", output.all());
    }
    assert!(!output.stdout.contains("does not hold"), "{}", output.all());
    // Brought since, they are found when it is judged again, and nobody has to say so.
    std::fs::create_dir_all(&lib).unwrap();
    std::fs::write(lib.join("not_there_yet.py"), "").unwrap();
    let output = scene.judge(&toml, &[]);
    assert_eq!(output.code, 0, "{}", output.all());
    // Who breaks what worked before is not excused.
    scene.project.write("check.py", "import never_there\n");
    let output = scene.judge(&toml, &[]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("does not hold (blocked): "), "{}", output.all());
}

#[test]
fn a_program_that_is_missing_is_no_word_against_the_change() {
    let scene = Scene::new(&[("run.sh", "true\n"), ("value", "1\n")]);
    scene.project.write("value", "2\n");
    for (check, told) in
        [("nosuchprogram x", "`nosuchprogram` is not found"), ("./run.sh", "`./run.sh` cannot be executed")]
    {
        let output = scene.judge(&format!("checks = ['{check}']\n"), &[]);
        assert_eq!(output.code, 1, "{}", output.all());
        for told in ["not judged (needs_human): packages_missing", told, "it printed `"] {
            assert!(output.stdout.contains(told), "{told}: {}", output.all());
        }
        assert!(!output.stdout.contains("does not hold"), "{}", output.all());
    }
}

#[test]
fn what_a_setup_left_long_ago_is_cleared_away() {
    let scene = Scene::new(&[("requirements.txt", "one\n"), ("value", "1\n")]);
    let kept = scene.home().join(".cache/tribunal/setup");
    let ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60 * 24 * 60 * 60);
    for (name, at) in [("0000/old", ago), ("0000/new", std::time::SystemTime::now())] {
        std::fs::create_dir_all(kept.join(name)).unwrap();
        let done = std::fs::File::create(kept.join(name).join("done")).unwrap();
        done.set_modified(at).unwrap();
    }
    scene.project.write("value", "2\n");
    let output = scene.judge("setup = [\"mkdir deps\"]\nchecks = [\"test -d deps\"]\n", &["--again"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(!kept.join("0000/old").exists() && kept.join("0000/new").exists());
    let again = scene.judge("setup = [\"mkdir deps\"]\nchecks = [\"test -d deps\"]\n", &["--again"]);
    assert!(!again.stderr.contains("setup: "), "what is used is kept: {}", again.all());
}

#[test]
fn a_test_that_fails_once_beside_ours_is_tried_again() {
    let test = |fails: &str| {
        format!(
            "import os, unittest\n\nclass Timing(unittest.TestCase):\n    def test_it(self):\n        \
             path = os.path.expanduser('~/count')\n        \
             count = len(open(path).read()) + 1 if os.path.exists(path) else 1\n        \
             open(path, 'a').write('x')\n        self.assertFalse({fails})\n"
        )
    };
    for (fails, code) in [("count == 2", 0), ("count >= 2", 1)] {
        // At the base nothing fails.
        let fails = &format!("{fails} and open('value').read() == '2\\n'");
        let scene = Scene::new(&[("test_timing.py", &test(fails)), ("value", "1\n")]);
        scene.project.write("value", "2\n");
        let output = scene.judge("checks = [\"python3 -m unittest\"]\n", &[]);
        assert_eq!(output.code, code, "{fails}: {}", output.all());
        assert_eq!(output.stdout.contains("checks_unreliable"), code == 1, "{fails}: {}", output.all());
    }
}

#[test]
fn a_new_file_that_hides_a_new_test_in_an_old_file_does_not_help() {
    let old =
        "import unittest\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertTrue(True)\n";
    let makefile = "test:\n\tpython3 -m unittest test_it.Old\n";
    let scene = Scene::new(&[("test_it.py", old), ("Makefile", "test:\n\tpython3 -m unittest\n"), ("value", "1\n")]);
    let new = format!(
        "{old}\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(open('value').read(), '3')\n"
    );
    scene.project.write("test_it.py", &new);
    scene.project.write("value", "2\n");
    scene.project.write("Makefile", makefile);
    let output = scene.judge("checks = [\"make test\"]\n", &[]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("checks_tampered"), "{}", output.all());
}

#[test]
fn an_environment_of_pythons_that_was_set_up_is_active_and_one_that_was_committed_is_not() {
    let scene = Scene::new(&[("requirements.txt", "one\n"), ("value", "1\n")]);
    scene.project.write("value", "2\n");
    let setup = "mkdir -p .venv/bin && ln -s /bin/sh .venv/bin/python && ln -s /bin/true .venv/bin/own-tool";
    let toml = format!("setup = [{setup:?}]\nchecks = ['own-tool && test \"$VIRTUAL_ENV\" -ef .venv']\n");
    let output = scene.judge(&toml, &[]);
    assert_eq!(output.code, 0, "{}", output.all());
    for name in [".venv/bin/python", ".venv/bin/own-tool"] {
        scene.project.write(name, "#!/bin/sh\n");
    }
    scene.git(&["update-index", "--add", "--chmod=+x", ".venv/bin/python", ".venv/bin/own-tool"]);
    scene.commit();
    let output = scene.judge("checks = ['! command -v own-tool']\n", &["HEAD~1..HEAD"]);
    assert!(output.stdout.contains("with the given files put back: green"), "{}", output.all());
}
