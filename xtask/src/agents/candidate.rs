//! Who is tried, and what it needs to find the stub.

use tribunal_agents::Vendor;
use tribunal_stub::Wire;

/// The variable that holds the stub's key.
pub(super) const KEY: &str = "STUB_KEY";

/// A command line, called as we know it or spoken to by ACP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    word: &'static str,
    vendor: Vendor,
    by_acp: bool,
}

const fn cli(word: &'static str, vendor: Vendor) -> Candidate {
    Candidate { word, vendor, by_acp: false }
}

const fn acp(word: &'static str, vendor: Vendor) -> Candidate {
    Candidate { word, vendor, by_acp: true }
}

impl Candidate {
    pub(super) const ALL: [Self; 6] = [
        cli("claude", Vendor::Claude),
        cli("codex", Vendor::Codex),
        cli("gemini", Vendor::Gemini),
        cli("opencode", Vendor::Opencode),
        acp("gemini-acp", Vendor::Gemini),
        acp("opencode-acp", Vendor::Opencode),
    ];

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|candidate| candidate.word == word)
    }

    pub(super) fn word(self) -> &'static str {
        self.word
    }

    /// The wire that it speaks, at least here.
    pub(super) fn wire(self) -> Wire {
        match self.vendor {
            Vendor::Claude => Wire::Anthropic,
            Vendor::Codex => Wire::Responses,
            Vendor::Gemini => Wire::Gemini,
            Vendor::Opencode | Vendor::Qwen | Vendor::Copilot | Vendor::Goose => Wire::Chat,
        }
    }

    /// Its part of the configuration. By ACP it is told nothing of the stub, which is then the environment's business.
    pub(super) fn toml(self, url: &str) -> String {
        let (version, model) = match self.vendor {
            Vendor::Claude => ("", "sonnet"),
            Vendor::Codex => ("/v1", "gpt-5-codex"),
            Vendor::Gemini => ("", "gemini-2.5-pro"),
            Vendor::Goose => ("", "gpt-5"),
            Vendor::Opencode | Vendor::Qwen | Vendor::Copilot => ("/v1", "gpt-5"),
        };
        if !self.by_acp {
            let kind = self.vendor;
            return format!(
                "kind = \"{kind}\"\nmodel = \"{model}\"\nbase_url = \"{url}{version}\"\napi_key = \"${KEY}\"\n"
            );
        }
        let (words, model) = match self.vendor {
            Vendor::Opencode => (r#""opencode", "acp""#.to_owned(), format!("stub/{model}")),
            vendor => (format!(r#""{vendor}", "--acp""#), model.to_owned()),
        };
        let names: Vec<String> = self.variables(url).iter().map(|(name, _)| format!("{name:?}")).collect();
        format!("kind = \"acp\"\ncommand = [{words}]\nmodel = \"{model}\"\nenv = [{}]\n", names.join(", "))
    }

    /// What it must find in its environment.
    pub(super) fn variables(self, url: &str) -> Vec<(&'static str, String)> {
        match (self.by_acp, self.vendor) {
            (true, Vendor::Gemini) => vec![
                ("GEMINI_API_KEY", "sk-stub".to_owned()),
                ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
            ],
            (true, Vendor::Opencode) => {
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
        match (self.by_acp, self.vendor) {
            (true, Vendor::Gemini) => vec![(
                ".gemini/settings.json",
                r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"maxAttempts": 1}, "privacy": {"usageStatisticsEnabled": false}}"#,
            )],
            _ => Vec::new(),
        }
    }
}
