//! Connections: how many there are, and how long they may keep us waiting.
//!
//! Whoever connects and says nothing is not waited for long, and makes room for those who do say something: where all
//! places are taken, the oldest connection without a request goes. So half-open ones keep nobody out.

use axum::Router;
use axum::body::{Body, HttpBody};
use hyper::body::{Frame, SizeHint};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

/// How long open requests may take to end when the server stops.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// How long a reader may leave its socket full before the system closes it.
const STALLED_MS: u32 = 15_000;
/// A head of a request that is longer is no browser's.
const MAX_HEAD: usize = 64 << 10;
/// Nobody has so many tabs.
const MOST: usize = 8192;
/// Even where very little is allowed, so many get in.
const LEAST: usize = 8;
/// How long we wait where the system has no place for another connection.
const NO_PLACE: Duration = Duration::from_millis(50);

/// How much of a machine connections may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// So many connections at a time.
    pub(crate) most: usize,
    /// How long the head of a request may take, and how long nothing may be asked between two.
    pub(crate) head: Duration,
}

impl Default for Limits {
    /// Half of the files that we may open: logs and agents need some, too.
    fn default() -> Self {
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let half = files.map_or(MOST, |files| usize::try_from(files / 2).unwrap_or(MOST));
        Self { most: half.clamp(LEAST, MOST), head: Duration::from_secs(15) }
    }
}

/// Answers until `closed` says so; then what is under way may finish, and not for ever.
pub(crate) async fn serve(listener: TcpListener, router: Router, closed: watch::Receiver<bool>, limits: Limits) {
    let lobby = Arc::new(Lobby::default());
    let mut open = JoinSet::new();
    let mut stopping = closed.clone();
    let mut stopped = pin!(stopping.wait_for(|is_closed| *is_closed));
    loop {
        while open.try_join_next().is_some() {}
        let stream = tokio::select! {
            _ = &mut stopped => break,
            stream = lobby.next(&listener, limits.most) => stream,
        };
        let (number, place) = lobby.enter();
        let task = open.spawn(answer(stream, router.clone(), closed.clone(), place, limits.head));
        lobby.seat(number, task);
    }
    drop(listener);
    let all = async { while open.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(PATIENCE, all).await;
}

/// One connection, to its end.
async fn answer(stream: TcpStream, router: Router, mut closed: watch::Receiver<bool>, place: Place, head: Duration) {
    // Frames are small and wanted now.
    let _ = stream.set_nodelay(true);
    let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, STALLED_MS);
    let service = Counted { inner: TowerToHyperService::new(router), place: Arc::new(place) };
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(MAX_HEAD);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = &mut connection => return,
        _ = closed.wait_for(|is_closed| *is_closed) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Who is here.
#[derive(Debug, Default)]
struct Lobby {
    guests: Mutex<Guests>,
    /// Somebody has left, or has nothing to ask for now.
    moved: Notify,
}

#[derive(Debug, Default)]
struct Guests {
    /// So many have come so far: a number is given once.
    came: u64,
    by_number: BTreeMap<u64, Guest>,
}

#[derive(Debug, Default)]
struct Guest {
    /// Requests that are being answered: one, or none.
    asked: usize,
    task: Option<tokio::task::AbortHandle>,
}

impl Lobby {
    /// The next connection, once there is a place for it.
    async fn next(&self, listener: &TcpListener, most: usize) -> TcpStream {
        // Accepted first: nobody is sent away before somebody else wants their place.
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                Err(error) if is_theirs(&error) => {}
                Err(_) => {
                    self.make_room();
                    tokio::time::sleep(NO_PLACE).await;
                }
            }
        };
        loop {
            let moved = self.moved.notified();
            if self.guests().by_number.len() < most || self.make_room() {
                return stream;
            }
            moved.await;
        }
    }

    fn enter(self: &Arc<Self>) -> (u64, Place) {
        let mut guests = self.guests();
        guests.came += 1;
        let number = guests.came;
        guests.by_number.insert(number, Guest::default());
        (number, Place { lobby: self.clone(), number })
    }

    fn seat(&self, number: u64, task: tokio::task::AbortHandle) {
        if let Some(guest) = self.guests().by_number.get_mut(&number) {
            guest.task = Some(task);
        }
    }

    /// Sends away whoever has been here longest without a request. False: everybody is being answered.
    fn make_room(&self) -> bool {
        let mut guests = self.guests();
        let silent = guests.by_number.iter().find(|(_, guest)| guest.asked == 0).map(|(number, _)| *number);
        let Some(guest) = silent.and_then(|number| guests.by_number.remove(&number)) else { return false };
        if let Some(task) = guest.task {
            task.abort();
        }
        true
    }

    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether it is the other end that gave up.
