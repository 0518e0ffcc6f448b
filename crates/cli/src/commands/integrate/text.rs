//! What is written into sessions.

/// How to use Tribunal, in every form that follows.
const GUIDE: &str = include_str!("texts/guide.md");
const ABOUT: &str = "Put work on trial with Tribunal: check a draft, start or follow a run, read its findings";
const HINT: &str = "check | brainstorm | init | run | status | logs | clean";

/// In every file that is ours as a whole, so that we know it again.
pub(super) const OURS: &str = "tribunal integrate";

/// A slash command in Markdown; `$ARGUMENTS` are the words behind it.
pub(super) fn command() -> String {
    format!(
        "---\ndescription: {ABOUT}\nargument-hint: \"{HINT}\"\n---\n<!-- Written by `{OURS}`, which also removes it. -->\n\n\
         I ask of Tribunal: $ARGUMENTS\n\nWithout words, show `status` and say what could be done next.\n\n{GUIDE}"
    )
}

/// A skill; where it is called by its name like a command, `$ARGUMENTS` are the words behind it.
pub(super) fn skill() -> String {
    format!(
        "---\nname: tribunal\ndescription: {ABOUT}. Use it when I ask to check, judge, review or measure a draft, a page \
         or code, or mention Tribunal.\nargument-hint: \"{HINT}\"\n---\n<!-- Written by `{OURS}`, which also removes it. \
         -->\n\n# Tribunal\n\nWhat I asked for, if I did by name: $ARGUMENTS\n\n{GUIDE}"
    )
}

/// A slash command in the form of Gemini; `{{args}}` are the words behind it.
pub(super) fn toml_command() -> String {
    format!(
        "# Written by `{OURS}`, which also removes it.\ndescription = \"{ABOUT}\"\nprompt = '''\nI ask of Tribunal: \
         {{{{args}}}}\n\nWithout words, show `status` and say what could be done next.\n\n{GUIDE}'''\n"
    )
}

/// A section of a file that every session reads.
pub(super) fn section() -> String {
    format!("## Tribunal\n\n{GUIDE}")
}
