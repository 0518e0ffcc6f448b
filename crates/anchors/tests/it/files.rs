//! Anchor files: one valid example of every kind, and a folder of invalid ones with what is said of them.

use std::{collections::BTreeSet, fs, path::Path};

use tribunal_anchors::{Anchor, AnchorKind, Syntax};

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/anchors");

fn read(path: &Path) -> Result<Anchor, String> {
    let text = fs::read_to_string(path).unwrap();
    Anchor::read(&text, Syntax::of_path(&path.to_string_lossy())).map_err(|errors| {
        let mut lines = Vec::new();
        for error in errors {
            lines.push(error.to_string());
            lines.extend(error.hint().map(|hint| format!("  hint: {hint}")));
        }
        lines.join("\n")
    })
}

fn invalid(name: &str) -> String {
    read(&Path::new(FILES).join("invalid").join(name)).unwrap_err()
}

#[test]
fn there_is_a_valid_example_of_every_kind() {
    let mut kinds = BTreeSet::new();
    for entry in fs::read_dir(Path::new(FILES).join("valid")).unwrap() {
        let path = entry.unwrap().path();
        let anchor = read(&path).unwrap_or_else(|errors| panic!("{}:\n{errors}", path.display()));
        assert!(path.file_stem().unwrap() == anchor.kind().as_str(), "{}", path.display());
        kinds.insert(anchor.kind());

        let json = serde_json::to_string(&anchor).unwrap();
        assert_eq!(Anchor::read(&json, Syntax::Json).unwrap(), anchor, "{}: read back", path.display());
        assert_eq!(serde_json::from_str::<Anchor>(&json).unwrap(), anchor, "{}: from the log", path.display());
    }
    assert_eq!(kinds, BTreeSet::from(AnchorKind::ALL));
}

#[test]
fn the_wire_form_is_plain() {
    let anchor = read(&Path::new(FILES).join("valid/goal.toml")).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&anchor).unwrap(), @r#"
    {
      "kind": "goal",
      "north_star": "the page loads fast on a train",
      "constraints": [
        {
          "kind": "predicate",
          "predicate": "contains",
          "text": "no script needed",
          "ignore_case": true,
          "rule": "must contain the phrase “no script needed”"
        },
        {
          "kind": "predicate",
          "predicate": "well_formed_html",
          "rule": "is well-formed HTML"
        },
        {
          "kind": "command",
          "argv": [
            "npm",
            "test"
          ],
          "rule": "the tests pass"
        }
      ],
      "measure": {
        "command": [
          "./measure-size.sh"
        ],
        "direction": "minimise",
        "target": 18.5
      }
    }
    "#);
}

#[test]
fn every_invalid_example_has_its_test() {
    let tested = include_str!("files.rs");
    for entry in fs::read_dir(Path::new(FILES).join("invalid")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(tested.contains(&format!("invalid(\"{name}\")")), "{name}");
    }
}

