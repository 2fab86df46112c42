//! The public site.

mod documents;
mod language;
mod servers;

use reqwest::Method;

use crate::harness::{Server, TestResponse};

/// A page as a browser asks for it.
pub async fn page(server: &Server, path: &str) -> (TestResponse, String) {
    page_with(server, path, &[]).await
}

pub async fn page_with(server: &Server, path: &str, headers: &[(&str, &str)]) -> (TestResponse, String) {
    // No view of a skin: other tests compare the counts of the shared servers.
    let usual = [("accept", "text/html"), ("sec-purpose", "prefetch")];
    let headers: Vec<(&str, &str)> = usual.into_iter().chain(headers.iter().copied()).collect();
    let response = server.raw(Method::GET, path, &headers).await;
    let html = String::from_utf8(response.body.clone()).expect("UTF-8");
    (response, html)
}

/// The values of all attributes with this name.
pub fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let mark = format!(" {name}=\"");
    html.split(&mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}
