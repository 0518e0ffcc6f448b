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
        assert_eq!(calls.len(), 5, "{provider}: two seats, two rounds, and a control of the reviewer");
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
    assert_eq!((output.code, stub.totals().calls), (0, 11), "one control for all four judges: {}", output.all());
    let output = tribunal(&project, &["fork", "--from-round", "2", "--seat", "critic=other", "--yes"], Some("k"));
    assert_eq!(output.code, 0, "{}", output.all());
    let calls = stub.calls();
    let models: Vec<&str> = calls[11..].iter().map(|record| record.call.model.as_str()).collect();
    assert_eq!(
        models,
        ["claude-haiku-4-5"; 2],
        "the critic's answer, and a control of the new model: {}",
        output.all()
    );
    assert!(output.stdout.contains("outcome: shipped, as before"), "{}", output.all());
}

/// One control for each agent and model, as planned; who passed is cited for as long as `controls.fresh` says.
#[test]
fn a_judge_that_passed_its_control_is_cited_until_that_is_long_ago() {
    let stub = Stub::start(Script::tribunal()).unwrap();
    let project = review("anthropic", "claude-sonnet-4-5", &stub.url());
    project.write("tribunal.toml", &(project.read("tribunal.toml") + "[controls]\nmin_catch = 1\n"));
    let planned: serde_json::Value =
        serde_json::from_str(&tribunal(&project, &["plan", "--json"], Some("k")).stdout).unwrap();
    let planned = planned["assets"][0]["seats"].clone();
    let reviewer = planned.as_array().unwrap().iter().find(|seat| seat["seat"] == "reviewer").unwrap();
    assert_eq!(reviewer["calls"], 4, "three iterations and a control: {planned}");
    let mut calls = 0;
    for (again, made, told) in [
        (&["run"][..], 5, "control: reviewer · caught 1 of 1, 0 false alarms"),
        (&["run", "--again"], 2, "control: reviewer · caught 1 of 1 in run "),
        (&["run", "--again", "--set", "controls.fresh=1ms"], 3, "control: reviewer · caught 1 of 1, 0 false alarms"),
        (
            &["run", "--again", "--set", "controls.per_judge=0"],
            2,
            "control: no judge is shown planted faults: `controls.per_judge = 0`",
        ),
    ] {
        let output = tribunal(&project, again, Some("k"));
        assert_eq!((output.code, stub.totals().calls - calls), (0, made), "{again:?}: {}", output.all());
        calls = stub.totals().calls;
        let status = tribunal(&project, &["status", "description"], None).stdout;
        let controls: Vec<&str> = status.lines().filter(|line| line.starts_with("control")).collect();
        assert_eq!(controls.len(), 1, "{again:?}: {status}");
        assert!(status.contains(told), "{again:?}: {status}");
    }
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
        // How many judges fit into what is left depends on who of them is done first.
        let calls = stub.totals().calls;
        let calls = if cents == 7 && (3..11).contains(&calls) { "some".to_owned() } else { calls.to_string() };
        let _ = writeln!(told, "{cents} cents: {calls} calls, exit {}", output.code);
    }
    insta::assert_snapshot!(told, @r"
    1 cents: 0 calls, exit 3
    7 cents: some calls, exit 3
    10 cents: 11 calls, exit 0
    14 cents: 11 calls, exit 0
    100 cents: 11 calls, exit 0
    ");
}

/// Which seat a call was of, and its temperature.
fn temperature_of(record: &tribunal_stub::CallRecord, seats: &[&str]) -> (String, Option<f64>) {
    let body = &record.call.body;
    let text = body.to_string();
    let seat = seats.iter().find(|seat| text.contains(&format!("Seat: {seat}"))).unwrap_or_else(|| panic!("{text}"));
    let paths = ["/temperature", "/generationConfig/temperature"];
    ((*seat).to_owned(), paths.iter().find_map(|path| body.pointer(path)?.as_f64()))
}

#[test]
fn judges_are_asked_at_the_lowest_temperature_and_authors_are_not() {
    for (provider, model, _) in PROVIDERS {
        let stub = Stub::start(Script::tribunal()).unwrap();
        let project = project(provider, model, &stub.url(), &PANEL, THEATER);
        let output = tribunal(&project, &["run"], Some("k"));
        assert_eq!(output.code, 0, "{provider}: {}", output.all());
        for record in stub.calls() {
            let (seat, temperature) = temperature_of(&record, &PANEL);
            assert_eq!(temperature, (seat != "designer").then_some(0.0), "{provider}: {seat}");
        }
        let report = std::fs::read_to_string(project.artifact("report.md")).unwrap();
        let same = format!("- critic is the same model as designer: {provider}/{model}\n");
        assert!(report.contains(&same), "{provider}: {report}");

        let stub = Stub::start(Script::tribunal()).unwrap();
        let project = review(provider, model, &stub.url());
        assert_eq!(tribunal(&project, &["run"], Some("k")).code, 0, "{provider}");
        let seen: Vec<_> = stub.calls().iter().map(|record| temperature_of(record, &["creator", "reviewer"])).collect();
        let (creator, reviewer) = (("creator".to_owned(), None), ("reviewer".to_owned(), Some(0.0)));
        // The reviewer judges a control, too.
        let expected = [creator.clone(), reviewer.clone(), reviewer.clone(), creator, reviewer];
        assert_eq!(seen, expected, "{provider}");
        let status = tribunal(&project, &["status", "description"], None);
        let same = format!("reviewer is the same model as creator: {provider}/{model}\n");
        assert!(status.stdout.contains(&same), "{provider}: {}", status.all());
        let summary = project.json(&["status", "--json"]);
        assert_eq!(summary["runs"][0]["same_model"][0], same.trim_end(), "{provider}: {summary}");
    }
}

