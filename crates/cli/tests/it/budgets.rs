//! Money: a limit holds before the call that would break it, for everybody who shares it.

use crate::support::Project;
use serde_json::Value;

/// A panel whose every call costs ten cents; the model's price makes the first call known to cost that much, too.
fn theater(limit: &str) -> Project {
    let agent = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_ROUND" >> "calls/$TRIBUNAL_SEAT"
case "$TRIBUNAL_SEAT" in
  designer) printf '{"artifact": {"mime": "text/html", "content": "<h1>v%s</h1>"}, "usage": {"input_tokens": 9, "usd": 0.1}}' "$TRIBUNAL_ROUND" ;;
  *) echo '{"score": 4, "must_fix": ["Darken it."], "usage": {"input_tokens": 9, "usd": 0.1}}' ;;
esac
"#;
    let project = Project::theater("seats", agent, "");
    let toml = project.read("tribunal.toml");
    let toml = toml.replace("command = [\"./agent.sh\"]", "command = [\"./agent.sh\"]\nreserve_usd = 0.1");
    project.write("tribunal.toml", &format!("{toml}usd = {limit}\n"));
    project
}

fn spent(project: &Project) -> (u64, usize) {
    let runs = project.json(&["status", "--json"]);
    let spent = runs["runs"].as_array().unwrap().iter().map(|run| run["usd_micros"].as_u64().unwrap()).sum();
    let seats = ["designer", "critic", "brand", "a11y", "copy"];
    (spent, seats.iter().map(|seat| project.calls(seat)).sum())
}

#[test]
fn a_limit_holds_with_judges_that_work_at_once() {
    for (limit, calls) in [("0.05", 0), ("0.10", 1), ("0.25", 2), ("0.55", 5), ("0.79", 7), ("1.20", 12)] {
        let project = theater(limit);
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 3, "{limit}: {}", output.all());
        assert_eq!(spent(&project), (calls * 100_000, usize::try_from(calls).unwrap()), "{limit}: {}", output.all());
        assert_eq!(project.tribunal(&["verify"]).code, 0);
    }
}

#[test]
fn a_price_and_a_prompt_are_enough_to_know_what_a_call_may_cost() {
    let project = theater("0.02");
    let toml = project.read("tribunal.toml").replace("reserve_usd = 0.1", "model = \"opus\"");
    project.write("tribunal.toml", &toml);
    let output = project.tribunal(&["run"]);
    assert_eq!((output.code, spent(&project).1), (3, 0), "{}", output.all());
    assert!(output.stdout.contains("over_budget (the next call could bring the run to"), "{}", output.all());
}

#[test]
fn what_nobody_reports_is_estimated_and_says_so() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    let toml = project.read("tribunal.toml");
    let toml = toml.replace("command = [\"./creator.sh\"]", "command = [\"./creator.sh\"]\nmodel = \"haiku\"");
    project.write("tribunal.toml", &toml);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let detail = project.json(&["status", "description", "--json"]);
    let of = |seat: &str| {
        detail["spending"].as_array().unwrap().iter().find(|share| share["seat"] == seat).cloned().unwrap()
    };
    assert_eq!((&of("creator")["estimated"], &of("creator")["model"]), (&Value::from(true), &Value::from("haiku")));
    assert!(of("creator")["usd"].as_u64().is_some_and(|usd| usd > 0), "{detail}");
    assert_eq!(of("reviewer")["input_tokens"], 0, "a program without a model costs nothing");
    let status = project.tribunal(&["status", "description"]);
    assert!(status.stdout.contains(", estimated"), "{}", status.all());
}

#[test]
fn runs_that_a_turn_starts_spend_from_the_same_account() {
    // The designer asks two panels of its own, at the same time, before it answers.
    let inner = theater("9.00");
    let outer = theater("0.75");
    let binary = env!("CARGO_BIN_EXE_tribunal");
    let inside = inner.path("").display().to_string();
    let agent = outer.read("agent.sh").replace(
        "case \"$TRIBUNAL_SEAT\" in",
        &format!(
            "if [ \"$TRIBUNAL_SEAT\" = designer ]; then\n  {binary} -C {inside} --set theater.artifact=one run > one.txt 2>&1 &\n  \
             {binary} -C {inside} --set theater.artifact=two run > two.txt 2>&1 &\n  wait\nfi\ncase \"$TRIBUNAL_SEAT\" in"
        ),
    );
    outer.agent("agent.sh", &agent);
    let output = outer.tribunal(&["run"]);
    assert_eq!(output.code, 3, "{}", output.all());
    let (mine, theirs) = (spent(&outer), spent(&inner));
    let sum = mine.0 + theirs.0;
    let told = || format!("{mine:?} {theirs:?}\n{}{}{}", output.all(), outer.read("one.txt"), outer.read("two.txt"));
    assert!(theirs.1 >= 4, "the children did something: {}", told());
    assert!((600_000..=750_000).contains(&sum), "{sum}: {}", told());
    assert!(
        outer.read("one.txt").contains("over_budget") && outer.read("two.txt").contains("over_budget"),
        "{}",
        told()
    );
}

