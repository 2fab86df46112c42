//! `servers.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::slugs::SlugKind;
use super::{DefaultPicture, LineError, NdjsonLine, Resource, checks};
use rollcall_minecraft::{Edition, Host};
use rollcall_model::text::is_control_or_bidi;
use rollcall_model::trust::SourceTrust;
use rollcall_model::visibility::Visibility;
use rollcall_model::{country, time};
use rollcall_store::Conn;
use rollcall_store::transfer::servers::{self, TransferServer};
use rollcall_store::transfer::{StagedRow, StagedTable};

const MAX_PORT: i64 = 65_535;
const UNKNOWN_VERSION: &str = "Unknown";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ServerLine {
    id: String,
    slug: Option<String>,
    name: String,
    short_description: Option<String>,
    ip: String,
    port: Option<i64>,
    icon: Option<String>,
    banner: Option<String>,
    motd_image: Option<String>,
    motd_raw: Option<String>,
    website: Option<String>,
    chat_url: Option<String>,
    store_url: Option<String>,
    video_url: Option<String>,
    visibility: Option<String>,
    is_online: Option<bool>,
    current_players: Option<i64>,
    max_players: Option<i64>,
    version: Option<String>,
    protocol: Option<i64>,
    latency: Option<i64>,
    tps: Option<f64>,
    last_ping: Option<String>,
    country: Option<String>,
    game_mode: Option<String>,
    owner_id: Option<String>,
    created_at: Option<String>,
    edition: Option<String>,
    query_port: Option<i64>,
    is_tracked: Option<bool>,
    trust: Option<String>,
    tags: Option<Vec<String>>,
}

impl From<TransferServer<String>> for ServerLine {
    fn from(server: TransferServer<String>) -> Self {
        Self {
            id: server.id,
            slug: Some(server.slug),
            name: server.name,
            short_description: Some(server.short_description),
            ip: server.ip,
            port: Some(server.port),
            icon: Some(server.icon),
            banner: Some(server.banner),
            motd_image: Some(server.motd_image),
            motd_raw: Some(server.motd_raw),
            website: server.website,
            chat_url: server.chat_url,
            store_url: server.store_url,
            video_url: server.video_url,
            visibility: Some(server.visibility),
            is_online: Some(server.is_online),
            current_players: Some(server.current_players),
            max_players: Some(server.max_players),
            version: Some(server.version),
            protocol: Some(server.protocol),
            latency: Some(server.latency),
            tps: server.tps,
            last_ping: server.last_ping.map(time::iso),
            country: Some(server.country),
            game_mode: server.game_mode,
            owner_id: server.owner,
            created_at: server.created_at.map(time::iso),
            edition: Some(server.edition),
            query_port: server.query_port,
            is_tracked: Some(server.is_tracked),
            trust: server.operator_trust,
            tags: Some(server.tags),
        }
    }
}

