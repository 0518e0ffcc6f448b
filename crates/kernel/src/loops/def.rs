//! What is said of a loop once, for all its runs. What depends on a run's settings is said by its
//! [`Trial`](crate::Trial).

use crate::bench::Bench;
use crate::{Event, Outcome, RunSpec, Tally};

/// What a loop is called, needs, shows and writes. Every loop says it in its own folder, in `def.rs`.
#[derive(Debug)]
pub struct LoopDef {
    /// As in logs and in the configuration; its folder is called the same.
    pub name: &'static str,
    pub title: LoopTitle,
    /// What it does, in a line.
    pub about: &'static str,
    /// What a round is called.
    pub round: RoundWord,
    /// What says how many rounds there can be.
    pub round_limit: RoundLimit,
    /// The seat that drafts.
    pub author: &'static str,
    /// What the composite of a round is.
    pub tally: TallyKind,
    /// The word for an outcome, in lists and metrics.
    pub status: fn(Outcome) -> &'static str,
    /// The files that show a run.
    pub files: LoopFiles,
    /// The key of the configuration with the most runs at once: the others wait for their turn. None: nobody waits.
    pub most_at_once: Option<&'static str>,
    /// How a run that is settled is tried again.
    pub again: Again,
    /// What is said of a run that is settled already, when it is started once more.
    pub settled_hint: &'static str,
    /// Added to the calls of a plan, where not every round makes all of them.
    pub plan_note: &'static str,
    /// Why its seats cannot be asked aside, if they cannot.
    pub no_ask: Option<LoopRefusal>,
    /// Why a person cannot choose one of its drafts, if nobody can.
    pub no_select: Option<LoopRefusal>,
    /// The tasks whose turns work on files, in a place of their own, with tools that write.
    pub works_on_files: &'static [&'static str],
    /// The tasks whose turns judge and write nothing: models are asked for them at their lowest temperature.
    pub judging: &'static [&'static str],
    /// Who writes and who judges in a run.
    pub bench: fn(&RunSpec) -> Bench,
    /// Whether its prompts show the run's brief, and so what is attached to it.
    pub shows_brief: bool,
    /// Whether its rounds end with the theater's own event, so that watchers are told of no other.
    pub ends_rounds_on_stage: bool,
    /// Whether a draft counts only once the loop has accepted it.
    pub rules_on_drafts: bool,
    /// The seats that no agent of the user's takes: what we measure, run or look up ourselves.
    pub engine_seats: &'static [&'static str],
    /// The keys of its section of the configuration, in the order in which they are listed.
    pub keys: &'static [LoopKey],
}

/// A key of a loop's section of the configuration. Which values it takes is said by the table of keys in `config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopKey {
    /// Without the loop's name; `*` stands for a name that the user chooses.
    pub name: &'static str,
    /// One line for people.
    pub doc: &'static str,
    /// As it would be given to a flag.
    pub default: Option<&'static str>,
}

/// A loop's name for people, in the languages of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopTitle {
    pub en: &'static str,
    pub de: &'static str,
    pub ja: &'static str,
    pub ko: &'static str,
    pub zh_cn: &'static str,
    pub zh_tw: &'static str,
}

/// What a loop calls a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundWord {
    Iteration,
    Round,
}

/// What says how many rounds there can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundLimit {
    /// The loop's own settings.
    Settings,
    /// Only the run's limit of rounds: how many it takes nobody knows. Whoever resumes the run may raise it.
    Run {
        /// The key of the configuration that the limit comes from, unless `limits.rounds` is lower.
        key: &'static str,
    },
}

/// What the composite of a round is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TallyKind {
    Score,
    /// Only whether both agree: what says how far it is are the must-fixes that are open.
    MustFix,
    /// The part of the work that is verified, of 1.
    Share,
}

/// The files that show a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopFiles {
    /// The review files of a workspace. All runs on an asset write the same ones.
    Workspace,
    /// The run's own artifacts.
    Artifacts,
    /// The files of a desk.
    Desk,
}

/// How a run that is settled is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// Its decision is lifted, and it goes on.
    Reopen,
    /// It stays as it is, and a new run starts from what it made.
    Rerun,
}

/// Why something cannot be done with a run, and what can be done instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopRefusal {
    /// Follows the run's name: `is a desk: …`.
    pub why: &'static str,
    hint: &'static str,
}

impl LoopDef {
    /// Whether turns of this task judge. Behind a colon a task says which draft it is about.
    pub fn is_judging(&self, task: &str) -> bool {
        task.split(':').next().is_some_and(|word| self.judging.contains(&word))
    }
}

impl LoopKey {
    pub(crate) const fn new(name: &'static str, doc: &'static str) -> Self {
        Self { name, doc, default: None }
    }

    pub(crate) const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }
}

impl LoopRefusal {
    /// `{subject}` in the hint stands for what the run works on.
    pub const fn new(why: &'static str, hint: &'static str) -> Self {
        Self { why, hint }
    }

    /// What can be done instead.
    pub fn hint(&self, spec: &RunSpec) -> String {
        self.hint.replace("{subject}", spec.subject())
    }
}

impl RoundWord {
    /// For one.
    pub fn one(self) -> &'static str {
        match self {
            Self::Iteration => "iteration",
            Self::Round => "round",
        }
    }

    /// For any other number.
    pub fn many(self) -> &'static str {
        match self {
            Self::Iteration => "iterations",
            Self::Round => "rounds",
        }
    }
}

impl TallyKind {
    /// What a round amounts to, in a few words.
    pub fn show(self, tally: &Tally) -> String {
        match self {
            Self::Score | Self::MustFix => format!("composite {}, must-fix {}", tally.composite, tally.must_fix),
            Self::Share => format!("{:.0} % verified", tally.composite.as_f64() * 100.0),
        }
    }
}

impl LoopFiles {
    /// Whether runs share them: then the newest run is what they show, and a fork is not shown at all.
    pub fn are_shared(self) -> bool {
        match self {
            Self::Workspace => true,
            Self::Artifacts | Self::Desk => false,
        }
    }

    /// Whether they look different after this event.
    pub fn follow(self, event: &Event) -> bool {
        match event {
            // A desk keeps a copy of every prompt, and says who is at work.
            Event::TurnStarted { .. } => self == Self::Desk,
            Event::RunOpened { .. }
            | Event::Heard { .. }
            | Event::Ruled { .. }
            | Event::TurnAnswered { .. }
            | Event::RoundClosed { .. }
            | Event::DraftSelected { .. }
            | Event::DecisionReopened { .. }
            | Event::ItemsDecided { .. }
            | Event::RunResumed { .. }
            | Event::RunClosed { .. } => true,
            Event::RoundOpened { .. }
            | Event::TurnParked { .. }
            | Event::TurnFailed { .. }
            | Event::DirectiveGiven { .. }
            | Event::Reanchored { .. }
            | Event::SpentElsewhere { .. }
            | Event::InterruptRequested { .. } => false,
        }
    }
}
