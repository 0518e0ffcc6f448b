//! Results for people and for programs.

use tribunal_anchors::{
    Anchor,
    report::{self, FileReport, TextStyle},
};

use crate::{anchor, check, must, shown};

fn checked() -> Vec<FileReport> {
    let anchor = anchor(
        "kind = 'invariants'\nMUST = ['must have a heading Risks', { kind = 'semantic', id = 'fair', rule = 'is fair' }]\n\
         SHOULD = ['should have at most 3 words']\n\
         MUST_NOT = [{ kind = 'pattern', id = 'todo', pattern = 'TODO <\"&\\d' }]",
    );
    let bad = "one\nTODO <\"&1 and TODO <\"&2\n";
    let files = [("docs/a plan.md".to_owned(), check(&anchor, bad)), ("ok.md".to_owned(), check(&anchor, "# Risks\n"))];
    files.iter().map(FileReport::of).collect()
}

#[test]
fn text_is_a_line_for_each() {
    insta::assert_snapshot!(report::text(&checked(), TextStyle::default()), @r#"
    docs/a plan.md: must fix: no heading `Risks` [must have a heading Risks]
    docs/a plan.md:2:1: must fix: matches `TODO <"&\d` [todo]
    docs/a plan.md:2:15: must fix: matches `TODO <"&\d` [todo]
    docs/a plan.md: should: 6 words, expected at most 3 [should have at most 3 words]
    docs/a plan.md: undecided: fair: no model was asked
    ok.md: undecided: fair: no model was asked
    3 must be fixed, 1 should be in 1 of 2 files; 2 undecided
    "#);
}

/// The schema is the one that OASIS publishes with SARIF 2.1.0.
#[test]
fn sarif_fits_its_schema() {
    let mut schema = serde_json::from_str(include_str!("../data/sarif-2.1.0.json")).unwrap();
    without_formats(&mut schema);
    let rule = format!(r#"{{"kind": "predicate", "predicate": "json_schema", "schema": {schema}}}"#);
    let text = format!(r#"{{"kind": "invariants", "MUST": [{rule}]}}"#);
    let anchor: Anchor = serde_json::from_str(&text).unwrap();
    for (name, list) in [("some", checked()), ("none", Vec::new())] {
        assert_eq!(shown(&check(&anchor, &report::sarif(&list, &[]))), "", "{name}");
    }
    let broken = report::sarif(&checked(), &[]).replace("\"startLine\":2", "\"startLine\":0");
    assert!(shown(&check(&anchor, &broken)).contains("expected at least 1"), "the schema does check");
    let value: serde_json::Value = serde_json::from_str(&report::sarif(&checked(), &[])).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&value["runs"][0]["results"][1]).unwrap(), @r#"
    {
      "ruleId": "todo",
      "ruleIndex": 2,
      "level": "error",
      "message": {
        "text": "matches `TODO <\"&\\d`"
      },
      "locations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "docs/a%20plan.md"
            },
            "region": {
              "startLine": 2,
              "startColumn": 1,
              "endLine": 2,
              "endColumn": 10,
              "snippet": {
                "text": "TODO <\"&1"
              }
            }
          }
        }
      ]
    }
    "#);
}

