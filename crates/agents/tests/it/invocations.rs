//! How each command line is called.

use std::fmt::Write as _;
use tribunal_agents::{Adapter as _, Cli, Environment, TurnRequest, Vendor};
use tribunal_kernel::LoopKind;
use tribunal_kernel::desk::{VERIFY, WORK};

use crate::support::{cli, request};

/// Where a model is, as each of them expects it.
const URLS: [&str; Vendor::ALL.len()] =
    ["http://m", "http://m/v1", "http://m", "http://m/v1", "http://m/v1", "http://m/v1", "http://m"];

fn environment() -> Environment {
    let ours = [
        ("PATH", "/bin"),
        ("HOME", "/home/u"),
        ("AWS_SECRET_ACCESS_KEY", "a secret of somebody else"),
        ("ANTHROPIC_API_KEY", "anthropic's"),
        ("OPENAI_API_KEY", "openai's"),
        ("GEMINI_API_KEY", "gemini's"),
        ("TEAM_KEY", "the team's"),
        ("HTTPS_PROXY", "http://proxy"),
    ];
    Environment::new(ours.map(|(name, value)| (name.to_owned(), value.to_owned())))
}

fn shown(cli: &Cli, request: &TurnRequest) -> String {
    let invocation = cli.invocation(request, &environment());
    let args: Vec<String> =
        invocation.args.iter().map(|arg| if arg.is_empty() { "''".into() } else { arg.clone() }).collect();
    let mut text = format!("{} {}\n", invocation.program, args.join(" "));
    // The turn's own are the same for every agent.
    for (name, value) in
        invocation.env.iter().filter(|(name, _)| !name.starts_with("TRIBUNAL_") || name == "TRIBUNAL_AGENT_KEY")
    {
        let _ = writeln!(text, "  {name}={value}");
    }
    assert_eq!(invocation.stdin, "The prompt.");
    text
}

#[test]
fn calls() {
    let mut text = String::new();
    for (vendor, url) in Vendor::ALL.into_iter().zip(URLS) {
        let keyed = Cli { base_url: Some(url.into()), api_key: Some("TEAM_KEY".into()), ..cli(vendor) };
        for (name, cli, request) in [
            ("speaks, the user's account", cli(vendor), request(LoopKind::Review, "review", None)),
            ("speaks, a model of our own", keyed.clone(), request(LoopKind::Theater, "judge", Some("big"))),
            ("works", keyed.clone(), request(LoopKind::Desk, WORK, Some("big"))),
        ] {
            let _ = writeln!(text, "# {vendor} {name}\n{}", shown(&cli, &request));
        }
        for (path, file) in keyed.files() {
            let _ = writeln!(text, "# {vendor} {}\n{file}", path.display());
        }
    }
    insta::assert_snapshot!(text);
}

/// Planning is a turn of a desk, too, but nothing holds it.
#[test]
fn only_turns_in_the_sandbox_may_write() {
    for vendor in Vendor::ALL {
        let spoken = shown(&cli(vendor), &request(LoopKind::Review, "draft", None));
        for (kind, task, may_write) in [
            (LoopKind::Desk, WORK, true),
            (LoopKind::Desk, VERIFY, true),
            (LoopKind::Desk, "brainstorm", false),
            (LoopKind::Review, WORK, false),
        ] {
            assert_eq!(shown(&cli(vendor), &request(kind, task, None)) != spoken, may_write, "{vendor} {kind} {task}");
        }
    }
}

#[test]
fn another_program_keeps_its_own_arguments_first() {
    let cli = Cli { command: vec!["npx".into(), "claude".into()], ..cli(Vendor::Claude) };
    assert!(shown(&cli, &request(LoopKind::Review, "draft", None)).starts_with("npx claude -p "));
}

#[test]
fn effort_is_passed_on_where_there_is_a_word_for_it() {
    let mut request = request(LoopKind::Review, "draft", None);
    request.effort = Some("high".into());
    let said = Vendor::ALL.map(|vendor| (vendor, shown(&cli(vendor), &request).contains("high")));
    let known: Vec<Vendor> = said.into_iter().filter(|(_, said)| *said).map(|(vendor, _)| vendor).collect();
    assert_eq!(known, [Vendor::Claude, Vendor::Codex, Vendor::Copilot]);
}
