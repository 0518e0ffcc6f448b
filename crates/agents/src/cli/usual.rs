//! What is usual for a command line where nobody says otherwise: the models it climbs, and where it keeps its state.

use std::path::PathBuf;

use super::Vendor;

/// A place that a command line writes to whatever it works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateHome {
    pub path: PathBuf,
    /// Whether it is a file of its own: such a one is left alone until it is there.
    pub is_file: bool,
}

impl Vendor {
    /// Its models, cheapest first, by names that it knows itself. None where the models are whatever its user
    /// connected: then its own choice is the only one that is sure to answer.
    pub fn ladder(self) -> &'static [&'static str] {
        match self {
            // Names that always mean the newest of their size.
            Self::Claude => &["haiku", "sonnet", "opus"],
            Self::Gemini => &["flash-lite", "flash", "pro"],
            // It has no such names: these are in the catalogue of the oldest version that we know.
            Self::Codex => &["gpt-6-luna", "gpt-6.1-sol", "gpt-6-astra"],
            // By provider (opencode, goose), by account (qwen), by what an organisation allows (copilot).
            Self::Opencode | Self::Qwen | Self::Copilot | Self::Goose => &[],
        }
    }

    /// Where it keeps what it needs from one call to the next; `variable` looks into the environment.
    pub fn homes(self, variable: impl Fn(&str) -> Option<String>) -> Vec<StateHome> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let in_home = |path: &str| set("HOME").map(|home| home.join(path));
        let folder = |path: Option<PathBuf>| path.map(|path| StateHome { path, is_file: false });
        let own = |name: &str, usual: &str| folder(set(name).or_else(|| in_home(usual)));
        let within = |name: &str, usual: &str, inner: &str| {
            folder(set(name).or_else(|| in_home(usual)).map(|path| path.join(inner)))
        };
        let homes = match self {
            Self::Claude => {
                let beside = in_home(".claude.json").filter(|_| set("CLAUDE_CONFIG_DIR").is_none());
                vec![own("CLAUDE_CONFIG_DIR", ".claude"), beside.map(|path| StateHome { path, is_file: true })]
            }
            Self::Codex => vec![own("CODEX_HOME", ".codex")],
            Self::Gemini => {
                vec![folder(set("GEMINI_CLI_HOME").or_else(|| set("HOME")).map(|home| home.join(".gemini")))]
            }
            Self::Qwen => vec![own("QWEN_HOME", ".qwen")],
            // It unpacks itself into the cache at its first start, and cannot go on where it may not.
            Self::Copilot => {
                vec![own("COPILOT_HOME", ".copilot"), within("XDG_CACHE_HOME", ".cache", self.program())]
            }
            Self::Opencode | Self::Goose => vec![
                within("XDG_DATA_HOME", ".local/share", self.program()),
                within("XDG_STATE_HOME", ".local/state", self.program()),
                within("XDG_CONFIG_HOME", ".config", self.program()),
                within("XDG_CACHE_HOME", ".cache", self.program()),
            ],
        };
        homes.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn homes(vendor: Vendor, set: &[(&str, &str)]) -> String {
        let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let homes = vendor.homes(variable);
        homes.iter().map(|home| home.path.display().to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn state_is_where_the_programs_keep_it() {
        let plain = [("HOME", "/h")];
        for (vendor, usual) in [
            (Vendor::Claude, "/h/.claude /h/.claude.json"),
            (Vendor::Codex, "/h/.codex"),
            (Vendor::Gemini, "/h/.gemini"),
            (Vendor::Qwen, "/h/.qwen"),
            (Vendor::Copilot, "/h/.copilot /h/.cache/copilot"),
            (
                Vendor::Opencode,
                "/h/.local/share/opencode /h/.local/state/opencode /h/.config/opencode /h/.cache/opencode",
            ),
            (Vendor::Goose, "/h/.local/share/goose /h/.local/state/goose /h/.config/goose /h/.cache/goose"),
        ] {
            assert_eq!(homes(vendor, &plain), usual, "{vendor}");
            assert_eq!(homes(vendor, &[]), "", "{vendor}: without a home there is nothing to write to");
            assert_eq!(homes(vendor, &[("HOME", "")]), "", "{vendor}: nor with an empty one");
        }
        for (vendor, variable, moved) in [
            (Vendor::Claude, "CLAUDE_CONFIG_DIR", "/m"),
            (Vendor::Codex, "CODEX_HOME", "/m"),
            (Vendor::Gemini, "GEMINI_CLI_HOME", "/m/.gemini"),
            (Vendor::Qwen, "QWEN_HOME", "/m"),
            (Vendor::Copilot, "COPILOT_HOME", "/m /h/.cache/copilot"),
        ] {
            assert_eq!(homes(vendor, &[("HOME", "/h"), (variable, "/m")]), moved, "{vendor}");
        }
    }

    #[test]
    fn whose_models_are_the_users_own_has_no_ladder() {
        for (vendor, steps) in [
            (Vendor::Claude, 3),
            (Vendor::Codex, 3),
            (Vendor::Gemini, 3),
            (Vendor::Opencode, 0),
            (Vendor::Qwen, 0),
            (Vendor::Copilot, 0),
            (Vendor::Goose, 0),
        ] {
            assert_eq!(vendor.ladder().len(), steps, "{vendor}");
        }
    }
}
