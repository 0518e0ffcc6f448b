//! Mutations: a rewrite of the draft, and what comes with it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tribunal_anchors::{Anchor, CriterionScore};

use crate::Draft;

/// A rewrite of the draft. It takes the draft's place only when the loop rules so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutation {
    pub draft: Draft,
    /// What its author says about the draft before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critique: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summon: Option<Summon>,
    /// Why a SHOULD is not met, by rule.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub justifications: BTreeMap<String, String>,
    /// What drafts are judged against from now on: the first one brings it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Box<Anchor>>,
    /// Why this anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the rules that need no opinion say of it.
    #[serde(default)]
    pub measured: Measured,
}

/// A specialist who should look at it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Summon {
    pub specialist: String,
    pub ask: String,
}

/// What deterministic rules found, when the draft was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Measured {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<CriterionScore>,
    /// Items that are covered, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covered: Vec<String>,
    /// Items that are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// Items that are not, because a rule that needs no opinion is broken, and what is wrong.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub broken: BTreeMap<String, String>,
    /// How many anchors a person had put in the place of the first when this was found: under another one it says nothing.
    #[serde(default, skip_serializing_if = "crate::event::is_default")]
    pub under: u32,
    /// Too close to call: a model should decide.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub near_tie: bool,
}
