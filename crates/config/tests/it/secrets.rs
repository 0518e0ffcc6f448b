//! A secret that was written where it does not belong is refused, and is shown nowhere.

use insta::assert_snapshot;
use tribunal_config::{Sources, load};

use crate::{With as _, listing, loaded, project, report};

const SECRET: &str = "sk-live-0123456789abcdef";

const API: &str = "[agents.api]\nkind = 'http'\n";

#[test]
fn a_literal_key_is_refused() {
    assert_snapshot!(report(&project(&format!("{API}api_key = '{SECRET}'\n"))), @r#"
    tribunal.toml:3:1: `agents.api.api_key` holds a literal value (not shown), expected the name of an environment variable
      hint: put the secret into an environment variable and use its name: api_key = "$OPENAI_API_KEY" (in a shell, in single quotes); consider replacing a key that was in a file
    "#);
}

#[test]
fn other_places_for_a_secret_are_refused_too() {
    let text = format!("{API}env = ['OPENAI_API_KEY={SECRET}']\nbase_url = 'https://me:{SECRET}@example.com'\n");
    assert_snapshot!(report(&project(&text)), @"
    tribunal.toml:3:1: item 1 of `agents.api.env` is something else (not shown), expected the name of an environment variable
      hint: use the name only, without `$`, `=` or the value
    tribunal.toml:4:1: `agents.api.base_url` contains a user name, a query or a fragment (not shown), expected a plain URL
      hint: put the secret into an environment variable and set `api_key` to its name
    ");
    assert_snapshot!(report(&project(&format!("{API}env = 'OPENAI_API_KEY={SECRET}'"))), @r#"
    tribunal.toml:3:1: `agents.api.env` is a string, expected a list of names of environment variables
      hint: write it in brackets: ["…"]
    "#);
    assert_snapshot!(report(&project(&format!("{API}base_url = 'localhost:8080'"))), @"tribunal.toml:3:1: `agents.api.base_url` is `'localhost:8080'`, expected a URL such as `http://127.0.0.1:8080/v1`");
}

#[test]
fn no_part_of_a_secret_is_ever_shown() {
    let rows: Vec<(&str, Sources)> = vec![
        ("file", project(&format!("{API}api_key = '{SECRET}'"))),
        ("reference with more behind it", project(&format!("{API}api_key = '${SECRET}'"))),
        ("not a string", project(&format!("{API}api_key = ['{SECRET}']"))),
        ("table", project(&format!("{API}api_key = {{ value = '{SECRET}' }}"))),
        ("unquoted", project(&format!("{API}api_key = {SECRET}\n"))),
        ("unterminated", project(&format!("{API}api_key = '{SECRET}\n"))),
        ("misspelt key", project(&format!("{API}api_kye = '{SECRET}'"))),
        ("in place of the agent", project(&format!("agents.api = '{SECRET}'"))),
        ("user file", project(API).user(&format!("[agents.api]\napi_key = '{SECRET}'"))),
        ("variable", project(API).env("TRIBUNAL_AGENTS_API_API_KEY", SECRET)),
        ("unknown variable", project(&format!("{API}x = 1")).env("TRIBUNAL_AGENTS_API_KEY", SECRET)),
        ("flag", project(API).flag("agents.api.api_key", SECRET)),
        ("pass-through item", project(&format!("{API}env = ['{SECRET}']"))),
        ("pass-through text", project(API).flag("agents.api.env", &format!("K={SECRET}"))),
        ("pass-through broken list", project(API).flag("agents.api.env", &format!("['{SECRET}'"))),
        ("address", project(API).flag("agents.api.base_url", &format!("https://x/?key={SECRET}"))),
    ];
    for (row, sources) in rows {
        let errors = load(&sources).expect_err(row);
        let everything = format!("{errors} {errors:?} {}", report(&sources));
        for part in [SECRET, "sk-live", "012345"] {
            assert!(!everything.contains(part), "{row}: {everything}");
        }
    }
}

#[test]
fn a_note_about_a_variable_does_not_show_its_value() {
    let loaded = loaded(&project(API).env("TRIBUNAL_OPENAI_API_KEY", SECRET));
    assert_eq!(loaded.notes.len(), 1);
    assert!(!format!("{loaded:?}").contains(SECRET));
}

#[test]
fn a_reference_is_shown_as_one() {
    let loaded = loaded(&project(&format!("{API}api_key = '$OPENAI_API_KEY'\nenv = ['HTTPS_PROXY']\n")));
    assert_eq!(loaded.config.agents["api"].api_key.as_ref().unwrap().name(), "OPENAI_API_KEY");
    assert_snapshot!(listing(&loaded), @r#"
    agents.api.kind = http (tribunal.toml:2)
    agents.api.api_key = $OPENAI_API_KEY (tribunal.toml:3)
    agents.api.env = ["HTTPS_PROXY"] (tribunal.toml:4)
    "#);
}
