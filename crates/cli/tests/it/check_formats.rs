//! The formats of `tribunal check`, read by what reads them elsewhere: the schema of SARIF, two readers of `JUnit`, and the
//! documented forms of GitHub and GitLab.

use crate::check::{FAINT, GOOD};
use crate::support::Project;
use serde_json::Value;
use std::process::{Command, Stdio};
use tribunal_anchors::{Anchor, lint};

pub(crate) const SARIF: &str = include_str!("../../../anchors/tests/data/sarif-2.1.0.json");
const GITLAB: &str = include_str!("../../../../testdata/checks/gitlab-code-quality.json");

fn project() -> Project {
    let project = Project::bare();
    project.write("good.html", GOOD);
    project.write("docs/a, b: 100%.html", &FAINT.replace("<!doctype html>\n", ""));
    project
        .write("excused.html", &FAINT.replace("<p style", "<!-- tribunal-ignore contrast.text: <\"&> -->\n<p style"));
    project.write("text.md", "# Bread\n\nTODO: say more <\"&'>\n\n[gone](gone.md)\n");
    project
}

fn formatted(project: &Project, format: &str) -> String {
    let output = project.tribunal(&["check", ".", "--format", format]);
    assert_eq!(output.code, 1, "{format}: {}", output.all());
    output.stdout
}

