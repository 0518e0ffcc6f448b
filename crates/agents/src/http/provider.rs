//! Whose interface is spoken.

use std::fmt;

/// Whose interface is spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    OpenAi,
    /// OpenAI Chat Completions.
    OpenAiChat,
    Gemini,
    /// Any server that speaks Chat Completions, by whatever name.
    Compatible(String),
}

impl Provider {
    /// The provider of this name; a name that is not known is a server of one's own.
    pub fn from_word(word: &str) -> Self {
        match word {
            "anthropic" => Self::Anthropic,
            "openai" => Self::OpenAi,
            "openai-chat" => Self::OpenAiChat,
            "gemini" => Self::Gemini,
            other => Self::Compatible(other.to_owned()),
        }
    }

    /// The variable that usually holds the key.
    pub fn variable(&self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenAi | Self::OpenAiChat => Some("OPENAI_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Compatible(_) => None,
        }
    }

    /// What paths are appended to. Of a provider that is known, `base_url` may leave out the version; of a server of
    /// one's own it is taken as it is.
    pub(super) fn address(&self, base_url: Option<&str>) -> Option<String> {
        let (usual, version) = match self {
            Self::Anthropic => ("https://api.anthropic.com", "v1"),
            Self::OpenAi | Self::OpenAiChat => ("https://api.openai.com", "v1"),
            Self::Gemini => ("https://generativelanguage.googleapis.com", "v1beta"),
            Self::Compatible(_) => return base_url.map(|url| format!("{}/", url.trim_end_matches('/'))),
        };
        let url = base_url.unwrap_or(usual).trim_end_matches('/');
        let has_path = url.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        Some(if has_path { format!("{url}/") } else { format!("{url}/{version}/") })
    }

    /// Whether its cache keeps nothing but what is marked.
    pub(super) fn needs_marks(&self) -> bool {
        *self == Self::Anthropic
    }

    /// Whether a temperature can be sent, as far as that is known before: where a model thinks, Anthropic takes none but
    /// its own. Models that take none at all refuse it, and are asked without.
    pub fn takes_temperature(&self, effort: Option<&str>) -> bool {
        *self != Self::Anthropic || effort.is_none()
    }

    /// A model that it has, for hints.
    pub(super) fn example(&self) -> &'static str {
        match self {
            Self::Anthropic => "for example \"claude-sonnet-4-5\"",
            Self::OpenAi | Self::OpenAiChat => "for example \"gpt-5\"",
            Self::Gemini => "for example \"gemini-2.5-pro\"",
            Self::Compatible(_) => "the server knows which it has",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenAiChat => "openai-chat",
            Self::Gemini => "gemini",
            Self::Compatible(name) => name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_where_paths_begin() {
        for (word, base_url, expected) in [
            ("anthropic", None, Some("https://api.anthropic.com/v1/")),
            ("anthropic", Some("http://127.0.0.1:9"), Some("http://127.0.0.1:9/v1/")),
            ("anthropic", Some("http://127.0.0.1:9/"), Some("http://127.0.0.1:9/v1/")),
            ("anthropic", Some("https://proxy.example/claude/v1"), Some("https://proxy.example/claude/v1/")),
            ("openai", None, Some("https://api.openai.com/v1/")),
            ("openai-chat", Some("http://localhost:8080/v1/"), Some("http://localhost:8080/v1/")),
            ("gemini", None, Some("https://generativelanguage.googleapis.com/v1beta/")),
            ("gemini", Some("http://127.0.0.1:9"), Some("http://127.0.0.1:9/v1beta/")),
            ("ollama", None, None),
            ("ollama", Some("http://127.0.0.1:11434/v1"), Some("http://127.0.0.1:11434/v1/")),
            ("llama", Some("http://127.0.0.1:8080"), Some("http://127.0.0.1:8080/")),
        ] {
            assert_eq!(Provider::from_word(word).address(base_url).as_deref(), expected, "{word} {base_url:?}");
        }
    }

    #[test]
    fn words_go_both_ways() {
        for word in ["anthropic", "openai", "openai-chat", "gemini", "groq"] {
            assert_eq!(Provider::from_word(word).to_string(), word);
        }
    }
}
