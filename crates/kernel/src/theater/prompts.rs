//! What the panel is told.

use std::fmt::Write as _;

use super::answers::{BallotedJudge, DesignerAnswer, JudgeAnswer};
use super::settings::{DESIGNER, Panel, Settings};
use super::{JUDGE, MeasureInput, draft_at, evidence, input};
use crate::finding::FindingState;
use crate::prompt::{Content, Part, Prompt};
use crate::trial::Ask;
use crate::{Digest, Round, Run, Said, SeatName, Slot};

/// What a role looks at. A role that is not in here judges what its name says.
const FIELDS: [(&str, &str); 4] = [
    ("critic", "hierarchy, type, contrast, rhythm, space"),
    ("brand", "the tokens and rules of the design file: colours, fonts, radii, spacing, voice"),
    ("a11y", "WCAG 2.1 AA: contrast, focus, heading order, alt text, names of links and controls"),
    ("copy", "voice, specific verbs, length, no filler"),
];

const PRODUCTION: &str = "The artifact must be ready for production: no TODO, no lorem ipsum, no broken link. It is \
                          checked for these before it ships.";

/// One agent plays all roles.
pub(super) fn panel(settings: &Settings, run: &Run) -> Prompt {
    let Settings { max_rounds, threshold, scale, protocol_version, .. } = settings;
    let mut roles = String::new();
    for role in settings.judges() {
        let weight = settings.weight(role);
        let _ = writeln!(roles, "- {role} scores {} (weight {weight})", field(role));
    }
    let mut parts = vec![Part::Text(format!(
        "Seat: panel\nArtifact: {}\n\nYou play a panel that works on one artifact in rounds, all of it in one answer.\n\n\
         - {DESIGNER} drafts the artifact and never scores\n{roles}\n\
         A round passes when the weighted mean of the scores is at least {threshold} of {scale} and no MUST_FIX is open. \
         There are at most {max_rounds} rounds; what you write after that is not read. The numbers that count are \
         computed from the scores, not read from your ROUND_END or SHIP.",
        settings.artifact
    ))];
    parts.extend(given(settings, run));
    parts.push(Part::Text(format!(
        "Rules of the debate:\n\
         - In every round but the last each judge names at least one MUST_FIX, and at least two panelists disagree about \
         what to do. Nobody gives a score to please.\n\
         - The designer's next draft settles every MUST_FIX of the round before.\n\
         - Later rounds are shorter than earlier ones. Every draft is the whole artifact.\n\
         - {PRODUCTION}"
    )));
    parts.push(Part::Text(protocol(settings, *protocol_version)));
    Prompt { template: "theater_panel", parts }
}

pub(super) fn designer(settings: &Settings, run: &Run, round: Round) -> Prompt {
    let mut parts = opening(settings, run, round, DESIGNER);
    let previous = Round(round.0.saturating_sub(1));
    if let Some(draft) = draft_at(run, previous) {
        parts.push(artifact(draft.content));
        let demands = demands(settings, run, previous);
        parts.push(Part::Text("What the panel demands of it, and what was found in it:".into()));
        parts.push(Part::Material { label: "the open must-fixes", content: Content::Text(demands) });
        parts.push(Part::Text(
            "Settle every one of them and keep what is good. Write the whole artifact anew, not the changes.".into(),
        ));
        parts.push(Part::ForPerson(
            "Please write the artifact again, whole: keep what is good, and settle what the judges demand.".into(),
        ));
    } else {
        parts.push(Part::Text("Write the whole artifact that the brief asks for.".into()));
        parts.push(Part::ForPerson("Please write the artifact that the brief asks for, whole.".into()));
    }
    parts.push(Part::Text(PRODUCTION.into()));
    parts.push(Part::answer_form::<DesignerAnswer>());
    Prompt { template: "theater_designer", parts }
}

