//! The seat that no model takes: it tries a change by what can be run.

use std::path::PathBuf;
use std::time::Duration;

use tribunal_agents::{Activity, AgentError, Answer, Answering, Environment, Native, Show, TurnRequest};
use tribunal_kernel::TurnInput;
use tribunal_kernel::judge::CollectInput;

use super::claim::FolderClaim;
use super::{CheckHome, EvidenceCollector, EvidenceError, EvidenceLimits, EvidencePlace, EvidenceRequest};
use crate::sandbox::Finder;
use crate::tree::CommitReader;

/// Collects evidence for a change of a project's.
#[derive(Debug, Clone)]
pub struct EvidenceSeat {
    /// The user's folder: it is read through git, and nothing in it is run.
    pub project: PathBuf,
    /// Where checkouts and reports are put.
    pub folder: PathBuf,
    pub environment: Environment,
    pub sandbox: Finder,
    pub grace: Duration,
    pub network: bool,
    /// The home that checks have, and what is set up for them.
    pub home: Option<CheckHome>,
    /// Folders that git ignores and checks need, each with where it is.
    pub carry: Vec<(PathBuf, String)>,
}

impl EvidenceSeat {
    /// Its name where agents have names.
    pub const NAME: &str = "tribunal/evidence";

    async fn collect(&self, request: &TurnRequest, input: CollectInput, show: Show<'_>) -> Result<String, AgentError> {
        let CollectInput { base, head, commands, may_change, seed, mutants, check_timeout_ms } = input;
        let reader = CommitReader::of(&self.project).await.map_err(|error| unavailable(&error.into()))?;
        let sandbox = self.sandbox.get().await.map_err(|error| AgentError::Unavailable {
            agent: Self::NAME.into(),
            reason: error.to_string(),
            hint: None,
        })?;
        // A judgement that was killed leaves its checkouts: whoever comes next clears them away, and its own when it is done.
        let _claim = FolderClaim::wait_for(&self.folder).await.map_err(|error| AgentError::Unavailable {
            agent: Self::NAME.into(),
            reason: format!("cannot use {}: {error}", self.folder.display()),
            hint: Some("set XDG_CACHE_HOME to a folder that you can write to".into()),
        })?;
        let collector = EvidenceCollector {
            reader: &reader,
            sandbox,
            place: EvidencePlace {
                network: self.network,
                ..EvidencePlace::closed(
                    self.folder.join(request.turn.to_string()),
                    self.environment.select(&[], request),
                    &reader,
                    self.home.clone(),
                    self.carry.clone(),
                )
            },
            limits: EvidenceLimits {
                run: Duration::from_millis(check_timeout_ms),
                grace: self.grace,
                mutants: mutants as usize,
                ..EvidenceLimits::default()
            },
        };
        let request = EvidenceRequest { base, head, commands, named: Vec::new(), may_change, seed, known: Vec::new() };
        let evidence = collector
            .collect_showing(&request, &|told| show(Activity::Note(told)))
            .await
            .map_err(|error| unavailable(&error))?;
        Ok(serde_json::to_string(&evidence).expect("evidence is plain JSON"))
    }
}

impl Native for EvidenceSeat {
    fn answer<'a>(&'a self, request: TurnRequest, show: Show<'a>) -> Answering<'a> {
        Box::pin(async move {
            let Some(TurnInput::Collect(input)) = request.input.clone() else {
                let reason = "it was given no change to try".to_owned();
                return Err(AgentError::Unavailable { agent: Self::NAME.into(), reason, hint: None });
            };
            let text = self.collect(&request, input, show).await?;
            Ok(Answer { text, ..Answer::default() })
        })
    }
}

fn unavailable(error: &EvidenceError) -> AgentError {
    AgentError::Unavailable { agent: EvidenceSeat::NAME.into(), reason: error.to_string(), hint: Some(error.hint()) }
}
