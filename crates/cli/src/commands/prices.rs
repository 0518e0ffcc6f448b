//! `tribunal prices`: what models cost, and where that is known from.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tribunal_app::prices::{age, age_note, day_of, found, object, update};
use tribunal_app::project::Project;
use tribunal_app::{AppError, Exit};
use tribunal_config::{FoundPrice, ListedPrice, PriceSource, PriceTable};
use tribunal_engine::Clock as _;

use super::{print_json, project};
use crate::args::{self, Global, PricesCommand, PricesUpdate};

pub(super) fn prices(global: &Global, args: &args::Prices) -> Result<Exit, AppError> {
    if let Some(PricesCommand::Update(list)) = &args.command {
        return read_list(global, list);
    }
    let project = project(global, vec![])?;
    if let Some(model) = &args.model {
        show(&project, global, model, args.provider.as_deref())
    } else {
        list(&project, global);
        Ok(Exit::Pass)
    }
}

fn read_list(global: &Global, args: &PricesUpdate) -> Result<Exit, AppError> {
    let as_of = args.as_of.clone().or_else(|| day_of(&args.file)).unwrap_or_default();
    let (count, path) = update(&args.file, &as_of, args.source.as_deref(), args.output.as_deref())?;
    if global.json {
        print_json(&json!({ "prices": count, "as_of": as_of, "file": path }));
    } else {
        println!("{count} prices as of {as_of}: {}", path.display());
    }
    Ok(Exit::Pass)
}

fn show(project: &Project, global: &Global, model: &str, provider: Option<&str>) -> Result<Exit, AppError> {
    let Some(found) = project.config().price(project.price_tables(), provider, model) else {
        return Err(AppError::not_found(
            format!("the price of `{model}` is not known"),
            format!(
                "set `[prices.{model:?}]` with `input` and `output`, or read a newer list: `tribunal prices update FILE`"
            ),
        ));
    };
    if global.json {
        print_json(&object(model, &found));
    } else {
        print!("{}", told(model, &found));
        note_age(project);
    }
    Ok(Exit::Pass)
}

/// The tables, and what the models in the seats cost.
fn list(project: &Project, global: &Global) {
    let config = project.config();
    let mut models: Vec<(String, Option<FoundPrice<'_>>)> = Vec::new();
    for agent in config.agents.values() {
        let seats = config.seats.values().filter_map(|seat| seat.model.as_ref().map(|model| (&seat.agent, model)));
        let own = seats.filter(|(name, _)| config.agents.get(*name) == Some(agent)).map(|(_, model)| model);
        for model in agent.model.iter().chain(own) {
            if !models.iter().any(|(known, _)| known == model) {
                models.push((model.clone(), found(project, Some(agent), model)));
            }
        }
    }
    let tables = project.price_tables();
    if global.json {
        let table = |table: &&PriceTable| {
            json!({
                "kind": if std::ptr::eq(*table, PriceTable::built_in()) { "built_in" } else { "user" },
                "list": table.source, "as_of": table.as_of, "prices": table.count(),
                "days_old": age(table, project.clock.now()),
            })
        };
        let model = |(model, found): &(String, Option<FoundPrice<'_>>)| match found {
            Some(found) => object(model, found),
            None => json!({ "model": model, "name": Value::Null }),
        };
        print_json(&json!({
            "tables": tables.iter().map(table).collect::<Vec<_>>(),
            "project": config.prices.keys().collect::<Vec<_>>(),
            "models": models.iter().map(model).collect::<Vec<_>>(),
        }));
        return;
    }
    for table in tables {
        let whose = if std::ptr::eq(table, PriceTable::built_in()) { "built in" } else { "yours" };
        println!("{whose}: {} prices, {}, as of {}", table.count(), table.source, table.as_of);
    }
    for (model, found) in &models {
        match found {
            Some(found) => print!("{}", told(model, found)),
            None => println!("{model}: not known"),
        }
    }
    note_age(project);
}

fn note_age(project: &Project) {
    if let Some(note) = age_note(project) {
        eprintln!("note: {note}");
    }
}

/// A price in words, for a million tokens.
fn told(model: &str, found: &FoundPrice<'_>) -> String {
    let ListedPrice { price, long, batch } = &found.price;
    let mut parts = vec![format!("input ${}", price.input)];
    parts.extend(price.cached.map(|usd| format!("cached ${usd}")));
    parts.extend(price.cache_write.map(|usd| format!("cache write ${usd}")));
    parts.push(format!("output ${}", price.output));
    let mut text = format!("{model}: {} per million tokens", parts.join(", "));
    if let Some(tokens) = price.max_output {
        let _ = write!(text, ", at most {tokens} tokens an answer");
    }
    for long in long {
        let _ = write!(text, "; prompts above {} tokens: input ${}, output ${}", long.above, long.input, long.output);
    }
    if let Some(batch) = batch {
        let _ = write!(text, "; in batches: input ${}, output ${}", batch.input, batch.output);
    }
    let source = match found.source {
        PriceSource::Project => "tribunal.toml".to_owned(),
        PriceSource::Table { table, provider } => format!("{provider}, {}, as of {}", table.source, table.as_of),
    };
    format!("{text}\n  as `{}` ({source})\n", found.name)
}
