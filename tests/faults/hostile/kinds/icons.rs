//! Pictures that are none, or too much.

use serde_json::{Value, json};

use super::{Kind, borne, says};
use crate::hostile::pictures::{favicon, film, heavy, miscounted, overflowing, square, vast};

fn icon(name: &'static str, favicon: impl Into<Value>, held: fn(&Value)) -> Kind {
    says(name, json!({"favicon": favicon.into()}), held)
}

fn none(json: &Value) {
    assert!(json["icon"].is_null(), "{}", json["icon"]);
}

pub fn kinds() -> Vec<Kind> {
    let sound = square(&[]);
    vec![
        icon("a giant icon", favicon(&vec![7; 52_000]), none),
        icon("an icon of no digits", "data:image/png;base64,%%%%====", none),
        icon("an icon elsewhere", "http://127.0.0.1/icon.png", none),
        icon("an icon that is a number", 7, none),
        icon("an icon of nothing", "data:image/png;base64,", borne),
        icon("pixels of forty megabytes", favicon(&overflowing()), borne),
        icon("a comment of forty megabytes", favicon(&heavy(b"zTXt")), borne),
        icon("a profile of forty megabytes", favicon(&heavy(b"iCCP")), borne),
        icon("an icon the size of a city", favicon(&vast()), borne),
        icon("a film", favicon(&film()), borne),
        icon("a wrong checksum", favicon(&miscounted()), borne),
        icon("half an icon", favicon(&sound[..sound.len() / 2]), borne),
        icon("another kind of picture", favicon(b"GIF89a\x40\0\x40\0"), borne),
    ]
}
