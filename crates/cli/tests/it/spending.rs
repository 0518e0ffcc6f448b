//! Limits against a model that always says as much as it may: what the server counts, and what was allowed.

use std::fmt::Write as _;
use tribunal_stub::{Script, Stub, StubCall, StubFault, StubPrice, StubReply};

use crate::support::{Output, Project};

/// As Anthropic's larger models cost.
const PRICE: StubPrice = StubPrice { input: 5_000_000, cached: 500_000, cache_write: 6_250_000, output: 25_000_000 };
const PRICES: &str = "[prices.greedy]\ninput = 5\ncached = 0.5\ncache_write = 6.25\noutput = 25\nmax_output = 32000\n";
/// A cent.
const TOLERATED: u64 = 10_000;

const WIRES: [&str; 4] = ["anthropic", "openai", "openai-chat", "gemini"];

/// What the model is like.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Temper {
    /// It thinks aloud for two thousand tokens before every good answer.
    Wordy,
    /// It never answers in the form that was asked for, so it is asked again and again.
    Useless,
    /// It goes on as long as it may.
    Endless,
    /// It reads the same file for ever.
    Reader,
    /// The connection breaks in the middle of each answer.
    Broken,
}

impl Temper {
    const ALL: [Self; 5] = [Self::Wordy, Self::Useless, Self::Endless, Self::Reader, Self::Broken];

    fn script(self) -> Script {
        let long = |tokens: usize| "so on ".repeat(tokens * 4 / 6);
        match self {
            Self::Wordy => Script::answering(move |call: &StubCall| {
                let good = Script::tribunal_reply(call);
                StubReply::text(format!("{}\n{}", long(2000), good.text))
            }),
            Self::Useless => Script::always(StubReply::text(long(1500))),
            Self::Endless => Script::always(StubReply::text(long(60_000))),
            Self::Reader => Script::answering(|call: &StubCall| match call.tools.first() {
                Some(_) => StubReply::tool("read_file", serde_json::json!({ "path": "long.txt" })),
                None => StubReply::text("No."),
            }),
            Self::Broken => Script::answering(move |_| StubReply {
                fault: Some(StubFault::Cut { bytes: None }),
                ..StubReply::text(long(4000))
            }),
        }
    }
}

fn agent(provider: &str, url: &str, tools: bool) -> String {
    let tools = if tools { "tools = \"read\"\n" } else { "" };
    format!(
        "[agents.model]\nkind = \"http\"\nprovider = \"{provider}\"\nmodel = \"greedy\"\nbase_url = \"{url}\"\napi_key = \
         \"$TEAM_KEY\"\n{tools}{PRICES}"
    )
}

/// A panel of four judges who are asked at once.
fn theater(provider: &str, url: &str, limit: &str, tools: bool) -> Project {
    let project = Project::bare();
    let mut toml = format!(
        "[run]\nloop = \"theater\"\nbrief = \"A page about bread.\"\n[theater]\npanel = \"seats\"\n[limits]\nusd = \
         {limit}\n{}",
        agent(provider, url, tools)
    );
    for seat in ["designer", "critic", "brand", "a11y", "copy"] {
        let _ = writeln!(toml, "[seats.{seat}]\nagent = \"model\"");
    }
    project.write("tribunal.toml", &toml);
    project.write("long.txt", &"A line of a file that is read again and again.\n".repeat(300));
    project
}

fn run(project: &Project) -> Output {
    tribunal(project, &["run"])
}

fn tribunal(project: &Project, args: &[&str]) -> Output {
    Output::of(project.command(args).env("TEAM_KEY", "k").spawn().unwrap())
}

fn micros(limit: &str) -> u64 {
    format!("{:.0}", limit.parse::<f64>().unwrap() * 1e6).parse().unwrap()
}

