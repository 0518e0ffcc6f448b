#!/bin/sh
# An agent for every seat of a joust: the prompt comes on stdin, the answer goes to stdout.
cat > /dev/null
case "$TRIBUNAL_TASK" in
  bootstrap) printf '%s' '{"draft": "# Plan\n\nWhat we are going to do.\n"}' ;;
  joust) printf '%s' '{"draft": "# Plan\n\nWhat we are going to do.\n\n## Risks\n\nWhat may go wrong.\n", "critique": "It did not say what may go wrong."}' ;;
  polish) printf '%s' '{"draft": "# Plan\n\nWhat we are going to do, and why.\n\n## Risks\n\nWhat may go wrong.\n"}' ;;
  score*) printf '%s' '{"scores": [{"name": "clarity", "score": 8}, {"name": "depth", "score": 5}]}' ;;
  *) printf '%s' '{"violations": [], "scores": [], "resolved_decisions": []}' ;;
esac
