//! A server with runs that the test writes itself, and a client that sees every byte.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tribunal_app::answer::OpenQuestion;
use tribunal_app::reopen::ReopenRequest;
use tribunal_app::service::{Reply, VoteReply};
use tribunal_app::settings::ShownSetting;
use tribunal_app::start::StartRequest;
use tribunal_app::steer::SteerRequest;
use tribunal_app::vote::{ShownVote, VoteLink, VoteRefusal};
use tribunal_app::{AppError, AppService};
use tribunal_kernel::faults::Forecast;
use tribunal_kernel::{Binding, Digest, Event, Round, Run, RunId, RunSpec, SeatName, Spend, Time, TurnId, review};
use tribunal_server::{Options, Server, Token};
use tribunal_store::index::Index;
use tribunal_store::{Backend as _, FileBackend, Layout, LogWriter};
use uuid::Uuid;

pub(crate) const TOKEN: &str = "a-token-for-tests-only-0123456789";
pub(crate) const PROJECT: &str = "shop";
/// Nothing here takes longer than this, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(20);

/// Writes down what it is asked.
#[derive(Debug, Default)]
pub(crate) struct Clerk {
    pub(crate) workspace: PathBuf,
    pub(crate) asked: Mutex<Vec<String>>,
}

impl Clerk {
    fn note<T: Send + 'static>(&self, asked: String, answer: T) -> Reply<'_, T> {
        self.asked.lock().unwrap().push(asked);
        Box::pin(std::future::ready(Ok(answer)))
    }
}

impl AppService for Clerk {
    fn project(&self) -> (String, PathBuf) {
        (PROJECT.into(), self.workspace.clone())
    }
    fn start(&self, start: StartRequest) -> Reply<'_, Vec<RunId>> {
        self.note(format!("start {:?}", start.brief), vec![run_id(99)])
    }
    fn resume(&self, run: RunId) -> Reply<'_, ()> {
        self.note(format!("resume {run}"), ())
    }
    fn rerun(&self, run: RunId, brief: Option<String>) -> Reply<'_, RunId> {
        self.note(format!("rerun {run} {brief:?}"), run_id(98))
    }
    fn reopen(&self, request: ReopenRequest) -> Reply<'_, ()> {
        let (run, why, rounds) = request.parts();
        self.note(format!("reopen {run} {why} {rounds}"), ())
    }
    fn select(&self, run: RunId, round: Round) -> Reply<'_, ()> {
        self.note(format!("select {run} {round}"), ())
    }
    fn interrupt(&self, run: RunId) -> Reply<'_, ()> {
        self.note(format!("interrupt {run}"), ())
    }
    fn steer(&self, request: SteerRequest) -> Reply<'_, ()> {
        let (run, text) = (request.run(), request.text());
        self.note(format!("steer {run} {text}"), ())
    }
    fn forecast(&self, run: RunId) -> Reply<'_, Option<Forecast>> {
        // Six faults of two judges, four of which both found; one stands open.
        self.note(format!("forecast {run}"), Some(Forecast::of_counts(&[2, 4], 2, 1)))
    }
    fn questions(&self, run: RunId) -> Reply<'_, Vec<OpenQuestion>> {
        self.note(format!("questions {run}"), Vec::new())
    }
    fn answer(&self, _: RunId, _: TurnId, answer: Value) -> Reply<'_, ()> {
        let misfit = AppError::misfit("no verdict in it");
        if answer == "ok" { self.note("answer".into(), ()) } else { Box::pin(std::future::ready(Err(misfit))) }
    }
    fn show_vote(&self, link: VoteLink) -> VoteReply<'_> {
        Box::pin(std::future::ready(match link.answer.as_str() {
            "ok" => Ok(ShownVote { title: "<b>&".into(), asked: "One?\nTwo?".into(), answer: "ok".into() }),
            "late" => Err(VoteRefusal::Expired),
            "used" => Err(VoteRefusal::Used),
            "closed" => Err(VoteRefusal::Closed),
            _ => Err(VoteRefusal::Forged),
        }))
    }
    fn vote(&self, link: VoteLink) -> VoteReply<'_> {
        self.asked.lock().unwrap().push(format!("vote {} {} {}", link.run, link.question, link.answer));
        self.show_vote(link)
    }
    fn awaited<'a>(&'a self, _: &'a Run) -> Reply<'a, Vec<String>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    fn queued(&self) -> BTreeSet<RunId> {
        BTreeSet::new()
    }
    fn settings(&self) -> Reply<'_, Vec<ShownSetting>> {
        self.note("settings".into(), Vec::new())
    }
    fn set(&self, key: String, value: Value) -> Reply<'_, ()> {
        self.note(format!("set {key} {value}"), ())
    }
}

