#!/bin/sh
# The creator. Drafts from facts.txt; after a review it makes the changes that the review asks for.
set -eu
. ./agents/prompt.sh # agents are started in the folder of tribunal.toml

fact() { sed -n "s/^$1: //p" facts.txt; }

# A first draft: everything there is to say, with the words that come to mind first.
draft() {
    printf 'We really just wanted %s %s to be very good at two things: %s.\n\n' \
        "$(fact product)" "$(fact version)" "$(fact theme)"
    fact change | sed 's/^/- /'
    fact fix | sed 's/^/- Fixed: /'
    printf '\n'
    fact upgrade
}

# Puts the heading that the review misses on top.
add_heading() { printf '%s\n\n%s\n' "$1" "$text"; }

# Strikes a word wherever it stands.
strike() {
    printf '%s\n' "$text" | word=$1 awk '
        {
            count = split($0, words, " ")
            line = ""
            for (i = 1; i <= count; i++) {
                bare = tolower(words[i])
                gsub(/[^a-z-]/, "", bare)
                if (bare != tolower(ENVIRON["word"])) line = line (line == "" ? "" : " ") words[i]
            }
            print line
        }
    '
}

# Puts the fact that has the missing phrase first in the list: what was asked for must survive the next cut.
add_fact() {
    fact=$(grep -F -- "$1" facts.txt | sed 's/^[a-z]*: //;1q')
    printf '%s\n' "$text" | line="- ${fact:-$1}" awk '
        /^- / && !added { print ENVIRON["line"]; added = 1 }
                        { print }
        END             { if (!added) print ENVIRON["line"] }
    '
}

# Drops the last line until the text is short enough.
cut_to() {
    while [ "$(printf '%s\n' "$text" | count_words)" -gt "$1" ]; do
        text=$(printf '%s\n' "$text" | sed '$d')
    done
    printf '%s\n' "$text"
}

# The part of a message that stands in double quotes.
quoted() { printf '%s\n' "$1" | sed -n 's/^[^"]*"\(.*\)"[^"]*$/\1/p'; }

text=$(section "the previous candidate")
review=$(section "the previous review")
if [ -z "$text" ]; then
    text=$(draft)
    done=false # nobody publishes a first draft
else
    done=true
    # An issue looks like this: - error: The word "very" says nothing. [code: filler]
    while IFS= read -r issue; do
        what=$(quoted "$issue")
        case $issue in
            *"[code: no_heading]"*) text=$(add_heading "$what") ;;
            *"[code: filler]"*) text=$(strike "$what") ;;
            *"[code: not_mentioned]"*) text=$(add_fact "$what") ;;
        esac
    done <<END
$review
END
    most=$(most_words)
    if [ -n "$most" ]; then
        text=$(cut_to "$most")
    fi
fi

content=$(printf '%s\n\n' "$text" | json) # the empty line becomes the newline at the end
printf '{"done": %s, "candidate": {"format": "markdown", "content": %s}}\n' "$done" "$content"
