//! Runs to look at: real ones, on simulated time.

use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tribunal_agents::{Activity, AgentError, Answer, Answering, Native, ProcessExit, Show, TurnRequest};
use tribunal_anchors::{Anchor, AnchorKind, Syntax};
use tribunal_engine::Session;
use tribunal_engine::projection::NoView;
use tribunal_kernel::theater::{self, LINT, Panel};
use tribunal_kernel::{
    Binding, Digest, Entry, Limits, LoopSettings, Run, RunId, RunSpec, SeatName, Trial, Usage, Usd, desk, joust, review,
};
use tribunal_testkit::clock::SimClock;
use tribunal_testkit::disk::Disk;
use tribunal_testkit::script::seat_all;
use uuid::Uuid;

/// In the brief, in every draft, in every demand and in what agents print when they die. It must not be told.
pub(super) const SECRET: &str = "zebra";
const USAGE: Usage = Usage {
    input_tokens: 1200,
    output_tokens: 300,
    cached_tokens: 200,
    cache_write_tokens: 0,
    usd: Some(Usd(10_000)),
    estimated: false,
};

/// What a seat does in one turn.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Pieces of an answer, each so many seconds after the one before.
    Says(Vec<(f64, String)>),
    Dies(f64),
}

/// Acts by seat, in their order. A seat that has none left is silent.
pub(super) type Script = Vec<(&'static str, Act)>;

pub(super) fn says(seat: &'static str, seconds: f64, text: impl Into<String>) -> (&'static str, Act) {
    (seat, Act::Says(vec![(seconds, text.into())]))
}

#[derive(Debug)]
struct Actor(Mutex<BTreeMap<&'static str, VecDeque<Act>>>);

impl Native for Actor {
    fn answer<'a>(&'a self, request: TurnRequest, show: Show<'a>) -> Answering<'a> {
        let act = self.0.lock().unwrap().get_mut(request.seat.as_str()).and_then(VecDeque::pop_front);
        Box::pin(async move {
            let sleep = |seconds| tokio::time::sleep(Duration::from_secs_f64(seconds));
            match act {
                None => std::future::pending().await,
                Some(Act::Dies(seconds)) => {
                    sleep(seconds).await;
                    let stderr_tail = format!("cannot draw a {SECRET}");
                    Err(AgentError::Died { agent: "writer".into(), exit: ProcessExit::Code(1), stderr_tail })
                }
                Some(Act::Says(pieces)) => {
                    let mut text = String::new();
                    for (seconds, piece) in pieces {
                        sleep(seconds).await;
                        text.push_str(&piece);
                        show(Activity::Text(piece));
                    }
                    Ok(Answer { text, usage: USAGE, session: None })
                }
            }
        })
    }
}

/// A run that was played.
pub(super) struct Play(pub(super) Vec<Entry>);

impl Play {
    /// Lets a run be played until it ends, or until somebody interrupts it.
    pub(super) fn new(spec: RunSpec, script: Script, interrupted_after: Option<f64>) -> Self {
        Self::with_resume(spec, script, interrupted_after, false)
    }

    pub(super) fn with_resume(spec: RunSpec, script: Script, interrupted_after: Option<f64>, again: bool) -> Self {
        // On a thread of its own: some tests have a runtime already.
        let played = std::thread::spawn(move || {
            let builder = &mut tokio::runtime::Builder::new_current_thread();
            let runtime = builder.enable_time().start_paused(true).build().unwrap();
            runtime.block_on(play(spec, script, interrupted_after, again))
        });
        Self(played.join().unwrap())
    }

    /// Every entry, with the run after it.
    pub(super) fn each(&self, mut see: impl FnMut(&Run, &Entry)) {
        let mut run = Run::open(&self.0[0]).unwrap();
        see(&run, &self.0[0]);
        for entry in &self.0[1..] {
            run.apply(entry).unwrap();
            see(&run, entry);
        }
    }

    /// Every entry, with the run at its end: what a view sees that is told of many entries at once.
    pub(super) fn each_late(&self, mut see: impl FnMut(&Run, &Entry)) {
        let run = Run::fold(&self.0).unwrap().unwrap();
        self.0.iter().for_each(|entry| see(&run, entry));
    }
}

async fn play(spec: RunSpec, script: Script, interrupted_after: Option<f64>, again: bool) -> Vec<Entry> {
    let mut acts = BTreeMap::<_, VecDeque<_>>::new();
    for (seat, act) in script {
        acts.entry(seat).or_default().push_back(act);
    }
    let actor: Arc<dyn Native> = Arc::new(Actor(Mutex::new(acts)));
    let seating = seat_all(&["writer", "judge", "tribunal/house", "tribunal/desk"], &actor);
    let (disk, clock, id) = (Arc::new(Disk::default()), Arc::new(SimClock::start()), spec.run);
    let mut session = Session::create(disk.clone(), clock.clone(), spec, &[brief()]).await.unwrap();
    if let Some(seconds) = interrupted_after {
        let control = session.control();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
            control.interrupt("ada");
        });
    }
    session.drive(&seating, &mut NoView).await.unwrap();
    if again {
        drop(session);
        tokio::time::sleep(Duration::from_secs(3600)).await;
        let mut session = Session::open(disk.clone(), clock, id).await.unwrap();
        session.resume(None).await.unwrap();
        session.drive(&seating, &mut NoView).await.unwrap();
    }
    disk.entries(id)
}

