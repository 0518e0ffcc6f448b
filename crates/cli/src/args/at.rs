//! Where the project is that a command is about.

use tribunal_app::ProjectAt;

use super::Global;

impl Global {
    /// Where the project is, and what was typed about its settings.
    pub(crate) fn at(&self) -> ProjectAt {
        ProjectAt::of(self.dir.clone(), self.config.clone(), self.set.clone())
    }
}
