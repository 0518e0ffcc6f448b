//! Two editors rewrite a plan under an anchor that needs a look, and a linter looks.

use super::Play;
use crate::kills::scene::Shape;

pub(super) const PLAY: Play = Play {
    name: "joust",
    start: &["run"],
    config: "[run]\nloop = \"joust\"\nbrief = \"Write the plan.\"\nanchor = \"anchor.toml\"\n\
             [joust]\nname = \"plan\"\njousters = [\"skeptic\", \"editor\"]\nlinters = [\"linter\"]\nmax_rounds = 2\n",
    files: &[("anchor.toml", ANCHOR)],
    change: &[],
    agents: &[("main", EDITOR), ("skeptic", EDITOR), ("editor", EDITOR), ("linter", LINTER)],
    views: &[],
    calls: 9,
    at_once: 2,
    shapes: &[Shape::Repository, Shape::Plain],
    is_served: true,
};

const ANCHOR: &str = "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"(?m)^## Risks$\", rule = \"risks\" }, \
                      \"says when the office moves\"]\n";
/// The first rewrite of the skeptic forgets the risks and is sent back.
const EDITOR: &str = r##"sleep 0.0$(( $$ % 4 ))
risks='\n\n## Risks\n\nRain.'
case $TRIBUNAL_SEAT.$TRIBUNAL_ROUND.$PROMPT in *"nothing matches"*) ;; skeptic.1.*) risks= ;; esac
printf '{"draft": "# Plan\\n\\nWe move in June, say %s and round %s.%s\\n", "critique": "Better."}' \
  "$TRIBUNAL_SEAT" "$TRIBUNAL_ROUND" "$(printf '%s' "$risks")"
"##;
const LINTER: &str = r#"sleep 0.0$(( $$ % 4 ))
printf '{"ballot": [{"id": "R1", "says": "met", "quote": "We move in June"}]}'
"#;
