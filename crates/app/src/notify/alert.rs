//! What people are told of an agent, apart from any run.

use serde::Serialize;
use tribunal_config::NotifyOn;
use tribunal_kernel::Time;
use tribunal_kernel::grade::{Count, GradeRecord};

use super::message::{VERSION, project_name};
use crate::project::Project;

/// An agent does not keep to the protocol of the panel any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct AgentAlert {
    version: u32,
    kind: &'static str,
    time: Time,
    project: String,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    status: &'static str,
    played: usize,
    shipped: usize,
    clean: usize,
    /// All of it in a line.
    pub(super) text: String,
}

impl AgentAlert {
    /// For a record whose newest cycle is the first to miss the bars: the ones after it say nothing new, until one passed.
    pub(crate) fn of(project: &Project, record: &GradeRecord) -> Option<Self> {
        let (newest, before) = record.cycles.split_last()?;
        let is_known = before.last().is_some_and(|cycle| !cycle.passes());
        if newest.passes() || is_known {
            return None;
        }
        let Count { played, shipped, clean } = newest.count();
        let model = record.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
        let agent = record.agent.clone();
        let text = format!(
            "agent {agent}{model}: below the bars of conformance: {}; a second cycle like this marks it for a day",
            newest.count()
        );
        Some(Self {
            version: VERSION,
            kind: NotifyOn::Agent.as_str(),
            time: newest.at,
            project: project_name(project),
            agent,
            model: record.model.clone(),
            status: "below_the_bars",
            played,
            shipped,
            clean,
            text,
        })
    }
}
