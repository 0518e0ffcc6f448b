//! A theater on a terminal: a lane for every panelist, with its score as it stands.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tribunal_kernel::theater::{Panelist, Settings, Stage, TheaterEvent};
use tribunal_kernel::{Score, SeatName};

/// The width of a full bar.
const BAR: u32 = 20;

/// The lanes of one run.
#[derive(Debug)]
pub(crate) struct Lanes {
    stage: Stage,
    scale: Score,
    bars: Vec<(SeatName, ProgressBar)>,
}

impl Lanes {
    /// A lane for everybody in the cast, below what is on the screen.
    pub(crate) fn new(live: &MultiProgress, settings: &Settings) -> Self {
        let style = ProgressStyle::with_template("    {prefix:10} {msg}").ok();
        let width = settings.cast.iter().map(|role| role.as_str().len()).max().unwrap_or_default();
        let bars = settings.cast.iter().map(|role| {
            let bar = live.add(ProgressBar::new_spinner());
            if let Some(style) = &style {
                bar.set_style(style.clone());
            }
            bar.set_prefix(format!("{:width$}", role.as_str()));
            bar.set_message("waiting");
            (role.clone(), bar)
        });
        Self { stage: Stage::new(settings), scale: settings.scale, bars: bars.collect() }
    }

    /// Takes in an event and redraws.
    pub(crate) fn apply(&mut self, event: &TheaterEvent) {
        self.stage.apply(event);
        for (role, bar) in &self.bars {
            bar.set_message(lane(self.stage.panelists.get(role), self.scale));
        }
    }

    /// How the run stands, for the line above the lanes.
    pub(crate) fn headline(&self) -> String {
        let round = self.stage.round.map(|round| format!("round {round} of {}", self.stage.max_rounds));
        let composite = self.stage.rounds.last().map(|(round, composite, open)| {
            format!("  round {round}: {composite} of {}, must-fix {open}", self.stage.threshold)
        });
        format!("{}{}", round.unwrap_or_else(|| "opening".into()), composite.unwrap_or_default())
    }

    /// Takes the lanes off the screen.
    pub(crate) fn clear(&self) {
        for (_, bar) in &self.bars {
            bar.finish_and_clear();
        }
    }
}

fn lane(lane: Option<&Panelist>, scale: Score) -> String {
    let Some(lane) = lane else { return "waiting".into() };
    let open = match lane.must_fix.len() {
        0 => String::new(),
        1 => "  1 must-fix".into(),
        open => format!("  {open} must-fixes"),
    };
    // While it speaks, what its dimensions come to so far.
    let so_far = lane.dims.iter().filter_map(|(_, score)| *score).map(|score| (Score::points(1), score));
    let score = lane.score.or_else(|| (!lane.is_done && !lane.dims.is_empty()).then(|| Score::mean(so_far)));
    match score {
        Some(score) => {
            let full = usize::try_from(score.0 * u64::from(BAR) / scale.0.max(1)).unwrap_or_default().min(BAR as usize);
            let mark = if lane.is_done { ' ' } else { '…' };
            format!("{}{} {score}{mark}{open}", "█".repeat(full), "░".repeat(BAR as usize - full))
        }
        None if lane.is_done => format!("done{open}"),
        None => format!("speaking{open}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_shows_where_its_panelist_stands() {
        let scale = Score::points(10);
        let score = |points| Some(Score::points(points));
        let speaking =
            Panelist { dims: vec![("type".into(), score(4)), ("space".into(), score(6))], ..Panelist::default() };
        let done = Panelist { score: score(8), is_done: true, must_fix: vec!["x".into()], ..Panelist::default() };
        let shown: Vec<String> = [None, Some(&Panelist::default()), Some(&speaking), Some(&done)]
            .into_iter()
            .map(|which| lane(which, scale))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r"
        waiting
        speaking
        ██████████░░░░░░░░░░ 5…
        ████████████████░░░░ 8   1 must-fix
        ");
    }
}
