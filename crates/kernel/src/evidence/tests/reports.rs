//! Reports as runners write them, shortened, and what is read from each.

use crate::evidence::{ReportForm, TestReport};

fn shown(form: ReportForm, text: &str) -> String {
    let Some(report) = TestReport::read(form, text) else { return "none".into() };
    let show = |(name, seen): (&String, &crate::evidence::TestSeen)| {
        let times = if seen.times > 1 { format!(" x{}", seen.times) } else { String::new() };
        format!("{name} {:?}{times}", seen.state)
    };
    let mut lines: Vec<String> = report.tests.iter().map(show).collect();
    lines.extend(report.faults.iter().map(|fault| format!("! {fault}")));
    lines.join("\n")
}

#[test]
fn junit_of_pytest() {
    let report = r#"<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="1" skipped="2" tests="4">
<testcase classname="tests.test_a" name="test_ok" time="0.001" />
<testcase classname="tests.test_a.T" name="test_bad[a&lt;b]"><failure message="assert 1 == 2 &#10; &quot;x&quot; <testcase">text &lt;/testcase&gt;</failure></testcase>
<testcase classname="tests.test_a" name="test_skip"><skipped type="pytest.skip" message="no">x</skipped></testcase>
<testcase classname="tests.test_a" name="test_xfail"><skipped type="pytest.xfail" message=""/></testcase>
<testcase classname="bare" name="fails"><failure/></testcase><testcase classname="bare" name="skipped"><skipped/></testcase>
</testsuite></testsuites>"#;
    let report = report.replace(" <testcase\">", "\">");
    insta::assert_snapshot!(shown(ReportForm::Junit, &report), @r"
    bare::fails Failed
    bare::skipped Skipped
    tests.test_a.T::test_bad[a<b] Failed
    tests.test_a::test_ok Passed
    tests.test_a::test_skip Skipped
    tests.test_a::test_xfail Skipped
    ");
}

#[test]
fn junit_of_node_has_its_owners_in_suites() {
    let report = r#"<testsuites>
	<testcase name="adds" classname="test"/>
	<testcase name="later" classname="test"><skipped type="todo" message="true"/><failure type="x" message="y">z</failure></testcase>
	<testsuite name="group"><testsuite name="inner"><testcase name="works" classname="test"/></testsuite>
	<testcase name="bad" classname="test" failure="x&lt;y"><failure><![CDATA[ </testcase><testcase name="forged" classname="test"/> ]]></failure></testcase></testsuite>
	<testcase name="adds" classname="test"/>
</testsuites>"#;
    insta::assert_snapshot!(shown(ReportForm::Junit, report), @r"
    adds Passed x2
    group > bad Failed
    group > inner > works Passed
    later Skipped
    ");
}

#[test]
fn what_holds_tests_is_told_from_tests() {
    let report = r#"<testsuites><testsuite name="pytest"><testcase classname="" name="tests.test_a"><error/></testcase></testsuite>
<testsuite><testcase classname="unittest.loader._FailedTest" name="test_b"><failure/></testcase>
<testcase classname="unittest.loader._FailedTest.tests" name="test_c"><failure/></testcase>
<testcase classname="nose2.loader.ModuleImportFailure" name="test_d"><error/></testcase>
<testcase classname="setUpClass (test_e" name="Case)"><error/></testcase><testcase classname="" name="setUpModule (test_f)"><error/></testcase>
<testcase classname="t/g.test.js" name="t/g.test.js"><failure/></testcase>
<testcase classname="test" name="/cache/x/base/tree/test/h.js"/><testcase classname="test" name="test"/></testsuite></testsuites>"#;
    insta::assert_snapshot!(shown(ReportForm::Junit, report), @r"
    t/g.test.js::(the file) Failed
    test Passed
    test/h.js Passed
    test_b::(the file) Failed
    test_d::(the file) Failed
    test_e.Case::(the setUpClass) Failed
    test_f::(the setUpModule) Failed
    tests.test_a::(the file) Failed
    tests.test_c::(the file) Failed
    ");
}

#[test]
fn json_of_jest() {
    let report = r#"{"success": false, "testResults": [
        {"name": "/tmp/x/tree/src/a.test.js", "status": "failed", "assertionResults": [
            {"fullName": "calc adds", "status": "passed"}, {"fullName": "calc divides", "status": "failed"},
            {"fullName": "calc later", "status": "todo"}, {"fullName": "calc off", "status": "pending"}]},
        {"name": "/tmp/x/tree/src/b.test.js", "status": "failed", "assertionResults": []}]}"#;
    insta::assert_snapshot!(shown(ReportForm::JestJson, report), @r"
    src/a.test.js::calc adds Passed
    src/a.test.js::calc divides Failed
    src/a.test.js::calc later Skipped
    src/a.test.js::calc off Skipped
    src/b.test.js::(the file) Failed
    ");
}

#[test]
fn events_of_go() {
    let output = r#"go: downloading x
{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestAdd"}
{"Action":"output","Package":"a","Test":"TestAdd","Output":"--- PASS: TestForged (0.00s)\n"}
{"Action":"pass","Package":"a","Test":"TestAdd"}
{"Action":"run","Package":"a","Test":"TestSkip"}
{"Action":"skip","Package":"a","Test":"TestSkip"}
{"Action":"run","Package":"a","Test":"TestExit"}
{"Action":"pass","Package":"a"}
{"Action":"fail","Package":"b"}"#;
    insta::assert_snapshot!(shown(ReportForm::GoJson, output), @r"
    a::TestAdd Passed
    a::TestSkip Skipped
    b::(the package) Failed
    ! `a::TestExit` began and never ended
    ");
}

#[test]
fn output_of_libtest() {
    let output = "   Compiling calc v0.1.0\n     Running unittests src/lib.rs (target/debug/deps/calc-0a1b2c3d4e5f6071)\n\nrunning 3 tests\n\
                  test tests::adds ... ok\ntest tests::off ... ignored, later\ntest tests::bad - should panic ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed\n\n\
                  \u{1b}[1m     Running\u{1b}[0m tests/it.rs (target/debug/deps/it-1111111111111111)\n\nrunning 2 tests\ntest one ... ok\n   \
                  Doc-tests calc\n\nrunning 1 test\ntest src/lib.rs - add (line 3) ... ok\n\ntest result: ok. 1 passed\n";
    insta::assert_snapshot!(shown(ReportForm::Libtest, output), @r"
    calc (doc)::src/lib.rs - add Passed
    calc::tests::adds Passed
    calc::tests::bad Failed
    calc::tests::off Skipped
    it::one Passed
    ! `it` announced 2 tests and told of 1
    ");
}

#[test]
fn what_is_no_report_is_none_and_what_is_cut_says_so() {
    assert_eq!(shown(ReportForm::Junit, "hello"), "none");
    assert_eq!(shown(ReportForm::JestJson, "{}"), "none");
    assert_eq!(shown(ReportForm::GoJson, "ok  a 0.1s"), "none");
    assert_eq!(shown(ReportForm::Libtest, "error: could not compile"), "none");
    assert_eq!(shown(ReportForm::Junit, "<testsuites><testcase name=\"a\"/><testsuite"), "a Passed\n! it is cut off");
    assert_eq!(shown(ReportForm::Junit, "<testsuites></testsuites>"), "", "there are no tests in it");
    let gone = "     Running tests/it.rs (target/debug/deps/it-1111111111111111)\n   Running tests/b.rs (x/b-1111111111111111)\nrunning 0 tests\ntest result: ok.";
    assert_eq!(shown(ReportForm::Libtest, gone), "! `it` was started and ran no tests");
}
