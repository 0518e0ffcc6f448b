//! Whoever is judged does not say by what, nor what runs here: settings count as the change found them.

use crate::judge::{CHECK, CODE, git, project};
use crate::support::{Output, Project};
use std::fs;
use std::path::Path;

/// A repository with settings, and a branch on which the code is broken.
fn broken(settings: &str) -> Project {
    let project = project();
    project.write("tribunal.toml", settings);
    project.write("spec.md", "- a range is inclusive\n");
    project.write("sub/notes.txt", "notes\n");
    commit(&project);
    git(&project, &["checkout", "-qb", "feature"]);
    project.write("calc.py", &CODE.replace("return list", "return [] and list"));
    project
}

fn commit(project: &Project) {
    git(project, &["add", "-A"]);
    git(project, &["commit", "-qm", "as it is"]);
}

fn checks() -> String {
    format!("[judge]\nchecks = [\"{CHECK}\"]\nmutants = 0\n")
}

fn refused(name: &str, output: &Output) {
    assert_eq!(output.code, 1, "{name}: {}", output.all());
    assert!(output.stdout.contains("checks_failed"), "{name}: {}", output.all());
}

/// A script that leaves a file when it is run.
fn telltale(project: &Project, name: &str, left: &Path) {
    project.agent(name, &format!("#!/bin/sh\necho ran > '{}'\ncat > /dev/null\n", left.display()));
}

/// What a change does to settings.
type Spoil<'a> = Box<dyn Fn(&Project) + 'a>;

/// Where the change's own settings are is all the same.
#[test]
fn settings_count_as_the_change_found_them() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("other.toml"), "[judge]\nchecks = [\"true\"]\n").unwrap();
    let link = elsewhere.path().join("other.toml");
    let other = "[judge]\nchecks = [\"true\"]\nmutants = 0\n";
    let rows: Vec<(&str, &str, Spoil<'_>)> = vec![
        ("deleted", ".", Box::new(|project| fs::remove_file(project.path("tribunal.toml")).unwrap())),
        (
            "moved",
            ".",
            Box::new(|project| {
                fs::create_dir_all(project.path("conf")).unwrap();
                fs::rename(project.path("tribunal.toml"), project.path("conf/tribunal.toml")).unwrap();
            }),
        ),
        (
            "a link to outside",
            ".",
            Box::new(|project| {
                fs::remove_file(project.path("tribunal.toml")).unwrap();
                std::os::unix::fs::symlink(&link, project.path("tribunal.toml")).unwrap();
            }),
        ),
        ("no settings at all", ".", Box::new(|project| project.write("tribunal.toml", "[judge\n"))),
        ("others", ".", Box::new(|project| project.write("tribunal.toml", other))),
        ("in a folder below", "sub", Box::new(|project| project.write("sub/tribunal.toml", other))),
        (
            "another folder",
            ".",
            Box::new(|project| project.write("tribunal.toml", &format!("{other}[run]\nworkspace = \"/tmp\"\n"))),
        ),
    ];
    for (name, dir, spoil) in rows {
        for is_committed in [false, true] {
            let project = broken(&checks());
            spoil(&project);
            if is_committed {
                commit(&project);
            }
            let dir = project.path(dir).display().to_string();
            refused(name, &project.tribunal(&["-C", &dir, "judge"]));
            if is_committed {
                refused(name, &project.tribunal(&["-C", &dir, "judge", "main...feature", "--again"]));
            }
        }
    }
}

/// What would open, carry, run or leave out more is told, and does not happen.
#[test]
fn a_change_opens_carries_runs_and_leaves_out_nothing() {
    let left = tempfile::tempdir().unwrap();
    let (set_up, secret) = (left.path().join("set-up"), left.path().join("secrets"));
    fs::create_dir(&secret).unwrap();
    let project = broken(&checks());
    commit(&project);
    project.write(
        "tribunal.toml",
        &format!(
            "{}range = \"HEAD~1..HEAD\"\nnetwork = true\ncarry = [\"{}\"]\nsetup = [\"echo ran > '{}'\"]\n[run]\nsandbox = \
             \"none\"\n",
            checks(),
            secret.display(),
            set_up.display()
        ),
    );
    commit(&project);
    let output = project.tribunal(&["judge"]);
    refused("a narrower range", &output);
    assert!(!set_up.exists(), "{}", output.all());
    let told = output.stderr.replace('\n', " ");
    for key in ["judge.setup", "run.sandbox", "judge.network", "judge.carry", "judge.range"] {
        assert!(told.contains(&format!("`{key}`")), "{key}: {told}");
    }
    assert!(told.contains("counts as it was before the change"), "{told}");
    assert!(output.stdout.contains("the change also sets"), "it is part of the reason: {}", output.all());
    let log = project.tribunal(&["log", "--json"]).stdout;
    assert!(log.contains("\"unheeded\":[") && !log.contains("\"network\":true"), "{log}");
    // A person may say otherwise, and it is recorded.
    let allowed = project.tribunal(&["judge", "--use-changed-config"]);
    assert!(allowed.stdout.contains("as a person allowed"), "{}", allowed.all());
    assert!(set_up.exists(), "{}", allowed.all());
}

