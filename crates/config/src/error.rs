//! What can be wrong with a configuration, and what to do about it.

use std::fmt;

use crate::{decimal::Decimal, kind::one_of, origin::Origin, schema::KEYS, words::AgentKind};

/// One mistake and its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {mistake}", origin.place())]
pub struct ConfigError {
    pub origin: Origin,
    pub mistake: ConfigMistake,
}

/// All mistakes of a load, in reading order; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors(Vec<ConfigError>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigMistake {
    #[error("not valid TOML: {message}")]
    Syntax { message: String },

    #[error("unknown key `{key}`")]
    UnknownKey {
        key: String,
        nearest: Option<String>,
        /// What the table that it stands in can hold, if that is known.
        known: Vec<&'static str>,
    },

    /// `found` is the value between backticks, or its type where the value may not be shown.
    #[error("`{key}` is {found}, expected {expected}")]
    Invalid { key: String, found: String, expected: String, hint: Option<String> },

    #[error("item {number} of `{key}` is {found}, expected {expected}")]
    InvalidItem { key: String, number: usize, found: String, expected: String, hint: Option<String> },

    #[error("`{key}` lists `{item}` twice")]
    Repeated { key: String, item: String },

    /// Does not carry the value: it is a secret.
    #[error("`{key}` holds a literal value (not shown), expected the name of an environment variable")]
    LiteralSecret { key: String },

    /// Does not carry the value: it may hold a secret.
    #[error("`{key}` contains a user name, a query or a fragment (not shown), expected a plain URL")]
    Credentials { key: String },

    #[error("`{key}` is {found}, expected a table")]
    NotATable { key: String, found: String, known: Vec<&'static str> },

    #[error("`{}` and `{}` are the same setting with different values", spellings[0], spellings[1])]
    Spellings { key: String, spellings: [String; 2] },

    #[error("`{key}` and `{rival}` cannot be combined")]
    Rivals { key: String, rival: String },

    #[error("`{name}` cannot be a name in `{table}`")]
    BadName { table: String, name: String },

    #[error("`{key}` is missing, expected {expected}")]
    Missing {
        key: String,
        expected: String,
        /// A name that was perhaps meant instead of the one that lacks something.
        nearest: Option<String>,
    },

    #[error("agent `{agent}` is of kind `{kind}` but has no `command`")]
    NoCommand { agent: String, kind: AgentKind },

    #[error("seat `{seat}` names the unknown agent `{agent}`")]
    UnknownAgent { seat: String, agent: String, nearest: Option<String>, known: Vec<String> },

    #[error("`{key}` is `{weight}`, but `{role}` is not in the cast")]
    UnknownRole { key: String, weight: Decimal, role: String, nearest: Option<String>, cast: Vec<String> },

    #[error("the weights in `{key}` add up to `{sum}`, expected {expected}")]
    WeightSum { key: String, sum: Decimal, expected: String },

    #[error("the variable could mean {}", one_of(paths))]
    SharedVariable { paths: Vec<String> },
}

impl ConfigError {
    /// What the user can do: printed after `hint:`.
    pub fn hint(&self) -> Option<String> {
        self.mistake.hint()
    }
}

impl ConfigMistake {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Syntax { .. } => None,
            Self::UnknownKey { nearest: Some(nearest), .. }
            | Self::UnknownAgent { nearest: Some(nearest), .. }
            | Self::UnknownRole { nearest: Some(nearest), .. }
            | Self::Missing { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::Invalid { hint, .. } | Self::InvalidItem { hint, .. } => hint.clone(),
            Self::Repeated { item, .. } => Some(format!("keep `{item}` once")),
            Self::LiteralSecret { key } => {
                let leaf = leaf(key);
                Some(format!(
                    "put the secret into an environment variable and use its name: {leaf} = \"$OPENAI_API_KEY\" \
                     (in a shell, in single quotes); consider replacing a key that was in a file"
                ))
            }
            Self::Credentials { .. } => {
                Some("put the secret into an environment variable and set `api_key` to its name".to_owned())
            }
            Self::NotATable { key, known, .. } if known.is_empty() => {
                let of_values = KEYS.iter().any(|row| row.path.strip_suffix(".*") == Some(key));
                let form = if of_values { "value" } else { "table" };
                let example = if of_values { format!("{key}.NAME = …") } else { format!("[{key}.NAME]") };
                Some(format!("give each its own {form}: {example}"))
            }
            Self::UnknownKey { known, .. } | Self::NotATable { known, .. } => known_here(known),
            Self::Spellings { key, .. } => Some(format!("keep `{key}`")),
            Self::Rivals { key, rival } => Some(format!("keep `{key}` or `{rival}`")),
            Self::BadName { .. } => Some("use letters, digits, `_` and `-`".to_owned()),
            Self::Missing { key, .. } => Some(format!("add `{} = …` to [{}]", leaf(key), table(key))),
            Self::NoCommand { agent, kind } => {
                let example = if *kind == AgentKind::Acp { r#""gemini", "--acp""# } else { r#""./agent.sh""# };
                Some(format!("add the program and its arguments to [agents.{agent}]: command = [{example}]"))
            }
            Self::UnknownAgent { agent, .. } if AgentKind::WORDS.contains(&agent.as_str()) => {
                Some(format!("`{agent}` is a kind of agent: add [agents.{agent}] with kind = \"{agent}\""))
            }
            Self::UnknownAgent { agent, known, .. } if known.is_empty() => {
                Some(format!("no agent is configured yet: add [agents.{agent}] with its kind"))
            }
            Self::UnknownAgent { known, .. } => Some(format!("known agents: {}", known.join(", "))),
            Self::UnknownRole { cast, .. } => Some(format!("the cast is {}", cast.join(", "))),
            Self::WeightSum { .. } => {
                Some("a judge without a weight counts 0; without any weights, the defaults apply".to_owned())
            }
            Self::SharedVariable { .. } => Some("rename one of them, or set the one you mean with --set".to_owned()),
        }
    }
}

impl ConfigErrors {
    /// Sorts the mistakes of a load; `None` if there are none.
    pub(crate) fn collect(mut errors: Vec<ConfigError>) -> Option<Self> {
        errors.sort_by_key(|error| error.origin.reading_order());
        (!errors.is_empty()).then_some(Self(errors))
    }

    pub fn iter(&self) -> std::slice::Iter<'_, ConfigError> {
        self.0.iter()
    }
}

impl fmt::Display for ConfigErrors {
    /// One mistake a line, without the hints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

impl IntoIterator for ConfigErrors {
    type Item = ConfigError;
    type IntoIter = std::vec::IntoIter<ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'e> IntoIterator for &'e ConfigErrors {
    type Item = &'e ConfigError;
    type IntoIter = std::slice::Iter<'e, ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

fn known_here(known: &[&str]) -> Option<String> {
    (!known.is_empty()).then(|| format!("known here: {}", known.join(", ")))
}

fn leaf(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, leaf)| leaf)
}

fn table(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(table, _)| table)
}
