//! Where a desk can be: with git and without, as the original laid it out, in every sandbox that works here.

use super::{Bench, HONEST, PASSES, PRD};

#[test]
fn a_project_that_was_laid_out_by_the_original_runs_as_it_is() {
    for root in [".claude/ralph-desk", ".rlp-desk"] {
        let worker = format!("[ -r {root}/plans/prd-calc.md ] || exit 9\n{HONEST}");
        let verifier = format!("[ -r {root}/memos/calc-done-claim.json ] || exit 9\n{PASSES}");
        let bench = Bench::new(&worker, &verifier);
        std::fs::remove_dir_all(bench.project.path(".tribunal/desk")).unwrap();
        bench.lay_out(root);
        // The original keeps its files in the repository.
        bench.git(&["add", root]);
        bench.git(&["commit", "-qm", "the desk"]);
        let output = bench.run();
        assert_eq!(output.code, 0, "{root}: {}", output.all());
        assert!(bench.project.path(&format!("{root}/memos/calc-complete.md")).exists(), "{root}");
        assert!(bench.project.path(&format!("{root}/logs/calc/iter-001.worker-prompt.md")).exists(), "{root}");
        assert!(!bench.project.path(".tribunal/desk").exists(), "{root}");
        let changed = bench.git(&["diff", "--stat", "HEAD", "--all", "--", "calc.sh"]);
        assert!(changed.is_empty(), "{root}");
    }
}

#[test]
fn without_git_the_work_is_a_copy_and_the_report_says_what_is_missing() {
    let bench = Bench::without_git(HONEST, PASSES);
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(!bench.project.path("calc.sh").exists(), "not before it is adopted");
    assert!(bench.report().contains("the desk works on a copy, without history"), "{}", bench.report());
    let adopted = bench.project.tribunal(&["adopt", "calc"]);
    assert_eq!(adopted.code, 0, "{}", adopted.all());
    assert_eq!(bench.project.read("calc.sh"), "echo $(($1 + $2))\n");
}

#[test]
fn what_the_user_has_not_committed_stays_and_is_not_in_the_way() {
    let bench = Bench::new(HONEST, PASSES);
    bench.project.write("calc.txt", "a better calculator\n");
    bench.project.write("notes.txt", "mine\n");
    assert_eq!(bench.run().code, 0);
    assert!(bench.report().contains("files with changes that are not committed are not part of the work"));
    assert_eq!(bench.project.tribunal(&["adopt", "calc"]).code, 0);
    assert_eq!(bench.project.read("calc.txt"), "a better calculator\n");
    assert_eq!(bench.project.read("notes.txt"), "mine\n");
    assert_eq!(bench.project.read("calc.sh"), "echo $(($1 + $2))\n");
}

#[test]
fn every_sandbox_lets_honest_work_through() {
    for sandbox in ["auto", "landlock", "none"] {
        let bench = Bench::new(HONEST, PASSES);
        if sandbox == "landlock" && !bench.is_confined() {
            continue;
        }
        let output = bench.project.tribunal(&["desk", "run", "calc", "--set", &format!("run.sandbox={sandbox}")]);
        assert_eq!(output.code, 0, "{sandbox}: {}", output.all());
    }
}

#[test]
fn zero_tests_and_only_skipped_ones_are_a_failure() {
    for (name, test) in [("none", "echo 1..0\n"), ("skipped", "printf '1..1\\nok 1 # SKIP not now\\n'\n")] {
        let bench = Bench::without_git(HONEST, PASSES);
        bench.project.write("test_calc.sh", test);
        let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1"]);
        assert_eq!(output.code, 3, "{name}: {}", output.all());
        assert!(bench.report().contains("fail, `not_verified`"), "{name}: {}", bench.report());
    }
}

