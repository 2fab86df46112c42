//! `/playground`: the page from which the API is tried. Its script reads the API's own document; here is the frame it fills,
//! and what the configured check needs.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use crate::app::App;
use crate::captcha::Provider;
use crate::config::Playground;
use crate::error::ApiError;
use crate::web::assets;
use crate::web::page::{self, Frame};

#[derive(Template)]
#[template(path = "playground.html")]
struct Page<'a> {
    frame: Frame,
    /// Where the API is, as clients see it.
    base: String,
    is_open: bool,
    settings: &'a Playground,
    provider: Option<&'a Provider>,
}

pub async fn respond(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    let page = app.pages.get("/playground", async { write(&app) }).await;
    page::respond_allowing(page.as_deref(), &headers, &policy(app.playground.provider.as_ref()))
}

fn write(app: &App) -> Result<String, ApiError> {
    page::render(&Page {
        frame: Frame { here: "/playground" },
        base: format!("{}/v1", app.public_url),
        is_open: app.playground.is_open(),
        settings: &app.playground.settings,
        provider: app.playground.provider.as_ref(),
    })
}

/// The proof of work runs in a worker of ours; a service of others brings its own scripts and frames.
fn policy(provider: Option<&Provider>) -> String {
    let Some(provider) = provider else { return page::policy("", "", "worker-src 'self'; ") };
    let (origins, own_styles) = provider.origins();
    page::policy(origins, if own_styles { origins } else { "" }, &format!("frame-src{origins}; "))
}

impl Page<'_> {
    fn style(&self) -> &'static str {
        assets::PLAYGROUND_STYLE
    }

    fn script(&self) -> &'static str {
        assets::PLAYGROUND
    }
}
