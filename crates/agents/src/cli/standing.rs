//! How far the adapter of a command line is relied on, and what that rests on.

use std::fmt;

use super::Vendor;

/// How far an adapter is relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdapterStatus {
    /// The program itself took every seat of every loop in `cargo xtask agents`.
    Production,
    /// Tried in some of them, or built from documentation.
    Experimental,
}

impl Vendor {
    pub fn status(self) -> AdapterStatus {
        match self {
            Self::Claude | Self::Codex | Self::Gemini | Self::Opencode | Self::Qwen | Self::Copilot => {
                AdapterStatus::Production
            }
            Self::Goose => AdapterStatus::Experimental,
        }
    }

    /// The version that it was tried with last, if it was: that of `xtask/agents/package.json`.
    pub fn tried_with(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("2.1.327"),
            Self::Codex => Some("0.169.0"),
            Self::Gemini => Some("0.61.0"),
            Self::Opencode => Some("1.18.33"),
            Self::Qwen => Some("0.24.4"),
            Self::Copilot => Some("1.0.102"),
            Self::Goose => None,
        }
    }
}

impl AdapterStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Experimental => "experimental",
        }
    }
}

impl fmt::Display for AdapterStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(path: &str) -> String {
        std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
    }

    #[test]
    fn the_page_says_what_the_code_says() {
        let page = repository("docs/agents.md");
        for vendor in Vendor::ALL {
            let tried = vendor.tried_with().unwrap_or("–");
            let row = format!("| `{vendor}` | {} | {tried} |", vendor.status());
            assert!(page.contains(&row), "docs/agents.md has no row `{row} …`");
        }
    }

    #[test]
    fn what_was_tried_is_what_is_installed_for_it() {
        let packages = repository("xtask/agents/package.json");
        for vendor in Vendor::ALL {
            let Some(version) = vendor.tried_with() else {
                assert_eq!(vendor.status(), AdapterStatus::Experimental, "{vendor}: nobody tried it");
                continue;
            };
            let package = vendor.installation().rsplit(' ').next().unwrap();
            let line = format!("\"{package}\": \"{version}\"");
            assert!(packages.contains(&line), "xtask/agents/package.json has no {line}");
        }
    }
}
