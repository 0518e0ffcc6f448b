#!/bin/sh
# A reviewer. It asks for one change and accepts the second iteration.
cat > /dev/null
if [ "$TRIBUNAL_ROUND" -lt 2 ]; then
  printf '{"verdict": "changes_requested", "summary": "A first draft.", "issues": [{"severity": "error", "message": "Say it once more.", "code": "first_draft"}]}\n'
else
  printf '{"verdict": "ok", "summary": "Good."}\n'
fi
