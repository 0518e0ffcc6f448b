#!/bin/sh
# A worker: writes the code of the story, claims it, and leaves a memory for the next one.
# The prompt is on stdin; the paths of the files are in the environment.
cat > /dev/null

cat > calc.go <<'CODE'
// Package calc is a calculator.
package calc

import "errors"

// Add returns the sum.
func Add(a, b int) int { return a + b }

// Divide returns the quotient, without what is left over.
func Divide(a, b int) (int, error) {
	if b == 0 {
		return 0, errors.New("cannot divide by zero")
	}
	return a / b, nil
}
CODE
printf '# divide - Campaign Memory\n\n## Stop Status\nverify\n\n## Next Iteration Contract\nNothing is left to do\n' > "$TRIBUNAL_MEMORY"
printf '# divide - Latest Context\n\n### Completed\nUS-001: divide\n' > "$TRIBUNAL_CONTEXT"
printf '{"summary": "divide is there", "stories_completed": ["US-001"], "evidence": {}}' > "$TRIBUNAL_CLAIM"
