//! The server: a thread of its own, so that tests with and without a runtime, and with a clock that stands still, can
//! use it alike.

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::books::Books;
use crate::call::{CallRecord, Totals};
use crate::clerk::{Action, Clerk};
use crate::http::{Head, HttpLimits, Reader, Sent, Unread};
use crate::script::Script;

/// Connections that wait to be let in.
const BACKLOG: u32 = 1024;
/// How long to wait before trying again what the system refused.
const BREATH: Duration = Duration::from_millis(10);
/// How long a client whose request was refused may go on sending.
const DRAIN: Duration = Duration::from_millis(500);

/// A model server on 127.0.0.1. Dropping it ends it and every connection.
#[derive(Debug)]
pub struct Stub {
    address: SocketAddr,
    clerk: Arc<Clerk>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// How a server is started.
#[derive(Debug, Default)]
pub struct StubOptions {
    /// 0: any that is free.
    pub port: u16,
    /// A file to which every call is appended, one JSON object a line.
    pub log: Option<PathBuf>,
    pub limits: HttpLimits,
}

impl Stub {
    /// Starts a server on a free port.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_with(script, StubOptions::default())
    }

    pub fn start_with(script: Script, options: StubOptions) -> io::Result<Self> {
        let log = options.log.map(|path| File::options().create(true).append(true).open(path)).transpose()?;
        let listener = StdListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let clerk = Arc::new(Clerk { script, books: Books::new(log), limits: options.limits });
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let server = Server { address, clerk: Arc::clone(&clerk) };
        let serve = move || runtime.block_on(server.run(listener, stopped));
        let thread = std::thread::Builder::new().name("tribunal-stub".into()).spawn(serve)?;
        Ok(Self { address, clerk, stop: Some(stop), thread: Some(thread) })
    }

    /// Without a path: what clients call a base URL, or the beginning of one.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Every request so far, in the order in which they were decided.
    pub fn calls(&self) -> Vec<CallRecord> {
        self.clerk.books.calls()
    }

    pub fn totals(&self) -> Totals {
        self.clerk.books.totals()
    }

    /// Ends the server and every connection, and waits until nobody listens any more.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // If the server panicked, its clients have noticed.
            let _ = thread.join();
        }
    }
}

/// A port that nobody listens on, and that nobody else can take meanwhile: connections are refused.
#[derive(Debug)]
pub struct Refusing {
    address: SocketAddr,
    _socket: TcpSocket,
}

impl Refusing {
    /// Takes a port; 0 is any that is free.
    pub fn at(port: u16) -> io::Result<Self> {
        let socket = reserve((Ipv4Addr::LOCALHOST, port).into())?;
        Ok(Self { address: socket.local_addr()?, _socket: socket })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }
}

/// What runs in the thread.
struct Server {
    address: SocketAddr,
    clerk: Arc<Clerk>,
}

impl Server {
    /// Lets clients in until `stopped`. All connections end with it.
    async fn run(self, listener: StdListener, mut stopped: oneshot::Receiver<()>) {
        let Ok(mut listener) = TcpListener::from_std(listener) else { return };
        let (refuse, mut refusals) = mpsc::channel::<Duration>(1);
        let mut connections = JoinSet::new();
        loop {
            let has_room = connections.len() < self.clerk.limits.connections;
            tokio::select! {
                _ = &mut stopped => return,
                Some(time) = refusals.recv() => {
                    drop(listener);
                    tokio::select! {
                        _ = &mut stopped => return,
                        again = self.closed_for(time) => listener = again,
                    }
                }
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                accepted = listener.accept(), if has_room => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(connection(stream, Arc::clone(&self.clerk), refuse.clone()));
                    }
                    Err(_) => sleep(BREATH).await,
                },
            }
        }
    }

    /// Nobody listens for `time`; then somebody does again.
    async fn closed_for(&self, time: Duration) -> TcpListener {
        // The port stays ours, though nobody listens on it.
        let socket = loop {
            match reserve(self.address) {
                Ok(socket) => break socket,
                Err(_) => sleep(BREATH).await,
            }
        };
        sleep(time).await;
        let mut socket = Some(socket);
        loop {
            match socket.take().map_or_else(|| reserve(self.address), Ok).and_then(|socket| socket.listen(BACKLOG)) {
                Ok(listener) => return listener,
                Err(_) => sleep(BREATH).await,
            }
        }
    }
}

/// A socket that has an address and does not listen.
fn reserve(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// Serves one connection to its end.
async fn connection(mut stream: TcpStream, clerk: Arc<Clerk>, refuse: mpsc::Sender<Duration>) {
    // Without it the pieces of a stream would wait for each other.
    let _ = stream.set_nodelay(true);
    let mut reader = Reader::default();
    loop {
        let (head, body) = match reader.next(&mut stream, &clerk.limits).await {
            Ok(request) => request,
            Err(Unread::Gone) => return,
            Err(Unread::Malformed(malformed, head)) => {
                let response = clerk.malformed(head.as_ref(), malformed.status(), &malformed.to_string());
                if response.send(&mut stream, &Head::last()).await.is_ok() {
                    let _ = stream.shutdown().await;
                    Reader::drain(&mut stream, DRAIN).await;
                }
                return;
            }
        };
        match clerk.decide(&head, &body) {
            Action::Send(response) => match response.send(&mut stream, &head).await {
                Ok(Sent::Whole) => {}
                Ok(Sent::Broken) | Err(_) => return,
            },
            Action::Hang => return Reader::until_gone(&mut stream).await,
            Action::Close => return,
            Action::Refuse(time) => {
                // If it is full, nobody is let in already.
                let _ = refuse.try_send(time);
                return;
            }
        }
    }
}
