//! What a `CRITIQUE_RUN` says about the configuration.

use std::borrow::Cow;

use super::VERSION;
use crate::attributes::Attributes;
use crate::event::Fact;
use crate::key::Key;
use crate::number::{count, finite, same};
use crate::settings::ParserSettings;
use crate::warning::ClaimedSetting;

/// The settings a stream repeats: what it claims, and which of the claims are not what is configured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claims {
    max_rounds: Claim<u32>,
    threshold: Claim<f64>,
    scale: Claim<f64>,
}

/// The outer option: whether there is an attribute; the inner one: whether it can be read.
type Claim<T> = Option<Option<T>>;

impl Claims {
    pub(crate) fn read(attributes: Attributes<'_>) -> Self {
        let [max_rounds, threshold, scale] = attributes.pick([Key::MaxRounds, Key::Threshold, Key::Scale]);
        let number = |said: Cow<'_, [u8]>| finite(&said);
        Self {
            max_rounds: max_rounds.map(|said| count(&said)),
            threshold: threshold.map(number),
            scale: scale.map(number),
        }
    }

    pub(super) fn fact(self) -> Fact<'static> {
        Fact::RunStarted {
            version: VERSION,
            max_rounds: self.max_rounds.flatten(),
            threshold: self.threshold.flatten(),
            scale: self.scale.flatten(),
        }
    }

    /// A claim that cannot be read is no agreement.
    pub(super) fn mismatches(self, settings: &ParserSettings) -> impl Iterator<Item = ClaimedSetting> {
        let differs = |claim: Claim<f64>, ours: f64| claim.is_some_and(|said| !said.is_some_and(|n| same(n, ours)));
        [
            (ClaimedSetting::MaxRounds, self.max_rounds.is_some_and(|said| said != Some(settings.max_rounds))),
            (ClaimedSetting::Threshold, differs(self.threshold, settings.threshold)),
            (ClaimedSetting::Scale, differs(self.scale, settings.scale)),
        ]
        .into_iter()
        .filter_map(|(setting, differs)| differs.then_some(setting))
    }
}
