mod hostile;
mod png_file;

use super::*;
use crate::testing::decode;
use png_file::{kinds, painted, rgba};

const SKIN: TextureKind = TextureKind::Skin(ArmModel::Classic);

fn pixel(texture: &UploadedTexture, x: u32, y: u32) -> [u8; 4] {
    *texture.rgba[((y * texture.width + x) * 4) as usize..].first_chunk().unwrap()
}

/// Every pixel has a colour of its own; alpha is as given.
fn colorful(x: u32, y: u32, alpha: u8) -> [u8; 4] {
    [x as u8 + 1, y as u8 + 1, 7, alpha]
}

#[test]
fn skins_of_ours_come_out_as_they_are() {
    for (model, seed) in (0..20).flat_map(|seed| [(ArmModel::Classic, seed), (ArmModel::Slim, seed)]) {
        let skin = crate::skin(model, seed);
        let upload = normalize_upload(&skin, TextureKind::Skin(model)).unwrap();
        assert_eq!(upload.suggested_model, Some(model), "{seed}");
        let (width, height, pixels) = decode(&upload.png);
        assert_eq!((width, height), (64, 64));
        assert!(pixels == upload.rgba);
        assert_eq!(Some(&upload.uploaded_png), crate::sanitize_png(&skin).as_ref());
        let again = normalize_upload(&upload.png, TextureKind::Skin(model)).unwrap();
        assert!((again.png, again.pixel_hash) == (upload.png, upload.pixel_hash), "normalized pixels stay the same");
    }
    let cape = crate::cape(7);
    assert_eq!(decode(&normalize_upload(&cape, TextureKind::Cape).unwrap().png), decode(&cape));
}

#[test]
fn the_body_becomes_opaque_and_the_layer_around_it_keeps_its_alpha() {
    let upload = normalize_upload(&painted(64, 64, |x, y| colorful(x, y, 100)), SKIN).unwrap();
    for (x, y) in [(0, 0), (31, 15), (0, 16), (63, 31), (16, 48), (47, 63)] {
        assert_eq!(pixel(&upload, x, y), colorful(x, y, 255), "{x} {y}");
    }
    for (x, y) in [(32, 0), (63, 15), (0, 32), (63, 47), (15, 48), (48, 63)] {
        assert_eq!(pixel(&upload, x, y), colorful(x, y, 100), "{x} {y}");
    }
}

#[test]
fn old_skins_get_the_mirrored_limbs_of_the_game() {
    let transparent_hat = |x, y| colorful(x, y, if x >= 32 && y < 16 { 0 } else { 255 });
    let upload = normalize_upload(&painted(64, 32, transparent_hat), SKIN).unwrap();
    assert_eq!((upload.width, upload.height), (64, 64));
    // The front of the right leg becomes the front of the left one, mirrored; its outside stays outside.
    for (from, to) in [
        ((4, 20), (23, 52)),
        ((7, 31), (20, 63)),
        ((0, 20), (27, 52)),
        ((8, 20), (19, 52)),
        ((12, 20), (31, 52)),
        ((4, 16), (23, 48)),
        ((8, 16), (27, 48)),
        ((44, 20), (39, 52)),
        ((40, 20), (43, 52)),
        ((48, 20), (35, 52)),
        ((52, 20), (47, 52)),
        ((44, 16), (39, 48)),
        ((48, 16), (43, 48)),
    ] {
        assert_eq!(pixel(&upload, to.0, to.1), colorful(from.0, from.1, 255), "{from:?} {to:?}");
    }
    for (x, y) in [(0, 32), (63, 47), (0, 48), (63, 63), (40, 5)] {
        assert_eq!(pixel(&upload, x, y), [0; 4], "{x} {y}");
    }
    assert_eq!(upload.suggested_model, Some(ArmModel::Classic));
}

#[test]
fn an_old_skin_without_transparency_has_no_hat() {
    let opaque = normalize_upload(&painted(64, 32, |x, y| colorful(x, y, 255)), SKIN).unwrap();
    assert_eq!(pixel(&opaque, 40, 8), [0; 4]);
    assert_eq!(pixel(&opaque, 44, 20), colorful(44, 20, 255), "the arm is no hat");
    let with_hole = |x, y| colorful(x, y, if (x, y) == (63, 0) { 0 } else { 255 });
    let hat = normalize_upload(&painted(64, 32, with_hole), SKIN).unwrap();
    assert_eq!(pixel(&hat, 40, 8), colorful(40, 8, 255));
}

