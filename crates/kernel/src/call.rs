//! Calls: what a loop asks for, with everything that the kernel adds, and what is set aside for it.

use serde_json::Value;

use crate::ballot::PersonVote;
use crate::digest::Hasher;
use crate::prompt::{Part, Prompt, Rendered};
use crate::quote::Turnout;
use crate::run::Next;
use crate::spec::FallbackAgent;
use crate::{Ask, Digest, Event, Outcome, Run, Slot, Spend, Time, Turn, TurnId, last_look, rules};

/// A call to make.
#[derive(Debug)]
pub struct Call {
    pub ask: Ask,
    pub prompt: Prompt,
    pub attempt: u32,
    /// How many directives the prompt holds.
    pub directives: u32,
    /// Whether another agent is asked than the one in the seat, if that can be paid for.
    pub is_passed: bool,
}

/// Who is called, and with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Caller<'a> {
    pub(crate) agent: &'a str,
    pub(crate) model: Option<&'a str>,
    effort: Option<&'a str>,
    /// What is set aside for a call of it at least.
    pub(crate) reserve: Spend,
    is_stand_in: bool,
}

impl Run {
    /// The calls for what a loop asks: those that are not answered, in flight or given up.
    pub(crate) fn calls(&self, asks: Vec<Ask>, now: Time) -> Next {
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
            let is_passed = self.is_passed(&ask, now);
            calls.push(Call { ask, prompt, attempt, directives, is_passed });
        }
        if calls.is_empty() { Next::Wait } else { Next::Ask(calls) }
    }

    /// What a seat is told, before anything is added.
    pub(crate) fn prompt(&self, ask: &Ask) -> Prompt {
        let mut prompt = self.task_prompt(ask);
        prompt.attach(self.spec().brief, &self.spec().attachments);
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
            let quote = |caller: Caller<'_>| self.quote((call, &caller), prompt, &budget, turnout);
            // Where the money is enough for the agent in the seat alone, that one waits.
            let other = self.fallback_caller(&call.ask).filter(|_| call.is_passed);
            let paid = other.and_then(|other| Some((other, quote(other).ok()?)));
            let own = self.caller(&call.ask);
            let (caller, reserved) = match paid.map_or_else(|| quote(own).map(|reserved| (own, reserved)), Ok) {
                Ok(quoted) => quoted,
                Err(_) if !started.is_empty() => break,
                Err(_) if is_busy => return Err(Box::new(Next::Wait)),
                Err(exceeded) => return Err(Box::new(self.close(Outcome::OverBudget, exceeded.to_string()))),
            };
            budget.reserve(reserved);
            started.push(self.started((call, &caller), ahead, prompt, reserved));
        }
        Ok(started)
    }

    fn started(&self, (call, caller): (&Call, &Caller<'_>), ahead: u32, prompt: &Rendered, reserved: Spend) -> Event {
        let digest = Digest::of(prompt.text.as_bytes());
        let mut request = Hasher::default();
        request.field(caller.agent.as_bytes());
        request.field(caller.model.unwrap_or_default().as_bytes());
        request.field(&digest.0);
        if let Some(effort) = caller.effort {
            request.field(effort.as_bytes());
        }
        // A prompt names its images; what they show is no part of its text.
        for image in &prompt.images {
            request.field(&image.0);
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
            // Whoever takes a turn over does it with a model of its own.
            routed: call.ask.routed.clone().filter(|_| !caller.is_stand_in).map(Box::new),
            taken_by: caller.is_stand_in.then(|| caller.agent.to_owned()),
            directives: call.directives,
        }
    }

    /// Who sits in the seat of a call, with the model that the loop chose or else its own.
    fn caller<'a>(&'a self, ask: &'a Ask) -> Caller<'a> {
        let routed = ask.routed.as_ref().map(|routed| routed.model.as_str());
        let binding = self.spec().seats.get(&ask.seat);
        Caller {
            agent: binding.map_or("", |binding| &binding.agent),
            model: routed.or_else(|| binding?.model.as_deref()),
            effort: binding.and_then(|binding| binding.effort.as_deref()),
            reserve: binding.map(|binding| binding.reserve).unwrap_or_default(),
            is_stand_in: false,
        }
    }

    /// Who is asked in the place of whoever sits there.
    fn fallback_caller(&self, ask: &Ask) -> Option<Caller<'_>> {
        let FallbackAgent { agent, model, effort, reserve } = self.spec().seats.get(&ask.seat)?.fallback.as_ref()?;
        let (model, effort) = (model.as_deref(), effort.as_deref());
        Some(Caller { agent, model, effort, reserve: *reserve, is_stand_in: true })
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
