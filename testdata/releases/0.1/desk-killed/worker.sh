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
case "$TRIBUNAL_ROUND" in
  1) echo 'echo 4' > calc.sh ;;
  *) echo 'echo $(($1 + $2))' > calc.sh ;;
esac
held "$turn"
printf '{"summary": "done", "stories_completed": ["US-001", "US-002"]}' > "$TRIBUNAL_CLAIM"
printf '# m\n\n## Stop Status\nverify\n\n## Next Iteration Contract\nnothing\n' > "$TRIBUNAL_MEMORY"
echo "iteration $TRIBUNAL_ROUND" > "$TRIBUNAL_CONTEXT"
