//! Values of this installation that stand in the forms of the playground and in the samples of the reference, so that every
//! example can be run as it is. An empty store has none; then the examples of the OpenAPI document are used.

use serde_json::Value;

use crate::app::App;
use crate::catalogue::{PlayerSort, ServerFilter, ServerSort, TextureFilter, TextureSort, Textures};
use crate::error::ApiError;
use crate::v1::Endpoint;
use crate::v1::params::Param;
use rollcall_store::{Conn, players};

/// How many values a form suggests for a path parameter.
const SUGGESTED: usize = 8;

pub struct Examples {
    /// The busiest server, as a list item.
    server: Value,
    skin: Value,
    cape: Value,
    servers: Vec<String>,
    players: Vec<String>,
    player_ids: Vec<String>,
    skins: Vec<String>,
    capes: Vec<String>,
}

impl Examples {
    pub fn load(app: &App, conn: &mut Conn) -> Result<Self, ApiError> {
        let servers: Vec<Value> = {
            let servers = app.catalogue.servers();
            let (entries, _) = servers.page(&ServerFilter::default(), ServerSort::Players, 0, SUGGESTED);
            entries.into_iter().filter_map(|entry| serde_json::from_slice(&entry.summary).ok()).collect()
        };
        let (numbers, _) = app.catalogue.players().page(None, PlayerSort::Playtime, 0, SUGGESTED);
        let players = players::by_numbers(conn, &numbers)?;
        let (skins, capes) = (textures(&app.catalogue.skins()), textures(&app.catalogue.capes()));
        Ok(Self {
            servers: texts(&servers, "slug"),
            player_ids: players.iter().map(|player| player.id.clone()).collect(),
            players: players.into_iter().map(|player| player.nickname).collect(),
            skins: texts(&skins, "slug"),
            capes: texts(&capes, "slug"),
            server: servers.into_iter().next().unwrap_or_default(),
            skin: skins.into_iter().next().unwrap_or_default(),
            cape: capes.into_iter().next().unwrap_or_default(),
        })
    }

    /// Existing values of the path parameter.
    pub fn of_path(&self, endpoint: &Endpoint) -> &[String] {
        match endpoint.path.split('/').nth(1) {
            Some("servers") => &self.servers,
            Some("players") => &self.players,
            Some("skins") => &self.skins,
            Some("capes") => &self.capes,
            _ => &[],
        }
    }

    /// A value of the path parameter: an existing one, else the one that the document names.
    pub fn segment(&self, endpoint: &Endpoint) -> String {
        let Some(param) = &endpoint.path_param else { return String::new() };
        match self.of_path(endpoint).first() {
            Some(first) => first.clone(),
            None => crate::v1::example_of_parameter(endpoint.path, param.name),
        }
    }

    /// A value that the endpoint accepts and that finds something.
    pub fn of_param(&self, endpoint: &Endpoint, param: &dyn Param) -> String {
        let texture = if endpoint.path.starts_with("/capes") { &self.cape } else { &self.skin };
        let is_texture = endpoint.tag == "Skins and capes";
        let found = match param.name() {
            "search" | "q" if is_texture => first_word(&texture["name"]),
            "search" if endpoint.tag != "Servers" => self.players.first().cloned(),
            "search" | "q" => first_word(&self.server["name"]),
            "country" => text(&self.server["country"]),
            "version" => text(&self.server["version"]),
            "mode" | "gameMode" => text(&self.server["gameMode"]),
            "tag" if is_texture => text(&texture["tags"][0]),
            "tag" => text(&self.server["tags"][0]),
            "owner" => text(&texture["owner"]["username"]),
            "slugs" | "servers" => Some(self.servers.join(",")).filter(|slugs| !slugs.is_empty()),
            "ids" => Some(self.player_ids.join(",")).filter(|ids| !ids.is_empty()),
            _ => None,
        };
        found.unwrap_or_else(|| typical(param))
    }
}

/// A value by name, else the last choice of a list, else the default.
fn typical(param: &dyn Param) -> String {
    let schema = param.schema();
    let fixed = match param.name() {
        "limit" => "5",
        "page" => "2",
        "minPlayers" => "1",
        "maxPlayers" => "1000",
        "minUptime" => "95",
        "minVotes" => "10",
        "minRating" => "3",
        "onlineOnly" => "true",
        "period" => "7d",
        "tier" => "HT3",
        "achievement" => "first-steps",
        "search" | "q" => "an",
        "country" => "Germany",
        "version" => "1.21",
        "mode" | "gameMode" => "Survival",
        "tag" => "survival",
        "owner" => "pixelfox",
        "from" => "2026-01-01",
        "to" => "2026-02-01",
        "after" => "start",
        "slugs" | "servers" => "aurora-vale",
        "ids" => "7f3c2a10-4b5d-4e6f-8a9b-0c1d2e3f4a5b",
        _ => "",
    };
    if !fixed.is_empty() {
        return fixed.to_owned();
    }
    let listed = schema["enum"].as_array().or_else(|| schema["items"]["enum"].as_array());
    let choices = listed.into_iter().flatten().filter_map(Value::as_str);
    let other = choices.filter(|choice| schema["default"] != *choice).nth(1).or_else(|| schema["enum"][0].as_str());
    other.unwrap_or_default().to_owned()
}

fn textures(textures: &Textures) -> Vec<Value> {
    let (entries, _) = textures.page(&TextureFilter::default(), TextureSort::Popular, 0, SUGGESTED);
    entries.into_iter().filter_map(|entry| serde_json::from_slice(&entry.summary).ok()).collect()
}

fn texts(items: &[Value], field: &str) -> Vec<String> {
    items.iter().filter_map(|item| text(&item[field])).collect()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A search needs at least two characters.
fn first_word(value: &Value) -> Option<String> {
    let mut words = value.as_str()?.split_whitespace().filter(|word| (2..=30).contains(&word.chars().count()));
    words.next().map(str::to_owned)
}
