//! The anchor itself: a tagged union of the six kinds.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::{
    error::{AnchorError, in_one_line},
    kind::AnchorKind,
    number::Number,
    read,
    result::RequirementLevel,
    rule::{Rule, Test},
    syntax::Syntax,
};

/// What a draft is judged against. `anchor.toml`, a model's answer and the log all hold this one shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Anchor {
    Invariants(Invariants),
    Acceptance(Acceptance),
    Exemplars(Exemplars),
    Assertions(Assertions),
    Rubric(Rubric),
    Goal(Goal),
}

/// What must hold, should hold, and must not be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Invariants {
    #[serde(rename = "MUST")]
    pub must: Vec<Rule>,
    #[serde(rename = "SHOULD")]
    pub should: Vec<Rule>,
    /// Semantic rules here say what must not be; rules that a machine decides are kept as what must hold instead.
    #[serde(rename = "MUST_NOT")]
    pub must_not: Vec<Rule>,
}

/// Questions that the work must answer; what is covered stays covered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Acceptance {
    pub items: Vec<AcceptanceItem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AcceptanceItem {
    pub question: String,
    pub done_when: String,
    /// Decides the item without a model, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
}

/// Texts to come close to, and texts to stay away from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exemplars {
    pub positive: Vec<String>,
    pub negative: Vec<String>,
}

/// Checks that a machine decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assertions {
    pub checks: Vec<Assertion>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assertion {
    pub description: String,
    /// Never semantic.
    pub predicate: Rule,
}

/// Dimensions that scorers give points for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rubric {
    pub dims: Vec<Dimension>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dimension {
    pub name: String,
    /// What a scorer is to look at, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub weight: DimensionWeight,
    pub scale: Scale,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<u32>,
}

/// How much a dimension counts: 1 to 5, and what is outside is brought to the nearer end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct DimensionWeight(u32);

/// What a dimension is scored on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// 0, 1, 2, 3, 5, 8 or 13.
    Points,
    /// red 0, yellow 1, green 2; the floor is 1 unless another one is named.
    Color,
}

/// Something to get better at, within constraints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Goal {
    pub north_star: String,
    pub constraints: Vec<Rule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
}

/// A command whose number is the progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Measure {
    pub command: Vec<String>,
    pub direction: Direction,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Number>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Minimise,
    Maximise,
}

impl Anchor {
    /// Reads a file's text. All mistakes come back at once, in reading order.
    pub fn read(text: &str, syntax: Syntax) -> Result<Self, Vec<AnchorError>> {
        read::read(text, syntax)
    }

    pub fn kind(&self) -> AnchorKind {
        match self {
            Self::Invariants(_) => AnchorKind::Invariants,
            Self::Acceptance(_) => AnchorKind::Acceptance,
            Self::Exemplars(_) => AnchorKind::Exemplars,
            Self::Assertions(_) => AnchorKind::Assertions,
            Self::Rubric(_) => AnchorKind::Rubric,
            Self::Goal(_) => AnchorKind::Goal,
        }
    }

    /// Everything that a draft is held against by name, with what it weighs, in the order of the file. Whatever decides
    /// an item or a check, it goes by the anchor's own word for it.
    ///
    /// Of several with the same name, the later ones are numbered: a word about one of them is about that one alone.
    pub fn items(&self) -> Vec<(RequirementLevel, Rule)> {
        let mut items = self.listed();
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        for (_, rule) in &mut items {
            let times = seen.entry(rule.name().to_owned()).and_modify(|times| *times += 1).or_insert(1);
            if *times > 1 {
                rule.id = Some(format!("{} ({times})", rule.name()));
            }
        }
        items
    }

    fn listed(&self) -> Vec<(RequirementLevel, Rule)> {
        let of = |level: RequirementLevel, rules: &[Rule]| -> Vec<_> {
            rules.iter().map(|rule| (level, rule.clone())).collect()
        };
        match self {
            Self::Invariants(anchor) => {
                let mut all = of(RequirementLevel::Must, &anchor.must);
                all.extend(of(RequirementLevel::Should, &anchor.should));
                all.extend(of(RequirementLevel::MustNot, &anchor.must_not));
                all
            }
            Self::Acceptance(anchor) => {
                anchor.items.iter().map(|item| (RequirementLevel::Item, item.as_rule())).collect()
            }
            Self::Assertions(anchor) => {
                anchor.checks.iter().map(|check| (RequirementLevel::Must, check.as_rule())).collect()
            }
            Self::Goal(anchor) => of(RequirementLevel::Must, &anchor.constraints),
            Self::Exemplars(_) | Self::Rubric(_) => Vec::new(),
        }
    }
}

impl AcceptanceItem {
    /// It goes by its question; without a rule of its own somebody with an opinion has to tell.
    pub(crate) fn as_rule(&self) -> Rule {
        let id = Some(self.question.clone());
        if let Some(rule) = &self.rule {
            return Rule { id, ..rule.clone() };
        }
        Rule { test: Test::Semantic, id, rule: format!("{} Done when: {}", self.question, self.done_when) }
    }
}

impl Assertion {
    /// It goes by its description.
    pub(crate) fn as_rule(&self) -> Rule {
        Rule { id: Some(self.description.clone()), ..self.predicate.clone() }
    }
}

/// From the log and from models' answers: the same reader as for files, so that nothing unchecked gets in.
impl<'de> Deserialize<'de> for Anchor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Self::read(&value.to_string(), Syntax::Json).map_err(|errors| de::Error::custom(in_one_line(&errors)))
    }
}

impl DimensionWeight {
    pub const LEAST: Self = Self(1);
    pub const MOST: Self = Self(5);

    pub fn new(weight: i64) -> Self {
        let inside = weight.clamp(i64::from(Self::LEAST.0), i64::from(Self::MOST.0));
        Self(u32::try_from(inside).expect("between 1 and 5"))
    }

    pub fn get(self) -> u32 {
        self.0
    }
}

impl Dimension {
    /// The floor that counts: a colour may not be red unless the anchor says so.
    pub fn floor(&self) -> Option<u32> {
        self.floor.or(match self.scale {
            Scale::Points => None,
            Scale::Color => Some(1),
        })
    }
}

impl Scale {
    pub fn max(self) -> u32 {
        match self {
            Self::Points => 13,
            Self::Color => 2,
        }
    }
}
