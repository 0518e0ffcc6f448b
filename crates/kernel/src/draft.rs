//! Drafts: versions of the work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Digest, DraftId, RunId, TurnId};

/// A version of the work. Its text is a blob; the kernel knows it by its digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub id: DraftId,
    /// The text, byte for byte.
    pub content: Digest,
    /// The text with one final newline: what counts when two drafts are compared.
    pub text: Digest,
    pub format: Format,
}

/// What kind of text a draft is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    #[default]
    Markdown,
    Plain,
    Html,
}

impl Draft {
    /// The draft that a turn brought. Its id follows from the run, the turn and the text.
    pub fn proposed(run: RunId, turn: TurnId, content: &str, format: Format) -> Self {
        let id = run.derive("draft", &[&turn.0.to_le_bytes(), content.as_bytes()]);
        Self::of(DraftId(id), content, format)
    }

    /// The draft with this text.
    pub fn of(id: DraftId, content: &str, format: Format) -> Self {
        Self { id, content: Digest::of(content), text: text_digest(content), format }
    }
}

impl Format {
    /// Every format there is.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Plain, Self::Html];

    /// The extension of a file in this format.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Plain => "txt",
            Self::Html => "html",
        }
    }

    /// The format of a text with this MIME type.
    pub fn of_mime(mime: &str) -> Self {
        let mime = mime.to_ascii_lowercase();
        if mime.contains("html") {
            Self::Html
        } else if mime.contains("markdown") {
            Self::Markdown
        } else {
            Self::Plain
        }
    }

    /// The MIME type of a text in this format.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown",
            Self::Plain => "text/plain",
            Self::Html => "text/html",
        }
    }

    /// The word for this format in files and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Plain => "plain",
            Self::Html => "html",
        }
    }
}

/// The text as files hold it: one final newline is assumed.
pub fn with_final_newline(content: &str) -> std::borrow::Cow<'_, str> {
    if content.ends_with('\n') { content.into() } else { format!("{content}\n").into() }
}

/// The digest by which texts are compared, whatever their format or final newline.
pub fn text_digest(content: &str) -> Digest {
    Digest::of(with_final_newline(content).as_bytes())
}