pub(super) fn judge(settings: &Settings, run: &Run, round: Round, role: &SeatName) -> Prompt {
    let Settings { threshold, scale, .. } = settings;
    let mut parts = opening(settings, run, round, role.as_str());
    parts.extend(draft_at(run, round).map(|draft| artifact(draft.content)));
    if let Some(measured) = evidence::of(run, round) {
        let content = Content::Text(evidence::told(measured));
        parts.push(Part::Material { label: "what was measured", content });
        parts.push(Part::Text(
            "These values were measured, not guessed. A score that contradicts one of them does not count.".into(),
        ));
        let listed = evidence::listed(run, round, role);
        if !listed.is_empty() && run.spec().is_controlled(role) {
            parts.push(Part::Text(format!("Score each of these in `dims`, by its name: {}.", listed.join(", "))));
        }
    }
    let earlier = earlier_votes(settings, run, round, role);
    if !earlier.is_empty() {
        parts.push(Part::Text("What the panel said of the draft before:".into()));
        parts.push(Part::Material { label: "the round before", content: Content::Text(earlier) });
    }
    let demand = if run.last_round(settings.max_rounds) <= round {
        "This is the last round: demand only what must not go out as it is."
    } else {
        "Name what must be mended, at least one thing if there is any; do not spare the designer."
    };
    parts.push(Part::Text(format!(
        "You judge {}, and nothing else. Score the artifact from 0 to {scale}; {threshold} means that you would let it \
         ship. Judge what is there, not what is promised. {demand} Do not ask for the opposite of what you asked for \
         before.",
        field(role)
    )));
    parts.push(Part::ForPerson(format!(
        "Please judge the artifact for {}. Give it a score from 0 to {scale}; {threshold} or more means that it can go \
         out. List what has to be fixed before, one demand each.",
        field(role)
    )));
    let ballot = crate::rules::ballot(run);
    if crate::rules::is_balloted(run, &ballot, role) {
        let ask = Ask::new(round, role.clone(), JUDGE);
        parts.extend(crate::rules::put(run, &ask, &ballot, draft_at(run, round)));
        parts.push(Part::answer_form::<BallotedJudge>());
    } else {
        parts.push(Part::answer_form::<JudgeAnswer>());
    }
    Prompt { template: "theater_judge", parts }
}

/// For programs that measure: what they work on, for whoever reads the log.
pub(super) fn measure(settings: &Settings, run: &Run, round: Round, seat: &SeatName) -> Prompt {
    let mut parts = vec![Part::Text(head(settings, seat.as_str())), Part::Text(state(settings, run, round))];
    if let Some(MeasureInput { page, .. }) = input::measured(settings, run, round) {
        parts.extend(page.design.map(design));
        parts.push(artifact(page.text));
    }
    Prompt { template: "theater_measure", parts }
}

/// What everybody is told first, a line each.
fn head(settings: &Settings, seat: &str) -> String {
    let mut head = format!("Seat: {seat}\nArtifact: {}\n", settings.artifact);
    if let Some(folder) = &settings.given.folder {
        let _ = writeln!(head, "Folder: {folder}");
    }
    let _ = write!(head, "Scale: {}", settings.scale);
    head
}

/// Where the trial stands, in the same form.
fn state(settings: &Settings, run: &Run, round: Round) -> String {
    let last = run.last_round(settings.max_rounds);
    let draft = draft_at(run, round).or(settings.given.prior.as_ref());
    let format = draft.map(|draft| format!("\nFormat: {}", draft.format.as_str())).unwrap_or_default();
    format!("Round: {round} of at most {last}{format}")
}

/// One pass without a panel.
pub(super) fn plain(settings: &Settings, run: &Run) -> Prompt {
    let round = run.rounds().last().map_or(Round(1), |state| state.round);
    let mut parts = vec![Part::Text(head(settings, DESIGNER))];
    parts.extend(given(settings, run));
    parts.push(Part::Text(state(settings, run, round)));
    if settings.panel != Panel::Off {
        let last = run.rounds().last().map_or(Round(0), |state| state.round);
        parts.extend(draft_at(run, last).map(|draft| artifact(draft.content)));
    }
    parts.push(Part::Text(format!("Write the whole artifact that the brief asks for. {PRODUCTION}")));
    parts.push(Part::ForPerson("Please write the artifact that the brief asks for, whole.".into()));
    parts.push(Part::answer_form::<DesignerAnswer>());
    Prompt { template: "theater_plain", parts }
}

fn opening(settings: &Settings, run: &Run, round: Round, role: &str) -> Vec<Part> {
    let head = head(settings, role);
    let mut parts = vec![Part::Text(format!(
        "{head}\n\nYou are the {role} of a panel. The designer drafts; judges score and demand, each without knowing who \
         the others are; a round passes when the weighted mean of the scores is at least {} of {} and no must-fix is open.",
        settings.threshold, settings.scale
    ))];
    parts.extend(given(settings, run));
    parts.push(Part::Break);
    parts.push(Part::Text(state(settings, run, round)));
    parts
}

fn given(settings: &Settings, run: &Run) -> Vec<Part> {
    let names = [("Brand", &settings.given.brand), ("Skill", &settings.given.skill)];
    let names: Vec<String> =
        names.into_iter().filter_map(|(what, name)| Some(format!("{what}: {}", name.as_ref()?))).collect();
    let mut parts = Vec::new();
    parts.extend((!names.is_empty()).then(|| Part::Text(names.join("\n"))));
    parts.push(Part::Material { label: "the brief", content: Content::Blob(run.spec().brief) });
    parts.extend(crate::rules::material(run));
    parts.extend(settings.given.design.map(design));
    if let Some(prior) = &settings.given.prior {
        parts.push(Part::Material { label: "prior art", content: Content::Blob(prior.content) });
    }
    parts
}

