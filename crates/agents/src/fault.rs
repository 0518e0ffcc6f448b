//! What a provider, or the way to it, said instead of an answer.

use crate::{AgentError, Resumption, limit};

/// What a provider, or the way to it, said instead of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The status of HTTP, where it is known.
    pub(crate) status: Option<u16>,
    pub(crate) words: String,
    /// When it takes requests again, where it says so apart from its words.
    pub(crate) when: Option<Resumption>,
}

impl Fault {
    pub(crate) fn new(status: Option<u16>, words: impl Into<String>) -> Self {
        Self { status, words: words.into(), when: None }
    }

    /// What it means for the turn of `agent`. `key` is the variable that holds its key, if the configuration names
    /// one; `login` is how to be let in otherwise.
    pub(crate) fn error(&self, agent: &str, key: Option<&str>, login: &str) -> AgentError {
        const MAX_CHARS: usize = 400;
        let line = self.words.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut why: String = line.chars().take(MAX_CHARS).collect();
        if why.is_empty() {
            why = "it does not say why".into();
        }
        if let Some(limited) = limit::read(self.status, &self.words, self.when.clone()) {
            return AgentError::Limited { agent: agent.to_owned(), why, when: limited.when };
        }
        let hint = match self.status {
            Some(401 | 403) => match key {
                Some(name) => format!("check the key in `${name}` (`agents.{agent}.api_key`)"),
                None => format!("{login}, or set a key: `agents.{agent}.api_key = \"$NAME\"`"),
            },
            Some(404) => format!("check `agents.{agent}.model` and `agents.{agent}.base_url`"),
            Some(400 | 413 | 422) => {
                format!("use a model that accepts such a request for `agents.{agent}`, or ask for less")
            }
            Some(402) => "check the balance of the account".to_owned(),
            _ => return AgentError::Provider { agent: agent.to_owned(), status: self.status, why },
        };
        AgentError::Refused { agent: agent.to_owned(), why, hint }
    }
}
