#!/bin/sh
# A verifier: looks for itself, in a clean checkout that it cannot change, and writes a verdict.
cat > /dev/null

verdict=fail transition=continue met=false
if grep -q 'checked_div' src/lib.rs; then
    verdict=pass transition=complete met=true
fi
cat > "$TRIBUNAL_VERDICT" <<VERDICT
{
  "verdict": "$verdict", "iteration": $TRIBUNAL_ROUND,
  "summary": "looked at the code and at the receipts",
  "criteria_results": [
    {"criterion": "US-001 AC1", "met": $met, "evidence": "src/lib.rs divides, and its test was red before"},
    {"criterion": "US-001 AC2", "met": $met, "evidence": "\`checked_div\` in src/lib.rs"}
  ],
  "recommended_state_transition": "$transition",
  "next_iteration_contract": "Make divide work"
}
VERDICT
