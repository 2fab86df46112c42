//! Messages as Discord shows them: a sentence and an embed. Names are escaped and mention no one.

use serde_json::{Value, json};

use super::message::WebhookMessage;
use rollcall_model::event::EventKind;
use rollcall_model::resources::Timestamp;
use rollcall_model::text::is_control_or_bidi;
use rollcall_model::time::{SECOND, iso, parse_iso};
use rollcall_model::webhook::{AlertKind, WebhookType};

/// Characters of a name that are shown. Discord refuses a message with more than 2,000 characters, or 256 in a title.
const MAX_CHARS: usize = 100;
const GREEN: u32 = 0x2e_a0_43;
const RED: u32 = 0xd1_2b_2b;
const YELLOW: u32 = 0xd2_99_22;
const BLUE: u32 = 0x1f_6f_eb;

pub fn body(message: &WebhookMessage, public_url: &str) -> Value {
    let (sentence, detail, color) = words(message);
    let mut embed = json!({"description": if detail.is_empty() { &sentence } else { &detail }, "color": color});
    let Timestamp(at) = message.at;
    embed["timestamp"] = iso(at).into();
    if let Some((title, path)) = subject(message) {
        embed["title"] = title.into();
        embed["url"] = format!("{public_url}{path}").into();
    }
    json!({"content": sentence, "embeds": [embed], "allowed_mentions": {"parse": []}})
}

/// What it is about: a title and the path of a page.
fn subject(message: &WebhookMessage) -> Option<(String, String)> {
    if let Some(server) = &message.server {
        return Some((escape(&server.name), format!("/servers/{}", server.slug)));
    }
    if let Some(player) = &message.player {
        return Some((escape(&player.nickname), format!("/players/{}", player.id)));
    }
    if let Some(slug) = message.data["slug"].as_str() {
        return Some((text(message, "name"), format!("/skins/{slug}")));
    }
    let key = &message.data["key"];
    Some((escape(key["name"].as_str()?), format!("/dashboard/keys/{}", key["id"].as_str()?)))
}

/// A sentence, more about it, and a color.
type Words = (String, String, u32);

fn words(message: &WebhookMessage) -> Words {
    match message.kind {
        WebhookType::Event(kind) => event_words(kind, message),
        WebhookType::Alert(kind) => alert_words(kind, message),
        WebhookType::Test => plain("This is a test of a webhook of Rollcall.".to_owned()),
    }
}

fn plain(sentence: String) -> Words {
    (sentence, String::new(), BLUE)
}

fn event_words(kind: EventKind, message: &WebhookMessage) -> Words {
    let server = server_name(message);
    let player = message.player.as_ref().map_or_else(|| "A player".to_owned(), |player| bold(&player.nickname));
    let text = |field| text(message, field);
    let time = |field| time(message, field);
    match kind {
        EventKind::ServerOnline => {
            let since = time("offlineSince").map(|at| format!("It was offline since {at}."));
            (format!("{server} is online."), since.unwrap_or_default(), GREEN)
        }
        EventKind::ServerOffline => {
            let since = time("unreachableSince").unwrap_or_default();
            (format!("{server} is offline."), format!("Reason: {}. Unreachable since {since}.", text("reason")), RED)
        }
        EventKind::ServerPeak => (
            format!("{server} has a new player record: {}.", text("players")),
            format!("The record before: {}.", text("previousPlayers")),
            GREEN,
        ),
        EventKind::ServerVersion => (
            format!("{server} runs version {}.", text("version")),
            format!("Before: {}.", text("previousVersion")),
            BLUE,
        ),
        EventKind::VoteCreated => plain(format!("{player} voted for {server}.")),
        EventKind::ReviewCreated => {
            let stars = message.data["rating"].as_u64().unwrap_or_default().min(5) as usize;
            plain(format!("{player} reviewed {server}: {}{}", "★".repeat(stars), "☆".repeat(5 - stars)))
        }
        EventKind::PostApproved => plain(format!("News of {server}: {}", text("title"))),
        EventKind::PlayerJoined => plain(format!("{player} joined {server}.")),
        EventKind::PlayerLeft => plain(format!("{player} left {server}.")),
        EventKind::PlayerRenamed => plain(format!("{} is now called {}.", text("previousNickname"), text("nickname"))),
        EventKind::SkinPublished => plain(format!("A new skin: {}.", text("name"))),
    }
}

