//! Every kind of mistake, with the full text that the user sees.

use insta::assert_snapshot;

use crate::{With as _, project, report};

#[test]
fn syntax() {
    assert_snapshot!(report(&project("[run\nloop = \"review\"\n")), @"tribunal.toml:1:5: not valid TOML: unclosed table, expected `]`");
    assert_snapshot!(report(&project("[limits]\nusd = 2.00.1\n\n[review]\nasset = 'slug\n")), @"
    tribunal.toml:2:11: not valid TOML: invalid float, expected nothing
    tribunal.toml:5:14: not valid TOML: invalid literal string, expected `'`
    ");
    assert_snapshot!(report(&project("[limits]\nusd = 2\nusd = 3\n")), @"tribunal.toml:3:1: not valid TOML: duplicate key");
    assert_snapshot!(report(&project("[limits]\nusd = 2\n[limits]\nwall = 3\n")), @"tribunal.toml:3:2: not valid TOML: duplicate key");
}

#[test]
fn a_file_that_does_not_parse_hides_nothing_of_the_others_and_invents_no_mistakes() {
    let sources =
        project("[agents.writer\nkind = 'claude'\n").flag("seats.critic.agent", "writer").flag("limits.usdd", "2");
    assert_snapshot!(report(&sources), @"
    tribunal.toml:1:15: not valid TOML: unclosed table, expected `]`
    --set limits.usdd: unknown key `limits.usdd`
      hint: did you mean `limits.usd`?
    ");
}

#[test]
fn unknown_keys() {
    let text = "
workspce = '.'
loop = 'review'
[limits]
usdd = 2
xyz = 3
[limit]
usd = 2
anything = 'else'
[database]
url = 'postgres://'
[agents.writer]
kind = 'claude'
modle = 'opus'
[review]
iterations = 3
workspaces = '.'
";
    assert_snapshot!(report(&project(text)), @r"
    tribunal.toml:2:1: unknown key `workspce`
      hint: did you mean `run.workspace`?
    tribunal.toml:3:1: unknown key `loop`
      hint: did you mean `run.loop`?
    tribunal.toml:5:1: unknown key `limits.usdd`
      hint: did you mean `limits.usd`?
    tribunal.toml:6:1: unknown key `limits.xyz`
      hint: known here: usd, tokens, wall, rounds, stop_when_left, turn, idle, grace, output, unpriced
    tribunal.toml:7:2: unknown key `limit`
      hint: did you mean `limits`?
    tribunal.toml:10:2: unknown key `database`
      hint: known here: run, agents, seats, prices, limits, controls, notify, proof, waive, checks, copy, review, theater, joust, desk, judge
    tribunal.toml:14:1: unknown key `agents.writer.modle`
      hint: did you mean `agents.writer.model`?
    tribunal.toml:16:1: unknown key `review.iterations`
      hint: did you mean `review.max_iterations`?
    tribunal.toml:17:1: unknown key `review.workspaces`
      hint: did you mean `run.workspace`?
    ");
}

#[test]
fn a_misspelt_key_is_not_reported_as_missing_too() {
    assert_snapshot!(report(&project("[agents.writer]\nknd = 'claude'\n")), @"
    tribunal.toml:2:1: unknown key `agents.writer.knd`
      hint: did you mean `agents.writer.kind`?
    ");
}

#[test]
fn a_quoted_path_is_not_the_key() {
    assert_snapshot!(report(&project("\"limits.usd\" = 2\n[limits]\n\"u\\u001bd\" = 2\n\"\" = 1")), @r#"
    tribunal.toml:1:1: unknown key `"limits.usd"`
      hint: did you mean `limits.usd`?
    tribunal.toml:3:1: unknown key `limits."u\u{1b}d"`
      hint: did you mean `limits.usd`?
    tribunal.toml:4:1: unknown key `limits.""`
      hint: known here: usd, tokens, wall, rounds, stop_when_left, turn, idle, grace, output, unpriced
    "#);
}

#[test]
fn unknown_flags() {
    let sources = project("").flag("limit.usd", "2").flag("rounds", "3").flag("database.url", "x").flag("", "x");
    assert_snapshot!(report(&sources), @r#"
    --set limit.usd: unknown key `limit.usd`
      hint: did you mean `limits.usd`?
    --set rounds: unknown key `rounds`
      hint: did you mean `limits.rounds`?
    --set database.url: unknown key `database.url`
      hint: did you mean `notify.url`?
    --set : unknown key `""`
      hint: known here: run, agents, seats, prices, limits, controls, notify, proof, waive, checks, copy, review, theater, joust, desk, judge
    "#);
}

#[test]
fn unknown_variables_are_only_noted() {
    let sources = project("").env("TRIBUNAL_LIMIT_USD", "2").env("TRIBUNAL_WHATEVER", "x").env("PATH", "/bin");
    assert_snapshot!(report(&sources), @r#"loaded, notes: ["`TRIBUNAL_LIMIT_USD` is not a known setting and is ignored; did you mean `TRIBUNAL_LIMITS_USD`?", "`TRIBUNAL_WHATEVER` is not a known setting and is ignored"]"#);
}

#[test]
fn invalid_values() {
    let text = r#"
[run]
loop = "reviw"
brief = "  "
max_retries = 11

[limits]
usd = -1.5
tokens = 1.5
wall = "10 minutes"
rounds = 0
turn = 0
idle = 1979-05-27
grace = true
output = "512B"

[review]
asset = "Title"
max_iterations = "3"
stop_on_needs_human = "yes"
"#;
    assert_snapshot!(report(&project(text)), @r#"
    tribunal.toml:3:1: `run.loop` is `"reviw"`, expected `review`, `theater`, `joust`, `desk` or `judge`
      hint: did you mean `review`?
    tribunal.toml:4:1: `run.brief` is `"  "`, expected a text, or the path of a file
    tribunal.toml:5:1: `run.max_retries` is `11`, expected a whole number from 0 to 10
    tribunal.toml:8:1: `limits.usd` is `-1.5`, expected an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50`
    tribunal.toml:9:1: `limits.tokens` is `1.5`, expected a whole number from 0 to 1000000000000
    tribunal.toml:10:1: `limits.wall` is `"10 minutes"`, expected a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d
    tribunal.toml:11:1: `limits.rounds` is `0`, expected a whole number from 1 to 1000
    tribunal.toml:12:1: `limits.turn` is `0`, expected a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d
    tribunal.toml:13:1: `limits.idle` is `1979-05-27`, expected a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d
    tribunal.toml:14:1: `limits.grace` is `true`, expected a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d
    tribunal.toml:15:1: `limits.output` is `"512B"`, expected a size such as `64KiB` or `8MiB`, from 1KiB to 1GiB
    tribunal.toml:18:1: `review.asset` is `"Title"`, expected a name such as `title_seo`: lower-case letters, digits and `_`, starting with a letter
    tribunal.toml:19:1: `review.max_iterations` is `"3"`, expected a whole number from 1 to 1000
    tribunal.toml:20:1: `review.stop_on_needs_human` is `"yes"`, expected `true` or `false`
    "#);
}

#[test]
fn invalid_values_in_flags_and_variables() {
    let sources = project("")
        .env("TRIBUNAL_LIMITS_USD", "a lot")
        .env("TRIBUNAL_REVIEW_STOP_ON_NEEDS_HUMAN", "1")
        .flag("run.max_retries", "many")
        .flag("run.loop", "")
        .flag("limits.wall", "\u{1b}[2J10m");
    assert_snapshot!(report(&sources), @"
    TRIBUNAL_LIMITS_USD: `limits.usd` is `a lot`, expected an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50`
    TRIBUNAL_REVIEW_STOP_ON_NEEDS_HUMAN: `review.stop_on_needs_human` is `1`, expected `true` or `false`
    --set run.max_retries: `run.max_retries` is `many`, expected a whole number from 0 to 10
    --set run.loop: `run.loop` is ``, expected `review`, `theater`, `joust`, `desk` or `judge`
    --set limits.wall: `limits.wall` is `�[2J10m`, expected a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d
    ");
}

#[test]
fn a_long_value_is_cut() {
    assert_snapshot!(report(&project("").flag("run.loop", &"review ".repeat(30))), @"
    --set run.loop: `run.loop` is `review review review review review review review review revi…`, expected `review`, `theater`, `joust`, `desk` or `judge`
      hint: did you mean `review`?
    ");
    assert_snapshot!(report(&project("[run]\nloop = '''review\njoust'''")), @"
    tribunal.toml:2:1: `run.loop` is `'''review…`, expected `review`, `theater`, `joust`, `desk` or `judge`
      hint: did you mean `review`?
    ");
}

#[test]
fn lists() {
    let text = r#"
[agents.a]
kind = "command"
command = "./agent.sh"
[agents.b]
kind = "command"
command = []
[agents.c]
kind = "command"
command = ["./agent.sh", 3]
[review]
assets = ["slug", "Title"]
locked_assets = ["slug", "slug"]
"#;
    assert_snapshot!(report(&project(text)), @r#"
    tribunal.toml:4:1: `agents.a.command` is `"./agent.sh"`, expected a list: the program, then its arguments
      hint: write it in brackets: ["…"]
    tribunal.toml:7:1: `agents.b.command` is `[]`, expected a list: the program, then its arguments
    tribunal.toml:10:1: item 2 of `agents.c.command` is not a string, expected some text
    tribunal.toml:12:1: item 2 of `review.assets` is `Title`, expected a name such as `title_seo`: lower-case letters, digits and `_`, starting with a letter
    tribunal.toml:13:1: `review.locked_assets` lists `slug` twice
      hint: keep `slug` once
    "#);
    assert_snapshot!(report(&project("").flag("review.assets", "slug,Title").flag("review.locked_assets", "[1]")), @"
    --set review.assets: item 2 of `review.assets` is `Title`, expected a name such as `title_seo`: lower-case letters, digits and `_`, starting with a letter
    --set review.locked_assets: item 1 of `review.locked_assets` is not a string, expected a name such as `title_seo`: lower-case letters, digits and `_`, starting with a letter
    ");
    assert_snapshot!(report(&project("[agents.a]\nkind = 'command'").flag("agents.a.command", "sh -c 'x y'")), @r#"
    --set agents.a.command: `agents.a.command` is `sh -c 'x y'`, expected a list: the program, then its arguments
      hint: write it as a list: '["program", "argument"]'
    "#);
}

#[test]
fn tables_and_values_in_each_others_place() {
    let text = r#"
limits = 3
review = ["slug"]
seats = "critic"
[run.loop]
review = true
[[agents]]
kind = "claude"
"#;
    assert_snapshot!(report(&project(text)), @"
    tribunal.toml:2:1: `limits` is an integer, expected a table
      hint: known here: usd, tokens, wall, rounds, stop_when_left, turn, idle, grace, output, unpriced
    tribunal.toml:3:1: `review` is a list, expected a table
      hint: known here: asset, assets, max_iterations, locked_assets, stop_in_circles, stop_on_needs_human
    tribunal.toml:4:1: `seats` is a string, expected a table
      hint: give each its own table: [seats.NAME]
    tribunal.toml:5:6: `run.loop` is a table, expected `review`, `theater`, `joust`, `desk` or `judge`
    tribunal.toml:7:3: `agents` is a list, expected a table
      hint: give each its own table: [agents.NAME]
    ");
    assert_snapshot!(report(&project("agents.writer = 'claude'").flag("limits", "3")), @r"
    tribunal.toml:1:8: `agents.writer` is a string, expected a table
      hint: known here: kind, command, model, effort, tools, controls, fallback, persona, run, provider, base_url, api_key, env, cwd, reserve_usd, reserve_tokens, turn, idle, output
    --set limits: `limits` is a string, expected a table
      hint: known here: usd, tokens, wall, rounds, stop_when_left, turn, idle, grace, output, unpriced
    ");
}

#[test]
fn two_spellings() {
    let text = "workspace = 'a'\n[run]\nworkspace = 'b'\nmax_retries = 2\n[review]\nworkspace = 'b'\nmax_retries = 2\n";
    assert_snapshot!(report(&project(text)), @"
    tribunal.toml:1:1: `workspace` and `run.workspace` are the same setting with different values
      hint: keep `run.workspace`
    ");
    let sources = project("").flag("review.max_retries", "1").flag("run.max_retries", "2");
    assert_snapshot!(report(&sources), @"
    --set review.max_retries: `review.max_retries` and `run.max_retries` are the same setting with different values
      hint: keep `run.max_retries`
    ");
    let sources = project("").env("TRIBUNAL_WORKSPACE", "a").env("TRIBUNAL_REVIEW_WORKSPACE", "b");
    assert_snapshot!(report(&sources), @"
    TRIBUNAL_REVIEW_WORKSPACE: `review.workspace` and `workspace` are the same setting with different values
      hint: keep `run.workspace`
    ");
}

#[test]
fn asset_and_assets() {
    assert_snapshot!(report(&project("[review]\nassets = ['slug']\nasset = 'slug'\n")), @"
    tribunal.toml:3:1: `review.asset` and `review.assets` cannot be combined
      hint: keep `review.asset` or `review.assets`
    ");
    assert_snapshot!(report(&project("").flag("review.asset", "a").flag("review.assets", "b")), @"
    --set review.assets: `review.asset` and `review.assets` cannot be combined
      hint: keep `review.asset` or `review.assets`
    ");
}

#[test]
fn names() {
    let text = "[agents.\"my agent\"]\nkind = 'claude'\n[agents.\"\"]\nkind = 'claude'\n[seats.\"é\"]\nagent = 'x'\n";
    assert_snapshot!(report(&project(text).flag("agents.a b.kind", "house")), @r#"
    tribunal.toml:1:9: `"my agent"` cannot be a name in `agents`
      hint: use letters, digits, `_` and `-`
    tribunal.toml:3:9: `""` cannot be a name in `agents`
      hint: use letters, digits, `_` and `-`
    tribunal.toml:5:8: `"é"` cannot be a name in `seats`
      hint: use letters, digits, `_` and `-`
    --set agents.a b.kind: `"a b"` cannot be a name in `agents`
      hint: use letters, digits, `_` and `-`
    "#);
}

#[test]
fn what_is_missing() {
    let text = "[agents.writer]\n[agents.local]\nkind = 'command'\n[seats.critic]\nmodel = 'opus'\n";
    assert_snapshot!(report(&project(text).flag("agents.extra.model", "x")), @r#"
    tribunal.toml:1:9: `agents.writer.kind` is missing, expected `claude`, `codex`, `gemini`, `opencode`, `qwen`, `copilot`, `goose`, `acp`, `http`, `command`, `house`, `human` or `replay`
      hint: add `kind = …` to [agents.writer]
    tribunal.toml:3:1: agent `local` is of kind `command` but has no `command`
      hint: add the program and its arguments to [agents.local]: command = ["./agent.sh"]
    tribunal.toml:4:8: `seats.critic.agent` is missing, expected the agent in this seat
      hint: add `agent = …` to [seats.critic]
    --set agents.extra.model: `agents.extra.kind` is missing, expected `claude`, `codex`, `gemini`, `opencode`, `qwen`, `copilot`, `goose`, `acp`, `http`, `command`, `house`, `human` or `replay`
      hint: add `kind = …` to [agents.extra]
    "#);
}

#[test]
fn an_acp_agent_without_a_program() {
    assert_snapshot!(report(&project("[agents.it]\nkind = 'acp'\n")), @r#"
    tribunal.toml:2:1: agent `it` is of kind `acp` but has no `command`
      hint: add the program and its arguments to [agents.it]: command = ["gemini", "--acp"]
    "#);
}

#[test]
fn a_flag_that_misspells_a_name() {
    let text = "[agents.writer]\nkind = 'claude'\n[seats.critic]\nagent = 'writer'\n";
    let sources = project(text).flag("agents.wirter.model", "opus").flag("seats.critics.model", "opus");
    assert_snapshot!(report(&sources), @r"
    --set agents.wirter.model: `agents.wirter.kind` is missing, expected `claude`, `codex`, `gemini`, `opencode`, `qwen`, `copilot`, `goose`, `acp`, `http`, `command`, `house`, `human` or `replay`
      hint: did you mean `agents.writer`?
    --set seats.critics.model: `seats.critics.agent` is missing, expected the agent in this seat
      hint: did you mean `seats.critic`?
    ");
}

#[test]
fn seats_without_their_agent() {
    let text = r#"
[agents.writer]
kind = "claude"
[seats.creator]
agent = "wirter"
[seats.reviewer]
agent = "someone"
[seats.critic]
agent = "house"
"#;
    assert_snapshot!(report(&project(text)), @r#"
    tribunal.toml:5:1: seat `creator` names the unknown agent `wirter`
      hint: did you mean `writer`?
    tribunal.toml:7:1: seat `reviewer` names the unknown agent `someone`
      hint: known agents: writer
    tribunal.toml:9:1: seat `critic` names the unknown agent `house`
      hint: `house` is a kind of agent: add [agents.house] with kind = "house"
    "#);
    assert_snapshot!(report(&project("[seats.critic]\nagent = 'someone'\n")), @"
    tribunal.toml:2:1: seat `critic` names the unknown agent `someone`
      hint: no agent is configured yet: add [agents.someone] with its kind
    ");
}

#[test]
fn a_command_line_that_we_know_needs_only_its_name() {
    let loaded =
        tribunal_config::load(&project("[seats.critic]\nagent = 'claude'\n[seats.other]\nagent = 'codex'\n")).unwrap();
    let kind = |name: &str| loaded.config.agents[name].kind.as_str();
    assert_eq!((kind("claude"), kind("codex"), loaded.config.agents.len()), ("claude", "codex", 2));
    // Who defines it means their own.
    let own = "[agents.claude]\nkind = 'command'\ncommand = ['./mine.sh']\n[seats.critic]\nagent = 'claude'\n";
    assert_eq!(tribunal_config::load(&project(own)).unwrap().config.agents["claude"].kind.as_str(), "command");
    for (agent, said) in
        [("http", "`http` is a kind of agent"), ("clause", "no agent is configured yet"), ("Claude", "no agent")]
    {
        let report = report(&project(&format!("[seats.critic]\nagent = '{agent}'\n")));
        assert!(report.contains(said), "{agent}: {report}");
    }
}

#[test]
fn a_variable_that_two_agents_share() {
    let text = "[agents.my-agent]\nkind = 'claude'\n[agents.my_agent]\nkind = 'codex'\n";
    assert_snapshot!(report(&project(text).env("TRIBUNAL_AGENTS_MY_AGENT_MODEL", "opus")), @"
    TRIBUNAL_AGENTS_MY_AGENT_MODEL: the variable could mean `agents.my-agent.model` or `agents.my_agent.model`
      hint: rename one of them, or set the one you mean with --set
    ");
}

#[test]
fn all_mistakes_of_all_sources_in_reading_order() {
    let sources = project("[seats.critic]\nagent = 'nobody'\n[limits]\nturn = 'soon'\n")
        .user("[limits]\nidle = 'never'\n")
        .env("TRIBUNAL_LIMITS_GRACE", "some")
        .flag("limits.output", "all");
    assert_snapshot!(report(&sources), @"
    tribunal.toml:2:1: seat `critic` names the unknown agent `nobody`
      hint: no agent is configured yet: add [agents.nobody] with its kind
    tribunal.toml:4:1: `limits.turn` is `'soon'`, expected a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d
    /home/me/.config/tribunal/config.toml:2:1: `limits.idle` is `'never'`, expected a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d
    TRIBUNAL_LIMITS_GRACE: `limits.grace` is `some`, expected a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d
    --set limits.output: `limits.output` is `all`, expected a size such as `64KiB` or `8MiB`, from 1KiB to 1GiB
    ");
}

#[test]
fn a_word_that_is_right_but_for_its_quotes_is_said_to_be() {
    let told = report(&project("").flag("agents.g.kind", "\"goose\""));
    assert!(told.contains("hint: write it without quotes: `goose`"), "{told}");
}
