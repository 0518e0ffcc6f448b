//! `tribunal check` on files, folders and pipes: what is looked at, what counts, and what fails.

use crate::support::{Output, Project};
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

pub(crate) const GOOD: &str = "<!doctype html>\n<html lang=\"en\">\n<title>Bread</title>\n<main>\n<h1>Bread</h1>\n<p>We bake at four.</p>\n</main>\n</html>\n";
pub(crate) const FAINT: &str = "<!doctype html>\n<html lang=\"en\">\n<title>Bread</title>\n<main>\n<h1>Bread</h1>\n<p style=\"color: #999\">We bake at four.</p>\n</main>\n</html>\n";

fn findings(object: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for file in object["files"].as_array().unwrap() {
        let name = file["file"].as_str().unwrap();
        let dims = file["reports"].as_array().unwrap().iter().flat_map(|report| report["dims"].as_array().unwrap());
        let measured = dims.flat_map(|dim| dim["findings"].as_array().unwrap());
        for finding in measured.chain(file["findings"].as_array().unwrap()) {
            found.push((name.to_owned(), finding["code"].as_str().unwrap().to_owned()));
        }
    }
    found
}

fn git(project: &Project, args: &[&str]) {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"];
    let output = Command::new("git").args(identity).args(args).current_dir(project.path("")).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn piped(project: &Project, args: &[&str], text: &[u8]) -> Output {
    let mut child = project.command(args).stdin(Stdio::piped()).spawn().unwrap();
    // It may end without reading.
    let _ = child.stdin.take().unwrap().write_all(text);
    Output::of(child)
}

#[test]
fn nothing_to_check_is_no_pass() {
    let project = Project::bare();
    fs::create_dir(project.path("empty")).unwrap();
    project.write(".gitignore", "built/\n");
    project.write("built/page.html", GOOD);
    for (name, args) in [
        ("no path", &["check"][..]),
        ("no such file", &["check", "gone.html"]),
        ("an empty folder", &["check", "empty"]),
        ("a glob that fits nothing", &["check", "*.html"]),
        ("nothing but what is ignored", &["check", "."]),
        ("no design file", &["check", "built/page.html", "--design", "gone.md"]),
        ("a name for what nobody gave", &["check", "built/page.html", "--stdin-name", "x.html"]),
        ("nothing on stdin", &["check", "-"]),
        ("no repository", &["check", "built/page.html", "--changed"]),
        ("no baseline", &["check", "built/page.html", "--baseline", "gone.json"]),
    ] {
        let output = project.tribunal(args);
        assert_eq!(output.code, 2, "{name}: {}", output.all());
        assert!(output.stdout.is_empty(), "{name}: {}", output.all());
    }
    assert_eq!(project.tribunal(&["check", "built/page.html"]).code, 0, "a file that is named is checked");
}

#[test]
fn one_file_that_cannot_be_read_is_a_finding_and_the_others_are_checked() {
    let project = Project::bare();
    project.write("a.html", GOOD);
    fs::write(project.path("b.html"), [0xff, 0xd8, 0xff, 0x00]).unwrap();
    project.write("docs/c.html", FAINT);
    let output = project.tribunal(&["check", "."]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(
        output.stdout.contains("b.html: must fix: the file cannot be checked: it is not UTF-8 text [file.unreadable]"),
        "{}",
        output.all()
    );
    assert!(output.stdout.contains("docs/c.html:6:1: must fix: make the text readable"), "{}", output.all());
    // A folder does not hide what is in it.
    fs::remove_file(project.path("docs/c.html")).unwrap();
    assert_eq!(project.tribunal(&["check", "."]).code, 1);
    assert_eq!(project.tribunal(&["check", "a.html"]).code, 0);
    // Nobody can have known what nobody could read.
    assert_eq!(project.tribunal(&["check", ".", "--baseline", "known.json", "--update-baseline"]).code, 1);
    assert_eq!(project.tribunal(&["check", ".", "--baseline", "known.json"]).code, 1);
}

#[test]
fn folders_and_globs_are_looked_through_in_the_same_order() {
    let project = Project::bare();
    for name in ["b.html", "a/z.md", "a/b.html", "node_modules/x/readme.md", ".hidden/x.md", "c.txt"] {
        project.write(name, if name.ends_with("html") { GOOD } else { "# Bread\n" });
    }
    let names = |args: &[&str]| {
        let object = project.json(&[&["check", "--json"], args].concat());
        let files = object["files"].as_array().unwrap().iter().map(|file| file["file"].as_str().unwrap().to_owned());
        files.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&["."]), "a/b.html a/z.md b.html");
    assert_eq!(names(&["b.html", "a"]), "a/b.html a/z.md b.html");
    assert_eq!(names(&["**/*.html", "c.txt"]), "a/b.html b.html c.txt");
    let first = project.tribunal(&["check", "."]);
    assert_eq!(project.tribunal(&["check", "."]).stdout, first.stdout);
}

#[test]
fn a_text_can_be_piped() {
    let project = Project::bare();
    let output = piped(&project, &["check", "-"], FAINT.as_bytes());
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.starts_with("stdin:6:1: must fix:"), "{}", output.all());
    assert_eq!(piped(&project, &["check", "-"], b"# Bread\n\nWe bake at four.\n").code, 0);
    // Links start from the folder of the name.
    project.write("docs/there.md", "# There\n");
    let link = b"# Bread\n\n[there](there.md)\n";
    assert_eq!(piped(&project, &["check", "-", "--stdin-name", "docs/x.md"], link).code, 0);
    let dead = piped(&project, &["check", "-", "--stdin-name", "x.md"], link);
    assert!(dead.code == 1 && dead.stdout.contains("x.md:3:"), "{}", dead.all());
    assert_eq!(piped(&project, &["check", "-"], &[0xff, 0xfe]).code, 1);
}

