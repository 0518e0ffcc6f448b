//! Which agents there are, and the bounds of their turns.

use std::collections::BTreeMap;
use std::sync::Arc;
use tribunal_agents::{Agent, Environment};
use tribunal_kernel::SeatName;

use crate::process::Bounds;
use crate::sandbox::Finder;
use crate::workplace::Workplace;

/// Everybody who can take a turn.
#[derive(Debug, Clone, Default)]
pub struct Seating {
    agents: Arc<BTreeMap<String, Seated>>,
    pub(crate) environment: Arc<Environment>,
    workplaces: Arc<BTreeMap<SeatName, Arc<dyn Workplace>>>,
    /// What encloses turns, if anything shall.
    pub(crate) sandbox: Option<Finder>,
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
        Self { agents: Arc::new(agents), environment: Arc::new(environment), ..Self::default() }
    }

    /// The same, with places for seats that work on files.
    #[must_use]
    pub fn with_workplaces(self, workplaces: BTreeMap<SeatName, Arc<dyn Workplace>>) -> Self {
        Self { workplaces: Arc::new(workplaces), ..self }
    }

    /// The same, with a pid namespace for turns that want one.
    #[must_use]
    pub fn with_sandbox(self, sandbox: Finder) -> Self {
        Self { sandbox: Some(sandbox), ..self }
    }

    /// The same, with one more agent.
    #[must_use]
    pub fn with_agent(self, name: &str, seated: Seated) -> Self {
        let mut agents = (*self.agents).clone();
        agents.insert(name.to_owned(), seated);
        Self { agents: Arc::new(agents), ..self }
    }

    pub(crate) fn workplace(&self, seat: &SeatName) -> Option<&Arc<dyn Workplace>> {
        self.workplaces.get(seat)
    }

    /// Whether any of them runs as a process.
    pub(crate) fn has_processes(&self) -> bool {
        self.agents.values().any(|seated| matches!(seated.agent, Agent::Process(_) | Agent::Dialogue(_)))
    }

    pub(crate) fn get(&self, agent: &str) -> Option<&Seated> {
        self.agents.get(agent)
    }
}
