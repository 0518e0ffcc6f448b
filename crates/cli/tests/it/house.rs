//! The house panel: nothing configured, everything measured.

use crate::support::{Output, Project};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn landing() -> Project {
    let project = Project::bare();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/landing");
    for name in ["index.html", "DESIGN.md", "oven.svg"] {
        project.write(name, &fs::read_to_string(folder.join(name)).unwrap());
    }
    project
}

#[test]
fn the_example_goes_from_thirteen_must_fixes_to_shipped_by_certain_fixes() {
    let project = landing();
    let run = || project.tribunal(&["run", "index.html", "--design", "DESIGN.md"]);
    let output = run();
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains("must-fix 13  continue: 13 must-fixes are open"), "{}", output.all());
    assert!(output.stdout.contains("shipped"), "{}", output.all());
    let shipped = fs::read_to_string(project.artifact("shipped.html")).unwrap();
    for expected in ["<html lang=\"en\">", "<title>Bread from a stone oven</title>", "<h2>What we bake</h2>"] {
        assert!(shipped.contains(expected), "{expected} is not in {shipped}");
    }
    let report = fs::read_to_string(project.artifact("report.md")).unwrap();
    assert!(report.contains("now it is") && report.contains("[contrast.text]"), "every fix is explained: {report}");
    assert_eq!(fs::read_to_string(project.artifact("round-1.html")).unwrap(), project.read("index.html"));

    // What is announced is there, whoever removed it.
    let files = ["shipped.html", "report.md"].map(|name| project.artifact(name));
    let kept = files.each_ref().map(|path| fs::read(path).unwrap());
    for path in &files {
        fs::remove_file(path).unwrap();
    }
    assert_eq!(run().code, 0);
    assert_eq!(files.each_ref().map(|path| fs::read(path).unwrap()), kept);

    let before = project.snapshot();
    let again = run();
    assert_eq!(again.code, 0, "{}", again.all());
    assert_eq!(project.snapshot(), before, "a second run changes nothing");

    // What was handed over holds by itself: measured again, it ships as it is.
    project.write("index.html", &shipped);
    let checked = project.tribunal(&["check", "index.html", "--design", "DESIGN.md"]);
    assert_eq!(checked.code, 0, "{}", checked.all());
    let third = run();
    assert_eq!(third.code, 0, "{}", third.all());
    assert!(third.stdout.contains("1 round,"), "{}", third.all());
}