/// Judging somebody's branch runs none of their programs outside of the sandbox of checks.
#[test]
fn a_change_starts_no_programs_of_its_own() {
    let left = tempfile::tempdir().unwrap();
    let (voted, told) = (left.path().join("voted"), left.path().join("told"));
    let project = broken(&checks());
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    telltale(&project, "v.sh", &voted);
    telltale(&project, "t.sh", &told);
    let own = format!(
        "{}verifiers = [\"verifier\"]\n[agents.v]\nkind = \"command\"\ncommand = [\"./v.sh\"]\n[seats.verifier]\nagent = \
         \"v\"\n[notify]\non = [\"needs_person\", \"ended\"]\ncommand = [\"./t.sh\"]\n",
        checks()
    );
    project.write("tribunal.toml", &own);
    for args in [&["judge"][..], &["judge", "feature", "--again"]] {
        let output = project.tribunal(args);
        assert_eq!(output.code, 0, "{}", output.all());
        assert!(!voted.exists() && !told.exists(), "{}", output.all());
        assert!(output.stderr.contains("`agents.v.command` (says which programs run here)"), "{}", output.all());
        if args.len() == 1 {
            commit(&project);
        }
    }
    let allowed = project.tribunal(&["judge", "--use-changed-config"]);
    assert!(voted.exists() && told.exists(), "{}", allowed.all());
}

/// A program that the settings named before is not the change's to write.
#[test]
fn a_program_that_the_change_rewrites_is_not_run() {
    let left = tempfile::tempdir().unwrap();
    let ran = left.path().join("ran");
    for (name, more) in [
        ("a verifier", "verifiers = [\"verifier\"]\n[agents.v]\nkind = \"command\"\ncommand = [\"sh\", \"p.sh\"]\n"),
        (
            "who it is",
            "verifiers = [\"verifier\"]\n[agents.v]\nkind = \"command\"\ncommand = [\"true\"]\npersona = \"p.sh\"\n",
        ),
        (
            "messages",
            "[agents.v]\nkind = \"command\"\ncommand = [\"true\"]\n[notify]\non = [\"ended\"]\ncommand = [\"./p.sh\"]\n",
        ),
    ] {
        let project = broken(&format!("{}{more}[seats.verifier]\nagent = \"v\"\n", checks()));
        git(&project, &["checkout", "-q", "main", "--", "."]);
        project.agent("p.sh", "#!/bin/sh\ncat > /dev/null\n");
        commit(&project);
        git(&project, &["branch", "-f", "main"]);
        project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
        telltale(&project, "p.sh", &ran);
        let output = project.tribunal(&["judge"]);
        assert_eq!(output.code, 2, "{name}: {}", output.all());
        assert!(output.stderr.contains("p.sh is part of the change"), "{name}: {}", output.all());
        assert!(!ran.exists(), "{name}: {}", output.all());
    }
}

/// A judgement that goes on has the settings that it began with.
#[test]
fn a_judgement_that_goes_on_runs_nothing_new() {
    let left = tempfile::tempdir().unwrap();
    let ran = left.path().join("ran");
    let later = left.path().join("later.sh");
    fs::write(&later, "cat > /dev/null\necho \"You've hit your session limit, try again in 1 second\" >&2\nexit 75\n")
        .unwrap();
    let settings = |program: &str| {
        format!(
            "{}spec = \"spec.md\"\n[run]\nwhen_parked = \"leave\"\n[agents.v]\nkind = \"command\"\ncommand = [\"sh\", \"{program}\"]\n\
             [seats.verifier]\nagent = \"v\"\n",
            checks()
        )
    };
    let project = broken(&settings(&later.display().to_string()));
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    commit(&project);
    let parked = project.tribunal(&["judge", "main...feature"]);
    assert_eq!(parked.code, 3, "{}", parked.all());
    telltale(&project, "evil.sh", &ran);
    project.write("tribunal.toml", &settings("./evil.sh"));
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let resumed = project.tribunal(&["resume"]);
    assert!(!ran.exists(), "{}", resumed.all());
    assert_eq!(resumed.code, 3, "its own verifier was asked again: {}", resumed.all());
}

/// What the change has to do is said by what was there before, also where a link takes its place.
#[test]
fn a_spec_is_no_link_that_the_change_made() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("easy.md"), "- there is a file\n").unwrap();
    let prompt = elsewhere.path().join("prompt");
    let program = elsewhere.path().join("v.sh");
    fs::write(&program, format!("cat > '{}'\nexit 1\n", prompt.display())).unwrap();
    let settings = format!(
        "{}spec = \"spec.md\"\n[run]\nmax_retries = 0\n[agents.v]\nkind = \"command\"\ncommand = [\"sh\", \"{}\"]\ncontrols = \
         false\n[seats.verifier]\nagent = \"v\"\n",
        checks(),
        program.display()
    );
    for is_gone in [false, true] {
        let project = broken(&settings);
        project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
        fs::remove_file(project.path("spec.md")).unwrap();
        if !is_gone {
            std::os::unix::fs::symlink(elsewhere.path().join("easy.md"), project.path("spec.md")).unwrap();
        }
        let output = project.tribunal(&["judge"]);
        let asked = fs::read_to_string(&prompt).unwrap_or_else(|error| panic!("{error}: {}", output.all()));
        assert!(asked.contains("a range is inclusive") && !asked.contains("there is a file"), "{}", output.all());
        fs::remove_file(&prompt).unwrap();
    }
}

/// Folders that are carried are those of whoever judges.
#[test]
fn what_the_change_brings_along_is_not_carried() {
    let project = broken(&checks());
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    project.write("node_modules/tool/index.js", "process.exit(0)\n");
    let output = project.tribunal(&["judge"]);
    assert!(output.stderr.contains("node_modules is part of the change"), "{}", output.all());
}