#[test]
fn text_shows_the_line_and_nothing_that_a_terminal_obeys() {
    let project = Project::bare();
    let page = FAINT
        .replace("We bake", "\u{1b}[2J\u{9b}8m\u{202e}We bake")
        .replace("<p style", "<p title=\"\u{1b}]0;x\u{7}\" style");
    project.write("a.html", &page);
    project.write("b\u{1b}[31m.html", FAINT);
    for format in ["text", "github", "markdown", "gitlab", "sarif", "json", "junit"] {
        let output = project.tribunal(&["check", ".", "--format", format]);
        assert_eq!(output.code, 1, "{format}: {}", output.all());
        assert!(!output.stdout.contains('\u{1b}'), "{format}: {:?}", output.stdout);
        assert!(!output.stdout.contains('\u{7}'), "{format}: {:?}", output.stdout);
    }
    let output = project.tribunal(&["check", "a.html"]);
    assert!(
        output.stdout.contains("\n  6 | <p title=\"\\u{1b}]0;x\\u{7}\" style=\"color: #999\">"),
        "{}",
        output.all()
    );
    assert!(output.stdout.contains("\n    | ^\n"), "{}", output.all());
    assert!(output.stdout.contains("1 must be fixed"), "{}", output.all());
}

#[test]
fn what_is_undecided_is_counted_and_explained() {
    let project = Project::bare();
    project.write("a.html", &GOOD.replace("<p>", "<p style=\"background: linear-gradient(red, blue)\">"));
    let output = project.tribunal(&["check", "a.html"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.contains("undecided: contrast:"), "{}", output.all());
    assert!(output.stdout.contains("1 undecided"), "{}", output.all());
    let scores = project.tribunal(&["check", "a.html", "--scores"]);
    assert!(scores.stdout.contains("a.html: a11y") && scores.stdout.contains("  contrast"), "{}", scores.all());
}

#[test]
fn only_what_changed_is_reported() {
    let project = Project::bare();
    git(&project, &["init", "-q"]);
    project.write("old.html", FAINT);
    project.write("same.html", FAINT);
    // Before the first commit everything is new.
    assert_eq!(findings(&project.json(&["check", ".", "--changed", "--json"])).len(), 2);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    let none = project.tribunal(&["check", ".", "--changed"]);
    assert_eq!(none.code, 0, "{}", none.all());
    assert!(none.stderr.contains("nothing changed in 2 files"), "{}", none.all());
    // Another line of the file: what was there before is not reported.
    project.write("old.html", &FAINT.replace("<h1>Bread</h1>", "<h1>Our bread</h1>"));
    let output = project.tribunal(&["check", ".", "--changed"]);
    assert_eq!(output.code, 0, "{}", output.all());
    // The line itself, and a file that git does not know.
    project.write("old.html", &FAINT.replace("at four", "at five"));
    project.write("new.html", FAINT);
    let found = findings(&project.json(&["check", ".", "--changed", "--json"]));
    let contrast = |name: &str| (name.to_owned(), "contrast.text".to_owned());
    assert_eq!(found, [contrast("new.html"), contrast("old.html")]);
    assert_eq!(project.tribunal(&["check", ".", "--changed"]).code, 1);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "second"]);
    assert_eq!(project.tribunal(&["check", ".", "--changed"]).code, 0);
    assert_eq!(findings(&project.json(&["check", ".", "--changed=HEAD~1", "--json"])), found);
    // What has no line belongs to the file as a whole.
    project.write("same.html", &GOOD.replace("<title>Bread</title>\n", ""));
    let output = project.tribunal(&["check", ".", "--changed"]);
    assert!(output.code == 1 && output.stdout.contains("[page.title]"), "{}", output.all());
    for reference in ["gone", "--output=/tmp/x"] {
        let output = project.tribunal(&["check", ".", &format!("--changed={reference}")]);
        assert_eq!(output.code, 2, "{reference}: {}", output.all());
    }
}

