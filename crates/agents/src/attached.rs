//! A file that goes along with a turn: what is attached to the brief.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use tribunal_kernel::MediaType;

/// The variable in which a program finds where the files lie, one path a line.
pub const ATTACHMENTS_VARIABLE: &str = "TRIBUNAL_ATTACHMENTS";

/// A file that goes along with a turn.
#[derive(Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// As the prompt calls it.
    pub name: String,
    pub media_type: MediaType,
    pub bytes: Arc<[u8]>,
    /// Where a program finds it for as long as the turn lasts; nothing, while nobody has laid it there.
    pub path: Option<PathBuf>,
}

impl AttachedFile {
    pub fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// Where it lies, as a text.
    pub(crate) fn place(&self) -> Option<String> {
        Some(self.path.as_ref()?.to_string_lossy().into_owned())
    }
}

/// Without what is in it.
impl fmt::Debug for AttachedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttachedFile").field("name", &self.name).field("path", &self.path).finish_non_exhaustive()
    }
}
