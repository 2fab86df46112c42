//! `/playground`: call the API from the browser. The form, the code and the list of endpoints are rendered here, so that the page
//! is usable before its script has loaded; the script runs the call and shows the answer.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::form::Form;
use super::page_call::PageCall;
use crate::app::App;
use crate::captcha::Provider;
use crate::config::Playground;
use crate::error::ApiError;
use crate::v1::{ENDPOINTS, Endpoint};
use crate::web::assets;
use crate::web::code_sample::{ApiCall, CodeSample};
use crate::web::examples::Examples;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use rollcall_store::Conn;

#[derive(Template)]
#[template(path = "playground.html")]
struct PlaygroundPage<'a> {
    layout: Layout,
    settings: &'a Playground,
    provider: Option<&'a Provider>,
    call: ApiCall<'a>,
    form: Form,
    samples: Vec<CodeSample>,
}

#[derive(Template)]
#[template(path = "playground_off.html")]
struct SwitchedOffPage {
    layout: Layout,
}

pub async fn show(State(app): State<Arc<App>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response<Body> {
    let policy = policy(app.playground.provider.as_ref());
    let query = query.unwrap_or_default();
    let render = page::render_from_store(&app, move |app, conn| render(app, conn, &query));
    page::cached_with_policy(&app, &headers, &policy, render).await
}

fn render(app: &App, conn: &mut Conn, query: &str) -> Result<String, ApiError> {
    if !app.playground.is_enabled() {
        return page::render(&SwitchedOffPage { layout: Layout::new("/playground") });
    }
    let layout = Layout::public("/playground", "/playground");
    let (given, examples) = (PageCall::read(query), Examples::load(app, conn)?);
    let base_url = format!("{}/v1", app.public_url);
    let call = given.complete(&base_url, &examples);
    page::render(&PlaygroundPage {
        layout,
        settings: &app.playground.settings,
        provider: app.playground.provider.as_ref(),
        form: Form::new(&given, &call, &examples),
        samples: call.samples(),
        call,
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

    /// The endpoints by tag.
    fn groups(&self) -> Vec<(&'static str, Vec<&'static Endpoint>)> {
        let mut groups: Vec<(&str, Vec<&Endpoint>)> = Vec::new();
        for endpoint in ENDPOINTS {
            match groups.iter_mut().find(|(tag, _)| *tag == endpoint.tag) {
                Some((_, endpoints)) => endpoints.push(endpoint),
                None => groups.push((endpoint.tag, vec![endpoint])),
            }
        }
        groups
    }
}
