#!/bin/sh
# Makes the fixtures of one release: projects as that release left them, in every state that matters.
#
#   make.sh BINARY FOLDER
#
# The projects are made under /home/dana, which must not exist, and copied to FOLDER. A log names the folder it was
# made in, and that one is not there where the tests run: the project has moved.
set -eu

binary=$(realpath "$1")
folder=$(mkdir -p "$2" && realpath "$2")
home=/home/dana
unset TRIBUNAL_CONFIG
export USER=dana GIT_AUTHOR_NAME=dana GIT_AUTHOR_EMAIL=dana@example.org GIT_COMMITTER_NAME=dana \
  GIT_COMMITTER_EMAIL=dana@example.org

if [ -e "$home" ]; then
  echo "$home is there already" >&2
  exit 1
fi
trap 'rm -rf "$home"' EXIT

# ---------------------------------------------------------------------------------------------- what all of them need

tribunal() { "$binary" "$@"; }

# Ends unless a command ended with this code.
ends_with() { # CODE COMMAND…
  wanted=$1
  shift
  code=0
  "$@" > "$home/output" 2>&1 || code=$?
  if [ "$code" != "$wanted" ]; then
    echo "$name: \`$*\` ended with $code instead of $wanted" >&2
    cat "$home/output" >&2
    exit 1
  fi
}

begin() { # NAME
  name=$1
  mkdir -p "$home/$name/calls"
  cd "$home/$name"
}

# Starts a run that comes to the turn in `hold`, and waits until it is there.
start() { # COMMAND…
  "$@" > "$home/output" 2>&1 &
  leader=$!
  tries=0
  until [ -e calls/here ]; do
    tries=$((tries + 1))
    if [ $tries -gt 600 ] || ! kill -0 $leader; then
      echo "$name: the run never came to its hold" >&2
      cat "$home/output" >&2
      exit 1
    fi
    sleep 0.1
  done
  sleep 1 # what was said before is durable now
}

killed() {
  kill -9 $leader
  wait $leader 2> /dev/null || true
}

interrupted() {
  ends_with 0 tribunal interrupt
  wait $leader || [ $? = 130 ]
}

# Copies the project as it stands; then nobody holds anything any more.
finish() {
  rm -f calls/here
  rm -rf "$folder/$name"
  cp -a "$home/$name" "$folder/$name"
  touch calls/go
  cd "$folder/$name"
  # Views for lists, locks, and tickets of processes that are gone.
  find . \( -name 'index.sqlite*' -o -name lock -o -name workspace.lock -o -name '*.lock' -o -name server.json \) -delete
  rm -rf .tribunal/queue .git/hooks
  # A repository cannot hold another one.
  find . -depth -name .git -exec sh -c 'mv "$1" "$(dirname "$1")/dot-git"' - {} \;
  cd "$home"
  echo "$name"
}

# What every stand-in begins with: it counts its calls, and waits in the turn that `hold` names.
script() { # FILE
  {
    cat << 'HEAD'
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
HEAD
    cat
  } > "$1"
  chmod +x "$1"
}

# -------------------------------------------------------------------------------------------------------------- review

review() { # NAME REVIEWER
  begin "$1"
  echo 'Describe the bakery in one sentence.' > brief.md
  cat > tribunal.toml << EOF_TOML
[run]
loop = "review"
brief = "brief.md"
[review]
asset = "description"
max_iterations = 2
[agents.writer]
kind = "command"
command = ["./writer.sh"]
[agents.critic]
kind = $2
[agents.kind]
kind = "command"
command = ["./kind.sh"]
[seats.creator]
agent = "writer"
[seats.reviewer]
agent = "critic"
[limits]
grace = "500ms"
EOF_TOML
  script writer.sh << 'AGENT'
held "$turn"
case "$prompt" in *"Name the street."*) street=" in Mill Lane" ;; *) street= ;; esac
case "$turn" in
  creator.1) printf '{"done": false, "candidate": {"content": "Bread.", "format": "plain"}}' ;;
  *) printf '{"done": true, "candidate": {"content": "Fresh bread every day%s.", "format": "plain"}}' "$street" ;;
esac
AGENT
  script critic.sh << 'AGENT'
held "$turn"
case "$turn" in
  reviewer.1) printf '{"verdict": "changes_requested", "summary": "Too short.", "issues": [{"message": "Say when.", "code": "when"}]}' ;;
  *) printf '{"verdict": "ok", "summary": "Good."}' ;;
esac
AGENT
  script kind.sh << 'AGENT'
printf '{"verdict": "ok", "summary": "Lovely."}'
AGENT
}
program='"command"
command = ["./critic.sh"]'

review review-shipped "$program"
ends_with 0 tribunal run
finish

review review-killed "$program"
echo reviewer.2 > hold
start tribunal run
killed
finish

review review-interrupted "$program"
echo creator.2 > hold
start tribunal run
interrupted
finish

