//! The memory moves the loop, so its stop status is one clear word or an error.

use std::fmt::Write as _;
use tribunal_kernel::desk::{Memory, StopStatus};

#[test]
fn the_originals_layout_is_read() {
    let text = "\
# loop-test - Campaign Memory

## Stop Status
verify

## Objective
Calculator with tests

## Current State
Iteration 2 - both files are there

## Next Iteration Contract
- run everything once more
### Detail
nothing else

## Patterns Discovered
- one file for each story
```
## Stop Status
blocked
```
## Learnings
## Evidence Chain
- iteration 1: calc.py
";
    let memory = Memory::read(text).unwrap();
    assert_eq!(memory.stop, StopStatus::Verify);
    assert_eq!(memory.objective.as_deref(), Some("Calculator with tests"));
    assert_eq!(memory.current_state.as_deref(), Some("Iteration 2 - both files are there"));
    assert_eq!(memory.next_contract.as_deref(), Some("- run everything once more\n### Detail\nnothing else"));
    let names: Vec<&str> = memory.sections.iter().map(|section| section.name.as_str()).collect();
    assert_eq!(names, ["loop-test - Campaign Memory", "Patterns Discovered", "Learnings", "Evidence Chain"]);
    assert_eq!(memory.section("Learnings"), Some(""));
    assert_eq!(memory.section("evidence chain"), Some("- iteration 1: calc.py"));
}

#[test]
fn one_clear_word_is_a_stop_status() {
    for (name, status) in [
        ("plain", "continue"),
        ("capitals", "CONTINUE"),
        ("backticks", "`continue`"),
        ("bold", "**Continue**"),
        ("full stop", "continue."),
        ("quoted", "\"continue\""),
        ("blank line before", "\n\ncontinue"),
        ("bullet", "- continue"),
        ("fenced", "```\ncontinue\n```"),
        ("after the template's comment", "<!-- continue | verify | blocked -->\ncontinue"),
        ("before a comment", "continue <!-- or verify -->"),
        ("with a reason below", "continue\n\nNothing is blocked; verify next time."),
        ("windows", "continue\r"),
    ] {
        let memory = Memory::read(&format!("# m\n## Stop Status\n{status}\n\n## Objective\nx\n"));
        assert_eq!(memory.map(|memory| memory.stop), Ok(StopStatus::Continue), "{name}");
    }
}

#[test]
fn anything_else_is_an_error_that_says_what_is_expected() {
    let mut told = String::new();
    for (name, text) in [
        ("missing", "# m\n\n## Objective\nx\n"),
        ("empty file", ""),
        ("empty section", "## Stop Status\n\n## Objective\nx"),
        ("only a comment", "## Stop Status\n<!-- verify -->\n"),
        ("the template", "## Stop Status\ncontinue | verify | blocked\n"),
        ("two words", "## Stop Status\nverify or continue\n"),
        ("two lines", "## Stop Status\n- [x] verify\n- [ ] continue\n"),
        ("unknown", "## Stop Status\ndone\n"),
        ("a sentence", "## Stop Status\nPlease verify this\n"),
        ("not a section", "**Stop Status**: verify\n"),
        ("in a fence", "```\n## Stop Status\nverify\n```\n"),
        ("twice", "## Stop Status\nverify\n\n## Stop Status\nverify\n"),
    ] {
        let error = Memory::read(text).unwrap_err();
        let message = error.to_string();
        let (what, expected) = message.split_once("; expected ").unwrap();
        assert_eq!(
            expected,
            "one section `## Stop Status` and, on the line below, one of `continue`, `verify`, `blocked`"
        );
        writeln!(told, "{name}: {what}\n    hint: {}", error.hint()).unwrap();
    }
    insta::assert_snapshot!(told, @r"
    missing: the memory has no `## Stop Status` section
        hint: write one of the three words and nothing else on its line
    empty file: the memory has no `## Stop Status` section
        hint: write one of the three words and nothing else on its line
    empty section: line 1: the stop status is empty
        hint: write one of the three words and nothing else on its line
    only a comment: line 1: the stop status is empty
        hint: write one of the three words and nothing else on its line
    the template: line 2: `continue | verify | blocked` names more than one stop status
        hint: the template lists what is possible: keep one word and delete the others
    two words: line 2: `verify or continue` names more than one stop status
        hint: the template lists what is possible: keep one word and delete the others
    two lines: line 3: `verify / continue` names more than one stop status
        hint: the template lists what is possible: keep one word and delete the others
    unknown: line 2: `done` is no stop status
        hint: write one of the three words and nothing else on its line
    a sentence: line 2: `Please verify this` is no stop status
        hint: write one of the three words and nothing else on its line
    not a section: the memory has no `## Stop Status` section
        hint: write one of the three words and nothing else on its line
    in a fence: the memory has no `## Stop Status` section
        hint: write one of the three words and nothing else on its line
    twice: line 4: there is a second `## Stop Status` section
        hint: rewrite the memory instead of adding to its end
    ");
}
