//! Who looks at pages: `check`, `run` and `fix` say the same of one page, whoever looks.

use crate::support::Project;
use std::collections::BTreeSet;

/// A page with this style and body, and nothing else to be said of it.
fn page(style: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<title>Bread</title>\n<style>\n{style}\n</style>\n</head>\n<body>\n\
         <main>\n<h1>Bread from a stone oven</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )
}

/// Whether this machine has a browser. Where everything is checked for good, there has to be one.
fn has_browser() -> bool {
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
    let found = folders.iter().any(|folder| names.iter().any(|name| folder.join(name).is_file()));
    assert!(found || std::env::var_os("CI").is_none_or(|value| value.is_empty()), "no Chrome or Chromium on PATH");
    found
}

/// What must be fixed in a page, as `check` says.
fn checked(project: &Project, eyes: &str) -> BTreeSet<String> {
    let output = project.seen_by(eyes, &["check", "page.html", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.all()));
    let mut told = BTreeSet::new();
    for report in found["files"][0]["reports"].as_array().unwrap() {
        for dim in report["dims"].as_array().unwrap() {
            for finding in dim["findings"].as_array().unwrap() {
                if finding["weight"] == "must_fix" && finding["standing"] != "excused" {
                    told.insert(finding["text"].as_str().unwrap().to_owned());
                }
            }
        }
    }
    told
}

/// What must be fixed in the first round of a run.
fn judged(project: &Project, eyes: &str) -> BTreeSet<String> {
    let output = project.seen_by(eyes, &["run", "page.html", "--again"]);
    let first = output.stderr.lines().filter(|line| line.contains(": round 1"));
    let demands = first.filter_map(|line| line.split_once("must fix: ")).map(|(_, text)| text);
    demands.map(|text| text.split(" (").next().unwrap().to_owned()).collect()
}

/// What must be fixed before `fix`, by its count.
fn counted(project: &Project, eyes: &str) -> u64 {
    let output = project.seen_by(eyes, &["fix", "page.html", "--diff", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.all()));
    found["must_fix_before"].as_u64().unwrap()
}

#[test]
fn a_run_reads_levels_exceptions_and_words_as_check_does() {
    let faint = page("p { color: #999 }", "<p>We bake at four and sell out by noon, with moist flour.</p>");
    let excused = faint.replace("<p>We", "<!-- tribunal-ignore contrast.text: the brand's own grey -->\n<p>We");
    for (name, text, config, rules) in [
        ("nothing is said", &faint, "", 1),
        ("a rule is off", &faint, "[checks.levels]\n\"contrast.text\" = \"off\"\n", 0),
        ("a rule is less grave", &faint, "[checks.levels]\n\"contrast.text\" = \"should\"\n", 0),
        ("excused in the text", &excused, "", 0),
        (
            "excused by path",
            &faint,
            "[[checks.ignore]]\npath = \"page.html\"\nrules = [\"contrast.text\"]\nreason = \"drawn by others\"\n",
            0,
        ),
        (
            "excused elsewhere",
            &faint,
            "[[checks.ignore]]\npath = \"other/**\"\nrules = [\"contrast.text\"]\nreason = \"drawn by others\"\n",
            1,
        ),
        ("a rule is graver", &faint, "[copy]\nbanned = [\"moist\"]\n[checks.levels]\n\"copy.banned\" = \"must\"\n", 2),
    ] {
        let project = Project::bare();
        project.write("page.html", text);
        project.write("tribunal.toml", config);
        let of_check = checked(&project, "static");
        assert_eq!(of_check.len(), rules, "{name}: {of_check:?}");
        assert_eq!(judged(&project, "static"), of_check, "{name}");
        assert_eq!(counted(&project, "static"), rules as u64, "{name}");
    }
}

