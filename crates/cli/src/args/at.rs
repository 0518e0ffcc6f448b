//! Where the project is that a command is about.

use tribunal_app::ProjectAt;

use super::Global;

impl Global {
    /// Where the project is, and what was typed about its settings.
    pub(crate) fn at(&self) -> ProjectAt {
        ProjectAt { dir: self.dir.clone(), config: self.config.clone(), settings: self.set.clone() }
    }
}
