//! `tribunal serve` from end to end: runs that it starts, runs that others start, and what is left when it goes.

use crate::people::wait_for;
use crate::support::{Output, Project};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command};

/// Seats of a theater: the designer of round 2 waits for a file `go`.
const WAITS: &str = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_ROUND" >> "calls/$TRIBUNAL_SEAT"
case "$TRIBUNAL_SEAT.$TRIBUNAL_ROUND" in
  designer.2) touch waits; while [ ! -e go ]; do sleep 0.05; done ;;
esac
case "$TRIBUNAL_SEAT.$TRIBUNAL_ROUND" in
  designer.*) printf '{"notes": "n", "artifact": {"mime": "text/html", "content": "<h1>v%s</h1>"}}' "$TRIBUNAL_ROUND" ;;
  critic.1) echo '{"score": 6, "must_fix": ["Darken it."]}' ;;
  *.1) echo '{"score": 6, "must_fix": []}' ;;
  *) echo '{"score": 9, "must_fix": []}' ;;
esac
"#;

/// A panel in one stream that waits after its first round.
const STREAM: &str = r#"#!/bin/sh
cat > /dev/null
p() { printf '<PANELIST role="%s" score="%s">%s</PANELIST>\n' "$1" "$2" "$3"; }
echo '<CRITIQUE_RUN version="1"><ROUND n="1">'
printf '<PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<h1>v1</h1>]]></ARTIFACT></PANELIST>\n'
p critic 6 '<MUST_FIX>Darken it.</MUST_FIX>'; p brand 7 '<MUST_FIX>Our grey.</MUST_FIX>'; p a11y 6 ''; p copy 6 ''
echo '<ROUND_END n="1" decision="continue"></ROUND_END></ROUND><ROUND n="2">'
touch waits; while [ ! -e go ]; do sleep 0.05; done
"#;

/// A server that is up.
pub(crate) struct Served<'p> {
    project: &'p Project,
    child: Child,
    pub(crate) address: String,
    token: String,
    name: String,
}

pub(crate) fn serve<'p>(project: &'p Project, args: &[&str]) -> Served<'p> {
    let mut all = vec!["serve", "--json", "--port", "0"];
    all.extend_from_slice(args);
    serve_with(project, &all)
}

fn serve_with<'p>(project: &'p Project, args: &[&str]) -> Served<'p> {
    let mut child = project.command(args).stderr(std::process::Stdio::inherit()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let text = |key: &str| told[key].as_str().unwrap().to_owned();
    let address = text("address").trim_start_matches("http://").to_owned();
    Served { project, child, address, token: text("token"), name: text("project") }
}

