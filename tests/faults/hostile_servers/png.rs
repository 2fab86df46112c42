//! PNG bombs and invalid PNGs.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// As a data URL.
pub fn favicon(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

pub fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [kind, data].concat();
    [&(data.len() as u32).to_be_bytes(), body.as_slice(), &crc32fast::hash(&body).to_be_bytes()].concat()
}

pub fn head(width: u32, height: u32, depth: u8, color: u8, interlaced: u8) -> Vec<u8> {
    let data = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[depth, color, 0, 0, interlaced]].concat();
    chunk(b"IHDR", &data)
}

/// Compressed zeros.
pub fn bomb(bytes: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![0; 1 << 16];
    for _ in 0..bytes.div_ceil(zeros.len()) {
        encoder.write_all(&zeros).expect("memory takes it");
    }
    encoder.finish().expect("memory takes it")
}

/// A PNG with these chunks.
pub fn png(chunks: &[Vec<u8>]) -> Vec<u8> {
    [SIGNATURE, &chunks.concat(), &chunk(b"IEND", b"")].concat()
}

/// A black 64 by 64 image with these chunks before its pixels.
pub fn square(before: &[Vec<u8>]) -> Vec<u8> {
    let pixels = chunk(b"IDAT", &bomb(64 * (64 * 4 + 1)));
    png(&[vec![head(64, 64, 8, 6, 0)], before.to_vec(), vec![pixels]].concat())
}

/// A text or profile chunk that decompresses to 40 MiB.
pub fn large_chunk(kind: &[u8; 4]) -> Vec<u8> {
    square(&[chunk(kind, &[b"x\0\0".to_vec(), bomb(40 << 20)].concat())])
}

/// 40 MiB of pixels after the last row.
pub fn too_many_pixels() -> Vec<u8> {
    png(&[head(64, 64, 16, 6, 0), chunk(b"IDAT", &bomb(40 << 20))])
}

/// 65,535 by 65,535 pixels.
pub fn huge_dimensions() -> Vec<u8> {
    png(&[head(65_535, 65_535, 16, 6, 1), chunk(b"IDAT", &bomb(1 << 20))])
}

/// An APNG that declares a thousand frames.
pub fn animation() -> Vec<u8> {
    let control = chunk(b"acTL", &[1_000_u32.to_be_bytes(), [0; 4]].concat());
    let frame = |n: u32| {
        let sizes = [n, 64, 64, 0, 0].map(u32::to_be_bytes).concat();
        chunk(b"fcTL", &[&sizes[..], &[0, 1, 0, 1, 0, 0]].concat())
    };
    let data = bomb(64 * (64 * 4 + 1));
    let more = (0..200).flat_map(|n| {
        let number = (2 * n + 2_u32).to_be_bytes();
        [frame(2 * n + 1), chunk(b"fdAT", &[&number[..], &data].concat())]
    });
    let first = [head(64, 64, 8, 6, 0), control, frame(0), chunk(b"IDAT", &data)];
    png(&first.into_iter().chain(more).collect::<Vec<_>>())
}

/// A wrong checksum.
pub fn wrong_checksum() -> Vec<u8> {
    let mut png = square(&[]);
    png[30] ^= 1;
    png
}
