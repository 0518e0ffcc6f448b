//! `tribunal mcp`, driven by the protocol's own client.

use crate::support::Project;
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation, JsonObject,
    ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RoleClient, RunningService, ServiceExt as _};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A client that keeps what it is told on the way.
#[derive(Clone, Default)]
struct Client {
    told: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("a-test", "1"))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.told.lock().unwrap().push(params.message.unwrap_or_default());
    }
}

struct Conversation {
    service: RunningService<RoleClient, Client>,
    client: Client,
}

impl Conversation {
    async fn begin(project: &Project) -> Self {
        let mut command = tokio::process::Command::from(project.command(&["mcp"]));
        command.kill_on_drop(true);
        let (process, _) = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn().unwrap();
        let client = Client::default();
        let service = client.clone().serve(process).await.unwrap();
        Self { service, client }
    }

    async fn raw(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let arguments: JsonObject = arguments;
        self.service.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.raw(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{tool}: {:?}", result.content);
        let said = result.structured_content.unwrap();
        self.fits(tool, &said).await;
        said
    }

    /// Whether an answer is what the tool's schema promises.
    async fn fits(&self, tool: &str, said: &Value) {
        let tools = self.service.list_all_tools().await.unwrap();
        // A tool that nobody knows promises nothing.
        let Some(known) = tools.iter().find(|known| known.name == tool) else { return };
        let schema = known.output_schema.clone().unwrap();
        for (name, field) in schema["properties"].as_object().unwrap() {
            let (Some(value), Some(kind)) = (said.get(name), field["type"].as_str()) else { continue };
            let is_it = match kind {
                "string" => value.is_string(),
                "array" => value.as_array().is_some_and(|items| items.iter().all(Value::is_object)),
                "boolean" => value.is_boolean(),
                _ => value.is_u64(),
            };
            assert!(is_it, "{tool}: {name} is not {kind}: {value}");
        }
    }

    /// The tool's error, as a model reads it.
    async fn refusal(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.raw(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
        let errors = &result.structured_content.as_ref().unwrap()["errors"];
        self.fits(tool, result.structured_content.as_ref().unwrap()).await;
        assert!(errors[0]["message"].is_string(), "{errors}");
        result.content[0].as_text().unwrap().text.clone()
    }

    /// Waits until the newest run has ended, however often it must be asked.
    async fn end(&self) -> Value {
        loop {
            let status = self.call("wait", json!({ "seconds": 20 })).await;
            if status["because"] == "ended" {
                return status;
            }
        }
    }
}

/// The example of a review, whose agents are shell scripts.
fn release_notes() -> Project {
    let project = Project::bare();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/release-notes");
    for name in
        ["tribunal.toml", "brief.md", "facts.txt", "agents/creator.sh", "agents/prompt.sh", "agents/reviewer.sh"]
    {
        project.write(name, &fs::read_to_string(folder.join(name)).unwrap());
    }
    project
}

#[tokio::test]
async fn every_tool_says_what_it_does_and_what_it_takes() {
    let tribunal = Conversation::begin(&Project::bare()).await;
    let tools = tribunal.service.list_all_tools().await.unwrap();
    let mut table = String::new();
    for tool in &tools {
        let schema = Value::Object((*tool.input_schema).clone());
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
        assert!(tool.description.as_ref().unwrap().len() > 60, "{}", tool.name);
        let properties = schema["properties"].as_object().unwrap();
        for (name, property) in properties {
            assert!(property["description"].is_string(), "{}.{name} has no description", tool.name);
        }
        let names: Vec<&str> = properties.keys().map(String::as_str).collect();
        writeln!(table, "{}: {}", tool.name, names.join(", ")).unwrap();
    }
    insta::assert_snapshot!(table, @r"
    check: text, path, format, anchor, anchor_text, design, semantic
    fix: paths, design, suggestions, write
    judge: range, spec, again
    start_run: loop, brief, attachments, asset, assets, anchor, again
    status: run, turns
    findings: run, open_only, draft, draft_from
    steer: run, text
    interrupt: run
    wait: run, until, seconds
    ");
}

#[tokio::test]
async fn a_draft_is_checked_as_the_command_line_checks_it() {
    let project = Project::bare();
    let tribunal = Conversation::begin(&project).await;
    let anchor = r#"{"kind": "invariants", "MUST": ["must contain the phrase Rye"], "MUST_NOT": ["mention Acme"]}"#;
    let rye = |text: &str| json!({ "text": text, "anchor_text": anchor });
    let failed = tribunal.call("check", rye("Wheat from Acme.")).await;
    assert_eq!((&failed["verdict"], &failed["passed"]), (&json!("fail"), &json!(false)), "{failed}");
    assert_eq!(failed["violations"].as_array().unwrap().len(), 2, "{failed}");
    assert_eq!(failed["violations"][1]["span"]["quote"], "Acme", "{failed}");
    let passed = tribunal.call("check", rye("Rye, baked at four.")).await;
    assert_eq!((&passed["verdict"], &passed["passed"]), (&json!("pass"), &json!(true)), "{passed}");

    // What nobody decided is no pass.
    project.write("anchor.toml", "kind = \"invariants\"\nMUST = [\"must contain the phrase Rye\", \"is honest\"]\n");
    let honest = tribunal.call("check", json!({ "text": "Rye.", "anchor": "anchor.toml" })).await;
    assert_eq!((&honest["verdict"], &honest["passed"]), (&json!("undecided"), &json!(false)), "{honest}");

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/landing");
    for name in ["index.html", "DESIGN.md", "oven.svg"] {
        project.write(name, &fs::read_to_string(folder.join(name)).unwrap());
    }
    let page = tribunal.call("check", json!({ "path": "index.html", "design": "DESIGN.md" })).await;
    assert_eq!(page["verdict"], "fail", "{page}");
    let by_hand = project.json(&["check", "index.html", "--design", "DESIGN.md", "--json"]);
    let findings = by_hand["files"][0]["reports"].as_array().unwrap().iter().flat_map(|report| {
        report["dims"].as_array().unwrap().iter().map(|dim| dim["findings"].as_array().unwrap().len())
    });
    assert_eq!(page["findings"].as_array().unwrap().len(), findings.sum::<usize>(), "the same findings");
    assert_eq!(page["findings"][0]["weight"], "must_fix", "what must be fixed comes first: {page}");
    assert!(page["findings"][0]["evidence"].as_str().is_some_and(|evidence| !evidence.is_empty()), "{page}");
}

#[tokio::test]
async fn opinions_are_asked_for_only_if_they_are_wanted() {
    let project = Project::bare();
    let toml = "[joust]\nlinters = [\"judge\"]\n[agents.critic]\nkind = \"command\"\ncommand = \
                [\"./critic.sh\"]\n[seats.judge]\nagent = \"critic\"\n";
    project.write("tribunal.toml", toml);
    project.agent("critic.sh", "#!/bin/sh\ncat > asked\nprintf '%s' '{\"ballot\": [{\"id\": \"R1\", \"says\": \"met\", \"quote\": \"Rye.\"}]}'\n");
    let tribunal = Conversation::begin(&project).await;
    let anchor = r#"{"kind": "invariants", "MUST": ["is honest"]}"#;
    let free = tribunal.call("check", json!({ "text": "Rye.", "anchor_text": anchor })).await;
    assert_eq!(free["verdict"], "undecided", "{free}");
    assert!(!project.path("asked").exists());
    let asked = tribunal.call("check", json!({ "text": "Rye.", "anchor_text": anchor, "semantic": true })).await;
    assert_eq!(asked["verdict"], "pass", "{asked}");
    assert!(project.path("asked").exists());
}

#[tokio::test]
async fn a_whole_run_of_the_review_example() {
    let project = release_notes();
    let tribunal = Conversation::begin(&project).await;
    let started = tribunal.call("start_run", json!({})).await;
    assert_eq!(started["runs"][0]["asset"], "description", "{started}");
    let end = tribunal.end().await;
    assert_eq!((&end["status"], &end["run"]), (&json!("converged"), &started["runs"][0]["run"]), "{end}");
    let by_hand = project.json(&["status", "description", "--json"]);
    for key in ["run", "status", "reason", "rounds", "turns", "tokens", "decision", "round_list", "waits_for"] {
        assert_eq!(end[key], by_hand[key], "{key}");
    }
    let found = tribunal.call("findings", json!({ "run": "description" })).await;
    assert_eq!((&found["passed"], &found["open_must_fix"]), (&json!(true), &json!(0)), "{found}");
    assert!(!found["findings"].as_array().unwrap().is_empty(), "the first round had some: {found}");
    assert!(found["findings"][0]["life"].as_str().unwrap().starts_with("no longer raised in"), "{found}");
    assert!(found["draft"]["text"].as_str().unwrap().len() > 10, "{found}");
    // Decided is decided: nobody is called again.
    let again = tribunal.call("start_run", json!({ "asset": "description" })).await;
    assert_eq!((again["runs"].as_array().unwrap().len(), &again["settled"][0]["status"]), (0, &json!("converged")));
    // What was decided of another brief is not: the model is told what changed, and what it can do.
    let stale = tribunal.raw("start_run", json!({ "brief": "Something else." })).await;
    let told = stale.structured_content.unwrap();
    assert_eq!(
        (stale.is_error, &told["kind"], &told["retryable"]),
        (Some(true), &json!("stale"), &json!(false)),
        "{told}"
    );
    let error = &told["errors"][0];
    assert!(error["message"].as_str().unwrap().ends_with("changed since: the brief"), "{told}");
    assert!(error["hint"].as_str().unwrap().starts_with("start it with `again`"), "{told}");
    let anew = tribunal.call("start_run", json!({ "brief": "Something else.", "again": true })).await;
    assert_ne!(anew["runs"][0]["run"], started["runs"][0]["run"], "{anew}");
    tribunal.end().await;
}

#[tokio::test]
async fn a_whole_theater_with_the_house_panel() {
    let project = Project::bare();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/landing");
    for name in ["index.html", "oven.svg"] {
        project.write(name, &fs::read_to_string(folder.join(name)).unwrap());
    }
    let tribunal = Conversation::begin(&project).await;
    let started = tribunal.call("start_run", json!({ "asset": "index.html" })).await;
    assert_eq!(started["runs"][0]["loop"], "theater", "{started}");
    let end = tribunal.end().await;
    assert_eq!(end["status"], "shipped", "{end}");
    let rounds = end["round_list"].as_array().unwrap();
    assert!(rounds[0]["must_fix"].as_u64().unwrap() > 0 && rounds.last().unwrap()["must_fix"] == 0, "{end}");
    let found = tribunal.call("findings", json!({})).await;
    assert!(found["draft"]["text"].as_str().unwrap().contains("<html lang=\"en\">"), "{found}");
    assert!(Path::new(found["draft"]["file"].as_str().unwrap()).is_file(), "{found}");
    let judges: Vec<&str> =
        found["judged"].as_array().unwrap().iter().map(|verdict| verdict["seat"].as_str().unwrap()).collect();
    assert!(judges.contains(&"a11y"), "{judges:?}");
}

/// A creator that works until it is let go.
const PATIENT: &str = r#"#!/bin/sh
cat > "prompt-$TRIBUNAL_ROUND"
echo x >> calls/creator
while [ ! -e go ]; do sleep 0.05; done
echo '{"done": true, "candidate": {"content": "Text.", "format": "plain"}}'
"#;

fn patient() -> Project {
    let project = Project::with_answers("description", 3, &["done x", "changes_requested", "done x", "ok"]);
    project.agent("creator.sh", PATIENT);
    project
}

#[tokio::test]
async fn a_run_is_steered_waited_for_and_stopped() {
    let project = patient();
    let tribunal = Conversation::begin(&project).await;
    tribunal.call("start_run", json!({})).await;
    let status = tribunal.call("wait", json!({ "run": "description", "seconds": 1 })).await;
    assert_eq!((&status["because"], &status["driven"]), (&json!("time_is_up"), &json!(true)), "{status}");
    assert_eq!(status["waits_for"][0]["seat"], "creator", "{status}");
    let steered = tribunal.call("steer", json!({ "run": "description", "text": "Shorter, please." })).await;
    assert_eq!(steered["directive"], 1);
    project.write("go", "");
    let round = tribunal.call("wait", json!({ "until": "round", "seconds": 20 })).await;
    assert!(["round_closed", "ended"].contains(&round["because"].as_str().unwrap()), "{round}");
    let end = tribunal.end().await;
    assert_eq!(end["status"], "converged", "{end}");
    assert!(project.read("prompt-2").contains("Shorter, please."), "the next turn was told");
    assert!(fs::read_to_string(project.log()).unwrap().contains("a-test over MCP"), "the log says by whom");

    let project = patient();
    let tribunal = Conversation::begin(&project).await;
    tribunal.call("start_run", json!({})).await;
    let stopped = tribunal.call("interrupt", json!({ "run": "description" })).await;
    assert_eq!((&stopped["status"], &stopped["was_over"]), (&json!("interrupted"), &json!(false)), "{stopped}");
    let status = tribunal.call("status", json!({})).await;
    assert_eq!(status["runs"][0]["status"], "interrupted", "{status}");
    project.write("go", "");
    let again = tribunal.call("start_run", json!({})).await;
    assert_eq!(again["runs"][0]["run"], status["runs"][0]["run"], "it goes on: {again}");
    assert_eq!(tribunal.end().await["status"], "converged");
}

#[tokio::test]
async fn whoever_asks_for_progress_is_told() {
    let project = patient();
    let tribunal = Conversation::begin(&project).await;
    tribunal.call("start_run", json!({})).await;
    project.write("go", "");
    // The client's library puts a progress token into every request.
    tribunal.end().await;
    let told = tribunal.client.told.lock().unwrap().join("\n");
    assert!(told.contains("converged"), "{told}");
}

#[tokio::test]
async fn what_cannot_be_done_is_a_tools_error_with_a_hint() {
    let outside = Project::bare();
    outside.write("secret.md", "# Secret\n\nThe word is xyzzy.\n");
    let project = release_notes();
    std::os::unix::fs::symlink(outside.path("secret.md"), project.path("link.md")).unwrap();
    project.write("big.md", &"x".repeat(5 << 20));
    let tribunal = Conversation::begin(&project).await;
    let secret = outside.path("secret.md").display().to_string();
    let up = format!("../{}/secret.md", outside.path("").file_name().unwrap().to_string_lossy());
    let is_outside = "it is not inside the project";
    // Inside of it, and still nobody's to read.
    project.write(".env", "KEY=xyzzy");
    std::os::unix::fs::symlink(".env", project.path("plain.md")).unwrap();
    let is_hidden = "are not to be read";
    for (tool, arguments, expected) in [
        ("check", json!({}), "there is nothing to check"),
        ("check", json!({ "text": "x", "path": "y" }), "cannot be combined"),
        ("check", json!({ "text": " " }), "the draft is empty"),
        ("check", json!({ "text": "x", "semantic": true }), "`semantic` needs an anchor"),
        ("check", json!({ "texts": "x" }), "unknown field `texts`"),
        ("check", json!({ "text": "x".repeat(2 << 20) }), "the limit is 1048576"),
        ("check", json!({ "path": "big.md" }), "the limit is 4194304"),
        ("check", json!({ "path": "gone.md" }), "there is no such file"),
        ("check", json!({ "path": "agents" }), "it is not a file"),
        ("check", json!({ "path": secret }), is_outside),
        ("check", json!({ "path": up }), is_outside),
        ("check", json!({ "path": "/etc/no-such-file" }), is_outside),
        ("check", json!({ "path": "link.md" }), is_outside),
        ("check", json!({ "text": "x", "anchor": "link.md" }), is_outside),
        ("check", json!({ "text": "x", "design": secret }), is_outside),
        ("check", json!({ "text": "x", "anchor_text": "kind = \"invariant\"" }), "anchor_text:1"),
        ("start_run", json!({ "brief": secret }), is_outside),
        ("start_run", json!({ "brief": "link.md" }), is_outside),
        ("start_run", json!({ "asset": secret }), is_outside),
        ("start_run", json!({ "anchor": "../anchor.toml" }), is_outside),
        ("start_run", json!({ "attachments": [secret] }), is_outside),
        ("start_run", json!({ "attachments": [up] }), is_outside),
        ("start_run", json!({ "attachments": ["link.md"] }), is_outside),
        ("start_run", json!({ "attachments": [".env"] }), is_hidden),
        ("start_run", json!({ "attachments": ["plain.md"] }), is_hidden),
        ("start_run", json!({ "attachments": [".tribunal/gone"] }), is_hidden),
        ("start_run", json!({ "brief": ".env" }), is_hidden),
        ("start_run", json!({ "brief": "plain.md" }), is_hidden),
        ("start_run", json!({ "anchor": "plain.md" }), is_hidden),
        ("start_run", json!({ "asset": "./.git/../.env" }), is_hidden),
        ("check", json!({ "path": "plain.md" }), is_hidden),
        ("check", json!({ "path": ".ssh/id_ed25519" }), is_hidden),
        ("start_run", json!({ "attachments": ["gone.png"] }), "there is no such file"),
        ("start_run", json!({ "attachments": ["agents"] }), "it is not a file"),
        ("start_run", json!({ "attachments": ["big.md"] }), "the limit is 4194304"),
        ("start_run", json!({ "attachments": vec!["tribunal.toml"; 17] }), "17 attachments are too many"),
        ("start_run", json!({ "loop": "circle" }), "unknown variant `circle`"),
        ("start_run", json!({ "loop": "desk" }), "there is no campaign"),
        ("status", json!({ "run": "nothing" }), "there are no runs in this project"),
        ("findings", json!({}), "there are no runs in this project"),
        ("steer", json!({ "run": "x" }), "missing field `text`"),
        ("interrupt", json!({ "run": "x" }), "there are no runs in this project"),
        ("wait", json!({ "seconds": 3600 }), "too long for one call"),
        ("dance", json!({}), "unknown tool `dance`"),
    ] {
        let refusal = tribunal.refusal(tool, arguments.clone()).await;
        assert!(refusal.contains(expected) && refusal.contains("\nhint: "), "{tool} {arguments:.80}: {refusal}");
        assert!(!refusal.contains("xyzzy"));
    }
    assert!(!project.path(".tribunal/runs").exists(), "nothing was begun");
    assert_eq!(tribunal.call("status", json!({})).await["runs"], json!([]), "and it still answers");
}

#[test]
fn a_style_sheet_behind_a_link_is_not_read() {
    let outside = Project::bare();
    outside.write("secret.css", "body { color: #fff; background: #fff }\n");
    let project = Project::bare();
    let page = "<!doctype html><html lang=en><head><title>t</title><link rel=stylesheet href=s.css></head>\
                <body><h1>Bread</h1><p>We bake at four.</p></body></html>";
    project.write("page.html", page);
    let check = |project: &Project| {
        let lines = talk(project, &[request(1, "check", &json!({ "path": "page.html" }))]);
        lines.into_iter().find(|line| line["id"] == 1).unwrap()["result"]["structuredContent"].clone()
    };
    let without = check(&project);
    let contrast = |checked: &Value| checked["scores"][1]["dims"][0].clone();
    std::os::unix::fs::symlink(outside.path("secret.css"), project.path("s.css")).unwrap();
    let linked = contrast(&check(&project));
    assert_eq!((&linked["dimension"], &linked["score"]), (&json!("contrast"), &json!(null)), "{linked}");
    assert_eq!(linked["evidence"], contrast(&without)["evidence"], "what a link leads to is not looked at");
    fs::remove_file(project.path("s.css")).unwrap();
    project.write("s.css", "body { color: #fff; background: #fff }\n");
    assert_ne!(check(&project), without, "a sheet of the project does");
}

#[test]
fn a_run_goes_on_when_its_client_leaves_or_ends_us() {
    for signal in [None, Some("TERM"), Some("KILL")] {
        let project = patient();
        let mut server = project.command(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
        let mut input = server.stdin.take().unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        for message in [hello(), json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })] {
            writeln!(input, "{message}").unwrap();
        }
        writeln!(input, "{}", request(1, "start_run", &json!({}))).unwrap();
        let started = lines.find(|line| line.as_ref().unwrap().contains("\"id\":1")).unwrap().unwrap();
        assert!(!started.contains("isError\":true"), "{started}");
        match signal {
            // The client holds its end open, and we go all the same.
            Some(name) => {
                let pid = server.id().to_string();
                assert!(
                    std::process::Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success()
                );
            }
            None => drop(input),
        }
        let code = server.wait().unwrap().code();
        assert_eq!(code, (signal != Some("KILL")).then_some(0), "{signal:?}");
        let status = || project.json(&["status", "description", "--json"]);
        assert_eq!((&status()["status"], &status()["driven"]), (&json!("running"), &json!(true)), "{signal:?}");
        project.write("go", "");
        until(|| status()["status"] == "converged", "it comes to its end without anybody");
        assert_eq!(project.tribunal(&["verify"]).code, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_cannot_go_on_is_refused_and_one_that_does_can_be_stopped() {
    let project = patient();
    let tribunal = Conversation::begin(&project).await;
    tribunal.call("start_run", json!({})).await;
    let stopped = tribunal.call("interrupt", json!({ "run": "description" })).await;
    assert_eq!(stopped["status"], "interrupted", "{stopped}");
    project.write("go", "");
    tribunal.call("start_run", json!({})).await;
    assert_eq!(tribunal.end().await["status"], "converged");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_fixed_inside_of_the_project_and_nowhere_else() {
    let outside = Project::bare();
    let page = "<!doctype html><html><head><title>t</title></head><body><h1>Bread</h1><p>We bake.</p></body></html>";
    outside.write("page.html", page);
    let project = Project::bare();
    project.write("page.html", page);
    let tribunal = Conversation::begin(&project).await;
    let shown = tribunal.call("fix", json!({ "paths": ["page.html"] })).await;
    assert_eq!((&shown["written"], project.read("page.html").as_str()), (&json!(false), page), "{shown}");
    let fixed = tribunal.call("fix", json!({ "paths": ["page.html"], "write": true })).await;
    assert_eq!(fixed["written"], true);
    let changed = !shown["files"].as_array().unwrap().is_empty();
    assert_eq!(project.read("page.html") != page, changed, "{fixed}");
    std::os::unix::fs::symlink(outside.path("page.html"), project.path("link.html")).unwrap();
    let far = outside.path("page.html").display().to_string();
    for path in [far.as_str(), "../page.html", "link.html", "gone.html"] {
        let refused = tribunal.refusal("fix", json!({ "paths": [path], "write": true })).await;
        assert!(refused.contains("cannot read"), "{path}: {refused}");
    }
    assert_eq!(outside.read("page.html"), page);
    tribunal.refusal("fix", json!({ "paths": [] })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_judged_over_the_protocol() {
    let project = Project::bare();
    let git = |args: &[&str]| {
        let run = std::process::Command::new("git").args(args).current_dir(project.path("")).output().unwrap();
        assert!(run.status.success(), "{run:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["config", "user.email", "a@example.com"]);
    git(&["config", "user.name", "a"]);
    project.write("tribunal.toml", "[judge]\nchecks = [\"sh check.sh\"]\n");
    project.write("check.sh", "test -f done\n");
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    project.write("other", "x");
    let tribunal = Conversation::begin(&project).await;
    for (arguments, why) in [
        (json!({ "range": "--output=x" }), "not a range"),
        (json!({ "spec": "/etc/passwd" }), "cannot read"),
        (json!({ "checks": ["rm -rf /"] }), "unknown field"),
    ] {
        let refused = tribunal.refusal("judge", arguments).await;
        assert!(refused.contains(why), "{refused}");
    }
    let started = tribunal.call("judge", json!({})).await;
    assert_eq!(started["runs"].as_array().unwrap().len(), 1, "{started}");
    let end = tribunal.end().await;
    assert_ne!(end["status"], "converged", "its check fails: {end}");
}

#[test]
fn nothing_but_the_protocol_is_on_stdout() {
    let project = release_notes();
    let requests = [request(1, "start_run", &json!({})), request(2, "wait", &json!({ "seconds": 30 }))];
    let lines = talk(&project, &requests);
    assert!(lines.iter().all(|line| line["jsonrpc"] == "2.0"), "{lines:?}");
    assert_eq!(lines.len(), 3, "hello and two answers: {lines:?}");
}

/// Says these things and listens until all are answered. Every line must be JSON.
fn talk(project: &Project, requests: &[Value]) -> Vec<Value> {
    let mut server = project.command(&["mcp", "--verbose"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut lines = Vec::new();
    let mut listen = || {
        let mut line = String::new();
        assert!(output.read_line(&mut line).unwrap() > 0, "it went away");
        lines.push(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")));
    };
    writeln!(input, "{}", hello()).unwrap();
    listen();
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
    for request in requests {
        writeln!(input, "{request}").unwrap();
        listen();
    }
    drop(input);
    let mut rest = String::new();
    while output.read_line(&mut rest).unwrap() > 0 {}
    assert_eq!(rest, "");
    assert_eq!(server.wait().unwrap().code(), Some(0));
    lines
}

fn hello() -> Value {
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "by hand", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

fn request(id: u32, tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

fn until(condition: impl Fn() -> bool, what: &str) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(30), "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
