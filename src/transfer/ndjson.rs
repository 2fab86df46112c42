//! Reads a file line by line, never more than a line at a time, and turns each into a record.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::PathBuf;

use serde::de::DeserializeOwned;

use super::Error;

/// Far above any honest line; keeps a file without line ends from filling the memory.
const LONGEST_LINE: usize = 1 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Where lines come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    File(PathBuf),
    /// Lines that a command made.
    Text(String),
}

impl Source {
    /// The file, for whoever looks for what lies beside it.
    pub fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::File(path) => Some(path),
            Self::Text(_) => None,
        }
    }
}

pub(super) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    buffer: Vec<u8>,
    number: u64,
}

impl Lines {
    pub fn open(source: &Source) -> Result<Self, Error> {
        let reader: Box<dyn BufRead> = match source {
            Source::File(path) => Box::new(BufReader::new(File::open(path).map_err(Error::file(path))?)),
            Source::Text(text) => Box::new(Cursor::new(text.clone().into_bytes())),
        };
        Ok(Self { path: source.path().cloned().unwrap_or_default(), reader, buffer: Vec::new(), number: 0 })
    }

    /// An error about the line read last.
    pub fn wrong(&self, what: String) -> Error {
        self.wrong_at(self.number, what)
    }

    pub fn wrong_at(&self, line: u64, what: String) -> Error {
        let file = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Error::Line { file, line, what }
    }

    /// The next line that is not empty, with its number.
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<(u64, T)>, Error> {
        loop {
            self.buffer.clear();
            let mut limited = (&mut self.reader).take(LONGEST_LINE as u64 + 1);
            if limited.read_until(b'\n', &mut self.buffer).map_err(Error::file(&self.path))? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.buffer.len() > LONGEST_LINE {
                return Err(self.wrong("the line is longer than 1 MiB".into()));
            }
            if self.number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.buffer.drain(..BYTE_ORDER_MARK.len());
            }
            let line = self.buffer.trim_ascii_end();
            if line.is_empty() {
                continue;
            }
            let text = std::str::from_utf8(line).map_err(|_| self.wrong("the line is not UTF-8".into()))?;
            // Serde would also take a list of the fields' values.
            if !text.trim_ascii_start().starts_with('{') {
                return Err(self.wrong("the line is not a JSON object".into()));
            }
            return match serde_json::from_str(text) {
                Ok(record) => Ok(Some((self.number, record))),
                Err(error) => Err(self.wrong(explain::<T>(text, &error))),
            };
        }
    }
}

/// One sentence that names the field where it can.
fn explain<T: DeserializeOwned>(line: &str, error: &serde_json::Error) -> String {
    let message = error.to_string();
    let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
    if !error.is_data() {
        return format!("not JSON: {reason} at column {}", error.column());
    }
    if reason.starts_with("missing field") {
        return reason.to_owned();
    }
    match blame::<T>(line) {
        Some(field) if !reason.contains(&format!("`{field}`")) => format!("{field}: {reason}"),
        _ => reason.to_owned(),
    }
}

/// The field without which the complaint is another one.
fn blame<T: DeserializeOwned>(line: &str) -> Option<String> {
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    let complaint =
        |fields| serde_json::from_value::<T>(serde_json::Value::Object(fields)).err().map(|e| e.to_string());
    let first = complaint(fields.clone());
    fields
        .keys()
        .find(|field| {
            let mut others = fields.clone();
            others.shift_remove(*field);
            complaint(others) != first
        })
        .cloned()
}
