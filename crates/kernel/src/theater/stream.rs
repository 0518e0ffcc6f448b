//! Following a panel that speaks in one stream of the wire protocol.

use std::collections::VecDeque;
use std::mem;
use tribunal_wire as wire;
use tribunal_wire::{Fact, Source, Warning, WireEvent as Heard};

use super::settings::{DESIGNER, Settings};
use crate::finding::Complaint;
use crate::heard::{Claim, Utterance};
use crate::trial::{Hearing, Listener};
use crate::verdict::{Correction, Dim};
use crate::{Draft, DraftId, Format, Judgement, Round, Run, Score, SeatName, TurnId};

/// A stream that is being followed. The parser says what the stream says; this says what it means to the run, one
/// round at a time: the next round is passed on when the gate has ruled on the one before.
#[derive(Debug)]
pub(super) struct Stream {
    turn: TurnId,
    settings: Settings,
    parser: Option<wire::Parser>,
    /// What was said and not passed on yet.
    ahead: VecDeque<Ahead>,
    speaking: Option<Speaking>,
    /// The artifact that is coming in: its bytes are kept once.
    artifact: Vec<u8>,
    source: Source,
    format: Format,
    ship: Option<Shipping>,
    /// Nothing that follows counts any more.
    is_over: bool,
}

