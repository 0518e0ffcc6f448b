#!/bin/sh
# The reviewer. Measures the candidate against the demands of the brief; says ok only when nothing is wrong.
set -eu
. ./agents/prompt.sh # agents are started in the folder of tribunal.toml

text=$(section "the candidate")

# Every issue is a line: code, a tab, message.
issue() { printf '%s\t%s\n' "$1" "$2"; }

check_heading() {
    demands heading | while IFS= read -r heading; do
        first=$(printf '%s\n' "$text" | sed 1q)
        [ "$first" = "$heading" ] || issue no_heading "The first line must be the heading \"$heading\"."
    done
}

check_length() {
    most=$(most_words)
    words=$(printf '%s\n' "$text" | count_words)
    if [ -n "$most" ] && [ "$words" -gt "$most" ]; then
        issue too_long "The text has $words words; at most $most are allowed."
    fi
}

check_mentions() {
    demands mention | while IFS= read -r phrase; do
        printf '%s\n' "$text" | grep -qF -- "$phrase" || issue not_mentioned "The text does not mention \"$phrase\"."
    done
}

check_filler() {
    demands never | sed 's/, */\
/g' | while IFS= read -r word; do
        ! printf '%s\n' "$text" | grep -qiwF -- "$word" || issue filler "The word \"$word\" says nothing."
    done
}

issues=$(check_heading; check_length; check_mentions; check_filler)

if [ -z "$issues" ]; then
    printf '{"verdict": "ok", "summary": "Every demand of the brief is met.", "issues": []}\n'
    exit
fi

count=$(printf '%s\n' "$issues" | grep -c .)
printf '{"verdict": "changes_requested", "summary": "Demands that are not met: %s.", "issues": [' "$count"
tab=$(printf '\t')
comma=
while IFS=$tab read -r code message; do
    printf '%s\n  {"severity": "error", "code": "%s", "message": %s}' "$comma" "$code" "$(printf '%s\n' "$message" | json)"
    comma=,
done <<END
$issues
END
printf '\n]}\n'