impl Served<'_> {
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        self.ask_as(&self.address, method, path, body)
    }

    fn ask_as(&self, host: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let base = format!("/api/projects/{}", self.name);
        write!(
            stream,
            "{method} {base}{path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or(Value::String(body.to_owned())))
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, &Value::Null);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// What is there, byte for byte, behind its header.
    pub(crate) fn bytes(&self, path: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let base = format!("/api/projects/{}", self.name);
        let (host, token) = (&self.address, &self.token);
        let head = format!("host: {host}\r\nauthorization: Bearer {token}\r\nconnection: close");
        write!(stream, "GET {base}{path} HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let at = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let body = answer.split_off(at + 4);
        (String::from_utf8(answer).unwrap().to_lowercase(), body)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let (status, body) = self.ask("POST", path, body);
        assert_eq!(status, 202, "{path}: {body}");
        body
    }

    /// The newest run.
    fn newest(&self) -> Value {
        self.get("/runs")["runs"][0].clone()
    }

    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let begun = std::time::Instant::now();
        loop {
            let row = self.newest();
            if holds(&row) {
                return row;
            }
            assert!(begun.elapsed().as_secs() < 60, "waited for {what}: {row}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Ends the server with a signal, and waits for it.
    fn stop(mut self, signal: &str) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Whoever waits in a script would wait for ever.
        self.project.write("go", "");
    }
}

fn status(row: &Value) -> &str {
    row["status"].as_str().unwrap()
}

#[test]
fn a_run_is_started_steered_and_interrupted_over_http() {
    let project = Project::theater("seats", WAITS, "");
    let served = serve(&project, &[]);
    let run = served.post("/runs", &json!({}))["runs"][0].as_str().unwrap().to_owned();
    wait_for(|| project.path("waits").exists());
    let row = served.newest();
    assert_eq!((&row["run"], status(&row), &row["isDriven"]), (&json!(run), "running", &json!(true)));
    assert_eq!(row["composites"], json!([6]));
    served.post(&format!("/runs/{run}/steer"), &json!({ "text": "Shorter." }));
    for _ in 0..2 {
        let done = served.post(&format!("/critique/{run}/interrupt"), &json!({}));
        assert_eq!(done, json!({ "runId": run, "accepted": true }), "doing it twice is doing it once");
    }
    let row = served.wait_until("the end", |row| status(row) == "interrupted");
    assert_eq!((&row["score"], &row["actions"]), (&json!(6), &json!(["resume", "rerun"])));
    project.write("go", "");
    served.post(&format!("/runs/{run}/resume"), &json!({}));
    served.wait_until("the ship", |row| status(row) == "shipped");
    let new = served.post("/artifacts/artifact/critique/rerun", &json!({ "brief": "Once more." }));
    assert_ne!(new["runId"], json!(run));
    served.wait_until("the second run", |row| row["run"] == new["runId"] && status(row) == "shipped");
    assert_eq!(project.tribunal(&["verify"]).code, 0);
}

#[test]
fn runs_of_the_command_line_are_shown_and_say_where() {
    let project = Project::theater("seats", WAITS, "");
    let served = serve(&project, &[]);
    let run = project.spawn(&["run"]);
    wait_for(|| project.path("waits").exists());
    let row = served.newest();
    assert_eq!((status(&row), &row["isDriven"]), ("running", &json!(true)));
    let stage = format!("watch it at http://{}/#/runs/{}", served.address, row["run"].as_str().unwrap());
    let watch = project.spawn(&["watch"]);
    // Whoever drives it, a request reaches it.
    served.post(&format!("/runs/{}/interrupt", row["run"].as_str().unwrap()), &json!({}));
    let (run, watch) = (Output::of(run), Output::of(watch));
    assert_eq!((run.code, watch.code), (130, 130), "{}{}", run.all(), watch.all());
    assert!(run.stderr.contains(&stage) && watch.stderr.contains(&stage), "{}{}", run.all(), watch.all());
    served.wait_until("the end", |row| status(row) == "interrupted");
}

#[test]
fn what_a_server_leaves_goes_on_with_the_next_one() {
    for signal in ["-KILL", "-TERM"] {
        let project = Project::theater("seats", WAITS, "");
        let served = serve(&project, &[]);
        served.post("/runs", &json!({}));
        wait_for(|| project.path("waits").exists());
        let code = served.stop(signal);
        assert_eq!(code, if signal == "-TERM" { Some(0) } else { None });
        let left = &project.json(&["status", "--json"])["runs"][0];
        assert_eq!(left["status"], "running", "{signal}: it is not over: {left}");

        // Who does not want it says so.
        let lazy = serve(&project, &["--no-resume"]);
        assert_eq!(lazy.newest()["isDriven"], false);
        drop(lazy);
        let served = serve(&project, &[]);
        let row = served.wait_until("the ship", |row| status(row) == "shipped");
        assert_eq!(row["rounds"], 2, "{signal}");
        assert_eq!(project.calls("critic"), 2, "{signal}: no finished turn is paid twice");
    }
}

#[test]
fn a_stream_that_was_cut_off_is_closed_with_what_it_had_completed() {
    let project = Project::theater("single", STREAM, "");
    let served = serve(&project, &[]);
    served.post("/runs", &json!({}));
    wait_for(|| project.path("waits").exists());
    wait_for(|| served.newest()["composites"] == json!([6.2]));
    served.stop("-KILL");
    let served = serve(&project, &[]);
    let row = served.wait_until("the end", |row| status(row) == "interrupted");
    assert_eq!((&row["reason"], &row["score"]), (&json!("daemon_restart"), &json!(6.2)));
    // The transcript is a view: it follows the log.
    let interrupted = || project.transcript().into_iter().find(|line| line["type"] == "interrupted");
    wait_for(|| interrupted().is_some());
    let told = interrupted().unwrap();
    assert_eq!((&told["bestRound"], &told["recovery"]), (&json!(1), &json!("daemon_restart")));
}

#[test]
fn further_runs_wait_for_their_turn() {
    let project = Project::theater("seats", WAITS, "max_concurrent_runs = 1");
    let served = serve(&project, &[]);
    served.post("/runs", &json!({}));
    wait_for(|| project.path("waits").exists());
    project.write("page.html", "<h1>Bread</h1>");
    served.post("/runs", &json!({ "source": "page.html" }));
    let row = served.wait_until("the queue", |row| row["isQueued"] == true);
    assert_eq!((status(&row), &row["turns"]), ("running", &json!(0)));
    project.write("go", "");
    served.wait_until("its turn", |row| row["isQueued"] == false && status(row) != "running");
}

#[test]
fn a_person_answers_in_the_browser() {
    let project = Project::with_answers("description", 2, &["draft a", "changes_requested", "done b", "ok"]);
    let toml = project.read("tribunal.toml").replace(
        "[agents.critic]\nkind = \"command\"\ncommand = [\"./reviewer.sh\"]\n",
        "[agents.critic]\nkind = \"human\"\n",
    );
    project.write("tribunal.toml", &toml);
    let served = serve(&project, &[]);
    let run = served.post("/runs", &json!({}))["runs"][0].as_str().unwrap().to_owned();
    let path = |name: &str| format!("/runs/{run}/{name}");
    let row = served.wait_until("the question", |row| row["waitingFor"] == json!(["reviewer"]));
    assert!(row["actions"].as_array().unwrap().contains(&json!("answer")), "{row}");
    let asked = served.get(&path("questions"));
    assert_eq!((&asked[0]["role"], asked[0]["form"].is_object()), (&json!("reviewer"), true));
    let turn = &asked[0]["turn"];
    let (code, why) = served.ask("POST", &path("answer"), &json!({ "turn": turn, "answer": { "verdict": "meh" } }));
    assert_eq!((code, &why["code"]), (422, &json!("misfit")), "{why}");
    served.post(&path("answer"), &json!({ "turn": turn, "answer": { "verdict": "changes_requested" } }));
    let (code, _) = served.ask("POST", &path("answer"), &json!({ "turn": turn, "answer": { "verdict": "ok" } }));
    assert_eq!(code, 409, "the first answer counts");
    served.wait_until("the next question", |row| row["rounds"] == 2 && row["waitingFor"] == json!(["reviewer"]));
    let turn = served.get(&path("questions"))[0]["turn"].clone();
    served.post(&path("answer"), &json!({ "turn": turn, "answer": "verdict = \"ok\"" }));
    let row = served.wait_until("the end", |row| status(row) == "converged");
    assert_eq!(row["actions"], json!(["reopen", "select"]));
    served.post(&path("select"), &json!({ "round": 1 }));
    assert!(project.read("copy/selected/description.txt").starts_with('a'));
    served.post(&path("reopen"), &json!({ "why": "the brief changed", "rounds": 1 }));
    served.wait_until("one more round", |row| row["rounds"] == 3);
}

#[test]
fn what_cannot_be_started_gets_the_status_that_fits() {
    let project = Project::theater("seats", WAITS, "");
    let served = serve(&project, &[]);
    let long = "x".repeat((1 << 20) + 1);
    let many: Vec<String> = (0..17).map(|number| format!("asset{number}")).collect();
    for (what, body, expected) in [
        ("a file that is not there", json!({ "source": "missing.html" }), (404, "unknown")),
        ("a file outside of the project", json!({ "source": "../../etc/passwd.html" }), (403, "forbidden")),
        ("an attachment outside", json!({ "attachments": ["../../etc/passwd"] }), (403, "forbidden")),
        ("an attachment that is not there", json!({ "attachments": ["missing.png"] }), (404, "unknown")),
        ("a folder", json!({ "source": "./" }), (400, "invalid")),
        ("too many assets", json!({ "assets": many }), (400, "invalid")),
        ("a name that cannot be one", json!({ "assets": ["No Name!"] }), (400, "invalid")),
        ("a name that is a list", json!({ "assets": ["a,b"] }), (400, "invalid")),
        ("a name that no file can have", json!({ "assets": ["x".repeat(300)] }), (400, "invalid")),
        ("a list for an object", json!([]), (400, "invalid")),
        ("an empty brief", json!({ "brief": "" }), (400, "invalid")),
        ("a brief that nobody can mean", json!({ "brief": long }), (413, "too_large")),
    ] {
        let (code, problem) = served.ask("POST", "/runs", &body);
        assert_eq!((code, problem["code"].as_str().unwrap_or_default()), expected, "{what}: {problem}");
        // Problem details, as RFC 9457 has them.
        assert_eq!(problem["status"], code, "{what}: {problem}");
        assert_eq!(problem["type"], format!("urn:tribunal:problem:{}", expected.1), "{what}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{what}: {problem}");
    }
    assert_eq!(served.get("/runs")["runs"], json!([]), "nothing was begun");
}

#[test]
fn what_was_decided_of_something_else_is_stale_and_can_be_started_again() {
    let project = Project::with_answers("description", 1, &["done a", "ok", "done b", "ok"]);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let served = serve(&project, &[]);
    let old = served.newest()["run"].clone();
    let (code, problem) = served.ask("POST", "/runs", &json!({}));
    assert_eq!((code, &problem["code"]), (409, &json!("conflict")), "decided: {problem}");
    let (code, problem) = served.ask("POST", "/runs", &json!({ "brief": "Another one." }));
    assert_eq!((code, &problem["code"]), (409, &json!("stale")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().ends_with("changed since: the brief"), "{problem}");
    assert_eq!(served.get("/runs")["runs"].as_array().unwrap().len(), 1, "nothing was begun");
    let new = served.post("/runs", &json!({ "brief": "Another one.", "again": true }))["runs"][0].clone();
    assert_ne!(new, old);
    served.wait_until("the new run", |row| row["run"] == new && status(row) == "converged");
}

#[test]
fn a_rerun_reads_no_file_outside_of_the_project() {
    let project = Project::theater("seats", WAITS, "");
    project.write("go", "");
    assert!(project.tribunal(&["run"]).code <= 1);
    let served = serve(&project, &[]);
    let artifact = served.get("/runs")["runs"][0]["artifact"].as_str().unwrap().to_owned();
    for (brief, expected) in
        [("/etc/hostname", 403), ("../outside.md", 403), ("/dev/zero", 403), ("./missing.md", 404), (" ", 400)]
    {
        let path = format!("/artifacts/{artifact}/critique/rerun");
        let (code, problem) = served.ask("POST", &path, &json!({ "brief": brief }));
        assert_eq!(code, expected, "{brief}: {problem}");
    }
    assert_eq!(served.get("/runs")["runs"].as_array().unwrap().len(), 1, "nothing was begun");
}

#[test]
fn a_directive_has_one_limit_at_every_edge() {
    let project = Project::theater("seats", WAITS, "");
    let served = serve(&project, &[]);
    let run = served.post("/runs", &json!({}))["runs"][0].as_str().unwrap().to_owned();
    let long = "x".repeat(16 * 1024 + 1);
    let (code, problem) = served.ask("POST", &format!("/runs/{run}/steer"), &json!({ "text": long }));
    assert_eq!((code, problem["code"].as_str()), (413, Some("too_large")), "{problem}");
    let typed = project.tribunal(&["steer", &run, &long]);
    assert_eq!(typed.code, 2, "{}", typed.all());
    assert!(typed.stderr.contains("the directive has 16385 bytes; the limit is 16384"), "{}", typed.stderr);
    assert!(!project.tribunal(&["log", &run]).stdout.contains("says:"), "nothing was noted down");
    project.write("go", "");
}

#[test]
fn settings_change_in_the_file_and_bad_ones_never_reach_it() {
    let project = Project::theater("seats", WAITS, "max_rounds = 2 # enough");
    let served = serve(&project, &[]);
    let set = |key: &str, value: Value| served.ask("PUT", "/settings", &json!({ "key": key, "value": value }));
    let (code, all) = set("theater.score_threshold", json!(8.5));
    assert_eq!(code, 200, "{all}");
    let shown = all["values"].as_array().unwrap().iter().find(|it| it["key"] == "theater.score_threshold").unwrap();
    assert_eq!((&shown["value"], &shown["editable"]), (&json!(8.5), &json!(true)));
    let before = project.read("tribunal.toml");
    assert!(before.contains("score_threshold = 8.5") && before.contains("max_rounds = 2 # enough"), "{before}");
    for (key, value, refused) in [
        ("theater.max_rounds", json!(99), 400),
        ("theater.score_threshold", json!(11), 400),
        ("agents.actor.command", json!("rm"), 404),
        ("run.sandbox", json!("none"), 409),
        ("theater.nonsense", json!(1), 404),
    ] {
        let (code, why) = set(key, value);
        assert_eq!(code, refused, "{key}: {why}");
    }
    assert_eq!(project.read("tribunal.toml"), before);
}

#[test]
fn beyond_this_machine_it_needs_a_token_of_the_users() {
    let project = Project::theater("seats", WAITS, "");
    let refused = project.tribunal(&["serve", "--bind", "0.0.0.0", "--port", "0"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(refused.stderr.contains("--token-file"), "{}", refused.all());
    project.write("short.txt", "short");
    let weak = project.tribunal(&["serve", "--bind", "0.0.0.0", "--port", "0", "--token-file", "short.txt"]);
    assert_eq!(weak.code, 2, "{}", weak.all());
    project.write("token.txt", "a-token-that-is-long-enough-for-this\n");
    let args =
        ["serve", "--json", "--bind", "0.0.0.0", "--port", "0", "--token-file", "token.txt", "--host", "stage.example"];
    let served = serve_with(&project, &args);
    assert_eq!(served.token, "a-token-that-is-long-enough-for-this");
    assert!(served.address.starts_with("127.0.0.1:"), "where to go, not where it listens: {}", served.address);
    for (host, code) in [("stage.example", 200), ("other.example", 403)] {
        assert_eq!(served.ask_as(host, "GET", "/runs", &Value::Null).0, code, "{host}");
    }
}

#[test]
fn one_server_a_project_and_the_same_token_again() {
    let project = Project::theater("seats", WAITS, "");
    let served = serve(&project, &[]);
    let second = project.tribunal(&["serve", "--port", "0"]);
    assert_eq!(second.code, 2, "{}", second.all());
    assert!(second.stderr.contains(&served.address), "{}", second.all());
    let token = served.token.clone();
    assert_eq!(served.stop("-INT"), Some(0));
    let again = serve(&project, &[]);
    assert_eq!(again.token, token, "pages that are open find it again");
    drop(again);
    assert_ne!(serve(&project, &["--new-token"]).token, token);
    let bad = project.tribunal(&["serve", "--port", "0", "--otlp", "nowhere"]);
    assert_eq!(bad.code, 4, "{}", bad.all());
    assert!(bad.stderr.contains("hint: "), "{}", bad.all());
}

#[test]
fn a_server_may_have_as_many_readers_as_the_system_allows_files() {
    let project = Project::bare();
    let serve = project.command(&["serve", "--json", "--port", "0"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -Sn 64 && exec \"$0\" \"$@\""]).arg(serve.get_program()).args(serve.get_args());
    limited.current_dir(project.path("."));
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let mut server = limited.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.id())).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let [soft, hard] = [3, 4].map(|field| files.split_whitespace().nth(field).unwrap());
    assert_eq!(soft, hard, "{line}");
}
