//! The two cookies there are. Where clients come by https they are bound to this very host (`__Host-`).

use axum::body::Body;
use axum::http::Response;
use axum::http::header::{self, HeaderMap, HeaderValue};

use rollcall_model::token;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cookie {
    /// Stands for a sign-in, or for a stranger whose forms must be known.
    SignIn,
    /// Marks a browser that somebody signed in with.
    Browser,
}

/// Longer than any sign-in lasts: the store decides.
const YEAR: u32 = 365 * 24 * 3600;

impl Cookie {
    fn name(self, public_url: &str) -> &'static str {
        match (self, is_secure(public_url)) {
            (Self::SignIn, true) => "__Host-rollcall",
            (Self::SignIn, false) => "rollcall",
            (Self::Browser, true) => "__Host-rollcall-browser",
            (Self::Browser, false) => "rollcall-browser",
        }
    }
}

fn is_secure(public_url: &str) -> bool {
    public_url.starts_with("https://")
}

/// The first of the name that we could have given.
pub fn find(headers: &HeaderMap, public_url: &str, cookie: Cookie) -> Option<String> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let name = cookie.name(public_url);
    pairs.find(|(found, value)| *found == name && token::is_formed(value)).map(|(_, value)| value.to_owned())
}

pub fn give(response: &mut Response<Body>, public_url: &str, cookie: Cookie, value: &str) {
    write(response, public_url, cookie, value, YEAR);
}

pub fn take(response: &mut Response<Body>, public_url: &str, cookie: Cookie) {
    write(response, public_url, cookie, "", 0);
}

fn write(response: &mut Response<Body>, public_url: &str, cookie: Cookie, value: &str, seconds: u32) {
    let secure = if is_secure(public_url) { "; Secure" } else { "" };
    let name = cookie.name(public_url);
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    response.headers_mut().append(header::SET_COOKIE, HeaderValue::from_str(&text).expect("plain text"));
}
