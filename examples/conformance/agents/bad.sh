#!/bin/sh
# Breaks the protocol in a way that depends on the brief: cut off, other tags, nothing that passes, tags of its own.
prompt=$(cat)

case "$TRIBUNAL_TASK" in
  perform) ;;
  plain | draft)
    printf '{"artifact": {"mime": "text/html", "content": "<h1>Bread, after all</h1>"}}\n'
    exit ;;
  *)
    echo pong
    exit ;;
esac

draft='<PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<h1>Bread</h1>]]></ARTIFACT></PANELIST>'
judges() { for role in critic brand a11y copy; do printf '<PANELIST role="%s" score="%s">%s</PANELIST>' "$role" "$1" "$2"; done; }

case "$prompt" in
  *"Artifact: long-design"* | *"Artifact: terse-voice"* | *"Artifact: high-a11y"*)
    echo '<REVIEW><STEP>I looked at it, and it is good.</STEP></REVIEW>' ;;
  *"Artifact: must-fix-chain"* | *"Artifact: brand-collision"* | *"Artifact: japanese"*)
    printf '<CRITIQUE_RUN version="1"><ROUND n="1">%s' "$draft"
    judges 5 '<MUST_FIX>Everything.</MUST_FIX>'
    echo '<ROUND_END n="1" decision="continue"></ROUND_END></ROUND></CRITIQUE_RUN>' ;;
  *"Artifact: three-round-grind"*)
    printf '<CRITIQUE_RUN version="1"><ROUND n="1">%s' "$draft"
    judges 9 '<MOOD>sure</MOOD>'
    echo '<ROUND_END n="1" decision="ship"></ROUND_END></ROUND><SHIP round="1"></SHIP></CRITIQUE_RUN>' ;;
  *)
    printf '<CRITIQUE_RUN version="1"><ROUND n="1"><PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<h1>Bre' ;;
esac
