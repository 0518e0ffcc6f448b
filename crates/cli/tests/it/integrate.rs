//! `tribunal integrate`: what is written where, that it is done once, and that it can be undone to the byte.

use crate::support::{Output, Project};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// Runs the command in a project whose home is a folder of its own, too.
fn integrate(project: &Project, args: &[&str]) -> Output {
    let mut command = project.command(&[&["integrate"], args].concat());
    let home = project.path("home");
    fs::create_dir_all(&home).unwrap();
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    command.env("HOME", &home).env("PATH", path).env_remove("CODEX_HOME").env_remove("XDG_CONFIG_HOME");
    Output::of(command.spawn().unwrap())
}

fn bytes(project: &Project) -> BTreeMap<PathBuf, Vec<u8>> {
    project.snapshot().into_iter().map(|(path, (bytes, _))| (path, bytes)).collect()
}

/// What others wrote, in the ways that people write it.
fn lived_in() -> Project {
    let project = Project::bare();
    for prefix in ["", "home/"] {
        for (name, text) in [
            (".mcp.json", "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}, \"z\": 1, \"a\": [ ]}"),
            (".claude.json", "{\n\t\"numStartups\": 7,\n\t\"projects\": { }\n}"),
            (".claude/settings.json", "{}\n"),
            (".codex/config.toml", "# mine\nmodel = \"m\"   # a comment\n\n[mcp_servers.other]\ncommand = 'x'\n"),
            (".codex/AGENTS.md", "No final newline"),
            (".gemini/settings.json", "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n    }\n}\n"),
            (".gemini/GEMINI.md", ""),
            ("AGENTS.md", "# Rules\n\nBe kind.\n"),
            ("GEMINI.md", "# Rules\n"),
            ("opencode.json", "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {}\n}\n"),
            (".config/opencode/opencode.json", "{}"),
        ] {
            project.write(&format!("{prefix}{name}"), text);
        }
    }
    project
}

