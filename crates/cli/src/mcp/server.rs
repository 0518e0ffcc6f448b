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

use super::{check, findings, start, status, steer, tools, wait};
use crate::args::Global;
use crate::bench::Bench;
use crate::failure::Failure;
use crate::project::Project;

/// No client's name is longer in a log.
const MAX_NAME: usize = 40;

/// The project that is served, and the runs that go on meanwhile.
#[derive(Debug, Clone)]
pub(super) struct Server {
    global: Arc<Global>,
    bench: Arc<Bench>,
}

impl Server {
    pub(super) fn new(global: Global, bench: Arc<Bench>) -> Self {
        Self { global: Arc::new(global), bench }
    }

    /// The project as it is configured now: somebody may have edited it since the last call.
    fn project(&self) -> Result<Project, Failure> {
        Project::load(&self.global, Vec::new())
    }

    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, Failure> {
        let (bench, by) = (&self.bench, || client(context));
        match name {
            "check" => check::check(&self.project()?, read(arguments)?).await,
            "start_run" => start::start(&self.global, bench, read(arguments)?).await,
            "status" => status::status(&self.project()?, bench, read(arguments)?).await,
            "findings" => findings::findings(&self.project()?, read(arguments)?).await,
            "steer" => steer::steer(&self.project()?, read(arguments)?, by()).await,
            "interrupt" => steer::interrupt(&self.project()?, read(arguments)?, &by()).await,
            "wait" => wait::wait(&self.project()?, bench, read(arguments)?, context).await,
            _ => Err(Failure::usage(format!("there is no tool `{name}`"), format!("there are: {}", tools::names()))),
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
            () = context.ct.cancelled() => Err(Failure::interrupted()),
        };
        Ok(match result {
            Ok(value) => CallToolResult::structured(value),
            Err(failure) => refusal(&failure),
        }
        .into())
    }
}

/// A tool's error: our words and our hint, for the model to read.
fn refusal(failure: &Failure) -> CallToolResult {
    let errors: Vec<Value> =
        failure.errors().iter().map(|(message, hint)| json!({ "message": message, "hint": hint })).collect();
    let mut result = CallToolResult::error(vec![ContentBlock::text(failure.to_string())]);
    result.structured_content = Some(json!({ "errors": errors }));
    result
}

/// The arguments as the tool knows them.
fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Failure> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Failure::usage(format!("the arguments do not fit: {error}"), "look at the tool's input schema")
    })
}

/// Whose name stands in the log.
fn client(context: &RequestContext<RoleServer>) -> String {
    let name = context.client_info().map(|client| client.name).unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    let name = name.trim();
    format!("{} over MCP", if name.is_empty() { "an agent" } else { name })
}