#[test]
fn only_what_the_baseline_does_not_have_fails() {
    let project = Project::bare();
    project.write("a.html", FAINT);
    let check = |more: &[&str]| project.tribunal(&[&["check", ".", "--baseline", "known.json"], more].concat());
    assert_eq!(check(&[]).code, 2, "a baseline that is missing does not make everything old");
    let written = check(&["--update-baseline"]);
    assert_eq!(written.code, 0, "{}", written.all());
    let known = check(&[]);
    assert_eq!(known.code, 0, "{}", known.all());
    assert!(known.stdout.contains("in the baseline"), "{}", known.all());
    // What moves is the same; what is there once more is new.
    project.write("a.html", &FAINT.replace("<h1>", "<h1>\n\n\n"));
    assert_eq!(check(&[]).code, 0);
    let faint = "<p style=\"color: #999\">We bake at four.</p>";
    project
        .write("a.html", &FAINT.replace(faint, &format!("{faint}\n<p class=two style=\"color: #888\">At five.</p>")));
    assert_eq!(check(&[]).code, 1);
    let new = project.json(&["check", ".", "--baseline", "known.json", "--json"]);
    assert!(
        new.to_string().contains("\"standing\":\"known\"") && new.to_string().contains("\"standing\":\"new\""),
        "{new}"
    );
    // Another file, and another rule.
    project.write("a.html", FAINT);
    project.write("b.html", FAINT);
    assert_eq!(check(&[]).code, 1);
    fs::remove_file(project.path("b.html")).unwrap();
    project.write("a.html", &FAINT.replace("<title>Bread</title>", "<title></title>"));
    assert_eq!(check(&[]).code, 1);
    project.write("a.html", FAINT);
    // A part of the files leaves what is known of the others.
    project.write("c.html", FAINT);
    assert_eq!(project.tribunal(&["check", "c.html", "--baseline", "known.json", "--update-baseline"]).code, 0);
    assert_eq!(check(&[]).code, 0, "a.html is still known");
    // What cannot be read is an error, for writing, too.
    for broken in ["", "{", "[]", "{\"version\": 2, \"findings\": []}", "{\"version\": 1, \"findings\": [{}]}"] {
        project.write("known.json", broken);
        assert_eq!(check(&[]).code, 2, "{broken}");
        assert_eq!(check(&["--update-baseline"]).code, 2, "{broken}");
    }
    assert_eq!(project.tribunal(&["check", ".", "--update-baseline"]).code, 2, "nobody says where");
}

