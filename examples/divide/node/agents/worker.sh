#!/bin/sh
# A worker: writes the code of the story, claims it, and leaves a memory for the next one.
# The prompt is on stdin; the paths of the files are in the environment.
cat > /dev/null

cat > calc.js <<'CODE'
exports.add = (a, b) => a + b;

exports.divide = (a, b) => {
  if (b === 0) throw new RangeError("cannot divide by zero");
  return a / b;
};
CODE
printf '# divide - Campaign Memory\n\n## Stop Status\nverify\n\n## Next Iteration Contract\nNothing is left to do\n' > "$TRIBUNAL_MEMORY"
printf '# divide - Latest Context\n\n### Completed\nUS-001: divide\n' > "$TRIBUNAL_CONTEXT"
printf '{"summary": "divide is there", "stories_completed": ["US-001"], "evidence": {}}' > "$TRIBUNAL_CLAIM"
