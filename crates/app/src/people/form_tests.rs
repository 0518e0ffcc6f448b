//! Forms of the real schemas, as people see them and as they fill them in.

use super::*;
use serde_json::json;
use tribunal_kernel::answer::schema;
use tribunal_kernel::joust::{MutationAnswer, ScoreAnswer};
use tribunal_kernel::review::{CreatorAnswer, ReviewerAnswer};
use tribunal_kernel::theater::{DesignerAnswer, JudgeAnswer};

fn of<T: schemars::JsonSchema>() -> Value {
    serde_json::from_str(&schema::<T>()).unwrap()
}

fn body(schema: &Value) -> String {
    skeleton(schema).strip_prefix(HEADER).unwrap().trim_start().to_owned()
}

#[test]
fn a_reviewers_form() {
    insta::assert_snapshot!(body(&of::<ReviewerAnswer>()), @r#"
    # The reviewer's words for a verdict. One of: ok, changes requested, needs human.
    verdict = ""

    # The verdict in one or two sentences. (may stay empty)
    summary = '''
    '''

    # (may stay empty)
    [[issues]]

    message = ""

    # A short, stable name for this kind of issue. (may stay empty)
    code = ""

    # The part of the candidate it is about. (may stay empty)
    field = ""

    # How much an issue weighs. One of: error, warning. (may stay empty)
    severity = ""
    "#);
}

#[test]
fn a_creators_form() {
    insta::assert_snapshot!(body(&of::<CreatorAnswer>()), @r#"
    # Whether you consider the candidate finished. true or false.
    done = ""

    # A candidate, as the creator gives it.
    [candidate]

    # The whole text of the candidate.
    content = '''
    '''

    # What kind of text a draft is. One of: markdown, plain, html. (may stay empty)
    format = "markdown"
    "#);
}

#[test]
fn a_designers_form() {
    insta::assert_snapshot!(body(&of::<DesignerAnswer>()), @r#"
    # What you changed and why, in a few sentences. (may stay empty)
    notes = '''
    '''

    # The whole artifact.
    [artifact]

    # The whole text, from the first byte to the last.
    content = '''
    '''

    # `text/html`, `text/markdown` or `text/plain`. (may stay empty)
    mime = "text/html"
    "#);
}

#[test]
fn a_judges_form() {
    insta::assert_snapshot!(body(&of::<JudgeAnswer>()), @r#"
    # What has to be mended before the artifact can ship, one demand an item. Nothing that you would merely like. A list: ["one", "another"].
    must_fix = []

    # How good the artifact is in your field, on the scale given above. A number. (may stay empty)
    score = ""

    # The parts of your score.
    [[dims]]

    name = ""

    # What you saw, with the measured value where there is one. (may stay empty)
    note = ""

    # A score as a judge writes it: a number, `"8"` or `"8/10"`. A number. (may stay empty)
    score = ""
    "#);
}

#[test]
fn an_editors_form() {
    insta::assert_snapshot!(body(&of::<MutationAnswer>()), @r#"
    # The whole draft, rewritten.
    draft = '''
    '''

    # What was wrong with the draft before, in a few sentences. (may stay empty)
    critique = '''
    '''

    # Why a SHOULD rule is not met, by rule. (may stay empty)
    [justifications]
    # "name" = "text"

    # A specialist who should look at it, if one is needed. (may stay empty)
    [summon]

    ask = '''
    '''

    specialist = '''
    '''
    "#);
}

#[test]
fn a_scorers_form() {
    insta::assert_snapshot!(body(&of::<ScoreAnswer>()), @r#"
    [[scores]]

    name = ""

    # One of 0, 1, 2, 3, 5, 8, 13; where a colour is asked for, 0 for red, 1 for yellow, 2 for green. A number.
    score = ""

    # (may stay empty)
    rationale = ""
    "#);
}

#[test]
fn an_empty_form_is_toml_and_says_nothing() {
    let schemas = [
        ("creator", of::<CreatorAnswer>()),
        ("reviewer", of::<ReviewerAnswer>()),
        ("designer", of::<DesignerAnswer>()),
        ("judge", of::<JudgeAnswer>()),
        ("mutation", of::<MutationAnswer>()),
        ("score", of::<ScoreAnswer>()),
    ];
    for (name, schema) in &schemas {
        let form = skeleton(schema);
        toml::from_str::<toml::Table>(&form).unwrap_or_else(|error| panic!("{name}: {error}\n{form}"));
        assert!(!is_filled_in(Some(schema), &form), "{name}");
        let with_question = format!("{}{SCISSORS}\nWhat do you think?\n", complain(&form, "no"));
        assert!(!is_filled_in(Some(schema), &with_question), "{name}");
    }
}

#[test]
fn a_form_that_is_filled_in_is_the_answer() {
    let (creator, reviewer) = (of::<CreatorAnswer>(), of::<ReviewerAnswer>());
    let (designer, judge) = (of::<DesignerAnswer>(), of::<JudgeAnswer>());
    let (mutation, score) = (of::<MutationAnswer>(), of::<ScoreAnswer>());
    let text = "'''\nOne\nTwo \\n\n'''";
    let rows = [
        (
            "a text of several lines, a word for true",
            &creator,
            format!("done = \"yes\"\n[candidate]\ncontent = {text}\nformat = \"\""),
            json!({ "done": true, "candidate": { "content": "One\nTwo \\n" } }),
        ),
        ("nothing but the verdict", &reviewer, "verdict = \" ok \"\nsummary = ''".into(), json!({ "verdict": "ok" })),
        (
            "one issue, and a block that stayed empty",
            &reviewer,
            "verdict = \"changes_requested\"\n[[issues]]\nmessage = \"Shorter.\"\ncode = \"\"\n[[issues]]\nmessage = \"\"\n\
             severity = \"\""
                .into(),
            json!({ "verdict": "changes_requested", "issues": [{ "message": "Shorter." }] }),
        ),
        (
            "a default",
            &designer,
            "[artifact]\nmime = \"text/html\"\ncontent = '<p>'".into(),
            json!({ "artifact": { "mime": "text/html", "content": "<p>" } }),
        ),
        (
            "a number between quotes, lists that were left out",
            &judge,
            "score = \"8.5\"".into(),
            json!({ "score": 8.5, "dims": [], "must_fix": [] }),
        ),
        (
            "a share",
            &judge,
            "score = \" 8/10 \"".into(),
            json!({ "score": "8/10", "dims": [], "must_fix": [] }),
        ),
        (
            "a number, demands",
            &judge,
            "score = 8\nmust_fix = [\"Darken it.\", \"\"]".into(),
            json!({ "score": 8, "dims": [], "must_fix": ["Darken it."] }),
        ),
        (
            "a table that stayed empty, names of one's own",
            &mutation,
            "draft = 'x'\n[summon]\nspecialist = ''\nask = ''\n[justifications]\n\"No jargon\" = \"It is a term.\"".into(),
            json!({ "draft": "x", "justifications": { "No jargon": "It is a term." } }),
        ),
        (
            "what the form does not know stays",
            &score,
            "mood = 'fine'\n[[scores]]\nname = 'a'\nscore = '13'".into(),
            json!({ "scores": [{ "name": "a", "score": 13 }], "mood": "fine" }),
        ),
    ];
    for (name, schema, form, expected) in rows {
        let form = format!("{form}\n{SCISSORS}\n= not TOML =");
        assert_eq!(read(schema, &form), Ok(expected), "{name}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let (creator, reviewer, judge) = (of::<CreatorAnswer>(), of::<ReviewerAnswer>(), of::<JudgeAnswer>());
    let rows = [
        (&reviewer, "verdict = \"\"", "`verdict` is not filled in"),
        (&reviewer, "summary = 'fine'", "`verdict` is not filled in"),
        (
            &reviewer,
            "verdict = 'fine'",
            "`verdict` is `fine`, but it must be one of: ok, changes requested, needs human",
        ),
        (&reviewer, "verdict = 'ok'\n[[issues]]\nmessage = ''\ncode = 'x'", "`issues[1].message` is not filled in"),
        (&reviewer, "verdict = 'ok'\nissues = 'none'", "`issues` must be a list, not `none`"),
        (&creator, "done = 'soon'\n[candidate]\ncontent = 'x'", "`done` must be true or false, not `soon`"),
        (&creator, "done = true\n[candidate]\ncontent = '''\n'''", "`candidate.content` is not filled in"),
        (&judge, "score = 'good'", "`score` must be a number, not `good`"),
    ];
    for (schema, form, expected) in rows {
        assert_eq!(read(schema, form).unwrap_err().to_string(), expected);
    }
    let error = read(&reviewer, "verdict = ok").unwrap_err().to_string();
    assert!(error.starts_with("this is not TOML: ") && error.contains("line 1"), "{error}");
}

#[test]
fn a_complaint_stands_on_top_and_goes_away_again() {
    let once = complain("verdict = ''\n", "no\nreally");
    assert_eq!(once, "#! no\n#! really\nverdict = ''\n");
    assert_eq!(complain(&once, "still no"), "#! still no\nverdict = ''\n");
    assert_eq!(uncomplained(&once), "verdict = ''\n");
}
