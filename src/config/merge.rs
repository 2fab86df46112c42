//! Merges the settings of all sources: defaults, file, credentials, environment and flags.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::sources::{Source, Sources};
use super::value_files::{self, VARIABLE_SUFFIX};
use super::{AWS_PREFIX, DEFAULTS, Environment, Flags, PREFIX};

/// Read if it exists and no other file is given.
const DEFAULT_FILE: &str = "rollcall.toml";
/// Settings of `[media]` that have a usual variable, and that variable.
const AWS_CREDENTIALS: [(&str, &str); 3] = [
    ("access_key_id", "AWS_ACCESS_KEY_ID"),
    ("secret_access_key", "AWS_SECRET_ACCESS_KEY"),
    ("session_token", "AWS_SESSION_TOKEN"),
];
const AWS_REGION: [(&str, &str); 2] = [("region", "AWS_REGION"), ("region", "AWS_DEFAULT_REGION")];
/// Names the file itself, so it is not a setting.
const FILE_VARIABLE: &str = "ROLLCALL_CONFIG";

/// All sources in their order, and where each setting that is not a default comes from.
pub(super) fn merge(flags: &Flags, environment: Environment) -> Result<(Table, Sources), String> {
    let Environment { variables: mut environment, credentials } = environment;
    let mut sources = Sources::default();
    let mut settings: Table = DEFAULTS.parse().expect("the built-in defaults are valid TOML");
    let named = environment.iter().position(|(name, _)| name == FILE_VARIABLE).map(|i| environment.remove(i).1);
    if let Some(file) = file_to_read(flags.config.clone().or(named.map(PathBuf::from))) {
        let text = std::fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let table: Table = text.parse().map_err(|e| not_toml(&file, &text, &e))?;
        sources.set_all(&table, "", &Source::File(file.display().to_string()));
        merge_tables(&mut settings, table, "").map_err(|e| format!("{}: {e}", file.display()))?;
    }
    if let Some(folder) = credentials {
        for (setting, value) in value_files::credentials(&folder)? {
            let source = Source::Credential(format!("{}{setting}", value_files::CREDENTIAL_PREFIX));
            let slot = slot(&mut settings, &setting).ok_or_else(|| format!("{source}: no such setting"))?;
            *slot = parse_like(slot, &value).map_err(|accepted| format!("{source} must be {accepted}"))?;
            sources.set(&setting, source);
        }
    }
    let aws: Vec<_> = environment.extract_if(.., |(name, _)| name.starts_with(AWS_PREFIX)).collect();
    environment.retain(|(name, _)| !is_service_link(name));
    environment.sort();
    set_from_environment(&mut settings, &environment, &mut sources)?;
    set_from_flags(&mut settings, flags, &mut sources);
    set_from_aws_variables(&mut settings, &aws, &mut sources);
    Ok((settings, sources))
}

/// Whether Kubernetes set the variable for a Service named `rollcall`: `ROLLCALL_PORT`, `ROLLCALL_SERVICE_HOST`,
/// `ROLLCALL_PORT_8080_TCP_ADDR` and others. No setting has such a name.
fn is_service_link(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    rest == "PORT"
        || rest == "SERVICE_HOST"
        || rest == "SERVICE_PORT"
        || rest.starts_with("SERVICE_PORT_")
        || rest.strip_prefix("PORT_").is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()))
}

fn file_to_read(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| Path::new(DEFAULT_FILE).exists().then(|| DEFAULT_FILE.into()))
}

fn merge_tables(into: &mut Table, from: Table, path: &str) -> Result<(), String> {
    for (name, value) in from {
        let full = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match (into.get_mut(&name), value) {
            (None, _) => return Err(format!("unknown setting \"{full}\"")),
            (Some(Value::Table(inner)), Value::Table(table)) => merge_tables(inner, table, &full)?,
            (Some(Value::Table(_)), _) => return Err(format!("\"{full}\" is a section, not a value")),
            (Some(slot), value) => *slot = value,
        }
    }
    Ok(())
}

