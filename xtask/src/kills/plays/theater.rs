//! A page and four judges, who are content with the third one.

use super::Play;
use crate::kills::scene::Shape;

pub(super) const PLAY: Play = Play {
    name: "theater",
    start: &["run"],
    config: "[run]\nloop = \"theater\"\nbrief = \"A page about lamps.\"\n[theater]\npanel = \"seats\"\nmax_rounds = 4\n",
    files: &[],
    change: &[],
    agents: &[("designer", DESIGNER), ("critic", JUDGE), ("brand", JUDGE), ("a11y", JUDGE), ("copy", JUDGE)],
    views: &[],
    calls: 15,
    at_once: 4,
    shapes: &[Shape::Repository, Shape::Plain],
    is_served: true,
};

const DESIGNER: &str = r#"sleep 0.0$(( $$ % 4 ))
page='<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Lamps</title></head><body><main><h1>Lamps</h1>'
printf '{"notes": "n", "artifact": {"mime": "text/html", "content": "%s<p>Lamp %s is made by hand.</p></main></body></html>"}}' \
  "$page" "$TRIBUNAL_ROUND"
"#;
const JUDGE: &str = r#"sleep 0.0$(( $$ % 4 ))
case $TRIBUNAL_ROUND in
3) echo '{"score": 9, "must_fix": []}' ;;
*) printf '{"score": 6, "must_fix": ["Say more than %s."]}' "$TRIBUNAL_ROUND" ;;
esac
"#;
