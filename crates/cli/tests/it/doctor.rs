//! What doctor and init find on a machine: programs on a PATH of their own, logins in a HOME of their own.

use crate::support::{Output, Project};
use serde_json::{Value, json};

/// Variables by which a command line could be logged in on the machine that runs the tests.
const LOGINS: [&str; 14] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CONFIG_DIR",
    "CODEX_API_KEY",
    "CODEX_HOME",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "OPENAI_API_KEY",
    "OPENCODE_API_KEY",
    "XDG_DATA_HOME",
];

/// A machine with these programs, each of which says this version.
fn machine(programs: &[(&str, &str)]) -> Project {
    let project = Project::bare();
    for (name, version) in programs {
        project.agent(&format!("bin/{name}"), &format!("#!/bin/sh\n[ \"$1\" = --version ] && echo '{version}'\n"));
    }
    project.write("home/.keep", "");
    project
}

/// Runs it on such a machine: no other program is found, and nobody else is logged in.
pub(crate) fn tribunal(project: &Project, args: &[&str], set: &[(&str, &str)]) -> Output {
    let mut command = project.command(args);
    for name in LOGINS {
        command.env_remove(name);
    }
    // `sh` has to be found, but no agent that is really installed.
    std::fs::create_dir_all(project.path("tools")).unwrap();
    for tool in
        ["sh", "cat", "sed", "grep", "awk", "printf", "tr", "wc", "head", "tail", "sleep", "bwrap", "git", "mkdir"]
    {
        for folder in ["/bin", "/usr/bin"] {
            let real = std::path::Path::new(folder).join(tool);
            if real.exists() {
                let _ = std::os::unix::fs::symlink(real, project.path("tools").join(tool));
            }
        }
    }
    let path = format!("{}:{}", project.path("bin").display(), project.path("tools").display());
    command.env("PATH", path).env("HOME", project.path("home")).envs(set.iter().copied());
    Output::of(command.spawn().unwrap())
}

fn doctor(project: &Project, args: &[&str], set: &[(&str, &str)]) -> (i32, Value) {
    let output = tribunal(project, &[&["agents", "doctor", "--json"], args].concat(), set);
    (output.code, serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output.all())))
}

fn configured(project: &Project, agents: &str) {
    project.write("tribunal.toml", agents);
}

#[test]
fn every_known_command_line_is_looked_for() {
    let project =
        machine(&[("claude", "2.1.197 (Claude Code)"), ("codex", "codex-cli 0.20.1"), ("opencode", "1.18.33")]);
    project.write("home/.claude/.credentials.json", "{\"secret\": \"sesame\"}");
    configured(&project, "");
    let (code, found) = doctor(&project, &[], &[("CODEX_API_KEY", "sesame")]);
    let known: Vec<Value> = found["known"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|known| ["claude", "codex", "gemini", "opencode"].iter().any(|name| known["program"] == *name))
        .map(|known| json!([known["program"], known["version"], known["old"], known["login"], known["usable"]]))
        .collect();
    assert_eq!(
        known,
        [
            json!(["claude", "2.1.197 (Claude Code)", false, "found", true]),
            json!(["codex", "codex-cli 0.20.1", true, "found", true]),
            json!(["gemini", null, false, "missing", false]),
            json!(["opencode", "1.18.33", false, "unknown", false]),
        ]
    );
    assert_eq!(code, 0, "nothing is configured that could not be used");
    assert!(!found.to_string().contains("sesame"), "no secret is read, and none is shown");
    let text = tribunal(&project, &["agents", "doctor"], &[]);
    assert!(text.stdout.contains("codex 0.20.1 is older than 0.166.0"), "{}", text.all());
    assert!(text.stdout.contains("gemini: not installed: npm install -g @google/gemini-cli"), "{}", text.all());
    assert!(text.stdout.contains("sandbox: "), "{}", text.all());
}

#[test]
fn an_agent_is_usable_when_it_is_there_and_logged_in() {
    let claude = "[agents.writer]\nkind = \"claude\"\n";
    for (name, agents, set, code, problem) in [
        ("not logged in", claude.to_owned(), None, 4, Some("probably not logged in")),
        ("a key", claude.to_owned(), Some(("ANTHROPIC_API_KEY", "k")), 0, None),
        ("its own key", format!("{claude}api_key = \"$TEAM_KEY\"\n"), Some(("TEAM_KEY", "k")), 0, None),
        ("its own key is not set", format!("{claude}api_key = \"$TEAM_KEY\"\n"), None, 4, Some("`$TEAM_KEY`")),
        ("a server of one's own", format!("{claude}base_url = \"http://localhost:1\"\n"), None, 0, None),
        ("not installed", "[agents.writer]\nkind = \"gemini\"\n".into(), None, 4, Some("npm install")),
        ("it may need no login", "[agents.writer]\nkind = \"opencode\"\n".into(), None, 0, None),
    ] {
        let project = machine(&[("claude", "2.1.197"), ("opencode", "1.18.33")]);
        configured(&project, &agents);
        let (exit, found) = doctor(&project, &[], &set.into_iter().collect::<Vec<_>>());
        let said = found["agents"][0]["problem"].as_str();
        assert_eq!(exit, code, "{name}: {found:#}");
        assert_eq!(said.is_some(), problem.is_some(), "{name}: {found:#}");
        assert!(problem.is_none_or(|problem| said.unwrap().contains(problem)), "{name}: {found:#}");
    }
}

