//! One run, open for writing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tribunal_agents::{AgentError, Answer, TurnRequest};
use tribunal_kernel::call::Call;
use tribunal_kernel::control::shown_task;
use tribunal_kernel::ledger::{CallLedger, PaidCall};
use tribunal_kernel::parking;
use tribunal_kernel::prompt::{MissingBlob, Rendered};
use tribunal_kernel::run::{Impossible, RunEnd};
use tribunal_kernel::trial::{Exhibits, Hearing};
use tribunal_kernel::turn::{Bill, TurnErrorKind};
use tribunal_kernel::{
    Digest, Entry, Event, Limits, Next, Run, RunId, RunSpec, Spend, Time, Turn, TurnError, TurnId, TurnInput, Usage,
};
use tribunal_store::backend::{AccountHold, AccountId, RunRequest, ScratchFolder};
use tribunal_store::{Backend, LogWriter, OpenedLog, StoreError};

use crate::attached;
use crate::batch::{Batch, Texts};
use crate::clock::Clock;
use crate::control::{Control, Orders};
use crate::listening::Listening;
use crate::performer::{Performer, TurnReport};
use crate::process;
use crate::projection::Projection;
use crate::seating::Seating;
use crate::turn::{Limited, TurnEnding};

/// One run, open for writing. There is at most one of it in the world: the run's lease sees to that.
#[derive(Debug)]
pub struct Session {
    store: Arc<dyn Backend>,
    log: Box<dyn LogWriter>,
    run: Run,
    clock: Arc<dyn Clock>,
    texts: Texts,
    control: Control,
    orders: Orders,
    /// Answers that were paid for in another run.
    ledger: Option<CallLedger>,
    /// What this run shares with those that it starts.
    account: Option<AccountId>,
    /// What turns brought and is not durable yet.
    pending: Batch,
    listening: Listening,
    /// Durable entries that the view has not seen yet.
    unseen: Vec<Entry>,
    /// Time does not go backwards in a log, whatever the machine's clock does.
    latest: Time,
}

