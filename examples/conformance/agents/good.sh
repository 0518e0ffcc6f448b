#!/bin/sh
# Keeps to the protocol: judges who disagree, drafts that settle what was demanded, and a round that passes.
prompt=$(cat)
page='<!doctype html><html lang="en"><title>Bread</title><h1>Bread from seven</h1><p>We bake at four.</p></html>'

case "$TRIBUNAL_TASK" in
  perform) ;;
  plain | draft)
    printf '{"artifact": {"mime": "text/html", "content": "<h1>Bread from seven</h1>"}}\n'
    exit ;;
  *)
    echo pong
    exit ;;
esac

case "$prompt" in
  *"Artifact: three-round-grind"*) last=3 ;;
  *) last=2 ;;
esac

judge() { printf '<PANELIST role="%s" score="%s" must_fix="%s"><DIM name="whole" score="%s">seen</DIM>%s</PANELIST>\n' "$1" "$2" "$3" "$2" "$4"; }

echo '<CRITIQUE_RUN version="1">'
round=1
while [ "$round" -le "$last" ]; do
  printf '<ROUND n="%s"><PANELIST role="designer"><NOTES>Draft %s.</NOTES>' "$round" "$round"
  printf '<ARTIFACT mime="text/html"><![CDATA[%s]]></ARTIFACT></PANELIST>\n' "$page"
  if [ "$round" -lt "$last" ]; then
    judge critic 6 1 "<MUST_FIX>Make the heading larger than in draft $round.</MUST_FIX>"
    judge brand 7 1 "<MUST_FIX>Use the accent colour of draft $round once.</MUST_FIX>"
    judge a11y 6.5 1 "<MUST_FIX>Declare what language draft $round is in.</MUST_FIX>"
    judge copy 7 1 "<MUST_FIX>Say in draft $round when the shop closes.</MUST_FIX>"
    decision=continue
  else
    for role in critic brand a11y copy; do judge $role 9.5 0 ''; done
    decision=ship
  fi
  printf '<ROUND_END n="%s" decision="%s"><REASON>Round %s is judged.</REASON></ROUND_END></ROUND>\n' "$round" "$decision" "$round"
  round=$((round + 1))
done
printf '<SHIP round="%s" status="shipped"><ARTIFACT mime="text/html"><![CDATA[%s]]></ARTIFACT><SUMMARY>It holds.</SUMMARY></SHIP>\n' "$last" "$page"
echo '</CRITIQUE_RUN>'
