//! cargo test and cargo nextest.

use super::bench::{Bench, is_installed};

const LIB: &str = "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\npub fn half(a: u32) -> u32 {\n    a / 3\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n\n    #[test]\n    fn halves() {\n        assert_eq!(half(4), 2);\n    }\n}\n";
const IT: &str = "#[test]\nfn halves_outside() {\n    assert_eq!(calc::half(6), 3);\n}\n";
const MANIFEST: &str = "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";

fn bench() -> Bench {
    Bench::new(&[
        ("src/lib.rs", LIB),
        ("tests/it.rs", IT),
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n"),
    ])
}

fn fixed() -> String {
    LIB.replace("a / 3", "a / 2")
}

#[tokio::test]
async fn cargo_test_and_its_tricks() {
    if !is_installed("cargo", &["--version"]) {
        return;
    }
    let ignored = LIB.replace("#[test]\n    fn halves", concat!("#[test]\n    #[", "ignore]\n    fn halves"));
    let weakened = LIB.replace("assert_eq!(half(4), 2);", "half(4);");
    let exits = LIB.replace("    a / 3", "    std::process::exit(0 * a as i32)");
    bench()
        .table(
            "cargo test --offline -q",
            &[
                ("the fix", &[("src/lib.rs", Some(&fixed()))], "holds"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                (
                    "inline ignored, outer deleted",
                    &[("src/lib.rs", Some(&ignored)), ("tests/it.rs", None)],
                    "fails checks_tampered tests_changed",
                ),
                (
                    "both weakened",
                    &[("src/lib.rs", Some(&weakened)), ("tests/it.rs", Some("#[test]\nfn halves_outside() {}\n"))],
                    "fails checks_tampered tests_changed",
                ),
                (
                    "a runner that does nothing",
                    &[(".cargo/config.toml", Some("[target.'cfg(all())']\nrunner = \"true\"\n"))],
                    "fails checks_unreliable steering_touched",
                ),
                (
                    "tests that are not built",
                    &[
                        ("Cargo.toml", Some(&MANIFEST.replace("edition", "autotests = false\nedition"))),
                        ("src/lib.rs", Some(&weakened)),
                    ],
                    "fails checks_tampered tests_changed steering_touched tests_changed",
                ),
                ("exit forged", &[("src/lib.rs", Some(&exits))], "fails checks_unreliable"),
            ],
        )
        .await;
}

#[tokio::test]
async fn nextest_and_its_tricks() {
    if !is_installed("cargo", &["nextest", "--version"]) {
        return;
    }
    let exits = LIB.replace("    a / 3", "    std::process::exit(0 * a as i32)");
    bench()
        .table(
            "cargo nextest run --offline",
            &[
                ("the fix", &[("src/lib.rs", Some(&fixed()))], "holds"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                (
                    "a filter in its configuration",
                    &[(".config/nextest.toml", Some("[profile.default]\ndefault-filter = 'test(adds)'\n"))],
                    "fails checks_tampered steering_touched",
                ),
                ("exit forged", &[("src/lib.rs", Some(&exits))], "fails checks_unreliable"),
            ],
        )
        .await;
}
