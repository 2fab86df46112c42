//! Routes that take a form. Each is declared with the page that shows the form: a reload leads there, and so does a
//! sign-in or a proof that the form needed first.

use std::sync::Arc;

use axum::Extension;
use axum::extract::MatchedPath;
use axum::handler::Handler;
use axum::http::Uri;
use axum::http::request::Parts;
use axum::routing::{MethodRouter, post};

use super::page::redirect;
use crate::app::App;

/// In the extensions of a request: the route of the page with the form.
#[derive(Clone, Copy)]
struct FormPage(&'static str);

/// A route that takes a form of another page. GET (a reload, a bookmark) redirects to that page. `page` is its route,
/// such as `/dashboard/keys/{id}/settings`; its parameters must be parameters of the form's route.
pub fn form_route<H, T>(page: &'static str, handler: H) -> MethodRouter<Arc<App>>
where
    H: Handler<T, Arc<App>>,
    T: 'static,
{
    let reload =
        move |route: MatchedPath, uri: Uri| async move { redirect(&fill_in(page, route.as_str(), uri.path())) };
    post(handler).get(reload).layer(Extension(FormPage(page)))
}

/// The path of the page with the form that a request submits. Without [`form_route`], page and form share a route.
pub fn page_with_form(parts: &Parts) -> String {
    let path = parts.uri.path();
    match (parts.extensions.get::<FormPage>(), parts.extensions.get::<MatchedPath>()) {
        (Some(FormPage(page)), Some(route)) => fill_in(page, route.as_str(), path),
        _ => path.to_owned(),
    }
}

/// `page` with the values that its parameters have in `path`, as they are encoded there.
fn fill_in(page: &str, route: &str, path: &str) -> String {
    let filled = page.split('/').map(|segment| {
        let mut values = route.split('/').zip(path.split('/')).filter(|_| segment.starts_with('{'));
        values.find(|(parameter, _)| *parameter == segment).map_or(segment, |(_, value)| value)
    });
    filled.collect::<Vec<_>>().join("/")
}
