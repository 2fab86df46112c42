//! Values in files of their own: `ROLLCALL_…_FILE` variables and systemd credentials, for secrets that should be neither in the
//! environment nor in the settings file.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Ends the name of a variable that names a file with the value.
pub const VARIABLE_SUFFIX: &str = "_FILE";
/// Begins the name of a credential; the full name of the setting follows.
pub const CREDENTIAL_PREFIX: &str = "rollcall.";
/// Longer than any value; a wrong path such as `/dev/zero` must not fill the memory.
const MAX_BYTES: u64 = 64 * 1024;

/// The text of a file without its last line break. The error names the file and holds nothing of its content.
pub fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    file.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("{} has more than {} KiB", path.display(), MAX_BYTES / 1024));
    }
    let mut text = String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8 text", path.display()))?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

/// Setting and value of each of our credentials, in the order of their names.
pub fn credentials(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let cannot_read =
        |error: std::io::Error| format!("cannot read $CREDENTIALS_DIRECTORY {}: {error}", folder.display());
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        // The variable of a service that started this process and has ended.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(cannot_read(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.map_err(cannot_read)?.file_name();
        if let Some(setting) = name.to_str().and_then(|name| name.strip_prefix(CREDENTIAL_PREFIX)) {
            let value = read(&folder.join(&name))
                .map_err(|error| format!("credential {CREDENTIAL_PREFIX}{setting}: {error}"))?;
            found.push((setting.to_owned(), value));
        }
    }
    found.sort();
    Ok(found)
}
