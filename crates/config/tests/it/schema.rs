//! The table of keys and the typed configuration say the same.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::Value;
use tribunal_config::{Config, KEYS, Key, RESERVED, ValueKind, load, markdown};
use tribunal_kernel::loops::{LOOPS, RoundLimit};

use crate::{With as _, loaded, project};

const BASE: &str = "[agents.x]\nkind = 'claude'\n[agents.y]\nkind = 'claude'\n[seats.x]\nagent = 'x'\n\
                    [prices.x]\ninput = 7\noutput = 7\n[waive.x]\ncode = 'contrast.text'\nwhy = 'w'\n\
                    [checks.ignore.x]\npath = 'p'\nrules = ['r']\nreason = 'w'\n[theater]\ncast = ['designer', 'x', 'y']\n\
                    [notify]\nsecret = '$BASE'\n";

/// There is one version of the protocol, so no other value of the key to try.
const ONLY_ONE_VALUE: &str = "theater.protocol_version";

/// A value of the key's kind that is neither its default nor what [`BASE`] has.
fn sample(key: &Key) -> String {
    match key.kind {
        // What must fit something else.
        ValueKind::Text if key.path == "seats.*.agent" => "y".to_owned(),
        ValueKind::List { .. } if key.path == "theater.cast" => "designer,x".to_owned(),
        ValueKind::List { .. } if key.path == "checks.widths" => "375".to_owned(),
        ValueKind::List { .. } if key.path == "checks.schemes" => "dark".to_owned(),
        ValueKind::List { .. } if key.path == "notify.on" => "ended".to_owned(),
        ValueKind::List { .. } if key.path == "proof.anchor" => "note".to_owned(),
        ValueKind::Number { .. } if key.path == "theater.score_threshold" => "0.000001".to_owned(),
        ValueKind::Text | ValueKind::Brief | ValueKind::Path | ValueKind::Name | ValueKind::List { .. } => {
            "sample".to_owned()
        }
        ValueKind::Url => "http://localhost".to_owned(),
        ValueKind::Secret => "$SAMPLE".to_owned(),
        ValueKind::Bool => (key.default != Some("true")).to_string(),
        ValueKind::Integer { max, .. } | ValueKind::Number { max, .. } | ValueKind::Bytes { max, .. } => {
            max.to_string()
        }
        ValueKind::Usd => "0.000001".to_owned(),
        ValueKind::Duration => "365d".to_owned(),
        ValueKind::Word(words) => (*words.iter().rfind(|word| key.default != Some(word)).unwrap()).to_owned(),
    }
}

fn path(key: &Key) -> String {
    key.path.replace('*', "x")
}

#[test]
fn every_key_reaches_the_typed_configuration() {
    let base = loaded(&project(BASE)).config;
    for key in KEYS.iter().filter(|key| key.path != ONLY_ONE_VALUE) {
        for spelling in std::iter::once(key.path).chain(key.aliases.iter().copied()) {
            let sources = project(BASE).flag(&spelling.replace('*', "x"), &sample(key));
            assert_ne!(loaded(&sources).config, base, "`{spelling}` changes nothing");
        }
    }
}

#[test]
fn every_field_of_the_typed_configuration_has_a_key() {
    let mut sources = project(BASE);
    for key in KEYS.iter().filter(|key| key.path != "review.asset") {
        sources = sources.flag(&path(key), &sample(key));
    }
    let keys: BTreeSet<String> = KEYS.iter().map(path).collect();
    let mut fields = BTreeSet::new();
    // An empty configuration has every optional field as null, so none can hide by never being set.
    for config in [loaded(&sources).config, loaded(&project(BASE)).config] {
        leaves(&serde_json::to_value(config).unwrap(), String::new(), &keys, &mut fields);
    }
    fields.retain(|field| !field.contains(".y."));
    let missing: Vec<_> = fields.difference(&keys).collect();
    assert!(missing.is_empty(), "no key for {missing:?}");
    let unreached: Vec<_> = keys.difference(&fields).collect();
    assert_eq!(unreached, ["review.asset"], "it becomes `review.assets`");
}

/// Paths down to a key, or to what is not an object.
fn leaves(value: &Value, path: String, keys: &BTreeSet<String>, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) if !keys.contains(&path) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                leaves(value, path, keys, found);
            }
        }
        _ => drop(found.insert(path)),
    }
}

#[test]
fn the_largest_and_smallest_values_fit_their_fields() {
    for key in KEYS {
        let (ValueKind::Integer { min, max } | ValueKind::Bytes { min, max }) = key.kind else { continue };
        for number in [min, max] {
            loaded(&project(BASE).flag(&path(key), &number.to_string()));
        }
        for number in [min.checked_sub(1), max.checked_add(1)].into_iter().flatten() {
            assert!(load(&project(BASE).flag(&path(key), &number.to_string())).is_err(), "{} = {number}", key.path);
        }
    }
}

