# What the workers and verifiers of a desk are made of: `sh desk.sh SCRIPT` plays the script with these words.
# The prompt on stdin is not read: what counts at a desk are files.
cat > /dev/null
here=$(dirname "$0")
round=$TRIBUNAL_ROUND

# remember STOP [CONTRACT]: the memory and the context that a worker leaves.
remember() {
  printf '# Memory\n\n## Stop Status\n%s\n\n## Next Iteration Contract\n%s\n' "$1" "${2:-go on}" > "$TRIBUNAL_MEMORY"
  echo "after iteration $round: ${3:-$2}" > "$TRIBUNAL_CONTEXT"
}

# claim STORY...: these are done, and can be verified.
claim() {
  stories=
  for story in "$@"; do stories="$stories${stories:+, }\"$story\""; done
  printf '{"summary": "done", "stories_completed": [%s]}' "$stories" > "$TRIBUNAL_CLAIM"
  remember verify "nothing is left"
}

# nod: a pass for every criterion of the PRD, with a quotation that is really there, whatever the work is like.
nod() { python3 -S -E -B "$here/desk.py" pass "$@"; }

# object WHY: a fail for every criterion.
object() { python3 -S -E -B "$here/desk.py" fail "$@"; }

# fix: does what the common story of the desk's cases asks for.
fix() {
  cat > calc.py <<'CODE'
def add(a, b):
    return a + b


def divide(a, b):
    if b == 0:
        raise ValueError("cannot divide by zero")
    return a / b
CODE
}

# append FILE: adds what is on stdin to a file.
append() { cat >> "$1"; }

# edit FILE FROM TO...: puts one text in the place of another, everywhere in a file.
edit() { python3 -S -E -B "$here/edit.py" "$@"; }

# verdict JSON: the verdict, word by word; ROUND stands for the iteration.
verdict() { printf '%s' "$1" | sed "s/ROUND/$round/" > "$TRIBUNAL_VERDICT"; }

. "$1"
