//! The server: a listener, the gate, the API and the page.

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::get;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::TcpListener;
use tribunal_store::{Backend, BlockingBackend};

use crate::api;
use crate::api::types::ProjectInfo;
use crate::archive::Archive;
use crate::gate::origin::Names;
use crate::gate::repeat::Repeats;
use crate::gate::session::Sessions;
use crate::gate::ticket::PREVIEW_PATH;
use crate::gate::token::Token;
use crate::gate::{self, MAX_BODY};
use crate::hub::Hub;
use crate::listen::{self, Limits, PATIENCE};
use crate::pack::pack;
use crate::page;
use crate::preview;
use crate::telemetry::otlp::{self, Courier, OtlpError, Pace};
use crate::telemetry::{Metrics, Scribe, Watch};
use crate::vote;
use tribunal_app::AppService;
use tribunal_app::vote::VOTE_PATH;

/// How a server is started.
pub struct Options {
    pub address: SocketAddr,
    pub token: Token,
    /// Names besides addresses and `localhost` by which we may be called.
    pub hosts: Vec<String>,
    /// Who takes down what runs do.
    pub scribe: Option<Scribe>,
    /// The collector that spans are sent to.
    pub otlp: Option<String>,
}

/// Why a server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot listen on {0}: {1}")]
    Bind(SocketAddr, io::Error),
    #[error("cannot follow the logs: {0}")]
    Hub(io::Error),
    #[error(transparent)]
    Otlp(#[from] OtlpError),
}

/// What all handlers share.
pub(crate) struct Desk {
    pub(crate) app: Arc<dyn AppService>,
    pub(crate) archive: Archive,
    pub(crate) store: Arc<dyn Backend>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) project: ProjectInfo,
    pub(crate) names: Names,
    pub(crate) token: Token,
    pub(crate) sessions: Sessions,
    /// The project's folder, whose pictures drafts may show.
    pub(crate) workspace: PathBuf,
    pub(crate) pace: gate::pace::Pace,
    pub(crate) repeats: Repeats,
    pub(crate) metrics: Arc<Metrics>,
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    desk: Arc<Desk>,
    courier: Option<Courier>,
}

impl Server {
    /// Begins to listen. Nobody is answered before [`Server::run`].
    pub async fn bind(options: Options, store: Arc<dyn Backend>, app: Arc<dyn AppService>) -> Result<Self, StartError> {
        let Options { address, token, hosts, scribe, otlp } = options;
        let listener = TcpListener::bind(address).await.map_err(|error| StartError::Bind(address, error))?;
        let address = listener.local_addr().map_err(|error| StartError::Bind(address, error))?;
        let metrics = Arc::new(Metrics::new());
        let (exporter, courier) = match otlp {
            Some(endpoint) => {
                let (exporter, courier) = otlp::start(&endpoint, Pace::default(), metrics.otlp_dropped.clone())?;
                (Some(exporter), Some(courier))
            }
            None => (None, None),
        };
        let watch = Watch::new(metrics.clone(), scribe, exporter);
        let hub = Hub::start(store.clone(), Box::new(watch)).await.map_err(StartError::Hub)?;
        let (name, workspace) = app.project();
        let project = ProjectInfo { id: slug(&name), name, workspace: workspace.display().to_string() };
        let sessions = Sessions::new(&token, &project.id, address.port());
        let desk = Desk {
            app,
            archive: Archive::new(BlockingBackend::new(store.clone())),
            store,
            hub,
            project,
            names: Names::new(address, hosts),
            sessions,
            workspace,
            token,
            pace: gate::pace::Pace::new(),
            repeats: Repeats::default(),
            metrics,
        };
        Ok(Self { listener, address, desk: Arc::new(desk), courier })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The project's id, as it stands in addresses.
    pub fn project(&self) -> &str {
        &self.desk.project.id
    }

    /// Answers until `stop` is ready; then streams end, and what is under way may finish.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let Self { listener, desk, courier, .. } = self;
        let hub = desk.hub.clone();
        let (closing, closed) = tokio::sync::watch::channel(false);
        let stopped = async move {
            stop.await;
            hub.close();
            let _ = closing.send(true);
        };
        tokio::spawn(stopped);
        listen::serve(listener, router(desk), closed, Limits::default()).await;
        if let Some(courier) = courier {
            courier.finish(PATIENCE).await;
        }
        Ok(())
    }
}

/// Everything that is answered.
fn router(desk: Arc<Desk>) -> Router {
    let state = || desk.clone();
    let api = api::routes().into_iter().fold(Router::new(), |router, route| router.route(&route.path, route.handler));
    let api = api
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn(pack))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(state(), gate::repeat::check))
        .layer(from_fn_with_state(state(), gate::pace::check))
        .layer(from_fn_with_state(state(), gate::token::check))
        .route_layer(from_fn_with_state(state(), count));
    let vote = Router::new()
        .route(
            &format!("{VOTE_PATH}/{{run}}/{{question}}/{{answer}}/{{expires}}/{{signature}}"),
            get(vote::show).post(vote::cast),
        )
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(state(), gate::pace::check));
    let preview = Router::new()
        .route(&format!("{PREVIEW_PATH}/{{ticket}}/{{*path}}"), get(preview::show))
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(state(), gate::pace::check));
    let page = Router::new()
        .fallback(get(page::show).fallback(wrong_method))
        .layer(from_fn_with_state(state(), gate::token::trade));
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .merge(api)
        .merge(vote)
        .merge(preview)
        .route("/api/{*rest}", axum::routing::any(nowhere))
        .fallback_service(page.with_state(state()))
        .layer(from_fn_with_state(state(), gate::origin::check))
        .layer(from_fn(gate::headers::defend))
        .with_state(desk)
}

/// Counts requests by their routes, not by their addresses: those hold ids.
async fn count(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let response = next.run(request).await;
    desk.metrics.http_request(route.as_deref().unwrap_or("other"), response.status().as_u16());
    response
}

async fn nowhere() -> api::problem::Refused {
    api::problem::Refused::unknown("no such address").hint("/api/openapi.json lists all addresses")
}

async fn wrong_method() -> api::problem::Refused {
    api::problem::Refused::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this address does not take that method")
        .hint("/api/openapi.json lists all addresses and their methods")
}

/// A name that can stand in an address.
fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let slug: String = name.chars().map(plain).collect();
    if slug.chars().all(|c| matches!(c, '-' | '.')) { "project".into() } else { slug }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("address", &self.address).field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("project", &self.project).finish_non_exhaustive()
    }
}