#[derive(Debug)]
enum Ahead {
    Said(Heard<'static>),
    Broke { reason: &'static str, position: u64, message: String },
}

/// What the panel wants to hand over.
#[derive(Debug)]
struct Shipping {
    round: Option<Round>,
    claim: Claim,
    /// The artifact, and its text until somebody cites it.
    draft: Option<(Draft, String)>,
}

/// The panelist who is speaking.
#[derive(Debug)]
struct Speaking {
    at: u64,
    role: SeatName,
    score: Option<Score>,
    announced: u32,
    demanded: u32,
    /// The score as it was said, if it is beyond the scale.
    beyond: Option<f64>,
}

impl Stream {
    pub(super) fn new(settings: &Settings, turn: TurnId) -> Self {
        let parser = wire::Parser::new(wire::ParserSettings {
            max_block_bytes: usize::try_from(settings.max_block_bytes).unwrap_or(usize::MAX),
            max_rounds: settings.max_rounds,
            scale: settings.scale.as_f64(),
            threshold: settings.threshold.as_f64(),
            cast: settings.cast.iter().map(ToString::to_string).collect(),
        });
        Self {
            turn,
            settings: settings.clone(),
            parser: Some(parser),
            ahead: VecDeque::new(),
            speaking: None,
            artifact: Vec::new(),
            source: Source::Ship,
            format: Format::default(),
            ship: None,
            is_over: false,
        }
    }

    /// Takes bytes where there is no text yet.
    pub(super) fn push_bytes(&mut self, bytes: &[u8]) {
        let Some(parser) = &mut self.parser else { return };
        let (ahead, artifact) = (&mut self.ahead, &mut self.artifact);
        // An artifact's bytes are kept once, here, and not as events.
        let result = parser.push(bytes, &mut |event| match event.fact {
            Fact::ArtifactChunk(piece) => artifact.extend_from_slice(&piece),
            Fact::ArtifactClosed { bytes } => {
                let text = mem::take(artifact);
                let fact = Fact::ArtifactChunk(text.into());
                ahead.push_back(Ahead::Said(Heard { position: event.position, fact }));
                let fact = Fact::ArtifactClosed { bytes };
                ahead.push_back(Ahead::Said(Heard { position: event.position, fact }));
            }
            _ => ahead.push_back(Ahead::Said(event.into_owned())),
        });
        if let Err(error) = result {
            self.break_off(&error);
        }
    }

    fn break_off(&mut self, error: &wire::Error) {
        self.parser = None;
        self.ahead.push_back(Ahead::Broke {
            reason: error.kind(),
            position: error.position(),
            message: error.to_string(),
        });
    }

    /// What one fact means.
    fn take(&mut self, run: &Run, Heard { position, fact }: Heard<'static>, hearing: &mut Hearing) {
        let say = &mut hearing.utterances;
        match fact {
            Fact::RunStarted { .. } => say.push(Utterance::Began),
            Fact::RoundOpened { .. } | Fact::Noted { .. } | Fact::ArtifactClosed { .. } => {}
            Fact::PanelistOpened { round, role, score, must_fix } => {
                let role = SeatName::new(role);
                say.push(Utterance::Opened { round: Round(round), seat: role.clone() });
                self.speaking = Some(Speaking {
                    at: position,
                    score: score.map(Score::from_f64).filter(|_| role != *DESIGNER),
                    role,
                    announced: must_fix.unwrap_or_default(),
                    demanded: 0,
                    beyond: None,
                });
            }
            Fact::DimScored { round, role, name, score, note } => say.push(Utterance::Scored {
                round: Round(round),
                seat: SeatName::new(role),
                dim: Dim { name: name.into_owned(), score: score.map(Score::from_f64), note: note.into_owned() },
            }),
            Fact::MustFixDemanded { round, role, text } => {
                let seat = SeatName::new(role);
                if let Some(speaking) = &mut self.speaking {
                    speaking.demanded += 1;
                }
                let complaint = Complaint::must_fix(text.into_owned());
                let found = run.findings().identify(run.spec().run, &seat, vec![complaint]);
                let of = |finding| Utterance::Found { round: Round(round), seat: seat.clone(), finding };
                say.extend(found.into_iter().map(of));
            }
            Fact::PanelistClosed { round, .. } => {
                if let Some(speaking) = self.speaking.take() {
                    say.push(speaking.close(&self.settings, Round(round)));
                }
            }
            Fact::ArtifactOpened { source, mime } => (self.source, self.format) = (source, Format::of_mime(&mime)),
            Fact::ArtifactChunk(bytes) => self.draft(run, bytes.into_owned(), hearing),
            Fact::RoundEnded { round, composite, decision, reason, .. } => {
                let claim = Claim {
                    composite: composite.map(Score::from_f64),
                    wants_to_ship: decision == wire::ClaimedDecision::Ship,
                    text: reason.into_owned(),
                    position,
                };
                say.push(Utterance::RoundEnded { round: Round(round), claim });
            }
            Fact::ShipOpened { round, composite, .. } => {
                let composite = composite.map(Score::from_f64);
                let claim = Claim { composite, wants_to_ship: true, text: String::new(), position };
                self.ship = Some(Shipping { round: round.map(Round), claim, draft: None });
            }
            Fact::Summarised { text } => {
                if let Some(ship) = &mut self.ship {
                    ship.claim.text = text.into_owned();
                }
            }
            Fact::ShipClosed => {
                if let Some(Shipping { round, claim, draft }) = self.ship.take() {
                    let (draft, text) = draft.unzip();
                    hearing.blobs.extend(text);
                    say.push(Utterance::Shipped { round, claim, draft });
                }
            }
            Fact::RunEnded => {
                self.is_over = true;
                say.push(Utterance::Ended);
            }
            Fact::Warned(warning) => {
                if let (Warning::ScoreClamped { said }, Some(speaking)) = (warning, &mut self.speaking)
                    && speaking.at == position
                    && said > 0.0
                {
                    speaking.beyond = Some(said);
                }
                say.push(Utterance::Warned { warning: warning.kind().into(), position });
            }
        }
    }

    fn draft(&mut self, run: &Run, bytes: Vec<u8>, hearing: &mut Hearing) {
        let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into());
        if text.trim().is_empty() {
            return;
        }
        let round = if let Source::Draft { round } = self.source { round } else { 0 };
        let place = [&self.turn.0.to_le_bytes()[..], &round.to_le_bytes(), text.as_bytes()];
        let draft = Draft::of(DraftId(run.spec().run.derive("draft", &place)), &text, self.format);
        if let Some(ship) = &mut self.ship {
            ship.draft = Some((draft, text));
        } else {
            hearing.blobs.push(text);
            hearing.utterances.push(Utterance::Drafted { round: Round(round), draft });
        }
    }

    /// Whether this opens a round that nobody waits for: a decision stands, or no round is left.
    fn is_past_the_end(&self, run: &Run, fact: &Fact<'_>) -> bool {
        let Fact::RoundOpened { round } = fact else { return false };
        run.decision().is_settled() || run.last_round(self.settings.max_rounds) < Round(*round)
    }
}

impl Listener for Stream {
    fn push(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    fn finish(&mut self) {
        let Some(parser) = self.parser.take() else { return };
        let position = parser.position();
        match parser.finish() {
            Ok(wire::StreamEnd::RunEnded) => {}
            Ok(wire::StreamEnd::NoRun) => {
                let message = "the answer holds no <CRITIQUE_RUN>".to_owned();
                self.ahead.push_back(Ahead::Broke { reason: "malformed_block", position, message });
            }
            Err(error) => self.break_off(&error),
        }
    }

    fn next(&mut self, run: &Run) -> Option<Hearing> {
        let mut hearing = Hearing::default();
        if self.is_over {
            self.ahead.clear();
        } else if awaits_ruling(run, self.turn) {
            return None;
        }
        while let Some(ahead) = self.ahead.pop_front() {
            match ahead {
                Ahead::Said(event) if self.is_past_the_end(run, &event.fact) => {
                    self.is_over = true;
                    hearing.utterances.push(Utterance::Ended);
                }
                Ahead::Said(event) => {
                    let is_for_the_gate = matches!(event.fact, Fact::RoundEnded { .. } | Fact::ShipClosed);
                    self.take(run, event, &mut hearing);
                    if is_for_the_gate {
                        break;
                    }
                }
                Ahead::Broke { reason, position, message } => {
                    self.is_over = true;
                    hearing.utterances.push(Utterance::Broke { reason: reason.into(), position, message });
                }
            }
            if self.is_over {
                self.ahead.clear();
            }
        }
        (!hearing.utterances.is_empty()).then_some(hearing)
    }

    fn is_drained(&self) -> bool {
        self.is_over || self.ahead.is_empty()
    }
}

impl Speaking {
    fn close(self, settings: &Settings, round: Round) -> Utterance {
        let mut corrections = Vec::new();
        if let Some(said) = self.beyond {
            corrections.push(beyond_the_scale(said, settings.scale));
        }
        if self.announced > self.demanded {
            corrections.push(Correction {
                given: self.announced.to_string(),
                rule: "must_fix_unlisted".into(),
                why: format!("it announced {} must-fixes and named {}", self.announced, self.demanded),
            });
        }
        let judgement = judgement(settings, self.score, self.demanded > 0);
        Utterance::Closed { round, seat: self.role, judgement, score: self.score, corrections }
    }
}

/// What a score and demands amount to.
pub(super) fn judgement(settings: &Settings, score: Option<Score>, demands: bool) -> Judgement {
    match score {
        None => Judgement::Abstain,
        Some(score) if score >= settings.threshold && !demands => Judgement::Pass,
        Some(_) => Judgement::Fail,
    }
}

/// The correction of a score beyond the scale.
pub(super) const SCORE_CLAMPED: &str = "score_clamped";

/// A score that says more than the scale has to say counts as the most; whether a round passes on it is for the gate.
pub(super) fn beyond_the_scale(said: f64, scale: Score) -> Correction {
    Correction {
        given: format!("{said}"),
        rule: SCORE_CLAMPED.into(),
        why: format!("its score {said} is beyond the scale of {scale}"),
    }
}

/// Whether the round that is open was ended by the panel and not ruled on yet.
fn awaits_ruling(run: &Run, turn: TurnId) -> bool {
    let open = run.rounds().last().filter(|state| state.closed.is_none());
    let heard = run.turn(turn).and_then(|turn| turn.heard.as_ref());
    open.zip(heard).is_some_and(|(state, heard)| heard.claim(state.round).is_some())
}
