//! A sandbox that is looked for when it is first needed: most commands never need one.

use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::OnceCell;

use super::{Mechanism, MechanismTried, Sandbox, SandboxError};

/// Finds the sandbox once, for everybody who shares it.
#[derive(Debug, Clone, Default)]
pub struct Finder {
    launcher: Option<PathBuf>,
    wanted: Option<Mechanism>,
    found: Arc<OnceCell<Sandbox>>,
}

impl Finder {
    /// `launcher` as for [`Sandbox::detect`]; without a wish the strongest that works here.
    pub fn new(launcher: Option<PathBuf>, wanted: Option<Mechanism>) -> Self {
        Self { launcher, wanted, found: Arc::default() }
    }

    /// What each mechanism holds here, whichever is used.
    pub async fn try_all(&self) -> Vec<MechanismTried> {
        MechanismTried::all(self.launcher.as_deref()).await
    }

    /// The sandbox; an error only if one is wished for that cannot be.
    pub async fn get(&self) -> Result<&Sandbox, SandboxError> {
        let find = || async {
            match self.wanted {
                Some(wanted) => Sandbox::forced(wanted, self.launcher.clone()),
                None => Ok(Sandbox::detect(self.launcher.clone()).await),
            }
        };
        self.found.get_or_try_init(find).await
    }
}
