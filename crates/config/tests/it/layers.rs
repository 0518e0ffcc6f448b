//! Precedence, aliases, the environment, and where values come from.

use std::{path::Path, time::Duration};

use insta::assert_snapshot;
use tribunal_config::{AgentKind, Sources, TurnLimits, UsdAmount};
use tribunal_kernel::LoopKind;

use crate::{With as _, listing, loaded, project, setting};

#[test]
fn the_stronger_source_wins() {
    const USER: u8 = 1;
    const PROJECT: u8 = 2;
    const ENV: u8 = 4;
    const FLAG: u8 = 8;
    for present in 0..16_u8 {
        let has = |source: u8| present & source != 0;
        let mut sources = project(if has(PROJECT) { "[limits]\nturn = '2s'\n" } else { "" });
        if has(USER) {
            sources = sources.user("[limits]\nturn = '1s'\n");
        }
        if has(ENV) {
            sources = sources.env("TRIBUNAL_LIMITS_TURN", "3s");
        }
        if has(FLAG) {
            sources = sources.flag("limits.turn", "4s");
        }
        let expected = match present {
            _ if has(FLAG) => "4s (flag --set)",
            _ if has(ENV) => "3s (env TRIBUNAL_LIMITS_TURN)",
            _ if has(PROJECT) => "2s (tribunal.toml:2)",
            _ if has(USER) => "1s (user config /home/me/.config/tribunal/config.toml:2)",
            _ => "10m (default)",
        };
        assert_eq!(setting(&loaded(&sources), "limits.turn").as_deref(), Some(expected), "sources {present:04b}");
    }
}