fn brief() -> String {
    format!("Draw a {SECRET}.")
}

fn spec(number: u128, seats: &[&str], settings: LoopSettings) -> RunSpec {
    let bind = |seat: &str| match seat {
        "designer" | "panel" | "creator" | "main" | "worker" => {
            Binding { agent: "writer".into(), model: Some("opus".into()), ..Binding::default() }
        }
        "desk" => Binding { agent: "tribunal/desk".into(), ..Binding::default() },
        LINT => Binding { agent: "tribunal/house".into(), ..Binding::default() },
        _ => Binding { agent: "judge".into(), ..Binding::default() },
    };
    RunSpec {
        seats: seats.iter().map(|seat| (SeatName::new(*seat), bind(seat))).collect(),
        max_retries: 1,
        ..RunSpec::new(RunId(Uuid::from_u128(number)), "/work".into(), Digest::of(brief()), settings)
    }
}

pub(super) fn stage(panel: Panel) -> RunSpec {
    let settings = theater::Settings::new("shop", "landing", panel);
    let seats: Vec<&str> = settings.seats();
    spec(1, &seats, settings.clone().into())
}

/// A draft, and what four judges say of it.
pub(super) fn round(draft: u32, judges: [(f64, &str); 4]) -> Script {
    let artifact = json!({ "mime": "text/html", "content": format!("<h1>{SECRET} {draft}</h1>") });
    let mut acts = vec![says("designer", 12.0, json!({ "artifact": artifact }).to_string())];
    for (seat, (score, demand)) in ["critic", "brand", "a11y", "copy"].into_iter().zip(judges) {
        let demands: Vec<String> =
            Some(demand).filter(|it| !it.is_empty()).map(|it| format!("{it} {SECRET}")).into_iter().collect();
        acts.push(says(seat, score, json!({ "score": score, "must_fix": demands }).to_string()));
    }
    acts
}

pub(super) const POOR: [(f64, &str); 4] = [(6.0, "Darken the"), (7.0, "Use our"), (6.0, ""), (6.0, "")];
pub(super) const FINE: [(f64, &str); 4] = [(9.0, ""), (8.5, ""), (8.5, ""), (8.0, "")];

/// Two rounds of a panel in seats; the second one passes, and one judge needs a second try.
pub(super) fn theater() -> Play {
    let mut script = [round(1, POOR), round(2, FINE)].concat();
    let brand = script.iter().rposition(|(seat, _)| *seat == "brand").unwrap();
    script.insert(brand, says("brand", 1.0, format!("A {SECRET} is a horse.")));
    Play::new(stage(Panel::Seats), script, None)
}

