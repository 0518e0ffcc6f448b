//! Agents that are models behind HTTP: whole runs on every wire, against the stub.

use std::fmt::Write as _;
use tribunal_stub::{Script, Stub, StubFault, Wire};

use crate::support::{Output, Project};

const PROVIDERS: [(&str, &str, Wire); 4] = [
    ("anthropic", "claude-sonnet-4-5", Wire::Anthropic),
    ("openai", "gpt-5", Wire::Responses),
    ("openai-chat", "gpt-5", Wire::Chat),
    ("gemini", "gemini-2.5-pro", Wire::Gemini),
];

/// A project whose seats are all taken by one model; `settings` are the tables of its loop.
fn project(provider: &str, model: &str, url: &str, seats: &[&str], settings: &str) -> Project {
    let project = Project::bare();
    let mut toml = format!(
        "{settings}\n[agents.model]\nkind = \"http\"\nprovider = \"{provider}\"\nmodel = \"{model}\"\nbase_url = \
         \"{url}\"\napi_key = \"$TEAM_KEY\"\n"
    );
    for seat in seats {
        let _ = writeln!(toml, "[seats.{seat}]\nagent = \"model\"");
    }
    project.write("tribunal.toml", &toml);
    project
}

fn review(provider: &str, model: &str, url: &str) -> Project {
    let settings = "[run]\nloop = \"review\"\nbrief = \"Say what bread is.\"\n[review]\nasset = \"description\"";
    project(provider, model, url, &["creator", "reviewer"], settings)
}

fn tribunal(project: &Project, args: &[&str], key: Option<&str>) -> Output {
    let mut command = project.command(args);
    for name in ["TEAM_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        command.env_remove(name);
    }
    if let Some(key) = key {
        command.env("TEAM_KEY", key);
    }
    Output::of(command.spawn().unwrap())
}

#[test]
fn a_review_converges_on_every_wire() {
    for (provider, model, wire) in PROVIDERS {
        let stub = Stub::start(Script::tribunal()).unwrap();
        let project = review(provider, model, &stub.url());
        let output = tribunal(&project, &["run"], Some("sk-secret"));
        assert_eq!(output.code, 0, "{provider}: {}", output.all());
        let calls = stub.calls();
        assert_eq!(calls.len(), 4, "{provider}: two seats, two rounds");
        for record in &calls {
            let call = &record.call;
            assert_eq!((call.wire, call.model.as_str()), (Some(wire), model), "{provider}");
            assert!(call.has_key && call.has_schema, "{provider}: {call:?}");
        }
        let log = std::fs::read_to_string(project.log()).unwrap();
        assert!(log.contains("\"input_tokens\":"), "{provider}: {log}");
        for file in project.list(".tribunal") {
            let bytes = std::fs::read(project.path(&file)).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains("sk-secret"), "{provider}: the key is in {file}");
        }
    }
}

#[test]
fn a_theater_ships_on_every_wire() {
    for (provider, model, wire) in PROVIDERS {
        for (panel, seats) in
            [("seats", &["designer", "critic", "brand", "a11y", "copy"][..]), ("single", &["panel", "designer"])]
        {
            let stub = Stub::start(Script::tribunal()).unwrap();
            let settings =
                format!("[run]\nloop = \"theater\"\nbrief = \"A page about bread.\"\n[theater]\npanel = \"{panel}\"");
            let project = project(provider, model, &stub.url(), seats, &settings);
            let output = tribunal(&project, &["run"], Some("k"));
            assert_eq!(output.code, 0, "{provider}, {panel}: {}", output.all());
            assert!(stub.calls().iter().all(|record| record.call.wire == Some(wire)), "{provider}");
            let shipped = std::fs::read_to_string(project.artifact("shipped.html")).unwrap();
            assert!(shipped.contains("Decide with evidence"), "{provider}, {panel}: {shipped}");
        }
    }
}

#[test]
fn what_is_missing_is_named_before_anything_is_begun() {
    let mut said = String::new();
    let fine = review("openai", "gpt-5", "http://127.0.0.1:9");
    let toml = fine.read("tribunal.toml");
    for (case, toml, key) in [
        ("no key", toml.clone(), None),
        ("no model", toml.replace("model = \"gpt-5\"\n", ""), Some("k")),
        ("no address", toml.replace("\"openai\"", "\"groq\"").replace("base_url", "# base_url"), Some("k")),
    ] {
        fine.write("tribunal.toml", &toml);
        let _ = writeln!(said, "# {case}\n{}", tribunal(&fine, &["run"], key).all());
    }
    assert!(!fine.path(".tribunal").exists(), "nothing is begun");
    insta::assert_snapshot!(said, @r#"
    # no key
    exit: 2
    stdout:
    stderr:
    error: agent `model`: the environment variable `$TEAM_KEY` with its API key is not set
    hint: set it, or use another variable: `agents.model.api_key`

    # no model
    exit: 2
    stdout:
    stderr:
    error: agent `model`: it has no model
    hint: set `agents.model.model`, or `model` of the seat; for example "gpt-5"

    # no address
    exit: 2
    stdout:
    stderr:
    error: agent `model`: the provider `groq` has no default URL
    hint: set `agents.model.base_url` to an OpenAI-compatible server, or use anthropic, openai, openai-chat or gemini
    "#);
}

#[test]
fn a_desk_wants_programs() {
    let settings = "[run]\nloop = \"desk\"\n[desk]\nslug = \"a\"";
    let project = project("openai", "gpt-5", "http://127.0.0.1:9", &["worker", "verifier"], settings);
    tribunal(&project, &["desk", "init", "a", "Bake bread."], Some("k"));
    let output = tribunal(&project, &["desk", "run", "a"], Some("k"));
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("of kind `http` cannot sit in the seat `worker`"), "{}", output.all());
}

