//! Reads NDJSON, plain or gzip, one line at a time and deserializes each line.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde::de::DeserializeOwned;

use super::Error;

/// Far above any valid line. Bounds the memory for a file without line ends.
const MAX_LINE_BYTES: usize = 1 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// No text begins with these bytes.
const GZIP_SIGNATURE: &[u8] = b"\x1f\x8b";
/// Name in error messages. The pictures of its lines are in `./media`.
const STANDARD_INPUT: &str = "standard input";

#[derive(Clone, Debug)]
pub(super) enum NdjsonSource {
    File(PathBuf),
    StandardInput,
    /// Lines that a command generated.
    Text(String),
}

impl NdjsonSource {
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::StandardInput => Some(Path::new(STANDARD_INPUT)),
            Self::Text(_) => None,
        }
    }
}

pub(super) struct NdjsonReader {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    buffer: Vec<u8>,
    line_number: u64,
}

impl NdjsonReader {
    pub fn open(source: &NdjsonSource) -> Result<Self, Error> {
        let reader: Box<dyn BufRead> = match source {
            NdjsonSource::File(path) => {
                let file = File::open(path).map_err(Error::file(path))?;
                decompressed(BufReader::new(file)).map_err(Error::file(path))?
            }
            NdjsonSource::StandardInput => {
                let stdin = BufReader::new(std::io::stdin());
                decompressed(stdin).map_err(Error::file(Path::new(STANDARD_INPUT)))?
            }
            NdjsonSource::Text(text) => Box::new(Cursor::new(text.clone().into_bytes())),
        };
        let path = source.path().map(Path::to_owned).unwrap_or_default();
        Ok(Self { path, reader, buffer: Vec::new(), line_number: 0 })
    }

    /// An error about the line read last.
    pub fn line_error(&self, reason: String) -> Error {
        let file = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Error::Line { file, line: self.line_number, reason }
    }

    /// The next line that is not empty, with its number.
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<(u64, T)>, Error> {
        loop {
            self.buffer.clear();
            let mut limited = (&mut self.reader).take(MAX_LINE_BYTES as u64 + 1);
            if limited.read_until(b'\n', &mut self.buffer).map_err(Error::file(&self.path))? == 0 {
                return Ok(None);
            }
            self.line_number += 1;
            if self.buffer.len() > MAX_LINE_BYTES {
                return Err(self.line_error("the line is longer than 1 MiB".into()));
            }
            if self.line_number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.buffer.drain(..BYTE_ORDER_MARK.len());
            }
            let line = self.buffer.trim_ascii_end();
            if line.is_empty() {
                continue;
            }
            let text = std::str::from_utf8(line).map_err(|_| self.line_error("the line is not UTF-8".into()))?;
            // Serde would also accept an array of the field values.
            if !text.trim_ascii_start().starts_with('{') {
                return Err(self.line_error("the line is not a JSON object".into()));
            }
            return match serde_json::from_str(text) {
                Ok(line) => Ok(Some((self.line_number, line))),
                Err(error) => Err(self.line_error(describe::<T>(text, &error))),
            };
        }
    }
}

/// The text of a file that may be compressed with gzip.
fn decompressed(mut reader: impl BufRead + 'static) -> std::io::Result<Box<dyn BufRead>> {
    Ok(match reader.fill_buf()?.starts_with(GZIP_SIGNATURE) {
        true => Box::new(BufReader::new(MultiGzDecoder::new(reader))),
        false => Box::new(reader),
    })
}

/// Describes a parse error in one sentence that names the field if possible.
fn describe<T: DeserializeOwned>(line: &str, error: &serde_json::Error) -> String {
    let message = error.to_string();
    let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
    if !error.is_data() {
        return format!("not JSON: {reason} at column {}", error.column());
    }
    if reason.starts_with("missing field") {
        return reason.to_owned();
    }
    match failing_field::<T>(line) {
        Some(field) if !reason.contains(&format!("`{field}`")) => format!("{field}: {reason}"),
        _ => reason.to_owned(),
    }
}

/// The field without which the error is a different one.
fn failing_field<T: DeserializeOwned>(line: &str) -> Option<String> {
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    let parse_error =
        |fields| serde_json::from_value::<T>(serde_json::Value::Object(fields)).err().map(|e| e.to_string());
    let original = parse_error(fields.clone());
    fields
        .keys()
        .find(|field| {
            let mut others = fields.clone();
            others.shift_remove(*field);
            parse_error(others) != original
        })
        .cloned()
}
