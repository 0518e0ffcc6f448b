//! What an answer counts as: a first draft, a rewrite, scores.

use tribunal_anchors::{Dimension, lint};

use super::answers::{BootstrapAnswer, MutationAnswer, ScoreAnswer, Scored};
use super::settings::Settings;
use super::{scale_told, snowball};
use crate::answer::Misfit;
use crate::ballot::Ballot;
use crate::mutation::{Measured, Mutation};
use crate::rules;
use crate::trial::{Exhibits, Reading};
use crate::verdict::Dim;
use crate::{Draft, Format, Judgement, Run, Said, Score, Turn, Verdict};

impl Settings {
    pub(super) fn read_bootstrap(
        &self,
        run: &Run,
        turn: &Turn,
        answer: &str,
        exhibits: &Exhibits,
    ) -> Result<Reading, Misfit> {
        let BootstrapAnswer { draft, anchor, why } = crate::answer::read(answer)?;
        let anchor = match (&run.spec().anchor, anchor) {
            (Some(_), _) => None,
            (None, None) => return Err(Misfit::Unacceptable("`anchor` is missing".into())),
            (None, Some(value)) => Some(rules::written(value, self.kind)?),
        };
        let judged = run.reanchored().or(anchor.as_ref()).or(run.spec().anchor.as_ref());
        let measured = judged.map(|anchor| measured(run, &lint(anchor, &draft, None, &|_| true, exhibits.pages())));
        let mutation = Mutation {
            draft: new_draft(run, turn, &draft)?,
            critique: None,
            summon: None,
            justifications: std::collections::BTreeMap::new(),
            anchor: anchor.map(Box::new),
            why,
            measured: measured.unwrap_or_default(),
        };
        Ok(Reading { said: Said::Mutation(Box::new(mutation)), blobs: vec![draft] })
    }

    pub(super) fn read_scores(
        &self,
        run: &Run,
        turn: &Turn,
        answer: &str,
        exhibits: &Exhibits,
    ) -> Result<Reading, Misfit> {
        let ScoreAnswer { scores, ballot: lines } = crate::answer::read(answer)?;
        let draft = rules::judged(run, &turn.task, turn.round).ok_or_else(rules::nothing_to_judge)?;
        rules::cast(run, turn, &Ballot::default(), draft, &lines, exhibits)?;
        let wanted: Vec<&Dimension> = self.rubrics(run.anchor()).flat_map(|rubric| &rubric.dims).collect();
        let is_it = |given: &str, dim: &Dimension| given.trim().eq_ignore_ascii_case(dim.name.trim());
        let (mut dims, mut wrong): (Vec<Dim>, Vec<String>) = (Vec::new(), Vec::new());
        for dim in &wanted {
            let given: Vec<&Scored> = scores.iter().filter(|scored| is_it(&scored.name, dim)).collect();
            match given.as_slice() {
                [scored] => match scored.score.on(dim.scale) {
                    Some(points) => dims.push(Dim {
                        name: dim.name.clone(),
                        score: Some(Score::points(points)),
                        note: scored.rationale.clone(),
                    }),
                    None => wrong.push(format!("`{}`, which is scored as {}", dim.name, scale_told(dim.scale))),
                },
                _ => wrong.push(format!("`{}`", dim.name)),
            }
        }
        let unknown = scores.iter().filter(|scored| !wanted.iter().any(|dim| is_it(&scored.name, dim)));
        wrong.extend(unknown.map(|scored| format!("`{}`, which is none of them", scored.name)));
        if !wrong.is_empty() {
            let why = format!("`scores` must name every dimension once, by its name; see {}", wrong.join(", "));
            return Err(Misfit::Unacceptable(why));
        }
        let verdict = Verdict { dims, ..Verdict::new(draft.id, Judgement::Abstain) };
        Ok(Reading { said: Said::Verdict(verdict), blobs: Vec::new() })
    }
}

pub(super) fn read_mutation(run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
    let MutationAnswer { draft, critique, summon, justifications } = crate::answer::read(answer)?;
    let anchor = run.anchor();
    let before = snowball::accepted(run).map(|(_, mutation, _)| mutation);
    let previous = before.and_then(|mutation| exhibits.text(&mutation.draft.content));
    let mut found = Measured::default();
    if let Some(anchor) = anchor {
        // Files and commands have their turn later; nobody is paid for what can be told from the text.
        let mut result = lint(anchor, &draft, previous, &|_| true, exhibits.pages()).settle(&justifications);
        if let Some(before) = before {
            result = result.keep(&before.measured.covered);
        }
        if !result.violations.is_empty() {
            let told: Vec<String> = result
                .violations
                .iter()
                .map(|violation| match &violation.span {
                    Some(span) => {
                        format!("{}: {} (line {}: {:?})", violation.rule, violation.message, span.line, span.quote)
                    }
                    None => format!("{}: {}", violation.rule, violation.message),
                })
                .collect();
            return Err(Misfit::Unacceptable(format!("the draft was rejected:\n- {}", told.join("\n- "))));
        }
        found = measured(run, &result);
    }
    let mutation = Mutation {
        draft: new_draft(run, turn, &draft)?,
        critique: critique.filter(|text| !text.trim().is_empty()),
        summon: summon.filter(|summon| !summon.specialist.trim().is_empty()),
        justifications,
        anchor: None,
        why: None,
        measured: found,
    };
    Ok(Reading { said: Said::Mutation(Box::new(mutation)), blobs: vec![draft] })
}

/// What the rules that need no opinion said.
fn measured(run: &Run, result: &tribunal_anchors::LintResult) -> Measured {
    let broken = result.violations.iter().chain(&result.should_violations).chain(&result.open);
    Measured {
        broken: broken.map(|violation| (violation.rule.clone(), violation.message.clone())).collect(),
        under: run.reanchorings(),
        scores: result.scores.clone(),
        covered: result.covered(),
        open: result.open.iter().map(|item| item.rule.clone()).collect(),
        near_tie: result.near_tie,
    }
}

fn new_draft(run: &Run, turn: &Turn, text: &str) -> Result<Draft, Misfit> {
    if text.trim().is_empty() {
        return Err(Misfit::Unacceptable("`draft` is empty".into()));
    }
    Ok(Draft::proposed(run.spec().run, turn.id, text, Format::Markdown))
}