#[test]
fn mistakes_are_reported_all_at_once() {
    insta::assert_snapshot!(invalid("many-mistakes.toml"), @r#"
    2:1: unknown key `MUSTNOT`
      hint: did you mean `MUST_NOT`?
    3:10: `SHOULD` is `should be short`, expected a list of rules
      hint: put it into a list: SHOULD = ["…"]
    5:3: `MUST` is empty, expected a text
    6:3: `MUST` is `42`, expected a rule: a text, or a table with `kind`
    7:12: `kind` is `patern`, expected `pattern`, `predicate`, `command` or `semantic`
      hint: did you mean `pattern`?
    8:33: the pattern cannot be used: unclosed group
      hint: patterns are regular expressions of the Rust crate `regex`; in TOML write them between single quotes
    9:33: the pattern cannot be used: it is too large once compiled
      hint: make the counted repetitions smaller
    10:38: unknown key `must_mach`
      hint: did you mean `must_match`?
    10:64: `scope` is `section`, expected the name of the section
      hint: write scope = { section = "Risks" }
    11:37: `predicate` is `contain`, expected `contains`, `not_contains`, `heading`, `word_count`, `line_count`, `json_schema`, `well_formed_html`, `file_exists` or `link_resolves`
      hint: did you mean `contains`?
    12:3: `max` is missing, expected `min`, `max` or both
      hint: add `max = …`
    13:66: `max` is `3`, expected no less than `min`, which is `9`
    14:30: `argv` is `cargo test`, expected a list of arguments
      hint: write every argument by itself: argv = ["cargo", "test"]
    15:3: `rule` is missing, expected the rule in words
      hint: add `rule = …`
    16:3: `kind` is missing, expected `pattern`, `predicate`, `command` or `semantic`
      hint: add `kind = …`
    "#);
}

#[test]
fn what_is_wrong_at_the_top_is_said() {
    insta::assert_snapshot!(invalid("no-kind.toml"), @r"
    1:1: `kind` is missing, expected one of invariants, acceptance, exemplars, assertions, rubric, goal
      hint: add `kind = …`
    ");
    insta::assert_snapshot!(invalid("unknown-kind.toml"), @r"
    1:8: `kind` is `invariant`, expected `invariants`, `acceptance`, `exemplars`, `assertions`, `rubric` or `goal`
      hint: did you mean `invariants`?
    ");
    insta::assert_snapshot!(invalid("syntax.toml"), @r#"2:23: not valid TOML: invalid basic string, expected `"`"#);
    insta::assert_snapshot!(invalid("syntax.json"), @"4:1: not valid JSON: trailing comma");
    insta::assert_snapshot!(invalid("repeated.json"), @r"
    1:38: `north_star` is named twice
      hint: keep one `north_star`
    ");
    insta::assert_snapshot!(invalid("not-a-table.json"), @"1:1: `anchor` is a list, expected a table with a `kind`");
}

#[test]
fn must_not_takes_only_what_can_be_turned_around() {
    insta::assert_snapshot!(invalid("must-not.toml"), @r"
    3:51: `must_match = true` cannot stand in `MUST_NOT`
      hint: leave `must_match` out: what stands in MUST_NOT must not match
    4:3: the predicate `word_count` cannot stand in `MUST_NOT`
      hint: it says what must hold: put it into MUST
    5:3: a command cannot stand in `MUST_NOT`
      hint: a command passes with exit code 0: put it into MUST
    ");
}

#[test]
fn keywords_that_are_not_checked_are_refused_by_name() {
    insta::assert_snapshot!(invalid("schema.json"), @r#"
    10:19: `type` is `objekt`, expected `object`, `array`, `string`, `number`, `integer`, `boolean` or `null`
      hint: did you mean `object`?
    11:11: unknown keyword `format` in a schema
      hint: keywords that are checked: type, enum, const, properties, required, additionalProperties, items, minItems, maxItems, uniqueItems, minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum, exclusiveMaximum, anyOf, allOf, oneOf, not, $ref, $defs, definitions
    12:11: unknown keyword `patternn` in a schema
      hint: did you mean `pattern`?
    13:24: `minLength` is `-1`, expected a whole number
    14:42: `$ref` is `#/$defs/nowhere`, expected `#` or the place of a schema in this one, as in `#/$defs/name`
    18:56: a rule that needs a model cannot stand in `predicate`
      hint: say it as a pattern, a predicate or a command: { kind = "pattern", pattern = "…" }
    "#);
}

#[test]
fn every_kind_names_its_mistakes() {
    insta::assert_snapshot!(invalid("acceptance.toml"), @r"
    3:1: `done_when` is missing, expected how one can tell that it is answered
      hint: add `done_when = …`
    5:1: unknown key `donewhen`
      hint: did you mean `done_when`?
    8:12: `question` is `7`, expected a text
    10:41: unknown key `weight`
      hint: known here: kind, id, rule, hint
    ");
    insta::assert_snapshot!(invalid("empty-lists.toml"), @r"
    2:12: `positive` is empty, expected at least one text
    3:13: `negative` is empty, expected a text
    3:17: `negative` is `3`, expected a text
    ");
    insta::assert_snapshot!(invalid("rubric.toml"), @r"
    3:32: `weight` is `1.5`, expected a whole number from 1 to 5
    4:12: `clarity` is named twice
      hint: keep one `clarity`
    4:31: `scale` is `colour`, expected `points` or `color`
      hint: did you mean `color`?
    5:28: `floor` is `14`, expected a whole number from 0 to 13
    6:12: `tone` is named twice
      hint: keep one `tone`
    ");
    insta::assert_snapshot!(invalid("goal.toml"), @r#"
    1:1: `north_star` is missing, expected what the work is to get better at
      hint: add `north_star = …`
    4:11: `command` is `./size.sh`, expected a list of arguments
      hint: write every argument by itself: command = ["cargo", "test"]
    5:13: `direction` is `smaller`, expected `minimise` or `maximise`
    6:10: `target` is `small`, expected a number with at most six decimals
    7:1: unknown key `unit`
      hint: known here: command, direction, target
    "#);
}