#[test]
fn a_ping_settles_it() {
    let project = machine(&[]);
    project.agent("pong.sh", "#!/bin/sh\ncat > asked; echo pong\n");
    project.agent("broken.sh", "#!/bin/sh\necho no key >&2; exit 1\n");
    let agent = |name: &str| format!("[agents.{name}]\nkind = \"command\"\ncommand = [\"./{name}.sh\"]\n");
    configured(&project, &agent("pong"));
    let (code, found) = doctor(&project, &[], &[]);
    assert_eq!((code, &found["agents"][0]["ping"]), (0, &Value::Null), "nobody is asked without being told to");
    assert!(!project.path("asked").exists());
    let (code, found) = doctor(&project, &["--ping"], &[]);
    let ping = &found["agents"][0]["ping"];
    assert_eq!((code, &ping["answered"], &ping["answer"]), (0, &json!(true), &json!("pong")), "{found:#}");
    assert!(ping["milliseconds"].is_u64() && project.read("asked").len() < 100, "{found:#}");
    configured(&project, &format!("{}{}", agent("pong"), agent("broken")));
    let (code, found) = doctor(&project, &["--ping"], &[]);
    assert_eq!(code, 4, "{found:#}");
    assert!(found["agents"][0]["problem"].as_str().unwrap().contains("no key"), "{found:#}");
    assert_eq!(found["agents"][0]["ping"]["answered"], false);
}

/// Who was seated in a new project, and what is only offered.
fn seated(project: &Project, args: &[&str], set: &[(&str, &str)]) -> (Vec<String>, String, Output) {
    let output = tribunal(project, &[&["init", "new"], args].concat(), set);
    assert_eq!(output.code, 0, "{}", output.all());
    let toml = project.read("new/tribunal.toml");
    let _ = std::fs::remove_dir_all(project.path("new"));
    let lines: Vec<&str> = toml.lines().collect();
    let seats = lines.windows(2).filter(|pair| pair[0].starts_with("[seats.")).map(|pair| {
        let agent = pair[1].split('"').nth(1).unwrap_or_default();
        format!("{} {agent}", pair[0].trim_start_matches("[seats.").trim_end_matches(']'))
    });
    (seats.collect(), toml, output)
}

#[test]
fn init_seats_whoever_could_begin_right_now() {
    let all = [("claude", "2.1.197"), ("codex", "0.166.0"), ("gemini", "0.61.0"), ("opencode", "1.18.33")];
    let project = machine(&all);
    let (seats, toml, output) = seated(&project, &[], &[]);
    assert_eq!(seats, ["creator writer", "reviewer critic"], "nobody is logged in: the examples run as they are");
    assert!(toml.contains("# [agents.claude]") && toml.contains("# [agents.opencode]"), "{toml}");
    assert!(!output.stderr.contains("logged in"), "{}", output.all());

    project.write("home/.gemini/oauth_creds.json", "{}");
    let (seats, toml, output) = seated(&project, &[], &[]);
    assert_eq!(seats, ["creator gemini", "reviewer gemini"]);
    assert!(toml.contains("\n[agents.gemini]\nkind = \"gemini\"\n") && toml.contains("# [agents.claude]"), "{toml}");
    assert!(output.stderr.contains("`gemini` as creator and `gemini` as reviewer"), "{}", output.all());

    project.write("home/.codex/auth.json", "{}");
    for (args, expected) in [
        (&[][..], ["creator codex", "reviewer gemini"]),
        (&["--loop", "joust"], ["main codex", "skeptic gemini"]),
        (&["--loop", "theater"], ["designer codex", "critic gemini"]),
        (&["--loop", "desk"], ["worker codex", "verifier gemini"]),
        (&["--examples"], ["creator writer", "reviewer critic"]),
    ] {
        assert_eq!(seated(&project, args, &[]).0, expected, "{args:?}");
    }
    let (seats, ..) = seated(&project, &[], &[("ANTHROPIC_API_KEY", "k")]);
    assert_eq!(seats, ["creator claude", "reviewer codex"], "the order of preference is always the same");
}

#[test]
fn what_init_proposes_is_a_configuration_and_without_anybody_it_runs() {
    let project = machine(&[("claude", "2.1.197")]);
    for kind in ["review", "joust", "theater"] {
        for (login, folder) in [(Some(("ANTHROPIC_API_KEY", "k")), "with"), (None, "without")] {
            let set: Vec<_> = login.into_iter().collect();
            let folder = format!("{kind}-{folder}");
            let output = tribunal(&project, &["init", &folder, "--loop", kind, "--brief", "Name it."], &set);
            assert_eq!(output.code, 0, "{folder}: {}", output.all());
            let plan = tribunal(&project, &["-C", &folder, "plan"], &set);
            assert_eq!(plan.code, 0, "{folder}: {}", plan.all());
            assert_eq!(plan.stdout.contains("claude"), login.is_some(), "{folder}: {}", plan.all());
        }
    }
    let run = tribunal(&project, &["-C", "theater-without", "run"], &[]);
    assert_eq!(run.code, 0, "{}", run.all());
}
