//! What a receipt proves.

use tribunal_kernel::Digest;
use tribunal_kernel::desk::{CheckEnd, Receipt, Receipts, TestCounts};

fn receipt(ended: CheckEnd, exit: Option<i32>, tests: Option<(u64, u64, u64)>) -> Receipt {
    Receipt {
        check: "test-1".into(),
        purpose: "Test".into(),
        line: "pytest -q".into(),
        argv: ["sh", "-c", "pytest -q"].map(String::from).into(),
        exit,
        ended,
        elapsed_ms: 61_250,
        output: Digest::of("output"),
        kept: false,
        tail: "output".into(),
        tests: tests.map(|(passed, failed, skipped)| TestCounts { passed, failed, skipped }),
        state: None,
        tree: "abc".into(),
    }
}

#[test]
fn a_check_passes_if_it_ran_and_proved_something() {
    for (name, receipt, expected) in [
        ("no tests to count", receipt(CheckEnd::Exited, Some(0), None), None),
        ("tests passed", receipt(CheckEnd::Exited, Some(0), Some((3, 0, 1))), None),
        ("exit code", receipt(CheckEnd::Exited, Some(2), None), Some("exit code 2")),
        ("both", receipt(CheckEnd::Exited, Some(1), Some((3, 2, 0))), Some("exit code 1: 2 of 5 tests failed")),
        ("a pipe hid the exit code", receipt(CheckEnd::Exited, Some(0), Some((3, 2, 0))), Some("2 of 5 tests failed")),
        ("nothing ran", receipt(CheckEnd::Exited, Some(0), Some((0, 0, 0))), Some("no tests ran")),
        ("all skipped", receipt(CheckEnd::Exited, Some(0), Some((0, 0, 4))), Some("all 4 tests were skipped")),
        ("signal", receipt(CheckEnd::Exited, None, None), Some("ended without an exit code")),
        ("too slow", receipt(CheckEnd::TimedOut, None, Some((3, 0, 0))), Some("timed out after 61.2 s")),
        ("killed", receipt(CheckEnd::Killed, Some(0), None), Some("was killed")),
        ("never ran", receipt(CheckEnd::NotStarted, Some(0), None), Some("could not be started")),
    ] {
        assert_eq!(receipt.failure().as_deref(), expected, "{name}");
        assert_eq!(receipt.has_passed(), expected.is_none(), "{name}");
    }
}

#[test]
fn receipts_survive_being_written_down() {
    let receipts = Receipts {
        receipts: vec![receipt(CheckEnd::TimedOut, None, Some((1, 0, 0)))],
        commit: Some("abc".into()),
        tree: "def".into(),
        files: [("check.sh".to_owned(), Some(Digest::of("x"))), ("gone.py".to_owned(), None)].into(),
        ..Receipts::default()
    };
    let mut written = serde_json::to_value(&receipts).unwrap();
    assert_eq!(written["receipts"][0]["ended"], "timed_out");
    written["later"] = "more".into();
    assert_eq!(serde_json::from_value::<Receipts>(written).unwrap(), receipts);
    assert!(receipts.of("test-1").is_some() && receipts.of("test-2").is_none());
}