/// A server over a folder of its own.
pub(crate) struct Stage {
    pub(crate) folder: Arc<TempDir>,
    pub(crate) address: SocketAddr,
    pub(crate) clerk: Arc<Clerk>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Stage {
    pub(crate) async fn open() -> Self {
        Self::over(Arc::new(tempfile::tempdir().unwrap()), 0).await
    }

    /// A server over a folder in which there may be runs already.
    pub(crate) async fn over(folder: Arc<TempDir>, port: u16) -> Self {
        let clerk = Arc::new(Clerk { workspace: folder.path().into(), ..Clerk::default() });
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let token = Token::new(TOKEN).unwrap();
        let options = Options { address, token, hosts: Vec::new(), scribe: None, otlp: None };
        let server = Server::bind(options, Arc::new(FileBackend::new(folder.path())), clerk.clone()).await.unwrap();
        let address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self { folder, address, clerk, stop: Some(stop), serving }
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout::new(self.folder.path())
    }

    /// Stops as `tribunal serve` does, and gives the folder for the next one.
    pub(crate) async fn close(mut self) -> Arc<TempDir> {
        let _ = self.stop.take().unwrap().send(());
        tokio::time::timeout(PATIENCE, &mut self.serving).await.unwrap().unwrap().unwrap();
        self.folder.clone()
    }

    /// A draft as its frame gets it: where it was sent, and what is there.
    pub(crate) async fn preview(&self, path: &str) -> (String, Answer) {
        let sent = self.get(path).await;
        assert_eq!(sent.status, 303, "{sent:?}");
        let address = sent.location().to_owned();
        let answer = self.request("GET", &address, &[], b"").await;
        (address, answer)
    }

    /// A request with the token.
    pub(crate) async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let bearer = format!("Bearer {TOKEN}");
        let mut all = vec![("authorization", bearer.as_str())];
        all.extend_from_slice(headers);
        self.request(method, path, &all, body.as_bytes()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, &[("content-type", "application/json")], body).await
    }

    /// A request, byte for byte; `host` is ours unless it is given.
    pub(crate) async fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            write!(head, "host: {}\r\n", self.address).unwrap();
        }
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        if !body.is_empty() || method != "GET" {
            write!(head, "content-length: {}\r\n", body.len()).unwrap();
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        // A server that has refused already may close before it has read everything.
        let _ = stream.write_all(body).await;
        let mut bytes = Vec::new();
        let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.unwrap();
        Answer::read(&String::from_utf8_lossy(&bytes))
    }

    /// A stream of events, from its beginning or after a place.
    pub(crate) async fn follow(&self, run: Option<RunId>, after: Option<&str>) -> Events {
        let run = run.map(|run| format!("?run={run}")).unwrap_or_default();
        let after = after.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "GET /api/projects/{PROJECT}/events{run} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\n{after}\r\n",
            self.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut events = Events { lines: BufReader::new(stream) };
        let status = events.line().await.unwrap();
        assert!(status.contains("200"), "{status}");
        while events.line().await.is_some_and(|line| line != "retry: 1000") {}
        events
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
    location: Option<String>,
}

impl Answer {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        let body = if head.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_owned() };
        let location = head.lines().find_map(|line| line.strip_prefix("location: ")).map(str::to_owned);
        Self { status, head: head.to_lowercase(), body, location }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Where it sends whoever asked. As it was sent, so the rest of the head is in small letters and this is not.
    pub(crate) fn location(&self) -> &str {
        self.location.as_deref().unwrap_or_default()
    }

    /// The word for why it was refused.
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or_default();
        if size == 0 {
            break;
        }
        text.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    text
}

/// A stream of events that is being read.
pub(crate) struct Events {
    lines: BufReader<TcpStream>,
}

/// An event as it came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl Events {
    /// The next line that is not about the transfer.
    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line).await.ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event; nothing when the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Told> {
        // A stream that is only kept alive says something, too: the time is for the event as a whole.
        tokio::time::timeout(PATIENCE, self.told()).await.expect("an event in time")
    }

    async fn told(&mut self) -> Option<Told> {
        let (mut id, mut name) = (String::new(), String::new());
        loop {
            let line = self.line().await?;
            if let Some(text) = line.strip_prefix("id: ") {
                text.clone_into(&mut id);
            } else if let Some(text) = line.strip_prefix("event: ") {
                text.clone_into(&mut name);
            } else if let Some(text) = line.strip_prefix("data: ") {
                return Some(Told { id, name, data: serde_json::from_str(text).unwrap() });
            }
        }
    }

    pub(crate) async fn take(&mut self, count: usize) -> Vec<Told> {
        let mut told = Vec::new();
        while told.len() < count {
            told.push(self.next().await.unwrap());
        }
        told
    }
}