fn set_from_environment(
    settings: &mut Table,
    variables: &[(String, String)],
    sources: &mut Sources,
) -> Result<(), String> {
    for (name, value) in variables {
        let source = Source::Environment(name.clone());
        let (setting, value, is_file) = match (setting_of(settings, name), name.strip_suffix(VARIABLE_SUFFIX)) {
            (Some(setting), _) => (setting, value.clone(), false),
            (None, Some(plain)) => {
                let setting = setting_of(settings, plain).ok_or_else(|| format!("{source}: no such setting"))?;
                if variables.iter().any(|(other, _)| other == plain) {
                    return Err(format!("environment variables {plain} and {name} are both set: remove one of them"));
                }
                let value = value_files::read(Path::new(value)).map_err(|error| format!("{source}: {error}"))?;
                (setting, value, true)
            }
            (None, None) => return Err(format!("{source}: no such setting")),
        };
        let slot = slot(settings, &setting).expect("the setting was found above");
        *slot = parse_like(slot, &value).map_err(|accepted| match is_file {
            // The content of the wrong file may be a secret.
            true => format!("{source}: the file must hold {accepted}"),
            false => format!("{source} must be {accepted}, not \"{value}\""),
        })?;
        sources.set(&setting, source);
    }
    Ok(())
}

/// `ROLLCALL_LIMITS_PER_MINUTE` is `limits.per_minute`: the part before the first `_` is the section.
fn setting_of(settings: &mut Table, variable: &str) -> Option<String> {
    let path = variable.strip_prefix(PREFIX)?.to_ascii_lowercase();
    [path.clone(), path.replacen('_', ".", 1)].into_iter().find(|setting| slot(settings, setting).is_some())
}

/// The value of a setting by its full name; `None` for a section or an unknown name.
fn slot<'a>(settings: &'a mut Table, setting: &str) -> Option<&'a mut Value> {
    let slot = match setting.split_once('.') {
        Some((section, key)) => settings.get_mut(section)?.as_table_mut()?.get_mut(key),
        None => settings.get_mut(setting),
    };
    slot.filter(|value| !value.is_table())
}

/// Text as a value of the same type as the one it replaces. The error says what is accepted.
fn parse_like(old: &Value, text: &str) -> Result<Value, &'static str> {
    Ok(match old {
        Value::Integer(_) => Value::Integer(text.parse().map_err(|_| "a whole number")?),
        Value::Boolean(_) => Value::Boolean(match text {
            "true" | "1" => true,
            "false" | "0" => false,
            _ => return Err("true or false"),
        }),
        Value::Array(_) => {
            Value::Array(text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(Value::from).collect())
        }
        _ => Value::String(text.into()),
    })
}

/// Fills in what is empty. Credentials belong together, so either all are taken from these variables or none.
fn set_from_aws_variables(settings: &mut Table, variables: &[(String, String)], sources: &mut Sources) {
    let Some(media) = settings.get_mut("media").and_then(Value::as_table_mut) else { return };
    let is_empty = |media: &Table, setting: &str| media.get(setting).and_then(Value::as_str) == Some("");
    let has_credentials = AWS_CREDENTIALS.iter().any(|(setting, _)| !is_empty(media, setting));
    let credentials = AWS_CREDENTIALS.iter().filter(|_| !has_credentials);
    for (setting, variable) in credentials.chain(&AWS_REGION) {
        if let Some((_, value)) = variables.iter().find(|(name, _)| name == variable)
            && is_empty(media, setting)
        {
            media.insert((*setting).to_owned(), Value::String(value.clone()));
            sources.set(&format!("media.{setting}"), Source::Environment((*variable).to_owned()));
        }
    }
}

fn set_from_flags(settings: &mut Table, flags: &Flags, sources: &mut Sources) {
    let flag_values = [
        ("listen", "--listen", flags.listen.clone()),
        ("data", "--data", flags.data.as_ref().map(|p| p.display().to_string())),
        ("database", "--database", flags.database.clone()),
        ("public_url", "--public-url", flags.public_url.clone()),
    ];
    for (name, flag, value) in flag_values {
        if let Some(value) = value {
            settings.insert(name.into(), Value::String(value));
            sources.set(name, Source::Flag(flag));
        }
    }
    if !flags.roles.is_empty() {
        settings.insert("roles".into(), Value::Array(flags.roles.iter().cloned().map(Value::from).collect()));
        sources.set("roles", Source::Flag("--role"));
    }
    if let Some(Value::Table(tracker)) = settings.get_mut("tracker") {
        if let Some(interval) = &flags.ping_interval {
            tracker.insert("ping_interval".into(), Value::String(interval.clone()));
            sources.set("tracker.ping_interval", Source::Flag("--ping-interval"));
        }
        if flags.allow_private_addresses {
            tracker.insert("allow_private_addresses".into(), Value::Boolean(true));
            sources.set("tracker.allow_private_addresses", Source::Flag("--allow-private-addresses"));
        }
    }
}

/// Gives the line, but not its text, which may hold a password.
fn not_toml(file: &Path, text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("{} is not valid TOML: line {line}: {}", file.display(), one_line(error.message()))
}

pub(super) fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
