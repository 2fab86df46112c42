//! `[linking]`

use std::net::SocketAddr;

use axum::http::Uri;
use rollcall_join_verify::SessionServer;
use serde::Deserialize;

use super::parse;

/// The port that the game uses if an address has none.
const GAME_PORT: u16 = 25_565;

/// The listener that players join to link their game account with an account.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linking {
    /// `None`: off.
    #[serde(deserialize_with = "parse::optional_address")]
    pub listen: Option<SocketAddr>,
    pub auth_url: String,
    address: String,
}

impl Linking {
    pub fn check(&self) -> Result<(), String> {
        self.session_server()?;
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

    /// What players enter in the game; `None` if the listener is off.
    pub fn join_address(&self, public_url: &str) -> Option<String> {
        let listen = self.listen?;
        if !self.address.is_empty() {
            return Some(self.address.clone());
        }
        let host = match listen.ip() {
            ip if !ip.is_unspecified() => SocketAddr::new(ip, 0).to_string().trim_end_matches(":0").to_owned(),
            _ => public_url.parse::<Uri>().ok()?.host()?.to_owned(),
        };
        Some(if listen.port() == GAME_PORT { host } else { format!("{host}:{}", listen.port()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(listen: &str, address: &str) -> Linking {
        Linking { listen: listen.parse().ok(), auth_url: "https://auth.example".into(), address: address.into() }
    }

    #[test]
    fn players_see_the_address_to_join() {
        let address = |listen, given| settings(listen, given).join_address("https://stats.example");
        assert_eq!(address("", "play.example"), None);
        assert_eq!(address("0.0.0.0:25566", "").as_deref(), Some("stats.example:25566"));
        assert_eq!(address("[::]:25565", "").as_deref(), Some("stats.example"));
        assert_eq!(address("192.0.2.7:25565", "").as_deref(), Some("192.0.2.7"));
        assert_eq!(address("[2001:db8::7]:25566", "").as_deref(), Some("[2001:db8::7]:25566"));
        assert_eq!(address("0.0.0.0:25566", "play.example").as_deref(), Some("play.example"));
    }

    #[test]
    fn wrong_settings_are_named() {
        assert_eq!(settings("", "").check(), Ok(()));
        assert!(settings("", "<b>").check().is_err_and(|error| error.starts_with("linking.address")));
        let wrong = Linking { auth_url: "auth.example".into(), ..settings("", "") };
        assert!(wrong.check().is_err_and(|error| error.starts_with("linking.auth_url")));
    }
}
