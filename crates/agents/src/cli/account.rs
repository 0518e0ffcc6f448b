//! What can be known of a command line without a call: whether it is old, and whether somebody is logged in.
//!
//! Files and variables are only looked for. Nobody reads what is in them.

use std::fmt;
use std::path::PathBuf;

use super::Vendor;

/// A version as programs have it: `2.1.197`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// The first version in a text: three numbers with dots between them.
    pub fn find(text: &str) -> Option<Self> {
        text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|word| {
            let mut numbers = word.split('.').map(|number| number.parse().ok());
            Some(Self(numbers.next()??, numbers.next()??, numbers.next()??))
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// What somebody who logged in leaves behind. Any of it will do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traces {
    pub variables: Vec<&'static str>,
    pub files: Vec<PathBuf>,
    /// Whether nobody can be logged in without a trace. Some keep the login where nobody can look, or need none.
    pub are_certain: bool,
}

impl Vendor {
    /// The oldest version that was tried with this adapter.
    pub fn oldest_known(self) -> Option<Version> {
        match self.program() {
            "claude" => Some(Version(2, 1, 0)),
            "codex" => Some(Version(0, 166, 0)),
            "gemini" => Some(Version(0, 61, 0)),
            "opencode" => Some(Version(1, 18, 0)),
            _ => None,
        }
    }

    /// What tells that somebody is logged in; `variable` looks into the environment.
    pub fn traces(self, variable: impl Fn(&str) -> Option<String>) -> Traces {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = set("HOME");
        let in_home = |path: &str| home.as_ref().map(|home| home.join(path));
        match self.program() {
            "claude" => Traces {
                variables: vec![
                    "ANTHROPIC_API_KEY",
                    "ANTHROPIC_AUTH_TOKEN",
                    "CLAUDE_CODE_OAUTH_TOKEN",
                    "CLAUDE_CODE_USE_BEDROCK",
                    "CLAUDE_CODE_USE_VERTEX",
                ],
                files: file(set("CLAUDE_CONFIG_DIR").or_else(|| in_home(".claude")), ".credentials.json"),
                // There it is in the keychain.
                are_certain: !cfg!(target_os = "macos"),
            },
            "codex" => Traces {
                variables: vec!["CODEX_API_KEY"],
                files: file(set("CODEX_HOME").or_else(|| in_home(".codex")), "auth.json"),
                are_certain: true,
            },
            "gemini" => Traces {
                variables: vec!["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"],
                files: file(set("GEMINI_CLI_HOME").or_else(|| home.clone()), ".gemini/oauth_creds.json"),
                are_certain: true,
            },
            "opencode" => Traces {
                variables: vec![
                    "ANTHROPIC_API_KEY",
                    "GEMINI_API_KEY",
                    "GOOGLE_GENERATIVE_AI_API_KEY",
                    "OPENAI_API_KEY",
                    "OPENCODE_API_KEY",
                    "OPENROUTER_API_KEY",
                ],
                files: file(set("XDG_DATA_HOME").or_else(|| in_home(".local/share")), "opencode/auth.json"),
                // A model on this machine needs no account.
                are_certain: false,
            },
            _ => Traces::default(),
        }
    }
}

fn file(folder: Option<PathBuf>, name: &str) -> Vec<PathBuf> {
    folder.into_iter().map(|folder| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        for (text, expected) in [
            ("2.1.197 (Claude Code)", Some(Version(2, 1, 197))),
            ("codex-cli 0.166.0", Some(Version(0, 166, 0))),
            ("v1.18.4-beta.2", Some(Version(1, 18, 4))),
            ("node 20, gemini 0.61.3", Some(Version(0, 61, 3))),
            ("1.2", None),
            ("99999999999.1.1", None),
            ("", None),
        ] {
            assert_eq!(Version::find(text), expected, "{text}");
        }
        assert!(Version(0, 61, 3) < Version(0, 166, 0) && Version(0, 166, 0) < Version(2, 0, 0));
    }

    #[test]
    fn traces_are_where_the_programs_leave_them() {
        let plain = |name: &str| (name == "HOME").then(|| "/home/ada".to_owned());
        let moved = |name: &str| match name {
            "HOME" => Some("/home/ada".to_owned()),
            "CLAUDE_CONFIG_DIR" | "CODEX_HOME" | "GEMINI_CLI_HOME" | "XDG_DATA_HOME" => Some("/moved".to_owned()),
            _ => None,
        };
        for (vendor, usual, elsewhere) in [
            (Vendor::Claude, "/home/ada/.claude/.credentials.json", "/moved/.credentials.json"),
            (Vendor::Codex, "/home/ada/.codex/auth.json", "/moved/auth.json"),
            (Vendor::Gemini, "/home/ada/.gemini/oauth_creds.json", "/moved/.gemini/oauth_creds.json"),
            (Vendor::Opencode, "/home/ada/.local/share/opencode/auth.json", "/moved/opencode/auth.json"),
        ] {
            assert_eq!(vendor.traces(plain).files, [PathBuf::from(usual)], "{vendor}");
            assert_eq!(vendor.traces(moved).files, [PathBuf::from(elsewhere)], "{vendor}");
            assert!(vendor.traces(|_| None).files.is_empty(), "{vendor}");
        }
    }
}
