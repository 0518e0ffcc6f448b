//! What is played: a loop with scripted agents, and what a user has for it.

pub(super) mod desk;
mod joust;
mod judge;
mod review;
mod theater;

use super::scene::Shape;

/// A loop, from its configuration to its agents.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) name: &'static str,
    /// What `tribunal` is told.
    pub(super) start: &'static [&'static str],
    /// `tribunal.toml`, but for agents, seats and sandbox.
    pub(super) config: &'static str,
    /// Files of the project.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// What somebody changed since the first commit.
    pub(super) change: &'static [(&'static str, &'static str)],
    /// Seats, each with the body of a script.
    pub(super) agents: &'static [(&'static str, &'static str)],
    /// Files and folders beside `.tribunal` that show its runs.
    pub(super) views: &'static [&'static str],
    /// How often agents are called when nobody is killed.
    pub(super) calls: usize,
    /// How many turns can be in flight: so many are begun again after a kill.
    pub(super) at_once: u64,
    pub(super) shapes: &'static [Shape],
    /// Whether a server can start it, too.
    pub(super) is_served: bool,
}

impl Play {
    pub(super) fn is_desk(&self) -> bool {
        self.name == desk::PLAY.name
    }
}

pub(super) const ALL: [&Play; 5] = [&desk::PLAY, &review::PLAY, &joust::PLAY, &theater::PLAY, &judge::PLAY];
