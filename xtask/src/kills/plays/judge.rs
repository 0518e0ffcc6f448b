//! A change that holds, and somebody who reads whether it does what it is asked to.

use super::Play;
use crate::kills::scene::Shape;

pub(super) const PLAY: Play = Play {
    name: "judge",
    start: &["judge", "--check", "sh test_add.sh", "--mutants", "0", "--spec", "spec.md"],
    config: "",
    files: &[
        ("add.sh", "echo 4\n"),
        ("test_add.sh", "[ \"$(sh add.sh 2 3)\" = 5 ] || exit 1\n"),
        ("spec.md", "# Sums\n\n- it adds what it is given\n"),
    ],
    change: &[("add.sh", "echo $(($1 + $2))\n")],
    agents: &[("verifier", VERIFIER)],
    views: &[],
    calls: 1,
    at_once: 1,
    shapes: &[Shape::Repository, Shape::Linked],
    is_served: false,
};

const VERIFIER: &str = r#"sleep 0.2
printf '{"ballot": [{"id": "R1", "says": "met", "quote": "echo $(($1 + $2))"}]}'
"#;
