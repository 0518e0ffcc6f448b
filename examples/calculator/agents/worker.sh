#!/bin/sh
# A worker: reads where the work stands, does one story, and leaves a memory for the next one.
# The prompt is on stdin; the paths of the files are in the environment.
cat > /dev/null

remember() { # STOP CONTRACT DONE
    printf '# calculator - Campaign Memory\n\n## Stop Status\n%s\n\n## Current State\n%s\n\n## Next Iteration Contract\n%s\n' \
        "$1" "$3" "$2" > "$TRIBUNAL_MEMORY"
    printf '# calculator - Latest Context\n\n### Completed\n%s\n' "$3" > "$TRIBUNAL_CONTEXT"
}

if [ ! -e calc.sh ]; then
    cat > calc.sh <<'CODE'
#!/bin/sh
# A calculator for whole numbers: calc.sh add A B
case "$1" in
    add) echo $(($2 + $3)) ;;
    *) echo "usage: calc.sh add A B" >&2; exit 64 ;;
esac
CODE
    remember continue "Do US-002: divide, and refuse to divide by zero" "US-001: add"
    echo "US-001 is there"
else
    cat > calc.sh <<'CODE'
#!/bin/sh
# A calculator for whole numbers: calc.sh add|div A B
case "$1" in
    add) echo $(($2 + $3)) ;;
    div)
        if [ "$3" -eq 0 ]; then
            echo "cannot divide by zero" >&2
            exit 2
        fi
        echo $(($2 / $3))
        ;;
    *) echo "usage: calc.sh add|div A B" >&2; exit 64 ;;
esac
CODE
    remember verify "Nothing is left to do" "US-001: add; US-002: divide"
    printf '{"iteration": %s, "summary": "add and divide work", "stories_completed": ["US-001", "US-002"], "evidence": {}}' \
        "$TRIBUNAL_ROUND" > "$TRIBUNAL_CLAIM"
    echo "US-002 is there, too"
fi
