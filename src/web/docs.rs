//! `/docs`: the reference for people. Endpoints, parameters and shapes come from the same document that programs get,
//! so that it cannot say anything else.

mod endpoint;
mod schema;

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;
use serde_json::Value;

use super::page::{self, Frame};
use crate::app::App;
use crate::config::SignUp;
use crate::error::ApiError;
use endpoint::Shown;
use rollcall_model::quota::Limits;

#[derive(Template)]
#[template(path = "docs.html")]
struct Docs<'a> {
    frame: Frame,
    /// Where the API is, as clients see it.
    base: &'a str,
    limits: Limits,
    groups: Vec<Group>,
    has_playground: bool,
    /// Whether anyone may sign up.
    is_open: bool,
}

/// Endpoints of one kind.
struct Group {
    name: String,
    anchor: String,
    endpoints: Vec<Shown>,
}

pub async fn respond(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    let page = app.pages.get("/docs", async { write(&app) }).await;
    page::respond(page.as_deref(), &headers)
}

fn write(app: &App) -> Result<String, ApiError> {
    let document: Value = serde_json::from_slice(&app.openapi).expect("it is our own document");
    let base = document["servers"][0]["url"].as_str().unwrap_or("/v1");
    page::render(&Docs {
        frame: Frame { here: "/docs" },
        base,
        limits: app.limits,
        groups: groups(&document),
        has_playground: app.playground.is_open(),
        is_open: app.accounts.settings.sign_up == SignUp::Open,
    })
}

/// A text and the code in it, which stands between backticks.
fn pieces(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split('`').zip([false, true].into_iter().cycle()).map(|(part, is_code)| (is_code, part))
}

fn groups(document: &Value) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for shown in endpoint::all(document) {
        match groups.iter_mut().find(|group| group.name == shown.tag) {
            Some(group) => group.endpoints.push(shown),
            None => groups.push(Group {
                anchor: format!("all-{}", shown.tag.to_lowercase().replace(' ', "-")),
                name: shown.tag.clone(),
                endpoints: vec![shown],
            }),
        }
    }
    groups
}
