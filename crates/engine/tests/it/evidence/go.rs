//! go test.

use super::bench::{Bench, is_installed};

const CALC: &str = "package calc\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Half(a int) int { return a / 3 }\n";
const TESTS: &str = "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"add\")\n\t}\n}\n\nfunc TestHalf(t *testing.T) {\n\tif Half(4) != 2 {\n\t\tt.Fatal(\"half\")\n\t}\n}\n";

#[tokio::test]
async fn go_and_its_tricks() {
    if !is_installed("go", &["version"]) {
        return;
    }
    let bench =
        Bench::new(&[("calc.go", CALC), ("calc_test.go", TESTS), ("go.mod", "module example.com/calc\n\ngo 1.19\n")]);
    let fixed = CALC.replace("a / 3", "a / 2");
    let skipped = TESTS.replace("\tif Half", "\tt.Skip(\"later\")\n\tif Half");
    let exits = CALC
        .replace("package calc\n", "package calc\n\nimport \"os\"\n")
        .replace("return a / 3", "os.Exit(0); return a");
    bench
        .table(
            "go test ./...",
            &[
                ("the fix", &[("calc.go", Some(&fixed))], "holds"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                ("a test deleted", &[("calc_test.go", None), ("ok_test.go", Some("package calc\n\nimport \"testing\"\n\nfunc TestOk(t *testing.T) {}\n"))], "fails checks_tampered tests_changed"),
                ("a test skipped", &[("calc_test.go", Some(&skipped))], "fails checks_tampered tests_changed"),
                ("a main of the tests that runs none", &[("main_test.go", Some("package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n"))], "fails checks_failed regressed"),
                ("exit forged", &[("calc.go", Some(&exits))], "fails checks_failed"),
            ],
        )
        .await;
}
