//! The two cookies. Over https they have the `__Host-` prefix, which binds them to this host.

use axum::body::Body;
use axum::http::Response;
use axum::http::header::{self, HeaderMap, HeaderValue};

use rollcall_model::token;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cookie {
    /// Identifies a session, signed in or not; CSRF tokens are derived from it.
    Session,
    /// Marks a browser that has signed in before.
    KnownBrowser,
}

/// Begins the session cookie of a visitor who has not signed in: there is no login to look up. In the format of a token, because an
/// earlier version may run beside this one.
const VISITOR: &str = "0000000000000000";

/// The value of a session cookie for a new visitor.
pub fn new_visitor() -> String {
    let mut value = token::generate();
    value.replace_range(..VISITOR.len(), VISITOR);
    value
}

pub fn is_visitor(value: &str) -> bool {
    value.starts_with(VISITOR)
}

/// Longer than any session: the store decides when it ends.
const MAX_AGE: u32 = 365 * 24 * 3600;

impl Cookie {
    fn name(self, public_url: &str) -> &'static str {
        match (self, is_secure(public_url)) {
            (Self::Session, true) => "__Host-rollcall",
            (Self::Session, false) => "rollcall",
            (Self::KnownBrowser, true) => "__Host-rollcall-browser",
            (Self::KnownBrowser, false) => "rollcall-browser",
        }
    }
}

fn is_secure(public_url: &str) -> bool {
    public_url.starts_with("https://")
}

/// The first well-formed value of this cookie.
pub fn find(headers: &HeaderMap, public_url: &str, cookie: Cookie) -> Option<String> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let name = cookie.name(public_url);
    pairs.find(|(found, value)| *found == name && token::is_well_formed(value)).map(|(_, value)| value.to_owned())
}

pub fn set(response: &mut Response<Body>, public_url: &str, cookie: Cookie, value: &str) {
    write(response, public_url, cookie, value, MAX_AGE);
}

pub fn clear(response: &mut Response<Body>, public_url: &str, cookie: Cookie) {
    write(response, public_url, cookie, "", 0);
}

fn write(response: &mut Response<Body>, public_url: &str, cookie: Cookie, value: &str, seconds: u32) {
    let secure = if is_secure(public_url) { "; Secure" } else { "" };
    let name = cookie.name(public_url);
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    response.headers_mut().append(header::SET_COOKIE, HeaderValue::from_str(&text).expect("a cookie is ASCII text"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_of_a_visitor_is_a_token_and_that_of_a_login_is_not_a_visitors() {
        let visitor = new_visitor();
        assert!(token::is_well_formed(&visitor) && is_visitor(&visitor));
        assert_ne!(visitor, new_visitor());
        assert!(!is_visitor(&token::generate()));
    }
}