/// A stream of two rounds, with something odd in it; `end` is how it goes on.
fn stream(end: &str) -> Vec<(f64, String)> {
    let panelist = |role: &str, score: f64, demand: &str| {
        let demand = if demand.is_empty() { String::new() } else { format!("<MUST_FIX>{demand} {SECRET}</MUST_FIX>") };
        format!("<PANELIST role=\"{role}\" score=\"{score}\">{demand}</PANELIST>")
    };
    let designer = |round: u32| {
        format!("<PANELIST role=\"designer\"><ARTIFACT mime=\"text/html\">{SECRET} {round}</ARTIFACT></PANELIST>")
    };
    let judges = |judges: [(f64, &str); 4]| -> String {
        let roles = ["critic", "brand", "a11y", "copy"].into_iter();
        roles.zip(judges).map(|(role, (score, demand))| panelist(role, score, demand)).collect()
    };
    vec![
        (2.0, format!("<CRITIQUE_RUN version=\"1\"><ODD/><ROUND n=\"1\">{}", designer(1))),
        (6.0, format!("{}<ROUND_END n=\"1\" decision=\"continue\"></ROUND_END></ROUND>", judges(POOR))),
        (4.0, format!("<ROUND n=\"2\">{}", designer(2))),
        (5.0, format!("{}{end}", judges(FINE))),
    ]
}

/// A panel in one stream.
pub(super) fn single() -> Play {
    let end = format!(
        "<ROUND_END n=\"2\" decision=\"ship\"></ROUND_END></ROUND><SHIP round=\"2\"><ARTIFACT mime=\"text/html\">{SECRET}\
         </ARTIFACT></SHIP></CRITIQUE_RUN>"
    );
    Play::new(stage(Panel::Single), vec![("panel", Act::Says(stream(&end)))], None)
}

/// A panel that cannot be read any further in its second round: a plain pass follows.
pub(super) fn broken() -> Play {
    let plain = format!("```html\n<h1>{SECRET}</h1>\n```\n");
    Play::new(
        stage(Panel::Single),
        vec![("panel", Act::Says(stream("</CRITIQUE_RUN>"))), says("panel", 3.0, plain)],
        None,
    )
}

/// A designer that dies in the second round, twice.
pub(super) fn failed() -> Play {
    let script = [round(1, POOR), vec![("designer", Act::Dies(2.0)), ("designer", Act::Dies(3.0))]].concat();
    Play::new(stage(Panel::Seats), script, None)
}

/// Somebody interrupts the second round, and resumes it an hour later.
pub(super) fn resumed() -> Play {
    let script = [round(1, POOR), vec![("designer", Act::Says(vec![(25.0, String::new())]))], round(2, FINE)].concat();
    Play::with_resume(stage(Panel::Seats), script, Some(30.0), true)
}

/// Somebody interrupts the first round: there is nothing to hand over.
pub(super) fn interrupted() -> Play {
    Play::new(stage(Panel::Seats), Vec::new(), Some(5.0))
}

/// A creator and a reviewer who agree in the second iteration.
pub(super) fn review() -> Play {
    let draft = |number: u32| {
        let candidate = json!({ "content": format!("{SECRET} {number}"), "format": "plain" });
        says("creator", 4.0, json!({ "done": true, "candidate": candidate }).to_string())
    };
    let verdict = |word: &str, issue: &str| {
        let issues: Vec<_> = Some(issue)
            .filter(|issue| !issue.is_empty())
            .map(|issue| json!({ "severity": "error", "message": format!("{issue} {SECRET}"), "code": "tone" }))
            .into_iter()
            .collect();
        says("reviewer", 2.5, json!({ "verdict": word, "summary": SECRET, "issues": issues }).to_string())
    };
    let settings = review::Settings {
        asset: "description".into(),
        max_iterations: 3,
        stop_in_circles: false,
        stop_on_needs_human: false,
        locked: false,
        given: review::ReviewGiven::default(),
    };
    let settings = settings.into();
    let script = vec![draft(1), verdict("changes_requested", "Louder"), draft(2), verdict("ok", "")];
    Play::new(spec(2, &["creator", "reviewer"], settings), script, None)
}

