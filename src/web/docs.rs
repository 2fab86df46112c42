//! `/docs`: the API reference. Endpoints, parameters and fields come from the OpenAPI document, so both always agree.

mod endpoint;
mod schema;

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;
use serde_json::Value;

use super::layout::Layout;
use super::page;
use crate::app::App;
use crate::config::SignUp;
use crate::error::ApiError;
use crate::web::filters;
use endpoint::EndpointDoc;
use rollcall_model::quota::Limits;

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage<'a> {
    layout: Layout,
    /// The public base URL of the API.
    base_url: &'a str,
    limits: Limits,
    groups: Vec<EndpointGroup>,
    has_playground: bool,
    sign_up_is_open: bool,
}

/// The endpoints with one tag.
struct EndpointGroup {
    name: String,
    anchor: String,
    endpoints: Vec<EndpointDoc>,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, async { render(&app) }).await
}

fn render(app: &App) -> Result<String, ApiError> {
    let document: Value = serde_json::from_slice(&app.openapi.body).expect("the OpenAPI document is valid JSON");
    let base_url = document["servers"][0]["url"].as_str().unwrap_or("/v1");
    page::render(&DocsPage {
        layout: Layout::public("/docs", "/docs"),
        base_url,
        limits: app.limits,
        groups: groups(&document),
        has_playground: app.playground.is_enabled(),
        sign_up_is_open: app.accounts.settings.sign_up == SignUp::Open,
    })
}

/// Splits a text at backticks into text and code.
fn split_code(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split('`').zip([false, true].into_iter().cycle()).map(|(part, is_code)| (is_code, part))
}

fn groups(document: &Value) -> Vec<EndpointGroup> {
    let mut groups: Vec<EndpointGroup> = Vec::new();
    for endpoint in endpoint::all(document) {
        match groups.iter_mut().find(|group| group.name == endpoint.tag) {
            Some(group) => group.endpoints.push(endpoint),
            None => groups.push(EndpointGroup {
                anchor: format!("all-{}", endpoint.tag.to_lowercase().replace(' ', "-")),
                name: endpoint.tag.clone(),
                endpoints: vec![endpoint],
            }),
        }
    }
    groups
}
