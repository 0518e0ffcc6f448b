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
paid='"usage": {"input_tokens": 700, "usd": 0.1}'
case "$turn" in
  designer.*) printf '{"notes": "n", "artifact": {"mime": "text/html", "content": "<h1>v%s</h1>"}, %s}' "$TRIBUNAL_ROUND" "$paid" ;;
  critic.1) echo '{"score": 6, "dims": [{"name": "contrast", "score": 4, "note": "3.9:1"}], "must_fix": ["Darken it."], '"$paid"'}' ;;
  brand.1) echo '{"score": 7, "must_fix": ["Use our grey."], '"$paid"'}' ;;
  *.1) echo '{"score": 6, "must_fix": [], '"$paid"'}' ;;
  *) echo '{"score": 9, "must_fix": [], '"$paid"'}' ;;
esac
