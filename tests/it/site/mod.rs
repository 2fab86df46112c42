//! The public site.

mod documents;
mod language;
mod leaderboards;
mod players;
mod search;
mod servers;
mod textures;

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

/// Links to pages below `root`, each once, in order.
fn links(html: &str, root: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for link in attributes(html, "href").into_iter().filter(|link| link.starts_with(root)) {
        if !found.iter().any(|known| known == link) {
            found.push(link.to_owned());
        }
    }
    found
}

/// Text as the templates write it.
fn escaped(text: &str) -> String {
    let marks = [('&', "&#38;"), ('<', "&#60;"), ('>', "&#62;"), ('"', "&#34;"), ('\'', "&#39;")];
    marks.into_iter().fold(text.to_owned(), |text, (mark, entity)| text.replace(mark, entity))
}
