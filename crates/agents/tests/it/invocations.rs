//! How each command line is called.

use std::fmt::Write as _;
use std::sync::Arc;
use tribunal_agents::{Adapter as _, AttachedFile, Cli, Environment, TurnRequest, Vendor};
use tribunal_kernel::desk::{VERIFY, WORK};
use tribunal_kernel::{LoopKind, MediaType};

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

/// Every one that takes images gets them in its own way; the prompt stays as it is, or is followed by where they lie.
#[test]
fn images_go_along() {
    let image = |name: &str, path: &str| AttachedFile {
        name: name.into(),
        media_type: MediaType::Png,
        bytes: Arc::from(&b"\x89PNG"[..]),
        path: Some(path.into()),
    };
    let mut request = request(LoopKind::Review, "draft", None);
    let notes = AttachedFile { media_type: MediaType::Markdown, ..image("notes.md", "/tmp/x/1-notes.md") };
    request.attachments = vec![notes, image("shot.png", "/tmp/x/2-shot.png"), image("a/b.png", "/tmp/x/3-b.png")];
    let mut text = String::new();
    for vendor in Vendor::ALL {
        let plain = cli(vendor).invocation(&crate::support::request(LoopKind::Review, "draft", None), &environment());
        let invocation = cli(vendor).invocation(&request, &environment());
        let more: Vec<&str> =
            invocation.args.iter().filter(|arg| !plain.args.contains(arg)).map(String::as_str).collect();
        let stdin = invocation.stdin.replace('\n', "\n    ");
        let line = format!("{vendor}: {}", more.join(" "));
        let _ = writeln!(text, "{}\n    {}", line.trim_end(), stdin.trim_end());
        let places = invocation.env.iter().find(|(name, _)| name == "TRIBUNAL_ATTACHMENTS").map(|(_, value)| value);
        let expected = "/tmp/x/1-notes.md\n/tmp/x/2-shot.png\n/tmp/x/3-b.png";
        assert_eq!(places.map(String::as_str), Some(expected), "{vendor}");
    }
    insta::assert_snapshot!(text, @r#"
    claude: --input-format
        {"message":{"content":[{"source":{"data":"iVBORw==","media_type":"image/png","type":"base64"},"type":"image"},{"source":{"data":"iVBORw==","media_type":"image/png","type":"base64"},"type":"image"},{"text":"The prompt.","type":"text"}],"role":"user"},"type":"user"}
    codex: --image=/tmp/x/2-shot.png --image=/tmp/x/3-b.png
        The prompt.
    gemini: --include-directories /tmp/x
        The prompt.
        The attached images, in the same order:
        @/tmp/x/2-shot.png
        @/tmp/x/3-b.png
    opencode: --file=/tmp/x/2-shot.png --file=/tmp/x/3-b.png
        The prompt.
    qwen: --include-directories /tmp/x
        The prompt.
        The attached images, in the same order:
        @/tmp/x/2-shot.png
        @/tmp/x/3-b.png
    copilot: --attachment /tmp/x/2-shot.png --attachment /tmp/x/3-b.png
        The prompt.
    goose:
        The prompt.
    "#);
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
