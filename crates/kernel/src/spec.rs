//! The run spec: everything a run is given when it is opened.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tribunal_anchors::Anchor;

use crate::attachment::Attachment;
use crate::control::Controls;
use crate::waiver::Waiver;
use crate::{Digest, Limits, LoopSettings, ProjectId, Rate, Round, RunId, SeatName, Spend};

/// Version of the event format. A reader refuses what it does not know; old versions stay readable.
///
/// 1 had the folder of the work as it was on the machine that opened the run, and only the names of agents.
pub const FORMAT: u32 = 2;

/// What a run works on, who sits where, and what it may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpec {
    pub format: u32,
    pub run: RunId,
    /// The version of the program that opened it: prompts and rules are those of this version. Older runs do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The project that it belongs to, wherever its folder lies. The first format had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// The folder that the work belongs to, as seen from the project's: no path of a machine.
    pub workspace: String,
    /// The brief's blob.
    pub brief: Digest,
    /// What is attached to the brief, in the order in which it was named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    pub seats: BTreeMap<SeatName, Binding>,
    /// The agents in these seats, as they were configured when the run was opened: whoever takes the run up without that
    /// configuration can still seat them. Secrets are not in there, only the names of variables that hold them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, AgentDefinition>,
    pub limits: Limits,
    /// How often a turn that failed is tried again.
    pub max_retries: u32,
    /// What drafts are judged against, besides the brief.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// What the models that may be called cost, as far as it is known, when the run was opened.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rates: BTreeMap<String, Rate>,
    /// How its judges are controlled. Runs from before there were controls have none.
    #[serde(default, skip_serializing_if = "Controls::is_off")]
    pub controls: Controls,
    /// What was measured and a person lets stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waivers: Vec<Waiver>,
    /// The account that it spends from, if another run started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The run that this one is a variation of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<Fork>,
    #[serde(flatten)]
    pub settings: LoopSettings,
}

/// An agent as it was configured. What it says is the configuration's business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentDefinition(pub serde_json::Value);

impl AgentDefinition {
    /// Whether its votes are controlled. Runs from before there were controls have none.
    pub fn is_controlled(&self) -> bool {
        self.0.get("controls").and_then(serde_json::Value::as_bool).unwrap_or_default()
    }
}

/// Where a run branched off from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fork {
    pub run: RunId,
    /// The first round that is played again. Before it the answers of the other run stand.
    pub from: Round,
    /// The run that the first of its ancestors was: its prompts and ours are written alike.
    pub origin: RunId,
}

/// Who sits in a seat.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Binding {
    /// The agent's name in the configuration.
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard the model thinks, where that can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Who it is there: what every prompt of this seat begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// Set aside before each call of this seat, until a dearer call is known.
    #[serde(default, skip_serializing_if = "Spend::is_nothing")]
    pub reserve: Spend,
    /// Who takes a turn over while the agent's provider takes no requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackAgent>,
}

/// Who takes turns over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FallbackAgent {
    /// Its name in the configuration.
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Set aside before each call of it, until a dearer call is known.
    #[serde(default, skip_serializing_if = "Spend::is_nothing")]
    pub reserve: Spend,
}

/// What the names of our own agents begin with; nobody else's can.
const BUILT_IN: &str = "tribunal/";

impl Binding {
    /// Whether the agent is one of ours, which needs no configuration.
    pub fn is_built_in(&self) -> bool {
        self.agent.starts_with(BUILT_IN)
    }

    /// In whose name it votes: the provider and the model of its agent. Two seats of one name have one opinion.
    pub fn voter(&self, agent: Option<&AgentDefinition>) -> String {
        let Some(agent) = agent else { return self.agent.clone() };
        let is_said =
            |value: &&serde_json::Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
        let said = |key: &str| agent.0.get(key).filter(is_said).map(ToString::to_string).unwrap_or_default();
        let model = self.model.clone().unwrap_or_else(|| said("model"));
        [said("kind"), said("provider"), said("base_url"), said("command"), model].join(" ")
    }
}

impl RunSpec {
    /// Everybody who may be called, by name, with the model of their own: who sits there, and who takes turns over.
    pub fn callable(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.seats.values().flat_map(|binding| {
            let fallback = binding.fallback.iter().map(|other| (other.agent.as_str(), other.model.as_deref()));
            std::iter::once((binding.agent.as_str(), binding.model.as_deref())).chain(fallback)
        })
    }