fn design(file: Digest) -> Part {
    Part::Material { label: "the design file", content: Content::Blob(file) }
}

fn artifact(text: Digest) -> Part {
    Part::Material { label: "the artifact", content: Content::Blob(text) }
}

fn field(role: &SeatName) -> &str {
    FIELDS.iter().find(|(name, _)| *role == **name).map_or(role.as_str(), |(_, field)| field)
}

/// The protocol by example: models follow an example better than a grammar.
fn protocol(settings: &Settings, version: u32) -> String {
    let Settings { max_rounds, threshold, scale, .. } = settings;
    let mut text = format!(
        "Answer in this protocol and write nothing outside of it:\n\
         <CRITIQUE_RUN version=\"{version}\" maxRounds=\"{max_rounds}\" threshold=\"{threshold}\" scale=\"{scale}\">\n  \
         <ROUND n=\"1\">\n    \
         <PANELIST role=\"{DESIGNER}\"><NOTES>what you did</NOTES><ARTIFACT mime=\"text/html\"><![CDATA[the whole \
         artifact]]></ARTIFACT></PANELIST>\n"
    );
    for role in settings.judges() {
        let _ = writeln!(
            text,
            "    <PANELIST role=\"{role}\" score=\"0 to {scale}\" must_fix=\"how many\"><DIM name=\"…\" score=\"…\">what \
             you saw</DIM><MUST_FIX>one demand</MUST_FIX></PANELIST>"
        );
    }
    text.push_str(
        "    <ROUND_END n=\"1\" composite=\"…\" must_fix=\"…\" decision=\"continue or \
         ship\"><REASON>why</REASON></ROUND_END>\n  </ROUND>\n  … more rounds, numbered on …\n  <SHIP round=\"the round \
         that passed\" composite=\"…\" status=\"shipped\"><ARTIFACT mime=\"text/html\"><![CDATA[that round's \
         artifact]]></ARTIFACT><SUMMARY>what was achieved</SUMMARY></SHIP>\n</CRITIQUE_RUN>\n\
         Write ]]> inside an artifact as ]]]]><![CDATA[>. Ship only after a ROUND_END with decision=\"ship\", and once: there is \
         one SHIP. Leave no panelist out of a round: a judge who does not speak has given no score.",
    );
    text
}

/// What the designer has to settle: every open demand of a round, and what the engine found.
fn demands(settings: &Settings, run: &Run, round: Round) -> String {
    let mut text = String::new();
    for (label, _, votes) in votes(settings, run, round) {
        let _ = write!(text, "{label}{votes}");
    }
    if let Slot::Answered { said: Said::Verdict(verdict), .. } = run.slot(round, &SeatName::new(super::LINT), JUDGE) {
        for finding in verdict.must_fixes() {
            let _ = writeln!(text, "- found: {}", finding.text);
        }
    }
    let came_back = run.findings().iter().filter(|life| matches!(life.state, FindingState::Reopened { .. }));
    for life in came_back {
        let _ = writeln!(text, "- it had been mended and came back: {}", life.finding.text);
    }
    if text.is_empty() { "none, but the score is too low\n".into() } else { text }
}

/// What everybody said in the round before, without names: a demand counts for what it says.
fn earlier_votes(settings: &Settings, run: &Run, round: Round, me: &SeatName) -> String {
    let mut text = String::new();
    for (label, role, votes) in votes(settings, run, Round(round.0.saturating_sub(1))) {
        let whose = if role == me { "you: " } else { label.as_str() };
        let _ = write!(text, "{whose}{votes}");
    }
    text
}

/// The verdicts of a round, each under a label that does not say whose it is.
fn votes<'r>(settings: &'r Settings, run: &'r Run, round: Round) -> Vec<(String, &'r SeatName, String)> {
    let mut all = Vec::new();
    for (letter, role) in ('A'..='Z').cycle().zip(settings.judges()) {
        let Slot::Answered { said: Said::Verdict(verdict), .. } = run.slot(round, role, JUDGE) else { continue };
        let mut text = verdict.score.map_or_else(|| "no score\n".to_owned(), |score| format!("{score}\n"));
        for dim in &verdict.dims {
            let score = dim.score.map(|score| format!(" {score}")).unwrap_or_default();
            let _ = writeln!(text, "  {}{score}: {}", dim.name, dim.note);
        }
        for finding in verdict.must_fixes() {
            let _ = writeln!(text, "- must fix: {}", finding.text);
        }
        all.push((format!("judge {letter}: "), role, text));
    }
    all
}
