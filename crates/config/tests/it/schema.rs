//! The table of keys and the typed configuration say the same.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::Value;
use tribunal_config::{Config, KEYS, Key, Kind, RESERVED, load, markdown};

use crate::{With as _, loaded, project};

const BASE: &str = "[agents.x]\nkind = 'claude'\n[agents.y]\nkind = 'claude'\n[seats.x]\nagent = 'x'\n";

/// A value of the key's kind that is neither its default nor what [`BASE`] has.
fn sample(key: &Key) -> String {
    match key.kind {
        // The only text that must be a certain one.
        Kind::Text if key.path == "seats.*.agent" => "y".to_owned(),
        Kind::Text | Kind::Brief | Kind::Path | Kind::Name | Kind::List { .. } => "sample".to_owned(),
        Kind::Url => "http://localhost".to_owned(),
        Kind::Secret => "$SAMPLE".to_owned(),
        Kind::Bool => "true".to_owned(),
        Kind::Integer { max, .. } | Kind::Bytes { max, .. } => max.to_string(),
        Kind::Usd => "0.000001".to_owned(),
        Kind::Duration => "365d".to_owned(),
        Kind::Word(words) => (*words.last().unwrap()).to_owned(),
    }
}

fn path(key: &Key) -> String {
    key.path.replace('*', "x")
}

#[test]
fn every_key_reaches_the_typed_configuration() {
    let base = loaded(&project(BASE)).config;
    for key in KEYS {
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
        let (Kind::Integer { min, max } | Kind::Bytes { min, max }) = key.kind else { continue };
        for number in [min, max] {
            loaded(&project(BASE).flag(&path(key), &number.to_string()));
        }
        for number in [min.checked_sub(1), max.checked_add(1)].into_iter().flatten() {
            assert!(load(&project(BASE).flag(&path(key), &number.to_string())).is_err(), "{} = {number}", key.path);
        }
    }
}

#[test]
fn every_word_fits_its_field() {
    for key in KEYS {
        let Kind::Word(words) = key.kind else { continue };
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
        "workspace": ".",
        "max_retries": 2
      },
      "agents": {},
      "seats": {},
      "limits": {
        "usd": null,
        "tokens": null,
        "wall": null,
        "rounds": null,
        "turn": 600000,
        "idle": 120000,
        "grace": 2000,
        "output": 8388608
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
        "stop_on_needs_human": false
      }
    }
    "#);
}

