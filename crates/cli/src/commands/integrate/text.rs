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
        "---\ndescription: \"{ABOUT}\"\nargument-hint: \"{HINT}\"\n---\n<!-- Written by `{OURS}`, which also removes it. -->\n\n\
         I ask of Tribunal: $ARGUMENTS\n\nWithout words, show `status` and say what could be done next.\n\n{GUIDE}"
    )
}

/// A skill; where it is called by its name like a command, `$ARGUMENTS` are the words behind it.
pub(super) fn skill() -> String {
    format!(
        "---\nname: tribunal\ndescription: \"{ABOUT}. Use it when I ask to check, judge, review or measure a draft, a page \
         or code, or mention Tribunal.\"\nargument-hint: \"{HINT}\"\n---\n<!-- Written by `{OURS}`, which also removes it. \
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// A text between quotes is the same in JSON and in YAML. What is not quoted must be a plain word: programs drop
    /// everything when one value holds a colon that YAML takes for its own.
    #[test]
    fn the_head_of_every_file_is_yaml_to_everybody() {
        for (name, text) in [("command", command()), ("skill", skill())] {
            let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect(name).0;
            assert!(head.contains("description: "), "{head}");
            for line in head.lines() {
                let (key, value) = line.split_once(": ").expect(line);
                assert!(key.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{line}");
                let is_word = value.chars().all(|c| c.is_ascii_lowercase() || c == '-');
                assert!(is_word || matches!(serde_json::from_str(value), Ok(Value::String(_))), "{line}");
            }
        }
        let command: toml::Table = toml_command().parse().expect("TOML");
        assert_eq!(command["description"].as_str(), Some(ABOUT));
        assert!(command["prompt"].as_str().is_some_and(|prompt| prompt.contains("{{args}}")));
    }
}