#[test]
fn an_exception_needs_a_rule_and_a_reason() {
    let project = Project::bare();
    for (name, comment, code, said) in [
        ("excused", "<!-- tribunal-ignore contrast.text: the logo -->", 0, "1 excused"),
        ("several rules", "<!-- tribunal-ignore image.alt, contrast.text: the logo -->", 0, "[ignore.unused]"),
        ("no reason", "<!-- tribunal-ignore contrast.text -->", 1, "[ignore.no-reason]"),
        ("no rule", "<!-- tribunal-ignore: the logo -->", 1, "[ignore.unknown]"),
        ("a part of a rule", "<!-- tribunal-ignore contrast: the logo -->", 1, "did you mean `contrast.text`?"),
        ("another rule", "<!-- tribunal-ignore image.alt: the logo -->", 1, "[ignore.unused]"),
        ("too late", "", 1, "[contrast.text]"),
    ] {
        let page = FAINT.replace("<p style", &format!("{comment}\n<p style"));
        project.write(
            "a.html",
            &if comment.is_empty() {
                FAINT.replace("</main>", "<!-- tribunal-ignore contrast.text: x -->\n</main>")
            } else {
                page
            },
        );
        let output = project.tribunal(&["check", "a.html"]);
        assert_eq!(output.code, code, "{name}: {}", output.all());
        assert!(output.stdout.contains(said), "{name}: {}", output.all());
    }
    project.write("a.html", &FAINT.replace("<p style", "<!-- tribunal-ignore contrast.text: the logo -->\n<p style"));
    let sarif = project.json(&["check", "a.html", "--format", "sarif"]);
    let suppressed = &sarif["runs"][0]["results"][0]["suppressions"][0];
    assert_eq!(
        (&suppressed["kind"], &suppressed["justification"]),
        (&Value::from("inSource"), &Value::from("the logo"))
    );
}

#[test]
fn the_configuration_excuses_paths_and_sets_levels() {
    let project = Project::bare();
    project.write("vendor/a.html", FAINT);
    project.write("b.html", GOOD);
    let with = |toml: &str| {
        project.write("tribunal.toml", toml);
        project.tribunal(&["check", "."])
    };
    let ignore = |path: &str, rules: &str, reason: &str| {
        format!("[checks]\nignore = [{{ path = \"{path}\", rules = [{rules}]{reason} }}]\n")
    };
    let why = ", reason = \"not ours\"";
    for (name, toml, code) in [
        ("nothing", String::new(), 1),
        ("by path and rule", ignore("vendor/**", "\"contrast.text\"", why), 0),
        ("another path", ignore("other/**", "\"contrast.text\"", why), 1),
        ("another rule", ignore("vendor/**", "\"image.alt\"", why), 1),
        ("an unknown rule", ignore("vendor/**", "\"contrast\"", why), 2),
        ("no reason", ignore("vendor/**", "\"contrast.text\"", ""), 2),
        ("no rule", ignore("vendor/**", "", why), 2),
        ("a waiver", "[[waive]]\ncode = \"contrast.text\"\nwhy = \"the brand's grey\"\n".to_owned(), 0),
        ("less grave", "[checks.levels]\ncontrast.text = \"should\"\n".to_owned(), 0),
        ("in quotation marks", "[checks.levels]\n\"contrast.text\" = \"note\"\n".to_owned(), 0),
        ("off", "[checks.levels]\ncontrast.text = \"off\"\n".to_owned(), 0),
        ("no level", "[checks.levels]\ncontrast.text = \"none\"\n".to_owned(), 2),
        ("no such rule", "[checks.levels]\ncontrast = \"off\"\n".to_owned(), 2),
    ] {
        let output = with(&toml);
        assert_eq!(output.code, code, "{name}: {}", output.all());
    }
    assert!(with("[checks.levels]\ncontrast = \"off\"\n").stderr.contains("did you mean `contrast.text`?"));
    project.write("tribunal.toml", "");
    let levels =
        |value: &str| project.tribunal(&["check", ".", "--set", &format!("checks.levels.contrast.text={value}")]).code;
    assert_eq!((levels("off"), levels("must")), (0, 1));
}

#[test]
fn the_level_that_fails_can_be_chosen() {
    let project = Project::bare();
    project.write("should.html", &GOOD.replace("<!doctype html>\n", ""));
    project.write("must.html", FAINT);
    let code = |file: &str, level: &str| project.tribunal(&["check", file, "--fail-on", level]).code;
    assert_eq!(["must", "should", "never"].map(|level| code("should.html", level)), [0, 1, 0]);
    assert_eq!(["must", "should", "never"].map(|level| code("must.html", level)), [1, 1, 0]);
}

