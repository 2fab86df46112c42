//! `/theme?to=dark&back=/servers`: remembers light or dark in a cookie and returns to the page.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;

use super::page::{self, PageResult};
use super::view::{self, Theme};
use crate::app::App;
use crate::http::query::Query;

pub async fn choose(State(app): State<Arc<App>>, uri: Uri) -> PageResult {
    let query = Query::parse(uri.query().unwrap_or_default())?;
    let theme = query.get("to").and_then(Theme::from_code).unwrap_or_default();
    let mut response = page::redirect(own_page(query.get("back").unwrap_or_default()));
    view::remember_theme(&mut response, theme, &app.public_url);
    Ok(response)
}

/// Prevents open redirects and headers that are no ASCII text.
fn own_page(wanted: &str) -> &str {
    let is_plain = wanted.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    if page::is_own_path(wanted) && is_plain { wanted } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_stays_on_the_site() {
        for own in ["/", "/servers?sort=votes&tag=a%2Fb", "/players/Notch"] {
            assert_eq!(own_page(own), own);
        }
        for other in
            ["", "//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nset-cookie: a", "/\u{e9}", "evil"]
        {
            assert_eq!(own_page(other), "/", "{other:?}");
        }
    }
}