/// A rewrite that breaks a rule is sent back; the next one meets the anchor.
pub(super) fn joust() -> Play {
    let anchor =
        "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"(?m)^## Risks$\", rule = \"risks\" }]\n";
    let settings =
        joust::Settings { max_rounds: 2, ..joust::Settings::new("plan", AnchorKind::Invariants, &["skeptic"]) };
    let spec = spec(3, &[joust::MAIN, "skeptic"], settings.into());
    let spec = RunSpec { anchor: Some(Anchor::read(anchor, Syntax::Toml).unwrap()), ..spec };
    let rewrite = |seat, seconds, text: &str| {
        says(
            seat,
            seconds,
            json!({ "draft": format!("{SECRET}\n{text}"), "critique": SECRET, "summon": null }).to_string(),
        )
    };
    let script = vec![
        rewrite(joust::MAIN, 5.0, "Plan"),
        rewrite("skeptic", 6.0, "Better plan"),
        rewrite("skeptic", 7.0, "## Risks"),
        rewrite(joust::MAIN, 8.0, "## Risks\nnone"),
    ];
    Play::new(spec, script, None)
}

/// Two stories, done in one iteration and verified in it.
pub(super) fn desk() -> Play {
    let ladder: Vec<String> = ["haiku", "sonnet"].map(str::to_owned).into();
    let settings = desk::Settings { ladder: ladder.clone(), verifier_ladder: ladder, ..desk::Settings::new("calc") };
    let spec = spec(4, &[desk::WORKER, desk::VERIFIER, desk::DESK], settings.into());
    let spec = RunSpec { limits: Limits { rounds: Some(3), ..Limits::default() }, ..spec };
    let test = Digest::of("test");
    let memory = |stop: &str| format!("## Stop Status\n{stop}\n\n## Next Iteration Contract\nDo it\n");
    let survey = json!({
        "prd": "# PRD\n\n### US-001: Add\n- add returns the sum\n",
        "test_spec": "## Verification Commands\n### Test\n```sh\nsh test.sh\n```\n",
        "memory": memory("continue"), "context": SECRET, "worker_prompt": SECRET, "verifier_prompt": SECRET,
        "sentinel": null, "commit": "base", "files": { "test.sh": test }, "notes": [],
    });
    let claim = json!({ "summary": "done", "stories_completed": ["US-001"] }).to_string();
    let work = json!({
        "printed": SECRET, "memory": memory("verify"), "context": "one", "claim": claim, "commit": "commit",
        "tree": "tree", "changed": [{ "path": "calc.sh", "kind": "modified" }], "files": { "test.sh": test },
        "incidents": [],
    });
    let receipt = json!({
        "check": "test-1", "purpose": "Test", "line": "sh test.sh", "argv": ["sh"], "exit": 0, "ended": "exited",
        "elapsed_ms": 5, "output": Digest::of("out"), "tail": SECRET, "tree": "tree",
        "tests": { "passed": 3, "failed": 0, "skipped": 0 },
    });
    let checks = json!({ "receipts": [receipt], "commit": "c", "tree": "tree", "files": {} });
    let verdict = json!({
        "verdict": "pass", "summary": SECRET, "issues": [],
        "criteria_results": [{ "criterion": "US-001 AC1", "met": true, "evidence": "`echo $((a + b))`" }],
        "recommended_state_transition": "complete", "next_iteration_contract": "none",
    });
    let found = ["echo $((a + b))"];
    let verdict = json!({ "printed": SECRET, "verdict": verdict.to_string(), "incidents": [], "found": found });
    let script = vec![
        says(desk::DESK, 0.5, survey.to_string()),
        says(desk::WORKER, 25.0, work.to_string()),
        says(desk::DESK, 2.0, checks.to_string()),
        says(desk::VERIFIER, 9.0, verdict.to_string()),
    ];
    Play::new(spec, script, None)
}

/// All of them.
pub(super) fn all() -> Vec<(&'static str, Play)> {
    vec![
        ("theater", theater()),
        ("single", single()),
        ("broken", broken()),
        ("failed", failed()),
        ("resumed", resumed()),
        ("interrupted", interrupted()),
        ("review", review()),
        ("joust", joust()),
        ("desk", desk()),
    ]
}
