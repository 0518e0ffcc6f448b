//! Who answers: which tool is meant, and its result or its error.

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use tribunal_app::error::ErrorDetail;
use tribunal_app::{App, AppError, ErrorKind};

use super::drivers::Drivers;
use super::{check, findings, fix, start, status, steer, tools, wait};

/// No client's name is longer in a log.
const MAX_NAME: usize = 40;

/// The project that is served, and the runs that go on meanwhile.
#[derive(Debug, Clone)]
pub(super) struct Server {
    app: Arc<App>,
    drivers: Arc<Drivers>,
}

impl Server {
    pub(super) fn new(app: Arc<App>, drivers: Drivers) -> Self {
        Self { app, drivers: Arc::new(drivers) }
    }

    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, AppError> {
        let (app, by) = (&*self.app, || client(context));
        match name {
            "check" => check::check(&app.load()?, read(arguments)?).await,
            "fix" => fix::fix(&app.load()?, read(arguments)?).await,
            "start_run" => start::start(app, &self.drivers, read(arguments)?).await,
            "judge" => start::judge(app, &self.drivers, read(arguments)?).await,
            "status" => status::status(&app.load()?, app.pool(), read(arguments)?).await,
            "findings" => findings::findings(&app.load()?, read(arguments)?).await,
            "steer" => steer::steer(app, read(arguments)?, by()).await,
            "interrupt" => steer::interrupt(app, read(arguments)?, &by()).await,
            "wait" => wait::wait(&app.load()?, app.pool(), read(arguments)?, context).await,
            _ => Err(AppError::not_found(format!("unknown tool `{name}`"), format!("known tools: {}", tools::names()))),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tribunal", env!("CARGO_PKG_VERSION")))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = tokio::select! {
            result = self.call(&request.name, arguments, &context) => result,
            // Nobody waits for the answer any more; what was begun for it is dropped, and its processes with it.
            () = context.ct.cancelled() => Err(AppError::interrupted()),
        };
        Ok(match result {
            Ok(value) => CallToolResult::structured(value),
            Err(failure) => refusal(&failure),
        }
        .into())
    }
}

/// A tool's error: our words and our hint, for the model to read.
fn refusal(error: &AppError) -> CallToolResult {
    let errors: Vec<Value> = error
        .problems()
        .iter()
        .map(|ErrorDetail { message, hint }| json!({ "message": message, "hint": hint }))
        .collect();
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.to_string())]);
    result.structured_content =
        Some(json!({ "kind": error.kind.as_str(), "retryable": is_retryable(error.kind), "errors": errors }));
    result
}

/// Whether the same call may succeed later, although nobody changes it: the one thing that a model decides by.
fn is_retryable(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::Busy | ErrorKind::Conflict | ErrorKind::Held | ErrorKind::Environment | ErrorKind::Interrupted => {
            true
        }
        ErrorKind::Invalid
        | ErrorKind::Config
        | ErrorKind::NotFound
        | ErrorKind::Forbidden
        | ErrorKind::TooLarge
        | ErrorKind::Misfit
        | ErrorKind::Stale => false,
    }
}

/// The arguments as the tool knows them.
fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, AppError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| AppError::invalid(format!("invalid arguments: {error}"), "see the input schema of the tool"))
}

/// Whose name stands in the log.
fn client(context: &RequestContext<RoleServer>) -> String {
    let name = context.client_info().map(|client| client.name).unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    let name = name.trim();
    format!("{} over MCP", if name.is_empty() { "an agent" } else { name })
}
