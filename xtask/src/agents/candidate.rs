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
    /// The same with nothing but its name in the configuration: where its model is, it knows from its own settings.
    Named(Vendor),
    /// A command line that is spoken to by ACP.
    Acp(Vendor),
    /// A provider, without any program between.
    Http(&'static str),
}

impl Candidate {
    pub(super) const ALL: [Self; 14] = [
        Self { word: "claude", way: Way::Cli(Vendor::Claude) },
        Self { word: "codex", way: Way::Cli(Vendor::Codex) },
        Self { word: "gemini", way: Way::Cli(Vendor::Gemini) },
        Self { word: "opencode", way: Way::Cli(Vendor::Opencode) },
        Self { word: "qwen", way: Way::Cli(Vendor::Qwen) },
        Self { word: "copilot", way: Way::Cli(Vendor::Copilot) },
        Self { word: "claude-acp", way: Way::Acp(Vendor::Claude) },
        Self { word: "codex-acp", way: Way::Acp(Vendor::Codex) },
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

    /// The same with as little configuration as there can be.
    pub(super) fn named(self) -> Self {
        match self.way {
            Way::Cli(vendor) => Self { way: Way::Named(vendor), ..self },
            Way::Named(_) | Way::Acp(_) | Way::Http(_) => self,
        }
    }

    /// Whether it is a command line that is called as we know it: others cannot sit at a desk, or need a setting for it.
    pub(super) fn works_on_files(self) -> bool {
        matches!(self.way, Way::Cli(_) | Way::Named(_))
    }

    fn vendor(self) -> Option<Vendor> {
        match self.way {
            Way::Cli(vendor) | Way::Named(vendor) | Way::Acp(vendor) => Some(vendor),
            Way::Http(_) => None,
        }
    }

    /// The program that is started, if there is one.
    pub(super) fn program(self) -> Option<&'static str> {
        match self.way {
            Way::Acp(Vendor::Claude) => Some("claude-agent-acp"),
            Way::Acp(Vendor::Codex) => Some("codex-acp"),
            _ => self.vendor().map(Vendor::program),
        }
    }

    /// The wire that it speaks, at least here.
    pub(super) fn wire(self) -> Wire {
        match (self.vendor(), self.way) {
            (Some(Vendor::Claude), _) | (_, Way::Http("anthropic")) => Wire::Anthropic,
            (Some(Vendor::Codex), _) | (_, Way::Http("openai")) => Wire::Responses,
            (Some(Vendor::Gemini), _) | (_, Way::Http("gemini")) => Wire::Gemini,
            _ => Wire::Chat,
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
            Way::Named(vendor) => format!("kind = \"{}\"\n", vendor.program()),
            Way::Http(provider) => format!("{}provider = \"{provider}\"\nbase_url = \"{url}\"\n", known("http")),
            Way::Acp(vendor) => {
                let program = instead.or(self.program()).unwrap_or_default();
                let command = match vendor {
                    Vendor::Claude | Vendor::Codex => format!("[{program:?}]"),
                    Vendor::Opencode => format!("[{program:?}, \"acp\"]"),
                    _ => format!("[{program:?}, \"--acp\"]"),
                };
                let model = match vendor {
                    // Its own default is its account's; Codex' bridge knows those of its own list alone.
                    Vendor::Codex => String::new(),
                    Vendor::Opencode => format!("model = \"stub/{model}\"\n"),
                    _ => format!("model = \"{model}\"\n"),
                };
                let names: Vec<String> = self.variables(url).iter().map(|(name, _)| format!("{name:?}")).collect();
                format!("kind = \"acp\"\ncommand = {command}\n{model}env = [{}]\n", names.join(", "))
            }
        }
    }

    /// What it must find in its environment.
    pub(super) fn variables(self, url: &str) -> Vec<(&'static str, String)> {
        let key = || "sk-stub".to_owned();
        let (vendor, is_acp) = match self.way {
            Way::Acp(vendor) => (vendor, true),
            Way::Named(vendor) => (vendor, false),
            Way::Cli(_) | Way::Http(_) => return Vec::new(),
        };
        match vendor {
            Vendor::Claude => vec![
                ("ANTHROPIC_API_KEY", key()),
                ("ANTHROPIC_BASE_URL", url.to_owned()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ],
            Vendor::Codex => vec![("CODEX_API_KEY", key())],
            Vendor::Gemini => {
                let mut variables = vec![("GEMINI_API_KEY", key()), ("GOOGLE_GEMINI_BASE_URL", url.to_owned())];
                variables.extend(is_acp.then(|| ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned())));
                variables
            }
            Vendor::Opencode if is_acp => vec![
                ("OPENCODE_CONFIG_CONTENT", opencode(url)),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
            ],
            // There is no list of models to be had on an island, and it waits for it.
            Vendor::Opencode => vec![("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned())],
            Vendor::Qwen => vec![
                ("OPENAI_API_KEY", key()),
                ("OPENAI_BASE_URL", format!("{url}/v1")),
                ("OPENAI_MODEL", "gpt-5".to_owned()),
            ],
            Vendor::Copilot => vec![
                ("COPILOT_MODEL", "gpt-5".to_owned()),
                ("COPILOT_OFFLINE", "true".to_owned()),
                ("COPILOT_PROVIDER_API_KEY", key()),
                ("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1")),
            ],
            Vendor::Goose => Vec::new(),
        }
    }

    /// What it must find in its home: what is there when a user has logged in, or named a server.
    pub(super) fn files(self, url: &str) -> Vec<(&'static str, String)> {
        let (vendor, is_acp) = match self.way {
            Way::Acp(vendor) => (vendor, true),
            Way::Named(vendor) => (vendor, false),
            Way::Cli(_) | Way::Http(_) => return Vec::new(),
        };
        match vendor {
            Vendor::Gemini => {
                let more = if is_acp { r#", "general": {"maxAttempts": 1}"# } else { "" };
                let auth = r#""security": {"auth": {"selectedType": "gemini-api-key"}}"#;
                vec![(".gemini/settings.json", format!("{{{auth}{more}}}"))]
            }
            Vendor::Codex => {
                let provider = format!(
                    "name = \"stub\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \"CODEX_API_KEY\"\n"
                );
                let text =
                    format!("model_provider = \"stub\"\nmodel = \"gpt-5-codex\"\n[model_providers.stub]\n{provider}");
                vec![(".codex/config.toml", text)]
            }
            Vendor::Opencode if !is_acp => vec![(".config/opencode/opencode.json", opencode(url))],
            Vendor::Qwen => {
                vec![(".qwen/settings.json", r#"{"security": {"auth": {"selectedType": "openai"}}}"#.to_owned())]
            }
            Vendor::Claude | Vendor::Opencode | Vendor::Copilot | Vendor::Goose => Vec::new(),
        }
    }
}

/// The settings of an `OpenCode` that knows the stub.
fn opencode(url: &str) -> String {
    // What it does not know to see is shown nothing.
    let sees = r#"{"attachment": true, "modalities": {"input": ["text", "image"], "output": ["text"]}}"#;
    let provider = format!(
        r#"{{"npm": "@ai-sdk/openai-compatible", "options": {{"baseURL": "{url}/v1", "apiKey": "sk-stub"}}, "models": {{"gpt-5": {sees}, "other": {sees}}}}}"#
    );
    format!(
        r#"{{"autoupdate": false, "share": "disabled", "model": "stub/other", "small_model": "stub/other", "provider": {{"stub": {provider}}}}}"#
    )
}