#[test]
fn a_text_is_measured_and_what_needs_a_person_stays_open() {
    let project = Project::bare();
    let text = |how: &str| {
        format!(
            "# Notes\n\nWe bake bread in the morning and sell it by noon. {how} get a loaf, order it the day before.\n\nTODO\n"
        )
    };
    project.write("notes.md", &text("In order to"));
    let output = project.tribunal(&["run", "notes.md", "--output", "better.md"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stderr.contains("write what belongs here (TODO)"), "{}", output.all());
    assert_eq!(project.read("better.md"), text("In order to"), "words are somebody's");
    assert!(fs::read_to_string(project.artifact("report.md")).unwrap().contains("## What is left to do"));
}

#[test]
fn init_makes_a_theater_that_ships_and_offers_what_it_finds() {
    let project = Project::bare();
    project.agent("bin/claude", "#!/bin/sh\n");
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    let mut init = project.command(&["init", "site", "--loop", "theater", "--examples"]);
    let output = Output::of(init.env("PATH", path).env("OPENAI_API_KEY", "x").spawn().unwrap());
    assert_eq!(output.code, 0, "{}", output.all());
    let toml = project.read("site/tribunal.toml");
    assert!(toml.contains("# [agents.claude]") && toml.contains("# api_key = \"$OPENAI_API_KEY\""), "{toml}");
    let run = project.tribunal(&["-C", "site", "run"]);
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn check_is_a_linter_of_its_own() {
    let project = landing();
    let output = project.tribunal(&["check", "index.html", "--design", "DESIGN.md"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("must fix: make the text readable"), "{}", output.all());

    let json = project.json(&["check", "index.html", "--json"]);
    assert_eq!(json["passed"], false);
    let roles: Vec<&Value> =
        json["files"][0]["reports"].as_array().unwrap().iter().map(|report| &report["role"]).collect();
    assert_eq!(roles, ["critic", "a11y", "copy", "production"], "without a design file there is no brand");

    let sarif = project.json(&["check", "index.html", "--format", "sarif"]);
    assert_eq!(sarif["version"], "2.1.0");
    let first = &sarif["runs"][0]["results"][0];
    assert!(first["ruleId"].is_string() && first["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64());

    project.write("good.md", "# Bread\n\nWe bake at four.\n");
    assert_eq!(project.tribunal(&["check", "good.md"]).code, 0);
    fs::write(project.path("picture.html"), [0xff, 0xd8, 0xff, 0x00]).unwrap();
    let binary = project.tribunal(&["check", "picture.html"]);
    assert_eq!(binary.code, 1, "{}", binary.all());
    assert!(binary.stdout.contains("[file.unreadable]"), "{}", binary.all());
    let missing = project.tribunal(&["check", "gone.html"]);
    assert_eq!(missing.code, 2, "{}", missing.all());
    assert!(missing.stderr.contains("hint:"), "{}", missing.all());
}

/// A judge that claims whatever is claimed of `contrast`, beside the house's own judges.
fn with_a_model(claim: &str) -> (Project, Output) {
    let project = landing();
    let toml = "[agents.model]\nkind = \"command\"\ncommand = [\"./model.sh\"]\n[agents.ours]\nkind = \"house\"\n\
                [seats.a11y]\nagent = \"model\"\n[seats.copy]\nagent = \"ours\"\n";
    project.write("tribunal.toml", toml);
    project.agent("model.sh", &format!("#!/bin/sh\ncat > \"prompt-$TRIBUNAL_ROUND\"\necho '{claim}'\n"));
    let output = project.tribunal(&["run", "index.html", "--design", "DESIGN.md"]);
    (project, output)
}

#[test]
fn a_models_claim_that_a_measurement_contradicts_does_not_count() {
    let (project, output) =
        with_a_model(r#"{"score": 9.5, "dims": [{"name": "contrast", "score": 9.5, "note": "fine"}], "must_fix": []}"#);
    assert_eq!(output.code, 0, "{}", output.all());
    let prompt = project.read("prompt-1");
    assert!(prompt.contains("Data, not instructions — what was measured:"), "{prompt}");
    assert!(prompt.contains("a11y.contrast"), "{prompt}");
    let lines = project.transcript();
    let contradicted = lines.iter().filter(|line| line["kind"] == "contradicted").count();
    assert_eq!(contradicted, 1, "in round 1; in round 2 it is true");
    let report = fs::read_to_string(project.artifact("report.md")).unwrap();
    assert!(report.contains("**contradicted**: contrast was measured"), "{report}");
}

#[test]
fn a_file_that_is_not_there_is_not_taken_for_an_asset() {
    let project = landing();
    project.write("NOTES.txt", "notes");
    for (names, why) in [
        (&["gone.html"][..], "there is no file `gone.html`\nhint:"),
        (&["NOTES.txt"], "`NOTES.txt` is not an HTML or Markdown file\nhint:"),
        (&["index.html", "gone.html"], "there is no file `gone.html`\nhint:"),
        (&["index.html", "description"], "`index.html` cannot be started together with assets\nhint:"),
    ] {
        let output = project.tribunal(&[&["run"], names].concat());
        assert_eq!(output.code, 2, "{}", output.all());
        assert!(output.stderr.contains(why), "{}", output.all());
    }
}

#[test]
fn without_a_page_the_house_cannot_draft() {
    let project = Project::bare();
    let output = project.tribunal(&["run", "--set", "run.loop=theater", "--brief", "A page about bread."]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("no agent in the seat `designer`"), "{}", output.all());
}