#[test]
fn junit_is_well_formed_and_adds_up() {
    let xml = report::junit(&checked());
    let elements = strict::elements(&xml);
    let all = |name: &str| elements.iter().filter(|element| element.name == name).collect::<Vec<_>>();
    let root = all("testsuites")[0];
    for (attribute, element) in [("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")] {
        if attribute != "skipped" {
            assert_eq!(root.attr(attribute), all(element).len().to_string(), "{attribute}");
        }
        let sum: usize = all("testsuite").iter().map(|suite| suite.attr(attribute).parse::<usize>().unwrap()).sum();
        assert_eq!(sum, all(element).len(), "{attribute} of the suites");
    }
    assert!(all("failure").iter().any(|failure| failure.attr("message") == "matches `TODO <\"&\\d`"));
    insta::assert_snapshot!(xml, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tribunal" tests="8" failures="2" errors="0">
      <testsuite name="docs/a plan.md" tests="4" failures="2" errors="0" skipped="1">
        <testcase classname="docs/a plan.md" name="must have a heading Risks">
          <failure message="no heading `Risks`" type="violation">docs/a plan.md: no heading `Risks`</failure>
        </testcase>
        <testcase classname="docs/a plan.md" name="should have at most 3 words"/>
        <testcase classname="docs/a plan.md" name="todo">
          <failure message="matches `TODO &lt;&quot;&amp;\d`" type="violation">docs/a plan.md:2:1: matches `TODO &lt;&quot;&amp;\d`
    docs/a plan.md:2:15: matches `TODO &lt;&quot;&amp;\d`</failure>
        </testcase>
        <testcase classname="docs/a plan.md" name="fair">
          <skipped message="no model was asked"/>
        </testcase>
      </testsuite>
      <testsuite name="ok.md" tests="4" failures="0" errors="0" skipped="1">
        <testcase classname="ok.md" name="must have a heading Risks"/>
        <testcase classname="ok.md" name="should have at most 3 words"/>
        <testcase classname="ok.md" name="todo"/>
        <testcase classname="ok.md" name="fair">
          <skipped message="no model was asked"/>
        </testcase>
      </testsuite>
    </testsuites>
    "#);
}

/// What Jenkins' schema of JUnit results (`junit-10.xsd`), which viewers go by, says of the elements that are written
/// here: where they stand, what they must have, and what else they may have.
#[test]
fn junit_fits_the_schema_that_viewers_go_by() {
    const SCHEMA: [(&str, &str, &[&str], &[&str]); 5] = [
        ("testsuites", "", &[], &["name", "time", "tests", "failures", "disabled", "errors"]),
        (
            "testsuite",
            "testsuites",
            &["name", "tests"],
            &["failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package"],
        ),
        ("testcase", "testsuite", &["name"], &["assertions", "time", "classname", "status"]),
        ("failure", "testcase", &[], &["type", "message"]),
        ("skipped", "testcase", &[], &["type", "message"]),
    ];
    for (name, list) in [("some", checked()), ("none", Vec::new())] {
        for element in strict::elements(&report::junit(&list)) {
            let (_, parent, needed, allowed) = SCHEMA
                .into_iter()
                .find(|(known, ..)| *known == element.name)
                .unwrap_or_else(|| panic!("{name}: no element {}", element.name));
            assert_eq!(element.parent, parent, "{name}: {}", element.name);
            let has: Vec<&str> = element.names().collect();
            assert!(needed.iter().all(|attribute| has.contains(attribute)), "{name}: {} has {has:?}", element.name);
            let is_known = |attribute: &&&str| needed.contains(attribute) || allowed.contains(attribute);
            assert_eq!(has.iter().filter(is_known).count(), has.len(), "{name}: {} has {has:?}", element.name);
            for count in ["tests", "failures", "errors", "skipped"].into_iter().filter(|count| has.contains(count)) {
                assert!(element.attr(count).parse::<u32>().is_ok(), "{name}: {count} is a number");
            }
        }
    }
}

#[test]
fn control_characters_do_not_break_the_xml() {
    let anchor = must("{ kind = 'predicate', predicate = 'contains', text = \"a\\u0001\\nb\" }");
    let xml = report::junit(&[FileReport::of(&("x\u{7}.md".to_owned(), check(&anchor, "")))]);
    assert!(strict::elements(&xml).iter().any(|element| element.name == "failure"));
}

/// A reader that accepts only the XML that needs no explanation.
pub(super) mod strict {
    use std::collections::BTreeMap;

    #[derive(Debug)]
    pub(crate) struct Element {
        pub(crate) name: String,
        /// The element that it stands in.
        pub(crate) parent: String,
        attributes: BTreeMap<String, String>,
    }

    impl Element {
        pub(crate) fn attr(&self, name: &str) -> String {
            self.attributes.get(name).cloned().unwrap_or_else(|| panic!("{} has no {name}", self.name))
        }

        /// The names of its attributes.
        pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
            self.attributes.keys().map(String::as_str)
        }
    }

    pub(crate) fn elements(xml: &str) -> Vec<Element> {
        let mut rest = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("the declaration");
        let (mut open, mut found): (Vec<String>, Vec<Element>) = (Vec::new(), Vec::new());
        while let Some((text, tail)) = rest.split_once('<') {
            decoded(text);
            assert!(text.trim().is_empty() || open.last().is_some_and(|name| name == "failure"), "stray text: {text}");
            let (tag, tail) = tail.split_once('>').expect("a closed tag");
            rest = tail;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "end tags close what is open");
                continue;
            }
            let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            let parent = open.last().cloned().unwrap_or_default();
            found.push(Element { name: name.to_owned(), parent, attributes: attributes_of(attributes) });
            if !empty {
                open.push(name.to_owned());
            }
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "the end: {open:?} {rest:?}");
        found
    }

    fn attributes_of(mut text: &str) -> BTreeMap<String, String> {
        let mut attributes = BTreeMap::new();
        while !text.is_empty() {
            let (name, tail) = text.split_once("=\"").expect("name=\"");
            let (value, tail) = tail.split_once('"').expect("a closing quote");
            assert!(name.chars().all(|c| c.is_ascii_lowercase()), "{name}");
            assert!(attributes.insert(name.to_owned(), decoded(value)).is_none(), "{name} twice");
            text = tail.strip_prefix(' ').unwrap_or(tail);
        }
        attributes
    }

    fn decoded(text: &str) -> String {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "control characters: {text:?}");
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, tail)) = rest.split_once('&') {
            let (entity, tail) = tail.split_once(';').expect("a closed entity");
            out.push_str(before);
            out.push(match entity {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "#10" => '\n',
                "#9" => '\t',
                other => panic!("unknown entity {other}"),
            });
            rest = tail;
        }
        out + rest
    }
}

/// How an address is spelled is not checked, and a keyword that is not checked is refused.
fn without_formats(schema: &mut serde_json::Value) {
    match schema {
        serde_json::Value::Object(fields) => {
            fields.retain(|name, value| name != "format" || !value.is_string());
            fields.values_mut().for_each(without_formats);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_formats),
        _ => {}
    }
}
