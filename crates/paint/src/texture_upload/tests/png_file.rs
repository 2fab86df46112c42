//! Builds PNG files chunk by chunk, right or wrong.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

pub const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Colour types.
pub const GREY: u8 = 0;
pub const RGB: u8 = 2;
pub const INDEXED: u8 = 3;
pub const GREY_ALPHA: u8 = 4;
pub const RGBA: u8 = 6;

pub fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = crc32fast::Hasher::new();
    crc.update(kind);
    crc.update(data);
    [&(data.len() as u32).to_be_bytes(), &kind[..], data, &crc.finalize().to_be_bytes()].concat()
}

pub fn header(width: u32, height: u32, depth: u8, color: u8, interlace: u8) -> Vec<u8> {
    let rest = [depth, color, 0, 0, interlace];
    chunk(b"IHDR", &[&width.to_be_bytes(), &height.to_be_bytes(), &rest[..]].concat())
}

pub fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub fn idat(data: &[u8]) -> Vec<u8> {
    chunk(b"IDAT", &zlib(data))
}

pub fn end() -> Vec<u8> {
    chunk(b"IEND", b"")
}

pub fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
    [SIGNATURE, &chunks.concat()].concat()
}

/// Rows of `bytes` bytes, each after its filter type.
pub fn rows(height: u32, bytes: usize, value: u8) -> Vec<u8> {
    [vec![0], vec![value; bytes]].concat().repeat(height as usize)
}

/// Opaque RGBA pixels.
pub fn rgba(width: u32, height: u32) -> Vec<u8> {
    let row = [vec![0], [10, 20, 30, 255].repeat(width as usize)].concat();
    file(&[header(width, height, 8, RGBA, 0), idat(&row.repeat(height as usize)), end()])
}

/// The same with chunks between header and pixels.
pub fn skin_with(chunks: &[Vec<u8>]) -> Vec<u8> {
    let row = [vec![0], [10, 20, 30, 255].repeat(64)].concat();
    let pixels = vec![idat(&row.repeat(64)), end()];
    file(&[&[header(64, 64, 8, RGBA, 0)], chunks, &pixels].concat())
}

/// A file with the pixels that `color` gives.
pub fn painted(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
    let mut data = Vec::new();
    for y in 0..height {
        data.push(0);
        (0..width).for_each(|x| data.extend(color(x, y)));
    }
    file(&[header(width, height, 8, RGBA, 0), idat(&data), end()])
}

/// The kinds of the chunks of a file.
pub fn kinds(file: &[u8]) -> Vec<String> {
    let mut rest = file.strip_prefix(SIGNATURE).unwrap();
    let mut kinds = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_be_bytes(*rest.first_chunk().unwrap()) as usize;
        kinds.push(String::from_utf8(rest[4..8].to_vec()).unwrap());
        rest = &rest[length + 12..];
    }
    kinds
}
