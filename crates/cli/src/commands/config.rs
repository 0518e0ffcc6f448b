//! `tribunal config`: every setting and where it came from.

use serde_json::json;
use std::borrow::Cow;
use tribunal_app::{Exit, Project};
use tribunal_config::EffectiveSetting;

use super::print_json;
use crate::args::Global;

pub(super) fn config(project: &Project, global: &Global) -> Exit {
    let settings = &project.loaded.settings;
    if global.json {
        let settings: Vec<_> = settings
            .iter()
            .map(|setting| json!({"key": setting.key, "value": shown(setting), "origin": setting.origin.to_string()}))
            .collect();
        print_json(&json!({ "dir": project.root(), "settings": settings }));
        return Exit::Pass;
    }
    let width = |of: fn(&EffectiveSetting) -> usize| settings.iter().map(of).max().unwrap_or_default();
    let (keys, values) = (width(|setting| setting.key.len()), width(|setting| shown(setting).chars().count()).min(48));
    for setting in settings {
        println!("{:keys$}  {:values$}  {}", setting.key, shown(setting), setting.origin);
    }
    Exit::Pass
}

/// A value as it may be seen. Whoever knows the path of a hook can post to it.
fn shown(setting: &EffectiveSetting) -> Cow<'_, str> {
    let value = setting.value.as_str();
    if setting.key == "notify.webhook" { hook(value) } else { value.into() }
}

/// The address of a hook without its path.
fn hook(value: &str) -> Cow<'_, str> {
    let quote = if value.ends_with('"') { "\"" } else { "" };
    let begin = value.find("://").map_or(0, |at| at + "://".len());
    match value[begin..].find(['/', '?']) {
        Some(at) if !matches!(value[begin + at..].trim_end_matches('"'), "/" | "?") => {
            format!("{}/…{quote}", &value[..begin + at]).into()
        }
        _ => value.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_shown_without_what_lets_one_post() {
        for (value, expected) in [
            ("https://hooks.example/services/T0/B1/secret", "https://hooks.example/…"),
            ("\"https://hooks.example/services/T0\"", "\"https://hooks.example/…\""),
            ("https://hooks.example?key=secret", "https://hooks.example/…"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ] {
            assert_eq!(hook(value), expected, "{value}");
        }
    }
}