#[test]
fn a_check_that_hangs_is_stopped_and_has_failed() {
    let bench = Bench::new(HONEST, PASSES);
    let spec = super::SPEC.replacen("sh test_calc.sh\n", "sh test_calc.sh\nsleep 60\n", 1);
    bench.project.write(".tribunal/desk/plans/test-spec-calc.md", &spec);
    let output = bench.project.tribunal(&["desk", "run", "calc", "--max-iter", "1", "--set", "desk.check_timeout=1s"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(bench.report().contains("it timed out"), "{}", bench.report());
}

#[test]
fn the_campaign_that_is_meant_need_not_be_named() {
    let bench = Bench::new(HONEST, PASSES);
    let dry = || bench.project.tribunal(&["desk", "run", "--dry-run"]);
    let set = dry();
    assert_eq!(set.code, 0, "`desk.slug`: {}", set.all());
    let settings = bench.project.read("tribunal.toml").replace("slug = \"calc\"\n", "");
    bench.project.write("tribunal.toml", &settings);
    let only = dry();
    assert_eq!(only.code, 0, "the only plan: {}", only.all());
    assert!(only.all().contains("calc"), "{}", only.all());
    bench.project.write(".tribunal/desk/plans/prd-other.md", PRD);
    let several = dry();
    assert_eq!(several.code, 2, "{}", several.all());
    assert!(several.stderr.contains("there is more than one campaign: calc, other"), "{}", several.all());
    assert!(several.stderr.contains("hint: name one: `tribunal desk run calc`"), "{}", several.all());
}

/// `examples/calculator` as its README tells it: from answers to COMPLETE, and into the checkout.
#[test]
fn the_example_goes_from_answers_to_complete() {
    let bench = Bench::new(HONEST, PASSES);
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/calculator");
    let copied = std::process::Command::new("cp").arg("-r").arg(&example).arg(bench.project.path("example")).status();
    assert!(copied.unwrap().success());
    bench.git(&["add", "example"]);
    bench.git(&["commit", "-qm", "the example"]);
    let tribunal = |args: &[&str]| {
        let args: Vec<&str> = ["-C", "example"].iter().chain(args).copied().collect();
        let output = bench.project.tribunal(&args);
        assert_eq!(output.code, 0, "{args:?}: {}", output.all());
        output
    };
    tribunal(&["desk", "brainstorm", "--answers", "plan.toml"]);
    tribunal(&["desk", "run", "calculator"]);
    let status = tribunal(&["desk", "status", "calculator"]);
    assert!(status.stdout.contains("✓ US-002 Divide two numbers"), "{}", status.all());
    tribunal(&["adopt", "calculator"]);
    let mut divide = std::process::Command::new("sh");
    let divided =
        divide.args(["calc.sh", "div", "9", "2"]).current_dir(bench.project.path("example")).output().unwrap();
    assert_eq!(String::from_utf8(divided.stdout).unwrap(), "4\n");
}

/// `examples/divide`: the same story in four languages, each proved by what its own runner says.
#[test]
fn the_examples_of_other_languages_go_from_answers_to_adopt() {
    for (language, tool) in [("python", "python3"), ("node", "node"), ("rust", "cargo"), ("go", "go")] {
        let version = if tool == "go" { "version" } else { "--version" };
        if std::process::Command::new(tool).arg(version).output().is_err() {
            continue;
        }
        let bench = Bench::new(HONEST, PASSES);
        let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/divide").join(language);
        let copied =
            std::process::Command::new("cp").arg("-r").arg(&example).arg(bench.project.path("example")).status();
        assert!(copied.unwrap().success());
        bench.git(&["add", "example"]);
        bench.git(&["commit", "-qm", "the example"]);
        let tribunal = |args: &[&str]| {
            let args: Vec<&str> = ["-C", "example"].iter().chain(args).copied().collect();
            let output = bench.project.tribunal(&args);
            assert_eq!(output.code, 0, "{language}: {args:?}: {}", output.all());
        };
        tribunal(&["desk", "brainstorm", "--answers", "plan.toml"]);
        tribunal(&["desk", "run", "divide"]);
        let report = bench.project.read("example/.tribunal/desk/logs/divide/report.md");
        assert!(report.contains("at the base: red"), "{language}: {report}");
        assert!(report.contains("canaries: they fail and pass as they must"), "{language}: {report}");
        tribunal(&["adopt", "divide"]);
    }
}
