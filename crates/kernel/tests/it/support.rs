//! Plays a run without an engine: scripted answers in, the log out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use tribunal_kernel::call::Call;
use tribunal_kernel::trial::Exhibits;
use tribunal_kernel::turn::{Bill, TurnError, TurnErrorKind};
use tribunal_kernel::{
    Binding, Digest, Entry, Event, Next, Run, RunId, RunSpec, Said, SeatName, Seq, Time, Trial, Turn, TurnId, Usage,
    review, theater,
};
use uuid::Uuid;

/// A run that is being played.
pub(crate) struct Play {
    pub(crate) entries: Vec<Entry>,
    /// Texts by digest: what the engine would keep as blobs.
    pub(crate) texts: BTreeMap<Digest, String>,
    pub(crate) prompts: Vec<String>,
    pub(crate) usage: Usage,
}

pub(crate) fn settings(asset: &str, max_iterations: u32) -> review::Settings {
    review::Settings {
        asset: asset.into(),
        max_iterations,
        stop_in_circles: false,
        stop_on_needs_human: false,
        locked: matches!(asset, "slug" | "title_detail" | "title_seo" | "subtitle_auphonic"),
        given: review::ReviewGiven::default(),
    }
}

pub(crate) fn spec(settings: review::Settings) -> RunSpec {
    let bind = |agent: &str| Binding { agent: agent.into(), ..Binding::default() };
    RunSpec {
        seats: [("creator", "writer"), ("reviewer", "critic")]
            .map(|(seat, agent)| (SeatName::new(seat), bind(agent)))
            .into(),
        max_retries: 2,
        ..RunSpec::new(RunId(Uuid::from_u128(7)), "/work".into(), Digest::of("Describe the episode."), settings)
    }
}

/// A theater with the default panel, every seat with an agent of its own.
pub(crate) fn theater(settings: theater::Settings) -> RunSpec {
    let bind = |agent: &str| Binding { agent: agent.into(), ..Binding::default() };
    let seats = settings.seats().into_iter().map(|seat| (SeatName::new(seat), bind(seat))).collect();
    let settings = settings.into();
    RunSpec { seats, settings, ..spec(self::settings("x", 1)) }
}

impl Play {
    pub(crate) fn new(spec: RunSpec) -> Self {
        let opened = Entry { seq: Seq(1), time: Time(1000), event: Event::RunOpened { spec: Box::new(spec) } };
        let texts = BTreeMap::from([(Digest::of("Describe the episode."), "Describe the episode.".to_owned())]);
        Self { entries: vec![opened], texts, prompts: Vec::new(), usage: Usage::default() }
    }

    pub(crate) fn run(&self) -> Run {
        Run::fold(&self.entries).unwrap().unwrap()
    }

    pub(crate) fn now(&self) -> Time {
        Time(1000 * (self.entries.len() as u64 + 1))
    }

    pub(crate) fn record(&mut self, event: Event) {
        self.record_at(self.now(), event);
    }

    pub(crate) fn record_at(&mut self, time: Time, event: Event) {
        let entry = Entry { seq: Seq(self.entries.len() as u64 + 1), time, event };
        self.run().apply(&entry).unwrap();
        self.entries.push(entry);
    }

    /// Plays to the end; every turn is answered by somebody who sees its prompt.
    pub(crate) fn play_with(&mut self, answer: impl Fn(&Turn, &str) -> String) -> &mut Self {
        for _ in 0..200 {
            self.play(&[]);
            let run = self.run();
            let Some(turn) = run.in_flight().next() else { return self };
            let answer = answer(turn, &self.prompts[turn.id.0 as usize - 1]);
            self.play(&[&answer]);
        }
        panic!("it does not end:\n{}", self.transcript());
    }

