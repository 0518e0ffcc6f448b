//! Points, colours, and the aggregate of a strategy.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::result::{RequirementLevel, Violation};

/// The points that a score can have.
pub const POINTS: [u32; 7] = [0, 1, 2, 3, 5, 8, 13];
/// What a rule that holds scores, and the floor of those that must.
pub const FLOOR_MET: u32 = 13;

/// One score of a strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionScore {
    pub name: String,
    pub score: u32,
    pub max: u32,
    pub weight: u32,
    #[serde(default)]
    pub floor: Option<u32>,
}

/// A share of 1 in millionths, so that aggregates can be compared and stored exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Aggregate(pub u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    Red,
    Yellow,
    Green,
}

/// The nearest of [`POINTS`]; ties go down, and what is no number is 0.
pub fn snap(score: f64) -> u32 {
    if score.is_nan() {
        return 0;
    }
    let mut best = (f64::INFINITY, 0);
    for points in POINTS {
        let distance = (score.clamp(0.0, 13.0) - f64::from(points)).abs();
        // Strictly nearer: of two that are equally near the lower one came first.
        if distance < best.0 {
            best = (distance, points);
        }
    }
    best.1
}

/// The plain mean over strategies; 1 when there are none.
pub fn overall(strategies: &[Aggregate]) -> Aggregate {
    let count = strategies.len() as u64;
    if count == 0 {
        return Aggregate::ONE;
    }
    let sum: u64 = strategies.iter().map(|aggregate| aggregate.0).sum();
    Aggregate((sum + count / 2) / count)
}

impl CriterionScore {
    /// A rule holds or does not, and nothing between.
    pub fn met(name: &str, met: bool, level: RequirementLevel) -> Self {
        let floor = matches!(level, RequirementLevel::Must | RequirementLevel::MustNot).then_some(FLOOR_MET);
        Self { name: name.to_owned(), score: if met { FLOOR_MET } else { 0 }, max: FLOOR_MET, weight: 1, floor }
    }

    pub fn color(name: &str, color: Color) -> Self {
        Self { name: name.to_owned(), score: color.points(), max: 2, weight: 1, floor: Some(1) }
    }

    /// What is below its floor, in words.
    pub fn below_floor(&self) -> Option<Violation> {
        let floor = self.floor.filter(|floor| self.score < *floor)?;
        let message = format!("{} scores {} of {}, and the floor is {floor}", self.name, self.score, self.max);
        Some(Violation { rule: self.name.clone(), message, span: None })
    }
}

impl Color {
    pub fn points(self) -> u32 {
        match self {
            Self::Red => 0,
            Self::Yellow => 1,
            Self::Green => 2,
        }
    }

    pub fn from_points(points: u32) -> Self {
        match points {
            0 => Self::Red,
            1 => Self::Yellow,
            _ => Self::Green,
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "red" => Some(Self::Red),
            "yellow" => Some(Self::Yellow),
            "green" => Some(Self::Green),
            _ => None,
        }
    }
}

impl Aggregate {
    pub const ONE: Self = Self(1_000_000);

    /// Σ(weight · score/max) / Σ weight; 1 when nothing is scored.
    pub fn of(scores: &[CriterionScore]) -> Self {
        const SCALE: u128 = 1_000_000_000_000;
        let weights: u128 = scores.iter().map(|score| u128::from(score.weight)).sum();
        if weights == 0 {
            return Self::ONE;
        }
        let sum: u128 = scores
            .iter()
            .filter(|score| score.max > 0)
            .map(|score| {
                u128::from(score.weight) * u128::from(score.score.min(score.max)) * SCALE / u128::from(score.max)
            })
            .sum();
        // Rounded to millionths once, at the end.
        let millionth = SCALE / 1_000_000;
        let rounded = (sum / weights + millionth / 2) / millionth;
        Self(u64::try_from(rounded).unwrap_or(Self::ONE.0))
    }

    pub fn as_f64(self) -> f64 {
        self.0 as f64 / Self::ONE.0 as f64
    }
}

impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / Self::ONE.0, self.0 % Self::ONE.0)
    }
}