#[test]
fn the_typed_configuration_survives_serde() {
    let config = loaded(&project(BASE).flag("run.brief", "brief.md").flag("limits.wall", "1h")).config;
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
    | `run.loop` | `review`, `joust`, `desk` or `theater` | `review` | `TRIBUNAL_RUN_LOOP` | the shape of the trial |
    | `run.brief` | a text, or the path of a file | – | `TRIBUNAL_RUN_BRIEF` | what is wanted: the text itself, or a file that holds it |
    | `run.workspace` | a path | `.` | `TRIBUNAL_RUN_WORKSPACE` | the folder that the run works on; by default that of `tribunal.toml`; also `review.workspace`, `workspace` |
    | `run.max_retries` | a whole number from 0 to 10 | `2` | `TRIBUNAL_RUN_MAX_RETRIES` | how often a turn that failed or did not parse is tried again; also `review.max_retries` |
    | `agents.*.kind` | `claude`, `codex`, `gemini`, `opencode`, `acp`, `http`, `command`, `house` or `human` | required | `TRIBUNAL_AGENTS_<NAME>_KIND` | what takes the agent's turns |
    | `agents.*.command` | a list: the program, then its arguments | – | `TRIBUNAL_AGENTS_<NAME>_COMMAND` | the program to run and its arguments |
    | `agents.*.model` | some text | – | `TRIBUNAL_AGENTS_<NAME>_MODEL` | the model, by the name that the agent knows it by |
    | `agents.*.provider` | some text | – | `TRIBUNAL_AGENTS_<NAME>_PROVIDER` | whose HTTP interface to speak: anthropic, openai, gemini, or a compatible one |
    | `agents.*.base_url` | an address such as `http://127.0.0.1:8080/v1` | – | `TRIBUNAL_AGENTS_<NAME>_BASE_URL` | the address of an HTTP model, without credentials |
    | `agents.*.api_key` | the name of an environment variable such as `$OPENAI_API_KEY` | – | `TRIBUNAL_AGENTS_<NAME>_API_KEY` | the environment variable that holds the key, as `$NAME`; never the key itself |
    | `agents.*.env` | a list of names of environment variables | – | `TRIBUNAL_AGENTS_<NAME>_ENV` | environment variables to pass on beyond the usual ones |
    | `agents.*.cwd` | a path | – | `TRIBUNAL_AGENTS_<NAME>_CWD` | the folder that the agent is started in |
    | `agents.*.reserve_usd` | an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50` | – | `TRIBUNAL_AGENTS_<NAME>_RESERVE_USD` | money set aside before each of its turns |
    | `agents.*.reserve_tokens` | a whole number from 0 to 1000000000000 | – | `TRIBUNAL_AGENTS_<NAME>_RESERVE_TOKENS` | tokens set aside before each of its turns |
    | `agents.*.turn` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | – | `TRIBUNAL_AGENTS_<NAME>_TURN` | the longest that one of its turns may take, instead of `limits.turn` |
    | `agents.*.idle` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | – | `TRIBUNAL_AGENTS_<NAME>_IDLE` | the longest that it may be silent, instead of `limits.idle` |
    | `agents.*.output` | a size such as `64KiB` or `8MiB`, from 1KiB to 1GiB | – | `TRIBUNAL_AGENTS_<NAME>_OUTPUT` | the most that one of its turns may print, instead of `limits.output` |
    | `seats.*.agent` | some text | required | `TRIBUNAL_SEATS_<NAME>_AGENT` | the agent that sits here |
    | `seats.*.model` | some text | – | `TRIBUNAL_SEATS_<NAME>_MODEL` | the model in this seat, instead of the agent's own |
    | `limits.usd` | an amount in US dollars from 0 to 1000000000.00 with at most six decimals, such as `2.50` | – | `TRIBUNAL_LIMITS_USD` | the most that a run may spend; no limit if not set |
    | `limits.tokens` | a whole number from 0 to 1000000000000 | – | `TRIBUNAL_LIMITS_TOKENS` | the most tokens that a run may use; no limit if not set |
    | `limits.wall` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | – | `TRIBUNAL_LIMITS_WALL` | the longest that a run may take; no limit if not set |
    | `limits.rounds` | a whole number from 1 to 1000 | – | `TRIBUNAL_LIMITS_ROUNDS` | the most rounds that a run may have; no limit if not set |
    | `limits.turn` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `10m` | `TRIBUNAL_LIMITS_TURN` | the longest that a turn may take |
    | `limits.idle` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `2m` | `TRIBUNAL_LIMITS_IDLE` | the longest that an agent may be silent |
    | `limits.grace` | a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most 365d | `2s` | `TRIBUNAL_LIMITS_GRACE` | how long a process that is asked to stop has before it is killed |
    | `limits.output` | a size such as `64KiB` or `8MiB`, from 1KiB to 1GiB | `8MiB` | `TRIBUNAL_LIMITS_OUTPUT` | the most that a turn may print |
    | `review.asset` | a name such as `title_seo`: lower-case letters, digits and `_`, a letter first | – | `TRIBUNAL_REVIEW_ASSET` | the asset to work on |
    | `review.assets` | a list of names such as `["slug", "title_seo"]`, at least one | – | `TRIBUNAL_REVIEW_ASSETS` | several assets to work on, each as a run of its own |
    | `review.max_iterations` | a whole number from 1 to 1000 | `3` | `TRIBUNAL_REVIEW_MAX_ITERATIONS` | how many drafts there are before a person is asked |
    | `review.locked_assets` | a list of names such as `["slug", "title_seo"]` | `slug,title_detail,title_seo,subtitle_auphonic` | `TRIBUNAL_REVIEW_LOCKED_ASSETS` | assets whose content may not change once it is selected |
    | `review.stop_on_needs_human` | `true` or `false` | `false` | `TRIBUNAL_REVIEW_STOP_ON_NEEDS_HUMAN` | whether a reviewer's `needs_human` ends the run |
    "#);
}
