//! `docs/configuration.md`: the reference of all keys.

use super::{Generated, MARKDOWN_NOTE};

const INTRO: &str = "\
# Configuration

A project has one file, `tribunal.toml`.
Tribunal looks for it in the current folder and then in the folders above it.

```toml
[run]
loop  = \"review\"                # which loop to run
brief = \"brief.md\"              # a file, or the text itself

[agents.writer]                 # an agent, under a name of your choice
kind    = \"command\"
command = [\"./writer.sh\"]       # prompt on stdin, answer on stdout

[agents.critic]
kind    = \"command\"
command = [\"./critic.sh\"]
turn    = \"5m\"                  # this agent's own limit

[seats.creator]                 # which agent takes which seat
agent = \"writer\"
[seats.reviewer]
agent = \"critic\"

[review]                        # the loop's own settings
asset          = \"description\"
max_iterations = 5

[limits]                        # checked before every call
usd  = 2.00
wall = \"10m\"
```

## Where a value comes from

The first of these that has the key wins:

1. a flag: `--set review.max_iterations=5`
2. the environment: `TRIBUNAL_REVIEW_MAX_ITERATIONS=5`
3. `tribunal.toml`
4. the user's own configuration: `~/.config/tribunal/config.toml`, or under `$XDG_CONFIG_HOME`
5. the default

`tribunal config` shows every value and where it came from.

## What to know

- An unknown key is an error that names the nearest known one.
- All mistakes are reported at once, each with file and line.
- A relative path starts from the folder of the file that names it; in a flag or a variable, from the current folder.
- Durations are written `90s`, `10m`, `1h30m`; sizes `64KiB`, `8MiB`; money in US dollars.
- A secret is never in a file: write the name of the variable that holds it, as in `api_key = \"$OPENAI_API_KEY\"`.
- In a flag or a variable, separate the names of a list with commas and the parts of a command line with spaces.
  Write anything that needs quotes as a TOML list.

## Keys

`*` stands for a name that you choose: `agents.*.kind` is `agents.writer.kind`.

";

pub(super) fn page() -> Generated {
    Generated::new("docs/configuration.md", format!("{MARKDOWN_NOTE}{INTRO}{}", tribunal_config::markdown()))
}
