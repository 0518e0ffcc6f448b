//! Secrets are named, never held: the configuration knows the variable, and only the caller that needs it reads it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of an environment variable that holds a secret, written `$NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EnvRef(String);

impl EnvRef {
    /// Reads `$NAME`.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.strip_prefix('$')?;
        is_variable_name(name).then(|| Self(name.to_owned()))
    }

    /// The variable's name, without the `$`.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EnvRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

impl From<EnvRef> for String {
    fn from(secret: EnvRef) -> Self {
        secret.to_string()
    }
}

impl TryFrom<String> for EnvRef {
    type Error = &'static str;

    /// The text that is refused may be the secret itself, so the error does not repeat it.
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("expected the name of an environment variable, such as `$OPENAI_API_KEY`")
    }
}

pub(crate) fn is_variable_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_variable_is_a_reference() {
        for (text, expected) in [
            ("$OPENAI_API_KEY", Some("OPENAI_API_KEY")),
            ("$_x1", Some("_x1")),
            ("OPENAI_API_KEY", None),
            ("$", None),
            ("$1", None),
            ("${NAME}", None),
            ("$NAME ", None),
            ("$sk-live-1234", None),
            ("", None),
        ] {
            assert_eq!(EnvRef::parse(text).as_ref().map(EnvRef::name), expected, "{text:?}");
        }
    }
}