fn is_theirs(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// A connection's place, until it is dropped.
#[derive(Debug)]
struct Place {
    lobby: Arc<Lobby>,
    number: u64,
}

impl Place {
    fn count(&self, change: impl FnOnce(&mut usize)) {
        if let Some(guest) = self.lobby.guests().by_number.get_mut(&self.number) {
            change(&mut guest.asked);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.lobby.guests().by_number.remove(&self.number);
        self.lobby.moved.notify_waiters();
    }
}

/// A request that is being answered, until the last byte of its answer was taken.
#[derive(Debug)]
struct Asked(Arc<Place>);

impl Asked {
    fn new(place: &Arc<Place>) -> Self {
        place.count(|asked| *asked += 1);
        Self(place.clone())
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.count(|asked| *asked = asked.saturating_sub(1));
        self.0.lobby.moved.notify_waiters();
    }
}

/// Answers, and knows while it does.
#[derive(Debug, Clone)]
struct Counted {
    inner: TowerToHyperService<Router>,
    place: Arc<Place>,
}

impl Service<hyper::Request<hyper::body::Incoming>> for Counted {
    type Response = hyper::Response<CountedBody>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn call(&self, request: hyper::Request<hyper::body::Incoming>) -> Self::Future {
        let asked = Asked::new(&self.place);
        let answer = self.inner.call(request);
        Box::pin(async move { Ok(answer.await?.map(|body| CountedBody { body, _asked: asked })) })
    }
}

/// An answer on its way.
#[derive(Debug)]
struct CountedBody {
    body: Body,
    _asked: Asked,
}

impl HttpBody for CountedBody {
    type Data = axum::body::Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// Longer than anything takes that works.
    const LONG: Duration = Duration::from_secs(20);

    /// A server with few places, which answers `/` at once and `/slow` never.
    async fn server(limits: Limits) -> (SocketAddr, watch::Sender<bool>, tokio::task::JoinHandle<()>) {
        let (address, close, task, _) = slow_server(limits).await;
        (address, close, task)
    }

    type Slow = tokio::sync::mpsc::UnboundedReceiver<()>;

    /// The same, and says when somebody asks for what takes long.
    async fn slow_server(limits: Limits) -> (SocketAddr, watch::Sender<bool>, tokio::task::JoinHandle<()>, Slow) {
        let (asks, asked) = tokio::sync::mpsc::unbounded_channel();
        let slow = get(move || {
            let _ = asks.send(());
            std::future::pending::<&str>()
        });
        let router = Router::new().route("/", get(|| async { "here\n" })).route("/slow", slow);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (close, closed) = watch::channel(false);
        (address, close, tokio::spawn(serve(listener, router, closed, limits)), asked)
    }

    async fn open(address: SocketAddr, said: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(said.as_bytes()).await.unwrap();
        stream
    }

    /// What comes until the other end closes.
    async fn heard(stream: &mut TcpStream) -> String {
        let mut bytes = Vec::new();
        let _ = tokio::time::timeout(LONG, stream.read_to_end(&mut bytes)).await.expect("it closes");
        String::from_utf8(bytes).unwrap()
    }

    const WHOLE: &str = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    const HALF: &str = "GET / HTTP/1.1\r\nhost: x\r\n";

    #[tokio::test]
    async fn half_open_connections_keep_nobody_out() {
        let (address, _close, _task) = server(Limits { most: 8, head: LONG * 10 }).await;
        let mut half = Vec::new();
        for _ in 0..60 {
            half.push(open(address, HALF).await);
            assert!(heard(&mut open(address, WHOLE).await).await.ends_with("here\n"));
        }
    }

    #[tokio::test]
    async fn whoever_is_being_answered_is_not_sent_away() {
        let (address, _close, _task, mut asked) = slow_server(Limits { most: 4, head: LONG * 10 }).await;
        let mut slow = Vec::new();
        for _ in 0..3 {
            slow.push(open(address, "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await);
            asked.recv().await.unwrap();
        }
        for _ in 0..20 {
            let _half = open(address, HALF).await;
            assert!(heard(&mut open(address, WHOLE).await).await.ends_with("here\n"));
        }
        for stream in &slow {
            let mut byte = [0];
            let nothing = stream.try_read(&mut byte);
            assert_eq!(nothing.unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "it is still open");
        }
    }

    #[tokio::test]
    async fn a_head_that_does_not_come_is_not_waited_for() {
        let (address, _close, _task) = server(Limits { most: 8, head: Duration::from_millis(50) }).await;
        for said in ["", "GET", HALF] {
            let answer = heard(&mut open(address, said).await).await;
            assert!(!answer.contains("here"), "{said:?}: {answer}");
        }
    }

    #[tokio::test]
    async fn a_server_that_stops_does_not_wait_for_those_who_say_nothing() {
        let (address, close, task) = server(Limits { most: 8, head: LONG * 10 }).await;
        let mut silent = open(address, "").await;
        assert!(heard(&mut open(address, WHOLE).await).await.ends_with("here\n"), "it is up");
        close.send(true).unwrap();
        tokio::time::timeout(LONG, task).await.expect("it stops").unwrap();
        assert_eq!(heard(&mut silent).await, "");
    }
}
