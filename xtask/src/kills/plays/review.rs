//! A review that asks for changes three times.

use super::Play;
use crate::kills::scene::Shape;

pub(super) const PLAY: Play = Play {
    name: "review",
    start: &["run"],
    config: "[run]\nloop = \"review\"\nbrief = \"Describe the calculator.\"\n[review]\nassets = [\"description\"]\n\
             max_iterations = 9\n",
    files: &[],
    change: &[],
    agents: &[("creator", CREATOR), ("reviewer", REVIEWER)],
    views: &["copy", "state.json"],
    calls: 8,
    at_once: 1,
    shapes: &[Shape::Repository, Shape::Plain],
    is_served: true,
};

const CREATOR: &str = r#"sleep 0.0$(( $$ % 4 ))
printf '{"done": true, "candidate": {"content": "Draft %s of the description.", "format": "plain"}}' "$TRIBUNAL_ROUND"
"#;
const REVIEWER: &str = r#"sleep 0.0$(( $$ % 4 ))
case $TRIBUNAL_ROUND in
4) printf '{"verdict": "ok"}' ;;
*) printf '{"verdict": "changes_requested", "issues": [{"message": "say more about %s", "code": "c%s"}]}' "$TRIBUNAL_ROUND" "$TRIBUNAL_ROUND" ;;
esac
"#;