review review-steered "$program"
echo reviewer.1 > hold
start tribunal run
ends_with 0 tribunal steer description 'Name the street.'
killed
finish

review review-forked "$program"
sed 's/"verdict": "ok"/"verdict": "changes_requested"/' critic.sh > strict.sh
chmod +x strict.sh
mv strict.sh critic.sh
ends_with 1 tribunal run
ends_with 0 tribunal fork --from-round 2 --seat reviewer=kind
finish

review review-waiting '"human"'
ends_with 1 tribunal run
finish

# --------------------------------------------------------------------------------------------------------------- joust

joust() { # NAME
  begin "$1"
  cat > tribunal.toml << 'EOF_TOML'
[run]
loop = "joust"
brief = "Write the plan of the oven."
[joust]
name = "plan"
jousters = ["skeptic"]
anchor = "anchor.toml"
max_rounds = 2
[agents.actor]
kind = "command"
command = ["./agent.sh"]
[agents.other]
kind = "command"
command = ["./agent.sh"]
[seats.main]
agent = "actor"
[seats.skeptic]
agent = "actor"
[limits]
grace = "500ms"
EOF_TOML
  cat > anchor.toml << 'EOF_TOML'
kind = "invariants"
MUST = [{ kind = "pattern", pattern = "(?m)^## Risks$", rule = "risks" }]
EOF_TOML
  cat > stricter.toml << 'EOF_TOML'
kind = "invariants"
MUST = [
  { kind = "pattern", pattern = "(?m)^## Risks$", rule = "risks" },
  { kind = "pattern", pattern = "(?m)^## Cost$", rule = "cost" },
]
EOF_TOML
  script agent.sh << 'AGENT'
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
AGENT
}

joust joust-converged
ends_with 0 tribunal run
finish

joust joust-killed
echo main.polish > hold
start tribunal run
killed
finish

joust joust-steered
echo skeptic.joust > hold
start tribunal run
ends_with 0 tribunal steer plan 'Mention the cost.'
ends_with 0 tribunal reanchor plan stricter.toml
interrupted
finish

# ------------------------------------------------------------------------------------------------------------- theater

theater() { # NAME PANEL LIMITS
  begin "$1"
  echo 'A page about bread.' > brief.md
  {
    cat << EOF_TOML
[run]
loop = "theater"
brief = "brief.md"
max_retries = 0
[theater]
panel = "$2"
[agents.actor]
kind = "command"
command = ["./agent.sh"]
reserve_usd = 0.1
[agents.other]
kind = "command"
command = ["./other.sh"]
reserve_usd = 0.1
EOF_TOML
    case "$2" in
      single) printf '[seats.panel]\nagent = "actor"\n' ;;
      *) for seat in designer critic brand a11y copy; do printf '[seats.%s]\nagent = "actor"\n' $seat; done ;;
    esac
    printf '[limits]\ngrace = "500ms"\n%s\n' "$3"
  } > tribunal.toml
}

seats() { # NAME [LIMITS]
  theater "$1" seats "${2:-}"
  script agent.sh << 'AGENT'
held "$turn"
paid='"usage": {"input_tokens": 700, "usd": 0.1}'
case "$turn" in
  designer.*) printf '{"notes": "n", "artifact": {"mime": "text/html", "content": "<h1>v%s</h1>"}, %s}' "$TRIBUNAL_ROUND" "$paid" ;;
  critic.1) echo '{"score": 6, "dims": [{"name": "contrast", "score": 4, "note": "3.9:1"}], "must_fix": ["Darken it."], '"$paid"'}' ;;
  brand.1) echo '{"score": 7, "must_fix": ["Use our grey."], '"$paid"'}' ;;
  *.1) echo '{"score": 6, "must_fix": [], '"$paid"'}' ;;
  *) echo '{"score": 9, "must_fix": [], '"$paid"'}' ;;
esac
AGENT
  script other.sh << 'AGENT'
held "other.$turn"
echo '{"score": 9, "must_fix": [], "usage": {"input_tokens": 700, "usd": 0.1}}'
AGENT
}

seats theater-seats-shipped
ends_with 0 tribunal run
finish

seats theater-seats-killed
echo designer.2 > hold
start tribunal run
killed
finish

seats theater-seats-interrupted
echo critic.2 > hold
start tribunal run
interrupted
finish

# The critic is never content; the other one is.
never_content() {
  sed 's/^  \*) echo/  critic.*) echo '"'"'{"score": 4, "must_fix": ["Darken it."]}'"'"' ;;\n&/' agent.sh > strict.sh
  chmod +x strict.sh
  mv strict.sh agent.sh
}

seats theater-seats-forked
never_content
ends_with 1 tribunal run
ends_with 0 tribunal fork --from-round 2 --seat critic=other
finish

seats theater-fork-killed
never_content
ends_with 1 tribunal run
echo other.critic.2 > hold
start tribunal fork --from-round 2 --seat critic=other
killed
finish

