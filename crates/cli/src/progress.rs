//! What a person sees while runs are driven: a live line a run on a terminal, plain lines elsewhere.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tribunal_agents::Activity;
use tribunal_app::console::{Prompted, Prompter};
use tribunal_app::people::{People, Question};
use tribunal_app::{Console, RunProgress, parked, summary};
use tribunal_engine::{Clock as _, SystemClock};
use tribunal_kernel::theater::{self, Stage, TheaterEvent, stage_of};
use tribunal_kernel::{Entry, Event, Run, RunSpec, Time, TurnId};

use crate::args::Global;
use crate::lanes::Lanes;
use crate::{joust_lines, prompter, render};

/// How often the line of a working run moves.
const TICK: Duration = Duration::from_millis(120);
/// How often a second at most the screen is drawn.
const REDRAWS: u8 = 10;

/// The screen that several runs share.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    live: Option<MultiProgress>,
    verbose: bool,
    quiet: bool,
    json: bool,
    /// What is to be said once a person has the terminal no more.
    held: Arc<Mutex<Option<Vec<String>>>>,
}

/// A screen that is a person's as long as this lives.
#[derive(Debug)]
pub(crate) struct Held(Screen);

/// One run's part of the screen.
#[derive(Debug)]
pub(crate) struct Progress {
    screen: Screen,
    name: String,
    people: People,
    line: Option<ProgressBar>,
    lanes: Option<Lanes>,
    /// When the next parked turn goes on, in milliseconds since 1970: the live line counts down to it.
    wake: Arc<AtomicU64>,
}

impl Screen {
    /// A live screen where stderr is a terminal that can redraw; nothing but errors in CI logs is lost without it.
    pub(crate) fn new(verbose: bool, json: bool) -> Self {
        let can_redraw = std::io::stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            && std::env::var_os("CI").is_none();
        let live =
            (can_redraw && !json).then(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAWS)));
        Self { live, verbose, quiet: json && !verbose, json, held: Arc::default() }
    }

    /// The screen of a command.
    pub(crate) fn shared(global: &Global) -> Arc<dyn Console> {
        Arc::new(Self::new(global.verbose, global.json))
    }

    /// A run's part.
    fn add(&self, spec: &RunSpec, people: &People) -> Progress {
        let (name, wake) = (spec.subject(), Arc::new(AtomicU64::new(0)));
        let line = self.live.as_ref().map(|live| {
            let line = live.add(ProgressBar::new_spinner());
            let style = ProgressStyle::with_template("{spinner} {prefix}  {msg}{countdown}  {elapsed}");
            let wake = wake.clone();
            let countdown = move |_: &ProgressState, text: &mut dyn fmt::Write| {
                let (wake, now) = (Time(wake.load(Ordering::Relaxed)), SystemClock.now());
                if now < wake {
                    let _ = write!(text, "  parked, {} left", parked::span(wake.since(now)));
                }
            };
            let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
            line.set_style(style.with_key("countdown", countdown));
            line.set_prefix(crate::out::visible(name).into_owned());
            line.enable_steady_tick(TICK);
            line
        });
        let lanes = self.live.as_ref().zip(stage_of(spec)).map(|(live, settings)| Lanes::new(live, settings));
        Progress { screen: self.clone(), name: name.to_owned(), people: people.clone(), line, lanes, wake }
    }

    /// A line above the live ones.
    pub(crate) fn say(&self, text: &str) {
        if let Some(held) = &mut *self.held() {
            held.push(text.to_owned());
            return;
        }
        match &self.live {
            Some(live) => drop(live.println(crate::out::visible(text))),
            None if self.quiet => {}
            None => eprintln!("{text}"),
        }
    }

    /// Whether there is somebody at a terminal who can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        !self.json && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Leaves the terminal to a person. What is said meanwhile is said afterwards.
    fn hold(&self) -> Held {
        self.held().get_or_insert_default();
        if let Some(live) = &self.live {
            let _ = live.clear();
            live.set_draw_target(ProgressDrawTarget::hidden());
        }
        Held(self.clone())
    }

    fn held(&self) -> MutexGuard<'_, Option<Vec<String>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Console for Screen {
    fn say(&self, line: &str) {
        Self::say(self, line);
    }

    fn note(&self, text: &str) {
        match &self.live {
            Some(live) => drop(live.println(crate::out::visible(&format!("note: {text}")))),
            None => eprintln!("note: {text}"),
        }
    }

    fn progress(&self, spec: &RunSpec, people: &People) -> Box<dyn RunProgress> {
        Box::new(self.add(spec, people))
    }

    fn prompter(&self) -> Option<Arc<dyn Prompter>> {
        self.can_ask().then(|| Arc::new(self.clone()) as Arc<dyn Prompter>)
    }
}

