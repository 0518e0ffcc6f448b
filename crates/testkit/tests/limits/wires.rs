//! A model behind HTTP that says one thing, whoever asks.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;
use tribunal_agents::http::{Patience, Provider};
use tribunal_agents::{AgentError, Answer, Environment, Http, Native as _};

use crate::cases::request;

/// A provider, and a model of it.
pub(crate) const WIRES: [(&str, &str); 5] = [
    ("anthropic", "claude-sonnet-4-5"),
    ("openai", "gpt-5"),
    ("openai-chat", "gpt-5"),
    ("gemini", "gemini-2.5-pro"),
    ("groq", "llama-3.3-70b-versatile"),
];

/// A status, headers and a body.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

/// What an agent of this wire makes of it.
pub(crate) fn heard(provider: &str, model: &str, refused: &Refused) -> Result<Answer, AgentError> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let told = refused.clone();
    // It ends with the test's process.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = say(stream, &told);
        }
    });
    let environment = Environment::new([("KEY".to_owned(), "sk-secret".to_owned())]);
    let mut http = Http::new("writer", Provider::from_word(provider), environment);
    http.base_url = Some(format!("http://{address}/{}", if provider == "gemini" { "v1beta" } else { "v1" }));
    http.api_key = Some("KEY".into());
    // Waiting is the stage's.
    http.patience =
        Patience { first: Duration::from_millis(1), tries: 2, parked: Duration::ZERO, ..Patience::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(http.answer(request(Some(model)), &|_| {}))
}

fn say(stream: TcpStream, told: &Refused) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line)? > 2 {
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    reader.take(length).read_to_end(&mut Vec::new())?;
    let Refused { status, headers, body } = told;
    let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<Vec<_>>().concat();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status} No\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}