#[test]
fn what_a_build_makes_is_left_alone() {
    let project = Project::bare();
    project.write("a.md", "# Bread\n\n[the API](target/doc/index.html)\n");
    assert_eq!(project.tribunal(&["check", "a.md"]).code, 1);
    project.write("tribunal.toml", "[checks]\nlinks.built = [\"target/doc\"]\n");
    let output = project.tribunal(&["check", "a.md"]);
    assert_eq!(output.code, 0, "{}", output.all());
    project.write("a.md", "# Bread\n\n[the API](target/docs/index.html)\n");
    assert_eq!(project.tribunal(&["check", "a.md"]).code, 1, "beside it is not below it");
}

#[test]
fn an_anchor_and_a_design_file_go_together() {
    let project = Project::bare();
    project.write("DESIGN.md", "# Design\n\n## Colours\n\n- ink: #1a1a1a\n\n## Forbidden\n\n- magenta: #ff00ff\n");
    project.write("a.html", &GOOD.replace("<p>", "<p style=\"background: #ff00ff\">"));
    let anchor = |rules: &str| project.write("anchor.toml", &format!("kind = \"invariants\"\n{rules}\n"));
    let both = ["check", "a.html", "--anchor", "anchor.toml", "--design", "DESIGN.md"];
    anchor("MUST = [\"must contain the phrase Rye\"]");
    let output = project.tribunal(&both);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("[brand.forbidden]") && output.stdout.contains("Rye"), "{}", output.all());
    anchor("MUST = [\"must contain the phrase four\"]");
    assert_eq!(project.tribunal(&both).code, 1, "the anchor alone does not make it pass");
    assert_eq!(project.tribunal(&both[..4]).code, 0);
    project.write("a.html", GOOD);
    assert_eq!(project.tribunal(&both).code, 0);
    // What nobody decided fails, and is named in every format.
    anchor("MUST = [\"must contain the phrase four\", { kind = \"semantic\", id = \"fair\", rule = \"is fair\" }]");
    for format in ["text", "json", "sarif", "junit", "github", "gitlab", "markdown"] {
        let output = project.tribunal(&[&both[..], &["--format", format]].concat());
        assert_eq!(output.code, 1, "{format}: {}", output.all());
        assert!(output.stdout.contains("fair"), "{format}: {}", output.all());
    }
}

#[test]
fn commands_of_an_anchor_are_run() {
    let project = Project::bare();
    project.write("a.md", "# Bread\n\nWe bake rye.\n");
    let anchor = |script: &str| {
        let rule = format!(
            "{{ kind = \"command\", id = \"has-rye\", rule = \"names rye\", argv = [\"sh\", \"-c\", \"{script}\"] }}"
        );
        project.write("anchor.toml", &format!("kind = \"invariants\"\nMUST = [{rule}]\n"));
        project.tribunal(&["check", "a.md", "--anchor", "anchor.toml"])
    };
    let passed = anchor("grep -q rye");
    assert_eq!(passed.code, 0, "{}", passed.all());
    let failed = anchor("grep -q wheat");
    assert_eq!(failed.code, 1, "{}", failed.all());
    assert!(failed.stdout.contains("[has-rye]") && failed.stdout.contains("exit code 1"), "{}", failed.all());
    // It may not write where the page is.
    let written = anchor("echo x > spoiled; true");
    assert!(!project.path("spoiled").exists(), "{}", written.all());
}

