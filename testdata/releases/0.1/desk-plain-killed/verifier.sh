#!/bin/sh
root=$(cd "$(dirname "$0")" && pwd)
prompt=$(cat)
turn=$TRIBUNAL_SEAT.$TRIBUNAL_ROUND
echo "$TRIBUNAL_ROUND $TRIBUNAL_TASK" >> "$root/calls/$TRIBUNAL_SEAT"
held() {
  if [ "$(cat "$root/hold" 2> /dev/null)" = "$1" ] && [ ! -e "$root/calls/go" ]; then
    touch "$root/calls/here"
    while [ ! -e "$root/calls/go" ]; do sleep 0.05; done
  fi
}
held "$turn"
if [ "$(sh calc.sh 2 3)" = 5 ]; then set -- pass true complete; else set -- fail false continue; fi
printf '{"verdict": "%s", "iteration": %s, "summary": "looked", "criteria_results": [{"criterion": "it adds", "met": %s, "evidence": "seen"}], "issues": [], "recommended_state_transition": "%s", "next_iteration_contract": "fix it"}' \
  "$1" "$TRIBUNAL_ROUND" "$2" "$3" > "$TRIBUNAL_VERDICT"
