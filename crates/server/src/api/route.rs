//! A route: what is answered where, and what goes in and comes out.

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::sync::Arc;

use crate::server::Desk;

/// Draws a schema with the others.
pub(super) type Draw = fn(&mut SchemaGenerator) -> Schema;

/// A route of the API.
pub(crate) struct Route {
    pub(super) method: Method,
    pub(crate) path: String,
    pub(super) about: &'static str,
    pub(super) query: Option<Draw>,
    pub(super) body: Option<Draw>,
    /// What comes back, and its type of content.
    pub(super) answer: (&'static str, Draw),
    pub(crate) handler: MethodRouter<Arc<Desk>>,
}

fn draw<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Route {
    pub(super) fn get<H: Handler<T, Arc<Desk>>, T: 'static>(path: String, about: &'static str, handler: H) -> Self {
        Self::new(Method::GET, MethodFilter::GET, path, about, handler)
    }

    pub(super) fn post<H: Handler<T, Arc<Desk>>, T: 'static>(path: String, about: &'static str, handler: H) -> Self {
        Self::new(Method::POST, MethodFilter::POST, path, about, handler)
    }

    pub(super) fn put<H: Handler<T, Arc<Desk>>, T: 'static>(path: String, about: &'static str, handler: H) -> Self {
        Self::new(Method::PUT, MethodFilter::PUT, path, about, handler)
    }

    fn new<H: Handler<T, Arc<Desk>>, T: 'static>(
        method: Method,
        filter: MethodFilter,
        path: String,
        about: &'static str,
        handler: H,
    ) -> Self {
        let answer: (&str, Draw) = ("application/json", draw::<serde_json::Value>);
        Self { method, path, about, query: None, body: None, answer, handler: on(filter, handler) }
    }

    pub(super) fn query<T: JsonSchema>(self) -> Self {
        Self { query: Some(draw::<T>), ..self }
    }

    pub(super) fn body<T: JsonSchema>(self) -> Self {
        Self { body: Some(draw::<T>), ..self }
    }

    pub(super) fn answers<T: JsonSchema>(self) -> Self {
        self.streams::<T>("application/json")
    }

    pub(super) fn streams<T: JsonSchema>(self, content: &'static str) -> Self {
        Self { answer: (content, draw::<T>), ..self }
    }
}
