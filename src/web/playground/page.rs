//! `/playground`: call the API from the browser. The script builds the forms from the OpenAPI document; the page holds the
//! skeleton and the settings of the CAPTCHA.

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
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;

#[derive(Template)]
#[template(path = "playground.html")]
struct PlaygroundPage<'a> {
    layout: Layout,
    /// The public base URL of the API.
    base_url: String,
    is_enabled: bool,
    settings: &'a Playground,
    provider: Option<&'a Provider>,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    let policy = policy(app.playground.provider.as_ref());
    page::cached_with_policy(&app, &headers, &policy, async { render(&app) }).await
}

fn render(app: &App) -> Result<String, ApiError> {
    page::render(&PlaygroundPage {
        layout: match app.playground.is_enabled() {
            true => Layout::public("/playground", "/playground"),
            false => Layout::new("/playground"),
        },
        base_url: format!("{}/v1", app.public_url),
        is_enabled: app.playground.is_enabled(),
        settings: &app.playground.settings,
        provider: app.playground.provider.as_ref(),
    })
}

/// The proof of work runs in our own web worker; a CAPTCHA provider loads its own scripts and frames.
fn policy(provider: Option<&Provider>) -> String {
    let Some(provider) = provider else { return page::content_security_policy("", "", "worker-src 'self'; ") };
    let (origins, own_styles) = provider.origins();
    page::content_security_policy(origins, if own_styles { origins } else { "" }, &format!("frame-src{origins}; "))
}

impl PlaygroundPage<'_> {
    fn style(&self) -> &'static str {
        assets::PLAYGROUND_STYLE
    }

    fn script(&self) -> &'static str {
        assets::PLAYGROUND
    }
}