#[test]
fn the_largest_and_smallest_numbers_fit_their_fields() {
    // Nothing else stands in the way: the widest scale, the lowest threshold, and `y` with what `x` leaves.
    let around = |number: &str| {
        let rest = if number == "0" { "1" } else { "0" };
        project(BASE)
            .flag("theater.score_scale", "100")
            .flag("theater.score_threshold", "0")
            .flag("theater.weights.x", "1")
            .flag("theater.weights.y", rest)
    };
    for key in KEYS {
        let ValueKind::Number { min, max } = key.kind else { continue };
        for number in [min.to_string(), max.to_string()] {
            let mut sources = around(&number);
            if key.path != "theater.weights.*" {
                sources = around("1");
            }
            loaded(&sources.flag(&path(key), &number));
        }
        let below = min.checked_sub(1).map(|below| format!("{below}.999999"));
        for number in below.into_iter().chain([format!("{max}.000001")]) {
            assert!(load(&around("1").flag(&path(key), &number)).is_err(), "{} = {number}", key.path);
        }
    }
}

#[test]
fn every_word_fits_its_field() {
    for key in KEYS {
        let ValueKind::Word(words) = key.kind else { continue };
        for word in words {
            loaded(&project(BASE).flag("agents.x.command", "true").flag(&path(key), word));
        }
    }
}

#[test]
fn every_default_loads_without_any_source() {
    let loaded = load(&tribunal_config::Sources::default()).unwrap();
    let expected: Vec<&str> = KEYS.iter().filter(|key| key.default.is_some()).map(|key| key.path).collect();
    let defaults: Vec<&str> = loaded.settings.iter().map(|setting| setting.key.as_str()).collect();
    assert_eq!(defaults, expected);
    assert_eq!(loaded.dir.as_os_str(), "");
    assert_snapshot!(serde_json::to_string_pretty(&loaded.config).unwrap(), @r#"
    {
      "run": {
        "loop": "review",
        "brief": null,
        "attachments": [],
        "workspace": ".",
        "max_retries": 2,
        "anchor": null,
        "sandbox": "auto",
        "when_parked": "wait"
      },
      "agents": {},
      "seats": {},
      "limits": {
        "usd": null,
        "tokens": null,
        "wall": null,
        "rounds": null,
        "stop_when_left": null,
        "turn": 600000,
        "idle": 120000,
        "grace": 2000,
        "output": 8388608,
        "unpriced": "refuse"
      },
      "controls": {
        "per_judge": 1,
        "min_catch": 500000,
        "share": 300000,
        "fresh": 604800000
      },
      "notify": {
        "on": [
          "needs_person",
          "ended",
          "parked",
          "agent"
        ],
        "desktop": false,
        "webhook": null,
        "secret": null,
        "command": null,
        "url": null,
        "link_expires": 86400000,
        "parked_after": 300000
      },
      "proof": {
        "anchor": [],
        "file": "tribunal-heads.txt",
        "key": null
      },
      "prices": {},
      "waive": {},
      "checks": {
        "eyes": "auto",
        "browser": null,
        "widths": [
          1280
        ],
        "schemes": [
          "light"
        ],
        "root": null,
        "site_root": null,
        "links": {
          "built": []
        },
        "levels": {},
        "ignore": {}
      },
      "copy": {
        "banned": [],
        "preferred": {},
        "names": []
      },
      "review": {
        "assets": [],
        "max_iterations": 3,
        "locked_assets": [
          "slug",
          "title_detail",
          "title_seo",
          "subtitle_auphonic"
        ],
        "stop_in_circles": false,
        "stop_on_needs_human": false
      },
      "theater": {
        "enabled": true,
        "policy": "always",
        "panel": "seats",
        "cast": [
          "designer",
          "critic",
          "brand",
          "a11y",
          "copy"
        ],
        "max_rounds": 3,
        "score_scale": 10000000,
        "score_threshold": 8000000,
        "weights": {},
        "per_round_timeout_ms": 90000,
        "total_timeout_ms": 240000,
        "parser_max_block_bytes": 262144,
        "fallback_policy": "ship_best",
        "protocol_version": 1,
        "max_concurrent_runs": null,
        "design": null,
        "source": null,
        "artifact": null
      },
      "joust": {
        "name": "draft",
        "jousters": [
          "editor"
        ],
        "linters": [
          "main"
        ],
        "scorers": [
          "main"
        ],
        "specialists": [],
        "anchor_kind": null,
        "max_rounds": 5,
        "max_retries": 3,
        "max_summons_per_round": 1,
        "compaction_threshold": 10,
        "plateau_rounds": 2,
        "plateau_epsilon": 20000,
        "quorum": 1,
        "allow_commands": false,
        "scoring": [],
        "pause_every": 0,
        "time_box": null
      },
      "desk": {
        "slug": null,
        "root": null,
        "max_iter": 100,
        "ladder": null,
        "verifier_ladder": null,
        "worker_model": null,
        "verifier_model": null,
        "roll_back": false,
        "stale_after": 3,
        "max_consecutive_failures": 6,
        "checks_network": false,
        "verifier_network": true,
        "check_timeout": 600000,
        "mutants": "report",
        "writable": [],
        "carry": [],
        "setup": []
      },
      "judge": {
        "range": null,
        "checks": [],
        "verifiers": [],
        "quorum": 1,
        "may_change": [],
        "mutants": 20,
        "check_timeout": 600000,
        "refusals": 3,
        "network": false,
        "carry": [],
        "setup": []
      }
    }
    "#);
}

#[test]
fn the_typed_configuration_survives_serde() {
    let config = loaded(
        &project(BASE)
            .flag("run.brief", "brief.md")
            .flag("limits.wall", "1h")
            .flag("theater.weights.x", "0.999")
            .flag("theater.score_threshold", "8.5"),
    )
    .config;
    let json = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<Config>(&json).unwrap(), config);
}

