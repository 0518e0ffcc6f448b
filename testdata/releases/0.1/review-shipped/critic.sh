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
case "$turn" in
  reviewer.1) printf '{"verdict": "changes_requested", "summary": "Too short.", "issues": [{"message": "Say when.", "code": "when"}]}' ;;
  *) printf '{"verdict": "ok", "summary": "Good."}' ;;
esac
