#!/bin/sh
# A worker: writes the code of the story, claims it, and leaves a memory for the next one.
# The prompt is on stdin; the paths of the files are in the environment.
cat > /dev/null

cat > src/lib.rs <<'CODE'
//! A calculator.

pub fn add(a: i64, b: i64) -> i64 {
    a + b
}

pub fn divide(a: i64, b: i64) -> Option<i64> {
    a.checked_div(b)
}
CODE
printf '# divide - Campaign Memory\n\n## Stop Status\nverify\n\n## Next Iteration Contract\nNothing is left to do\n' > "$TRIBUNAL_MEMORY"
printf '# divide - Latest Context\n\n### Completed\nUS-001: divide\n' > "$TRIBUNAL_CONTEXT"
printf '{"summary": "divide is there", "stories_completed": ["US-001"], "evidence": {}}' > "$TRIBUNAL_CLAIM"
