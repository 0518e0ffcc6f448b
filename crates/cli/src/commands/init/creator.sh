#!/bin/sh
# A creator. The prompt is on stdin; TRIBUNAL_SEAT, TRIBUNAL_ROUND, TRIBUNAL_RUN and TRIBUNAL_LOOP are set.
# Call your model here. The answer may have text around the JSON object.
cat > /dev/null
printf '{"done": true, "candidate": {"content": "Draft number %s.", "format": "markdown"}}\n' "$TRIBUNAL_ROUND"