#[test]
fn a_limit_that_cannot_hold_is_refused() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    project.agent("codex.sh", "#!/bin/sh\ncat > /dev/null\necho x >> calls/creator\nexit 1\n");
    let toml = project.read("tribunal.toml");
    let codex = "kind = \"codex\"\ncommand = [\"./codex.sh\"]";
    let toml = toml.replace("kind = \"command\"\ncommand = [\"./creator.sh\"]", codex) + "usd = 1.00\n";
    for (name, toml, hint) in [
        ("no model", toml.clone(), "hint: set `agents.writer.model`, `agents.writer.reserve_usd`, or"),
        (
            "a model that nobody lists",
            toml.replace(codex, &format!("{codex}\nmodel = \"gpt-5-giga\"")),
            "hint: set `[prices.gpt-5-giga]`, `agents.writer.reserve_usd`, or `limits.unpriced = \"allow\"`",
        ),
    ] {
        project.write("tribunal.toml", &toml);
        let output = project.tribunal(&["run"]);
        assert_eq!((output.code, project.calls("creator")), (2, 0), "{name}: {}", output.all());
        assert!(output.stderr.contains("the price of creator is not known"), "{name}: {}", output.all());
        assert!(output.stderr.contains(hint), "{name}: {}", output.all());
        assert!(project.list(".tribunal/runs").is_empty(), "{name}: nothing is begun");
    }
    let plan = project.tribunal(&["plan"]);
    assert!(plan.stdout.contains("the run can exceed its limit by one of its turns"), "{}", plan.all());
    for (name, toml) in [
        ("a model with a price", toml.replace(codex, &format!("{codex}\nmodel = \"gpt-5\""))),
        ("a reserve", toml.replace(codex, &format!("{codex}\nreserve_usd = 0.2"))),
        ("allowed", format!("{toml}unpriced = \"allow\"\n")),
        ("no limit", toml.replace("usd = 1.00\n", "")),
    ] {
        project.write("tribunal.toml", &toml);
        let output = project.tribunal(&["run"]);
        assert_ne!(output.code, 2, "{name}: {}", output.all());
        assert!(project.calls("creator") > 0, "{name}: {}", output.all());
        std::fs::remove_dir_all(project.path(".tribunal")).unwrap();
        std::fs::remove_file(project.path("calls/creator")).unwrap();
    }
}

#[test]
fn the_dearest_call_of_an_agent_is_set_aside_for_its_next_one() {
    // A program that says what it took: nobody can tell it when to stop, and its first call is a surprise.
    let project = theater("0.35");
    project.write("tribunal.toml", &project.read("tribunal.toml").replace("reserve_usd = 0.1", "reserve_usd = 0.01"));
    let output = project.tribunal(&["run"]);
    // One designer, then judges: the first of these is asked with what the designer took in mind, in another seat.
    assert_eq!((output.code, spent(&project)), (3, (300_000, 3)), "{}", output.all());
}

#[test]
fn what_comes_out_of_init_has_a_limit_and_runs() {
    for kind in ["review", "joust", "theater", "desk"] {
        let project = Project::bare();
        let output = project.tribunal(&["init", "--loop", kind, "--examples"]);
        assert_eq!(output.code, 0, "{kind}: {}", output.all());
        assert!(project.read("tribunal.toml").contains("\nusd "), "{kind}");
        let limits = project.tribunal(&["config"]);
        assert!(limits.stdout.contains("limits.usd "), "{kind}: {}", limits.all());
    }
}

