//! Commands and what they prove.

use std::fmt::Write as _;
use tribunal_kernel::desk::{Prd, SpecError, TestSpec};

/// Shows a spec as a few lines.
fn shown(text: &str) -> String {
    let spec = match TestSpec::read(text) {
        Ok(spec) => spec,
        Err(error) => return format!("error: {error}\nhint: {}", error.hint()),
    };
    let mut out = String::new();
    for check in &spec.commands {
        writeln!(out, "{} [{}] {}", check.id, check.purpose, check.line).unwrap();
    }
    for mapped in &spec.mapping {
        let check = mapped.check.as_deref().unwrap_or("verifier");
        writeln!(out, "{} -> {check} ({})", mapped.criterion, mapped.method).unwrap();
    }
    for noted in &spec.placeholders {
        writeln!(out, "to fill in, line {}: {} ({})", noted.line, noted.text, noted.purpose).unwrap();
    }
    for noted in &spec.passed_over {
        writeln!(out, "passed over, line {}: {}", noted.line, noted.text).unwrap();
    }
    write!(out, "files: {}", spec.files.join(" ")).unwrap();
    out
}

fn commands(section: &str) -> Vec<String> {
    let spec = TestSpec::read(&format!("## Verification Commands\n{section}\n")).unwrap();
    spec.commands.into_iter().map(|check| format!("{}: {}", check.purpose, check.line)).collect()
}