#[test]
fn the_table_is_sound() {
    let mut seen = BTreeSet::new();
    let mut variables = BTreeSet::new();
    for key in KEYS {
        for spelling in std::iter::once(key.path).chain(key.aliases.iter().copied()) {
            assert!(seen.insert(spelling), "`{spelling}` twice");
        }
        assert!(variables.insert(key.variable()), "`{}` twice", key.variable());
        assert!(!RESERVED.contains(&key.variable().as_str()), "`{}` is reserved", key.variable());
        assert!(!key.required || key.path.contains('*'), "`{}`: only what is named can lack something", key.path);
        assert!(key.path.matches('*').count() <= 1, "`{}`: one name a path", key.path);
        if let Some(rival) = key.rival {
            let rival = KEYS.iter().find(|other| other.path == rival).unwrap();
            assert_eq!(rival.rival, Some(key.path));
            assert!(key.default.is_none() && !key.path.contains('*'), "`{}`", key.path);
        }
        assert!(!key.doc.ends_with('.') && !key.doc.contains('|'), "`{}`: {}", key.path, key.doc);
    }
}

#[test]
fn the_reference_lists_every_key() {
    assert_snapshot!(markdown(), @r#"
    | key | value | default | environment | |
    |---|---|---|---|---|
    | `run.loop` | `review`, `theater`, `joust`, `desk` or `judge` | `review` | `TRIBUNAL_RUN_LOOP` | the loop to run |
    | `run.brief` | a text, or the path of a file | – | `TRIBUNAL_RUN_BRIEF` | what is wanted: the text itself, or a file that contains it |
    | `run.attachments` | a list of paths | `[]` | `TRIBUNAL_RUN_ATTACHMENTS` | files to show along with the brief: images (PNG, JPEG, GIF, WebP) and texts |
    | `run.workspace` | a path | `.` | `TRIBUNAL_RUN_WORKSPACE` | the folder to work in; by default that of `tribunal.toml`; also `review.workspace`, `workspace` |
    | `run.max_retries` | a whole number from 0 to 10 | `2` | `TRIBUNAL_RUN_MAX_RETRIES` | how many times to retry a turn that failed or did not parse; also `review.max_retries` |
    | `run.anchor` | a path | – | `TRIBUNAL_RUN_ANCHOR` | the file with the anchor to judge drafts against, besides the brief; also `joust.anchor` |
    | `run.sandbox` | `auto`, `bubblewrap`, `landlock` or `none` | `auto` | `TRIBUNAL_RUN_SANDBOX` | the sandbox for commands, workers and verifiers; `auto` picks the strongest that works here |
    | `run.when_parked` | `wait` or `leave` | `wait` | `TRIBUNAL_RUN_WHEN_PARKED` | what a command does while a run only waits for providers that take no requests: `wait` until they do, or `leave` it to whoever continues it (exit code 3) |
    | `agents.*.kind` | `claude`, `codex`, `gemini`, `opencode`, `qwen`, `copilot`, `goose`, `acp`, `http`, `command`, `house`, `human` or `replay` | required | `TRIBUNAL_AGENTS_<NAME>_KIND` | the kind of agent |
    | `agents.*.command` | a list: the program, then its arguments | – | `TRIBUNAL_AGENTS_<NAME>_COMMAND` | the program to run and its arguments |
    | `agents.*.model` | some text | – | `TRIBUNAL_AGENTS_<NAME>_MODEL` | the model, by the agent's own name for it |
    | `agents.*.effort` | `low`, `medium` or `high` | – | `TRIBUNAL_AGENTS_<NAME>_EFFORT` | how hard the model thinks, for agents that support it |
    | `agents.*.tools` | `none` or `read` | – | `TRIBUNAL_AGENTS_<NAME>_TOOLS` | whether an HTTP model may read the files of the workspace; by default it may not |
    | `agents.*.controls` | `true` or `false` | – | `TRIBUNAL_AGENTS_<NAME>_CONTROLS` | whether its votes as a judge are controlled: by default those of models are, and those of programs and people are not |
    | `agents.*.fallback` | some text | – | `TRIBUNAL_AGENTS_<NAME>_FALLBACK` | the agent that takes its turns over while its provider takes no requests, instead of waiting; judges wait |
    | `agents.*.persona` | a text, or the path of a file | – | `TRIBUNAL_AGENTS_<NAME>_PERSONA` | who it is: a text that every prompt of it begins with, or a file that contains it |
    | `agents.*.run` | some text | – | `TRIBUNAL_AGENTS_<NAME>_RUN` | the run whose answers are replayed |
    | `agents.*.provider` | some text | – | `TRIBUNAL_AGENTS_<NAME>_PROVIDER` | the HTTP API to use: anthropic, openai, openai-chat, gemini, or the name of a compatible one |
    | `agents.*.base_url` | a URL such as `http://127.0.0.1:8080/v1` | – | `TRIBUNAL_AGENTS_<NAME>_BASE_URL` | the URL of an HTTP model, without credentials |
    | `agents.*.api_key` | the name of an environment variable such as `$OPENAI_API_KEY` | – | `TRIBUNAL_AGENTS_<NAME>_API_KEY` | the environment variable with the API key, as `$NAME`; never the key itself |
    | `agents.*.env` | a list of names of environment variables | – | `TRIBUNAL_AGENTS_<NAME>_ENV` | environment variables to pass on, besides the default ones |
    | `agents.*.cwd` | a path | – | `TRIBUNAL_AGENTS_<NAME>_CWD` | the folder to start the agent in |
    | `agents.*.reserve_usd` | an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50` | – | `TRIBUNAL_AGENTS_<NAME>_RESERVE_USD` | money to reserve before each of its turns |
    | `agents.*.reserve_tokens` | a whole number from 0 to 1000000000000 | – | `TRIBUNAL_AGENTS_<NAME>_RESERVE_TOKENS` | tokens to reserve before each of its turns |
    | `agents.*.turn` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | – | `TRIBUNAL_AGENTS_<NAME>_TURN` | the time limit of its turns, instead of `limits.turn` |
    | `agents.*.idle` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | – | `TRIBUNAL_AGENTS_<NAME>_IDLE` | how long it may be silent, instead of `limits.idle` |
    | `agents.*.output` | a size such as `64KiB` or `8MiB`, from 1KiB to 1GiB | – | `TRIBUNAL_AGENTS_<NAME>_OUTPUT` | how much one of its turns may print, instead of `limits.output` |
    | `seats.*.agent` | some text | required | `TRIBUNAL_SEATS_<NAME>_AGENT` | the agent in this seat |
    | `seats.*.model` | some text | – | `TRIBUNAL_SEATS_<NAME>_MODEL` | the model in this seat, instead of the agent's own |
    | `seats.*.persona` | a text, or the path of a file | – | `TRIBUNAL_SEATS_<NAME>_PERSONA` | who it is in this seat, instead of the agent's own |
    | `seats.*.effort` | `low`, `medium` or `high` | – | `TRIBUNAL_SEATS_<NAME>_EFFORT` | how hard it thinks in this seat, instead of the agent's own |
    | `prices.*.input` | an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50` | required | `TRIBUNAL_PRICES_<NAME>_INPUT` | the price of a model for a million input tokens, instead of the listed one; the name is exact, or ends with `*` |
    | `prices.*.cached` | an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50` | – | `TRIBUNAL_PRICES_<NAME>_CACHED` | the price for a million input tokens from the provider's cache |
    | `prices.*.cache_write` | an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50` | – | `TRIBUNAL_PRICES_<NAME>_CACHE_WRITE` | the price for a million input tokens that the provider puts into its cache |
    | `prices.*.output` | an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50` | required | `TRIBUNAL_PRICES_<NAME>_OUTPUT` | the price for a million output tokens |
    | `prices.*.max_output` | a whole number from 1 to 1000000000000 | – | `TRIBUNAL_PRICES_<NAME>_MAX_OUTPUT` | the most tokens that the model answers with |
    | `limits.usd` | an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50` | – | `TRIBUNAL_LIMITS_USD` | how much a run may spend; no limit if not set |
    | `limits.tokens` | a whole number from 0 to 1000000000000 | – | `TRIBUNAL_LIMITS_TOKENS` | how many tokens a run may use; no limit if not set |
    | `limits.wall` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | – | `TRIBUNAL_LIMITS_WALL` | how long a run may take; no limit if not set |
    | `limits.rounds` | a whole number from 1 to 1000 | – | `TRIBUNAL_LIMITS_ROUNDS` | how many rounds a run may have; no limit if not set |
    | `limits.stop_when_left` | a number from 0 to 1000 with at most six decimals | – | `TRIBUNAL_LIMITS_STOP_WHEN_LEFT` | no further round where so few faults are likely left, by how often judges found the same; it never makes a run pass |
    | `limits.turn` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `10m` | `TRIBUNAL_LIMITS_TURN` | how long a turn may take |
    | `limits.idle` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `2m` | `TRIBUNAL_LIMITS_IDLE` | how long an agent may be silent |
    | `limits.grace` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `2s` | `TRIBUNAL_LIMITS_GRACE` | how long a process has to stop before it is killed |
    | `limits.output` | a size such as `64KiB` or `8MiB`, from 1KiB to 1GiB | `8MiB` | `TRIBUNAL_LIMITS_OUTPUT` | how much a turn may print |
    | `limits.unpriced` | `refuse` or `allow` | `refuse` | `TRIBUNAL_LIMITS_UNPRICED` | whether a run with a limit on money may have seats whose price nobody knows |
    | `controls.per_judge` | a whole number from 0 to 5 | `1` | `TRIBUNAL_CONTROLS_PER_JUDGE` | how many drafts with planted faults every judge is shown that is a model; 0 turns controls off |
    | `controls.min_catch` | a number from 0 to 1 with at most six decimals | `0.5` | `TRIBUNAL_CONTROLS_MIN_CATCH` | the share of planted faults that a judge has to catch; below it, it has no vote |
    | `controls.share` | a number from 0 to 1 with at most six decimals | `0.3` | `TRIBUNAL_CONTROLS_SHARE` | the share of `limits.usd` that control calls may take |
    | `controls.fresh` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `7d` | `TRIBUNAL_CONTROLS_FRESH` | how long a passed control counts for the same agent, model and format |
    | `notify.on` | a list of `needs_person`, `ended`, `parked` or `agent`, at least one | `needs_person,ended,parked,agent` | `TRIBUNAL_NOTIFY_ON` | what to send messages about: a run needs a person, has ended, a turn waits for its provider, or an agent fails its conformance cycle |
    | `notify.desktop` | `true` or `false` | `false` | `TRIBUNAL_NOTIFY_DESKTOP` | whether to show messages on this desktop, with `notify-send` |
    | `notify.webhook` | a URL such as `http://127.0.0.1:8080/v1` | – | `TRIBUNAL_NOTIFY_WEBHOOK` | where to post messages, as signed JSON |
    | `notify.secret` | the name of an environment variable such as `$OPENAI_API_KEY` | – | `TRIBUNAL_NOTIFY_SECRET` | the environment variable with the secret that posted messages are signed with, as `$NAME`; never the secret itself |
    | `notify.command` | a list: the program, then its arguments | – | `TRIBUNAL_NOTIFY_COMMAND` | a program to start for each message, which gets it as JSON on stdin |
    | `notify.url` | a URL such as `http://127.0.0.1:8080/v1` | – | `TRIBUNAL_NOTIFY_URL` | the URL at which people reach `tribunal serve`, for links in messages; by default the address that it listens on |
    | `notify.link_expires` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `1d` | `TRIBUNAL_NOTIFY_LINK_EXPIRES` | how long the links in a message can be used to answer |
    | `notify.parked_after` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `5m` | `TRIBUNAL_NOTIFY_PARKED_AFTER` | how long a turn has to wait for its provider before a message is sent |
    | `proof.anchor` | a list of `file`, `note` or `trailer` | `[]` | `TRIBUNAL_PROOF_ANCHOR` | where to write the hash that a run's log ends with, so that others keep it: a `file`, a git `note`, or the `trailer` of a commit that `adopt` makes |
    | `proof.file` | a path | `tribunal-heads.txt` | `TRIBUNAL_PROOF_FILE` | the file for `anchor = ["file"]`: one line per run |
    | `proof.key` | a path | – | `TRIBUNAL_PROOF_KEY` | the SSH key that `tribunal proof` signs with: a private key, or a public key whose private half is in ssh-agent |
    | `waive.*.code` | some text | required | `TRIBUNAL_WAIVE_<NAME>_CODE` | the measurement to waive, as `[[waive]]`: its code, such as `contrast.text` |
    | `waive.*.target` | some text | – | `TRIBUNAL_WAIVE_<NAME>_TARGET` | words of the finding, such as its place, where alone it is waived; by default everywhere |
    | `waive.*.why` | some text | required | `TRIBUNAL_WAIVE_<NAME>_WHY` | the reason, which is recorded and shown |
    | `checks.eyes` | `auto`, `static` or `browser` | `auto` | `TRIBUNAL_CHECKS_EYES` | who looks at pages: `static` is the built-in cascade, `browser` a Chrome or Chromium, `auto` a browser where there is one |
    | `checks.browser` | a path | – | `TRIBUNAL_CHECKS_BROWSER` | the Chrome or Chromium to look with; by default the first one on PATH |
    | `checks.widths` | a list of widths in pixels such as `[1280, 375]`, at least one | `1280` | `TRIBUNAL_CHECKS_WIDTHS` | the widths of the windows that a browser shows a page in |
    | `checks.schemes` | a list of `light` or `dark`, at least one | `light` | `TRIBUNAL_CHECKS_SCHEMES` | the colour schemes that a browser shows a page in |
    | `checks.root` | a path | – | `TRIBUNAL_CHECKS_ROOT` | the folder that links of pages stay inside of; by default that of the repository |
    | `checks.site_root` | a path | – | `TRIBUNAL_CHECKS_SITE_ROOT` | the folder that `/` in links means; by default nobody knows |
    | `checks.links.built` | a list of texts | `[]` | `TRIBUNAL_CHECKS_LINKS_BUILT` | folders that a build makes: links to what is below them are left alone |
    | `checks.levels.*` | `must`, `should`, `note` or `off` | – | – | how grave findings of a rule are, under its id, such as `contrast.text`; `tribunal explain` lists them |
    | `checks.ignore.*.path` | some text | required | `TRIBUNAL_CHECKS_IGNORE_<NAME>_PATH` | files to excuse, in `[[checks.ignore]]`: a glob such as `vendor/**`, from the folder of `tribunal.toml` |
    | `checks.ignore.*.rules` | a list of texts, at least one | required | `TRIBUNAL_CHECKS_IGNORE_<NAME>_RULES` | the rules to excuse them from |
    | `checks.ignore.*.reason` | some text | required | `TRIBUNAL_CHECKS_IGNORE_<NAME>_REASON` | the reason, which reports show |
    | `copy.banned` | a list of texts | `[]` | `TRIBUNAL_COPY_BANNED` | words and phrases that texts must not have |
    | `copy.preferred.*` | some text | – | – | what to write instead of a word or phrase, under the word itself |
    | `copy.names` | a list of texts | `[]` | `TRIBUNAL_COPY_NAMES` | names that stay as they are: no rule about words looks at them |
    | `review.asset` | a name such as `title_seo`: lower-case letters, digits and `_`, starting with a letter | – | `TRIBUNAL_REVIEW_ASSET` | the asset to work on |
    | `review.assets` | a list of names such as `["slug", "title_seo"]`, at least one | – | `TRIBUNAL_REVIEW_ASSETS` | several assets to work on, each as a run of its own |
    | `review.max_iterations` | a whole number from 1 to 1000 | `3` | `TRIBUNAL_REVIEW_MAX_ITERATIONS` | how many drafts to make before asking a person |
    | `review.locked_assets` | a list of names such as `["slug", "title_seo"]` | `slug,title_detail,title_seo,subtitle_auphonic` | `TRIBUNAL_REVIEW_LOCKED_ASSETS` | assets that may not change once a candidate is selected |
    | `review.stop_in_circles` | `true` or `false` | `false` | `TRIBUNAL_REVIEW_STOP_IN_CIRCLES` | whether a run ends that brings back a draft or a finding it had settled |
    | `review.stop_on_needs_human` | `true` or `false` | `false` | `TRIBUNAL_REVIEW_STOP_ON_NEEDS_HUMAN` | whether a reviewer's `needs_human` ends the run |
    | `theater.enabled` | `true` or `false` | `true` | `TRIBUNAL_THEATER_ENABLED` | whether to use a panel; without it, the designer makes a single pass |
    | `theater.policy` | `always`, `on-demand` or `off` | `always` | `TRIBUNAL_THEATER_POLICY` | when to use the panel, unless a brief or skill says otherwise |
    | `theater.panel` | `single` or `seats` | `seats` | `TRIBUNAL_THEATER_PANEL` | whether one agent plays all roles, or every role has its own seat and agent |
    | `theater.cast` | a list of names such as `["slug", "title_seo"]`, at least one | `designer,critic,brand,a11y,copy` | `TRIBUNAL_THEATER_CAST` | the roles: `designer` and the judges |
    | `theater.max_rounds` | a whole number from 1 to 10 | `3` | `TRIBUNAL_THEATER_MAX_ROUNDS` | how many rounds to run before the fallback policy decides |
    | `theater.score_scale` | a number from 1 to 100 with at most six decimals | `10` | `TRIBUNAL_THEATER_SCORE_SCALE` | the highest score a judge can give |
    | `theater.score_threshold` | a number from 0 to 100 with at most six decimals | `8.0` | `TRIBUNAL_THEATER_SCORE_THRESHOLD` | the composite score that a round needs to ship; at most the scale |
    | `theater.weights.*` | a number from 0 to 1 with at most six decimals | – | `TRIBUNAL_THEATER_WEIGHTS_<NAME>` | a judge's share of the composite score; if any is set, judges without one count 0, and all must add up to 1 |
    | `theater.per_round_timeout_ms` | a whole number from 1000 to 86400000 | `90000` | `TRIBUNAL_THEATER_PER_ROUND_TIMEOUT_MS` | how long a round may take, in milliseconds |
    | `theater.total_timeout_ms` | a whole number from 1000 to 86400000 | `240000` | `TRIBUNAL_THEATER_TOTAL_TIMEOUT_MS` | how long all rounds together may take, in milliseconds |
    | `theater.parser_max_block_bytes` | a whole number from 1024 to 1073741824 | `262144` | `TRIBUNAL_THEATER_PARSER_MAX_BLOCK_BYTES` | how many bytes a block of the panel's stream may have |
    | `theater.fallback_policy` | `ship_best`, `ship_last` or `fail` | `ship_best` | `TRIBUNAL_THEATER_FALLBACK_POLICY` | what ships if the last round does not reach the threshold |
    | `theater.protocol_version` | `1` | `1` | `TRIBUNAL_THEATER_PROTOCOL_VERSION` | the version of the panel's stream |
    | `theater.max_concurrent_runs` | a whole number from 1 to 1024 | – | `TRIBUNAL_THEATER_MAX_CONCURRENT_RUNS` | how many theaters may run at once, others wait; by default one per core |
    | `theater.design` | a path | – | `TRIBUNAL_THEATER_DESIGN` | the design file to judge the brand by |
    | `theater.source` | a path | – | `TRIBUNAL_THEATER_SOURCE` | a page or text to start from |
    | `theater.artifact` | a name such as `title_seo`: lower-case letters, digits and `_`, starting with a letter | – | `TRIBUNAL_THEATER_ARTIFACT` | the name of the artifact |
    | `joust.name` | a name such as `title_seo`: lower-case letters, digits and `_`, starting with a letter | `draft` | `TRIBUNAL_JOUST_NAME` | the name of the draft |
    | `joust.jousters` | a list of names such as `["slug", "title_seo"]`, at least one | `editor` | `TRIBUNAL_JOUST_JOUSTERS` | the seats that rewrite the draft, in this order |
    | `joust.linters` | a list of names such as `["slug", "title_seo"]`, at least one | `main` | `TRIBUNAL_JOUST_LINTERS` | the seats that judge rules that need an opinion |
    | `joust.scorers` | a list of names such as `["slug", "title_seo"]`, at least one | `main` | `TRIBUNAL_JOUST_SCORERS` | the seats that score the dimensions of a rubric |
    | `joust.specialists` | a list of names such as `["slug", "title_seo"]` | – | `TRIBUNAL_JOUST_SPECIALISTS` | the seats that can be summoned |
    | `joust.anchor_kind` | `invariants`, `acceptance`, `exemplars`, `assertions`, `rubric` or `goal` | – | `TRIBUNAL_JOUST_ANCHOR_KIND` | the kind of anchor, instead of the one the brief suggests |
    | `joust.max_rounds` | a whole number from 1 to 100 | `5` | `TRIBUNAL_JOUST_MAX_ROUNDS` | how many rounds to run at most |
    | `joust.max_retries` | a whole number from 1 to 10 | `3` | `TRIBUNAL_JOUST_MAX_RETRIES` | how many attempts a rewrite gets before its author is skipped |
    | `joust.max_summons_per_round` | a whole number from 0 to 10 | `1` | `TRIBUNAL_JOUST_MAX_SUMMONS_PER_ROUND` | how many specialists may be summoned in a round |
    | `joust.compaction_threshold` | a whole number from 1 to 1000 | `10` | `TRIBUNAL_JOUST_COMPACTION_THRESHOLD` | how many remarks to collect before they are summarized |
    | `joust.plateau_rounds` | a whole number from 1 to 100 | `2` | `TRIBUNAL_JOUST_PLATEAU_ROUNDS` | how many rounds without a gain end the run |
    | `joust.plateau_epsilon` | a number from 0 to 1 with at most six decimals | `0.02` | `TRIBUNAL_JOUST_PLATEAU_EPSILON` | an increase in score up to this does not count as a gain |
    | `joust.quorum` | a whole number from 1 to 2 | `1` | `TRIBUNAL_JOUST_QUORUM` | how many equal votes decide an item; linters with the same model of the same provider have one between them |
    | `joust.allow_commands` | `true` or `false` | `false` | `TRIBUNAL_JOUST_ALLOW_COMMANDS` | whether commands may run that the main seat writes into its anchor; `--allow-commands` says so for one run |
    | `joust.scoring` | a list of texts | – | `TRIBUNAL_JOUST_SCORING` | rubrics that drafts are scored by besides the anchor: files of kind `rubric`, each a strategy of its own |
    | `joust.pause_every` | a whole number from 0 to 100 | `0` | `TRIBUNAL_JOUST_PAUSE_EVERY` | stop after every so many rounds for you to look; `tribunal resume` continues; 0: never |
    | `joust.time_box` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | – | `TRIBUNAL_JOUST_TIME_BOX` | after so long no further round begins; the one that is open is played to its end |
    | `desk.slug` | some text | – | `TRIBUNAL_DESK_SLUG` | the campaign to work on |
    | `desk.root` | some text | – | `TRIBUNAL_DESK_ROOT` | the folder of the desk, relative to the workspace; by default `.claude/ralph-desk` or `.rlp-desk` if it exists, else `.tribunal/desk` |
    | `desk.max_iter` | a whole number from 1 to 10000 | `100` | `TRIBUNAL_DESK_MAX_ITER` | how many iterations to run at most |
    | `desk.ladder` | a list of texts | – | `TRIBUNAL_DESK_LADDER` | models of the worker, cheapest first; by default those of its kind (`claude`: haiku, sonnet, opus), empty for the agent's own |
    | `desk.verifier_ladder` | a list of texts | – | `TRIBUNAL_DESK_VERIFIER_LADDER` | models of the verifier, cheapest first; by default those of its kind |
    | `desk.worker_model` | some text | – | `TRIBUNAL_DESK_WORKER_MODEL` | the model of the worker, instead of the ladder |
    | `desk.verifier_model` | some text | – | `TRIBUNAL_DESK_VERIFIER_MODEL` | the model of the verifier, instead of the ladder |
    | `desk.roll_back` | `true` or `false` | `false` | `TRIBUNAL_DESK_ROLL_BACK` | whether to undo the work of an iteration whose claim fails |
    | `desk.stale_after` | a whole number from 1 to 100 | `3` | `TRIBUNAL_DESK_STALE_AFTER` | how many iterations without any change block the desk |
    | `desk.max_consecutive_failures` | a whole number from 1 to 100 | `6` | `TRIBUNAL_DESK_MAX_CONSECUTIVE_FAILURES` | how many failed iterations in a row block the desk |
    | `desk.checks_network` | `true` or `false` | `false` | `TRIBUNAL_DESK_CHECKS_NETWORK` | whether checks may use the network |
    | `desk.verifier_network` | `true` or `false` | `true` | `TRIBUNAL_DESK_VERIFIER_NETWORK` | whether the verifier may use the network; a model's command line needs it to reach the model |
    | `desk.check_timeout` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `10m` | `TRIBUNAL_DESK_CHECK_TIMEOUT` | how long a check may take |
    | `desk.mutants` | `report`, `gate` or `off` | `report` | `TRIBUNAL_DESK_MUTANTS` | what to do about changed lines that can be broken without a check noticing: tell the verifier, refuse the claim, or do not try |
    | `desk.writable` | a list of texts | – | `TRIBUNAL_DESK_WRITABLE` | folders that worker and verifier may write to besides their own; the state of known command lines is among them anyway |
    | `desk.carry` | a list of texts | – | `TRIBUNAL_DESK_CARRY` | folders that git ignores and checks need, such as `node_modules` or `.venv`; by default these two, where they are |
    | `desk.setup` | a list of texts | – | `TRIBUNAL_DESK_SETUP` | commands that make what checks need and git does not have, such as `npm ci`: run once for each state of the lock files, with the network |
    | `judge.range` | some text | – | `TRIBUNAL_JUDGE_RANGE` | the change to judge: a branch, `A..B` or `A...B`; by default what is on the branch and what is not committed, against the main branch |
    | `judge.checks` | a list of texts | – | `TRIBUNAL_JUDGE_CHECKS` | the commands that prove the change; by default what the project's files show |
    | `judge.spec` | a path | – | `TRIBUNAL_JUDGE_SPEC` | the file that says what the change has to do; verifiers vote on each of its items. By default the messages of the commits |
    | `judge.verifiers` | a list of names such as `["slug", "title_seo"]` | – | `TRIBUNAL_JUDGE_VERIFIERS` | the seats that vote on whether the change does what it is asked to; by default `verifier` where there is a spec, and nobody otherwise |
    | `judge.quorum` | a whole number from 1 to 2 | `1` | `TRIBUNAL_JUDGE_QUORUM` | how many equal votes decide an item; verifiers with the same model of the same provider have one between them |
    | `judge.may_change` | a list of texts | – | `TRIBUNAL_JUDGE_MAY_CHANGE` | tests and files that steer them which the change may alter, such as `tests/api/…` or `**/*.snap`: their new form counts as given |
    | `judge.mutants` | a whole number from 0 to 500 | `20` | `TRIBUNAL_JUDGE_MUTANTS` | how many changed lines to break, one at a time, to see whether the checks notice; 0: none |
    | `judge.check_timeout` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `10m` | `TRIBUNAL_JUDGE_CHECK_TIMEOUT` | how long one run of a check may take |
    | `judge.refusals` | a whole number from 0 to 20 | `3` | `TRIBUNAL_JUDGE_REFUSALS` | how often in a row a session is refused by the stop hook before it is let through |
    | `judge.network` | `true` or `false` | `false` | `TRIBUNAL_JUDGE_NETWORK` | whether checks may use the network |
    | `judge.carry` | a list of texts | – | `TRIBUNAL_JUDGE_CARRY` | folders that git ignores and checks need, such as `node_modules` or `.venv`; by default these two, where they are |
    | `judge.setup` | a list of texts | – | `TRIBUNAL_JUDGE_SETUP` | commands that make what checks need and git does not have, such as `npm ci`: run once for each state of the lock files, with the network |
    "#);
}

#[test]
fn the_section_of_a_loop_has_the_keys_that_its_definition_lists() {
    for def in LOOPS.iter().map(|kind| kind.def()) {
        let section = format!("{}.", def.name);
        let rows = KEYS.iter().filter_map(|key| Some((key.path.strip_prefix(&section)?, key.doc, key.default)));
        let listed = def.keys.iter().map(|key| (key.name, key.doc, key.default));
        assert_eq!(rows.collect::<Vec<_>>(), listed.collect::<Vec<_>>(), "[{}]", def.name);

        let named = match def.round_limit {
            RoundLimit::Run { key } => Some(key),
            RoundLimit::Settings => None,
        };
        for key in named.into_iter().chain(def.most_at_once) {
            let row = KEYS.iter().find(|row| row.path == key).unwrap_or_else(|| panic!("`{key}` is not a key"));
            assert!(matches!(row.kind, ValueKind::Integer { .. }), "`{key}` is not a whole number");
        }
    }
}
