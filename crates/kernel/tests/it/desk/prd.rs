//! Stories, in every way people write them down.

use tribunal_kernel::desk::{Prd, PrdError, StoryId};

/// Shows a PRD as a few lines.
fn shown(text: &str) -> String {
    let prd = match Prd::read(text) {
        Ok(prd) => prd,
        Err(error) => return format!("error: {error}\nhint: {}", error.hint()),
    };
    let mut lines = vec![format!("objective: {}", prd.objective.as_deref().unwrap_or("-"))];
    for story in &prd.stories {
        lines.push(format!("{} {}", story.id, story.title));
        lines.extend(story.criteria.iter().map(|criterion| format!("  - {criterion}")));
    }
    lines.join("\n")
}

#[test]
fn the_originals_layout_is_read() {
    let prd = "\
# PRD: loop-test

## Objective
A small calculator in Python,
with tests.

## User Stories

### US-001: Calculator functions
As a caller I want four functions.

**Acceptance Criteria**:
- [ ] `calc.py` has add, subtract,
      multiply and divide
- [ ] dividing by zero raises `ValueError`

### US-002: Tests
#### Acceptance Criteria
1. `test_calc.py` has a test for each function
2. all of them pass

## Technical Constraints
- Python 3 and pytest, nothing else

## Done When
- US-001 and US-002 are verified
";
    insta::assert_snapshot!(shown(prd), @r"
    objective: A small calculator in Python, with tests.
    US-001 Calculator functions
      - `calc.py` has add, subtract, multiply and divide
      - dividing by zero raises `ValueError`
    US-002 Tests
      - `test_calc.py` has a test for each function
      - all of them pass
    ");
}

#[test]
fn stories_are_found_however_they_are_written() {
    for (name, text, expected) in [
        ("colon", "### US-001: Title", "US-001 Title"),
        ("dash", "## US-001 - Title", "US-001 Title"),
        ("long dash", "## US-001 — Title", "US-001 Title"),
        ("short number, no mark", "### US-1 Title", "US-001 Title"),
        ("brackets", "### [US-007] Title", "US-007 Title"),
        ("bold heading", "### **US-001: Title**", "US-001 Title"),
        ("spoken", "### User Story 3: Title", "US-003 Title"),
        ("spoken with a name", "### Story US-003: Title", "US-003 Title"),
        ("bold bullet", "- **US-001**: title", "US-001 title"),
        ("bold bullet, all of it", "* **US-001: title**", "US-001 title"),
        ("bold line", "**US-001: title**", "US-001 title"),
        ("plain bullet", "- US-001: title", "US-001 title"),
        ("checkbox", "- [ ] US-001: title", "US-001 title"),
        ("lower case", "### us-001: title", "US-001 title"),
        ("windows", "\u{feff}### US-001: title\r\n- one\r\n", "US-001 title\n  - one"),
        ("no space after the mark", "###US-001: title", "US-001 title"),
    ] {
        assert_eq!(shown(text), format!("objective: -\n{expected}"), "{name}");
    }
}

#[test]
fn criteria_are_found_however_they_are_written() {
    for (name, text, expected) in [
        ("directly under the story", "- a\n- b", "a|b"),
        ("numbered", "1. a\n2) b", "a|b"),
        ("checked", "- [x] a\n- [ ] b", "a|b"),
        ("label without markup", "Acceptance criteria:\n- a", "a"),
        ("label with what follows", "**AC**: a", "a"),
        ("only those under the label", "- As a user\n\n**Acceptance Criteria**\n- a\n\n**Notes**\n- n", "a"),
        ("until the next heading", "#### Acceptance Criteria\n- a\n#### Notes\n- n", "a"),
        ("particulars are none", "- **Priority**: P1\n- **Size**: S\n- a", "a"),
        ("label as a bullet", "- **Size**: S\n- **Acceptance Criteria**:\n  - a\n  - b\n- **Status**: open", "a|b"),
        (
            "nested points belong to theirs",
            "- AC1:\n  - Given: x\n  - Then: y\n- AC2: z",
            "AC1: Given: x; Then: y|AC2: z",
        ),
        ("code is no list", "- a\n```\n- b\n```\n- c", "a|c"),
        ("comments are none", "<!--\n- b\n-->\n- a", "a"),
        ("none", "Only prose.", ""),
    ] {
        let prd = Prd::read(&format!("### US-001: x\n{text}\n")).unwrap();
        assert_eq!(prd.stories[0].criteria.join("|"), expected, "{name}");
    }
}

#[test]
fn a_mention_is_no_story() {
    for (name, text, expected) in [
        ("table of contents", "- [US-001: a](#us-001)\n- US-002: b\n\n## US-001: a\n## US-002: b", "US-001 US-002"),
        ("done when", "## US-001: a\n- x\n## Done When\n- **US-001**: verified", "US-001"),
        ("in a fence", "## US-001: a\n```\n## US-002: b\n```", "US-001"),
        ("in a tilde fence with ticks", "~~~\n```\n## US-009: b\n~~~\n## US-001: a", "US-001"),
        ("a criterion's own heading", "## US-001: a\n### US-001 Acceptance Criteria\n- x", "US-001"),
        ("a criterion's own bullet", "- **US-001**: a\n  - **US-001 AC1**: x", "US-001"),
        ("a part of a story", "## US-001: a\n## US-1.2: b", "US-001"),
    ] {
        let ids: Vec<String> = Prd::read(text).unwrap().stories.iter().map(|story| story.id.to_string()).collect();
        assert_eq!(ids.join(" "), expected, "{name}");
    }
}

#[test]
fn what_is_no_contract_is_refused_with_a_line_and_a_hint() {
    insta::assert_snapshot!(shown("## US-001: a\n\n## US-1: b\n"), @r"
    error: line 3: US-001 is defined again; line 1 defines it, too
    hint: give one of the two another number, or merge them into one US-001
    ");
    insta::assert_snapshot!(shown("# PRD\n\nNothing yet.\n"), @r"
    error: the PRD has no user stories
    hint: begin every story with a heading such as `### US-001: Title`, outside of code fences, and list its acceptance criteria below
    ");
    insta::assert_snapshot!(shown("# PRD\n```\n## US-001: a\n```\n"), @r"
    error: the PRD has no user stories; line 3 names one, but is not a heading or a bullet of its own
    hint: begin every story with a heading such as `### US-001: Title`, outside of code fences, and list its acceptance criteria below
    ");
    assert_eq!(Prd::read(""), Err(PrdError::NoStories { mentioned: None }));
}

#[test]
fn a_storys_digest_is_of_its_own_words() {
    let digest = |text: &str| Prd::read(text).unwrap().stories[0].digest;
    let story = digest("## US-001: a\n- x\n");
    for (name, text, is_same) in [
        ("line ends", "## US-001: a\r\n- x\r\n", true),
        ("trailing blanks", "## US-001: a  \n- x\t\n\n\n", true),
        ("another story", "## US-001: a\n- x\n\n## US-002: b\n", true),
        ("another section", "# PRD\n\n## US-001: a\n- x\n\n## Notes\nmore", true),
        ("another word", "## US-001: a\n- y\n", false),
        ("code counts", "## US-001: a\n- x\n```\ncode\n```\n", false),
    ] {
        assert_eq!(digest(text) == story, is_same, "{name}");
    }
}

#[test]
fn names_of_stories_are_one_form() {
    for (text, expected) in [
        ("US-1", Some("US-001")),
        ("us_0001: calculator", Some("US-001")),
        ("**US-12**", Some("US-012")),
        ("US-1234", Some("US-1234")),
        ("US-", None),
        ("BUS-1", None),
        ("US-1a", None),
        ("US-99999999999", None),
    ] {
        assert_eq!(StoryId::of(text).as_ref().map(StoryId::as_str), expected, "{text}");
    }
    let named: Vec<String> =
        StoryId::named_in("US-002 (see us-1, not CUS-3)").iter().map(ToString::to_string).collect();
    assert_eq!(named, ["US-001", "US-002"]);
}
