//! The skin that a player wears in the game: name → id at the account server, id → profile at the session server, and the picture
//! that the profile names. The operator trusts both servers with who is who, but not with where we connect to.

use std::sync::Arc;
use std::time::Duration;

use axum::http::uri::Scheme;
use axum::http::{StatusCode, Uri};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Deserialize;
use uuid::Uuid;

use crate::config;
use crate::http_client::{self, FetchLimits, HttpResponse};
use crate::limits::AttemptLimiter;
use rollcall_minecraft::PingClient;
use rollcall_model::clock::Clock;
use rollcall_model::time::MINUTE;
use rollcall_paint::{ArmModel, MAX_UPLOAD_BYTES};

/// For all requests of one lookup.
const DEADLINE: Duration = Duration::from_secs(10);
const REQUEST_DEADLINE: Duration = Duration::from_secs(5);
/// Several times the size of a profile with its signed textures.
const PROFILE_LIMITS: FetchLimits = FetchLimits { deadline: REQUEST_DEADLINE, max_bytes: 16 * 1024 };
const PICTURE_LIMITS: FetchLimits = FetchLimits { deadline: REQUEST_DEADLINE, max_bytes: MAX_UPLOAD_BYTES };
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const HTTPS: u16 = 443;
/// Mojang allows more from one address; others who use it share that with us.
const PER_MINUTE: u32 = 60;
const PER_ACCOUNT_AND_MINUTE: u32 = 10;

pub struct SkinLookup {
    auth_url: String,
    account_url: String,
    pinger: Arc<PingClient>,
    clock: Clock,
    per_account: AttemptLimiter<i64>,
    total: AttemptLimiter<()>,
}

/// A skin and the model that its player chose.
pub struct FoundSkin {
    pub png: Bytes,
    pub model: ArmModel,
}

pub enum SkinLookupError {
    /// Seconds until the next try.
    TooMany(i64),
    NoSuchPlayer,
    /// The player wears one of the game's own.
    DefaultSkin,
    /// A message for the log.
    Unusable(String),
}

impl From<String> for SkinLookupError {
    fn from(reason: String) -> Self {
        Self::Unusable(reason)
    }
}

type LookupResult<T> = Result<T, SkinLookupError>;

impl SkinLookup {
    /// `None` if the operator uses no session server.
    pub fn new(settings: &config::Linking, pinger: Arc<PingClient>, clock: Clock) -> Option<Self> {
        settings.copies_skins().then(|| Self {
            auth_url: settings.auth_url.trim_end_matches('/').to_owned(),
            account_url: settings.account_url(),
            pinger,
            clock,
            per_account: AttemptLimiter::new(PER_ACCOUNT_AND_MINUTE, MINUTE),
            total: AttemptLimiter::new(PER_MINUTE, MINUTE),
        })
    }

    /// The skin of the player with this name, which must be valid. The picture is a PNG by its first bytes only.
    pub async fn find(&self, account_n: i64, name: &str) -> LookupResult<FoundSkin> {
        let now = self.clock.now();
        self.per_account.take(account_n, now).map_err(SkinLookupError::TooMany)?;
        self.total.take((), now).map_err(SkinLookupError::TooMany)?;
        let late = |_| SkinLookupError::Unusable(format!("no answer within {} seconds", DEADLINE.as_secs()));
        tokio::time::timeout(DEADLINE, self.look_up(name)).await.map_err(late)?
    }

    async fn look_up(&self, name: &str) -> LookupResult<FoundSkin> {
        let id = self.id(name).await?;
        let skin = self.profile(id).await?;
        let model = match skin.metadata.is_some_and(|metadata| metadata.model == "slim") {
            true => ArmModel::Slim,
            false => ArmModel::Classic,
        };
        Ok(FoundSkin { png: self.picture(&skin.url).await?, model })
    }

    /// The list form of the lookup: authlib-injector servers have no other.
    async fn id(&self, name: &str) -> LookupResult<Uuid> {
        let url = parse(&format!("{}/profiles/minecraft", self.account_url))?;
        let names = serde_json::json!([name]).to_string();
        let response = http_client::post_json(&url, names, PROFILE_LIMITS).await?;
        // An unknown name is an empty list.
        if response.status == StatusCode::NOT_FOUND {
            return Err(format!("there is no account server at {}; set linking.account_url", self.account_url).into());
        }
        let found: Vec<NamedProfile> = decode(&response)?.unwrap_or_default();
        let profile = found.into_iter().find(|profile| profile.name.eq_ignore_ascii_case(name));
        let profile = profile.ok_or(SkinLookupError::NoSuchPlayer)?;
        Ok(Uuid::try_parse(&profile.id).map_err(|_| "the id of the profile is not a UUID".to_owned())?)
    }