#[test]
fn every_agent_finds_its_files_where_it_looks_for_them() {
    let mut table = String::new();
    for agent in AGENTS {
        for flags in [&[][..], &["--user"]] {
            let project = Project::bare();
            let output = integrate(&project, &[&[agent, "--yes"], flags].concat());
            assert_eq!(output.code, 0, "{}", output.all());
            writeln!(table, "{}", [&[agent], flags].concat().join(" ")).unwrap();
            for name in project.list(".") {
                let text = project.read(&name);
                let name = name.trim_start_matches("./");
                let what = match text.lines().count() {
                    lines if lines > 20 => format!("{} …", text.lines().next().unwrap()),
                    _ => text.trim_end().replace('\n', "\n        "),
                };
                writeln!(table, "    {name}\n        {what}").unwrap();
            }
        }
    }
    insta::assert_snapshot!(table, @r#"
    claude
        .claude/commands/tribunal.md
            --- …
        .claude/skills/tribunal/SKILL.md
            --- …
        .mcp.json
            {
              "mcpServers": {
                "tribunal": {
                  "command": "tribunal",
                  "args": [
                    "mcp"
                  ]
                }
              }
            }
    claude --user
        home/.claude.json
            {
              "mcpServers": {
                "tribunal": {
                  "command": "tribunal",
                  "args": [
                    "mcp"
                  ]
                }
              }
            }
        home/.claude/commands/tribunal.md
            --- …
        home/.claude/skills/tribunal/SKILL.md
            --- …
    codex
        .agents/skills/tribunal/SKILL.md
            --- …
        .codex/config.toml
            # tribunal:begin; written by `tribunal integrate`, which also removes it
            [mcp_servers.tribunal]
            command = "tribunal"
            args = ["mcp"]
            tool_timeout_sec = 120
            # tribunal:end
        AGENTS.md
            <!-- tribunal:begin; written by `tribunal integrate`, which also removes it --> …
    codex --user
        home/.codex/AGENTS.md
            <!-- tribunal:begin; written by `tribunal integrate`, which also removes it --> …
        home/.codex/config.toml
            # tribunal:begin; written by `tribunal integrate`, which also removes it
            [mcp_servers.tribunal]
            command = "tribunal"
            args = ["mcp"]
            tool_timeout_sec = 120
            # tribunal:end
        home/.codex/prompts/tribunal.md
            --- …
        home/.codex/skills/tribunal/SKILL.md
            --- …
    gemini
        .gemini/commands/tribunal.toml
            # Written by `tribunal integrate`, which also removes it. …
        .gemini/settings.json
            {
              "mcpServers": {
                "tribunal": {
                  "command": "tribunal",
                  "args": [
                    "mcp"
                  ]
                }
              }
            }
        GEMINI.md
            <!-- tribunal:begin; written by `tribunal integrate`, which also removes it --> …
    gemini --user
        home/.gemini/GEMINI.md
            <!-- tribunal:begin; written by `tribunal integrate`, which also removes it --> …
        home/.gemini/commands/tribunal.toml
            # Written by `tribunal integrate`, which also removes it. …
        home/.gemini/settings.json
            {
              "mcpServers": {
                "tribunal": {
                  "command": "tribunal",
                  "args": [
                    "mcp"
                  ]
                }
              }
            }
    opencode
        .opencode/command/tribunal.md
            --- …
        .opencode/skills/tribunal/SKILL.md
            --- …
        opencode.json
            {
              "mcp": {
                "tribunal": {
                  "type": "local",
                  "command": [
                    "tribunal",
                    "mcp"
                  ],
                  "enabled": true
                }
              }
            }
    opencode --user
        home/.config/opencode/command/tribunal.md
            --- …
        home/.config/opencode/opencode.json
            {
              "mcp": {
                "tribunal": {
                  "type": "local",
                  "command": [
                    "tribunal",
                    "mcp"
                  ],
                  "enabled": true
                }
              }
            }
        home/.config/opencode/skills/tribunal/SKILL.md
            --- …
    "#);
}

#[test]
fn what_others_wrote_stays_and_comes_back_to_the_byte() {
    for agent in AGENTS {
        for scope in [&[][..], &["--user"]] {
            for project in [Project::bare(), lived_in()] {
                let call = |more: &[&str]| integrate(&project, &[&[agent], scope, more].concat());
                let _ = call(&["--dry-run"]);
                let before = bytes(&project);

                let planned = call(&["--dry-run"]);
                assert_eq!((planned.code, bytes(&project) == before), (0, true), "{agent}: {}", planned.all());
                assert!(planned.stdout.contains("+++ "), "{agent}: {}", planned.all());

                let alone = call(&[]);
                assert_eq!((alone.code, bytes(&project) == before), (2, true), "{agent}: {}", alone.all());
                assert!(alone.stderr.contains("hint: `--yes`"), "{agent}: {}", alone.all());
                assert_eq!(alone.stdout, planned.stdout, "{agent}");

                let done = call(&["--yes"]);
                assert_eq!((done.code, &done.stdout), (0, &planned.stdout), "{agent}: {}", done.all());
                let after = bytes(&project);
                assert_ne!(after, before, "{agent}");

                let again = call(&["--yes"]);
                assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{agent}: {}", again.all());
                assert!(again.stderr.contains("nothing to do"), "{agent}: {}", again.all());
                assert_eq!(bytes(&project), after, "{agent}: the second time changes nothing");

                let undone = call(&["--remove", "--yes"]);
                assert_eq!(undone.code, 0, "{agent}: {}", undone.all());
                assert_eq!(bytes(&project), before, "{agent} {scope:?}: {}", undone.all());
                let nothing = call(&["--remove", "--yes"]);
                assert!(nothing.stderr.contains("nothing to do"), "{agent}: {}", nothing.all());
            }
        }
    }
}

#[test]
fn a_diff_shows_what_would_be_written() {
    let project = lived_in();
    let mut shown = String::new();
    for agent in AGENTS {
        let output = integrate(&project, &[agent, "--dry-run"]);
        let settings = output.stdout.split_inclusive("--- ").filter(|part| {
            let name = part.lines().next().unwrap_or_default();
            [".mcp.json", ".codex/config.toml", ".gemini/settings.json", "opencode.json"].contains(&name)
        });
        for part in settings {
            for line in part.trim_end_matches("--- ").lines() {
                writeln!(shown, "{}", line.trim_end()).unwrap();
            }
        }
    }
    insta::assert_snapshot!(shown, @r#"
    .mcp.json
    +++ .mcp.json
    @@ -1 +1,7 @@
    -{"mcpServers": {"other": {"command": "x"}}, "z": 1, "a": [ ]}
    \ No newline at end of file
    +{"mcpServers": {"other": {"command": "x"},
    +  "tribunal": {
    +    "command": "tribunal",
    +    "args": [
    +      "mcp"
    +    ]
    +  }}, "z": 1, "a": [ ]}
    \ No newline at end of file
    .codex/config.toml
    +++ .codex/config.toml
    @@ -3,3 +3,10 @@

     [mcp_servers.other]
     command = 'x'
    +
    +# tribunal:begin; written by `tribunal integrate`, which also removes it
    +[mcp_servers.tribunal]
    +command = "tribunal"
    +args = ["mcp"]
    +tool_timeout_sec = 120
    +# tribunal:end
    .gemini/settings.json
    +++ .gemini/settings.json
    @@ -1,5 +1,10 @@
     {
         "theme": "dark",
    -    "mcpServers": {
    +    "mcpServers": {"tribunal": {
    +            "command": "tribunal",
    +            "args": [
    +                "mcp"
    +            ]
    +        }
         }
     }
    opencode.json
    +++ opencode.json
    @@ -1,4 +1,11 @@
     {
       "$schema": "https://opencode.ai/config.json",
    -  "mcp": {}
    +  "mcp": {"tribunal": {
    +      "type": "local",
    +      "command": [
    +        "tribunal",
    +        "mcp"
    +      ],
    +      "enabled": true
    +    }}
     }
    "#);
}

#[test]
fn programs_get_one_object() {
    let project = Project::bare();
    let output = integrate(&project, &["claude", "--yes", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&json["agent"], &json["written"]), (&"claude".into(), &true.into()), "{json}");
    let files: Vec<String> = json["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| format!("{} {}", file["action"].as_str().unwrap(), file["file"].as_str().unwrap()))
        .collect();
    assert_eq!(files, ["new .claude/commands/tribunal.md", "new .claude/skills/tribunal/SKILL.md", "new .mcp.json"]);
}

#[test]
fn what_cannot_be_read_or_is_not_ours_is_left_alone() {
    for (agent, file, text, why) in [
        ("claude", ".mcp.json", "{\"mcpServers\": {},}", "it cannot be read as JSON"),
        (
            "claude",
            ".mcp.json",
            "{\"mcpServers\": {\"tribunal\": {\"command\": \"/opt/t\"}}}",
            "it already has a different server",
        ),
        ("claude", ".claude/commands/tribunal.md", "my own\n", "Tribunal did not write it"),
        ("gemini", ".gemini/settings.json", "// mine\n{}", "it cannot be read as JSON"),
        ("gemini", "GEMINI.md", "<!-- tribunal:end -->\n", "one of the two markers"),
        ("codex", ".codex/config.toml", "model = ", "it is not TOML"),
        ("codex", ".codex/config.toml", "mcp_servers = { other = { command = \"x\" } }\n", "a table cannot be added"),
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers.tribunal]\ncommand = \"/opt/t\"\n",
            "it already has a different server",
        ),
        ("opencode", "opencode.json", "[]", "it is not an object"),
    ] {
        let project = Project::bare();
        project.write(file, text);
        let before = bytes(&project);
        let output = integrate(&project, &[agent, "--yes"]);
        assert_eq!(output.code, 2, "{agent} {text}: {}", output.all());
        assert!(output.stderr.contains(why) && output.stderr.contains("hint: "), "{agent} {text}: {}", output.all());
        assert_eq!(bytes(&project), before, "{agent}: not even the other files are written");
    }
}

#[test]
fn what_somebody_changed_since_is_theirs() {
    let project = Project::bare();
    integrate(&project, &["claude", "--yes"]);
    let skill = format!("{}\nMore.\n", project.read(".claude/skills/tribunal/SKILL.md"));
    project.write(".claude/skills/tribunal/SKILL.md", &skill);
    project.write(
        ".mcp.json",
        &project
            .read(".mcp.json")
            .replace("\"tribunal\",\n", "\"/opt/tribunal\",\n")
            .replace("\"command\": \"tribunal\"", "\"command\": \"/opt/tribunal\""),
    );
    let output = integrate(&project, &["claude", "--remove", "--yes"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains(".claude/skills/tribunal/SKILL.md is kept: it was changed"), "{}", output.all());
    assert!(output.stderr.contains(".mcp.json is kept: its `tribunal` is not the one"), "{}", output.all());
    let mut left = project.list(".");
    left.retain(|name| !name.contains("home/"));
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_file_keeps_its_mode_and_a_link_stays_a_link() {
    let project = lived_in();
    let private = project.path("home/.claude.json");
    fs::set_permissions(&private, fs::Permissions::from_mode(0o600)).unwrap();
    integrate(&project, &["claude", "--user", "--yes"]);
    assert_eq!(fs::metadata(&private).unwrap().permissions().mode() & 0o777, 0o600);

    fs::rename(project.path("AGENTS.md"), project.path("RULES.md")).unwrap();
    std::os::unix::fs::symlink("RULES.md", project.path("AGENTS.md")).unwrap();
    let output = integrate(&project, &["codex", "--yes"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(fs::symlink_metadata(project.path("AGENTS.md")).unwrap().is_symlink());
    assert!(project.read("RULES.md").contains("tribunal:begin"));
}

#[test]
fn the_stop_hook_comes_once_keeps_what_others_wrote_and_goes() {
    for agent in AGENTS {
        for flags in [&[][..], &["--user"]] {
            let project = lived_in();
            for prefix in ["", "home/"] {
                project.write(
                    &format!("{prefix}.claude/settings.json"),
                    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n    ]\n  }\n}\n",
                );
                project.write(&format!("{prefix}.codex/hooks.json"), "{\"hooks\": {\"Stop\": []}}");
            }
            let before = bytes(&project);
            let put = |more: &[&str]| integrate(&project, &[&[agent, "--yes", "--stop-hook"], flags, more].concat());
            let put_in = put(&[]);
            assert_eq!(put_in.code, 0, "{agent}: {}", put_in.all());
            assert!(put_in.stderr.starts_with("1 file written"), "{agent}: nothing but the hook: {}", put_in.all());
            let with = bytes(&project);
            let text: String = with
                .iter()
                .filter(|(path, bytes)| before.get(*path) != Some(bytes))
                .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
                .collect();
            let name = format!("--stop-hook {agent}");
            let in_plugin = "flag = \"--stop-hook\"".to_owned();
            assert!(text.contains(&name) || text.contains(&in_plugin), "{agent}: {text}");
            assert!(text.contains("--session-start"), "{agent}: what the work is held against is noted: {text}");
            assert!(put(&[]).stderr.contains("nothing to do"), "{agent}: it is there");
            assert_eq!(bytes(&project), with, "{agent}");
            // Both come and go beside each other, in whatever order.
            assert_eq!(integrate(&project, &[&[agent, "--yes"], flags].concat()).code, 0);
            assert_eq!(put(&["--remove"]).code, 0);
            let left: Vec<String> =
                bytes(&project).into_values().map(|it| String::from_utf8_lossy(&it).into_owned()).collect();
            assert!(!left.iter().any(|text| text.contains(&name) || text.contains(&in_plugin)), "{agent}");
            assert_eq!(put(&[]).code, 0);
            let removed = integrate(&project, &[&[agent, "--yes", "--remove"], flags].concat());
            assert_eq!(removed.code, 0, "{agent}: {}", removed.all());
            assert_eq!(bytes(&project), before, "{agent} {flags:?}: everything is as it was");
        }
    }
}
