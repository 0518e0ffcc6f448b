//! Settings that are one of a few words. The macro keeps the enum, its words and its wire form in one list.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $(#[serde(rename = $word)] $variant),+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words! {
    /// What a command does while a run only waits for providers.
    WhenParked { Wait = "wait", Leave = "leave" }
}

words! {
    /// What confines processes.
    Confined { Auto = "auto", Bubblewrap = "bubblewrap", Landlock = "landlock", None = "none" }
}

words! {
    /// Whether a seat may cost what nobody knows, though there is a limit on money.
    Unpriced { Refuse = "refuse", Allow = "allow" }
}

words! {
    /// How grave findings of a rule are.
    CheckLevel { Must = "must", Should = "should", Note = "note", Off = "off" }
}

words! {
    /// Who looks at pages: the built-in cascade, a browser, or a browser where there is one.
    Eyes { Auto = "auto", Static = "static", Browser = "browser" }
}

words! {
    /// The colour scheme that a page is asked for.
    Scheme { Light = "light", Dark = "dark" }
}

words! {
    /// When the panel sits.
    Policy { Always = "always", OnDemand = "on-demand", Off = "off" }
}

words! {
    /// How the panel is seated: one agent plays all roles, or every role has a seat of its own.
    PanelMode { Single = "single", Seats = "seats" }
}

words! {
    /// What ships when the last round has not converged.
    FallbackPolicy { ShipBest = "ship_best", ShipLast = "ship_last", Fail = "fail" }
}

words! {
    /// What takes an agent's turns.
    AgentKind {
        Claude = "claude",
        Codex = "codex",
        Gemini = "gemini",
        Opencode = "opencode",
        Qwen = "qwen",
        Copilot = "copilot",
        Goose = "goose",
        Acp = "acp",
        Http = "http",
        Command = "command",
        House = "house",
        Human = "human",
        Replay = "replay",
    }
}

impl AgentKind {
    /// The command line of this name, if we know it: it is on the PATH or it is not, and needs no further word.
    pub fn command_line(name: &str) -> Option<Self> {
        use AgentKind::{Claude, Codex, Copilot, Gemini, Goose, Opencode, Qwen};
        [Claude, Codex, Gemini, Opencode, Qwen, Copilot, Goose].into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether a model answers: programs, people and recordings say what they say.
    pub fn is_model(self) -> bool {
        match self {
            Self::Command | Self::House | Self::Human | Self::Replay => false,
            Self::Claude
            | Self::Codex
            | Self::Gemini
            | Self::Opencode
            | Self::Qwen
            | Self::Copilot
            | Self::Goose
            | Self::Acp
            | Self::Http => true,
        }
    }
}

words! {
    /// What somebody can be told about a run, or about an agent.
    NotifyOn { NeedsPerson = "needs_person", Ended = "ended", Parked = "parked", Agent = "agent" }
}

words! {
    /// Where the hash of a log is kept by others.
    ProofAnchor { File = "file", Note = "note", Trailer = "trailer" }
}

words! {
    /// How hard a model thinks.
    Effort { Low = "low", Medium = "medium", High = "high" }
}

words! {
    /// What an HTTP model may do besides answering.
    Tools { None = "none", Read = "read" }
}
