//! `[linking]`

use std::net::{IpAddr, SocketAddr};

use axum::http::Uri;
use rollcall_minecraft::join_verify::SessionServer;
use serde::Deserialize;

use super::parse::{self, is_http_url};

/// The port that the game uses if an address has none.
const GAME_PORT: u16 = 25_565;
const MOJANG_SESSIONS: &str = "https://sessionserver.mojang.com";
const MOJANG_ACCOUNTS: &str = "https://api.mojang.com";

/// The listener that players join to link their game account with an account.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linking {
    /// `None`: off.
    #[serde(deserialize_with = "parse::optional_address")]
    pub listen: Option<SocketAddr>,
    pub auth_url: String,
    /// Empty: as [`Self::account_url`] says.
    pub account_url: String,
    address: String,
}

impl Linking {
    pub fn check(&self) -> Result<(), String> {
        self.session_server()?;
        let is_plain = is_http_url(&self.account_url) && !self.account_url.contains(['?', '#', '@']);
        if !self.account_url.is_empty() && !is_plain {
            let url = &self.account_url;
            return Err(format!("linking.account_url must be a URL such as https://api.mojang.com, not \"{url}\""));
        }
        let is_address_byte =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b':' | b'[' | b']');
        match self.address.bytes().all(is_address_byte) {
            true => Ok(()),
            false => Err(format!(
                "linking.address must be an address such as play.example.org:25566, not \"{}\"",
                self.address
            )),
        }
    }

    /// The error is a sentence for the operator.
    pub fn session_server(&self) -> Result<SessionServer, String> {
        SessionServer::new(&self.auth_url).map_err(|error| {
            let url = &self.auth_url;
            format!("linking.auth_url must be a URL such as https://sessionserver.mojang.com, not \"{url}\": {error}")
        })
    }

    /// Whether the operator uses a session server: only then do we ask one for the skins of players.
    pub fn copies_skins(&self) -> bool {
        self.listen.is_some() || !self.account_url.is_empty()
    }

    /// What stands before `/profiles/minecraft`, where names become ids. If it is not set, it is where the known kinds of session
    /// servers have it.
    pub fn account_url(&self) -> String {
        let trimmed = |url: &str| url.trim_end_matches('/').to_owned();
        if !self.account_url.is_empty() {
            return trimmed(&self.account_url);
        }
        let auth_url = trimmed(&self.auth_url);
        if auth_url == MOJANG_SESSIONS {
            return MOJANG_ACCOUNTS.to_owned();
        }
        // The API root of an authlib-injector server, and Drasl.
        let replaced = |end: &str, by: &str| auth_url.strip_suffix(end).map(|root| format!("{root}{by}"));
        replaced("/sessionserver", "/api").or_else(|| replaced("/session", "/account")).unwrap_or(auth_url)
    }

    /// Address that players enter in the game to reach the listener at `bound`.
    pub fn join_address(&self, bound: SocketAddr, public_url: &str) -> String {
        if !self.address.is_empty() {
            return self.address.clone();
        }
        let public_host = public_url.parse::<Uri>().ok().and_then(|url| url.host().map(str::to_owned));
        let host = match (bound.ip(), public_host) {
            (ip, Some(host)) if ip.is_unspecified() => host,
            (IpAddr::V4(ip), _) => ip.to_string(),
            (IpAddr::V6(ip), _) => format!("[{ip}]"),
        };
        if bound.port() == GAME_PORT { host } else { format!("{host}:{}", bound.port()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(listen: &str, address: &str) -> Linking {
        Linking {
            listen: listen.parse().ok(),
            auth_url: "https://auth.example".into(),
            account_url: String::new(),
            address: address.into(),
        }
    }

    #[test]
    fn players_see_the_address_to_join() {
        let address = |bound: &str, given| {
            let bound = bound.parse().expect("an address");
            settings("", given).join_address(bound, "https://stats.example")
        };
        assert_eq!(address("0.0.0.0:25566", ""), "stats.example:25566");
        assert_eq!(address("[::]:25565", ""), "stats.example");
        assert_eq!(address("192.0.2.7:25565", ""), "192.0.2.7");
        assert_eq!(address("[2001:db8::7]:25566", ""), "[2001:db8::7]:25566");
        assert_eq!(address("0.0.0.0:25566", "play.example"), "play.example");
    }

    #[test]
    fn wrong_settings_are_named() {
        assert_eq!(settings("", "").check(), Ok(()));
        assert!(settings("", "<b>").check().is_err_and(|error| error.starts_with("linking.address")));
        let wrong = Linking { auth_url: "auth.example".into(), ..settings("", "") };
        assert!(wrong.check().is_err_and(|error| error.starts_with("linking.auth_url")));
        let wrong = Linking { account_url: "https://me@auth.example".into(), ..settings("", "") };
        assert!(wrong.check().is_err_and(|error| error.starts_with("linking.account_url")));
    }

    #[test]
    fn names_are_looked_up_where_the_session_server_has_them() {
        let account_url = |auth_url: &str, account_url: &str| {
            Linking { auth_url: auth_url.into(), account_url: account_url.into(), ..settings("", "") }.account_url()
        };
        assert_eq!(account_url("https://sessionserver.mojang.com/", ""), "https://api.mojang.com");
        assert_eq!(account_url("https://drasl.example/session", ""), "https://drasl.example/account");
        assert_eq!(
            account_url("https://skin.example/api/yggdrasil/sessionserver", ""),
            "https://skin.example/api/yggdrasil/api"
        );
        assert_eq!(account_url("http://127.0.0.1:25585", ""), "http://127.0.0.1:25585");
        assert_eq!(account_url("https://drasl.example/session", "https://names.example/"), "https://names.example");
        assert!(!settings("", "").copies_skins() && settings("127.0.0.1:1", "").copies_skins());
    }
}