    /// A run with nobody in its seats and no limits.
    pub fn new(run: RunId, workspace: String, brief: Digest, settings: impl Into<LoopSettings>) -> Self {
        Self {
            format: FORMAT,
            run,
            version: None,
            project: None,
            workspace,
            brief,
            attachments: Vec::new(),
            seats: BTreeMap::new(),
            agents: BTreeMap::new(),
            limits: Limits::default(),
            max_retries: 0,
            anchor: None,
            rates: BTreeMap::new(),
            controls: Controls::default(),
            waivers: Vec::new(),
            account: None,
            fork: None,
            settings: settings.into(),
        }
    }

    /// By which prompts mark what is not ours. The same in all forks of a run, so that the same question is asked in
    /// the same words.
    pub fn origin(&self) -> RunId {
        self.fork.map_or(self.run, |fork| fork.origin)
    }

    /// The seats that agents of the user's take.
    pub fn agent_seats(&self) -> impl Iterator<Item = &SeatName> {
        self.seats.keys().filter(|seat| !self.def().engine_seats.contains(&seat.as_str()))
    }

    /// Whether the main seat's agent sits there because nobody else was configured.
    pub fn is_filled(&self, seat: &SeatName) -> bool {
        let persona = self.seats.get(seat).and_then(|binding| binding.persona.as_deref());
        self.trial().filled_seats().iter().any(|(name, own)| *seat == **name && persona == Some(own))
    }

    /// Whether a program of ours sits there: it measures, and has no opinion.
    pub fn is_measured(&self, seat: &SeatName) -> bool {
        let Some(binding) = self.seats.get(seat) else { return false };
        let kind = self.agents.get(&binding.agent).and_then(|agent| agent.0.get("kind")?.as_str());
        binding.is_built_in() || kind == Some("house")
    }

    /// Whether somebody sits there whose votes are controlled.
    pub fn is_controlled(&self, seat: &SeatName) -> bool {
        let agent = self.seats.get(seat).and_then(|binding| self.agents.get(&binding.agent));
        agent.is_some_and(AgentDefinition::is_controlled)
    }

    /// In whose name a seat votes.
    pub fn voter(&self, seat: &SeatName) -> String {
        let Some(binding) = self.seats.get(seat) else { return seat.to_string() };
        binding.voter(self.agents.get(&binding.agent))
    }

    /// Whose controls count for a seat: who votes there, as whom. The same model told to be somebody else is somebody else.
    pub fn judge_key(&self, seat: &SeatName) -> String {
        let voter = self.voter(seat);
        let persona = self.seats.get(seat).and_then(|binding| binding.persona.as_deref());
        persona.map_or_else(|| voter.clone(), |persona| format!("{voter} as {}", Digest::of(persona).short()))
    }

    /// What the run works on, in a word.
    pub fn subject(&self) -> &str {
        self.trial().subject()
    }

    /// The blobs the run spec cites.
    pub fn cites(&self) -> Vec<Digest> {
        let mut blobs = vec![self.brief];
        blobs.extend(self.attachments.iter().map(|attachment| attachment.content));
        blobs.extend(self.trial().cites());
        blobs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_model_of_the_same_provider_has_one_vote() {
        let voter = |agent: &str, model: Option<&str>, definition: serde_json::Value| {
            let binding = Binding { agent: agent.into(), model: model.map(str::to_owned), ..Binding::default() };
            binding.voter(Some(&AgentDefinition(definition)))
        };
        let http = json!({"kind": "http", "provider": "acme", "command": [], "model": null});
        let one = voter("a", Some("m1"), http.clone());
        assert_eq!(one, voter("b", Some("m1"), http.clone()), "whatever it is called");
        assert_ne!(one, voter("a", Some("m2"), http.clone()));
        assert_ne!(one, voter("a", Some("m1"), json!({"kind": "http", "provider": "other", "command": []})));
        let cli = |kind: &str| voter("a", None, json!({"kind": kind, "provider": null, "command": []}));
        assert_ne!(cli("claude"), cli("codex"));
        let script = |path: &str| voter("a", None, json!({"kind": "command", "command": [path]}));
        assert_ne!(script("./one.sh"), script("./two.sh"));
    }
}
