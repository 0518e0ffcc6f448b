//! Whatever is in the files, reading them takes little time and never ends in a panic.

use proptest::prelude::*;
use tribunal_kernel::desk::{
    ClaimFile, Memory, Prd, TestSpec, VerdictFile, headline, looks_like_tests, normalise, tests_run,
};

/// Every reader, one after the other.
fn read_all(text: &str) {
    let _ = Prd::read(text);
    if let Ok(spec) = TestSpec::read(text) {
        let stories = Prd::read(text).map(|prd| prd.stories).unwrap_or_default();
        for story in &stories {
            assert!(spec.applies_to(&story.id).len() <= spec.commands.len());
        }
    }
    let _ = Memory::read(text);
    let _ = ClaimFile::read(text);
    let _ = VerdictFile::read(text);
    let _ = tests_run(text);
    let _ = looks_like_tests(text, text);
    let _ = normalise(text);
    assert!(headline(text).chars().count() <= tribunal_kernel::desk::MAX_HEADLINE);
}

/// Long enough that quadratic work would not end in a test's time.
const LONG: usize = 1 << 20;
/// Far more than any plan or output that is kept.
const HUGE: usize = 10 << 20;

fn filled(unit: &str, size: usize) -> String {
    unit.repeat(size / unit.len())
}

macro_rules! long {
    ($($name:ident: $unit:expr,)*) => {
        $(#[test]
        fn $name() {
            let text = filled($unit, LONG);
            read_all(&format!("## Stop Status\n{text}"));
            read_all(&format!("## Verification Commands\n### Test\n{text}"));
        })*
    };
}

#[test]
fn a_huge_text_is_only_long() {
    read_all(&filled("- US-001: a `pytest -q` b/c.py:12 | 3 passed in 0.1s\n", HUGE));
}

long! {
    one_endless_word: "x",
    one_endless_line_of_words: "word `a` : - 1 | x ",
    ticks: "`",
    ticks_in_pairs: "`` ` ",
    angles: "<testsuite \"<![CDATA[",
    suites: "<testsuite tests=\"1\">",
    braces: "{\"a\":[",
    stories: "- US-001: a **b**\n",
    headings: "## US-1 x\n",
    commands: "- a: `pytest -q x/y.py`\n",
    table: "| US-001 a | `pytest -q` |\n",
    escapes: "\u{1b}[1\u{1b}]0;x\r",
    closings: "=== 1 passed in 0.1s ===\ntest result: ok. 1 passed; 0 failed; 0 ignored\nok 1\n--- PASS: a (0s)\n",
    numbers: "1.2.3:4:5-6-7/8/9 ",
    deep_list: " \t- a\n",
}

#[test]
fn deep_json_is_refused() {
    assert!(ClaimFile::read(&"[".repeat(100_000)).is_err());
    let deep = format!("{{\"stories_completed\":[],\"evidence\":{}{}}}", "{\"a\":".repeat(500), "}".repeat(500));
    assert!(ClaimFile::read(&deep).is_err());
}

#[test]
fn binary_garbage_is_read_like_anything_else() {
    let bytes: Vec<u8> = (0..50_000u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    read_all(&String::from_utf8_lossy(&bytes));
}

/// Pieces that mean something to one of the readers.
const PIECES: [&str; 44] = [
    "\n",
    "\n\n",
    " ",
    "  ",
    "\t",
    "\r",
    "- ",
    "1. ",
    "# ",
    "## ",
    "### ",
    "US-001",
    "us-2",
    ": ",
    "**",
    "`",
    "``",
    "```",
    "~~~",
    "|",
    "\\|",
    "→",
    "->",
    "<!--",
    "-->",
    "<",
    ">",
    "Stop Status",
    "verify",
    "Verification Commands",
    "Criteria Mapping",
    "Acceptance Criteria",
    "pytest -q",
    "ä",
    "\u{1b}[",
    "0x7f3a2b1c",
    "12",
    "%",
    "ok 1",
    "1..4",
    " passed in 0.1s",
    "<testsuites tests=\"3\">",
    "/tmp/a.py:3",
    "{\"verdict\":",
];

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in any::<String>()) {
        read_all(&text);
    }

    #[test]
    fn no_mixture_of_what_they_know_makes_a_reader_panic(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..60),
    ) {
        read_all(&pieces.concat());
    }
}
