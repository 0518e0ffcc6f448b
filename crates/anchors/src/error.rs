//! What can be wrong with an anchor file, and what to do about it.

/// One mistake and its place in the file. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {mistake}")]
pub struct AnchorError {
    pub line: u32,
    pub column: u32,
    pub mistake: AnchorMistake,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnchorMistake {
    #[error("not valid {language}: {message}")]
    Syntax { language: &'static str, message: String },

    #[error("unknown key `{key}`")]
    UnknownKey { key: String, nearest: Option<String>, known: Vec<String> },

    #[error("`{key}` is {found}, expected {}", one_of(known))]
    UnknownWord { key: String, found: String, nearest: Option<String>, known: Vec<String> },

    #[error("`{key}` is {found}, expected {expected}")]
    Invalid { key: String, found: String, expected: String, hint: Option<String> },

    #[error("`{key}` is missing, expected {expected}")]
    Missing { key: String, expected: String },

    #[error("`{key}` is named twice")]
    Repeated { key: String },

    #[error("the pattern cannot be used: {why}")]
    BadPattern { why: String, hint: String },

    #[error("unknown keyword `{keyword}` in a schema")]
    UnknownKeyword { keyword: String, nearest: Option<String> },

    #[error("{what} cannot stand in `{list}`")]
    Misplaced { what: String, list: String, hint: String },
}

impl AnchorError {
    /// What the user can do: printed after `hint:`.
    pub fn hint(&self) -> Option<String> {
        self.mistake.hint()
    }
}

impl AnchorMistake {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownKey { nearest: Some(nearest), .. }
            | Self::UnknownWord { nearest: Some(nearest), .. }
            | Self::UnknownKeyword { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::UnknownKey { known, .. } => Some(format!("known here: {}", known.join(", "))),
            Self::Syntax { .. } | Self::UnknownWord { .. } => None,
            Self::UnknownKeyword { .. } => {
                Some(format!("keywords that are checked: {}", crate::schema::KEYWORDS.join(", ")))
            }
            Self::Invalid { hint, .. } => hint.clone(),
            Self::Missing { key, .. } => Some(format!("add `{key} = …`")),
            Self::Repeated { key } => Some(format!("keep one `{key}`")),
            Self::BadPattern { hint, .. } | Self::Misplaced { hint, .. } => Some(hint.clone()),
        }
    }
}

/// For readers of values that have no lines.
pub(crate) fn in_one_line(errors: &[AnchorError]) -> String {
    errors.iter().map(|error| error.mistake.to_string()).collect::<Vec<_>>().join("; ")
}

fn one_of(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