    async fn profile(&self, id: Uuid) -> LookupResult<SkinTexture> {
        let url = parse(&format!("{}/session/minecraft/profile/{}", self.auth_url, id.simple()))?;
        let response = http_client::get(&url, PROFILE_LIMITS).await?;
        let profile: Profile = decode(&response)?.ok_or(SkinLookupError::NoSuchPlayer)?;
        let property = profile.properties.into_iter().find(|property| property.name == "textures");
        let value = property.ok_or(SkinLookupError::DefaultSkin)?.value;
        let json = STANDARD.decode(value).map_err(|_| "the textures of the profile are not base64".to_owned())?;
        let textures: Textures =
            serde_json::from_slice(&json).map_err(|_| "the textures of the profile are not known".to_owned())?;
        textures.textures.skin.ok_or(SkinLookupError::DefaultSkin)
    }

    async fn picture(&self, url: &str) -> LookupResult<Bytes> {
        let url = parse(url)?;
        let response = if self.is_own(&url) {
            http_client::get_png(&url, None, PICTURE_LIMITS).await?
        } else {
            let url = secure(&url)?;
            let addresses = http_client::public_addresses(&self.pinger, &url).await?;
            http_client::get_png(&url, Some(&addresses), PICTURE_LIMITS).await?
        };
        match response.status {
            StatusCode::OK if response.body.starts_with(PNG_SIGNATURE) => Ok(response.body),
            StatusCode::OK => Err("the skin is no PNG".to_owned().into()),
            status => Err(format!("the picture has status {}", status.as_u16()).into()),
        }
    }

    /// Whether a URL leads to a server that the operator configured.
    fn is_own(&self, url: &Uri) -> bool {
        [&self.auth_url, &self.account_url].into_iter().filter_map(|own| own.parse::<Uri>().ok()).any(|own| {
            let place = |url: &Uri| (url.scheme().cloned(), url.host().map(str::to_lowercase), http_client::port(url));
            place(&own) == place(url)
        })
    }
}

/// The URL with HTTPS, which Mojang's pictures have, too, although their URLs say otherwise.
fn secure(url: &Uri) -> Result<Uri, String> {
    let is_web = [&Scheme::HTTP, &Scheme::HTTPS].into_iter().any(|scheme| url.scheme() == Some(scheme));
    match (url.host(), url.port_u16()) {
        (Some(host), None) if is_web => parse(&format!("https://{host}{}", http_client::target(url))),
        (Some(host), Some(HTTPS)) if url.scheme() == Some(&Scheme::HTTPS) => {
            parse(&format!("https://{host}{}", http_client::target(url)))
        }
        _ => Err(format!("the skin is not at an https:// address, but at {url}")),
    }
}

fn parse(url: &str) -> Result<Uri, String> {
    let uri: Uri = url.parse().map_err(|_| "the skin has no usable URL".to_owned())?;
    let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    if has_user { Err("the URL of the skin has a user".to_owned()) } else { Ok(uri) }
}

/// The JSON of a response; `None` if there is nothing.
fn decode<'a, T: Deserialize<'a>>(response: &'a HttpResponse) -> Result<Option<T>, String> {
    match response.status {
        StatusCode::NO_CONTENT | StatusCode::NOT_FOUND => Ok(None),
        StatusCode::OK => {
            serde_json::from_slice(&response.body).map(Some).map_err(|_| "the answer is not a profile".to_owned())
        }
        status => Err(format!("the answer has status {}", status.as_u16())),
    }
}

#[derive(Deserialize)]
struct NamedProfile {
    id: String,
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    #[serde(default)]
    properties: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    value: String,
}

/// The value of the property `textures`.
#[derive(Deserialize)]
struct Textures {
    textures: TextureUrls,
}

#[derive(Deserialize)]
struct TextureUrls {
    #[serde(rename = "SKIN")]
    skin: Option<SkinTexture>,
}

#[derive(Deserialize)]
struct SkinTexture {
    url: String,
    metadata: Option<SkinMetadata>,
}

#[derive(Deserialize)]
struct SkinMetadata {
    #[serde(default)]
    model: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_loaded_by_https() {
        let secured = |url: &str| secure(&parse(url)?).map(|url| url.to_string());
        for (url, wanted) in [
            ("http://textures.minecraft.net/texture/a1?b", "https://textures.minecraft.net/texture/a1?b"),
            ("https://textures.example/a.png", "https://textures.example/a.png"),
            ("https://textures.example:443/a.png", "https://textures.example/a.png"),
            ("https://[2001:db8::1]/a.png", "https://[2001:db8::1]/a.png"),
        ] {
            assert_eq!(secured(url).as_deref(), Ok(wanted));
        }
        for url in [
            "http://textures.example:80/a.png",
            "https://textures.example:22/a.png",
            "ftp://textures.example/a.png",
            "https://me@textures.example/a.png",
            "/a.png",
            "",
        ] {
            assert!(secured(url).is_err(), "{url}");
        }
    }
}