#[test]
fn the_originals_layout_is_read() {
    let spec = "\
## Verification Commands
### Test
python3 -m pytest test_calc.py -v

## Criteria → Verification Mapping
| Criterion | Method | Command |
|-----------|--------|---------|
| calc.py exists | automated | test -f calc.py |
| All tests pass | automated | python3 -m pytest test_calc.py -v |
| Reads well | manual | - |
";
    insta::assert_snapshot!(shown(spec), @r"
    test-1 [Test] python3 -m pytest test_calc.py -v
    test-2 [criterion] test -f calc.py
    calc.py exists -> test-2 (automated)
    All tests pass -> test-1 (automated)
    Reads well -> verifier (manual)
    files: test_calc.py
    ");
}

#[test]
fn a_spec_that_nobody_filled_in_says_so() {
    let spec = "\
## Verification Commands
### Build
N/A
### Test
```bash
# TODO: add the test command
<command>
```
### Lint
none

## Criteria -> Verification Mapping
| Criterion | Method | Command |
|---|---|---|
| it works | automated | TODO |
";
    insta::assert_snapshot!(shown(spec), @r"
    it works -> verifier (automated)
    to fill in, line 3: N/A (Build)
    to fill in, line 6: # TODO: add the test command (Test)
    to fill in, line 7: <command> (Test)
    to fill in, line 10: none (Lint)
    to fill in, line 15: it works (criterion)
    files: 
    ");
}

#[test]
fn commands_are_found_however_they_are_written() {
    for (name, section, expected) in [
        ("bare", "### Test\ncargo test --workspace", &["Test: cargo test --workspace"][..]),
        ("bullet", "### Lint\n- ruff check .\n- go vet ./...", &["Lint: ruff check .", "Lint: go vet ./..."]),
        ("backticks", "### Test\n- `pytest -q`", &["Test: pytest -q"]),
        ("in a sentence", "### Test\nRun `make check` before anything else.", &["Test: make check"]),
        ("prompt", "### Test\n$ ./check.sh --all", &["Test: ./check.sh --all"]),
        (
            "fence",
            "### Test\n```bash\n# quick\npytest -q\n\nruff check .\n```",
            &["Test: pytest -q", "Test: ruff check ."],
        ),
        ("any program in a fence", "### Test\n```sh\nfrobnicate\n```", &["Test: frobnicate"]),
        ("transcript", "### Test\n```console\n$ pytest -q\n3 passed in 0.01s\n```", &["Test: pytest -q"]),
        ("long line", "### Test\n```bash\npytest \\\n  -q \\\n  tests\n```", &["Test: pytest -q tests"]),
        ("chain", "### Test\n```bash\nmake &&\n  make test\n```", &["Test: make && make test"]),
        ("other languages", "### Test\n```json\n{\"a\": 1}\n```\nmake test", &["Test: make test"]),
        ("label", "- **Build**: `cargo build`\n- Test: cargo test", &["Build: cargo build", "Test: cargo test"]),
        ("label of its own", "**Build**:\nmake\n\nTest:\nmake test", &["Build: make", "Test: make test"]),
        ("no heading", "pytest -q", &["verification: pytest -q"]),
        ("environment", "### Test\nRUST_BACKTRACE=1 cargo test", &["Test: RUST_BACKTRACE=1 cargo test"]),
        ("unknown program with flags", "### Test\nmytool verify --strict", &["Test: mytool verify --strict"]),
        ("script", "### Test\nscripts/check.sh", &["Test: scripts/check.sh"]),
        ("comment outside of a fence", "### Test\n# all of them\npytest -q", &["Test: pytest -q"]),
        ("twice", "### Build\nmake\n### Test\nmake", &["Build: make"]),
        ("pipes", "### Test\npytest -q | tee log.txt", &["Test: pytest -q | tee log.txt"]),
        ("unclosed fence", "### Test\n```bash\npytest -q \\", &["Test: pytest -q"]),
    ] {
        assert_eq!(commands(section), expected, "{name}");
    }
}

#[test]
fn prose_is_no_command_and_is_told() {
    for text in [
        "Make sure that everything works.",
        "make sure all tests are green",
        "test that the file is there",
        "go to the dashboard and look",
        "The file `calc.py` must exist.",
        "node must be installed",
        "see docs/testing.md",
    ] {
        let spec = TestSpec::read(&format!("## Verification Commands\n### Test\n{text}\nmake\n")).unwrap();
        assert_eq!(spec.commands.len(), 1, "{text}");
        assert_eq!(spec.passed_over.iter().map(|noted| noted.text.as_str()).collect::<Vec<_>>(), [text]);
    }
}

#[test]
fn placeholders_are_no_commands() {
    for text in [
        "N/A",
        "n/a.",
        "none",
        "TODO",
        "TODO: write one",
        "TBD",
        "<command>",
        "`<command>`",
        "pytest <path to tests>",
        "{{command}}",
        "...",
        "`TODO`",
    ] {
        let spec = TestSpec::read(&format!("## Verification Commands\n### Test\n{text}\n")).unwrap();
        assert_eq!((spec.commands.len(), spec.placeholders.len()), (0, 1), "{text}");
    }
    assert_eq!(commands("### Test\nsort < in.txt > out.txt -u"), ["Test: sort < in.txt > out.txt -u"]);
}

/// A method is not a proof: "automated" names nobody who could be asked.
#[test]
fn a_row_without_a_command_needs_somebody_who_looks() {
    for (method, is_proved) in
        [("review", true), ("manual", true), ("automated", false), ("unit test", false), ("", false)]
    {
        let head = "## Verification Commands\n### Test\npytest -q\n\n## Criteria → Verification Mapping\n";
        let table =
            format!("{head}| Criterion | Method | Command |\n|---|---|---|\n| US-001 AC1: adds | {method} | |\n");
        let spec = TestSpec::read(&table).unwrap();
        assert_eq!((spec.mapping.len(), spec.placeholders.is_empty()), (1, is_proved), "{method}");
    }
}

#[test]
fn mappings_are_found_however_they_are_written() {
    let read = |mapping: &str| {
        let spec = TestSpec::read(&format!("## Verification Commands\n### Test\npytest -q\n\n{mapping}")).unwrap();
        let line = |id: &str| spec.check(id).unwrap().line.clone();
        let shown = |mapped: &tribunal_kernel::desk::Mapped| {
            format!("{} = {}", mapped.criterion, mapped.check.as_deref().map_or("?".into(), line))
        };
        spec.mapping.iter().map(shown).collect::<Vec<_>>().join("; ")
    };
    for (name, mapping, expected) in [
        (
            "other order",
            "## Criteria Mapping\n| Command | Criterion |\n|-|-|\n| `test -f a.py` | a |",
            "a = test -f a.py",
        ),
        ("arrow", "## Criteria -> Verification Mapping\n- a → `pytest -q`", "a = pytest -q"),
        ("plain arrow", "## Criteria Mapping\n- a -> pytest -q", "a = pytest -q"),
        ("colon", "## Criteria Mapping\n- US-001 AC1: calc works: pytest -q", "US-001 AC1: calc works = pytest -q"),
        (
            "ticks in both",
            "## Criteria Mapping\n- `calc.py` exists: `test -f calc.py`",
            "`calc.py` exists = test -f calc.py",
        ),
        (
            "colon in the command",
            "## Criteria Mapping\n- a: `pytest x.py::t -k 'b: c'`",
            "a = pytest x.py::t -k 'b: c'",
        ),
        ("by eye", "## Criteria Mapping\n- a: manual review", "a = ?"),
        ("without a command", "## Criteria Mapping\n- a is nice", "a is nice = ?"),
        ("by purpose", "## Criteria Mapping\n| Criterion | Command |\n|-|-|\n| a | Test |", "a = pytest -q"),
        ("by id", "## Criteria Mapping\n| Criterion | SpecCheck |\n|-|-|\n| a | test-1 |", "a = pytest -q"),
        (
            "bar in ticks",
            "## Criteria Mapping\n| Criterion | Command |\n|-|-|\n| a | `pytest -q | tee x` |",
            "a = pytest -q | tee x",
        ),
        (
            "escaped bar",
            "## Criteria Mapping\n| Criterion | Command |\n|-|-|\n| a | pytest -q \\| tee x |",
            "a = pytest -q | tee x",
        ),
        (
            "two commands",
            "## Criteria Mapping\n| Criterion | Command |\n|-|-|\n| a | `make` and `pytest -q` |",
            "a = make && pytest -q",
        ),
        (
            "a story's column",
            "## Criteria Mapping\n| Story | Criterion | Command |\n|-|-|-|\n| US-2 | a | pytest -q |",
            "US-002: a = pytest -q",
        ),
        (
            "manual with a command",
            "## Criteria Mapping\n| Criterion | Method | Command |\n|-|-|-|\n| a | manual | ./demo.sh |",
            "a = ?",
        ),
        (
            "odd but automated",
            "## Criteria Mapping\n| Criterion | Method | Command |\n|-|-|-|\n| a | automated | frobnicate |",
            "a = frobnicate",
        ),
    ] {
        assert_eq!(read(mapping), expected, "{name}");
    }
}

#[test]
fn files_are_those_that_a_worker_may_not_quietly_change() {
    let spec = "\
## Verification Commands
### Test
```bash
./check.sh tests/unit/test_a.py::TestA::test_b --config=setup.cfg
go test ./... && bash /usr/bin/x.sh ../other.sh ~/y.sh
cargo test --manifest-path crates/a/Cargo.toml
curl -s http://localhost:8080/health.json
cat tests/*.py | grep -c def
node tests/run
```
See `docs/testing.md`, and/or Node.js 20. Fixtures: (fixtures/data.csv).

## Criteria Mapping
- a: `python3 -m pytest tests/test_c.py:12`
";
    let spec = TestSpec::read(spec).unwrap();
    let mut files = spec.files;
    files.sort();
    assert_eq!(
        files,
        [
            "check.sh",
            "crates/a/Cargo.toml",
            "docs/testing.md",
            "setup.cfg",
            "tests/run",
            "tests/test_c.py",
            "tests/unit/test_a.py",
        ]
    );
}

#[test]
fn checks_apply_to_the_stories_they_prove() {
    let prd = Prd::read("## US-001: a\n## US-002: b\n").unwrap();
    let spec = TestSpec::read(
        "## Verification Commands\n### Lint\nruff check .\n### Test\npytest -q\n\n## Criteria Mapping\n\
         | Criterion | Command |\n|-|-|\n| US-001 AC1: a | test -f a.py |\n| US-002 AC1: b | test -f b.py |\n\
         | US-001 AC2: tests | pytest -q |\n| All tests pass | pytest -q |\n",
    )
    .unwrap();
    let ids = |at: usize| {
        let checks = spec.applies_to(&prd.stories[at].id);
        checks.into_iter().map(|check| check.line.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(ids(0), ["ruff check .", "pytest -q", "test -f a.py"]);
    assert_eq!(ids(1), ["ruff check .", "pytest -q", "test -f b.py"]);
}

#[test]
fn what_is_no_test_spec_is_refused_with_a_hint() {
    assert_eq!(TestSpec::read("# Spec\n"), Err(SpecError::NoSection));
    assert_eq!(
        TestSpec::read("# Spec\n\n## Verification Commands\nLater, perhaps.\n"),
        Err(SpecError::NoCommands { line: 3 })
    );
    insta::assert_snapshot!(shown("x"), @r"
    error: the test spec has no `## Verification Commands`
    hint: write `## Verification Commands`, a heading such as `### Test`, and below it a line such as `python3 -m pytest -q`
    ");
}
