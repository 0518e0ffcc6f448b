//! `tribunal explain`: what a rule finds, why it matters and how to fix it.

use serde_json::{Value, json};
use tribunal_app::{AppError, Exit};
use tribunal_checks::{CheckRule, nearest_rule, rule, rule_page, rules};

use super::print_json;
use crate::args::{self, Global};

pub(super) fn explain(global: &Global, args: &args::Explain) -> Result<Exit, AppError> {
    let Some(asked) = &args.rule else {
        list(global);
        return Ok(Exit::Pass);
    };
    let Some(rule) = rule(asked) else {
        let meant = nearest_rule(asked).map(|near| format!("did you mean `{near}`?"));
        return Err(AppError::not_found(
            format!("there is no rule `{asked}`"),
            meant.unwrap_or_else(|| "`tribunal explain` lists all rules".to_owned()),
        ));
    };
    if global.json {
        print_json(&object(rule));
    } else {
        println!("# {}: {}\n\n{}", rule.id, rule.title, rule_page(rule).trim_end());
    }
    Ok(Exit::Pass)
}

fn list(global: &Global) {
    if global.json {
        print_json(&rules().map(object).collect());
        return;
    }
    let width = rules().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in rules() {
        println!("{:width$}  {:6}  {}", rule.id, rule.level(), rule.title);
    }
}

fn object(rule: &CheckRule) -> Value {
    let wcag = rule.wcag.iter().map(|one| json!({ "number": one.number, "name": one.name, "level": one.level }));
    json!({
        "id": rule.id, "title": rule.title, "level": rule.level(), "role": rule.role.map(tribunal_checks::Role::as_str),
        "dimension": rule.dimension, "wcag": wcag.collect::<Vec<_>>(), "finds": rule.finds, "why": rule.why, "fix": rule.fix,
        "example": { "language": rule.example.language, "bad": rule.example.bad, "good": rule.example.good },
    })
}
