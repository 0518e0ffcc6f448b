//! What changed between drafts: between rounds, or from rewrite to rewrite within one.

use serde_json::{Value, json};
use similar::TextDiff;
use std::collections::BTreeMap;
use tribunal_kernel::draft::with_final_newline;
use tribunal_kernel::{Draft, Round, Run, Score};

use crate::error::AppError;
use crate::project::Project;

/// Two drafts, and what changed from one to the other.
#[derive(Debug)]
pub struct DraftDiff {
    /// Where they come from: a round, and who wrote it where that tells them apart.
    pub from: String,
    pub to: String,
    pub rounds: (Round, Round),
    pub unified: String,
    /// What judges scored differently, by seat and name.
    pub dims: Vec<DimChange>,
}

/// A dimension whose score changed; one of them has none if it was not scored.
#[derive(Debug, PartialEq, Eq)]
pub struct DimChange {
    pub dim: String,
    pub was: Option<Score>,
    pub is: Option<Score>,
}

/// The drafts that stood at the end of two rounds; by default of the last two.
pub async fn rounds(project: &Project, run: &Run, wanted: Option<(u32, u32)>) -> Result<DraftDiff, AppError> {
    let drafted: Vec<Round> =
        run.rounds().iter().map(|state| state.round).filter(|round| run.standing(*round).is_some()).collect();
    let (from, to) = match (wanted, drafted.as_slice()) {
        (Some((from, to)), _) => (Round(from), Round(to)),
        (None, [.., from, to]) => (*from, *to),
        (None, _) => {
            return Err(AppError::invalid(
                "there are no two drafts to compare yet",
                "`tribunal status RUN` shows the rounds of a run",
            ));
        }
    };
    let drafts = (standing(run, from)?, standing(run, to)?);
    let name = |round: Round, draft| NamedDraft { round, name: format!("round {round}"), draft };
    compare(project, run, &name(from, drafts.0), &name(to, drafts.1)).await
}

/// Every rewrite of a round that was taken, each beside the draft that it replaced.
pub async fn within(project: &Project, run: &Run, round: u32) -> Result<Vec<DraftDiff>, AppError> {
    let round = Round(round);
    if !run.rounds().iter().any(|state| state.round == round) {
        return Err(no_draft(round));
    }
    let earlier = run.rounds().iter().map(|state| state.round).rfind(|earlier| *earlier < round);
    let before = earlier.and_then(|earlier| {
        Some(NamedDraft { round: earlier, name: format!("round {earlier}"), draft: run.standing(earlier)? })
    });
    let is_taken = |turn: &&tribunal_kernel::Turn| turn.ruling.as_ref().is_none_or(|ruling| ruling.accepted);
    let rewrites = run.turns_of(round).filter(is_taken).flat_map(|turn| {
        let of_round = turn.drafts().filter(move |(of, _)| *of == round);
        of_round.map(move |(_, draft)| NamedDraft { round, name: format!("round {round}, {}", turn.seat), draft })
    });
    let drafts: Vec<NamedDraft<'_>> = before.into_iter().chain(rewrites).collect();
    let mut steps = Vec::new();
    for pair in drafts.windows(2) {
        if let [from, to] = pair {
            steps.push(compare(project, run, from, to).await?);
        }
    }
    Ok(steps)
}

impl DraftDiff {
    /// For programs.
    pub fn object(&self) -> Value {
        let dims: Vec<Value> =
            self.dims.iter().map(|dim| json!({ "dim": dim.dim, "was": dim.was, "is": dim.is })).collect();
        let (from, to) = self.rounds;
        json!({
            "from": from, "to": to, "from_name": self.from, "to_name": self.to, "diff": self.unified, "dims": dims,
        })
    }
}

/// A draft, and what it is called where it is compared.
struct NamedDraft<'r> {
    round: Round,
    name: String,
    draft: &'r Draft,
}

async fn compare(
    project: &Project,
    run: &Run,
    from: &NamedDraft<'_>,
    to: &NamedDraft<'_>,
) -> Result<DraftDiff, AppError> {
    let (old, new) = (text(project, from).await?, text(project, to).await?);
    let unified = TextDiff::from_lines(&old, &new).unified_diff().header(&from.name, &to.name).to_string();
    let (was, is) = (scores(run, from.draft), scores(run, to.draft));
    let rounds = (from.round, to.round);
    Ok(DraftDiff { from: from.name.clone(), to: to.name.clone(), rounds, unified, dims: changes(&was, &is) })
}

fn changes(was: &BTreeMap<String, Score>, is: &BTreeMap<String, Score>) -> Vec<DimChange> {
    let mut names: Vec<&String> = was.keys().chain(is.keys()).collect();
    names.sort_unstable();
    names.dedup();
    // Who was not asked about one of the two says nothing of what changed.
    let change =
        |name: &&String| DimChange { dim: (*name).clone(), was: was.get(*name).copied(), is: is.get(*name).copied() };
    let is_change = |change: &DimChange| change.was != change.is && !was.is_empty() && !is.is_empty();
    names.iter().map(change).filter(is_change).collect()
}

/// What judges gave a draft, by seat and dimension.
fn scores(run: &Run, draft: &Draft) -> BTreeMap<String, Score> {
    let verdicts = run.turns().iter().filter_map(|turn| Some((&turn.seat, turn.said()?.verdict()?)));
    let about = verdicts.filter(|(_, verdict)| verdict.draft == draft.id);
    about
        .flat_map(|(seat, verdict)| {
            verdict.dims.iter().filter_map(move |dim| Some((format!("{seat}: {}", dim.name), dim.score?)))
        })
        .collect()
}

fn standing(run: &Run, round: Round) -> Result<&Draft, AppError> {
    run.standing(round).ok_or_else(|| no_draft(round))
}

fn no_draft(round: Round) -> AppError {
    AppError::invalid(format!("round {round} has no draft"), "`tribunal status RUN` shows the rounds of a run")
}

async fn text(project: &Project, NamedDraft { name, draft, .. }: &NamedDraft<'_>) -> Result<String, AppError> {
    let text = project.text(draft.content).await.map(|text| with_final_newline(&text).into_owned());
    text.ok_or_else(|| {
        AppError::environment(format!("the draft of {name} is missing"), Some("`tribunal verify` shows details".into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_told() {
        let of = |dims: &[(&str, u32)]| -> BTreeMap<String, Score> {
            dims.iter().map(|(name, points)| ((*name).to_owned(), Score::points(*points))).collect()
        };
        let told = |was: &[(&str, u32)], is: &[(&str, u32)]| -> Vec<String> {
            changes(&of(was), &of(is))
                .into_iter()
                .map(|change| format!("{} {:?} {:?}", change.dim, change.was, change.is))
                .collect()
        };
        assert_eq!(told(&[("a", 3), ("b", 5)], &[("a", 8), ("b", 5)]).len(), 1);
        assert_eq!(told(&[("a", 3)], &[("a", 3), ("b", 5)]).len(), 1, "one that was not scored before");
        assert_eq!(told(&[], &[("a", 3)]), Vec::<String>::new(), "nobody scored the other one");
    }
}
