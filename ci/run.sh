#!/bin/sh
# One trial in CI: runs `tribunal check` or `tribunal judge`, keeps what it found for a comment, posts that, and ends as
# the trial ended. `action.yml` says what the variables are.
set -u

# Whatever else is in the folder that is checked, the comment is not.
comment=${TRIBUNAL_COMMENT_FILE:-$(mktemp)}
here=$(cd "$(dirname "$0")" && pwd)

# Adds what stands on the lines of a text, one argument a line. `words` counts nothing: a path may have spaces.
lines() {
    printf '%s\n' "$1" | sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e '/^$/d'
}

cd "${TRIBUNAL_DIR:-.}" || exit 2
given=$(mktemp)
case ${TRIBUNAL_COMMAND:-check} in
check) lines "${TRIBUNAL_PATHS:-.}" >"$given" ;;
judge)
    range=${TRIBUNAL_RANGE:-}
    # What the pull request has of its own. Anywhere else `tribunal judge` finds it out.
    if [ -z "$range" ] && [ -n "${GITHUB_BASE_REF:-}" ]; then range=origin/$GITHUB_BASE_REF...HEAD; fi
    lines "$range" >"$given"
    ;;
*)
    echo "error: the command is check or judge, and not \`$TRIBUNAL_COMMAND\`" >&2
    exit 2
    ;;
esac
lines "${TRIBUNAL_ARGS:-}" >>"$given"
set -- "${TRIBUNAL_COMMAND:-check}" --format "${TRIBUNAL_FORMAT:-github}" --comment-file "$comment"
while IFS= read -r argument; do
    set -- "$@" "$argument"
done <"$given"
rm -f "$given"

code=0
# Our own variables are no settings of the project.
env -u TRIBUNAL_BINARY -u TRIBUNAL_COMMAND -u TRIBUNAL_PATHS -u TRIBUNAL_RANGE -u TRIBUNAL_ARGS -u TRIBUNAL_DIR \
    -u TRIBUNAL_COMMENT -u TRIBUNAL_COMMENT_FILE -u TRIBUNAL_NAME -u TRIBUNAL_FORMAT -u TRIBUNAL_FROM \
    "${TRIBUNAL_BINARY:-tribunal}" "$@" || code=$?

# Where nothing came to a result there is nothing to say on the pull request.
if [ -s "$comment" ]; then
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$comment" >>"$GITHUB_STEP_SUMMARY"; fi
    if [ "${TRIBUNAL_COMMENT:-true}" = true ]; then
        # The trial says whether the job fails; that nobody could post a comment does not.
        python3 "$here/comment.py" "$comment" "${TRIBUNAL_NAME:-}" || true
    fi
fi
exit "$code"