#[test]
fn links_stay_inside_of_the_root() {
    let project = Project::bare();
    project.write("site/docs/a.md", "# Bread\n\n[up](../notes.md) and [out](../../secret.md) and [top](/logo.svg)\n");
    project.write("site/notes.md", "# Notes\n");
    project.write("site/public/logo.svg", "<svg></svg>");
    project.write("secret.md", "# Secret\n");
    let dead = |more: &[&str]| {
        let object = project.json(&[&["check", "site/docs/a.md", "--json"], more].concat());
        findings(&object).iter().filter(|(_, code)| code == "link.dead").count()
    };
    // Without a repository and a configuration, the folder that the command runs in is the project.
    assert_eq!(dead(&[]), 0);
    fs::remove_file(project.path("site/notes.md")).unwrap();
    assert_eq!(dead(&["--root", "site"]), 1, "inside of the root everything is looked for");
    assert_eq!(dead(&["--root", "site/docs"]), 0, "what is outside is not looked at");
    assert_eq!(dead(&["--set", "checks.root=site"]), 1);
    assert_eq!(dead(&["--root", "site", "--set", "checks.site_root=site/public"]), 1);
    fs::remove_file(project.path("site/public/logo.svg")).unwrap();
    assert_eq!(dead(&["--root", "site", "--set", "checks.site_root=site/public"]), 2);
}

#[test]
fn a_finding_in_a_linked_sheet_is_shown_there_and_once() {
    let project = Project::bare();
    project.write("css/main.css", "h1 { color: #000 }\np {\n  margin: 13px;\n}\n");
    let page = |name: &str| GOOD.replace("<main>", &format!("<link rel=stylesheet href=\"{name}\">\n<main>"));
    project.write("a.html", &page("css/main.css"));
    project.write("docs/b.html", &page("../css/main.css"));
    let output = project.tribunal(&["check", "."]);
    assert_eq!(output.stdout.matches("[rhythm.off-grid]").count(), 1, "{}", output.all());
    assert!(output.stdout.contains("css/main.css:3:"), "{}", output.all());
    assert!(output.stdout.contains("linked by a.html"), "{}", output.all());
    let sarif = project.json(&["check", ".", "--format", "sarif"]);
    assert!(sarif.to_string().contains("\"uri\":\"css/main.css\""), "{sarif}");
    // It is known from wherever one looks.
    assert_eq!(
        project.tribunal(&["check", ".", "--baseline", "k.json", "--update-baseline", "--fail-on", "should"]).code,
        0
    );
    assert_eq!(project.tribunal(&["check", ".", "--baseline", "k.json", "--fail-on", "should"]).code, 0);
}

#[test]
fn a_browser_that_is_asked_for_and_not_there_is_no_pass() {
    let project = Project::bare();
    project.write("page.html", "<!doctype html><html lang=en><title>t</title><main><h1>Bread</h1></main></html>");
    project.write("tribunal.toml", "[checks]\nbrowser = \"/nowhere/chrome\"\n");
    let with = |eyes: &str, args: &[&str]| project.seen_by(eyes, args);
    for args in [&["check", "page.html"][..], &["fix", "page.html"]] {
        let output = with("browser", args);
        assert_eq!(output.code, 4, "{args:?}: {}", output.all());
        assert!(output.stderr.contains("/nowhere/chrome"), "{args:?}: {}", output.all());
        assert!(output.stderr.contains("hint: correct `checks.browser`"), "{args:?}: {}", output.all());
        // Nothing is lost where nobody insists on it, and it is said.
        let output = with("auto", args);
        assert_eq!(output.code, 0, "{args:?}: {}", output.all());
        assert!(output.stdout.contains("not seen by the browser"), "{args:?}: {}", output.all());
        let output = with("static", args);
        assert_eq!(output.code, 0, "nobody asked for it: {}", output.all());
        assert!(!output.stdout.contains("browser"), "{args:?}: {}", output.all());
    }
    let output = with("browser", &["run", "page.html"]);
    assert_ne!(output.code, 0, "{}", output.all());
    assert!(output.all().contains("/nowhere/chrome"), "{}", output.all());
}

#[test]
fn words_of_the_house_are_held_against_texts() {
    let project = Project::bare();
    project.write("a.md", "# Bread\n\nAsk the crumbco team: we utilise moist flour for the bread that you like.\n");
    let config = "[copy]\nbanned = [\"moist\"]\nnames = [\"CrumbCo\"]\n[copy.preferred]\nutilise = \"use\"\n";
    project.write("tribunal.toml", config);
    let output = project.tribunal(&["check", "a.md"]);
    assert_eq!(output.code, 1, "{}", output.all());
    for rule in ["copy.banned", "copy.preferred", "copy.name"] {
        assert!(output.stdout.contains(rule), "{rule}: {}", output.all());
    }
}
