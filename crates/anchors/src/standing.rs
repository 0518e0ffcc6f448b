//! How drafts compare, and when they stop getting better.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::score::{Aggregate, Color, CriterionScore, overall};

/// Where a draft stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftStanding {
    /// Its worst colour, where colours were given.
    pub tier: Option<Color>,
    pub aggregate: Aggregate,
}

impl DraftStanding {
    /// From the scores of all strategies.
    pub fn of(strategies: &[Vec<CriterionScore>]) -> Self {
        let colored = strategies.iter().flatten().filter(|score| score.max == 2);
        let aggregates: Vec<Aggregate> = strategies.iter().map(|scores| Aggregate::of(scores)).collect();
        Self { tier: colored.map(|score| Color::from_points(score.score)).min(), aggregate: overall(&aggregates) }
    }

    /// By tier, where both have one, then by aggregate.
    pub fn compare(self, other: Self) -> Ordering {
        let tiers = match (self.tier, other.tier) {
            (Some(ours), Some(theirs)) => ours.cmp(&theirs),
            _ => Ordering::Equal,
        };
        tiers.then(self.aggregate.cmp(&other.aggregate))
    }

    /// Whether a draft that stands here may replace one that stands there; ties are accepted.
    pub fn may_replace(self, other: Self) -> bool {
        self.compare(other).is_ge()
    }
}

/// Whether the last `k + 1` aggregates show no progress: none exceeds the first of them by more than `epsilon`.
pub fn plateau(aggregates: &[Aggregate], k: usize, epsilon: Aggregate) -> bool {
    let Some(start) = aggregates.len().checked_sub(k + 1) else { return false };
    let window = &aggregates[start..];
    window.iter().all(|aggregate| aggregate.0 <= window[0].0.saturating_add(epsilon.0))
}
