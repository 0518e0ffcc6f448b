//! A collector on this machine that answers as it is told, and keeps what it was sent.

use serde_json::Value as Json;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

/// A request, as it came.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) line: String,
    pub(super) content_type: String,
    pub(super) body: Json,
    pub(super) at: Instant,
}

#[derive(Debug)]
pub(super) struct Collector {
    pub(super) endpoint: String,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Collector {
    /// `answers` in their order, the last one again and again: the status and what follows its line.
    pub(super) fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let sent = Arc::new(Mutex::new(Vec::new()));
        let (kept, answers) = (Arc::clone(&sent), answers.iter().map(|&it| it.to_owned()).collect::<Vec<_>>());
        // It ends with the test's process.
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let answer = answers.get(number).or(answers.last()).unwrap();
                // A client that hangs up has its reasons.
                let _ = serve(&stream.unwrap(), answer, &kept);
            }
        });
        Self { endpoint, sent }
    }

    pub(super) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }
}

fn serve(mut stream: &TcpStream, answer: &str, kept: &Mutex<Vec<Sent>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length, mut content_type) = (String::new(), 0, String::new());
    reader.read_line(&mut line)?;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "content-type" => content_type = value.to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    // Before it is answered: whoever is answered may look at once.
    let (line, body) = (line.trim().to_owned(), serde_json::from_slice(&body).unwrap());
    kept.lock().unwrap().push(Sent { line, content_type, body, at: Instant::now() });
    let (head, text) = answer.split_once("\n\n").unwrap_or((answer, ""));
    let head = head.replace('\n', "\r\n");
    write!(stream, "HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{text}", text.len())
}
