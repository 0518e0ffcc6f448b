//! `tribunal fix` and `tribunal adopt` on pages: what is certain is done where it is, and nothing else.

use crate::support::Project;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

const PAGE: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<title>Lamps</title>\n<link rel=\"stylesheet\" href=\"css/site.css\">\n\
                    <link rel=\"stylesheet\" href=\"vendor/grid.css\">\n<link rel=\"stylesheet\" href=\"css/theme.min.css\">\n</head>\n\
                    <body><main><h1>Lamps</h1><p class=\"lead\">We are really good.</p><b class=\"grid\">One</b><i class=\"theme\">Two</i>\
                    </main></body>\n</html>\n";

/// A page with three style sheets that have the same fault.
fn site() -> Project {
    let project = Project::bare();
    project.write("index.html", PAGE);
    project.write("css/site.css", ".lead { color: #888 }\n");
    project.write("vendor/grid.css", ".grid { color: #888 }\n");
    project.write("css/theme.min.css", ".theme{color:#888}\n");
    project
}

#[test]
fn a_page_and_its_own_sheets_are_fixed_where_they_are() {
    let project = site();
    let output = project.tribunal(&["fix", "index.html"]);
    assert_eq!(output.code, 1, "what is not ours stays: {}", output.all());
    assert_eq!(project.read("css/site.css"), ".lead { color: #767676 }\n");
    assert_eq!(project.read("css/site.css.orig"), ".lead { color: #888 }\n");
    assert_eq!(project.read("vendor/grid.css"), ".grid { color: #888 }\n");
    assert_eq!(project.read("css/theme.min.css"), ".theme{color:#888}\n");
    assert_eq!(project.read("index.html"), PAGE, "words are somebody's");
    for told in [
        "+++ b/css/site.css\n",
        "-.lead { color: #888 }\n+.lead { color: #767676 }\n",
        "css/site.css: the old text is in css/site.css.orig",
        "index.html:9:66: must fix: make the text readable",
        "suggested: `really` to ``",
        "1 edit in 1 file; 1 must-fix left; 1 suggestion",
    ] {
        assert!(output.stdout.contains(told), "`{told}` is not in {}", output.all());
    }
    let before = project.snapshot();
    let again = project.tribunal(&["fix", "index.html"]);
    assert_eq!(project.snapshot(), before, "a second run changes nothing: {}", again.all());
    assert!(again.stdout.contains("nothing to change with certainty"), "{}", again.all());

    let taken = project.json(&["fix", "index.html", "--unsafe", "--json"]);
    assert_eq!(taken["edits"][0]["code"], "copy.filler", "{taken}");
    assert!(project.read("index.html").contains("We are good."));
}

#[test]
fn the_name_of_a_page_obeys_nobody_in_a_patch() {
    let project = Project::bare();
    let sheets = PAGE.find("<link").unwrap()..PAGE.find("</head>").unwrap();
    let mut page = PAGE.to_owned();
    page.replace_range(sheets, "<style>\n.lead { color: #888 }\n</style>\n");
    project.write("a\u{1b}[31m.html", &page);
    let output = project.tribunal(&["fix", "--diff", "a\u{1b}[31m.html"]);
    assert!(output.stdout.starts_with("--- \"a/a\\033[31m.html\"\n+++ \"b/a\\033[31m.html\"\n"), "{}", output.all());
    assert!(!output.stdout.contains('\u{1b}'), "{}", output.all());
}