impl NdjsonLine for ServerLine {
    fn table(_: Resource) -> &'static StagedTable {
        &servers::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        servers::for_each(conn, |server| write(server.into()))
    }

    fn pictures(&self) -> Vec<&str> {
        [&self.icon, &self.banner, &self.motd_image].into_iter().filter_map(Option::as_deref).collect()
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        self.check_texts()?;
        let edition = self.edition.as_deref().unwrap_or(Edition::default().name());
        let default_port = i64::from(Edition::parse(edition).unwrap_or_default().default_port());
        let Self { id, name, .. } = self;
        let slug = SlugKind::Server.claim(context, &id, self.slug, &name)?;
        let tags = self.tags.unwrap_or_default();
        checks::tags(&tags)?;
        let motd_raw = self.motd_raw.unwrap_or_else(|| name.clone());
        let country_name = self.country.as_deref().unwrap_or(country::UNKNOWN);
        let server = TransferServer {
            edition: edition.to_owned(),
            slug,
            short_description: self.short_description.unwrap_or_default(),
            ip: self.ip,
            port: checks::in_range("port", self.port.unwrap_or(default_port), 1, MAX_PORT)?,
            icon: context.picture("icon", self.icon, DefaultPicture::Icon { id: &id, name: &name })?,
            banner: context.picture("banner", self.banner, DefaultPicture::Banner { id: &id, name: &name })?,
            motd_image: context.picture(
                "motdImage",
                self.motd_image,
                DefaultPicture::MotdImage { motd_raw: &motd_raw },
            )?,
            motd_raw,
            website: self.website,
            chat_url: self.chat_url,
            store_url: self.store_url,
            video_url: self.video_url,
            visibility: self.visibility.unwrap_or_else(|| Visibility::default().name().to_owned()),
            is_online: self.is_online.unwrap_or(false),
            current_players: checks::count("currentPlayers", self.current_players.unwrap_or(0))?,
            max_players: checks::count("maxPlayers", self.max_players.unwrap_or(0))?,
            version: self.version.as_deref().map_or_else(|| UNKNOWN_VERSION.to_owned(), clean_version),
            protocol: self.protocol.unwrap_or(0),
            latency: checks::count("latency", self.latency.unwrap_or(0))?,
            tps: checks::not_negative("tps", self.tps)?,
            last_ping: checks::time_or_none("lastPing", self.last_ping.as_ref())?,
            country: checks::not_blank("country", country_name).map(|()| checks::country(country_name))?,
            game_mode: self.game_mode,
            owner: context.account_or_none("ownerId", self.owner_id.as_ref())?,
            created_at: checks::time_or_none("createdAt", self.created_at.as_ref())?,
            query_port: self.query_port.map(|port| checks::in_range("queryPort", port, 1, MAX_PORT)).transpose()?,
            is_tracked: self.is_tracked.unwrap_or(true),
            operator_trust: self.trust,
            tags,
            id,
            name,
        };
        Ok(server.into())
    }
}

impl ServerLine {
    /// The checks that need nothing but the line.
    fn check_texts(&self) -> Result<(), LineError> {
        checks::id(&self.id)?;
        checks::name("name", &self.name, checks::MAX_SERVER_NAME)?;
        checks::line_or_none("shortDescription", self.short_description.as_ref(), checks::MAX_LINE)?;
        checks::text("motdRaw", self.motd_raw.as_ref())?;
        checks::name_or_none("country", self.country.as_ref(), checks::MAX_NAME)?;
        checks::line_or_none("gameMode", self.game_mode.as_ref(), checks::MAX_NAME)?;
        if self.ip.parse::<Host>().is_err() {
            return Err(format!("ip must be a host name or an IP address, not {:?}", self.ip).into());
        }
        if let Some(edition) = &self.edition {
            checks::one_of("edition", edition, &Edition::ALL.map(Edition::name))?;
        }
        if let Some(visibility) = &self.visibility {
            checks::one_of("visibility", visibility, &Visibility::ALL.map(Visibility::name))?;
        }
        if let Some(trust) = &self.trust {
            checks::one_of("trust", trust, &SourceTrust::ALL.map(SourceTrust::name))?;
        }
        for (field, url) in [
            ("website", &self.website),
            ("chatUrl", &self.chat_url),
            ("storeUrl", &self.store_url),
            ("videoUrl", &self.video_url),
        ] {
            checks::http_url(field, url.as_ref())?;
        }
        Ok(())
    }
}

/// The line of a server as an export writes it, by slug.
pub fn server_line(
    conn: &mut Conn,
    slug: &str,
) -> rollcall_store::Result<Option<serde_json::Map<String, serde_json::Value>>> {
    let server = servers::by_slug(conn, slug)?.map(ServerLine::from);
    let line = server.and_then(|server| serde_json::to_value(server).ok());
    Ok(line.and_then(|line| line.as_object().cloned()))
}

/// A game server reports it. Earlier versions stored marks that are not accepted now; they must not make a line unusable.
fn clean_version(reported: &str) -> String {
    reported.chars().filter(|c| !is_control_or_bidi(*c)).take(checks::MAX_NAME).collect()
}
