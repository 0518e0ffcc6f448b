//! Calls: what a loop asks for, with everything that the kernel adds, and what is set aside for it.

use serde_json::Value;

use crate::ballot::PersonVote;
use crate::digest::Hasher;
use crate::prompt::{Part, Prompt, Rendered};
use crate::quote::Turnout;
use crate::run::Next;
use crate::{Ask, Digest, Event, Outcome, Run, Slot, Spend, Turn, TurnId, last_look, rules};

/// A call to make.
#[derive(Debug)]
pub struct Call {
    pub ask: Ask,
    pub prompt: Prompt,
    pub attempt: u32,
    /// How many directives the prompt holds.
    pub directives: u32,
}

impl Run {
    /// The calls for what a loop asks: those that are not answered, in flight or given up.
    pub(crate) fn calls(&self, asks: Vec<Ask>) -> Next {
        let mut calls = Vec::new();
        for ask in asks {
            let Slot::Open { attempt, feedback } = self.slot(ask.round, &ask.seat, &ask.task) else { continue };
            let mut prompt = self.prompt(&ask);
            prompt.draw(attempt);
            if let Some(error) = feedback {
                prompt.add_feedback(error);
            }
            let decided: Vec<String> = self.person_votes().iter().filter_map(PersonVote::told).collect();
            let directives = self.directives().iter().map(|directive| directive.text.as_str());
            prompt.add_directives(directives.chain(decided.iter().map(String::as_str)));
            let directives = u32::try_from(self.directives().len()).unwrap_or(u32::MAX);
            if self.spec().is_person(&ask.seat) {
                prompt = self.asked_of_person(prompt);
            }
            calls.push(Call { ask, prompt, attempt, directives });
        }
        if calls.is_empty() { Next::Wait } else { Next::Ask(calls) }
    }

    /// What a seat is told, before anything is added.
    pub(crate) fn prompt(&self, ask: &Ask) -> Prompt {
        let mut prompt = self.task_prompt(ask);
        if let Some(persona) = self.spec().seats.get(&ask.seat).and_then(|binding| binding.persona.as_ref()) {
            prompt.parts.splice(0..0, [Part::Text(persona.clone()), Part::ForPerson(persona.clone())]);
        }
        prompt
    }

    fn task_prompt(&self, ask: &Ask) -> Prompt {
        if ask.seat == *rules::RULES {
            return rules::prompt(self, ask);
        }
        if ask.seat == *last_look::LAST_LOOK {
            return last_look::prompt(self, ask);
        }
        self.control_prompt(ask).unwrap_or_else(|| self.spec().trial().prompt(self, ask))
    }

    /// The schema that the answer of a turn shall have, where it shall have one.
    pub fn form(&self, turn: &Turn) -> Option<Value> {
        self.prompt(&Ask::of(turn)).form()
    }

    /// The events that start these calls, as many of them as the limits admit now; the others are asked for again when
    /// a call in flight has shown what it really cost. If there is none to wait for, the run is over.
    pub fn start<'c>(
        &self,
        calls: impl IntoIterator<Item = (&'c Call, &'c Rendered)>,
    ) -> Result<Vec<Event>, Box<Next>> {
        let mut budget = *self.budget();
        let mut started = Vec::new();
        let calls: Vec<_> = calls.into_iter().collect();
        for (ahead, (call, prompt)) in (0..).zip(&calls) {
            let is_busy = !started.is_empty() || self.in_flight().next().is_some();
            let turnout = Turnout { calls: (calls.len() - started.len()) as u64, is_busy };
            let reserved = match self.quote(call, prompt, &budget, turnout) {
                Ok(reserved) => reserved,
                Err(_) if !started.is_empty() => break,
                Err(_) if is_busy => return Err(Box::new(Next::Wait)),
                Err(exceeded) => return Err(Box::new(self.close(Outcome::OverBudget, exceeded.to_string()))),
            };
            budget.reserve(reserved);
            started.push(self.started(call, ahead, prompt, reserved));
        }
        Ok(started)
    }

    fn started(&self, call: &Call, ahead: u32, prompt: &Rendered, reserved: Spend) -> Event {
        let digest = Digest::of(prompt.text.as_bytes());
        let binding = self.spec().seats.get(&call.ask.seat);
        let mut request = Hasher::default();
        request.field(binding.map_or(b"".as_slice(), |binding| binding.agent.as_bytes()));
        request.field(self.model_of(&call.ask).unwrap_or_default().as_bytes());
        request.field(&digest.0);
        if let Some(effort) = binding.and_then(|binding| binding.effort.as_deref()) {
            request.field(effort.as_bytes());
        }
        Event::TurnStarted {
            turn: TurnId(self.next_turn().0 + ahead),
            round: call.ask.round,
            seat: call.ask.seat.clone(),
            task: call.ask.task.clone().into_owned(),
            attempt: call.attempt,
            prompt: digest,
            stable: u32::try_from(prompt.stable).unwrap_or(0),
            request: request.finish(),
            reserved,
            routed: call.ask.routed.clone().map(Box::new),
            directives: call.directives,
        }
    }

    /// The model of a call: the loop's choice, or its seat's.
    pub(crate) fn model_of<'a>(&'a self, ask: &'a Ask) -> Option<&'a str> {
        let routed = ask.routed.as_ref().map(|routed| routed.model.as_str());
        routed.or_else(|| self.spec().seats.get(&ask.seat)?.model.as_deref())
    }

    /// The model that a turn was given: the loop's choice, or its seat's.
    pub fn model<'a>(&'a self, turn: &'a Turn) -> Option<&'a str> {
        let binding = self.spec().seats.get(&turn.seat);
        // Whoever takes a turn over does it with a model of its own.
        if turn.stand_in.is_some() {
            return binding?.fallback.as_ref()?.model.as_deref();
        }
        turn.model().or_else(|| binding?.model.as_deref())
    }
}