#[test]
fn a_limit_holds_whatever_a_model_does() {
    let mut table = String::new();
    let mut worst = 0;
    for temper in Temper::ALL {
        for wire in WIRES {
            for limit in ["0.03", "0.20", "1.00"] {
                let stub = Stub::start(temper.script()).unwrap();
                let project = theater(wire, &stub.url(), limit, temper == Temper::Reader);
                let output = run(&project);
                let (totals, limit) = (stub.totals(), micros(limit));
                let spent = totals.tokens.cost(&PRICE);
                let over = spent.saturating_sub(limit);
                worst = worst.max(over);
                let told = format!(
                    "{temper:?} {wire} limit ${:.2} spent ${:.4} in {} calls, exit {}",
                    limit as f64 / 1e6,
                    spent as f64 / 1e6,
                    totals.calls,
                    output.code
                );
                let _ = writeln!(table, "{told}");
                assert!(over <= TOLERATED, "{told}\n{table}\n{}", output.all());
                assert!([0, 1, 3, 4].contains(&output.code), "{told}\n{}", output.all());
                if temper == Temper::Endless {
                    assert_eq!(output.code, 3, "cut off by the limit, it is over budget: {told}\n{}", output.all());
                    assert!(output.stdout.contains("over_budget"), "{told}\n{}", output.all());
                }
                assert!(limit < 100_000 || spent > limit / 20, "somebody was asked: {told}\n{}", output.all());
                assert_eq!(project.tribunal(&["verify"]).code, 0, "{told}");
            }
        }
    }
    println!("{table}worst: {worst} micro-dollars over");
}

#[test]
fn a_limit_on_tokens_holds_too() {
    for wire in WIRES {
        let stub = Stub::start(Temper::Endless.script()).unwrap();
        let project = theater(wire, &stub.url(), "100", false);
        project.write("tribunal.toml", &project.read("tribunal.toml").replace("usd = 100", "tokens = 20000"));
        let output = run(&project);
        let tokens = stub.totals().tokens;
        assert_eq!(output.code, 3, "{wire}: {}", output.all());
        assert!(tokens.input + tokens.output <= 20_000, "{wire}: {tokens:?}");
        assert!(tokens.output > 4_000, "{wire}: {tokens:?}");
    }
}

#[test]
fn what_leaves_no_room_for_an_answer_is_not_asked() {
    let stub = Stub::start(Temper::Wordy.script()).unwrap();
    let project = theater("anthropic", &stub.url(), "0.01", false);
    let output = run(&project);
    assert_eq!((output.code, stub.totals().calls), (3, 0), "{}", output.all());
}

#[test]
fn children_share_a_limit_with_whoever_started_them() {
    for wire in ["anthropic", "openai"] {
        let stub = Stub::start(Temper::Wordy.script()).unwrap();
        let inner = theater(wire, &stub.url(), "9.00", false);
        let outer = theater(wire, &stub.url(), "0.60", false);
        let (binary, inside) = (env!("CARGO_BIN_EXE_tribunal"), inner.path("").display().to_string());
        outer.agent(
            "starter.sh",
            &format!(
                "#!/bin/sh\ncat > /dev/null\nfor name in one two; do\n  {binary} -C {inside} --set \
                 theater.artifact=$name run > $name.txt 2>&1 &\ndone\nwait\nprintf '{{\"artifact\": {{\"mime\": \
                 \"text/html\", \"content\": \"<h1>v</h1>\"}}}}'\n"
            ),
        );
        let toml = outer.read("tribunal.toml").replace(
            "[seats.designer]\nagent = \"model\"",
            "[agents.starter]\nkind = \"command\"\ncommand = [\"./starter.sh\"]\nenv = [\"TEAM_KEY\"]\n[seats.designer]\nagent \
             = \"starter\"",
        );
        outer.write("tribunal.toml", &toml);
        let output = run(&outer);
        let spent = stub.totals().tokens.cost(&PRICE);
        let told = || format!("{wire}: {spent}\n{}{}{}", output.all(), outer.read("one.txt"), outer.read("two.txt"));
        assert!(spent <= 600_000 + TOLERATED, "{}", told());
        assert!(stub.totals().calls >= 4 && spent > 200_000, "{}", told());
    }
}

