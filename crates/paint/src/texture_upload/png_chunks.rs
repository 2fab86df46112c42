//! The structure of an uploaded PNG, read without decoding anything: its size, and the chunks that its pixels need.

use rollcall_model::message::{Message, translatable};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Many more than a picture of ours needs; encoders write chunks of at least 8 KiB.
const MAX_CHUNKS: usize = 1024;
/// Of the widest cape.
const MAX_SIDE: u32 = 2048;
/// Of the largest cape.
const MAX_PIXELS: u64 = 2048 * 1024;
/// Length, type and checksum of a chunk.
const CHUNK_OVERHEAD: usize = 12;
const HEADER_LENGTH: usize = 13;

pub struct CheckedPng {
    /// Width and height.
    pub size: (u32, u32),
    /// The file with nothing but IHDR, PLTE, tRNS, IDAT and IEND: the decoder sees no text, profile or animation.
    pub without_ancillary_chunks: Vec<u8>,
}

pub fn check(bytes: &[u8]) -> Result<CheckedPng, Message> {
    let Some(mut rest) = bytes.strip_prefix(SIGNATURE) else {
        return Err(match name_format(bytes) {
            Some(format) => {
                Message::new("The file is {}, not PNG. Save the picture as a PNG and upload that.", &[&format])
            }
            None => translatable("The file is not a PNG. Save the picture as a PNG and upload that.").into(),
        });
    };
    let mut size = None;
    let mut kept = SIGNATURE.to_vec();
    for _ in 0..MAX_CHUNKS {
        let chunk = Chunk::first_of(rest).ok_or(TRUNCATED)?;
        rest = &rest[chunk.whole.len()..];
        match (size, chunk.kind) {
            (None, b"IHDR") => size = Some(read_size(chunk.data)?),
            (None, _) | (_, b"IHDR") => return Err(DAMAGED.into()),
            (Some(_), b"PLTE" | b"tRNS" | b"IDAT" | b"IEND") => {}
            // The first letter is lower case: pictures are complete without it.
            (Some(_), [b'a'..=b'z', ..]) => continue,
            (Some(_), _) => return Err(DAMAGED.into()),
        }
        kept.extend_from_slice(chunk.whole);
        if let (b"IEND", Some(size)) = (chunk.kind, size) {
            // Whatever follows is no part of the picture.
            return Ok(CheckedPng { size, without_ancillary_chunks: kept });
        }
    }
    Err(Message::new("The PNG has more than {} chunks. Save it again as a PNG and upload that.", &[&MAX_CHUNKS]))
}

const TRUNCATED: &str = translatable("The PNG is incomplete: its end is missing. Upload the whole file.");
const DAMAGED: &str = translatable("The PNG is damaged. Save it again as a PNG and upload that.");

struct Chunk<'a> {
    kind: &'a [u8; 4],
    data: &'a [u8],
    whole: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// `None` if the file ends within it.
    fn first_of(bytes: &'a [u8]) -> Option<Self> {
        let length = u32::from_be_bytes(*bytes.first_chunk::<4>()?) as usize;
        let whole = bytes.get(..length.checked_add(CHUNK_OVERHEAD)?)?;
        Some(Self { kind: whole[4..].first_chunk()?, data: &whole[8..8 + length], whole })
    }
}

fn read_size(header: &[u8]) -> Result<(u32, u32), Message> {
    if header.len() != HEADER_LENGTH {
        return Err(DAMAGED.into());
    }
    let side = |at: usize| header[at..].first_chunk::<4>().map_or(0, |bytes| u32::from_be_bytes(*bytes));
    let (width, height) = (side(0), side(4));
    let fits = |side: u32| (1..=MAX_SIDE).contains(&side);
    if !fits(width) || !fits(height) || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Message::new(
            "The picture has {} × {} pixels; at most {} × {} are accepted.",
            &[&width, &height, &MAX_SIDE, &(MAX_SIDE / 2)],
        ));
    }
    Ok((width, height))
}

/// What a file is instead, as far as its first bytes tell.
fn name_format(bytes: &[u8]) -> Option<&'static str> {
    const FORMATS: [(&[u8], &str); 6] = [
        (b"GIF8", "GIF"),
        (b"\xff\xd8\xff", "JPEG"),
        (b"RIFF", "WebP"),
        (b"PK", "ZIP"),
        (b"%PDF", "PDF"),
        (b"BM", "BMP"),
    ];
    let text = bytes.trim_ascii_start();
    let starts_with = |start: &str| text.get(..start.len()).is_some_and(|t| t.eq_ignore_ascii_case(start.as_bytes()));
    if ["<svg", "<?xml"].into_iter().any(starts_with) {
        return Some("SVG");
    }
    if ["<!doctype", "<html", "<script"].into_iter().any(starts_with) {
        return Some("HTML");
    }
    FORMATS.into_iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| name)
}