#[test]
fn linters_of_a_check_are_asked_at_the_lowest_temperature() {
    let stub = Stub::start(Script::always(r#"{"ballot": []}"#)).unwrap();
    let project = project("openai", "gpt-5", &stub.url(), &["main", "editor"], "[run]\nloop = \"joust\"");
    project.write("anchor.toml", "kind = \"invariants\"\nMUST = [\"is honest\"]\n");
    project.write("text.md", "We bake bread at night.\n");
    let output = tribunal(&project, &["check", "text.md", "--anchor", "anchor.toml", "--semantic"], Some("k"));
    assert_eq!(output.code, 1, "nobody voted: {}", output.all());
    let calls = stub.calls();
    assert!(!calls.is_empty() && calls.iter().all(|record| record.call.body["temperature"] == 0.0), "{calls:?}");
    let asked = tribunal(&project, &["ask", "main", "Why?"], Some("k"));
    assert_ne!(asked.code, 0, "there is no run to ask about: {}", asked.all());
}

#[test]
fn a_plan_says_what_should_be_known_of_the_judges() {
    let project = review("anthropic", "claude-sonnet-4-5", "http://127.0.0.1:9");
    let toml = project
        .read("tribunal.toml")
        .replace("[seats.reviewer]\nagent = \"model\"", "[seats.reviewer]\nagent = \"judge\"");
    let plan = |judge: &str| {
        project.write("tribunal.toml", &format!("{toml}[agents.judge]\n{judge}"));
        let plan = tribunal(&project, &["plan", "--json"], Some("k"));
        let plan: serde_json::Value = serde_json::from_str(&plan.stdout).unwrap_or_else(|_| panic!("{}", plan.all()));
        let notes = plan["assets"][0]["notes"].as_array().unwrap().clone();
        let (controls, notes): (Vec<_>, Vec<_>) = notes
            .into_iter()
            .partition(|note| note.as_str().unwrap().starts_with("controls: 1 call each for reviewer"));
        assert_eq!(controls.len(), usize::from(!judge.contains("\"command\"\n") || judge.contains("controls = true")));
        serde_json::Value::from(notes)
    };
    let at = "base_url = \"http://127.0.0.1:9\"\napi_key = \"$TEAM_KEY\"\n";
    let http = |provider: &str, model: &str, more: &str| {
        plan(&format!("kind = \"http\"\nprovider = \"{provider}\"\nmodel = \"{model}\"\n{at}{more}"))
    };
    assert_eq!(http("anthropic", "claude-opus-4-5", ""), serde_json::json!([]));
    assert_eq!(http("openai", "gpt-5", "effort = \"low\"\n"), serde_json::json!([]));
    let same = "reviewer is the same model as creator: anthropic/claude-sonnet-4-5";
    assert_eq!(http("anthropic", "claude-sonnet-4-5", ""), serde_json::json!([same]));
    let thinks = "reviewer: no temperature can be set for `judge` while it thinks (`effort`)";
    assert_eq!(http("anthropic", "claude-opus-4-5", "effort = \"low\"\n"), serde_json::json!([thinks]));
    let none = |kind: &str| format!("reviewer: no temperature can be set for `judge` ({kind}): it judges at its own");
    assert_eq!(plan("kind = \"claude\"\ncommand = [\"./claude\"]\n"), serde_json::json!([none("claude")]));
    assert_eq!(plan("kind = \"acp\"\ncommand = [\"./agent\"]\n"), serde_json::json!([none("acp")]));
    assert_eq!(plan("kind = \"command\"\ncommand = [\"./agent\"]\n"), serde_json::json!([]), "a program");
    assert_eq!(
        plan("kind = \"command\"\ncommand = [\"./agent\"]\ncontrols = true\n"),
        serde_json::json!([none("command")]),
        "a program that asks a model"
    );
    let plan = tribunal(&project, &["plan"], Some("k"));
    assert!(plan.stdout.contains(&format!("\n  {}\n", none("command"))), "{}", plan.all());
}
