//! The program, as scripts start it.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(args: &[&str]) -> (Program, u16) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal-stub"));
    let mut child = command.args(args).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = serde_json::from_str::<Value>(&line).unwrap()["port"].as_u64().unwrap();
    (Program(child), u16::try_from(port).unwrap())
}

fn ask(port: u16, user: &str) -> String {
    let body = json!({"model": "m", "messages": [{"role": "user", "content": user}]}).to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.0\r\nAuthorization: Bearer secret\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn it_follows_a_script_and_writes_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let script = r#"{"rules": [{"when": {"first": 1}, "then": {"fault": "overloaded"}}, {"then": {"text": "You said {{user}}"}}]}"#;
    std::fs::write(path("script.json"), script).unwrap();
    let (program, port) = start(&["--script", &path("script.json"), "--log", &path("calls.ndjson")]);
    assert!(ask(port, "one").contains("overloaded"));
    assert!(ask(port, "two").contains("You said two"));
    drop(program);
    let log = std::fs::read_to_string(path("calls.ndjson")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&lines[0]["fault"], &lines[0]["status"], &lines[0]["wire"]),
        (&json!("overloaded"), &json!(503), &json!("chat"))
    );
    assert_eq!(
        (&lines[1]["answer"], &lines[1]["input_tokens"], &lines[1]["has_key"]),
        (&json!("You said two"), &json!(1), &json!(true))
    );
    assert!(!log.contains("secret"));
}

#[test]
fn without_a_script_it_answers_tribunal() {
    let (_program, port) = start(&[]);
    let prompt = "Seat: reviewer\nIteration: 1 of at most 3\nAnswer with one JSON object of this schema, and nothing \
                  else:\n{\"properties\": {\"verdict\": {}}}";
    assert!(ask(port, prompt).contains("changes_requested"));
}

#[test]
fn it_refuses_when_it_is_told_to() {
    let (_program, port) = start(&["--refuse"]);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn a_script_with_a_mistake_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    for text in [None, Some("{")] {
        if let Some(text) = text {
            std::fs::write(&script, text).unwrap();
        }
        let output = Command::new(env!("CARGO_BIN_EXE_tribunal-stub")).arg("--script").arg(&script).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        assert!(String::from_utf8(output.stderr).unwrap().starts_with("tribunal-stub: "));
    }
}