#[test]
fn doctor_and_list_know_it() {
    let project = review("openai", "gpt-5", "http://127.0.0.1:9");
    let output = tribunal(&project, &["agents", "doctor"], Some("k"));
    assert!(output.stdout.contains("model (http): can be asked\n"), "{}", output.all());
    let output = tribunal(&project, &["agents", "doctor"], None);
    assert!(
        output.stdout.contains("model (http): the environment variable `$TEAM_KEY` with its API key"),
        "{}",
        output.all()
    );
    let output = tribunal(&project, &["agents", "list"], None);
    assert_eq!(output.stdout, "model        http     gpt-5        creator, reviewer  [not graded]\n");
}

#[test]
fn a_key_that_is_refused_ends_the_run_at_once() {
    let stub = Stub::start(Script::always(StubFault::Unauthorized)).unwrap();
    let project = review("anthropic", "claude-sonnet-4-5", &stub.url());
    let output = tribunal(&project, &["run"], Some("k"));
    assert_eq!(stub.totals().calls, 1, "{}", output.all());
    assert!(output.stderr.contains("was refused: invalid x-api-key"), "{}", output.all());
    assert!(output.stderr.contains("check the key in `$TEAM_KEY`"), "{}", output.all());
}

const PANEL: [&str; 5] = ["designer", "critic", "brand", "a11y", "copy"];
const THEATER: &str = "[run]\nloop = \"theater\"\nbrief = \"A page about bread.\"\n";

#[test]
fn a_fork_pays_only_for_what_differs() {
    let stub = Stub::start(Script::tribunal()).unwrap();
    let project = project("anthropic", "claude-sonnet-4-5", &stub.url(), &PANEL, THEATER);
    let other = format!(
        "[agents.other]\nkind = \"http\"\nprovider = \"anthropic\"\nmodel = \"claude-haiku-4-5\"\nbase_url = \"{}\"\napi_key = \
         \"$TEAM_KEY\"\n",
        stub.url()
    );
    project.write("tribunal.toml", &(project.read("tribunal.toml") + &other));
    let output = tribunal(&project, &["run"], Some("k"));
    assert_eq!((output.code, stub.totals().calls), (0, 10), "{}", output.all());
    let output = tribunal(&project, &["fork", "--from-round", "2", "--seat", "critic=other"], Some("k"));
    assert_eq!(output.code, 0, "{}", output.all());
    let calls = stub.calls();
    let models: Vec<&str> = calls[10..].iter().map(|record| record.call.model.as_str()).collect();
    assert_eq!(models, ["claude-haiku-4-5"], "{}", output.all());
    assert!(output.stdout.contains("outcome: shipped, as before"), "{}", output.all());
}

#[test]
fn a_model_may_read_files_only_where_it_is_allowed_to() {
    for (tools, expected) in [("", &[][..]), ("tools = \"read\"\n", &["list_files", "read_file", "search_text"])] {
        let stub = Stub::start(Script::tribunal()).unwrap();
        let project = review("anthropic", "claude-sonnet-4-5", &stub.url());
        let toml = project.read("tribunal.toml").replace("[agents.model]\n", &format!("[agents.model]\n{tools}"));
        project.write("tribunal.toml", &toml);
        let output = tribunal(&project, &["run"], Some("k"));
        assert_eq!(output.code, 0, "{tools}: {}", output.all());
        assert_eq!(stub.calls()[0].call.tools, expected, "{tools}");
    }
}

#[test]
fn a_limit_in_cents_holds_by_the_providers_own_count() {
    let mut told = String::new();
    for cents in [1, 7, 10, 14, 100] {
        let stub = Stub::start(Script::tribunal()).unwrap();
        let settings = format!("{THEATER}[limits]\nusd = {}.{:02}\n", cents / 100, cents % 100);
        let project = project("anthropic", "claude-sonnet-4-5", &stub.url(), &PANEL, &settings);
        let output = tribunal(&project, &["run"], Some("k"));
        let tokens = stub.totals().tokens;
        // Three dollars for a million tokens in, fifteen for a million out: none of it comes from a cache here.
        let micros = tokens.input * 3 + tokens.output * 15;
        assert!(micros <= cents * 10_000, "{cents} cents, {micros} spent: {}", output.all());
        assert_eq!(tokens.cached, 0);
        let ours = project.json(&["status", "--json"])["runs"][0]["usd_micros"].as_u64().unwrap();
        assert_eq!(ours, micros, "what we count is what was counted");
        let _ = writeln!(told, "{cents} cents: {} calls, exit {}", stub.totals().calls, output.code);
    }
    insta::assert_snapshot!(told, @r"
    1 cents: 0 calls, exit 3
    7 cents: 2 calls, exit 3
    10 cents: 10 calls, exit 0
    14 cents: 10 calls, exit 0
    100 cents: 10 calls, exit 0
    ");
}