#[test]
fn the_first_round_of_a_run_lists_what_check_lists() {
    let project = Project::bare();
    let body =
        "<p><a href=\"menu.html\">The menu</a> and <a href=\"#hours\">our hours</a> are here.</p>\n<input name=\"q\">";
    project.write("page.html", &page("", body));
    let of_check = checked(&project, "static");
    assert_eq!(of_check.len(), 3, "two dead links beside one other fault: {of_check:?}");
    assert_eq!(judged(&project, "static"), of_check);
    let run = project.seen_by("static", &["run", "page.html", "--again"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("must-fix 3  continue: 3 must-fixes are open"), "{}", run.all());
    assert!(run.stdout.contains("3 must-fixes are open"), "{}", run.all());
    assert!(!run.all().contains("1 must-fix is open"), "{}", run.all());
}

/// What the browser could not see because of the page is no pass, wherever it is asked about.
#[test]
fn a_page_whose_script_never_ends_does_not_pass() {
    if !has_browser() {
        return;
    }
    let project = Project::bare();
    let body = "<p>We bake at four and sell out by noon.</p>\n<script>while (true) {}</script>";
    project.write("page.html", &page("p { color: #000 }", body));
    let check = project.seen_by("auto", &["check", "page.html"]);
    assert_eq!(check.code, 1, "{}", check.all());
    assert!(check.stdout.contains("must fix: let the page come to rest"), "{}", check.all());
    assert!(
        check.stdout.contains("[page.unsettled]") && check.stdout.contains("did not load within 10s"),
        "{}",
        check.all()
    );
    let run = project.seen_by("auto", &["run", "page.html"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("must fix: let the page come to rest"), "{}", run.all());
    let browser = project.seen_by("browser", &["check", "page.html"]);
    assert_eq!(browser.code, 4, "whoever asked for a browser has no answer: {}", browser.all());
    assert!(browser.stderr.contains("checks.eyes"), "{}", browser.all());

    // A person may know better, and then it is said.
    project.write("tribunal.toml", "[checks.levels]\n\"page.unsettled\" = \"note\"\n");
    let known = project.seen_by("auto", &["check", "page.html"]);
    assert_eq!(known.code, 0, "{}", known.all());
    assert!(known.stdout.contains("[page.unsettled]"), "{}", known.all());
}

#[test]
fn a_rule_that_nobody_knows_is_an_error_before_anything_is_paid() {
    let project = Project::bare();
    project.write("page.html", &page("", "<p>Bread.</p>"));
    project.write("tribunal.toml", "[checks.levels]\n\"contrast.txt\" = \"off\"\n");
    for args in [&["check", "page.html"][..], &["run", "page.html"], &["fix", "page.html"]] {
        let output = project.tribunal(args);
        assert_eq!(output.code, 2, "{args:?}: {}", output.all());
        assert!(output.stderr.contains("did you mean `contrast.text`?"), "{args:?}: {}", output.all());
    }
    assert!(project.list(".tribunal/runs").is_empty());
}

#[test]
fn what_passed_by_other_rules_is_told() {
    let project = Project::bare();
    project.write("page.html", &page("p { color: #999 }", "<p>We bake at four and sell out by noon.</p>"));
    project.write("tribunal.toml", "[checks.levels]\n\"contrast.text\" = \"off\"\n");
    assert_eq!(project.tribunal(&["run", "page.html"]).code, 0);
    project.write("tribunal.toml", "");
    let output = project.tribunal(&["run", "page.html"]);
    assert!(output.all().contains("the checks"), "{}", output.all());
}

#[test]
fn check_run_and_fix_see_the_same_through_a_browser() {
    if !has_browser() {
        return;
    }
    // The static eye does not know what lies under the words; a browser sees that they are white on white.
    let layers = page(
        ".stage { position: relative } .back { position: absolute; inset: 0; background: #fff } \
         .over { position: relative; color: #ddd }",
        "<div class=\"stage\"><div class=\"back\"></div><p class=\"over\">We bake at four and sell out by noon.</p></div>",
    );
    let project = Project::bare();
    project.write("page.html", &layers);
    assert!(checked(&project, "static").is_empty());
    for eyes in ["auto", "browser"] {
        let of_check = checked(&project, eyes);
        assert_eq!(of_check.len(), 1, "{of_check:?}");
        assert_eq!(judged(&project, eyes), of_check);
        assert_eq!(counted(&project, eyes), 1);
    }
    let output = project.seen_by("auto", &["check", "page.html"]);
    assert!(output.stderr.contains("seen by a browser: contrast"), "{}", output.all());
    // What was measured is in the log, whoever measured it: replaying needs no browser.
    let replayed = project.tribunal(&["replay"]);
    assert!(replayed.all().contains("make the text readable"), "{}", replayed.all());
}

#[test]
fn an_edit_that_changes_the_picture_elsewhere_is_a_suggestion() {
    if !has_browser() {
        return;
    }
    let style = "#note { color: #999 } #bar { height: 40px }";
    let body = "<p id=\"note\">We bake at four and sell out by noon.</p>\n<div id=\"bar\"></div>";
    let plain = page(style, body);
    let copied = "<script>document.getElementById('bar').style.background = \
                  getComputedStyle(document.getElementById('note')).color</script>";
    for (name, text, is_certain) in
        [("plain", plain.clone(), true), ("copied", page(style, &format!("{body}\n{copied}")), false)]
    {
        let project = Project::bare();
        project.write("page.html", &text);
        let output = project.seen_by("browser", &["fix", "page.html"]);
        let fixed = project.read("page.html");
        assert_eq!(fixed != text, is_certain, "{name}: {}", output.all());
        if is_certain {
            assert!(output.stdout.contains("compared in a browser"), "{name}: {}", output.all());
        } else {
            assert!(output.stdout.contains("#bar` would look different"), "{name}: {}", output.all());
            assert_eq!(output.code, 1, "{name}: {}", output.all());
            // The house editor is as careful: it hands over what it was given.
            let run = project.seen_by("browser", &["run", "page.html"]);
            assert_ne!(run.code, 0, "{name}: {}", run.all());
        }
    }
}

#[test]
fn a_browser_that_breaks_loses_nothing_of_a_run() {
    let project = Project::bare();
    project.write("page.html", &page("p { color: #000 }", "<p>We bake at four and sell out by noon.</p>"));
    project.agent("chrome", "#!/bin/sh\nexit 1\n");
    project.write("tribunal.toml", "[checks]\nbrowser = \"chrome\"\n");
    let output = project.seen_by("auto", &["run", "page.html"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let log = project.tribunal(&["log", "--json"]);
    assert!(log.stdout.contains("not seen by the browser"), "{}", log.all());
}

#[test]
fn a_run_says_the_command_that_puts_its_page_in_place_from_where_one_is() {
    let project = Project::bare();
    project.write("my site/page.html", &page("p { color: #999 }", "<p>We bake at four and sell out by noon.</p>"));
    let output = project.tribunal(&["-C", "my site", "run", "page.html"]);
    assert!(output.stderr.contains("`tribunal -C 'my site' adopt` puts this page there"), "{}", output.all());
    let adopted = project.tribunal(&["-C", "my site", "adopt"]);
    assert!(adopted.stdout.contains("page.html now; the old text is in"), "{}", adopted.all());
}
