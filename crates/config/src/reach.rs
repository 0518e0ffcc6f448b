//! How far a key reaches where somebody else's change is judged: whether it names what runs on this machine, opens the
//! network, widens which files are at hand, or says what counts.
//!
//! Whoever is judged sets none of them: a judgement takes every key from what the change found. The table is what people are
//! told of keys that the change would set otherwise. A new key has to be entered here; a test sees to it.

use crate::schema::{Found, find, parts};

/// What a key could do to whoever judges a change with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyReach {
    /// It names a program that runs outside of the sandbox of checks, or says how programs are confined.
    Programs,
    /// It opens the network, or says where something is sent.
    Network,
    /// It says which files and variables are at hand.
    Files,
    /// It says what is judged, by what, by whom, and what is enough.
    Verdict,
    /// A judgement does not look at it.
    Elsewhere,
}

impl KeyReach {
    /// For people.
    pub fn told(self) -> &'static str {
        match self {
            Self::Programs => "says which programs run here",
            Self::Network => "says what goes over the network",
            Self::Files => "says which files are at hand",
            Self::Verdict => "says how changes are judged",
            Self::Elsewhere => "has no say in a judgement",
        }
    }
}

/// Every key, by how far it reaches.
#[rustfmt::skip]
static REACHES: &[(KeyReach, &[&str])] = &[
    (KeyReach::Programs, &[
        "run.sandbox", "agents.*.kind", "agents.*.command", "notify.desktop", "notify.command", "checks.browser",
        "judge.setup", "joust.allow_commands", "desk.setup",
    ]),
    (KeyReach::Network, &[
        "agents.*.provider", "agents.*.base_url", "agents.*.api_key", "notify.webhook", "notify.secret", "notify.url",
        "judge.network", "desk.checks_network", "desk.verifier_network",
    ]),
    (KeyReach::Files, &[
        "run.attachments", "run.workspace", "agents.*.tools", "agents.*.env", "agents.*.cwd", "agents.*.persona", "agents.*.run",
        "seats.*.persona", "judge.carry", "judge.spec", "checks.root", "checks.site_root", "desk.root", "desk.writable",
        "desk.carry", "proof.file", "proof.key",
    ]),
    (KeyReach::Verdict, &[
        "run.loop", "run.max_retries", "run.when_parked", "agents.*.model", "agents.*.effort", "agents.*.controls",
        "agents.*.fallback", "agents.*.reserve_usd", "agents.*.reserve_tokens", "agents.*.turn", "agents.*.idle",
        "agents.*.output", "seats.*.agent", "seats.*.model", "seats.*.effort", "prices.*.input", "prices.*.cached",
        "prices.*.cache_write", "prices.*.output", "prices.*.max_output", "limits.usd", "limits.tokens", "limits.wall",
        "limits.rounds", "limits.stop_when_left", "limits.turn", "limits.idle", "limits.grace", "limits.output", "limits.unpriced",
        "controls.per_judge", "controls.min_catch", "controls.share", "controls.fresh", "notify.on",
        "notify.link_expires", "notify.parked_after", "judge.range", "judge.checks", "judge.verifiers", "judge.quorum",
        "judge.may_change", "judge.mutants", "judge.check_timeout", "judge.refusals", "proof.anchor",
    ]),
    (KeyReach::Elsewhere, &[
        "run.brief", "run.anchor", "waive.*.code", "waive.*.target", "waive.*.why", "checks.eyes", "checks.widths",
        "checks.schemes", "checks.links.built", "checks.levels.*", "checks.ignore.*.path", "checks.ignore.*.rules",
        "checks.ignore.*.reason", "copy.banned", "copy.preferred.*", "copy.names", "review.asset", "review.assets",
        "review.max_iterations", "review.locked_assets", "review.stop_in_circles", "review.stop_on_needs_human",
        "theater.enabled", "theater.policy", "theater.panel", "theater.cast", "theater.max_rounds", "theater.score_scale",
        "theater.score_threshold", "theater.weights.*", "theater.per_round_timeout_ms", "theater.total_timeout_ms",
        "theater.parser_max_block_bytes", "theater.fallback_policy", "theater.protocol_version",
        "theater.max_concurrent_runs", "theater.design", "theater.source", "theater.artifact", "joust.name",
        "joust.jousters", "joust.linters", "joust.scorers", "joust.specialists", "joust.anchor_kind", "joust.max_rounds",
        "joust.max_retries", "joust.max_summons_per_round", "joust.compaction_threshold", "joust.plateau_rounds",
        "joust.plateau_epsilon", "joust.quorum", "joust.scoring", "joust.pause_every", "joust.time_box", "desk.slug",
        "desk.max_iter", "desk.ladder", "desk.verifier_ladder", "desk.worker_model", "desk.verifier_model",
        "desk.roll_back", "desk.stale_after", "desk.max_consecutive_failures", "desk.check_timeout", "desk.mutants",
    ]),
];

/// How far a key reaches, by its path or another spelling of it. What nobody knows could say anything.
pub fn reach_of(path: &str) -> KeyReach {
    let Found::Key(key, ..) = find(&parts(path)) else { return KeyReach::Verdict };
    reach_of_pattern(key.path).unwrap_or(KeyReach::Verdict)
}

fn reach_of_pattern(pattern: &str) -> Option<KeyReach> {
    REACHES.iter().find(|(_, keys)| keys.contains(&pattern)).map(|(reach, _)| *reach)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::{ListItem, ValueKind};
    use crate::schema::KEYS;

    #[test]
    fn every_key_says_how_far_it_reaches() {
        for key in KEYS {
            let entered = REACHES.iter().flat_map(|(_, keys)| *keys).filter(|known| **known == key.path).count();
            assert_eq!(entered, 1, "`{}` has to be in one row of REACHES", key.path);
        }
        for path in REACHES.iter().flat_map(|(_, keys)| *keys) {
            assert!(KEYS.iter().any(|key| key.path == *path), "there is no key `{path}` any more");
        }
    }

    /// What a value is says part of it: whoever enters a key in the wrong row is told here.
    #[test]
    fn a_command_starts_programs_and_an_address_is_of_the_network() {
        for key in KEYS {
            let reach = reach_of_pattern(key.path);
            match key.kind {
                ValueKind::List { of: ListItem::Argument, .. } => {
                    assert_eq!(reach, Some(KeyReach::Programs), "{}", key.path);
                }
                ValueKind::Url | ValueKind::Secret => assert_eq!(reach, Some(KeyReach::Network), "{}", key.path),
                ValueKind::List { of: ListItem::Variable, .. } => {
                    assert_eq!(reach, Some(KeyReach::Files), "{}", key.path);
                }
                _ => {}
            }
            if key.path.starts_with("judge.") {
                assert_ne!(reach, Some(KeyReach::Elsewhere), "{}", key.path);
            }
            if key.path.contains("network") {
                assert_eq!(reach, Some(KeyReach::Network), "{}", key.path);
            }
        }
    }

    #[test]
    fn a_key_is_known_by_every_name() {
        assert_eq!(reach_of("agents.v.command"), KeyReach::Programs);
        assert_eq!(reach_of("workspace"), KeyReach::Files);
        assert_eq!(reach_of("checks.levels.contrast.text"), KeyReach::Elsewhere);
        assert_eq!(reach_of("judge.what_nobody_knows"), KeyReach::Verdict);
    }
}
