//! Messages to people: what is sent, how it is signed, and links in them that vote.

use crate::people::wait_for;
use crate::serve::serve;
use crate::support::{Output, Project, creator};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use tribunal_app::notify::signature;

const SECRET: &str = "between us";

/// What was posted: headers in lower case, and the body.
type Posted = Arc<Mutex<Vec<(String, String)>>>;

/// Somebody on this machine who takes what is posted, and answers with a status.
fn receiver(status: &'static str) -> (String, Posted) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let posted = Posted::default();
    let kept = posted.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut bytes = Vec::new();
            let mut buffer = [0; 4096];
            let (head, body) = loop {
                let read = stream.read(&mut buffer).unwrap();
                bytes.extend_from_slice(&buffer[..read]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                let head = head.to_lowercase();
                let length = header(&head, "content-length").parse::<usize>().unwrap();
                if body.len() >= length {
                    break (head, body.to_owned());
                }
            };
            kept.lock().unwrap().push((head, body));
            let _ = write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    (url, posted)
}

fn header(head: &str, name: &str) -> String {
    let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    line.unwrap_or_else(|| panic!("no {name} in {head}")).to_owned()
}

/// A review whose reviewer is a person, and what is to be sent about it.
fn review(notify: &str) -> Project {
    let project = Project::new("description", 2);
    project.write("answers/creator.1", &creator("done a"));
    let toml = project.read("tribunal.toml");
    let program = "[agents.critic]\nkind = \"command\"\ncommand = [\"./reviewer.sh\"]\n";
    assert!(toml.contains(program), "{toml}");
    let toml = toml.replace(program, "[agents.critic]\nkind = \"human\"\n");
    project.write("tribunal.toml", &format!("{toml}\n[notify]\n{notify}\n"));
    project
}

fn run(project: &Project, args: &[&str]) -> Output {
    Output::of(project.command(args).env("NOTIFY_SECRET", SECRET).spawn().unwrap())
}

/// A request, by its whole address. The status, and what came back.
fn open(method: &str, url: &str) -> (u16, String) {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "{method} /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

/// The link for an answer.
fn link(links: &Value, answer: &str) -> String {
    let is_it = |link: &&Value| link["answer"] == answer;
    links.as_array().unwrap().iter().find(is_it).unwrap_or_else(|| panic!("{links}"))["url"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_webhook_is_told_and_can_know_that_it_is_us() {
    let (url, posted) = receiver("200 OK");
    let project = review(&format!("webhook = \"{url}\"\nsecret = \"$NOTIFY_SECRET\""));
    let left = run(&project, &["run"]);
    assert_eq!(left.code, 1, "{}", left.all());
    let (head, body) = posted.lock().unwrap()[0].clone();
    let timestamp = header(&head, signature::TIMESTAMP_HEADER);
    let signed = header(&head, signature::SIGNATURE_HEADER);
    let tag = signed.strip_prefix("sha256=").unwrap();
    assert!(signature::is_signed(SECRET.as_bytes(), format!("{timestamp}.{body}").as_bytes(), tag), "{head}");
    assert!(!signature::is_signed(b"guessed", format!("{timestamp}.{body}").as_bytes(), tag));
    let message: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&message["kind"], &message["status"]), (&json!("needs_person"), &json!("waiting")), "{message}");
    assert_eq!(message["questions"][0]["seat"], "reviewer");
    assert!(message["questions"][0]["asked"].as_str().unwrap().starts_with("Please review"), "{message}");
    assert_eq!(message["questions"][0]["links"], json!([]), "no server answers, so no link would lead anywhere");

    // Running again asks nobody again; the end is told.
    assert_eq!(run(&project, &["run"]).code, 1);
    assert_eq!(posted.lock().unwrap().len(), 1);
    project.write("ok.toml", "verdict = \"ok\"\n");
    assert_eq!(run(&project, &["answer", "--file", "ok.toml"]).code, 0);
    let ended: Value = serde_json::from_str(&posted.lock().unwrap()[1].1).unwrap();
    assert_eq!((&ended["kind"], &ended["status"]), (&json!("ended"), &json!("converged")), "{ended}");
}

#[test]
fn what_cannot_be_sent_is_said_once_and_changes_nothing() {
    // Nobody listens there.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (unwilling, posted) = receiver("500 Nope");
    let rows = [
        (format!("webhook = \"http://{gone}/\"\nsecret = \"$NOTIFY_SECRET\""), "cannot notify by webhook: "),
        (format!("webhook = \"{unwilling}\"\nsecret = \"$NOTIFY_SECRET\""), "it answered 500"),
        (format!("webhook = \"{unwilling}\"\nsecret = \"$NOBODY_SET_THIS\""), "$NOBODY_SET_THIS is not set"),
        ("command = [\"./gone.sh\"]".to_owned(), "cannot notify by command: "),
        ("command = [\"sh\", \"-c\", \"echo full >&2; exit 3\"]".to_owned(), "`sh` exited with code 3: full"),
    ];
    for (notify, why) in rows {
        let project = review(&notify);
        let left = run(&project, &["run"]);
        assert_eq!(left.code, 1, "{}", left.all());
        assert!(left.stdout.contains("waiting for a person: reviewer"), "{}", left.all());
        assert_eq!(left.stderr.matches(why).count(), 1, "{why}: {}", left.all());
        project.write("ok.toml", "verdict = \"ok\"\n");
        assert_eq!(run(&project, &["answer", "--file", "ok.toml"]).code, 0);
    }
    assert_eq!(posted.lock().unwrap().len(), 2, "nothing is posted that cannot be signed");
    // What is posted has to be signed, and the secret does not stand in the file.
    for (notify, why) in [
        (format!("webhook = \"{unwilling}\""), "notify.secret"),
        (format!("webhook = \"{unwilling}\"\nsecret = \"hush\""), "notify.secret"),
    ] {
        let refused = run(&review(&notify), &["run"]);
        assert_eq!(refused.code, 2, "{}", refused.all());
        assert!(refused.stderr.contains(why) && !refused.stderr.contains("hush"), "{}", refused.all());
    }
}

#[test]
fn a_command_is_told_what_it_asked_for_and_a_desktop_too() {
    let project = review("command = [\"./tell.sh\"]\non = [\"ended\"]");
    project.agent("tell.sh", "#!/bin/sh\ncat >> told\nenv > environment\n");
    assert_eq!(run(&project, &["run"]).code, 1);
    assert!(!project.path("told").exists(), "it did not want to know");
    project.write("ok.toml", "verdict = \"ok\"\n");
    assert_eq!(run(&project, &["answer", "--file", "ok.toml"]).code, 0);
    let told: Value = serde_json::from_str(&project.read("told")).unwrap();
    assert_eq!(told["kind"], "ended");
    assert!(!project.read("environment").contains(SECRET), "secrets are for whom they are meant");

    let project = review("desktop = true");
    project.agent("bin/notify-send", "#!/bin/sh\nprintf '%s\\n' \"$@\" >> shown\n");
    let path = format!("{}:{}", project.path("bin").display(), std::env::var("PATH").unwrap());
    let left = Output::of(project.command(&["run"]).env("PATH", path).spawn().unwrap());
    assert_eq!(left.code, 1, "{}", left.all());
    assert!(project.read("shown").contains("description: waiting for a person: reviewer"), "{}", left.all());
}

#[test]
fn a_link_answers_once() {
    let (url, posted) = receiver("200 OK");
    let project = review(&format!("webhook = \"{url}\"\nsecret = \"$NOTIFY_SECRET\""));
    let served = serve(&project, &[]);
    assert_eq!(run(&project, &["run"]).code, 1);
    let message: Value = serde_json::from_str(&posted.lock().unwrap()[0].1).unwrap();
    let links = &message["questions"][0]["links"];
    let (ok, changes) = (link(links, "ok"), link(links, "changes_requested"));
    assert!(ok.starts_with(&format!("http://{}/vote/", served.address)), "{ok}");

    // Opening it, as often as you like, votes for nothing.
    for method in ["GET", "GET", "HEAD"] {
        assert_eq!(open(method, &ok).0, 200);
    }
    assert!(open("GET", &ok).1.contains("Send this answer"));
    assert_eq!(project.json(&["status", "--json"])["runs"][0]["status"], "waiting");
    // Forged: another answer with this signature, another turn, a later end.
    let parts: Vec<&str> = ok.rsplitn(5, '/').collect();
    let [signature, expires, answer, turn, base] = parts[..] else { panic!("{ok}") };
    for forged in [
        format!("{base}/{turn}/changes_requested/{expires}/{signature}"),
        format!("{base}/turn-1/{answer}/{expires}/{signature}"),
        format!("{base}/{turn}/{answer}/99999999999999/{signature}"),
        format!("{base}/{turn}/{answer}/{expires}/{}", "0".repeat(64)),
    ] {
        for method in ["GET", "POST"] {
            let (status, page) = open(method, &forged);
            assert_eq!(status, 403, "{forged}: {page}");
        }
    }
    assert_eq!(project.json(&["status", "--json"])["runs"][0]["status"], "waiting");

    let (status, page) = open("POST", &ok);
    assert_eq!((status, page.contains("is recorded")), (200, true), "{page}");
    wait_for(|| project.json(&["status", "--json"])["runs"][0]["status"] == "converged");
    for method in ["GET", "POST"] {
        let (status, page) = open(method, &ok);
        assert_eq!((status, page.contains("was used already")), (409, true), "{page}");
        let (status, page) = open(method, &changes);
        assert_eq!((status, page.contains("no longer open")), (409, true), "{page}");
    }
    // The key is its owner's alone, and not in the log.
    let key = project.read(".tribunal/votes/key");
    assert!(!std::fs::read_to_string(project.log()).unwrap().contains(key.trim()));
    drop(served);
}

#[test]
fn a_link_that_is_too_old_is_refused() {
    let (url, posted) = receiver("200 OK");
    let project = review(&format!("webhook = \"{url}\"\nsecret = \"$NOTIFY_SECRET\"\nlink_expires = \"1ms\""));
    let served = serve(&project, &[]);
    assert_eq!(run(&project, &["run"]).code, 1);
    let message: Value = serde_json::from_str(&posted.lock().unwrap()[0].1).unwrap();
    let ok = link(&message["questions"][0]["links"], "ok");
    // Its time was over before the message was sent.
    for method in ["GET", "POST"] {
        let (status, page) = open(method, &ok);
        assert_eq!((status, page.contains("has expired")), (410, true), "{page}");
    }
    assert_eq!(project.json(&["status", "--json"])["runs"][0]["status"], "waiting");
    drop(served);
}

/// Judges who cannot tell.
const MAIN: &str = r#"#!/bin/sh
cat > /dev/null
case "$TRIBUNAL_TASK" in
  lint*) echo '{"ballot": [{"id": "R1", "says": "cannot_tell", "why": "no calendar"}]}' ;;
  *) echo '{"draft": "The city pays for all of it, and it begins soon."}' ;;