    /// Plays on until the end, or until the answers are used up. `!message` is an agent that dies.
    pub(crate) fn play(&mut self, answers: &[&str]) -> &mut Self {
        let mut answers = answers.iter();
        loop {
            let run = self.run();
            match run.next(self.now()) {
                Next::Record(event) => self.record(event),
                Next::Ask(calls) => {
                    let render = |call: &Call| {
                        let fetch = |digest| self.texts.get(&digest).map(String::as_str);
                        call.prompt.render(run.spec().origin(), fetch).unwrap()
                    };
                    let prompts: Vec<_> = calls.iter().map(render).collect();
                    match run.start(calls.iter().zip(&prompts)) {
                        Ok(started) => {
                            self.prompts.extend(prompts.into_iter().take(started.len()).map(|prompt| prompt.text));
                            for event in started {
                                self.record(event);
                            }
                        }
                        Err(instead) => match *instead {
                            Next::Record(event) => self.record(event),
                            // Those in flight may give something back.
                            Next::Wait if answers.len() == 0 => return self,
                            _ => panic!("nothing else is in flight"),
                        },
                    }
                }
                Next::Wait => {
                    let Some(answer) = answers.next() else { return self };
                    let turn = run.in_flight().next().unwrap();
                    // What comes before the flash is said, and then it dies.
                    let (stream, answer) = match answer.split_once('⚡') {
                        Some((stream, _)) => (stream, "!it died"),
                        None => (*answer, *answer),
                    };
                    if self.listen(turn.id, stream, !answer.starts_with('!')) {
                        continue;
                    }
                    let bill = Bill { usage: self.usage, elapsed_ms: 5, ..Bill::default() };
                    let failed = |kind, message: String| Event::TurnFailed {
                        turn: turn.id,
                        error: TurnError { kind, message, hint: None },
                        raw: None,
                        bill: bill.clone(),
                    };
                    let event = if let Some(message) = answer.strip_prefix('!') {
                        failed(TurnErrorKind::Died, message.to_owned())
                    } else {
                        let mut exhibits = Exhibits::new(&tribunal_checks::Inspector);
                        let texts = run.exhibits(turn).into_iter();
                        exhibits.extend(texts.map(|digest| (digest, self.texts[&digest].as_str().into())));
                        match run.read(turn, answer, &exhibits) {
                            Ok(reading) => {
                                self.texts.extend(reading.blobs.iter().map(|text| (Digest::of(text), text.clone())));
                                let raw = Digest::of(answer);
                                Event::TurnAnswered { turn: turn.id, raw, said: Box::new(reading.said), bill }
                            }
                            Err(misfit) => failed(misfit.kind(), misfit.to_string()),
                        }
                    };
                    self.record(event);
                }
                Next::Cancel(turns) => turns.into_iter().for_each(|turn| {
                    let error = TurnError { kind: TurnErrorKind::Cancelled, message: "cancelled".into(), hint: None };
                    self.record(Event::TurnFailed { turn, error, raw: None, bill: Bill::default() });
                }),
                Next::Done(_) => return self,
            }
        }
    }

    /// Lets a turn speak that is listened to. False if it is not.
    fn listen(&mut self, turn: TurnId, stream: &str, ends_well: bool) -> bool {
        let run = self.run();
        let Some(mut listener) = run.spec().trial().listen(&run, run.turn(turn).unwrap()) else { return false };
        listener.push(stream);
        if ends_well {
            listener.finish();
        }
        while let Some(hearing) = listener.next(&self.run()) {
            self.texts.extend(hearing.blobs.iter().map(|text| (Digest::of(text), text.clone())));
            self.record(Event::Heard { turn, utterances: hearing.utterances });
            while let Next::Record(event) = self.run().next(self.now()) {
                self.record(event);
            }
            if self.run().turn(turn).unwrap().heard.as_ref().unwrap().is_over() {
                break;
            }
        }
        if self.run().in_flight().any(|in_flight| in_flight.id == turn) {
            let bill = Bill::default();
            let error = TurnError { kind: TurnErrorKind::Died, message: "it died".into(), hint: None };
            self.record(if ends_well {
                Event::TurnAnswered { turn, raw: Digest::of(stream), said: Box::new(Said::Heard), bill }
            } else {
                Event::TurnFailed { turn, error, raw: None, bill }
            });
        }
        true
    }