/// What a text breaks of a JSON schema.
pub(crate) fn broken(schema: &str, text: &str) -> Vec<String> {
    let mut schema: Value = serde_json::from_str(schema).unwrap();
    without_formats(&mut schema);
    let rule = format!(r#"{{"kind": "predicate", "predicate": "json_schema", "schema": {schema}}}"#);
    let anchor: Anchor = serde_json::from_str(&format!(r#"{{"kind": "invariants", "MUST": [{rule}]}}"#)).unwrap();
    let result = lint(&anchor, text, None, &|_| false, &tribunal_checks::Inspector);
    assert!(result.pending.is_empty(), "{result:?}");
    result.violations.into_iter().map(|violation| violation.message).collect()
}

/// How an address is spelled is not checked, and a keyword that is not checked is refused.
fn without_formats(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, value| name != "format" || !value.is_string());
            fields.values_mut().for_each(without_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(without_formats),
        _ => {}
    }
}

#[test]
fn sarif_fits_its_schema_and_explains_its_rules() {
    let project = project();
    let text = formatted(&project, "sarif");
    assert_eq!(broken(SARIF, &text), Vec::<String>::new());
    assert!(
        !broken(SARIF, &text.replace("\"level\":\"error\"", "\"level\":\"grave\"")).is_empty(),
        "the schema does check"
    );
    let sarif: Value = serde_json::from_str(&text).unwrap();
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap().iter().filter(|result| result["kind"] != "open") {
        // What the text of the standard asks for, and no schema can.
        let rule = &rules[usize::try_from(result["ruleIndex"].as_i64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["text"].as_str().is_some_and(|text| text.len() > 40), "{rule}");
        assert!(rule["help"]["markdown"].as_str().unwrap().contains("## How to fix it"), "{rule}");
        let region = &result["locations"][0]["physicalLocation"]["region"];
        if region.is_object() {
            assert!(region["startColumn"].as_u64() <= region["endColumn"].as_u64(), "{result}");
        }
        let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.contains([' ', ':', '%']) || uri == "docs/a%2C%20b%3A%20100%25.html", "{uri}");
    }
    // What is known, and what is new.
    assert_eq!(project.tribunal(&["check", ".", "--baseline", "k.json", "--update-baseline"]).code, 0);
    project.write("new.html", FAINT);
    let output = project.tribunal(&["check", ".", "--baseline", "k.json", "--format", "sarif"]);
    assert_eq!(broken(SARIF, &output.stdout), Vec::<String>::new());
    for state in ["unchanged", "new"] {
        assert!(output.stdout.contains(&format!("\"baselineState\":\"{state}\"")), "{state}: {}", output.all());
    }
}

#[test]
fn every_file_is_a_case_of_junit() {
    let project = project();
    let text = formatted(&project, "junit");
    let read = |script: &str| {
        let mut python =
            Command::new("python3").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut python.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let output = python.wait_with_output().unwrap();
        assert!(output.status.success(), "{text}");
        String::from_utf8(output.stdout).unwrap()
    };
    // Two parsers that were written apart: expat's events, and a document tree.
    let tree = read(
        "import sys, xml.dom.minidom as m\nd = m.parse(sys.stdin.buffer)\nfor c in d.getElementsByTagName('testcase'): print(c.getAttribute('name'), len(c.getElementsByTagName('failure')))\nfor s in d.getElementsByTagName('testsuite'): print(s.getAttribute('tests'), s.getAttribute('failures'))",
    );
    let events = read(
        "import sys, xml.sax as x\nclass H(x.ContentHandler):\n  def startElement(s, n, a):\n    if n == 'testcase': s.f = 0; s.n = a['name']\n    if n == 'failure': s.f += 1\n    if n == 'testsuite': s.t = (a['tests'], a['failures'])\n  def endElement(s, n):\n    if n == 'testcase': print(s.n, s.f)\n    if n == 'testsuite': print(*s.t)\nx.parse(sys.stdin.buffer, H())",
    );
    assert_eq!(tree, events);
    assert_eq!(tree, "docs/a, b: 100%.html 1\nexcused.html 0\ngood.html 0\ntext.md 1\n4 2\n");
    assert!(text.contains("[contrast.text]") && text.contains("[link.dead]"), "{text}");
}

#[test]
fn annotations_are_what_github_documents() {
    let project = project();
    let text = formatted(&project, "github");
    let unescaped = |text: &str| {
        text.replace("%3A", ":").replace("%2C", ",").replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")
    };
    for line in text.lines() {
        let (command, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (kind, properties) = command.split_once(' ').unwrap();
        assert!(["error", "warning", "notice"].contains(&kind), "{line}");
        for property in properties.split(',') {
            let (name, value) = property.split_once('=').unwrap();
            assert!(["file", "line", "col", "title"].contains(&name) && !value.contains(':'), "{line}");
        }
        assert!(!message.is_empty(), "{line}");
    }
    let error = text.lines().find(|line| line.contains("title=contrast.text")).unwrap();
    assert!(
        error.starts_with(
            "::error file=docs/a%2C b%3A 100%25.html,line=5,col=1,title=contrast.text::make the text readable"
        ),
        "{error}"
    );
    assert!(unescaped(error).contains("file=docs/a, b: 100%.html,"), "{error}");
    assert!(!text.contains("excused.html"), "{text}");
}

#[test]
fn code_quality_is_what_gitlab_documents() {
    let project = project();
    let text = formatted(&project, "gitlab");
    assert_eq!(broken(GITLAB, &text), Vec::<String>::new());
    assert!(!broken(GITLAB, &text.replace("\"critical\"", "\"grave\"")).is_empty(), "the schema does check");
    let issues: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut prints: Vec<&str> = issues.iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
    let all = prints.len();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), all, "every issue has a fingerprint of its own");
    // It stays the same when the line moves.
    let print = |issues: &[Value]| {
        issues.iter().find(|issue| issue["check_name"] == "contrast.text").unwrap()["fingerprint"].clone()
    };
    let before = print(&issues);
    let name = "docs/a, b: 100%.html";
    project.write(name, &project.read(name).replace("<main>", "\n\n<main>"));
    let after: Vec<Value> = serde_json::from_str(&formatted(&project, "gitlab")).unwrap();
    assert_eq!(print(&after), before);
}

#[test]
fn markdown_is_a_comment_and_nothing_else() {
    let project = project();
    project.write("text.md", "# Bread\n\n[gone](<img src=x> @team |.md)\n\n![](x)\n\n[x](<![a](b)@team|.md>)\n");
    let text = formatted(&project, "markdown");
    assert!(text.starts_with("### ❌ "), "{text}");
    assert!(text.contains("| `contrast.text` |"), "{text}");
    assert!(!text.contains(" @team") && !text.contains("<img"), "{text}");
    assert!(project.tribunal(&["check", "good.html", "--format", "markdown"]).stdout.starts_with("### ✅ "));
}

#[test]
fn a_result_can_be_written_to_a_file() {
    let project = project();
    for format in ["text", "json", "sarif", "junit", "github", "gitlab", "markdown"] {
        assert_eq!(project.tribunal(&["check", ".", "--format", format, "-o", "docs"]).code, 4, "{format}");
        let output = project.tribunal(&["check", ".", "--format", format, "--output", "result"]);
        assert_eq!(output.code, 1, "{format}: {}", output.all());
        assert_eq!(output.stdout, "", "{format}");
        assert_eq!(project.read("result"), formatted(&project, format), "{format}");
    }
}

#[test]
fn rule_ids_are_the_same_everywhere() {
    let project = project();
    for format in ["text", "json", "sarif", "junit", "github", "gitlab", "markdown"] {
        let text = formatted(&project, format);
        for id in ["contrast.text", "link.dead"] {
            assert!(text.contains(id), "{format}: {id} is not in {text}");
        }
    }
}

#[test]
fn explain_knows_every_rule() {
    let project = Project::bare();
    let output = project.tribunal(&["explain", "contrast.text"]);
    assert_eq!(output.code, 0, "{}", output.all());
    for part in ["Text has too little contrast", "1.4.3 Contrast (Minimum) (AA)", "## How to fix it", "```html"] {
        assert!(output.stdout.contains(part), "{part}: {}", output.all());
    }
    let list = project.tribunal(&["explain"]);
    let object = project.json(&["explain", "--json"]);
    let rules = object.as_array().unwrap();
    assert_eq!(list.stdout.lines().count(), rules.len());
    for rule in rules {
        let id = rule["id"].as_str().unwrap();
        assert!(list.stdout.contains(id), "{id}");
        assert_eq!(&project.json(&["explain", id, "--json"]), rule, "{id}");
    }
    for (asked, hint) in [("contrast", "did you mean `contrast.text`?"), ("xyzzy", "lists all rules")] {
        let output = project.tribunal(&["explain", asked]);
        assert_eq!(output.code, 2, "{asked}: {}", output.all());
        assert!(output.stderr.contains(hint), "{asked}: {}", output.all());
    }
}