esac
"#;

#[test]
fn a_link_decides_what_judges_could_not() {
    let (url, posted) = receiver("200 OK");
    let project = Project::bare();
    project.agent("actor.sh", MAIN);
    project.write("anchor.toml", "kind = \"invariants\"\nMUST = [\"names the date\"]\n");
    let toml = format!(
        "[run]\nloop = \"joust\"\nbrief = \"Say when.\"\nanchor = \"anchor.toml\"\n[joust]\nname = \"plan\"\n\
         jousters = [\"main\"]\nmax_rounds = 1\n[agents.actor]\nkind = \"command\"\ncommand = [\"./actor.sh\"]\n\
         [seats.main]\nagent = \"actor\"\n[notify]\nwebhook = \"{url}\"\nsecret = \"$NOTIFY_SECRET\"\n"
    );
    project.write("tribunal.toml", &toml);
    let served = serve(&project, &[]);
    assert_eq!(run(&project, &["run"]).code, 1);
    let message: Value = serde_json::from_str(&posted.lock().unwrap()[0].1).unwrap();
    assert_eq!((&message["kind"], &message["status"]), (&json!("needs_person"), &json!("needs_human")), "{message}");
    assert_eq!(message["items"][0]["asked"], "names the date");
    let met = link(&message["items"][0]["links"], "met");
    assert!(open("GET", &met).1.contains("names the date"));
    assert_eq!(open("POST", &met.replace("/met/", "/broken/")).0, 403);
    let (status, page) = open("POST", &met);
    assert_eq!(status, 200, "{page}");
    wait_for(|| project.json(&["status", "--json"])["runs"][0]["status"] == "converged");
    assert_eq!(open("POST", &met).0, 409, "once");
    assert_eq!(open("POST", &link(&message["items"][0]["links"], "broken")).0, 409, "it is decided");
    drop(served);
}