impl Prompter for Screen {
    fn ask(&self, question: Question) -> Prompted<'_> {
        Box::pin(async move {
            let _held = self.hold();
            prompter::at_terminal(question).await
        })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Self(screen) = self;
        if let Some(live) = &screen.live {
            live.set_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAWS));
        }
        let held = screen.held().take();
        held.into_iter().flatten().for_each(|text| screen.say(&text));
    }
}

impl RunProgress for Progress {
    fn entry(&mut self, run: &Run, entry: &Entry) {
        let wake = run.next_wake(SystemClock.now()).unwrap_or_default();
        self.wake.store(wake.0, Ordering::Relaxed);
        if stage_of(run.spec()).is_some() && !self.screen.verbose {
            self.scene(run, entry);
            return;
        }
        if let Some(line) = &self.line {
            line.set_message(crate::out::visible(&summary::standing(run, &self.people)).into_owned());
        }
        let is_news = match entry.event {
            // The live line shows who is working, and the result is printed at the end.
            Event::TurnStarted { .. } => self.line.is_none(),
            Event::RunOpened { .. } | Event::RoundOpened { .. } | Event::RunClosed { .. } => false,
            _ => true,
        };
        if is_news || self.screen.verbose {
            self.screen.say(&format!("{}: {}", self.name, render::entry(run, entry)));
        }
        for line in joust_lines::lines(run, entry) {
            self.screen.say(&format!("{}:   {line}", self.name));
        }
    }

    fn glimpse(&mut self, turn: TurnId, activity: &Activity) {
        if self.screen.verbose {
            match activity {
                Activity::Text(text) => self.screen.say(&format!("{}: turn {turn}: {text}", self.name)),
                Activity::Tool(tool) => self.screen.say(&format!("{}: turn {turn} uses {tool}", self.name)),
                Activity::Note(_) | Activity::Parked(_) | Activity::Spent(_) => {}
            }
        }
        if let Activity::Note(note) = activity {
            self.note(&format!("turn {turn}: {note}"));
        }
        if let Activity::Parked(time) = activity {
            let seconds = time.as_secs_f64().ceil();
            self.screen.say(&format!("{}: turn {turn} waits {seconds} s: the provider is rate-limiting", self.name));
        }
    }

    fn note(&self, text: &str) {
        self.screen.say(&format!("{}: {text}", self.name));
    }
}

impl Progress {
    /// A theater is shown as its events: in lanes where there is a terminal, and in lines elsewhere.
    fn scene(&mut self, run: &Run, entry: &Entry) {
        for event in theater::events(run, entry) {
            if let Some(lanes) = &mut self.lanes {
                lanes.apply(&event);
            }
            let is_news = match event {
                TheaterEvent::PanelistOpen { .. } | TheaterEvent::PanelistDim { .. } => false,
                TheaterEvent::PanelistMustFix { .. } | TheaterEvent::PanelistClose { .. } => self.lanes.is_none(),
                _ => true,
            };
            if let Some(text) = Stage::line(&event).filter(|_| is_news) {
                self.screen.say(&format!("{}: {text}", self.name));
            }
        }
        if let Event::TurnParked { .. }
        | Event::TurnFailed { .. }
        | Event::InterruptRequested { .. }
        | Event::RunResumed { .. } = entry.event
        {
            self.screen.say(&format!("{}: {}", self.name, render::entry(run, entry)));
        }
        if let (Some(line), Some(lanes)) = (&self.line, &self.lanes) {
            line.set_message(crate::out::visible(&lanes.headline()).into_owned());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(lanes) = &self.lanes {
            lanes.clear();
        }
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}
