//! Files that are meant to harm: each is refused with a sentence, or nothing of it but the pixels survives.

use super::png_file::{
    GREY, GREY_ALPHA, INDEXED, RGB, RGBA, SIGNATURE, chunk, end, file, header, idat, rgba, rows, skin_with, zlib,
};
use super::{SKIN, assert_harmless};
use crate::texture_upload::{MAX_UPLOAD_BYTES, TextureKind, normalize_upload};

const NOT_PNG: &str = "not";
const INCOMPLETE: &str = "The PNG is incomplete";
const DAMAGED: &str = "The PNG is damaged";
const TOO_LARGE: &str = "The picture has";
const TOO_MANY_BYTES: &str = "The file has";

/// Name, file, and how the refusal starts or what it contains; `None` if it is made harmless.
type Hostile = (String, Vec<u8>, Option<&'static str>);

fn hostile(name: &str, file: Vec<u8>, refusal: Option<&'static str>) -> Hostile {
    (name.to_owned(), file, refusal)
}

fn other_formats() -> Vec<Hostile> {
    let files: [(&str, &[u8]); 14] = [
        ("nothing", b""),
        ("one byte", b"\x89"),
        ("text", b"hello"),
        ("svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
        ("svg after a declaration", b"<?xml version='1.0'?><svg/>"),
        ("html", b"<!DOCTYPE html><script>alert(1)</script>"),
        ("html after spaces", b"  \n<html><body>"),
        ("gif", b"GIF89a\x40\0\x40\0\0\0\0;"),
        ("jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0"),
        ("webp", b"RIFF\x1a\0\0\0WEBPVP8L"),
        ("zip", b"PK\x03\x04\x14\0"),
        ("pdf", b"%PDF-1.7"),
        ("mng", b"\x8aMNG\r\n\x1a\n"),
        ("png with converted line ends", b"\x89PNG\n\x1a\n\0\0\0\rIHDR"),
    ];
    files.into_iter().map(|(name, bytes)| hostile(name, bytes.to_vec(), Some(NOT_PNG))).collect()
}

fn truncated() -> Vec<Hostile> {
    let whole = rgba(64, 64);
    [8, 11, 12, 16, 20, 28, 33, 36, 41, 45, whole.len() / 2, whole.len() - 13, whole.len() - 12, whole.len() - 1]
        .map(|end| hostile(&format!("the first {end} bytes"), whole[..end].to_vec(), Some(INCOMPLETE)))
        .into()
}

fn sizes() -> Vec<Hostile> {
    let claims = [
        (0, 64),
        (64, 0),
        (0, 0),
        (1 << 31, 64),
        (64, 1 << 31),
        (u32::MAX, u32::MAX),
        ((1 << 31) - 1, (1 << 31) - 1),
        (65_535, 65_535),
        (2049, 1),
        (2048, 2048),
    ];
    let claim = |(width, height)| {
        let picture = file(&[header(width, height, 8, RGBA, 0), idat(&rows(64, 256, 7)), end()]);
        hostile(&format!("{width} × {height}"), picture, Some(TOO_LARGE))
    };
    claims.map(claim).into()
}

fn bombs() -> Vec<Hostile> {
    let zeros = vec![0; 64 << 20];
    let long = zlib(&zeros);
    let pixels = idat(&rows(64, 256, 200));
    let with_bomb = |kind, prefix: &[u8]| skin_with(&[chunk(kind, &[prefix, &long].concat())]);
    let skin = header(64, 64, 8, RGBA, 0);
    // The widest cape, of 1 bit per pixel: as many pixels as possible from few bytes.
    let wide = file(&[header(2048, 1024, 1, GREY, 0), idat(&rows(1024, 256, 255)), end()]);
    assert!(wide.len() < 2000);
    vec![
        hostile(
            "pixels followed by 64 MiB",
            file(&[skin.clone(), chunk(b"IDAT", &zlib(&[rows(64, 256, 200), zeros.clone()].concat())), end()]),
            None,
        ),
        hostile("64 MiB in a text", with_bomb(b"zTXt", b"Comment\0\0"), None),
        hostile("64 MiB in an international text", with_bomb(b"iTXt", b"Comment\0\x01\0\0\0"), None),
        hostile("64 MiB in a colour profile", with_bomb(b"iCCP", b"icc\0\0"), None),
        hostile(
            "a text of 300 KiB",
            skin_with(&[chunk(b"tEXt", &[b"a\0".as_slice(), &vec![b'x'; 300 << 10]].concat())]),
            None,
        ),
        hostile("a file of 600 KiB", skin_with(&[chunk(b"tEXt", &vec![b'x'; 600 << 10])]), Some(TOO_MANY_BYTES)),
        hostile("one byte too long", [rgba(64, 64), vec![0; MAX_UPLOAD_BYTES]].concat(), Some(TOO_MANY_BYTES)),
        hostile("two thousand chunks", skin_with(&vec![chunk(b"tEXt", b"a\0b"); 2000]), Some("The PNG has more than")),
        hostile(
            "empty pixel chunks",
            file(&[vec![skin.clone()], vec![chunk(b"IDAT", b""); 500], vec![pixels, end()]].concat()),
            None,
        ),
        hostile("no wide cape as a skin", wide, Some(TOO_LARGE)),
        hostile(
            "a bomb that is no zlib stream",
            file(&[skin, chunk(b"IDAT", &vec![0xff; 1 << 16]), end()]),
            Some(DAMAGED),
        ),
    ]
}

fn pixel_formats() -> Vec<Hostile> {
    let picture = |name, depth, color, interlace, bytes, refusal| {
        hostile(name, file(&[header(64, 64, depth, color, interlace), idat(&rows(64, bytes, 0x7f)), end()]), refusal)
    };
    let indexed = |name, chunks: &[Vec<u8>], refusal| {
        let chunks = [&[header(64, 64, 8, INDEXED, 0)], chunks, &[end()]].concat();
        hostile(name, file(&chunks), refusal)
    };
    let pixels = |index| idat(&rows(64, 64, index));
    let palette = chunk(b"PLTE", &[1, 2, 3, 4, 5, 6]);
    vec![
        picture("16 bits", 16, RGBA, 0, 512, None),
        picture("16 bits without alpha", 16, RGB, 0, 384, None),
        picture("grey", 8, GREY, 0, 64, None),
        picture("grey of 1 bit", 1, GREY, 0, 8, None),
        picture("grey of 16 bits with alpha", 16, GREY_ALPHA, 0, 256, None),
        picture("unknown depth", 3, RGBA, 0, 256, Some(DAMAGED)),
        picture("unknown colours", 8, 5, 0, 256, Some(DAMAGED)),
        picture("a palette of 16 bits", 16, INDEXED, 0, 128, Some(DAMAGED)),
        picture("unknown interlacing", 8, RGBA, 2, 256, Some(DAMAGED)),
        picture("too few rows for interlacing", 8, RGBA, 1, 255, Some(DAMAGED)),
        picture("too few pixels", 8, RGBA, 0, 255, Some(DAMAGED)),
        indexed("no palette", &[pixels(0)], Some(DAMAGED)),
        indexed("an empty palette", &[chunk(b"PLTE", b""), pixels(0)], Some("")),
        indexed("a palette of 4 bytes", &[chunk(b"PLTE", &[1, 2, 3, 4]), pixels(0)], Some("")),
        indexed("a palette of 300 colours", &[chunk(b"PLTE", &[7; 900]), pixels(0)], Some("")),
        indexed("a palette after the pixels", &[pixels(0), palette.clone()], Some(DAMAGED)),
        indexed("a colour outside the palette", &[palette.clone(), pixels(200)], None),
        indexed("more alpha than colours", &[palette.clone(), chunk(b"tRNS", &[9; 200]), pixels(1)], Some("")),
        indexed("two palettes", &[palette.clone(), palette, pixels(1)], Some("")),
    ]
}

fn structures() -> Vec<Hostile> {
    let skin = header(64, 64, 8, RGBA, 0);
    let data = zlib(&rows(64, 256, 200));
    let (first, second) = data.split_at(data.len() / 2);
    let [first, second] = [first, second].map(|part| chunk(b"IDAT", part));
    let pixels = chunk(b"IDAT", &data);
    let mut wrong_pixels = pixels.clone();
    *wrong_pixels.last_mut().unwrap() ^= 1;
    let mut wrong_header = skin.clone();
    *wrong_header.last_mut().unwrap() ^= 1;
    let mut wrong_text = chunk(b"tEXt", b"a\0b");
    *wrong_text.last_mut().unwrap() ^= 1;
    let text = chunk(b"tEXt", b"a\0b");
    let mut wrong_filter = rows(64, 256, 200);
    wrong_filter[0] = 9;
    let mut endless = chunk(b"IDAT", &data);
    endless[..4].copy_from_slice(&u32::MAX.to_be_bytes());
    let all = |chunks: &[&Vec<u8>]| file(&chunks.iter().map(|chunk| (*chunk).clone()).collect::<Vec<_>>());
    let end = end();
    vec![
        hostile("a wrong checksum of the pixels", all(&[&skin, &wrong_pixels, &end]), Some(DAMAGED)),
        hostile("a wrong checksum of the header", all(&[&wrong_header, &pixels, &end]), Some(DAMAGED)),
        hostile("a wrong checksum of a text", all(&[&skin, &wrong_text, &pixels, &end]), None),
        hostile("pixels in two chunks", all(&[&skin, &first, &second, &end]), None),
        hostile("a text between pixels", all(&[&skin, &first, &text, &second, &end]), None),
        hostile("pixels in the wrong order", all(&[&skin, &second, &first, &end]), Some(DAMAGED)),
        hostile("pixels twice", all(&[&skin, &pixels, &pixels, &end]), None),
        hostile("no pixels", all(&[&skin, &end]), Some(DAMAGED)),
        hostile("no end", all(&[&skin, &pixels]), Some(INCOMPLETE)),
        hostile("pixels after the end", all(&[&skin, &end, &pixels]), Some(DAMAGED)),
        hostile("no header", all(&[&pixels, &end]), Some(DAMAGED)),
        hostile("a text before the header", all(&[&text, &skin, &pixels, &end]), Some(DAMAGED)),
        hostile("two headers", all(&[&skin, &skin, &pixels, &end]), Some(DAMAGED)),
        hostile("a short header", all(&[&chunk(b"IHDR", &[0; 12]), &pixels, &end]), Some(DAMAGED)),
        hostile("an unknown critical chunk", all(&[&skin, &chunk(b"EVIL", b"x"), &pixels, &end]), Some(DAMAGED)),
        hostile("a chunk that is no text", all(&[&skin, &chunk(b"\0\xff\0\xff", b"x"), &pixels, &end]), Some(DAMAGED)),
        hostile("a chunk of 4 GiB", all(&[&skin, &endless, &end]), Some(INCOMPLETE)),
        hostile("an unknown filter", all(&[&skin, &idat(&wrong_filter), &end]), Some(DAMAGED)),
        hostile("only a signature", SIGNATURE.to_vec(), Some(INCOMPLETE)),
    ]
}

fn animations_and_polyglots() -> Vec<Hostile> {
    let frame = |width: u32, height: u32| {
        let sides = [0, width, height, 0, 0].map(u32::to_be_bytes).concat();
        chunk(b"fcTL", &[&sides[..], &[0, 1, 0, 1, 0, 0]].concat())
    };
    let frames = chunk(b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
    let whole = rgba(64, 64);
    let trailing = |bytes: &[u8]| [&whole[..], bytes].concat();
    vec![
        hostile("an animation", skin_with(&[frames.clone(), frame(64, 64)]), None),
        hostile("an animation with a small first frame", skin_with(&[frames.clone(), frame(1, 1)]), None),
        hostile("an animation with a huge frame", skin_with(&[frames, frame(u32::MAX, u32::MAX)]), None),
        hostile("a PNG and a ZIP", trailing(b"PK\x03\x04\x14\0\0\0\0\0PK\x05\x06"), None),
        hostile("a PNG and HTML", trailing(b"<script>alert(1)</script>"), None),
        hostile("a PNG and another PNG", trailing(&whole), None),
        hostile("a PNG and 400 KiB of zeros", trailing(&vec![0; 400 << 10]), None),
        hostile("HTML in a text", skin_with(&[chunk(b"tEXt", b"Comment\0<script>alert(1)</script>")]), None),
        hostile("PHP in an unknown chunk", skin_with(&[chunk(b"phPp", b"<?php system($_GET[0]); ?>")]), None),
        hostile("Exif with a place", skin_with(&[chunk(b"eXIf", b"MM\0*\0\0\0\x08")]), None),
        hostile(
            "physical size, gamma and time",
            skin_with(&[chunk(b"pHYs", &[255; 9]), chunk(b"gAMA", &[0; 4]), chunk(b"tIME", &[255; 7])]),
            None,
        ),
    ]
}

#[test]
fn hostile_files_are_refused_or_made_harmless() {
    let files =
        [other_formats(), truncated(), sizes(), bombs(), pixel_formats(), structures(), animations_and_polyglots()];
    let files = files.concat();
    assert!(files.len() >= 60, "{}", files.len());
    for (name, bytes, refusal) in &files {
        match (normalize_upload(bytes, SKIN), refusal) {
            (Ok(upload), None | Some("")) => {
                assert_harmless(&upload, name);
                assert_eq!((upload.width, upload.height), (64, 64), "{name}");
            }
            (Err(error), Some(refusal)) => {
                let error = error.to_string();
                assert!(error.contains(refusal) && error.ends_with('.'), "{name}: {error}");
            }
            (result, expected) => panic!(
                "{name}: expected {expected:?}, got {:?}",
                result.map_err(|e| e.to_string()).map(|_| "a picture")
            ),
        }
        // As a cape nothing of it is a reason to panic either.
        if let Ok(upload) = normalize_upload(bytes, TextureKind::Cape) {
            assert_harmless(&upload, name);
        }
    }
}

#[test]
fn every_changed_byte_and_every_length_is_survived() {
    let whole = crate::skin(crate::ArmModel::Slim, 3);
    for at in 0..whole.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[at] ^= change;
            if let Ok(upload) = normalize_upload(&changed, SKIN) {
                assert_harmless(&upload, &format!("byte {at}"));
            }
        }
        assert!(normalize_upload(&whole[..at], SKIN).is_err(), "{at} bytes");
    }
}
