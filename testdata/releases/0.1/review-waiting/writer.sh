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
case "$prompt" in *"Name the street."*) street=" in Mill Lane" ;; *) street= ;; esac
case "$turn" in
  creator.1) printf '{"done": false, "candidate": {"content": "Bread.", "format": "plain"}}' ;;
  *) printf '{"done": true, "candidate": {"content": "Fresh bread every day%s.", "format": "plain"}}' "$street" ;;
esac