#[test]
fn a_whole_configuration() {
    let text = r#"
[run]
loop  = "theater"
brief = "brief.md"

[agents.writer]
kind  = "claude"
model = "opus"
[agents.local]
kind    = "command"
command = ["./agent.sh", "--fast"]
turn    = "1h30m"
[agents.api]
kind = "http"
provider = "openai"
base_url = "http://127.0.0.1:8080/v1"
api_key = "$OPENAI_API_KEY"
reserve_usd = 0.05

[seats.designer]
agent = "writer"
[seats.critic]
agent = "local"
model = "small"

[limits]
usd = 2.00
tokens = 500_000
wall = "10m"
output = 0x1000
"#;
    let loaded = loaded(&project(text));
    assert_snapshot!(listing(&loaded), @r#"
    run.loop = theater (tribunal.toml:3)
    run.brief = brief.md (tribunal.toml:4)
    agents.api.kind = http (tribunal.toml:14)
    agents.api.provider = openai (tribunal.toml:15)
    agents.api.base_url = http://127.0.0.1:8080/v1 (tribunal.toml:16)
    agents.api.api_key = $OPENAI_API_KEY (tribunal.toml:17)
    agents.api.reserve_usd = 0.05 (tribunal.toml:18)
    agents.local.kind = command (tribunal.toml:10)
    agents.local.command = ["./agent.sh", "--fast"] (tribunal.toml:11)
    agents.local.turn = 1h30m (tribunal.toml:12)
    agents.writer.kind = claude (tribunal.toml:7)
    agents.writer.model = opus (tribunal.toml:8)
    seats.critic.agent = local (tribunal.toml:23)
    seats.critic.model = small (tribunal.toml:24)
    seats.designer.agent = writer (tribunal.toml:21)
    limits.usd = 2.00 (tribunal.toml:27)
    limits.tokens = 500000 (tribunal.toml:28)
    limits.wall = 10m (tribunal.toml:29)
    limits.output = 4KiB (tribunal.toml:30)
    "#);
    let config = &loaded.config;
    assert_eq!(config.run.r#loop, LoopKind::Theater);
    assert_eq!(config.run.brief.as_ref().unwrap().path().as_deref(), Some(Path::new("/proj/brief.md")));
    assert_eq!(config.run.workspace, Path::new("/proj"));
    assert_eq!(config.limits.usd, Some(UsdAmount::from_micros(2_000_000)));
    assert_eq!(config.limits.wall, Some(Duration::from_secs(600)));
    assert_eq!(config.agent_in("critic").map(|(name, agent)| (name, agent.kind)), Some(("local", AgentKind::Command)));
    assert_eq!((config.model_in("critic"), config.model_in("designer")), (Some("small"), Some("opus")));
    let (turn, idle) = (Duration::from_secs(5400), Duration::from_secs(120));
    assert_eq!(config.turn_limits("local"), TurnLimits { turn, idle, output: 4096 });
    assert_eq!(loaded.dir, Path::new("/proj"));
    assert!(loaded.notes.is_empty());
}

#[test]
fn agents_are_merged_key_by_key() {
    let sources = project("[agents.writer]\nmodel = 'opus'\n")
        .user("[agents.writer]\nkind = 'claude'\nmodel = 'haiku'\n[agents.mine]\nkind = 'house'\n")
        .env("TRIBUNAL_AGENTS_WRITER_IDLE", "5m")
        .flag("agents.writer.turn", "1h");
    assert_snapshot!(listing(&loaded(&sources)), @"
    agents.mine.kind = house (user config /home/me/.config/tribunal/config.toml:5)
    agents.writer.kind = claude (user config /home/me/.config/tribunal/config.toml:2)
    agents.writer.model = opus (tribunal.toml:2)
    agents.writer.turn = 1h (flag --set)
    agents.writer.idle = 5m (env TRIBUNAL_AGENTS_WRITER_IDLE)
    ");
}

#[test]
fn a_flag_can_make_an_agent_and_a_variable_can_change_it() {
    let sources = Sources::default()
        .flag("agents.quick-one.kind", "command")
        .flag("seats.critic.agent", "quick-one")
        .env("TRIBUNAL_AGENTS_QUICK_ONE_COMMAND", "./agent.sh --fast")
        .env("TRIBUNAL_SEATS_CRITIC_MODEL", "small");
    assert_snapshot!(listing(&loaded(&sources)), @r#"
    agents.quick-one.kind = command (flag --set)
    agents.quick-one.command = ["./agent.sh", "--fast"] (env TRIBUNAL_AGENTS_QUICK_ONE_COMMAND)
    seats.critic.agent = quick-one (flag --set)
    seats.critic.model = small (env TRIBUNAL_SEATS_CRITIC_MODEL)
    "#);
}

#[test]
fn a_variable_makes_no_agent() {
    let loaded = loaded(&Sources::default().env("TRIBUNAL_AGENTS_WRITER_KIND", "claude"));
    assert!(loaded.config.agents.is_empty());
    assert_snapshot!(loaded.notes.join("\n"), @"`TRIBUNAL_AGENTS_WRITER_KIND` is not a known setting and is ignored");
}

#[test]
fn variables_that_are_no_settings_are_left_alone() {
    let mut sources = Sources::default().env("TRIBUNAL_LIMITS_USD", "").env("HOME", "/home/me");
    for name in tribunal_config::RESERVED {
        sources = sources.env(name, "x");
    }
    let loaded = loaded(&sources);
    assert_eq!((listing(&loaded), loaded.notes), (String::new(), Vec::new()));
}

#[test]
fn aliases_are_the_same_setting() {
    for (row, sources, key, expected) in [
        ("top level", project("workspace = 'w'"), "run.workspace", "/proj/w (tribunal.toml:1)"),
        ("in review", project("[review]\nworkspace = 'w'"), "run.workspace", "/proj/w (tribunal.toml:2)"),
        ("retries", project("[review]\nmax_retries = 5"), "run.max_retries", "5 (tribunal.toml:2)"),
        (
            "same value twice",
            project("workspace = 'w'\n[run]\nworkspace = './w'"),
            "run.workspace",
            "/proj/w (tribunal.toml:3)",
        ),
        (
            "alias in a variable",
            project("[run]\nworkspace = 'w'").env("TRIBUNAL_WORKSPACE", "/v"),
            "run.workspace",
            "/v (env TRIBUNAL_WORKSPACE)",
        ),
        (
            "alias in a flag over the key in a file",
            project("[run]\nmax_retries = 1").flag("review.max_retries", "0"),
            "run.max_retries",
            "0 (flag --set)",
        ),
        (
            "key in a flag over the alias in a variable",
            project("").env("TRIBUNAL_REVIEW_MAX_RETRIES", "1").flag("run.max_retries", "3"),
            "run.max_retries",
            "3 (flag --set)",
        ),
    ] {
        assert_eq!(setting(&loaded(&sources), key).as_deref(), Some(expected), "{row}");
    }
}

#[test]
fn of_a_repeated_flag_the_last_counts() {
    let sources = project("").flag("limits.usd", "1").flag("limits.usd", "2");
    assert_eq!(setting(&loaded(&sources), "limits.usd").as_deref(), Some("2.00 (flag --set)"));
}

#[test]
fn asset_and_assets_replace_each_other_across_sources() {
    let one = project("[review]\nassets = ['slug', 'title_seo']").flag("review.asset", "description");
    assert_eq!(loaded(&one).config.review.assets, ["description"]);
    assert_snapshot!(listing(&loaded(&one)), @"review.asset = description (flag --set)");
    let many = project("[review]\nasset = 'description'").env("TRIBUNAL_REVIEW_ASSETS", "slug,title_seo");
    assert_eq!(loaded(&many).config.review.assets, ["slug", "title_seo"]);
    assert_snapshot!(listing(&loaded(&many)), @r#"review.assets = ["slug", "title_seo"] (env TRIBUNAL_REVIEW_ASSETS)"#);
}

#[test]
fn a_relative_path_starts_from_its_source() {
    let mut sources = project("[agents.a]\nkind = 'house'\ncwd = 'p'\n")
        .user("[agents.b]\nkind = 'house'\ncwd = 'u'\n")
        .flag("agents.c.kind", "house")
        .flag("agents.c.cwd", "f")
        .env("TRIBUNAL_RUN_BRIEF", "brief.md");
    sources.cwd = "/proj/deep/down".into();
    let loaded = loaded(&sources);
    assert_snapshot!(listing(&loaded), @"
    run.brief = brief.md (env TRIBUNAL_RUN_BRIEF)
    agents.a.kind = house (/proj/tribunal.toml:2)
    agents.a.cwd = /proj/p (/proj/tribunal.toml:3)
    agents.b.kind = house (user config /home/me/.config/tribunal/config.toml:2)
    agents.b.cwd = /home/me/.config/tribunal/u (user config /home/me/.config/tribunal/config.toml:3)
    agents.c.kind = house (flag --set)
    agents.c.cwd = /proj/deep/down/f (flag --set)
    ");
    assert_eq!(loaded.config.run.workspace, Path::new("/proj"));
    assert_eq!(loaded.config.run.brief.unwrap().base, Path::new("/proj/deep/down"));
    assert_eq!(loaded.dir, Path::new("/proj"));
}

#[test]
fn all_forms_of_money_durations_and_sizes() {
    for (row, text, key, expected) in [
        ("integer", "[limits]\nusd = 2", "limits.usd", "2.00"),
        ("float", "[limits]\nusd = 0.1", "limits.usd", "0.10"),
        ("string", "[limits]\nusd = '0.000001'", "limits.usd", "0.000001"),
        ("grouped", "[limits]\nusd = 1_000.5", "limits.usd", "1000.50"),
        ("seconds", "[limits]\nturn = 90", "limits.turn", "1m30s"),
        ("seconds as text", "[limits]\nturn = '90'", "limits.turn", "1m30s"),
        ("units", "[limits]\nturn = '1h30m'", "limits.turn", "1h30m"),
        ("bytes", "[limits]\noutput = 65536", "limits.output", "64KiB"),
        ("binary units", "[limits]\noutput = '8MiB'", "limits.output", "8MiB"),
        ("decimal units", "[limits]\noutput = '1MB'", "limits.output", "1000000B"),
        ("grouped integer", "[limits]\ntokens = 500_000", "limits.tokens", "500000"),
    ] {
        let loaded = loaded(&project(text));
        assert_eq!(setting(&loaded, key), Some(format!("{expected} (tribunal.toml:2)")), "{row}");
    }
}

#[test]
fn files_from_other_systems_are_read() {
    let loaded = loaded(&project("\u{feff}# café\r\n[limits]\r\nusd = 2\r\n"));
    assert_eq!(setting(&loaded, "limits.usd").as_deref(), Some("2.00 (tribunal.toml:3)"));
}

#[test]
fn how_few_faults_are_few_is_a_number() {
    let config = |toml: &str| loaded(&project(toml)).config;
    assert_eq!(config("").limits.stop_when_left, None, "nothing stops for that unasked");
    let few = config("[limits]\nstop_when_left = 0.5\n").limits.stop_when_left;
    assert_eq!(few.map(|few| few.to_string()).as_deref(), Some("0.5"));
}

#[test]
fn origins_as_data() {
    let sources = project("[limits]\nusd = 2\n")
        .user("\n  [limits]\n  tokens = 5\n")
        .env("TRIBUNAL_LIMITS_ROUNDS", "3")
        .flag("limits.wall", "1h");
    let settings = loaded(&sources).settings;
    let lines: Vec<String> = settings
        .iter()
        .filter(|setting| setting.key.starts_with("limits."))
        .map(|setting| serde_json::to_string(setting).unwrap())
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    {"key":"limits.usd","value":"2.00","origin":{"from":"project","file":"tribunal.toml","line":2,"column":1}}
    {"key":"limits.tokens","value":"5","origin":{"from":"user","file":"/home/me/.config/tribunal/config.toml","line":3,"column":3}}
    {"key":"limits.wall","value":"1h","origin":{"from":"flag","key":"limits.wall"}}
    {"key":"limits.rounds","value":"3","origin":{"from":"env","variable":"TRIBUNAL_LIMITS_ROUNDS"}}
    {"key":"limits.turn","value":"10m","origin":{"from":"default"}}
    {"key":"limits.idle","value":"2m","origin":{"from":"default"}}
    {"key":"limits.grace","value":"2s","origin":{"from":"default"}}
    {"key":"limits.output","value":"8MiB","origin":{"from":"default"}}
    {"key":"limits.unpriced","value":"refuse","origin":{"from":"default"}}
    "#);
}
