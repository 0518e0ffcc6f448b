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
case "$prompt" in *"Mention the cost."*) cost='\n## Cost\n\nLow.\n' ;; *) cost= ;; esac
held "$TRIBUNAL_SEAT.$TRIBUNAL_TASK"
case "$TRIBUNAL_TASK" in
  bootstrap) printf '%s' '{"draft": "# Plan\n"}' ;;
  joust)
    if [ "$(grep -c joust "$root/calls/skeptic")" = 1 ]; then printf '%s' '{"draft": "# Plan\n\nWorse."}'
    else printf '%s' '{"draft": "# Plan\n\n## Risks\n\nNone.\n'"$cost"'", "critique": "It said nothing of risks."}'; fi ;;
  polish) printf '%s' '{"draft": "# Plan\n\n## Risks\n\nNone known.\n'"$cost"'"}' ;;
  *) printf '%s' '{"violations": []}' ;;
esac