fn alert_words(kind: AlertKind, message: &WebhookMessage) -> Words {
    let key = bold(message.data["key"]["name"].as_str().unwrap_or_default());
    let text = |field| text(message, field);
    let time = |field| time(message, field);
    match kind {
        AlertKind::KeyQuota80 => {
            let sentence = format!("The API key {key} has used 80 % of its quota of the {}.", text("window"));
            (sentence, String::new(), YELLOW)
        }
        AlertKind::KeyQuota100 => {
            let sentence = format!("The API key {key} has used up its quota of the {}.", text("window"));
            (sentence, "Requests with it are refused until the quota is renewed.".to_owned(), RED)
        }
        AlertKind::KeyExpiring => {
            let at = time("expiresAt").unwrap_or_default();
            (format!("The API key {key} expires soon."), format!("It expires {at}."), YELLOW)
        }
        AlertKind::KeyExpired => {
            (format!("The API key {key} has expired."), "Requests with it are refused.".to_owned(), RED)
        }
        AlertKind::ReportMissing => {
            let at = time("lastReportAt").unwrap_or_default();
            (format!("{} sends no reports any more.", server_name(message)), format!("The last one came {at}."), YELLOW)
        }
    }
}

fn server_name(message: &WebhookMessage) -> String {
    message.server.as_ref().map_or_else(|| "A server".to_owned(), |server| bold(&server.name))
}

fn text(message: &WebhookMessage, field: &str) -> String {
    match &message.data[field] {
        Value::String(text) => escape(text),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// A time as Discord shows it, in the zone of the reader.
fn time(message: &WebhookMessage, field: &str) -> Option<String> {
    let at = parse_iso(message.data[field].as_str()?)?;
    Some(format!("<t:{}:f>", at / SECOND))
}

fn bold(name: &str) -> String {
    format!("**{}**", escape(name))
}

/// A text of others, without a meaning in Discord's Markdown.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars().filter(|c| !is_control_or_bidi(*c)).take(MAX_CHARS) {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use rollcall_model::resources::EventServer;

    fn message(kind: WebhookType, data: Value) -> WebhookMessage {
        let name = "**x** <@1> [a](https://b) @everyone\n# `c` \u{202e}".to_owned();
        let server = EventServer { id: "a".into(), slug: "x".into(), name };
        WebhookMessage {
            kind,
            id: "1".into(),
            r#type: kind.name(),
            at: Timestamp(1_780_495_200_000),
            server: Some(server),
            player: None,
            data,
        }
    }

    #[test]
    fn names_have_no_meaning_and_mention_nobody() {
        let data = json!({"reason": "timeout", "unreachableSince": "2026-06-03T14:00:00.000Z"});
        let body = body(&message(WebhookType::Event(EventKind::ServerOffline), data), "https://stats.example");
        let name = r"\*\*x\*\* \<\@1\> \[a\]\(https\:\/\/b\) \@everyone\# \`c\` ";
        assert_eq!(
            body,
            json!({
                "content": format!("**{name}** is offline."),
                "embeds": [{
                    "description": "Reason: timeout. Unreachable since <t:1780495200:f>.",
                    "color": RED,
                    "timestamp": "2026-06-03T14:00:00.000Z",
                    "title": name,
                    "url": "https://stats.example/servers/x",
                }],
                "allowed_mentions": {"parse": []},
            })
        );
    }

    #[test]
    fn every_type_has_words_within_the_limits() {
        for kind in WebhookType::choices().chain([WebhookType::Test]) {
            let long = "*".repeat(1_000);
            let data = json!({"key": {"id": "k", "name": long}, "name": long, "title": long, "version": long,
                              "previousVersion": long, "nickname": long, "previousNickname": long, "reason": long});
            let body = body(&message(kind, data), "https://stats.example");
            let (content, embed) = (body["content"].as_str().unwrap(), &body["embeds"][0]);
            assert!((10..2_000).contains(&content.chars().count()), "{kind:?}: {content}");
            assert!(embed["title"].as_str().unwrap().chars().count() <= 256, "{kind:?}");
            assert!(!embed["description"].as_str().unwrap().is_empty(), "{kind:?}");
        }
    }
}
