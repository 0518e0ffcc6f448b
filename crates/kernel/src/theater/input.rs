//! What programs on the panel work on.

use super::{DRAFT, Draft, JUDGE, PLAIN, Panel, Settings, draft_at};
use crate::input::TurnInput;
use crate::prompt::MissingBlob;
use crate::trial::Ask;
use crate::{Digest, Format, Round, Run, Score};

/// A page, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageInput<B = Digest> {
    pub text: B,
    pub format: Format,
    /// The folder that its links start from, relative to the workspace.
    pub folder: Option<String>,
    /// The name of its file in that folder, if it has one.
    pub file: Option<String>,
    /// The design file.
    pub design: Option<B>,
}

/// For a program in the designer's seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixInput<B = Digest> {
    /// The draft before, or what was there before the run. Nothing, if it is to be written from nothing.
    pub page: Option<PageInput<B>>,
    /// Whether somebody demands changes.
    pub has_demands: bool,
}

/// For a program in a judge's seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasureInput<B = Digest> {
    pub page: PageInput<B>,
    /// What a full score is.
    pub scale: Score,
}

impl PageInput {
    fn of(settings: &Settings, draft: &Draft) -> Self {
        let given = &settings.given;
        let (folder, file) = (given.folder.clone(), given.file.clone());
        Self { text: draft.content, format: draft.format, folder, file, design: given.design }
    }

    pub(crate) fn blobs(&self) -> impl Iterator<Item = Digest> {
        [self.text].into_iter().chain(self.design)
    }

    pub(crate) fn supply<T>(
        self,
        fetch: impl Fn(Digest) -> Result<T, MissingBlob>,
    ) -> Result<PageInput<T>, MissingBlob> {
        let Self { text, format, folder, file, design } = self;
        Ok(PageInput { text: fetch(text)?, format, folder, file, design: design.map(fetch).transpose()? })
    }
}

/// What the seat that is asked works on, if a program can sit there.
pub(super) fn of(settings: &Settings, run: &Run, ask: &Ask) -> Option<TurnInput> {
    Some(match &*ask.task {
        DRAFT => TurnInput::Fix(fixed(settings, run, Round(ask.round.0.saturating_sub(1)))),
        PLAIN => TurnInput::Fix(plain(settings, run)),
        JUDGE => TurnInput::Measure(measured(settings, run, ask.round)?),
        _ => return None,
    })
}

/// The draft of a round, to be judged.
pub(super) fn measured(settings: &Settings, run: &Run, round: Round) -> Option<MeasureInput> {
    Some(MeasureInput { page: PageInput::of(settings, draft_at(run, round)?), scale: settings.scale })
}

/// The draft of the round before, which the panel had its say about; or what was given.
fn fixed(settings: &Settings, run: &Run, previous: Round) -> FixInput {
    let draft = draft_at(run, previous);
    let page = draft.or(settings.given.prior.as_ref()).map(|draft| PageInput::of(settings, draft));
    FixInput { page, has_demands: draft.is_some() }
}

/// What one pass without a panel begins from. Nobody demands anything there.
fn plain(settings: &Settings, run: &Run) -> FixInput {
    let last = run.rounds().last().map_or(Round(0), |state| state.round);
    let draft = draft_at(run, last).filter(|_| settings.panel != Panel::Off);
    let page = draft.or(settings.given.prior.as_ref()).map(|draft| PageInput::of(settings, draft));
    FixInput { page, has_demands: false }
}