/// A run that the test writes, entry by entry.
pub(crate) struct Pen {
    pub(crate) run: RunId,
    log: Box<dyn LogWriter>,
    store: FileBackend,
    turns: AtomicU32,
}

/// A run's id of our time, with a number to tell it from others.
pub(crate) fn run_id(number: u128) -> RunId {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    RunId(Uuid::from_u128(now << 80 | 7 << 76 | 2 << 62 | number))
}

pub(crate) fn now() -> Time {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Time(u64::try_from(now.as_millis()).unwrap())
}

impl Pen {
    /// Opens a review.
    pub(crate) async fn open(layout: &Layout, number: u128) -> Self {
        let (run, store) = (run_id(number), FileBackend::new(layout.root()));
        let settings = review::Settings {
            asset: format!("asset-{number}"),
            max_iterations: 3,
            stop_in_circles: false,
            stop_on_needs_human: false,
            locked: false,
            given: review::ReviewGiven::default(),
        };
        let brief = store.blobs().put(b"Describe the episode.").await.unwrap();
        let spec = RunSpec {
            seats: [("creator", "writer"), ("reviewer", "critic")]
                .map(|(seat, agent)| (SeatName::new(seat), Binding { agent: agent.into(), ..Binding::default() }))
                .into(),
            ..RunSpec::new(run, "/work".into(), brief, settings)
        };
        let log = store.logs().create(run).await.unwrap();
        let mut pen = Self { run, log, store, turns: AtomicU32::new(0) };
        pen.write(vec![Event::RunOpened { spec: Box::new(spec) }, Event::RoundOpened { round: Round(1) }]).await;
        pen
    }

    pub(crate) async fn write(&mut self, events: Vec<Event>) {
        let at = self.log.seq();
        self.log.append(at, events.into_iter().map(|event| (now(), event)).collect()).await.unwrap();
    }

    /// Somebody says something: one cue.
    pub(crate) async fn say(&mut self, text: impl Into<String>) {
        self.write(vec![Event::DirectiveGiven { by: "ada".into(), text: text.into() }]).await;
    }

    /// A call begins: two cues.
    pub(crate) async fn call(&mut self) -> TurnId {
        let turn = TurnId(self.turns.fetch_add(1, Ordering::Relaxed) + 1);
        let prompt = self.store.blobs().put(b"Write it.").await.unwrap();
        self.write(vec![Event::TurnStarted {
            turn,
            round: Round(1),
            seat: SeatName::new("creator"),
            task: "draft".into(),
            attempt: 1,
            prompt,
            stable: 0,
            request: Digest::of("request"),
            reserved: Spend::default(),
            routed: None,
            taken_by: None,
            directives: 0,
        }])
        .await;
        turn
    }

    /// Whoever was called says something before they answer.
    pub(crate) async fn speak(&self, turn: TurnId, text: &str) {
        let (role, text) = (SeatName::new("creator"), text.to_owned());
        let frame = tribunal_kernel::watch::LiveFrame { turn, role, text, tool: None };
        self.store.live().tell(self.run, vec![frame]).await.unwrap();
    }

    /// The call brings a draft.
    pub(crate) async fn draft(&mut self, turn: TurnId, content: &str, format: tribunal_kernel::Format) {
        use tribunal_kernel::turn::Bill;
        use tribunal_kernel::{Draft, Said};
        self.store.blobs().put(content.as_bytes()).await.unwrap();
        let raw = self.store.blobs().put(b"raw").await.unwrap();
        let draft = Draft::proposed(self.run, turn, content, format);
        let said = Box::new(Said::Draft { draft, done: Some(true), notes: None });
        self.write(vec![Event::TurnAnswered { turn, raw, said, bill: Bill::default() }]).await;
    }

    /// Brings the index up to date, as whoever drives a run does.
    pub(crate) async fn index(&self, layout: &Layout) {
        let entries = self.store.logs().read(self.run).await.unwrap();
        let run = Run::fold(&entries).unwrap().unwrap();
        Index::open(&layout.index()).unwrap().update(&run).unwrap();
    }
}
