//! Why a page was not seen.

use std::time::Duration;

use crate::process::SpawnError;

#[derive(Debug, thiserror::Error)]
pub enum LookError {
    #[error("no Chrome or Chromium on PATH")]
    Missing,
    #[error("the browser `{program}` is not there")]
    NamedMissing { program: String },
    #[error("the browser did not start: {0}")]
    Start(#[from] SpawnError),
    #[error("no temporary folder for the browser: {0}")]
    Profile(std::io::Error),
    #[error("the browser ended{}", if tail.is_empty() { String::new() } else { format!(": {tail}") })]
    Ended { tail: String },
    #[error("the browser speaks something else: {what}")]
    Garbage { what: String },
    #[error("the browser said more than {limit} bytes at once")]
    TooMuch { limit: usize },
    #[error("the page is too large: the browser has more than {limit} bytes to say of it at once")]
    TooLarge { limit: usize },
    #[error("the browser did not answer within {}s", after.as_secs())]
    Silent { after: Duration },
    #[error("the page took longer than {}s", after.as_secs())]
    Slow { after: Duration },
    #[error("the page did not load within {}s", after.as_secs())]
    NotLoaded { after: Duration },
    #[error("the page broke down in the browser")]
    Crashed,
    #[error("the browser refuses `{method}`: {message}")]
    Refused { method: String, message: String },
    #[error("{0}")]
    Snapshot(#[from] tribunal_checks::seen::SnapshotError),
    #[error("`{page}` is outside of the root")]
    Outside { page: String },
    #[error("its style sheet `{address}` cannot be read")]
    SheetUnread { address: String },
    #[error("cancelled")]
    Cancelled,
}

impl LookError {
    /// What the user can do: printed after `hint:`, sent as `hint` by the API.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing => {
                "install Chromium, name its path in `checks.browser`, or set `checks.eyes = \"static\"`".to_owned()
            }
            Self::NamedMissing { .. } => "correct `checks.browser`, or leave it out to look on PATH".to_owned(),
            Self::Start(error) => error.hint(),
            Self::Slow { .. } | Self::NotLoaded { .. } | Self::Crashed | Self::TooLarge { .. } => {
                "end what runs in the page, or measure it without a browser: `checks.eyes = \"static\"`".to_owned()
            }
            Self::SheetUnread { .. } => {
                "put the style sheet into the project, or build what makes it, to have the page seen".to_owned()
            }
            Self::Outside { .. } => "check from a folder above the page".to_owned(),
            _ => "try `chromium --headless --dump-dom about:blank`; if that works, please report this".to_owned(),
        }
    }

    /// Whether the browser is of no use any more after it.
    pub(super) fn is_final(&self) -> bool {
        !matches!(self, Self::Refused { .. } | Self::Snapshot(_) | Self::Outside { .. } | Self::SheetUnread { .. })
    }

    /// Whether the page never came to rest in a browser that works, or is more than anybody can look at.
    pub fn is_hanging(&self) -> bool {
        matches!(self, Self::Slow { .. } | Self::NotLoaded { .. } | Self::Crashed | Self::TooLarge { .. })
    }

    /// Whether it is the page that cannot be seen as it is meant, whatever browser looks at it.
    pub fn is_of_the_page(&self) -> bool {
        matches!(self, Self::Outside { .. } | Self::SheetUnread { .. })
    }
}
