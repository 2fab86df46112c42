//! `/badge/{slug}.svg` and `/badge/{slug}.json`: one figure of a server for a README or a forum, as a picture of our own and for
//! shields.io. In English: caches share it between all readers.

use askama::Template;
use axum::http::HeaderValue;
use serde::Serialize;

use super::request::{ImageRequest, ImageResult};
use super::text_width;
use crate::error::ApiError;
use crate::http::drawn_pictures::DrawnPicture;
use crate::http::query::Query;
use crate::web::language::Language;
use crate::web::site::server_tile::{CardSource, ServerCard};

const SVG: &str = "image/svg+xml";
const JSON: &str = "application/json";

/// White text on them has a contrast of at least 4.5.
const GOOD: &str = "#1f7a4d";
const FAIR: &str = "#8a5a00";
const BAD: &str = "#b3261e";
const NEUTRAL: &str = "#5f6773";

#[derive(Clone, Copy, PartialEq)]
enum Metric {
    Players,
    Status,
    Uptime,
    Rating,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Flat,
    FlatSquare,
    ForTheBadge,
}

/// The schema of shields.io endpoint badges.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Badge {
    schema_version: u8,
    label: &'static str,
    message: String,
    color: &'static str,
}

pub async fn show(request: ImageRequest) -> ImageResult {
    let metric = metric(&request.query)?;
    let style = style(&request.query)?;
    let is_json = request.name(".json").is_ok();
    let slug = if is_json { request.name(".json")? } else { request.name(".svg")? };
    let source = request.app.catalogue.servers().by_slug(slug).map(CardSource::from);
    let server = source.ok_or_else(|| ApiError::NotFound("Server not found".into()))?.card()?;
    let badge = Badge::new(&server, metric);
    let (text, content_type) = match is_json {
        true => (serde_json::to_string(&badge).map_err(|error| ApiError::Internal(error.to_string()))?, JSON),
        false => (crate::web::page::render(&badge.picture(&server.name, style))?, SVG),
    };
    let mut response = request.respond(&DrawnPicture::new(text.into_bytes()), content_type);
    // Opened by itself, the picture is a document of our origin.
    let policy = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox");
    response.headers_mut().insert(axum::http::header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}

fn metric(query: &Query) -> Result<Metric, ApiError> {
    match query.get("metric").unwrap_or("players") {
        "players" => Ok(Metric::Players),
        "status" => Ok(Metric::Status),
        "uptime" => Ok(Metric::Uptime),
        "rating" => Ok(Metric::Rating),
        _ => Err(ApiError::BadRequest("metric must be one of players, status, uptime, rating".into())),
    }
}

fn style(query: &Query) -> Result<Style, ApiError> {
    match query.get("style").unwrap_or("flat") {
        "flat" => Ok(Style::Flat),
        "flat-square" => Ok(Style::FlatSquare),
        "for-the-badge" => Ok(Style::ForTheBadge),
        _ => Err(ApiError::BadRequest("style must be one of flat, flat-square, for-the-badge".into())),
    }
}

impl Badge {
    fn new(server: &ServerCard, metric: Metric) -> Self {
        let english = Language::English;
        let (label, message, color) = match metric {
            Metric::Players if !server.is_online => ("players", "offline".to_owned(), BAD),
            Metric::Players => {
                let players =
                    format!("{}/{}", english.count(server.current_players), english.count(server.max_players));
                ("players", players, GOOD)
            }
            Metric::Status if server.is_online => ("status", "online".to_owned(), GOOD),
            Metric::Status => ("status", "offline".to_owned(), BAD),
            Metric::Uptime => {
                ("uptime", format!("{}%", english.decimal(server.uptime, 2)), grade(server.uptime / 100.0, 0.98, 0.9))
            }
            Metric::Rating if server.rating > 0.0 => {
                ("rating", format!("{}/5", english.decimal(server.rating, 1)), grade(server.rating / 5.0, 0.75, 0.5))
            }
            Metric::Rating => ("rating", "none yet".to_owned(), NEUTRAL),
        };
        Self { schema_version: 1, label, message, color }
    }

    fn picture(&self, name: &str, style: Style) -> BadgePicture {
        let is_large = style == Style::ForTheBadge;
        let shown = |text: &str| if is_large { text.to_uppercase() } else { text.to_owned() };
        let (label, message) = (shown(self.label), shown(&self.message));
        // Letter spacing and bold letters make the large style wider.
        let widen = |text: &str, factor: u32| match is_large {
            true => (text_width::tenths(text) * 10 / 11 + text.chars().count() as u32 * 13) * factor / 100,
            false => text_width::tenths(text),
        };
        let padding = if is_large { 120 } else { 60 };
        let (label_width, message_width) = (widen(&label, 100), widen(&message, 112));
        let left = (label_width + 2 * padding).div_ceil(10);
        BadgePicture {
            title: format!("{name}: {} {}", self.label, self.message),
            label,
            message,
            color: self.color,
            left,
            width: left + (message_width + 2 * padding).div_ceil(10),
            label_width,
            message_width,
            is_large,
            radius: if style == Style::Flat { 3 } else { 0 },
        }
    }
}

fn grade(share: f64, good: f64, fair: f64) -> &'static str {
    match share {
        share if share >= good => GOOD,
        share if share >= fair => FAIR,
        _ => BAD,
    }
}

/// Widths of texts are in tenths of a pixel, others in pixels.
#[derive(Template)]
#[template(path = "site/badge.svg", escape = "html")]
struct BadgePicture {
    title: String,
    label: String,
    message: String,
    color: &'static str,
    left: u32,
    width: u32,
    label_width: u32,
    message_width: u32,
    is_large: bool,
    radius: u32,
}

impl BadgePicture {
    fn height(&self) -> u32 {
        if self.is_large { 28 } else { 20 }
    }

    /// The middle of the label and of the message.
    fn middles(&self) -> (u32, u32) {
        (self.left * 5, (self.left + self.width) * 5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn badge() -> Badge {
        Badge { schema_version: 1, label: "players", message: "12/100".into(), color: GOOD }
    }

    #[test]
    fn widths_follow_the_text() {
        let picture = badge().picture("A", Style::Flat);
        // players is 40.0 pixels wide, 12/100 is 40: 5 digits of 6.996 and a slash of 4.994.
        assert_eq!((picture.label_width, picture.left), (400, 52));
        assert_eq!((picture.message_width, picture.width), (400, 52 + 52));
        assert_eq!(picture.middles(), (260, 780));
    }

    #[test]
    fn names_cannot_leave_the_title() {
        let hostile = "</title><script>alert(1)</script>\"' onload=\"x";
        let svg = badge().picture(hostile, Style::ForTheBadge).render().unwrap();
        assert!(!svg.contains("<script") && !svg.contains("\" onload"), "{svg}");
    }
}