/// Every third call is refused for a minute. The designer's turn goes to another model then, with money of its own; the
/// judges wait, so the run is left.
#[test]
fn a_limit_holds_where_turns_are_passed_on() {
    for (wire, limit) in [("anthropic", "0.20"), ("openai", "0.20"), ("openai-chat", "1.00"), ("gemini", "1.00")] {
        let calls = std::sync::atomic::AtomicU32::new(0);
        let script = Script::answering(move |call: &StubCall| {
            if calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed).is_multiple_of(3) {
                return StubReply::fault(StubFault::RateLimited { retry_after_ms: 60_000 });
            }
            let good = Script::tribunal_reply(call);
            StubReply::text(format!("{}\n{}", "so on ".repeat(1400), good.text))
        });
        let stub = Stub::start(script).unwrap();
        let project = theater(wire, &stub.url(), limit, false);
        let other = agent(wire, &stub.url(), false).replace("[agents.model]", "[agents.other]").replace(PRICES, "");
        let toml = project.read("tribunal.toml").replace("[prices.greedy]", "fallback = \"other\"\n[prices.greedy]");
        project.write("tribunal.toml", &format!("{toml}{other}"));
        for _ in 0..3 {
            let output = Output::of(
                project.command(&["run", "--set", "run.when_parked=leave"]).env("TEAM_KEY", "k").spawn().unwrap(),
            );
            assert!(matches!(output.code, 0 | 1 | 3), "{wire}: {}", output.all());
        }
        let spent = stub.totals().tokens.cost(&PRICE);
        let most = if limit == "0.20" { 200_000 } else { 1_000_000 };
        assert!(spent <= most, "{wire}: {spent} of {limit}");
        assert!(spent > 0, "{wire}: somebody was paid");
        let log = project.read(&project.log().display().to_string());
        assert!(log.contains("\"passed_to\":\"other\"") && log.contains("\"taken_by\":\"other\""), "{wire}: {log}");
    }
}

#[test]
fn a_fork_is_held_to_its_own_limit() {
    let stub = Stub::start(Temper::Wordy.script()).unwrap();
    let project = theater("anthropic", &stub.url(), "2.00", false);
    let first = run(&project);
    assert_eq!(first.code, 0, "{}", first.all());
    let before = stub.totals().tokens.cost(&PRICE);
    let args =
        ["fork", "--from-round", "1", "--set", "theater.score_threshold=8.5", "--set", "limits.usd=0.20", "--yes"];
    let forked = Output::of(project.command(&args).env("TEAM_KEY", "k").spawn().unwrap());
    let spent = stub.totals().tokens.cost(&PRICE) - before;
    assert!(spent <= 200_000, "{spent}: {}", forked.all());
    assert!(spent > 0 && matches!(forked.code, 0 | 1 | 3), "{spent}: {}", forked.all());
}

#[test]
fn numbers_without_measure_are_counted_and_break_nothing() {
    for (tokens, name) in
        [("18446744073709551615", "all that fits"), ("9e99", "more than fits"), ("-5", "less than none")]
    {
        let project = Project::with_answers("description", 1, &["done a", "ok"]);
        let usage = format!(
            "{{\"usage\": {{\"input_tokens\": {tokens}, \"output_tokens\": {tokens}, \"cached_tokens\": {tokens}, \"usd\": 1e300}}}}"
        );
        for seat in ["creator.1", "reviewer.1"] {
            let answer = project.read(&format!("answers/{seat}"));
            project.write(&format!("answers/{seat}"), &format!("{answer}\n{usage}"));
        }
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        for command in [&["status"][..], &["status", "description"], &["status", "--json"], &["plan"], &["log"]] {
            let output = project.tribunal(command);
            assert_eq!(output.code, 0, "{name}, {command:?}: {}", output.all());
            assert!(!output.stderr.contains("panicked"), "{name}: {}", output.all());
        }
    }
}

/// The commands that ask models outside of a run.
const OUTSIDE: [&[&str]; 3] = [
    &["agents", "doctor", "--ping"],
    &["agents", "controls", "model"],
    &["check", "a.md", "b.md", "c.md", "--anchor", "anchor.toml", "--semantic"],
];

