//! A code host that keeps the comments of one discussion, as GitHub and GitLab do.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What it has and what it was asked.
#[derive(Default)]
struct Kept {
    comments: Vec<String>,
    asked: Vec<String>,
    refuses: bool,
}

pub(super) struct Host {
    address: String,
    kept: Arc<Mutex<Kept>>,
}

impl Host {
    /// One with comments of others.
    pub(super) fn new(comments: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let comments = comments.iter().map(|text| (*text).to_owned()).collect();
        let kept = Arc::new(Mutex::new(Kept { comments, ..Kept::default() }));
        let shared = kept.clone();
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(&stream, &shared)));
        Self { address, kept }
    }

    /// One that lets nobody write.
    pub(super) fn refusing() -> Self {
        let host = Self::new(&[]);
        host.kept.lock().unwrap().refuses = true;
        host
    }

    pub(super) fn address(&self) -> String {
        self.address.clone()
    }

    pub(super) fn comments(&self) -> Vec<String> {
        self.kept.lock().unwrap().comments.clone()
    }

    /// The requests, each with its token.
    pub(super) fn asked(&self) -> Vec<String> {
        self.kept.lock().unwrap().asked.clone()
    }
}

/// Comments are numbered from 1, and listed a hundred at a time. The number of one that is changed ends the path.
fn answer(stream: &TcpStream, kept: &Mutex<Kept>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut token, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap(),
            "authorization" | "private-token" => value.trim().clone_into(&mut token),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    let words: Vec<&str> = first.split(' ').collect();
    let (method, path) = (words[0], words[1]);
    let mut kept = kept.lock().unwrap();
    kept.asked.push(format!("{method} {path} {token}"));
    let text = || body["body"].as_str().unwrap().to_owned();
    let mut status = "200 OK";
    let mut said = json!({});
    match method {
        "GET" => {
            let page: usize = path.rsplit_once("&page=").unwrap().1.parse().unwrap();
            let numbered = (1..).zip(&kept.comments).skip((page - 1) * 100).take(100);
            said = numbered.map(|(id, body)| json!({ "id": id, "body": body })).collect();
        }
        _ if kept.refuses => status = "403 Forbidden",
        "POST" => {
            let text = text();
            kept.comments.push(text);
        }
        _ => {
            let id: usize = path.rsplit_once('/').unwrap().1.parse().unwrap();
            kept.comments[id - 1] = text();
        }
    }
    let said = said.to_string();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", said.len());
    { stream }.write_all(format!("{head}{said}").as_bytes()).unwrap();
}