single() { # NAME
  theater "$1" single ''
  script agent.sh << 'AGENT'
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
AGENT
}

single theater-single-shipped
ends_with 0 tribunal run
finish

single theater-single-killed
echo panel > hold
start tribunal run
killed
finish

single theater-single-interrupted
echo panel > hold
start tribunal run
interrupted
finish

# A designer who asks a panel of its own, in a project of its own, which spends from the same account.
seats shared-account 'usd = 1.20'
sed 's/^held "$turn"$/if [ "$turn" = designer.1 ]; then "$root\/tribunal" -C "$root\/inner" run > "$root\/calls\/inner.txt" 2>\&1; fi\n&/' \
  agent.sh > outer.sh
chmod +x outer.sh
mkdir -p inner/calls
cp agent.sh other.sh brief.md inner
sed 's/^usd = .*/usd = 9.00/' tribunal.toml > inner/tribunal.toml
mv outer.sh agent.sh
printf '#!/bin/sh\nexec %s "$@"\n' "$binary" > tribunal
chmod +x tribunal
# The account of one run is given to what its turns start, but no turn of the inner run gets that far.
echo critic.1 > hold
start tribunal run
killed
rm tribunal
finish

# ---------------------------------------------------------------------------------------------------------------- desk

desk() { # NAME
  begin "$1"
  cat > tribunal.toml << 'EOF_TOML'
[run]
loop = "desk"
[desk]
slug = "calc"
max_iter = 4
writable = ["calls"]
[agents.worker]
kind = "command"
command = ["./worker.sh"]
[agents.verifier]
kind = "command"
command = ["./verifier.sh"]
[seats.worker]
agent = "worker"
[seats.verifier]
agent = "verifier"
[limits]
grace = "500ms"
EOF_TOML
  echo 'a calculator' > calc.txt
  cat > test_calc.sh << 'TEST'
echo 1..2
[ "$(sh calc.sh 2 3)" = 5 ] && echo 'ok 1' || { echo 'not ok 1'; bad=1; }
echo 'ok 2'
exit ${bad:-0}
TEST
  script worker.sh << 'AGENT'
case "$TRIBUNAL_ROUND" in
  1) echo 'echo 4' > calc.sh ;;
  *) echo 'echo $(($1 + $2))' > calc.sh ;;
esac
held "$turn"
printf '{"summary": "done", "stories_completed": ["US-001", "US-002"]}' > "$TRIBUNAL_CLAIM"
printf '# m\n\n## Stop Status\nverify\n\n## Next Iteration Contract\nnothing\n' > "$TRIBUNAL_MEMORY"
echo "iteration $TRIBUNAL_ROUND" > "$TRIBUNAL_CONTEXT"
AGENT
  script verifier.sh << 'AGENT'
held "$turn"
if [ "$(sh calc.sh 2 3)" = 5 ]; then set -- pass true complete; else set -- fail false continue; fi
printf '{"verdict": "%s", "iteration": %s, "summary": "looked", "criteria_results": [{"criterion": "it adds", "met": %s, "evidence": "seen"}], "issues": [], "recommended_state_transition": "%s", "next_iteration_contract": "fix it"}' \
  "$1" "$TRIBUNAL_ROUND" "$2" "$3" > "$TRIBUNAL_VERDICT"
AGENT
  mkdir -p .tribunal/desk/plans .tribunal/desk/prompts .tribunal/desk/memos .tribunal/desk/context
  printf '# PRD\n\n### US-001: Add\n- it adds\n\n### US-002: Divide\n- it divides\n' > .tribunal/desk/plans/prd-calc.md
  cat > .tribunal/desk/plans/test-spec-calc.md << 'SPEC'
## Verification Commands
### Test
```sh
sh test_calc.sh
```

## Criteria → Verification Mapping
| Criterion | Method | Command |
|---|---|---|
| US-001 AC1: it adds | automated | `sh test_calc.sh` |
SPEC
  echo 'You are the worker.' > .tribunal/desk/prompts/calc.worker.prompt.md
  echo 'You are the verifier.' > .tribunal/desk/prompts/calc.verifier.prompt.md
  printf '## Stop Status\ncontinue\n\n## Next Iteration Contract\nDo US-001\n' > .tribunal/desk/memos/calc-memory.md
  echo 'nothing yet' > .tribunal/desk/context/calc-latest.md
}

repository() {
  git init -q .
  git add calc.txt test_calc.sh
  git commit -qm first
}

desk desk-complete
repository
ends_with 0 tribunal desk run calc
finish

desk desk-killed
repository
echo verifier.2 > hold
start tribunal desk run calc
killed
finish

desk desk-interrupted
repository
echo worker.2 > hold
start tribunal desk run calc
interrupted
finish

desk desk-plain-killed
echo worker.2 > hold
start tribunal desk run calc
killed
finish
