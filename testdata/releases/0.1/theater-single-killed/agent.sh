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
panelist() { printf '<PANELIST role="%s" score="%s">%s</PANELIST>\n' "$1" "$2" "$3"; }
draft() { printf '<PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<h1>v%s</h1>]]></ARTIFACT></PANELIST>\n' "$1"; }
echo 'Let me think. <CRITIQUE_RUN version="1"><ROUND n="1">'
draft 1
panelist critic 6 '<DIM name="contrast" score="4">3.9:1</DIM><MUST_FIX>Darken it.</MUST_FIX>'
panelist brand 7 '<MUST_FIX>Use our grey.</MUST_FIX>'
panelist a11y 6 ''
panelist copy 6 ''
echo '<ROUND_END n="1" composite="6.2" decision="continue"></ROUND_END></ROUND><ROUND n="2">'
held "$TRIBUNAL_SEAT"
draft 2
for role in critic brand a11y copy; do panelist $role 9 ''; done
echo '<ROUND_END n="2" decision="ship"></ROUND_END></ROUND>'
echo '<SHIP round="2" composite="9"><SUMMARY>Done.</SUMMARY></SHIP></CRITIQUE_RUN>'
