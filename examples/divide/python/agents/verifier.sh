#!/bin/sh
# A verifier: looks for itself, in a clean checkout that it cannot change, and writes a verdict.
cat > /dev/null

verdict=fail transition=continue met=false
if grep -q 'raise ValueError' calc.py; then
    verdict=pass transition=complete met=true
fi
cat > "$TRIBUNAL_VERDICT" <<VERDICT
{
  "verdict": "$verdict", "iteration": $TRIBUNAL_ROUND,
  "summary": "looked at the code and at the receipts",
  "criteria_results": [
    {"criterion": "US-001 AC1", "met": $met, "evidence": "calc.py divides, and its test was red before"},
    {"criterion": "US-001 AC2", "met": $met, "evidence": "\`raise ValueError\` in calc.py"}
  ],
  "recommended_state_transition": "$transition",
  "next_iteration_contract": "Make divide work"
}
VERDICT