    /// What is watched, a line each.
    pub(crate) fn watched(&self) -> String {
        let run = self.run();
        let events = self.entries.iter().flat_map(|entry| theater::events(&run, entry));
        events.filter_map(|event| theater::Stage::line(&event)).map(|line| line + "\n").collect()
    }

    /// The log as a person would tell it.
    pub(crate) fn transcript(&self) -> String {
        let mut out = String::new();
        for Entry { event, .. } in &self.entries {
            match event {
                Event::RunOpened { spec } => writeln!(out, "{} of {}", spec.kind(), spec.subject()),
                Event::RoundOpened { round } => writeln!(out, "iteration {round}"),
                Event::TurnStarted { seat, attempt, routed, .. } => {
                    let model = routed.as_ref().map(|routed| format!(" on {} ({})", routed.model, routed.why));
                    writeln!(out, "  {seat} attempt {attempt}{}", model.unwrap_or_default())
                }
                Event::TurnAnswered { said, .. } => match &**said {
                    Said::Heard => writeln!(out, "    has spoken"),
                    Said::Surveyed(_) | Said::Done => Ok(()),
                    Said::Worked(work) => {
                        let stop = work.memory.stop.map_or("no stop status", |stop| stop.as_str());
                        writeln!(out, "    {stop}, {} files changed", work.changed.len())
                    }
                    Said::Checked(receipts) => {
                        let told = receipts.receipts.iter().map(|receipt| match receipt.failure() {
                            None => format!("{} passed", receipt.check),
                            Some(why) => format!("{} failed: {why}", receipt.check),
                        });
                        writeln!(out, "    {}", told.collect::<Vec<_>>().join(", "))
                    }
                    Said::Inspected(inspection) => {
                        let verdict = &inspection.verdict;
                        let corrected = verdict.corrections.iter().map(|it| format!("; but {}", it.why));
                        let scope: Vec<&str> =
                            inspection.scope.iter().map(tribunal_kernel::desk::StoryId::as_str).collect();
                        writeln!(out, "    {} for {}{}", verdict.word, scope.join(", "), corrected.collect::<String>())
                    }
                    Said::Mutation(mutation) => writeln!(out, "    {:?}", self.texts[&mutation.draft.content]),
                    Said::Controlled(control) => writeln!(out, "    {control}"),
                    Said::Collected(evidence) => writeln!(out, "{}", evidence.side_by_side()),
                    Said::Resolved { decisions } => writeln!(out, "    settled: {}", decisions.join("; ")),
                    Said::Draft { draft, done, .. } => writeln!(
                        out,
                        "    candidate {:?}{}",
                        self.texts[&draft.content],
                        if *done == Some(true) { ", done" } else { "" }
                    ),
                    Said::Verdict(verdict) => {
                        let issues: Vec<String> = verdict
                            .findings
                            .iter()
                            .map(|finding| {
                                format!(
                                    " {}{}",
                                    finding.code.as_deref().unwrap_or(&finding.text),
                                    if finding.contested { " (contested)" } else { "" }
                                )
                            })
                            .collect();
                        let corrected: Vec<String> = verdict
                            .corrections
                            .iter()
                            .map(|correction| format!(" [said {}: {}]", correction.given, correction.rule))
                            .collect();
                        writeln!(out, "    {}{}{}", verdict.word, issues.join(","), corrected.join(""))
                    }
                },
                Event::TurnFailed { error, .. } => writeln!(out, "    failed: {error}"),
                Event::Ruled { ruling, .. } if ruling.accepted => {
                    writeln!(out, "    accepted {}", ruling.score.unwrap_or_default())
                }
                Event::Ruled { ruling, .. } => writeln!(out, "    sent back: {}", ruling.reasons.join("; ")),
                Event::RoundClosed { decision, .. } => match decision.outcome {
                    Some(outcome) => writeln!(out, "  {outcome}: {}", decision.reason.as_deref().unwrap_or("-")),
                    None => writeln!(out, "  go on"),
                },
                Event::RunClosed { outcome, reason, .. } => writeln!(out, "{outcome}: {reason}"),
                other => writeln!(out, "{}", other.name()),
            }
            .unwrap();
        }
        out
    }
}