/// Why a run could not be driven on. The log is as it was; `resume` goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the log does not make sense: {0}")]
    Impossible(#[from] Impossible),
    #[error(transparent)]
    MissingBlob(#[from] MissingBlob),
    #[error("run {0} has no events")]
    Empty(RunId),
}

impl DriveError {
    fn is_closed_account(&self) -> bool {
        matches!(self, Self::Store(StoreError::AccountClosed { .. }))
    }
}

/// How long what a killed leader left behind may take to end.
const LEFTOVER_GRACE: Duration = Duration::from_secs(2);

/// How often a clock is looked at while turns wait for their providers.
const LOOK_EVERY: Duration = Duration::from_secs(30);

impl Session {
    /// Opens a new run. `cited` is what the run spec cites: texts, and what is attached to the brief.
    pub async fn create(
        store: Arc<dyn Backend>,
        clock: Arc<dyn Clock>,
        spec: RunSpec,
        cited: &[impl AsRef<[u8]> + Sync],
    ) -> Result<Self, DriveError> {
        for bytes in cited {
            store.blobs().put(bytes.as_ref()).await?;
        }
        let mut log = store.logs().create(spec.run).await?;
        let opened = Event::RunOpened { spec: Box::new(spec) };
        let entries = log.append(log.seq(), vec![(clock.now(), opened)]).await?;
        Self::with(store, clock, log, entries)
    }

    /// Opens a run that exists.
    pub async fn open(store: Arc<dyn Backend>, clock: Arc<dyn Clock>, run: RunId) -> Result<Self, DriveError> {
        let OpenedLog { log, entries, .. } = store.open(run).await?;
        if entries.is_empty() {
            return Err(DriveError::Empty(run));
        }
        Self::with(store, clock, log, entries)
    }

    fn with(
        store: Arc<dyn Backend>,
        clock: Arc<dyn Clock>,
        log: Box<dyn LogWriter>,
        entries: Vec<Entry>,
    ) -> Result<Self, DriveError> {
        let latest = entries.last().map(|entry| entry.time).unwrap_or_default();
        let run = Run::fold(entries)?.expect("there is at least one entry");
        let (control, orders) = Control::new();
        Ok(Self {
            store,
            log,
            run,
            clock,
            texts: Texts::default(),
            control,
            orders,
            ledger: None,
            account: None,
            pending: Batch::default(),
            listening: Listening::default(),
            unseen: Vec::new(),
            latest,
        })
    }

    /// The run as it stands.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// A handle by which others can stop this run.
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// Answers that stand in this ledger are not asked for again.
    pub fn remember(&mut self, ledger: CallLedger) {
        self.ledger = Some(ledger);
    }

    /// The run's limits hold for all runs that share this account together.
    pub fn share(&mut self, account: AccountId) {
        self.account = Some(account);
    }

    /// Records something that a person did: a pick, a reopening, an interrupt. `texts` are what the event cites.
    pub async fn record(&mut self, event: Event, texts: &[String]) -> Result<(), DriveError> {
        let mut batch = Batch::default();
        for text in texts {
            batch.cite(&Arc::from(text.as_str()));
        }
        let now = self.now();
        batch.record(&mut self.run, now, event)?;
        self.commit(batch).await
    }

    /// Lets a run that could not go on try again, where that needs to be said in the log: it had ended without a
    /// judgement, somebody had interrupted it, its time is over, or it gets other limits.
    pub async fn resume(&mut self, limits: Option<Limits>) -> Result<(), DriveError> {
        let now = self.now();
        let is_overdue = self.run.deadline().is_some_and(|deadline| deadline <= now);
        let needed = self.run.end().map_or_else(
            || is_overdue || self.run.is_interrupted() || limits.as_ref().is_some_and(|new| new != self.run.limits()),
            |end| !end.outcome.is_sticky(),
        );
        if needed {
            let limits = limits.unwrap_or_else(|| self.run.limits().clone());
            self.record(Event::RunResumed { limits }, &[]).await?;
        }
        Ok(())
    }

    /// What marks the processes of this run: in a copy of the project, a run of the same id has processes of its own.
    fn place(&self) -> String {
        let folder = self.store.scratch().path(&ScratchFolder::Trees(self.run.spec().run));
        Digest::of(folder.as_os_str().as_encoded_bytes()).short()
    }

    /// Drives the run to its end. The kernel says what follows; nothing is acted on before it is durable.
    pub async fn drive(&mut self, seating: &Seating, view: &mut dyn Projection) -> Result<RunEnd, DriveError> {
        if self.run.in_flight().next().is_some() && seating.has_processes() {
            // A leader that was killed could not end its agents. They must not work on beside ours.
            process::reap_marked(TurnRequest::PLACE_VARIABLE, &self.place(), LEFTOVER_GRACE).await;
        }
        self.give_up_lost_turns()?;
        view.catch_up(&self.run).await;
        let mut performer = Performer::new(seating.clone());
        loop {
            let batch = match self.follow_up().await {
                Err(error) if error.is_closed_account() => return self.leave(&mut performer, error).await,
                followed => followed?,
            };
            self.commit(batch).await?;
            match self.tell_account().await {
                Err(error) if error.is_closed_account() => return self.leave(&mut performer, error).await,
                told => told?,
            }
            let now = self.now();
            match self.run.next(now) {
                Next::Done(end) => {
                    view.follow(&self.run, &std::mem::take(&mut self.unseen)).await;
                    return Ok(end);
                }
                Next::Cancel(turns) => {
                    performer.cancel(&turns);
                    let is_gone = |turn: &TurnId| !performer.has(*turn) && !self.listening.has_ended(*turn);
                    let unperformed = turns.into_iter().filter(is_gone);
                    if self.abandon(unperformed.collect())? {
                        continue;
                    }
                }
                Next::Record(_) | Next::Ask(_) | Next::Wait => {
                    if self.perform(&mut performer).await? {
                        continue;
                    }
                }
            }
            view.follow(&self.run, &std::mem::take(&mut self.unseen)).await;
            let deadline = self.run.deadline().filter(|deadline| now < *deadline);
            let deadline = deadline.into_iter().chain(self.wakes(now)).min();
            let is_interrupted = self.run.is_interrupted();
            tokio::select! {
                biased;
                order = self.orders.next(!is_interrupted) => self.record(order.event(), &[]).await?,
                report = performer.next() => match report {
                    TurnReport::Glimpse(turn, activity) => view.glimpse(&self.run, turn, &activity),
                    TurnReport::Spoke(turn, text) => {
                        self.listening.hear(turn, &text);
                        // What came in while we waited for the disk becomes durable together.
                        while let Some((turn, text)) = performer.more_speech() {
                            self.listening.hear(turn, &text);
                        }
                    }
                    TurnReport::Ended(turn, ending) => {
                        if let Some(ending) = self.listening.end(turn, ending) {
                            self.settle(turn, ending).await?;
                        }
                    }
                },
                () = until(deadline, now), if deadline.is_some() => {
                    self.latest = self.latest.max(deadline.unwrap_or_default());
                }
            }
        }
    }

    /// When to look again for turns that wait for their providers: when the next one goes on, or sooner, for a machine that
    /// was asleep has other ideas of how long that is.
    fn wakes(&self, now: Time) -> Option<Time> {
        self.run.next_wake(now).map(|wake| wake.min(now.plus(LOOK_EVERY)))
    }

    /// Turns that cannot be performed twice, and whose performer is gone.
    fn give_up_lost_turns(&mut self) -> Result<(), DriveError> {
        let trial = self.run.spec().trial();
        let lost: Vec<TurnId> = self
            .run
            .in_flight()
            .filter(|turn| !trial.is_repeatable(turn) && turn.parked.is_none())
            .map(|turn| turn.id)
            .collect();
        for turn in lost {
            let message = "whoever performed it was killed".to_owned();
            self.fail(turn, TurnError { kind: TurnErrorKind::Lost, message, hint: None })?;
        }
        Ok(())
    }

    /// Gives up turns that nobody performs and nobody needs. Whether there were any.
    fn abandon(&mut self, turns: Vec<TurnId>) -> Result<bool, DriveError> {
        let any = !turns.is_empty();
        for turn in turns {
            self.fail(turn, AgentError::Cancelled.into())?;
        }
        Ok(any)
    }

    fn fail(&mut self, turn: TurnId, error: TurnError) -> Result<(), DriveError> {
        let now = self.now();
        let event = Event::TurnFailed { turn, error, raw: None, bill: Bill::default() };
        Ok(self.pending.record(&mut self.run, now, event)?)
    }

    /// What was said next by a turn that somebody listens to; and its end, when all of it was heard.
    async fn listen(&mut self) -> Result<bool, DriveError> {
        let Some((turn, Hearing { utterances, blobs })) = self.listening.next(&self.run) else {
            return self.settle_ended(true).await;
        };
        for text in blobs {
            let text: Arc<str> = text.into();
            self.texts.keep(self.pending.cite(&text), &text);
        }
        let now = self.now();
        self.pending.record(&mut self.run, now, Event::Heard { turn, utterances })?;
        Ok(true)
    }

    /// Settles a turn that was listened to and has ended. Whether there was one.
    async fn settle_ended(&mut self, in_full: bool) -> Result<bool, DriveError> {
        let Some((turn, ending)) = self.listening.take_ended(in_full) else { return Ok(false) };
        self.settle(turn, ending).await?;
        Ok(true)
    }

    /// Everything that follows from what is known, up to the calls that are now needed.
    async fn follow_up(&mut self) -> Result<Batch, DriveError> {
        loop {
            let now = self.now();
            match self.run.next(now) {
                Next::Record(event) => self.pending.record(&mut self.run, now, event)?,
                Next::Ask(calls) => match self.start(&calls).await? {
                    Ok(events) => {
                        for event in events {
                            self.pending.record(&mut self.run, now, event)?;
                        }
                    }
                    Err(instead) => match *instead {
                        Next::Record(event) => self.pending.record(&mut self.run, now, event)?,
                        _ => return Ok(std::mem::take(&mut self.pending)),
                    },
                },
                Next::Wait if self.listen().await? => {}
                // Nobody waits for the rest of what they said.
                Next::Cancel(_) if self.settle_ended(false).await? => {}
                Next::Wait | Next::Cancel(_) | Next::Done(_) => return Ok(std::mem::take(&mut self.pending)),
            }
        }
    }

    /// The events that start these calls, or what follows instead. Their prompts are part of the batch from here on.
    async fn start(&mut self, calls: &[Call]) -> Result<Result<Vec<Event>, Box<Next>>, DriveError> {
        let mut prompts = Vec::new();
        for call in calls {
            prompts.push(self.render(call).await?);
        }
        let (id, elsewhere) = (self.run.spec().run, self.run.budget().elsewhere);
        if let Some(account) = &self.account {
            let spend = self.store.accounts().others(account, id).await?;
            if spend != elsewhere {
                return Ok(Ok(vec![Event::SpentElsewhere { spend }]));
            }
        }
        let started = self.run.start(calls.iter().zip(&prompts));
        if let Ok(events) = &started {
            let reserved = events.iter().map(Event::reserved).fold(self.run.budget().held(), Spend::plus);
            // Held against what we reckoned with: whoever was faster makes us reckon again.
            if let Some(account) = &self.account
                && let AccountHold::Changed(spend) =
                    self.store.accounts().hold(account, id, elsewhere, reserved).await?
            {
                return Ok(Ok(vec![Event::SpentElsewhere { spend }]));
            }
            for prompt in prompts.into_iter().take(events.len()) {
                let text: Arc<str> = prompt.text.into();
                self.texts.keep(self.pending.cite(&text), &text);
            }
        }
        Ok(started)
    }

    /// Tells those who share the account what this run holds.
    async fn tell_account(&self) -> Result<(), DriveError> {
        if let Some(account) = &self.account {
            self.store.accounts().settle(account, self.run.spec().run, self.run.budget().held()).await?;
        }
        Ok(())
    }

    /// Nobody spends from an account that cannot be read, so nothing is begun any more. What turns in flight bring is
    /// paid for: it is waited for and kept, before we leave with the reason.
    async fn leave(&mut self, performer: &mut Performer, why: DriveError) -> Result<RunEnd, DriveError> {
        let mut is_cancelled = false;
        loop {
            let brought = std::mem::take(&mut self.pending);
            self.commit(brought).await?;
            if performer.is_idle() {
                return Err(why);
            }
            tokio::select! {
                biased;
                RunRequest::Interrupt { .. } = self.orders.next(!is_cancelled) => {
                    is_cancelled = true;
                    performer.cancel_all();
                }
                report = performer.next() => match report {
                    TurnReport::Glimpse(..) => {}
                    TurnReport::Spoke(turn, text) => self.listening.hear(turn, &text),
                    TurnReport::Ended(turn, ending) => {
                        if let Some(ending) = self.listening.end(turn, ending) {
                            self.settle(turn, ending).await?;
                        }
                    }
                },
            }
        }
    }

    /// Makes a batch durable: first everything that is cited, at once, then what cites it.
    async fn commit(&mut self, batch: Batch) -> Result<(), DriveError> {
        if batch.events.is_empty() {
            return Ok(());
        }
        let mut puts = JoinSet::new();
        for text in batch.texts.into_values() {
            let store = Arc::clone(&self.store);
            puts.spawn(async move { store.blobs().put(text.as_bytes()).await });
        }
        while let Some(put) = puts.join_next().await {
            put.expect("storing a text does not panic, and nobody aborts it")?;
        }
        let entries = self.log.append(self.log.seq(), batch.events).await?;
        self.unseen.extend(entries);
        Ok(())
    }

    /// Starts every turn that the log says is in flight and that nobody performs yet. Whether any was known already:
    /// then more follows at once.
    async fn perform(&mut self, performer: &mut Performer) -> Result<bool, DriveError> {
        let now = self.now();
        // One whose end is known and was not listened to in full is not begun again.
        let is_under_way = |turn: TurnId| performer.has(turn) || self.listening.has_ended(turn);
        let is_due = |turn: &&Turn| !is_under_way(turn.id) && self.run.parked_until(turn, now).is_none();
        let waiting: Vec<_> = self.run.in_flight().filter(is_due).cloned().collect();
        let mut was_known = false;
        for turn in waiting {
            if let Some(ending) = self.recall(&turn).await? {
                self.settle(turn.id, ending).await?;
                was_known = true;
                continue;
            }
            // Who was told to wait is not asked again before, in any seat.
            let agent = self.run.agent_of(&turn).to_owned();
            if let Some(until) = self.run.limited_until(&agent, now).filter(|_| turn.parked.is_none()) {
                let why = "its provider takes no requests from this agent".to_owned();
                let (turn, taken_by, passed_to, bill) = (turn.id, None, None, Bill::default());
                let event = Event::TurnParked { turn, agent, until, why, taken_by, passed_to, bill };
                self.pending.record(&mut self.run, now, event)?;
                was_known = true;
                continue;
            }
            let prompt = self.text(turn.prompt).await?.to_string();
            let attachments = attached::fetched(&*self.store, self.run.attachments_of(&turn)).await?;
            let (form, input) = (self.run.form(&turn), self.input(&turn).await?);
            let listener = self.run.spec().trial().listen(&self.run, &turn);
            let is_listened_to = listener.is_some();
            if let Some(listener) = listener {
                self.listening.begin(turn.id, listener);
            }
            let spec = self.run.spec();
            let binding = spec.seats.get(&turn.seat);
            let model = self.run.model(&turn).map(str::to_owned);
            let fallback = binding.and_then(|binding| binding.fallback.as_ref()).filter(|_| turn.stand_in.is_some());
            let effort = fallback.map_or_else(|| binding.map(|it| &it.effort), |it| Some(&it.effort));
            let meter = self.run.meter(&turn);
            let request = TurnRequest {
                place: self.place(),
                run: spec.run,
                r#loop: Some(spec.def().name),
                works_on_files: spec.def().works_on_files.contains(&turn.task.as_str()),
                judges: spec.def().is_judging(&shown_task(&turn.task)),
                round: turn.round,
                turn: turn.id,
                seat: turn.seat,
                // Nothing tells an agent that a call is a control.
                task: shown_task(&turn.task).into_owned(),
                model,
                effort: effort.cloned().flatten(),
                prompt,
                stable: turn.stable as usize,
                attachments,
                form,
                input,
                meter,
                is_resumed: turn.parked.is_some(),
            };
            performer.start(agent, request, is_listened_to);
        }
        Ok(was_known)
    }

    /// How a turn ends that was paid for in another run.
    async fn recall(&mut self, turn: &Turn) -> Result<Option<TurnEnding>, DriveError> {
        let found = self.ledger.as_ref().and_then(|ledger| Some((ledger.run(), ledger.find(turn)?)));
        let Some((run, kept)) = found else { return Ok(None) };
        let result = match kept {
            PaidCall::Answer(raw) => Ok(Answer { text: self.text(raw).await?.to_string(), ..Answer::default() }),
            PaidCall::Failure(error) => Err(error),
        };
        let (usage, elapsed) = (Usage::default(), Duration::ZERO);
        Ok(Some(TurnEnding { result, usage, elapsed, limited: None, copied: Some(run) }))
    }

    /// Takes in how a turn ended. What it means is decided here, once, and goes into the log with it.
    async fn settle(&mut self, id: TurnId, ending: TurnEnding) -> Result<(), DriveError> {
        let mut exhibits = Exhibits::new(&tribunal_checks::Inspector);
        let turn = self.run.turn(id).expect("only turns of this run are performed");
        for digest in self.run.exhibits(turn) {
            exhibits.insert(digest, self.text(digest).await?);
        }
        let turn = self.run.turn(id).expect("only turns of this run are performed");
        let TurnEnding { result, usage, elapsed, limited, copied } = ending;
        let usage = match self.run.rate_of(turn) {
            Some(rate) if usage.is_reported() => rate.bill(usage),
            Some(_) | None => usage,
        };
        let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let bill = Bill { usage, elapsed_ms, session: None, copied };
        // What somebody heard of it cannot be taken back: then it has failed.
        if let Some(limited) = limited.filter(|_| turn.heard.is_none()) {
            let now = self.now();
            return self.park(id, now, limited, bill);
        }
        let event = match result {
            Ok(answer) => {
                let bill = Bill { session: answer.session, ..bill };
                let reading = self.run.read(turn, &answer.text, &exhibits);
                let raw = self.pending.cite(&Arc::from(answer.text));
                match reading {
                    Ok(reading) => {
                        for text in reading.blobs {
                            let text: Arc<str> = text.into();
                            self.texts.keep(self.pending.cite(&text), &text);
                        }
                        Event::TurnAnswered { turn: id, raw, said: Box::new(reading.said), bill }
                    }
                    Err(misfit) => {
                        let error = TurnError { kind: misfit.kind(), message: misfit.to_string(), hint: None };
                        Event::TurnFailed { turn: id, error, raw: Some(raw), bill }
                    }
                }
            }
            Err(error) => Event::TurnFailed { turn: id, error, raw: None, bill },
        };
        let now = self.now();
        self.pending.record(&mut self.run, now, event)?;
        Ok(())
    }

    /// Lets a turn wait for its provider, or another agent be asked instead.
    fn park(&mut self, id: TurnId, now: Time, limited: Limited, bill: Bill) -> Result<(), DriveError> {
        let turn = self.run.turn(id).expect("only turns of this run are performed");
        let agent = self.run.agent_of(turn).to_owned();
        let said = limited.when.and_then(|when| when.wait_from(now));
        let until = parking::goes_on(now, said, self.run.refusals_before(&agent, now));
        let passed_to = self.run.passed_to(turn, until, now).map(str::to_owned);
        let event = Event::TurnParked { turn: id, agent, until, why: limited.why, taken_by: None, passed_to, bill };
        Ok(self.pending.record(&mut self.run, now, event)?)
    }

    async fn render(&mut self, call: &Call) -> Result<Rendered, DriveError> {
        let mut texts = BTreeMap::new();
        for digest in call.prompt.blobs() {
            texts.insert(digest, self.text(digest).await?);
        }
        Ok(call.prompt.render(self.run.spec().origin(), |digest| texts.get(&digest).map(AsRef::as_ref))?)
    }

    /// What a program in the seat of this turn works on, with its texts.
    async fn input(&mut self, turn: &Turn) -> Result<Option<TurnInput<Arc<str>>>, DriveError> {
        let Some(input) = self.run.input(turn) else { return Ok(None) };
        let mut texts = BTreeMap::new();
        for digest in input.blobs() {
            texts.insert(digest, self.text(digest).await?);
        }
        Ok(Some(input.supply(|digest| texts.get(&digest).cloned())?))
    }

    async fn text(&mut self, digest: Digest) -> Result<Arc<str>, DriveError> {
        // What is cited by events that are not durable yet is nowhere else, however large it is.
        if let Some(text) = self.texts.get(digest).or_else(|| self.pending.text(digest)) {
            return Ok(text);
        }
        let bytes = self.store.blobs().get(digest).await?;
        let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
        self.texts.keep(digest, &text);
        Ok(text)
    }

    fn now(&mut self) -> Time {
        self.latest = self.latest.max(self.clock.now());
        self.latest
    }
}

/// Waits for `deadline`; `now` is what the run's clock says.
async fn until(deadline: Option<Time>, now: Time) {
    tokio::time::sleep(deadline.map_or(Duration::MAX, |deadline| deadline.since(now))).await;
}
