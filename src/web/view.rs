//! How the pages of one request are shown: language, theme, address, and the settings of the site.

use std::future::Future;
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Request, Response};

use super::language::Language;
use crate::app::App;
use crate::config::Site;
use crate::http::query::Query;

tokio::task_local! {
    /// Every page needs it, error pages of failed requests included.
    static VIEW: View;
}

#[derive(Clone, Debug, Default)]
pub struct View {
    pub language: Language,
    pub theme: Theme,
    /// Path and query, without `lang`.
    pub address: String,
    pub site: Arc<Site>,
    /// The base URL that clients use.
    pub public_url: String,
    pub has_playground: bool,
    /// The other origin from which pages load pictures; empty if there is none.
    pub picture_origin: Arc<str>,
    /// The address chose the language, so that the browser shall remember it.
    is_chosen: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// As the browser prefers.
    #[default]
    System,
    Light,
    Dark,
}

const LANGUAGE_COOKIE: &str = "lang";
const THEME_COOKIE: &str = "theme";
/// A year.
const COOKIE_SECONDS: u32 = 365 * 24 * 3600;

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub fn code(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.code() == code)
    }
}

impl View {
    /// Requested language: the `lang` parameter, else the cookie, else `Accept-Language`.
    pub fn of<B>(request: &Request<B>, app: &App) -> Self {
        let view = Self::new(request, app.site.clone(), &app.public_url, app.playground.is_enabled());
        Self { picture_origin: app.picture_origin.clone(), ..view }
    }

    fn new<B>(request: &Request<B>, site: Arc<Site>, public_url: &str, has_playground: bool) -> Self {
        let headers = request.headers();
        let query = request.uri().query().unwrap_or_default();
        let chosen = language_parameter(query);
        let accepted = || headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok().and_then(Language::negotiate);
        let remembered = || Language::from_code(cookie(headers, LANGUAGE_COOKIE)?);
        let theme = cookie(headers, THEME_COOKIE).and_then(Theme::from_code).unwrap_or_default();
        Self {
            language: chosen.or_else(remembered).or_else(accepted).unwrap_or_default(),
            theme,
            address: address(request.uri().path(), query),
            site,
            public_url: public_url.to_owned(),
            has_playground,
            picture_origin: Arc::default(),
            is_chosen: chosen.is_some(),
        }
    }

    /// The view of the running request.
    pub fn current() -> Self {
        VIEW.try_with(Clone::clone).unwrap_or_default()
    }

    pub async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        VIEW.scope(self, work).await
    }

    /// The same for work that does not wait.
    pub fn sync_scope<T>(self, work: impl FnOnce() -> T) -> T {
        VIEW.sync_scope(self, work)
    }

    /// The same in another language.
    pub fn in_language(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// Makes the browser remember the language that the address chose. What any cache may share, such as a widget or picture
    /// on another site, sets no cookie.
    pub fn remember(&self, response: &mut Response<Body>) {
        let cache_control = response.headers().get(header::CACHE_CONTROL);
        let is_shared = cache_control.is_some_and(|value| value.as_bytes().starts_with(b"public"));
        if self.is_chosen && !is_shared {
            set_cookie(response, LANGUAGE_COOKIE, self.language.code(), &self.public_url);
        }
    }

    /// The query of the address, without `lang`: what the links and the API call of a list depend on.
    pub fn query(&self) -> &str {
        self.address.split_once('?').map_or("", |(_, query)| query)
    }

    /// The address of this page in another language.
    pub fn address_in(&self, language: &Language) -> String {
        let separator = if self.address.contains('?') { '&' } else { '?' };
        format!("{}{separator}{LANGUAGE_COOKIE}={}", self.address, language.code())
    }
}

/// The language of the running request.
pub fn language() -> Language {
    VIEW.try_with(|view| view.language).unwrap_or_default()
}

pub fn remember_theme(response: &mut Response<Body>, theme: Theme, public_url: &str) {
    set_cookie(response, THEME_COOKIE, theme.code(), public_url);
}

fn language_parameter(query: &str) -> Option<Language> {
    // Most addresses have none, and a malformed query is an error of the page.
    let query = query.contains("lang=").then(|| Query::parse(query).ok()).flatten()?;
    Language::from_code(query.get(LANGUAGE_COOKIE)?)
}

fn address(path: &str, query: &str) -> String {
    let rest: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("lang=")).collect();
    if rest.is_empty() { path.to_owned() } else { format!("{path}?{}", rest.join("&")) }
}

pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}

/// A preference is no secret: scripts may read it.
pub fn set_cookie(response: &mut Response<Body>, name: &str, value: &str, public_url: &str) {
    let secure = if public_url.starts_with("https://") { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={COOKIE_SECONDS}; SameSite=Lax{secure}");
    response.headers_mut().append(header::SET_COOKIE, HeaderValue::from_str(&text).expect("a cookie is ASCII text"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(uri: &str, headers: &[(&str, &str)]) -> View {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).expect("a valid request");
        View::new(&request, Arc::default(), "http://localhost", true)
    }

    #[test]
    fn the_address_wins_over_the_cookie_and_the_cookie_over_the_header() {
        let headers = [("cookie", "theme=dark; lang=tr"), ("accept-language", "ru")];
        assert_eq!(view("/?lang=en", &headers).language, Language::English);
        assert_eq!(view("/?lang=xx", &headers).language, Language::Turkish);
        assert_eq!(view("/", &headers[1..]).language, Language::Russian);
        assert_eq!(view("/", &headers).theme, Theme::Dark);
        assert_eq!(view("/", &[("cookie", "theme=blue")]).theme, Theme::System);
    }

    #[test]
    fn links_to_other_languages_keep_the_query() {
        let view = view("/servers?sort=votes&lang=ru&page=2", &[]);
        assert_eq!((view.address.as_str(), view.query()), ("/servers?sort=votes&page=2", "sort=votes&page=2"));
        assert_eq!(view.address_in(&Language::Turkish), "/servers?sort=votes&page=2&lang=tr");
        assert_eq!(super::address("/servers", "lang=ru"), "/servers");
    }
}