#[test]
fn prices_are_shown_with_where_they_come_from_and_a_newer_list_is_read() {
    let project = Project::bare();
    project.write("tribunal.toml", "[prices.own]\ninput = 1\noutput = 2\n");
    let home = project.path("home");
    let prices = |args: &[&str]| {
        let mut command = project.command(args);
        crate::support::Output::of(command.env("XDG_CONFIG_HOME", &home).spawn().unwrap())
    };
    let own = prices(&["prices", "own"]);
    assert!(
        own.stdout.contains("own: input $1.00, output $2.00") && own.stdout.contains("tribunal.toml"),
        "{}",
        own.all()
    );
    let listed: Value = serde_json::from_str(&prices(&["prices", "gpt-5-nano", "--json"]).stdout).unwrap();
    assert_eq!((&listed["input"], &listed["source"]["kind"]), (&Value::from("0.05"), &Value::from("built_in")));
    let unknown = prices(&["prices", "gpt-5-giga"]);
    assert_eq!(unknown.code, 2, "{}", unknown.all());
    assert!(unknown.stderr.contains("the price of `gpt-5-giga` is not known"), "{}", unknown.all());
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/prices/models-dev-2026-09-30.json");
    let update = prices(&["prices", "update", list, "--as-of", "2026-01-31", "--source", "an old list"]);
    assert_eq!(update.code, 0, "{}", update.all());
    assert!(home.join("tribunal/prices.toml").is_file(), "{}", update.all());
    let newer = prices(&["prices", "gpt-5-nano"]);
    assert!(newer.stdout.contains("an old list, as of 2026-01-31"), "{}", newer.all());
    assert!(newer.stderr.contains("days old"), "the age is said: {}", newer.all());
    let at_bedrock = prices(&["prices", "--provider", "bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"]);
    assert!(at_bedrock.stdout.contains("input $3.30"), "what the user's list lacks is built in: {}", at_bedrock.all());
    let tables: Value = serde_json::from_str(&prices(&["prices", "--json"]).stdout).unwrap();
    assert_eq!(tables["tables"].as_array().map(Vec::len), Some(2), "{tables}");
    let pipe = project.path("pipe.json").display().to_string();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for args in [
        &["prices", "update", "tribunal.toml"][..],
        &["prices", "update", list, "--as-of", "soon"],
        &["prices", "update", list, "--as-of", "2026-02-31"],
        &["prices", "update", list, "--as-of", "2999-01-01"],
        &["prices", "update", &pipe, "--as-of", "2026-01-31"],
        &["prices", "update", "/dev/zero", "--as-of", "2026-01-31"],
    ] {
        assert_eq!(prices(args).code, 2, "{args:?}");
    }
    let odd = r#"{"gpt\nx": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6}, "gpt-y": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6}}"#;
    project.write("odd.json", odd);
    let odd = prices(&["prices", "update", &project.path("odd.json").display().to_string(), "--as-of", "2026-01-31"]);
    assert!(odd.code == 0 && odd.stdout.starts_with("1 prices"), "{}", odd.all());
    assert_eq!(prices(&["prices", "gpt-y"]).code, 0, "what was written is read");
    let to = project.path("table.toml").display().to_string();
    assert_eq!(prices(&["prices", "update", list, "--as-of", "2026-09-30", "--output", &to]).code, 0);
    std::fs::write(home.join("tribunal/prices.toml"), "nonsense").unwrap();
    assert_eq!(prices(&["plan"]).code, 2, "a table that cannot be read is not ignored");
}

#[test]
fn a_turn_during_which_the_account_broke_is_kept_and_not_paid_twice() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    let toml = project.read("tribunal.toml");
    project.write("tribunal.toml", &format!("{toml}usd = 1.0\n"));
    let script = project.read("creator.sh");
    let breaks = script.replacen('\n', "\n[ -e calls/repaired ] || : > \"$TRIBUNAL_ACCOUNT\"\n", 1);
    project.agent("creator.sh", &breaks);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 4, "nobody spends from it: {}", output.all());
    assert_eq!((project.calls("creator"), project.calls("reviewer")), (1, 0), "{}", output.all());
    assert!(project.tribunal(&["log"]).stdout.contains("creator"), "{}", project.tribunal(&["log"]).all());
    let account = project.list(".tribunal/runs").into_iter().find(|name| name.ends_with("account.json")).unwrap();
    std::fs::remove_file(project.path(&account)).unwrap();
    project.write("calls/repaired", "");
    let output = project.tribunal(&["resume"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!((project.calls("creator"), project.calls("reviewer")), (1, 1), "{}", output.all());
}