#[test]
fn the_model_is_only_suggested() {
    let slim =
        painted(64, 64, |x, y| colorful(x, y, if (54..56).contains(&x) && (20..32).contains(&y) { 0 } else { 255 }));
    let [classic, slim] =
        [ArmModel::Classic, ArmModel::Slim].map(|model| normalize_upload(&slim, TextureKind::Skin(model)));
    assert_eq!(classic.as_ref().unwrap().suggested_model, Some(ArmModel::Slim));
    assert_eq!(classic, slim);
}

#[test]
fn capes_are_put_on_the_grid_of_the_game() {
    for ((width, height), scale) in [
        ((64, 32), 1),
        ((22, 17), 1),
        ((46, 22), 1),
        ((128, 64), 2),
        ((44, 34), 2),
        ((138, 66), 3),
        ((2048, 1024), 32),
        ((704, 544), 32),
    ] {
        let upload =
            normalize_upload(&painted(width, height, |x, y| [x as u8, y as u8, 9, 255]), TextureKind::Cape).unwrap();
        assert_eq!((upload.width, upload.height), (64 * scale, 32 * scale), "{width} {height}");
        assert_eq!(pixel(&upload, width - 1, height - 1), [(width - 1) as u8, (height - 1) as u8, 9, 255]);
        if width < upload.width {
            assert_eq!(pixel(&upload, width, 0), [0; 4]);
        }
        assert!(crate::CapeTexture::decode(&upload.png).is_some(), "it can be drawn");
    }
}

#[test]
fn sizes_that_the_game_does_not_know_are_refused() {
    for (width, height) in [(63, 64), (64, 65), (128, 128), (32, 32), (64, 16), (1, 1), (64, 2048), (2048, 1024)] {
        let error = normalize_upload(&rgba(width, height), SKIN).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("The picture has {width} × {height} pixels; a skin has 64 × 64")),
            "{error}"
        );
    }
    for (width, height) in [(64, 64), (22, 22), (45, 22), (46, 23), (96, 48), (748, 578), (1518, 726), (23, 17)] {
        let error = normalize_upload(&rgba(width, height), TextureKind::Cape).unwrap_err().to_string();
        assert!(error.contains("a cape has 64 × 32, 46 × 22 or 22 × 17"), "{error}");
    }
}

#[test]
fn equal_pixels_have_one_hash_whatever_is_hidden() {
    let with_hidden =
        |hidden: u8| painted(64, 64, move |x, y| if y >= 32 && x < 8 { [hidden, 1, 2, 0] } else { [5, 5, 5, 255] });
    let [a, b] = [3, 4].map(|hidden| normalize_upload(&with_hidden(hidden), SKIN).unwrap());
    assert_eq!(a.pixel_hash, b.pixel_hash);
    assert!(a.png == b.png);
    assert_eq!(a.pixel_hash.len(), 64);
    let other = normalize_upload(&painted(64, 64, |_, _| [5, 5, 6, 255]), SKIN).unwrap();
    assert_ne!(a.pixel_hash, other.pixel_hash);
}

#[test]
fn empty_pictures_are_refused() {
    let empty = "The picture is empty: nothing of it would be visible. Upload one with visible pixels.";
    // A visible pixel where the game shows nothing does not count.
    let corner = |x, y| if (x, y) == (0, 0) { [9, 9, 9, 255] } else { [9, 9, 9, 0] };
    for picture in [painted(64, 64, |_, _| [9, 9, 9, 0]), painted(64, 32, |_, _| [0; 4]), painted(64, 64, corner)] {
        assert_eq!(normalize_upload(&picture, SKIN).unwrap_err().to_string(), empty);
    }
    let outside = |x, y| if x >= 46 || y >= 22 { [9, 9, 9, 255] } else { [0; 4] };
    for picture in [painted(64, 32, outside), painted(22, 17, |_, _| [1, 2, 3, 0])] {
        assert_eq!(normalize_upload(&picture, TextureKind::Cape).unwrap_err().to_string(), empty);
    }
}

/// What every accepted upload must be.
fn assert_harmless(upload: &UploadedTexture, name: &str) {
    let (width, height, pixels) = decode(&upload.png);
    assert_eq!((width, height), (upload.width, upload.height), "{name}");
    assert!(pixels == upload.rgba, "{name}");
    for kind in kinds(&upload.png) {
        assert!(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"].contains(&kind.as_str()), "{name}: {kind}");
    }
}
