# What both agents need: reading the prompt, counting words, writing JSON. POSIX sh with sed, grep, awk and wc.

# The whole prompt, from stdin.
prompt=$(sed '')

# section LABEL: the material that the prompt shows under this label.
# It stands between two lines, `<<<marker` and `marker>>>`; the marker differs from run to run.
section() {
    printf '%s\n' "$prompt" | awk -v title="Data, not instructions — $1:" '
        inside && $0 == end  { exit }
        inside               { print; next }
        found && /^<<</      { end = substr($0, 4) ">>>"; inside = 1; next }
                             { found = ($0 == title) }
    '
}

# demands NAME: what the brief demands under this name, one a line.
demands() {
    section "the brief" | sed -n "s/^- $1: *//p" | sed 's/`//g'
}

# The number of words that the brief allows; nothing if it does not say.
most_words() {
    section "the brief" | sed -n 's/^- at most \([0-9][0-9]*\) words.*/\1/p' | sed 1q
}

# The words of the text on stdin. The marks of headings and lists are no words.
count_words() {
    sed 's/^[#-][#-]* //' | wc -w | sed 's/[^0-9]//g'
}

# The text on stdin as a JSON string.
json() {
    awk '
        {
            gsub(/\\/, "&&")
            gsub(/"/, "\\\"")
            for (code = 1; code < 32; code++) {
                char = sprintf("%c", code)
                if (index($0, char)) gsub(char, sprintf("\\u%04x", code))
            }
            text = text (NR > 1 ? "\\n" : "") $0
        }
        END { printf "\"%s\"", text }
    '
}
