//! The form of a webhook. Pure.

use axum::http::Uri;

use crate::http_client;
use rollcall_minecraft::{Host, SsrfGuard};
use rollcall_model::message::{Message, translatable};
use rollcall_model::text::is_control_or_bidi;
use rollcall_model::webhook::{ServerScope, WebhookFormat, WebhookType};

const MAX_NAME_CHARS: usize = 100;
const MAX_URL_BYTES: usize = 2_000;
/// Servers that one webhook may list.
const MAX_SERVERS: usize = 50;
const HTTPS: u16 = 443;
const HTTP: u16 = 80;
/// Below it other services listen than those that take webhooks.
const FIRST_FREE_PORT: u16 = 1024;

/// The fields of the form.
#[derive(Clone, Debug)]
pub struct EnteredWebhook {
    pub name: String,
    pub url: String,
    pub format: String,
    pub types: Vec<WebhookType>,
    pub scope: String,
    /// Slugs, separated by spaces or lines.
    pub servers: String,
}

/// Parsed values. Whether the servers exist is not checked.
#[derive(Clone, Debug)]
pub struct ParsedWebhook {
    pub name: String,
    pub host: String,
    pub url: String,
    pub format: WebhookFormat,
    pub types: Vec<WebhookType>,
    pub scope: ServerScope,
    pub slugs: Vec<String>,
}

pub fn parse(entered: &EnteredWebhook, guard: &SsrfGuard) -> Result<ParsedWebhook, Message> {
    let name = entered.name.trim();
    let length = name.chars().count();
    if length == 0 || length > MAX_NAME_CHARS || name.chars().any(is_control_or_bidi) {
        return Err(Message::new("The name must have 1 to {} characters on one line.", &[&MAX_NAME_CHARS]));
    }
    let (url, host) = parse_url(entered.url.trim(), guard)?;
    let format = WebhookFormat::parse(&entered.format).ok_or(translatable("Choose a format."))?;
    if entered.types.is_empty() {
        return Err(translatable("Choose at least one event.").into());
    }
    let scope = ServerScope::parse(&entered.scope).ok_or(translatable("Choose the servers."))?;
    let mut slugs: Vec<String> = Vec::new();
    if scope == ServerScope::Chosen {
        for slug in entered.servers.split_whitespace().map(str::to_lowercase) {
            if !slugs.contains(&slug) {
                slugs.push(slug);
            }
        }
        if slugs.is_empty() || slugs.len() > MAX_SERVERS {
            return Err(Message::new("Enter the slugs of 1 to {} servers, one per line.", &[&MAX_SERVERS]));
        }
    }
    Ok(ParsedWebhook { name: name.to_owned(), host, url, format, types: entered.types.clone(), scope, slugs })
}

/// The URL and its host.
fn parse_url(text: &str, guard: &SsrfGuard) -> Result<(String, String), Message> {
    let wrong = translatable("Enter a URL that begins with https://, such as https://example.org/webhook.");
    let url: Uri = text.parse().ok().filter(|_| text.len() <= MAX_URL_BYTES).ok_or(wrong)?;
    let (host, scheme) = (url.host().unwrap_or_default(), url.scheme_str().unwrap_or_default());
    let is_plain = scheme == "http" && guard.allows_private_addresses();
    let has_user = url.authority().is_some_and(|authority| authority.as_str().contains('@'));
    if (scheme != "https" && !is_plain) || has_user || text.contains('#') {
        return Err(wrong.into());
    }
    let port = http_client::port(&url);
    if port < FIRST_FREE_PORT && port != HTTPS && !(port == HTTP && is_plain) {
        return Err(translatable("The port of the URL must be 443, or 1024 or higher.").into());
    }
    match host.parse::<Host>() {
        Ok(Host::Address(address)) if guard.check_address(address).is_err() => {
            Err(translatable("The URL must lead to a public address.").into())
        }
        Ok(Host::Name(name)) if ends_in_number(&name) => Err(wrong.into()),
        Ok(_) => Ok((text.to_owned(), host.to_lowercase())),
        Err(_) => Err(wrong.into()),
    }
}

/// An address in another spelling, such as 2130706433 or 0x7f.1: no name ends so.
fn ends_in_number(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    last.starts_with("0x") || last.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entered(url: &str) -> EnteredWebhook {
        EnteredWebhook {
            name: " Bot ".into(),
            url: url.into(),
            format: "standard".into(),
            types: vec![WebhookType::parse("vote.created").unwrap()],
            scope: "chosen".into(),
            servers: "alpha\r\nBeta alpha".into(),
        }
    }

    #[test]
    fn urls_are_https_and_public() {
        let public = SsrfGuard::new(false);
        let parsed = parse(&entered(" https://Hooks.example:8443/in?a=b "), &public).unwrap();
        assert_eq!((parsed.name.as_str(), parsed.host.as_str()), ("Bot", "hooks.example"));
        assert_eq!(parsed.url, "https://Hooks.example:8443/in?a=b");
        assert_eq!(parsed.slugs, ["alpha", "beta"]);
        for wrong in [
            "",
            "hooks.example/in",
            "http://hooks.example/in",
            "ftp://hooks.example/",
            "https://",
            "https://me:secret@hooks.example/",
            "https://hooks.example/#part",
            "https://hooks.example:25/",
            "https://hooks.example:80/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://169.254.169.254/latest/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://bad host/",
            &format!("https://hooks.example/{}", "x".repeat(2_000)),
        ] {
            assert!(parse(&entered(wrong), &public).is_err(), "{wrong}");
        }
        let private = SsrfGuard::new(true);
        for url in ["http://127.0.0.1:8080/", "http://localhost/", "https://10.0.0.1/"] {
            assert!(parse(&entered(url), &private).is_ok(), "{url}");
        }
        assert!(parse(&entered("http://localhost:25/"), &private).is_err());
    }

    #[test]
    fn each_field_is_checked() {
        let good = entered("https://hooks.example/");
        let many = (0..=MAX_SERVERS).map(|i| format!("s{i} ")).collect::<String>();
        for wrong in [
            EnteredWebhook { name: String::new(), ..good.clone() },
            EnteredWebhook { name: "x".repeat(101), ..good.clone() },
            EnteredWebhook { name: "a\nb".into(), ..good.clone() },
            EnteredWebhook { format: "xml".into(), ..good.clone() },
            EnteredWebhook { types: Vec::new(), ..good.clone() },
            EnteredWebhook { scope: "some".into(), ..good.clone() },
            EnteredWebhook { servers: " ".into(), ..good.clone() },
            EnteredWebhook { servers: many, ..good.clone() },
        ] {
            assert!(parse(&wrong, &SsrfGuard::new(false)).is_err(), "{wrong:?}");
        }
        let all = EnteredWebhook { scope: "all".into(), servers: String::new(), ..good };
        assert_eq!(parse(&all, &SsrfGuard::new(false)).unwrap().slugs, [""; 0]);
    }
}
