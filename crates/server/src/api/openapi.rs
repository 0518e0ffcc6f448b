//! The `OpenAPI` document, made from the table of routes. A golden copy lies in `docs/openapi.json`; the page's types are
//! made from that.

use axum::http::Method;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::route::Route;
use super::routes;
use super::types::Problem;

/// The whole document.
pub(crate) fn document() -> Value {
    // What goes out and what comes in are drawn apart: a field with a default need not come, but always goes.
    let path = |settings: &mut SchemaSettings| settings.definitions_path = "/components/schemas".into();
    let mut out = SchemaSettings::draft2020_12().with(path).for_serialize().into_generator();
    let mut into = SchemaSettings::draft2020_12().with(path).for_deserialize().into_generator();
    let problem = out.subschema_for::<Problem>().to_value();
    let mut paths = Map::new();
    for route in routes() {
        let operation = operation(&route, &problem, &mut out, &mut into);
        let item = paths.entry(route.path.clone()).or_insert_with(|| json!({}));
        item[route.method.as_str().to_lowercase()] = operation;
    }
    let mut schemas = into.take_definitions(true);
    schemas.extend(out.take_definitions(true));
    schemas.sort_keys();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tribunal",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Every request needs the token that `tribunal serve` prints: `Authorization: Bearer TOKEN`. \
                            Requests that change something may carry an `Idempotency-Key`: sent twice, done once.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "http://127.0.0.1:4747" }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas,
        },
    })
}

fn operation(route: &Route, problem: &Value, out: &mut SchemaGenerator, into: &mut SchemaGenerator) -> Value {
    let names = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = names
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    if let Some(draw) = route.query {
        parameters.extend(fields(&draw(into).to_value(), into));
    }
    let (content, draw) = route.answer;
    let status = if route.method == Method::POST { "202" } else { "200" };
    let mut operation = json!({
        "operationId": id(route),
        "summary": route.about,
        "responses": {
            status: { "description": "As asked", "content": { content: { "schema": draw(out).to_value() } } },
            "default": { "description": "Why not", "content": { "application/json": { "schema": problem } } },
        },
    });
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(draw) = route.body {
        let schema = draw(into).to_value();
        operation["requestBody"] = json!({ "content": { "application/json": { "schema": schema } } });
    }
    operation
}

/// The fields of a query, each a parameter.
fn fields(reference: &Value, generator: &SchemaGenerator) -> Vec<Value> {
    let name = reference["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let schema = generator.definitions().get(name).cloned().unwrap_or_default();
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|it| it == name));
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let parameter = |(name, schema): (String, Value)| json!({ "name": name, "in": "query", "required": required(&name), "schema": schema });
    properties.into_iter().map(parameter).collect()
}

/// `GET /api/projects/{project}/runs/{run}/cues` is `get_runs_cues`.
fn id(route: &Route) -> String {
    let words = route.path.split('/').filter(|part| !part.is_empty() && !part.starts_with('{'));
    let words = words.filter(|part| !matches!(*part, "api" | "projects") || route.path == "/api/projects");
    let words: Vec<String> = words.map(|word| word.replace(['.', '-'], "_")).collect();
    let is_one = route.path.ends_with('}');
    let name = words.join("_");
    let name = if is_one { format!("{name}_one") } else { name };
    format!("{}_{name}", route.method.as_str().to_lowercase())
}
