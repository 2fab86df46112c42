//! Invalid icons and PNG bombs.

use serde_json::{Value, json};

use super::{HostileCase, any_reply, replies};
use crate::hostile_servers::png::{
    animation, favicon, huge_dimensions, large_chunk, square, too_many_pixels, wrong_checksum,
};

fn icon(name: &'static str, favicon: impl Into<Value>, check: fn(&Value)) -> HostileCase {
    replies(name, json!({"favicon": favicon.into()}), check)
}

fn none(json: &Value) {
    assert!(json["icon"].is_null(), "{}", json["icon"]);
}

pub fn cases() -> Vec<HostileCase> {
    let valid = square(&[]);
    vec![
        icon("a large icon that is not a PNG", favicon(&vec![7; 52_000]), none),
        icon("invalid base64", "data:image/png;base64,%%%%====", none),
        icon("an icon as a URL", "http://127.0.0.1/icon.png", none),
        icon("an icon that is a number", 7, none),
        icon("an empty icon", "data:image/png;base64,", any_reply),
        icon("40 MiB of pixels", favicon(&too_many_pixels()), any_reply),
        icon("a text chunk of 40 MiB", favicon(&large_chunk(b"zTXt")), any_reply),
        icon("a profile chunk of 40 MiB", favicon(&large_chunk(b"iCCP")), any_reply),
        icon("65,535 by 65,535 pixels", favicon(&huge_dimensions()), any_reply),
        icon("an animated icon", favicon(&animation()), any_reply),
        icon("a wrong checksum", favicon(&wrong_checksum()), any_reply),
        icon("half a PNG", favicon(&valid[..valid.len() / 2]), any_reply),
        icon("a GIF", favicon(b"GIF89a\x40\0\x40\0"), any_reply),
    ]
}
