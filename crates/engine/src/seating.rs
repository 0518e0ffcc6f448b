//! Which agents there are, and the bounds of their turns.

use std::collections::BTreeMap;
use std::sync::Arc;
use tribunal_agents::{Agent, Environment};

use crate::process::Bounds;

/// Everybody who can take a turn.
#[derive(Debug, Clone, Default)]
pub struct Seating {
    agents: Arc<BTreeMap<String, Seated>>,
    pub(crate) environment: Arc<Environment>,
}

/// One agent.
#[derive(Debug, Clone)]
pub struct Seated {
    pub agent: Agent,
    pub bounds: Bounds,
}

impl Seating {
    /// These agents, by name; `environment` is what they may be given a part of.
    pub fn new(agents: BTreeMap<String, Seated>, environment: Environment) -> Self {
        Self { agents: Arc::new(agents), environment: Arc::new(environment) }
    }

    /// Whether any of them runs as a process.
    pub(crate) fn has_processes(&self) -> bool {
        self.agents.values().any(|seated| matches!(seated.agent, Agent::Process(_)))
    }

    pub(crate) fn get(&self, agent: &str) -> Option<&Seated> {
        self.agents.get(agent)
    }
}
