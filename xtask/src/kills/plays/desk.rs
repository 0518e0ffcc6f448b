//! Three stories at a desk, one of which fails first.

use super::Play;
use crate::kills::scene::Shape;

pub(super) const PLAY: Play = Play {
    name: "desk",
    start: &["desk", "run", "calc"],
    config: "[run]\nloop = \"desk\"\n[desk]\nslug = \"calc\"\nmax_iter = 8\nmutants = \"off\"\n",
    files: &[
        ("test_add.sh", TEST_ADD),
        ("test_sub.sh", TEST_SUB),
        ("test_mul.sh", TEST_MUL),
        (".tribunal/desk/plans/prd-calc.md", PRD),
        (".tribunal/desk/plans/test-spec-calc.md", SPEC),
        (".tribunal/desk/prompts/calc.worker.prompt.md", "You are the worker.\n"),
        (".tribunal/desk/prompts/calc.verifier.prompt.md", "You are the verifier.\n"),
        (".tribunal/desk/memos/calc-memory.md", MEMORY),
        (".tribunal/desk/context/calc-latest.md", "nothing yet\n"),
    ],
    change: &[],
    agents: &[("worker", WORKER), ("verifier", VERIFIER)],
    views: &[],
    calls: 9,
    at_once: 1,
    shapes: &Shape::ALL,
    is_served: false,
};

const TEST_ADD: &str =
    "echo 1..1\n[ \"$(sh add.sh 2 3 2> /dev/null)\" = 5 ] && echo 'ok 1 - add' || { echo 'not ok 1 - add'; exit 1; }\n";
const TEST_SUB: &str =
    "echo 1..1\n[ \"$(sh sub.sh 7 4 2> /dev/null)\" = 3 ] && echo 'ok 1 - sub' || { echo 'not ok 1 - sub'; exit 1; }\n";
const TEST_MUL: &str =
    "echo 1..1\n[ \"$(sh mul.sh 2 4 2> /dev/null)\" = 8 ] && echo 'ok 1 - mul' || { echo 'not ok 1 - mul'; exit 1; }\n";
const MEMORY: &str = "## Stop Status\ncontinue\n\n## Next Iteration Contract\nBegin\n";
/// So many files are written one by one.
pub(in crate::kills) const MANY: u32 = 30;

const PRD: &str = "# PRD\n\n### US-001: Add\n- `add.sh` adds\n\n### US-002: Subtract\n- `sub.sh` subtracts\n\n\
                   ### US-003: Multiply\n- `mul.sh` multiplies\n";
const SPEC: &str = "## Verification Commands\n### Test\n```sh\nsh test_add.sh\nsh test_sub.sh\nsh test_mul.sh\n```\n\n\
                    ## Criteria → Verification Mapping\n| Criterion | Method | Command |\n|---|---|---|\n\
                    | US-001 AC1: `add.sh` adds | automated | `sh test_add.sh` |\n\
                    | US-002 AC1: `sub.sh` subtracts | automated | `sh test_sub.sh` |\n\
                    | US-003 AC1: `mul.sh` multiplies | automated | `sh test_mul.sh` |\n";
/// One action an iteration: the second one fails, the fourth writes file by file, and the last claims the rest.
const WORKER: &str = r#"remember() {
  printf '# m\n\n## Stop Status\n%s\n\n## Next Iteration Contract\n%s\n' "$1" "$2" > "$TRIBUNAL_MEMORY"
  echo "after iteration $TRIBUNAL_ROUND: $2" > "$TRIBUNAL_CONTEXT"
}
claim() { printf '{"summary": "done", "stories_completed": ["%s"]}' "$1" > "$TRIBUNAL_CLAIM"; remember verify "after $1"; }
case $TRIBUNAL_ROUND in
1) mkdir -p docs; echo one > docs/one.md; git add -A 2> /dev/null; git commit -qm mine 2> /dev/null; remember continue "add" ;;
2) echo 'echo 4' > add.sh; claim US-001 ;;
3) echo 'echo $(($1 + $2))' > add.sh; claim US-001 ;;
4) mkdir -p many; n=0
   while [ $n -lt 30 ]; do echo $n > many/file$n; n=$((n + 1)); [ $((n % 10)) -ne 0 ] || sleep 0.02; done
   echo 'echo $(($1 - $2))' > sub.sh; claim US-002 ;;
*) echo 'echo $(($1 * $2))' > mul.sh; rm -f docs/one.md; claim US-003 ;;
esac
"#;
const VERIFIER: &str = r#"word=pass met=true then=continue
[ "$TRIBUNAL_ROUND" != 2 ] || { word=fail; met=false; }
[ "$TRIBUNAL_ROUND" != 5 ] || then=complete
result() { printf '{"criterion": "%s AC1", "met": %s, "evidence": "`%s`"}' "$1" "$met" "$2"; }
printf '{"verdict": "%s", "iteration": %s, "summary": "looked", "criteria_results": [%s, %s, %s], "issues": [], "recommended_state_transition": "%s", "next_iteration_contract": "go on"}' \
  "$word" "$TRIBUNAL_ROUND" "$(result US-001 'echo $(($1 + $2))')" "$(result US-002 'echo $(($1 - $2))')" \
  "$(result US-003 'echo $(($1 * $2))')" "$then" > "$TRIBUNAL_VERDICT"
"#;
