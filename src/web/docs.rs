//! `/docs`: the API reference. Endpoints, parameters and fields come from the OpenAPI document, so both always agree.

mod endpoint;
mod guides;
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
use crate::web::code_sample::{ApiCall, Syntax, highlighted};
use crate::web::examples::Examples;
use crate::web::filters;
use endpoint::EndpointDoc;
pub use guides::GUIDES;
pub use guides::show as show_guide;
use rollcall_model::quota::Limits;
use rollcall_store::Conn;

/// The chapters before the endpoints, by anchor.
const CHAPTERS: [(&str, &str); 8] = [
    ("key", "Authentication"),
    ("answers", "Responses"),
    ("paging", "Pages"),
    ("parameters", "Parameters"),
    ("limits", "Limits"),
    ("errors", "Status codes"),
    ("caching", "Cache headers"),
    ("figures", "Statistics"),
];

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage<'a> {
    layout: Layout,
    /// The public base URL of the API.
    base_url: &'a str,
    limits: Limits,
    groups: Vec<EndpointGroup>,
    examples: Examples,
    /// Before the links of the contents to chapters of the reference.
    reference: &'static str,
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
    page::cached(&app, &headers, page::render_from_store(&app, render)).await
}

fn render(app: &App, conn: &mut Conn) -> Result<String, ApiError> {
    let (document, examples) = (openapi(app), Examples::load(app, conn)?);
    let base_url = format!("{}/v1", app.public_url);
    page::render(&DocsPage {
        layout: Layout::public("/docs", "/docs"),
        base_url: &base_url,
        limits: app.limits,
        groups: groups(&document),
        examples,
        reference: "",
        has_playground: app.playground.is_enabled(),
        sign_up_is_open: app.accounts.settings.sign_up == SignUp::Open,
    })
}

fn openapi(app: &App) -> Value {
    serde_json::from_slice(&app.openapi.body).expect("the OpenAPI document is valid JSON")
}

impl DocsPage<'_> {
    fn is_current(&self, _guide: &str) -> bool {
        false
    }

    /// The call that the samples of an endpoint make: with what it requires, so that it answers 200.
    fn call(&self, doc: &EndpointDoc) -> ApiCall<'_> {
        let params = doc.endpoint.params.iter().filter(|param| param.required());
        ApiCall {
            endpoint: doc.endpoint,
            base_url: self.base_url,
            segment: self.examples.segment(doc.endpoint),
            query: params.map(|param| (param.name(), self.examples.of_param(doc.endpoint, *param))).collect(),
        }
    }

    /// The example response of an endpoint, with the address of this installation.
    fn response(&self, example: &str) -> askama::filters::Safe<String> {
        let public_url = self.base_url.trim_end_matches("/v1");
        highlighted(&example.replace(guides::EXAMPLE_URL, public_url), Syntax::Json)
    }
}

/// Splits a text at backticks into text and code.
pub fn split_code(text: &str) -> impl Iterator<Item = (bool, &str)> {
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
