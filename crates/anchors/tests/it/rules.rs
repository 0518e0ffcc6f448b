//! Every kind of rule and every predicate against a draft that keeps it and one that breaks it.

use tribunal_anchors::{Anchor, Test};

use crate::{anchor, check, must, shown};

#[test]
fn every_rule_kind_and_predicate() {
    for (rule, good, bad, message) in [
        ("{ kind = 'pattern', pattern = 'v\\d+' }", "it is v2", "it is", "nothing matches `v\\d+`"),
        (
            "{ kind = 'pattern', pattern = 'TODO', must_match = false }",
            "done",
            "a\n  TODO\n",
            "2:3-2:7 matches `TODO` [TODO]",
        ),
        (
            "{ kind = 'pattern', pattern = '^Why', scope = 'heading' }",
            "# Why us\n",
            "Why\n# How\n",
            "no heading matches `^Why`",
        ),
        (
            "{ kind = 'pattern', pattern = 'Old', scope = 'heading', must_match = false }",
            "Old\n# New\n",
            "# Old\n",
            "1:1-1:6 a heading matches `Old` [# Old]",
        ),
        (
            "{ kind = 'pattern', pattern = 'fire', scope = { section = 'Risks' } }",
            "# Risks\nfire\n# Rest\n",
            "# Risks\nnone\n# Rest\nfire\n",
            "nothing matches `fire`",
        ),
        (
            "{ kind = 'pattern', pattern = 'fire', scope = { section = 'Risks' } }",
            "# Risks\n## Big ones\nfire\n",
            "fire\n",
            "no section `Risks`",
        ),
        (
            "{ kind = 'pattern', pattern = 'fire', scope = { section = 'Risks' }, must_match = false }",
            "fire\n",
            "# Risks\n\nafire\n",
            "3:2-3:6 matches `fire` [fire]",
        ),
        (
            "{ kind = 'predicate', predicate = 'contains', text = 'Lamp' }",
            "a Lamp",
            "a lamp",
            "`Lamp` is nowhere in it",
        ),
        (
            "{ kind = 'predicate', predicate = 'not_contains', text = 'Lamp', ignore_case = true }",
            "a light",
            "é LAMP",
            "1:3-1:7 `Lamp` is in it [LAMP]",
        ),
        (
            "{ kind = 'predicate', predicate = 'heading', text = 'Risks' }",
            "## 3. RISKS\n",
            "Risks\n",
            "no heading `Risks`",
        ),
        (
            "{ kind = 'predicate', predicate = 'heading', text = 'Risks', level = 2 }",
            "Risks\n---\n",
            "# Risks\n",
            "no heading `Risks` of level 2",
        ),
        (
            "{ kind = 'predicate', predicate = 'word_count', min = 2, max = 3 }",
            "one – two",
            "one two three four",
            "4 words, expected 2 to 3",
        ),
        (
            "{ kind = 'predicate', predicate = 'line_count', max = 2 }",
            "a\nb\n",
            "a\nb\nc\n",
            "3 lines, expected at most 2",
        ),
        (
            "{ kind = 'predicate', predicate = 'json_schema', schema = { type = 'object', required = ['a'] } }",
            "{\"a\": 1}",
            "{}",
            "1:1-1:3 the value has no `a` [{}]",
        ),
        (
            "{ kind = 'predicate', predicate = 'json_schema', schema = { type = 'object' } }",
            "{}",
            "{\n  a: 1}",
            "2:3-2:3 not JSON: key must be a string []",
        ),
        (
            "{ kind = 'predicate', predicate = 'well_formed_html' }",
            "<p>one<br>two</p>",
            "<main>\n<b>one</main>",
            "2:1-2:4 <b> is not closed before </main> [<b>]",
        ),
        (
            "{ kind = 'predicate', predicate = 'well_formed_html' }",
            "<i id=a></i>",
            "<i id=a></i>\n<b id=a></b>",
            "2:1-2:13 id=\"a\" again [<b id=a></b>]",
        ),
        (
            "{ kind = 'predicate', predicate = 'file_exists', path = 'gone.md' }, { kind = 'predicate', predicate = \
             'file_exists', path = 'there.md' }",
            "",
            "",
            "there is no file `gone.md`",
        ),
        (
            "{ kind = 'predicate', predicate = 'link_resolves' }",
            "[a](there.md) [b](https://example.org) [c](#top)",
            "x\n[a](gone.md)",
            "2:1-2:13 `gone.md` leads nowhere: there is no file `gone.md`: correct the path or add the file [[a](gone.md)]",
        ),
        ("'must have a heading Risks'", "# Risks", "", "no heading `Risks`"),
    ] {
        let anchor = must(rule);
        if !rule.contains("file_exists") {
            assert_eq!(shown(&check(&anchor, good)), "", "{rule} holds");
        }
        assert_eq!(shown(&check(&anchor, bad)), message, "{rule} does not hold");
    }
}

