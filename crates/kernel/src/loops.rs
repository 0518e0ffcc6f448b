//! The registry of loops: which there are, and what each is called, needs, shows and writes.
//!
//! A loop is a folder and a registration. To add `debate`:
//!
//! 1. `src/debate/`: `Settings`, which implements [`Trial`], and `def.rs` with `DEF`, its [`LoopDef`];
//! 2. `pub mod debate;` in `lib.rs`;
//! 3. `Debate: debate,` in the list below.
//!
//! Nothing else in the kernel changes, and nobody else asks which loop a run follows: what differs from loop to loop is
//! asked of [`LoopKind::def`] or of the run's [`Trial`], and what belongs to one loop alone of [`RunSpec::settings_of`].
//! In unit tests there is a fifth loop, `loops/debate.rs`, registered by exactly these lines.

#[cfg(test)]
mod debate;
mod def;

use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fmt;

use crate::trial::Trial;
use crate::{RunSpec, desk, joust, judge, review, theater};

pub use def::{Again, LoopDef, LoopFiles, LoopKey, LoopRefusal, LoopTitle, RoundLimit, RoundWord, TallyKind};

/// The settings of one loop.
pub trait RegisteredLoop: Trial + Any + Into<LoopSettings> {
    const KIND: LoopKind;
}

macro_rules! loops {
    ($($(#[$attribute:meta])* $kind:ident: $folder:ident),+ $(,)?) => {
        /// The loop's own settings.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "loop", rename_all = "snake_case")]
        pub enum LoopSettings { $($(#[$attribute])* $kind { $folder: Box<$folder::Settings> }),+ }

        /// The shapes of a trial.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum LoopKind { $($(#[$attribute])* $kind),+ }

        /// Every loop that there is.
        pub const LOOPS: &[LoopKind] = &[$($(#[$attribute])* LoopKind::$kind),+];

        /// What they are called, in the same order.
        pub const LOOP_NAMES: &[&str] = &[$($(#[$attribute])* stringify!($folder)),+];

        impl LoopKind {
            /// What the loop is called, needs, shows and writes.
            pub fn def(self) -> &'static LoopDef {
                match self { $($(#[$attribute])* Self::$kind => &$folder::DEF),+ }
            }
        }

        impl LoopSettings {
            pub(crate) fn kind(&self) -> LoopKind {
                match self { $($(#[$attribute])* Self::$kind { .. } => LoopKind::$kind),+ }
            }

            pub(crate) fn trial(&self) -> &dyn Trial {
                match self { $($(#[$attribute])* Self::$kind { $folder } => &**$folder),+ }
            }

            fn any(&self) -> &dyn Any {
                match self { $($(#[$attribute])* Self::$kind { $folder } => &**$folder),+ }
            }

            fn any_mut(&mut self) -> &mut dyn Any {
                match self { $($(#[$attribute])* Self::$kind { $folder } => &mut **$folder),+ }
            }
        }

        $($(#[$attribute])* impl RegisteredLoop for $folder::Settings {
            const KIND: LoopKind = LoopKind::$kind;
        }

        $(#[$attribute])* impl From<$folder::Settings> for LoopSettings {
            fn from(settings: $folder::Settings) -> Self {
                Self::$kind { $folder: Box::new(settings) }
            }
        })+
    };
}

loops! {
    Review: review,
    Theater: theater,
    Joust: joust,
    Desk: desk,
    Judge: judge,
    #[cfg(test)]
    Debate: debate,
}

impl LoopKind {
    /// The loop's name.
    pub fn as_str(self) -> &'static str {
        self.def().name
    }
}

impl fmt::Display for LoopKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl RunSpec {
    /// The loop that this run follows.
    pub fn trial(&self) -> &dyn Trial {
        self.settings.trial()
    }

    /// Which loop it is.
    pub fn kind(&self) -> LoopKind {
        self.settings.kind()
    }

    /// What that loop is called, needs, shows and writes.
    pub fn def(&self) -> &'static LoopDef {
        self.kind().def()
    }

    /// The settings of the run, if it is one of that loop: `spec.settings_of::<theater::Settings>()`.
    pub fn settings_of<S: RegisteredLoop>(&self) -> Option<&S> {
        self.settings.any().downcast_ref()
    }

    /// The same, to be changed.
    pub fn settings_of_mut<S: RegisteredLoop>(&mut self) -> Option<&mut S> {
        self.settings.any_mut().downcast_mut()
    }

    /// The most rounds that it may come to, if anybody knows.
    pub fn most_rounds(&self) -> Option<u32> {
        match self.def().round_limit {
            RoundLimit::Settings => Some(self.trial().outlook(0).rounds),
            RoundLimit::Run { .. } => self.limits.rounds,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_loop_goes_by_one_name_in_logs_and_in_its_folder() {
        for kind in LOOPS {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(format!("{kind:?}").to_lowercase(), kind.as_str());
        }
        let names: Vec<&str> = LOOPS.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(names, LOOP_NAMES);
        let names: BTreeSet<&str> = names.into_iter().collect();
        assert_eq!(names.len(), LOOPS.len(), "two loops of one name: {names:?}");
    }

    #[test]
    fn settings_are_found_by_their_type_and_by_no_other() {
        let settings = desk::Settings::new("calc");
        let run = crate::RunId(uuid::Uuid::from_u128(1));
        let mut spec = RunSpec::new(run, ".".into(), crate::Digest::of("brief"), settings.clone());
        assert_eq!((spec.kind(), desk::Settings::KIND), (LoopKind::Desk, LoopKind::Desk));
        assert_eq!(spec.settings_of::<desk::Settings>(), Some(&settings));
        assert!(spec.settings_of::<theater::Settings>().is_none());
        assert!(spec.settings_of_mut::<joust::Settings>().is_none());
        spec.settings_of_mut::<desk::Settings>().unwrap().slug = "other".into();
        assert_eq!(spec.subject(), "other");
    }

    #[test]
    fn everything_that_people_read_of_a_loop_is_there() {
        for kind in LOOPS {
            let LoopDef { title, about, settled_hint, author, .. } = kind.def();
            let LoopTitle { en, de, ja, ko, zh_cn, zh_tw } = title;
            let keys = kind.def().keys.iter().map(|key| &key.doc);
            for text in [en, de, ja, ko, zh_cn, zh_tw, about, settled_hint, author].into_iter().chain(keys) {
                assert!(!text.is_empty(), "{kind}");
            }
        }
    }
}
