//! The panel's settings against each other: threshold and scale, weights and cast.

use tribunal_anchors::nearest;

use super::Check;
use crate::{
    decimal::Decimal,
    error::{ConfigError, ConfigMistake},
    kind::number_from,
    layer::Given,
    origin::Origin,
};

const CAST: &str = "theater.cast";
const SCALE: &str = "theater.score_scale";
const THRESHOLD: &str = "theater.score_threshold";
const WEIGHTS: &str = "theater.weights";

/// The role that drafts; all others judge.
const DESIGNER: &str = "designer";

/// So far from one may the weights add up: thirds and sevenths have to be written somehow.
const SUM_TOLERANCE: Decimal = Decimal::from_micros(1_000);

impl Check<'_> {
    pub(super) fn theater(&self) -> Vec<ConfigError> {
        let mut errors = Vec::new();
        errors.extend(self.threshold());
        errors.extend(self.cast());
        errors.extend(self.weights());
        errors
    }

    fn threshold(&self) -> Option<ConfigError> {
        let (threshold, scale) = (self.settled(THRESHOLD)?, self.settled(SCALE)?);
        let (wanted, most) = (threshold.value.number()?, scale.value.number()?);
        if wanted <= most {
            return None;
        }
        // Nobody can open the default: whoever set the scale has to look at the threshold, too.
        let origin = if threshold.origin == Origin::Default { &scale.origin } else { &threshold.origin };
        let mistake = ConfigMistake::Invalid {
            key: THRESHOLD.to_owned(),
            found: format!("`{wanted}`"),
            expected: number_from(Decimal::ZERO, most),
            hint: Some(format!("`{SCALE}` is `{most}` ({})", scale.origin)),
        };
        Some(ConfigError { origin: origin.clone(), mistake })
    }

    fn cast(&self) -> Option<ConfigError> {
        let given = self.settled(CAST)?;
        let cast = given.value.list()?;
        let complete = cast.len() > 1 && cast.iter().any(|role| role == DESIGNER);
        (!complete).then(|| {
            let mistake = ConfigMistake::Invalid {
                key: CAST.to_owned(),
                found: format!("`{}`", given.value),
                expected: format!("a list of names with `{DESIGNER}` and at least one judge"),
                hint: None,
            };
            ConfigError { origin: given.origin.clone(), mistake }
        })
    }

    fn weights(&self) -> Vec<ConfigError> {
        let Some(cast) = self.settled(CAST).and_then(|given| given.value.list()) else { return Vec::new() };
        let weights: Vec<(&str, &Given, Decimal)> = self
            .merged
            .iter()
            .filter_map(|(path, given)| Some((role_of(path)?, given, given.value.number()?)))
            .collect();
        let mut errors: Vec<ConfigError> = weights
            .iter()
            .filter_map(|(role, given, weight)| {
                let mistake = misplaced(role, *weight, cast)?;
                Some(ConfigError { origin: given.origin.clone(), mistake })
            })
            .collect();
        // A weight that is not the one that was meant makes every sum wrong.
        if errors.is_empty() && !self.refused.iter().any(|path| role_of(path).is_some()) {
            errors.extend(unbalanced(&weights));
        }
        errors
    }

    /// A value that stands for what the user wanted, and not for a better one that was refused.
    fn settled(&self, path: &str) -> Option<&Given> {
        self.merged.get(path).filter(|_| !self.refused.contains(path))
    }
}

/// The role that a path gives a weight to.
fn role_of(path: &str) -> Option<&str> {
    path.strip_prefix(WEIGHTS)?.strip_prefix('.')
}

fn misplaced(role: &str, weight: Decimal, cast: &[String]) -> Option<ConfigMistake> {
    let key = format!("{WEIGHTS}.{role}");
    if !cast.iter().any(|known| known == role) {
        let judges = cast.iter().map(String::as_str).filter(|known| *known != DESIGNER);
        let nearest = nearest(role, judges).map(str::to_owned);
        return Some(ConfigMistake::UnknownRole { key, weight, role: role.to_owned(), nearest, cast: cast.to_vec() });
    }
    (role == DESIGNER && weight != Decimal::ZERO).then(|| ConfigMistake::Invalid {
        key,
        found: format!("`{weight}`"),
        expected: "`0`".to_owned(),
        hint: Some("the designer never scores".to_owned()),
    })
}

fn unbalanced(weights: &[(&str, &Given, Decimal)]) -> Option<ConfigError> {
    let last = weights.iter().map(|(_, given, _)| &given.origin).max_by_key(|origin| origin.reading_order())?;
    let sum = Decimal::from_micros(weights.iter().map(|(_, _, weight)| weight.micros()).sum());
    (sum.micros().abs_diff(Decimal::ONE.micros()) > SUM_TOLERANCE.micros()).then(|| {
        let [least, most] =
            [Decimal::ONE.micros() - SUM_TOLERANCE.micros(), Decimal::ONE.micros() + SUM_TOLERANCE.micros()]
                .map(Decimal::from_micros);
        let mistake =
            ConfigMistake::WeightSum { key: WEIGHTS.to_owned(), sum, expected: format!("1 (from {least} to {most})") };
        ConfigError { origin: last.clone(), mistake }
    })
}