#[test]
fn schemas_say_what_does_not_fit() {
    let schema = r##"{
        "type": "object", "required": ["name", "size"], "additionalProperties": false,
        "properties": {
            "name": { "type": "string", "minLength": 2, "pattern": "^[a-z]+$" },
            "size": { "type": "integer", "minimum": 1, "exclusiveMaximum": 10 },
            "tags": { "type": "array", "items": { "$ref": "#/$defs/tag" }, "maxItems": 2, "uniqueItems": true },
            "mode": { "oneOf": [{ "const": 1 }, { "type": "number" }] },
            "also": { "anyOf": [{ "type": "null" }, { "enum": ["x", 2.0] }], "not": { "const": "x" } }
        },
        "$defs": { "tag": { "type": ["string", "null"], "maxLength": 3 } }
    }"##;
    let text = format!(
        r#"{{"kind": "invariants", "MUST": [{{"kind": "predicate", "predicate": "json_schema", "schema": {schema}}}]}}"#
    );
    let anchor: Anchor = serde_json::from_str(&text).unwrap();
    for (name, draft, want) in [
        ("fits", r#"{"name": "ab", "size": 3.0, "tags": ["a", null], "mode": 2, "also": 2}"#, ""),
        ("missing", r#"{"name": "ab"}"#, "the value has no `size`"),
        ("unknown", r#"{"name": "ab", "size": 1, "x": 1}"#, "the value has `x`, which the schema does not know"),
        ("type", r#"{"name": 1, "size": 1}"#, "`name` is an integer, expected string"),
        ("too short", r#"{"name": "a", "size": 1}"#, "`name` has 1 characters, expected at least 2"),
        ("pattern", r#"{"name": "AB", "size": 1}"#, "`name` does not match `^[a-z]+$`"),
        ("no integer", r#"{"name": "ab", "size": 1.5}"#, "`size` is a float, expected integer"),
        ("too small", r#"{"name": "ab", "size": 0}"#, "`size` is `0`, expected at least 1"),
        ("too large", r#"{"name": "ab", "size": 10}"#, "`size` is `10`, expected less than 10"),
        ("items", r#"{"name": "ab", "size": 1, "tags": ["a", "b", "c"]}"#, "`tags` has 3 items, expected at most 2"),
        ("twice", r#"{"name": "ab", "size": 1, "tags": ["a", "a"]}"#, "`tags` has the same item twice"),
        ("ref", r#"{"name": "ab", "size": 1, "tags": ["abcd"]}"#, "`tags`[0] has 4 characters, expected at most 3"),
        ("one of", r#"{"name": "ab", "size": 1, "mode": 1}"#, "`mode` fits 2 of the 2 alternatives, expected 1"),
        ("any of", r#"{"name": "ab", "size": 1, "also": 3}"#, "`also` fits none of the 2 alternatives"),
        ("not", r#"{"name": "ab", "size": 1, "also": "x"}"#, "`also` fits what it must not fit"),
    ] {
        let messages: Vec<String> = check(&anchor, draft).violations.into_iter().map(|one| one.message).collect();
        assert_eq!(messages.join("; "), want, "{name}");
    }
}

#[test]
fn a_schema_that_leads_to_itself_ends() {
    let rule = "{ kind = 'predicate', predicate = 'json_schema', schema = { '$ref' = '#' } }";
    assert_eq!(shown(&check(&must(rule), "1")), "1:1-1:2 the schema takes too many steps for this value [1]");
}

#[test]
fn commands_and_semantic_rules_wait() {
    let anchor = anchor(
        "kind = 'invariants'\nMUST = [{ kind = 'command', id = 'tests', argv = ['make', 'test'], timeout_seconds = 9 }, \
         'is fair']\nMUST_NOT = ['promise a date']",
    );
    let mut result = check(&anchor, "x");
    let pending: Vec<String> = result
        .pending
        .iter()
        .map(|pending| format!("{} {} {}", pending.level.as_str(), pending.rule.test.kind(), pending.rule.name()))
        .collect();
    assert_eq!(pending, ["MUST command tests", "MUST semantic is fair", "MUST NOT semantic promise a date"]);
    assert!(result.valid && !result.is_complete(), "what is pending is no pass");
    let commands: Vec<_> = anchor.items().into_iter().filter(|(_, rule)| rule.command().is_some()).collect();
    assert!(
        matches!(commands.as_slice(), [(_, rule)] if rule.name() == "tests" && rule.command().unwrap().argv == ["make", "test"])
    );

    assert!(!result.ran("is fair", true, ""), "no command of that name");
    assert!(result.ran("tests", false, "exit code 2"));
    assert_eq!(shown(&result), "exit code 2");
    assert!(result.pending.iter().all(|pending| pending.rule.test == Test::Semantic));
}