/// Three texts, and an anchor with a rule that needs an opinion.
fn checked(provider: &str, url: &str, limit: &str) -> Project {
    let project = Project::bare();
    let agent = agent(provider, url, false);
    project.write(
        "tribunal.toml",
        &format!(
            "[joust]\nlinters = [\"linter\"]\nquorum = 1\n[limits]\n{limit}\n{agent}[seats.linter]\nagent = \"model\"\n"
        ),
    );
    project.write("anchor.toml", "kind = \"invariants\"\nMUST = [\"sound friendly\", \"be about bread\"]\n");
    for file in ["a.md", "b.md", "c.md"] {
        project.write(file, "Bread.\n");
    }
    project
}

#[test]
fn calls_outside_of_a_run_share_one_limit() {
    for wire in WIRES {
        for args in OUTSIDE {
            for temper in [Temper::Endless, Temper::Useless] {
                let stub = Stub::start(temper.script()).unwrap();
                let project = checked(wire, &stub.url(), "usd = 0.05");
                let output = tribunal(&project, args);
                let (totals, spent) = (stub.totals(), stub.totals().tokens.cost(&PRICE));
                assert!(totals.calls > 0, "{wire} {args:?}: somebody is asked: {}", output.all());
                assert!(spent <= 50_000, "{wire} {args:?}: ${:.4}: {}", spent as f64 / 1e6, output.all());
                assert!(!output.all().contains("tribunal resume"), "there is no run: {}", output.all());
            }
        }
    }
}

#[test]
fn a_command_that_has_spent_its_limit_says_so() {
    let stub = Stub::start(Temper::Useless.script()).unwrap();
    let project = checked("anthropic", &stub.url(), "usd = 0.05");
    let output = tribunal(&project, &["agents", "controls", "model"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.all().contains("--set limits.usd=5") && stub.totals().calls > 0, "{}", output.all());
    let calls = stub.totals().calls;
    let again = tribunal(&project, &["agents", "controls", "model", "--set", "limits.usd=0.001"]);
    assert_eq!((again.code, stub.totals().calls), (4, calls), "nobody is asked: {}", again.all());
    assert!(again.stdout.contains("the next call could bring this command to"), "{}", again.all());
}

#[test]
fn a_ping_asks_for_a_word() {
    for (wire, limit) in WIRES.into_iter().zip(["usd = 0.05", "", "", "tokens = 5000"]) {
        let stub = Stub::start(Temper::Endless.script()).unwrap();
        let project = checked(wire, &stub.url(), limit);
        let output = tribunal(&project, &["agents", "doctor", "--ping"]);
        assert_eq!(stub.totals().calls, 1, "{wire}: {}", output.all());
        let told = stub.totals().tokens.output;
        assert!(told <= 512, "{wire}: {told} tokens: {}", output.all());
        assert!(output.stdout.contains("ping: answered after"), "{wire}: it is there: {}", output.all());
    }
}

#[test]
fn a_price_that_nobody_knows_is_refused_outside_of_a_run_too() {
    for args in OUTSIDE {
        let stub = Stub::start(Temper::Useless.script()).unwrap();
        let project = checked("openai", &stub.url(), "usd = 0.05");
        let toml = project.read("tribunal.toml").replace("model = \"greedy\"", "model = \"nobody-knows\"");
        project.write("tribunal.toml", &toml);
        let refused = tribunal(&project, args);
        assert_ne!(refused.code, 0, "{args:?}: {}", refused.all());
        assert!(refused.all().contains("is not known, so `limits.usd` cannot hold"), "{args:?}: {}", refused.all());
        assert_eq!(stub.totals().calls, 0, "{args:?}: {}", refused.all());
        let allowed = tribunal(&project, &[args, &["--set", "limits.unpriced=allow"]].concat());
        assert!(stub.totals().calls > 0, "{args:?}: {}", allowed.all());
    }
}
