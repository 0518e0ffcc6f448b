//! `tribunal config`: every setting and where it came from.

use serde_json::json;
use tribunal_app::{Exit, Project};

use super::print_json;
use crate::args::Global;

pub(super) fn config(project: &Project, global: &Global) -> Exit {
    let settings = &project.loaded.settings;
    if global.json {
        let settings: Vec<_> = settings
            .iter()
            .map(|setting| json!({"key": setting.key, "value": setting.value, "origin": setting.origin.to_string()}))
            .collect();
        print_json(&json!({ "dir": project.root(), "settings": settings }));
        return Exit::Pass;
    }
    let width = |of: fn(&tribunal_config::EffectiveSetting) -> usize| settings.iter().map(of).max().unwrap_or_default();
    let (keys, values) = (width(|setting| setting.key.len()), width(|setting| setting.value.chars().count()).min(48));
    for setting in settings {
        println!("{:keys$}  {:values$}  {}", setting.key, setting.value, setting.origin);
    }
    Exit::Pass
}
