//! A rubric's scores: from a scorer's answer, compared with the draft before.

use crate::{
    anchor::{Dimension, Rubric, Scale},
    result::{LintResult, Violation},
    score::{CriterionScore, snap},
};

impl Rubric {
    /// A scorer's answer on the rubric's scales. A dimension that it left out scores 0, and names that the rubric does
    /// not have are ignored.
    pub fn scores(&self, answer: &[(String, f64)]) -> Vec<CriterionScore> {
        self.dims
            .iter()
            .map(|dim| dim.score(answer.iter().find(|(name, _)| *name == dim.name).map(|(_, n)| *n)))
            .collect()
    }

    /// No dimension regresses, no floor is broken.
    pub fn judge(&self, scores: Vec<CriterionScore>, previous: Option<&[CriterionScore]>) -> LintResult {
        let mut result = LintResult::new();
        for score in &scores {
            result.violations.extend(score.below_floor());
            let before = previous.and_then(|before| before.iter().find(|before| before.name == score.name));
            if let Some(before) = before.filter(|before| score.score < before.score) {
                let message = format!("{} falls from {} to {}", score.name, before.score, score.score);
                result.violations.push(Violation { rule: score.name.clone(), message, span: None });
            }
        }
        result.valid = result.violations.is_empty();
        result.scores = scores;
        result
    }
}

impl Dimension {
    fn score(&self, given: Option<f64>) -> CriterionScore {
        let given = given.unwrap_or(0.0);
        let score = match self.scale {
            Scale::Points => snap(given),
            // Colours are their own points: half a step goes down, as elsewhere.
            Scale::Color if given > 1.5 => 2,
            Scale::Color if given > 0.5 => 1,
            Scale::Color => 0,
        };
        CriterionScore {
            name: self.name.clone(),
            score,
            max: self.scale.max(),
            weight: self.weight.get(),
            floor: self.floor(),
        }
    }
}
