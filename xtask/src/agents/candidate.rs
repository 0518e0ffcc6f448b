//! Who is tried, and what it needs to find the stub.

use tribunal_agents::Vendor;
use tribunal_stub::Wire;

/// The variable that holds the stub's key.
pub(super) const KEY: &str = "STUB_KEY";

/// Somebody who takes every seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    word: &'static str,
    way: Way,
}

/// How it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A command line, called as we know it.
    Cli(Vendor),
    /// A command line that is spoken to by ACP.
    Acp(Vendor),
    /// A provider, without any program between.
    Http(&'static str),
}

impl Candidate {
    pub(super) const ALL: [Self; 10] = [
        Self { word: "claude", way: Way::Cli(Vendor::Claude) },
        Self { word: "codex", way: Way::Cli(Vendor::Codex) },
        Self { word: "gemini", way: Way::Cli(Vendor::Gemini) },
        Self { word: "opencode", way: Way::Cli(Vendor::Opencode) },
        Self { word: "gemini-acp", way: Way::Acp(Vendor::Gemini) },
        Self { word: "opencode-acp", way: Way::Acp(Vendor::Opencode) },
        Self { word: "http-anthropic", way: Way::Http("anthropic") },
        Self { word: "http-openai", way: Way::Http("openai") },
        Self { word: "http-openai-chat", way: Way::Http("openai-chat") },
        Self { word: "http-gemini", way: Way::Http("gemini") },
    ];

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|candidate| candidate.word == word)
    }

    pub(super) fn word(self) -> &'static str {
        self.word
    }

    /// Whether it is a command line that is called as we know it: others cannot sit at a desk, or need a setting for it.
    pub(super) fn works_on_files(self) -> bool {
        matches!(self.way, Way::Cli(_))
    }

    /// The program that is started, if there is one.
    pub(super) fn program(self) -> Option<&'static str> {
        match self.way {
            Way::Cli(vendor) | Way::Acp(vendor) => Some(vendor.program()),
            Way::Http(_) => None,
        }
    }

    /// The wire that it speaks, at least here.
    pub(super) fn wire(self) -> Wire {
        match self.way {
            Way::Cli(Vendor::Claude) | Way::Acp(Vendor::Claude) | Way::Http("anthropic") => Wire::Anthropic,
            Way::Cli(Vendor::Codex) | Way::Acp(Vendor::Codex) | Way::Http("openai") => Wire::Responses,
            Way::Cli(Vendor::Gemini) | Way::Acp(Vendor::Gemini) | Way::Http("gemini") => Wire::Gemini,
            Way::Cli(_) | Way::Acp(_) | Way::Http(_) => Wire::Chat,
        }
    }

    /// Its part of the configuration; `instead` stands in for its program. By ACP it is told nothing of the stub, which
    /// is then the environment's business.
    pub(super) fn toml(self, url: &str, instead: Option<&str>) -> String {
        let model = match self.wire() {
            Wire::Anthropic => "sonnet",
            Wire::Gemini => "gemini-2.5-pro",
            Wire::Responses => "gpt-5-codex",
            Wire::Chat => "gpt-5",
        };
        let known = |kind: &str| format!("kind = \"{kind}\"\nmodel = \"{model}\"\napi_key = \"${KEY}\"\n");
        match self.way {
            Way::Cli(vendor) => {
                let version =
                    if matches!(vendor, Vendor::Claude | Vendor::Gemini | Vendor::Goose) { "" } else { "/v1" };
                let command = instead.map(|program| format!("command = [{program:?}]\n")).unwrap_or_default();
                format!("{}base_url = \"{url}{version}\"\n{command}", known(vendor.program()))
            }
            Way::Http(provider) => format!("{}provider = \"{provider}\"\nbase_url = \"{url}\"\n", known("http")),
            Way::Acp(vendor) => {
                let program = instead.unwrap_or(vendor.program());
                let (argument, model) = match vendor {
                    Vendor::Opencode => ("acp", format!("stub/{model}")),
                    _ => ("--acp", model.to_owned()),
                };
                let names: Vec<String> = self.variables(url).iter().map(|(name, _)| format!("{name:?}")).collect();
                format!(
                    "kind = \"acp\"\ncommand = [{program:?}, {argument:?}]\nmodel = \"{model}\"\nenv = [{}]\n",
                    names.join(", ")
                )
            }
        }
    }

    /// What it must find in its environment.
    pub(super) fn variables(self, url: &str) -> Vec<(&'static str, String)> {
        match self.way {
            Way::Acp(Vendor::Gemini) => vec![
                ("GEMINI_API_KEY", "sk-stub".to_owned()),
                ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
            ],
            Way::Acp(Vendor::Opencode) => {
                let provider = format!(
                    r#"{{"npm": "@ai-sdk/openai-compatible", "options": {{"baseURL": "{url}/v1", "apiKey": "sk-stub"}}, "models": {{"gpt-5": {{}}, "other": {{}}}}}}"#
                );
                let config = format!(
                    r#"{{"autoupdate": false, "share": "disabled", "model": "stub/other", "small_model": "stub/other", "provider": {{"stub": {provider}}}}}"#
                );
                vec![
                    ("OPENCODE_CONFIG_CONTENT", config),
                    ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
                    ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// What it must find in its home.
    pub(super) fn files(self) -> Vec<(&'static str, &'static str)> {
        match self.way {
            Way::Acp(Vendor::Gemini) => vec![(
                ".gemini/settings.json",
                r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"maxAttempts": 1}, "privacy": {"usageStatisticsEnabled": false}}"#,
            )],
            _ => Vec::new(),
        }
    }
}
