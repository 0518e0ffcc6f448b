//! What only shows when all layers are together: what is missing, and what does not fit something else.

mod theater;

use std::collections::{BTreeMap, BTreeSet};

use tribunal_anchors::nearest;

use crate::{
    error::{ConfigError, ConfigMistake},
    kind::ValueKind,
    layer::{Given, Names},
    origin::Origin,
    schema::{KEYS, fill, named_table},
    words::AgentKind,
};

pub(crate) struct Check<'c> {
    pub(crate) merged: &'c BTreeMap<String, Given>,
    pub(crate) names: &'c Names,
    pub(crate) attempted: &'c BTreeSet<String>,
    pub(crate) refused: &'c BTreeSet<String>,
}

impl Check<'_> {
    pub(crate) fn run(&self) -> Vec<ConfigError> {
        let mut errors = self.missing();
        errors.extend(self.commands());
        errors.extend(self.seats());
        errors.extend(self.theater());
        errors.extend(self.notify());
        errors
    }

    fn missing(&self) -> Vec<ConfigError> {
        let mut errors = Vec::new();
        for key in KEYS.iter().filter(|key| key.required) {
            let Some(table) = named_table(key.path) else { continue };
            for (name, origin) in self.names.get(table).into_iter().flatten() {
                let path = fill(key.path, &[name]);
                if !self.attempted.contains(&path) {
                    let expected = if key.kind == ValueKind::Text { key.doc.to_owned() } else { key.kind.describe() };
                    let mistake =
                        ConfigMistake::Missing { key: path, expected, nearest: self.meant(table, name, origin) };
                    errors.push(ConfigError { origin: origin.clone(), mistake });
                }
            }
        }
        errors
    }

    /// A flag that seems to make something new has more likely misspelt a name that a file has.
    fn meant(&self, table: &str, name: &str, origin: &Origin) -> Option<String> {
        let is_flag = |origin: &Origin| matches!(origin, Origin::Flag { .. });
        if !is_flag(origin) {
            return None;
        }
        let in_files = self.names.get(table)?.iter().filter(|(_, origin)| !is_flag(origin));
        nearest(name, in_files.map(|(name, _)| name.as_str())).map(|name| format!("{table}.{name}"))
    }

    /// What is posted is signed: whoever receives it could not tell it from what anybody else posts there.
    fn notify(&self) -> Option<ConfigError> {
        let webhook = self.merged.get("notify.webhook")?;
        if self.attempted.contains("notify.secret") {
            return None;
        }
        let expected =
            "the environment variable with the secret that messages are signed with, such as `$NOTIFY_SECRET`";
        let mistake = ConfigMistake::Missing { key: "notify.secret".into(), expected: expected.into(), nearest: None };
        Some(ConfigError { origin: webhook.origin.clone(), mistake })
    }

    fn commands(&self) -> Vec<ConfigError> {
        let mut errors = Vec::new();
        for agent in self.names_in("agents") {
            let Some((given, kind)) = self.text(&format!("agents.{agent}.kind")) else { continue };
            let needs_one = [AgentKind::Acp, AgentKind::Command].into_iter().find(|needs| kind == needs.as_str());
            if let Some(kind) = needs_one.filter(|_| !self.attempted.contains(&format!("agents.{agent}.command"))) {
                let mistake = ConfigMistake::NoCommand { agent: agent.to_owned(), kind };
                errors.push(ConfigError { origin: given.origin.clone(), mistake });
            }
        }
        errors
    }

    fn seats(&self) -> Vec<ConfigError> {
        let mut errors = Vec::new();
        let known: Vec<&str> = self.names_in("agents").collect();
        for seat in self.names_in("seats") {
            let Some((given, agent)) = self.text(&format!("seats.{seat}.agent")) else { continue };
            if !known.contains(&agent) {
                let mistake = ConfigMistake::UnknownAgent {
                    seat: seat.to_owned(),
                    agent: agent.to_owned(),
                    nearest: nearest(agent, known.iter().copied()).map(str::to_owned),
                    known: known.iter().map(|name| (*name).to_owned()).collect(),
                };
                errors.push(ConfigError { origin: given.origin.clone(), mistake });
            }
        }
        errors
    }

    fn names_in(&self, table: &str) -> impl Iterator<Item = &str> {
        self.names.get(table).into_iter().flatten().map(|(name, _)| name.as_str())
    }

    fn text(&self, path: &str) -> Option<(&Given, &str)> {
        let given = self.merged.get(path)?;
        given.value.text().map(|text| (given, text))
    }
}
