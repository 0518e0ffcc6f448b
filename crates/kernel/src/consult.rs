//! Questions outside of a trial: nothing of them is in the log, and nothing is decided by the answers.

use schemars::JsonSchema;
use serde::Deserialize;
use tribunal_anchors::{Anchor, AnchorKind};

use crate::answer::Misfit;
use crate::ballot::{self, Ballot, BallotAnswer, BallotReading, Vote};
use crate::control::{ControlReading, Plant, PlantedDraft};
use crate::prompt::{Content, Part, Prompt};
use crate::rules::{self, DRAFT};
use crate::{Digest, Format, Run, SeatName};

/// An anchor, and why it is as it is.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AnchorAnswer {
    /// What drafts are judged against from now on.
    pub anchor: serde_json::Value,
    /// Why this one, in a sentence.
    #[serde(default)]
    pub why: Option<String>,
}

/// What somebody asks a seat about a run.
pub fn question(run: &Run, seat: &SeatName, text: &str) -> Prompt {
    let spec = run.spec();
    let mut parts = vec![
        Part::Text(format!(
            "Seat: {seat}\nSubject: {}\n\nYou are the {seat} of a {} that is in round {}. Somebody who watches it has a \
             question for you. Your answer changes nothing in the trial.",
            spec.subject(),
            spec.kind(),
            run.rounds().len().max(1),
        )),
        Part::Material { label: "the brief", content: Content::Blob(spec.brief) },
    ];
    parts.extend(rules::material(run));
    let draft = run.drafts().last();
    parts.extend(draft.map(|draft| Part::Material { label: DRAFT, content: Content::Blob(draft.content) }));
    let findings: String = run.findings().iter().fold(String::new(), |told, life| {
        format!("{told}- {}, {}: {}\n", life.finding.severity.as_str(), life.state, life.finding.text)
    });
    if !findings.is_empty() {
        parts.push(Part::Material { label: "what was found so far", content: Content::Text(findings) });
    }
    parts.push(Part::Text(format!("The question:\n{text}\n\nAnswer in plain text.")));
    attached(Prompt { template: "question", parts }, run)
}

/// Asks for an anchor of another kind for a run that goes on.
pub fn anchor(run: &Run, kind: AnchorKind) -> Prompt {
    let spec = run.spec();
    let mut parts = vec![
        Part::Text(format!(
            "Subject: {}\n\nThe drafts of a {} are to be judged by another anchor from now on. Write one of kind `{}`.",
            spec.subject(),
            spec.kind(),
            kind.as_str(),
        )),
        Part::Material { label: "the brief", content: Content::Blob(spec.brief) },
    ];
    parts.extend(rules::material(run));
    let draft = run.drafts().last();
    parts.extend(draft.map(|draft| Part::Material { label: DRAFT, content: Content::Blob(draft.content) }));
    parts.push(Part::Text(rules::form(kind)));
    parts.push(Part::answer_form::<AnchorAnswer>());
    attached(Prompt { template: "anchor", parts }, run)
}

/// With what is attached to the run's brief.
fn attached(mut prompt: Prompt, run: &Run) -> Prompt {
    prompt.attach(run.spec().brief, &run.spec().attachments);
    prompt
}

/// The anchor that was asked for.
pub fn read_anchor(answer: &str, kind: AnchorKind) -> Result<(Anchor, Option<String>), Misfit> {
    let AnchorAnswer { anchor, why } = crate::answer::read(answer)?;
    let anchor = rules::written(anchor, kind)?;
    // It takes its place at once: nobody would see its commands before they run.
    if !rules::commands(&anchor).is_empty() {
        let why = "`anchor` must not run commands: use patterns, predicates, or rules in plain words";
        return Err(Misfit::Unacceptable(why.into()));
    }
    Ok((anchor, why))
}

/// What shows whether such a judge notices anything.
#[derive(Debug)]
pub struct OpinionControl<'a> {
    ballot: &'a Ballot,
    format: Format,
    planted: PlantedDraft,
}

impl OpinionControl<'_> {
    /// What the judge is asked.
    pub fn opinion(&self) -> Opinion<'_> {
        Opinion { ballot: self.ballot, text: &self.planted.text, is_controlled: true }
    }

    /// What its answer shows.
    pub fn reading(&self, votes: &[Vote]) -> ControlReading {
        ControlReading::of(&self.planted.faults, self.format, votes, || false)
    }
}

/// A ballot that is put to a judge outside of a trial. One whose votes are controlled gets two items of known truth, drawn
/// anew for each attempt.
#[derive(Debug)]
pub struct Opinion<'a> {
    pub ballot: &'a Ballot,
    pub text: &'a str,
    pub is_controlled: bool,
}

impl Opinion<'_> {
    /// What the judge is asked.
    pub fn prompt(&self, subject: &str, seat: &SeatName, attempt: u32) -> Prompt {
        let text = Content::Text(self.text.to_owned());
        let items = if self.is_controlled {
            self.ballot.attended_parts(text.clone(), self.seed(attempt))
        } else {
            self.ballot.parts()
        };
        rules::opinion(subject, seat, items, Some(text))
    }

    /// What it says. `is_last`: it is not asked again.
    pub fn read(&self, answer: &str, attempt: u32, is_last: bool) -> Result<BallotReading, Misfit> {
        let BallotAnswer { ballot: lines, .. } = crate::answer::read(answer)?;
        if self.is_controlled {
            return self.ballot.attended(self.text, self.seed(attempt)).read(&lines, self.text, is_last);
        }
        self.ballot.read(&lines, self.text, is_last)
    }

    /// Whether it is asked before the control that goes with it.
    pub fn comes_first(&self) -> bool {
        self.seed(0).0[0].is_multiple_of(2)
    }

    /// A control of the judge: the same items about a text that breaks them all.
    pub fn control(&self, format: Format) -> OpinionControl<'_> {
        let plant = Plant { ballot: self.ballot.clone(), format, seed: self.seed(0) };
        OpinionControl { ballot: self.ballot, format, planted: plant.planted(self.text) }
    }

    fn seed(&self, attempt: u32) -> Digest {
        ballot::seed(&[self.text.as_bytes(), &attempt.to_le_bytes()])
    }
}