#[test]
fn a_diff_is_a_patch_and_changes_nothing() {
    let project = site();
    let before = project.snapshot();
    let output = project.tribunal(&["fix", "--diff", "index.html"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert_eq!(project.snapshot(), before);
    assert!(output.stdout.starts_with("--- a/css/site.css\n+++ b/css/site.css\n"), "{}", output.all());
    assert!(!output.stdout.contains("must"), "the rest is beside it: {}", output.stdout);
    assert!(output.stderr.contains("1 edit in 1 file would be made"), "{}", output.all());
}

#[test]
fn what_cannot_be_meant_is_said_before_anything_changes() {
    let project = site();
    let before = project.snapshot();
    for (args, why) in [
        (&["fix", "-i", "index.html"][..], "needs a terminal"),
        (&["fix", "gone.html"], "there is no such file"),
        (&["fix", "--diff", "-i", "index.html"], "cannot be used with"),
        (&["fix"], "required"),
    ] {
        let output = project.tribunal(args);
        assert_eq!(output.code, 2, "{args:?}: {}", output.all());
        assert!(output.stderr.contains(why), "{args:?}: {}", output.all());
    }
    assert_eq!(project.snapshot(), before);
}

#[test]
fn files_that_are_not_ours_to_change_are_named_and_the_others_are_fixed() {
    let project = Project::bare();
    let flawed = PAGE.replace("<html lang=\"en\">", "<html>").replace("<link", "<meta");
    let words =
        "<p>The lamps are for you and the house is with them: it is light that you are with, and that is to be.</p>"
            .repeat(2);
    let flawed = flawed.replace("<b class", &format!("{words}<b class"));
    for name in ["site/a.html", "site/fixed.html", "outside.html", "site/node_modules/x.html"] {
        project.write(name, &flawed);
    }
    project.write("site/text.txt", "text");
    fs::write(project.path("site/bytes.html"), [0xff, 0xfe, 0x00]).unwrap();
    fs::set_permissions(project.path("site/fixed.html"), fs::Permissions::from_mode(0o444)).unwrap();
    symlink("a.html", project.path("site/link.html")).unwrap();
    let named = ["site/link.html", "site/fixed.html", "outside.html", "site/text.txt", "site/bytes.html", "site"];
    let output = project.tribunal(&[&["fix", "--root", "site"], &named[..]].concat());
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(project.read("site/a.html").contains("<html lang=\"en\">"), "{}", output.all());
    for name in ["site/fixed.html", "outside.html", "site/node_modules/x.html"] {
        assert_eq!(project.read(name), flawed, "{name}");
    }
    assert!(project.path("site/link.html").is_symlink());
    for told in [
        "site/link.html: not changed: it is a symbolic link",
        "site/fixed.html: not changed: it is read-only",
        "outside.html: not changed: it lies outside of",
        "site/text.txt: not changed: it is not an HTML or Markdown file",
        "site/bytes.html: not changed: it is not UTF-8 text",
    ] {
        assert!(output.stdout.contains(told), "`{told}` is not in {}", output.all());
    }
}

/// Line ends, the mark of byte order and the mode are the user's.
#[test]
fn what_is_not_text_of_the_page_stays() {
    let project = Project::bare();
    let page = "\u{feff}<!doctype html>\r\n<html lang=\"en\">\r\n<head></head>\r\n<body><main><h1>Lamps</h1></main></body>\r\n</html>\r\n";
    project.write("index.html", page);
    fs::set_permissions(project.path("index.html"), fs::Permissions::from_mode(0o640)).unwrap();
    let output = project.tribunal(&["fix", "index.html"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let want = page.replace("<head>", "<head>\r\n<title>Lamps</title>");
    assert_eq!(project.read("index.html"), want);
    assert_eq!(fs::metadata(project.path("index.html")).unwrap().permissions().mode() & 0o777, 0o640);
}

/// Every page that we have: nothing is left for a second run, and without suggestions no word is another one.
#[test]
fn a_second_run_changes_nothing_on_any_page() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/checks/pages");
    let project = Project::bare();
    for entry in fs::read_dir(pages).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_file() && fs::metadata(&path).unwrap().len() < 200_000 {
            for folder in ["certain", "all"] {
                fs::create_dir_all(project.path(folder)).unwrap();
                fs::copy(&path, project.path(&format!("{folder}/{name}"))).unwrap();
            }
        }
    }
    for args in [&["fix", "certain"][..], &["fix", "all", "--unsafe"]] {
        let first = project.tribunal(args);
        assert!(matches!(first.code, 0 | 1), "{}", first.all());
        let before = project.snapshot();
        let second = project.tribunal(args);
        assert_eq!(project.snapshot(), before, "{args:?}: {}", second.all());
    }
}

/// What must be fixed by `check`, as a run's report says it.
fn demands(project: &Project, page: &str) -> Vec<String> {
    let checked = project.json(&["check", page, "--json"]);
    let mut list = Vec::new();
    for report in checked["files"][0]["reports"].as_array().unwrap() {
        for finding in report["dims"].as_array().unwrap().iter().flat_map(|dim| dim["findings"].as_array().unwrap()) {
            if finding["weight"] == "must_fix" {
                list.push(finding["text"].as_str().unwrap().to_owned());
            }
        }
    }
    list.sort();
    list.dedup();
    list
}

#[test]
fn a_run_and_a_check_of_what_it_handed_over_list_the_same() {
    for (name, body) in [
        ("nothing", "<p>Text</p>"),
        ("faint text that can be mended", "<p style=\"color: #888\">Text</p>"),
        ("faint text that cannot", "<p style=\"color: #eee\">Text</p>"),
        ("pictures", "<img src=\"oven.svg\"><a href=\"#a\"><img src=\"oven.svg\"></a>"),
        ("links", "<a href=\"gone.html\">Gone away</a> <a href=\"#nowhere\">Nowhere to go</a>"),
        ("a field", "<input type=\"text\"><p style=\"color: #ddd\">Text</p>"),
        ("unfinished", "<p>TODO: say more</p><p>Lorem ipsum dolor sit amet</p>"),
    ] {
        let project = Project::bare();
        project.write("oven.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
        let page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><title>A</title></head>\n<body><main><h1 id=\"a\">A</h1>{body}</main></body>\n</html>\n"
        );
        project.write("page.html", &page);
        let run = project.json(&["run", "page.html", "--json"]);
        let id = run["runs"][0]["run"].as_str().unwrap();
        let shipped = run["runs"][0]["artifact_file"].as_str().map(|path| fs::read_to_string(path).unwrap());
        project.write("page.html", &shipped.unwrap_or(page));
        let want = demands(&project, "page.html");
        let status = project.json(&["status", id, "--json"]);
        let open = status["findings"].as_array().unwrap().iter();
        let mut got: Vec<String> = Vec::new();
        for text in open.filter(|life| life["state"]["state"] == "open").map(|life| &life["finding"]["text"]) {
            let text = text.as_str().unwrap();
            got.push(
                want.iter().find(|wanted| text.starts_with(wanted.as_str())).map_or(text, String::as_str).to_owned(),
            );
        }
        got.sort();
        got.dedup();
        assert_eq!(got, want, "{name}: {status:#}");
    }
}

#[test]
fn a_run_ends_with_the_page_one_command_away() {
    let project = site();
    let page = "<!doctype html><html lang=\"en\"><head><title>A</title></head><body><main><h1>A</h1>\
                <p style=\"color: #888\">Text</p></main></body></html>\n";
    project.write("page.html", page);
    let run = project.tribunal(&["run", "page.html"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.contains("page.html was not changed: `tribunal adopt` puts this page there"), "{}", run.all());
    assert_eq!(project.read("page.html"), page);

    // What changed since is not overwritten.
    let other = page.replace("Text", "Another text");
    project.write("page.html", &other);
    let refused = project.tribunal(&["adopt"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(refused.stderr.contains("changed since run"), "{}", refused.all());
    assert_eq!(project.read("page.html"), other);
    let forced = project.tribunal(&["adopt", "--force"]);
    assert_eq!(forced.code, 0, "{}", forced.all());
    assert_eq!(project.read("page.html.orig"), other);

    let fixed = page.replace("#888", "#767676");
    assert_eq!(project.read("page.html"), fixed);
    let again = project.json(&["adopt", "page", "--json"]);
    assert!(again["adopted"].as_str().unwrap().contains("already"), "{again}");
    assert!(!project.path("page.html.orig2").exists());
    project.write("page.html", page);
    let adopted = project.json(&["adopt", "--json"]);
    assert!(adopted["backup"].as_str().unwrap().ends_with("page.html.orig2"), "{adopted}");
    assert_eq!(project.read("page.html"), fixed);
}

#[test]
fn what_did_not_pass_is_adopted_only_when_somebody_says_so() {
    let project = Project::bare();
    let page = "<!doctype html><html lang=\"en\"><head><title>A</title></head><body><main><h1>A</h1>\
                <p style=\"color: #888\">Text</p><p>TODO</p></main></body></html>\n";
    project.write("page.html", page);
    let run = project.tribunal(&["run", "page.html"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stderr.contains("`tribunal adopt --unfinished` puts"), "{}", run.all());
    let refused = project.tribunal(&["adopt"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert_eq!(project.read("page.html"), page);
    assert_eq!(project.tribunal(&["adopt", "--unfinished"]).code, 0);
    assert_eq!(project.read("page.html"), page.replace("#888", "#767676"));
}

#[test]
fn a_design_file_must_be_understood() {
    let project = site();
    project.write("DESIGN.md", "# Design\n\n- ink: #1a1a1a\n");
    project.write("EMPTY.md", "# Design\n\nMake it pretty.\n");
    let read = project.tribunal(&["fix", "--diff", "index.html", "--design", "DESIGN.md"]);
    assert_eq!(read.code, 1, "{}", read.all());
    let unread = project.tribunal(&["fix", "--diff", "index.html", "--design", "EMPTY.md"]);
    assert_eq!(unread.code, 2, "{}", unread.all());
    assert!(unread.stderr.contains("EMPTY.md"), "{}", unread.all());
}
