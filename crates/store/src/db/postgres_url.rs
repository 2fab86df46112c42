//! PostgreSQL URLs: one or several hosts, and the TLS parameters of libpq, most of which the driver does not know.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// How a connection to PostgreSQL is made. Neither output form shows the user and the password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    pub(super) config: tokio_postgres::Config,
    pub(super) tls: TlsParameters,
}

/// `sslmode` and its files. As in libpq, but a server on another host is never used without TLS unless `sslmode=disable` says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsParameters {
    pub verify: Verify,
    /// Certificates of the authorities to trust (PEM). Without it: those in the program.
    pub root_certificates: Option<PathBuf>,
    /// Certificate and key of this client (PEM).
    pub client: Option<(PathBuf, PathBuf)>,
}

/// Checks of the server's certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// `prefer` and `require`.
    #[default]
    Nothing,
    /// `verify-ca`: who issued it.
    Issuer,
    /// `verify-full`: who issued it, and that it names the host.
    Host,
}

const FORM: &str = "postgres://user:password@host:port/name";
const SSL_MODES: &str = "disable, prefer, require, verify-ca or verify-full";

impl std::str::FromStr for PostgresUrl {
    type Err = String;

    fn from_str(url: &str) -> Result<Self, String> {
        refuse_ambiguous(url)?;
        let (address, parameters) = url.split_once('?').unwrap_or((url, ""));
        let mut given = TlsGiven::default();
        let mut others = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            if !given.take(parameter)? {
                others.push(parameter);
            }
        }
        let driver_url = if others.is_empty() { address.to_owned() } else { format!("{address}?{}", others.join("&")) };
        // The driver's message may contain the URL, and with it the password.
        let mut config: tokio_postgres::Config =
            driver_url.parse().map_err(|_| format!("the PostgreSQL URL is not valid; use {FORM}"))?;
        if config.get_hosts().is_empty() {
            return Err("the PostgreSQL URL has no host".into());
        }
        // Of several hosts, only one is not a replica.
        if config.get_hosts().len() > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let (mode, tls) = given.finish(is_on_this_machine(&config))?;
        config.ssl_mode(mode);
        Ok(Self { config, tls })
    }
}

impl PostgresUrl {
    pub fn has_one_host(&self) -> bool {
        self.config.get_hosts().len() == 1
    }

    /// Whether no host is reached over a network.
    pub fn is_on_this_machine(&self) -> bool {
        is_on_this_machine(&self.config)
    }
}

fn is_on_this_machine(config: &tokio_postgres::Config) -> bool {
    config.get_hosts().iter().all(is_this_machine)
}

/// The TLS parameters as they stand in the URL.
#[derive(Default)]
struct TlsGiven {
    mode: Option<String>,
    root_certificates: Option<String>,
    certificate: Option<String>,
    key: Option<String>,
}

impl TlsGiven {
    /// Whether the parameter was one of these.
    fn take(&mut self, parameter: &str) -> Result<bool, String> {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let field = match name {
            "sslmode" => &mut self.mode,
            "sslrootcert" => &mut self.root_certificates,
            "sslcert" => &mut self.certificate,
            "sslkey" => &mut self.key,
            _ => return Ok(false),
        };
        let value = percent_decode_str(value)
            .decode_utf8()
            .map_err(|_| format!("{name} in the PostgreSQL URL is not UTF-8"))?;
        *field = Some(value.into_owned());
        Ok(true)
    }

    fn finish(self, is_local: bool) -> Result<(SslMode, TlsParameters), String> {
        // As in libpq, `system` means the public authorities.
        let root_certificates = self.root_certificates.filter(|file| file != "system").map(PathBuf::from);
        let (mode, verify) = match self.mode.as_deref() {
            Some("disable") => (SslMode::Disable, Verify::Nothing),
            None | Some("prefer") if is_local => (SslMode::Prefer, Verify::Nothing),
            // As in libpq: a URL that names an authority wants it checked.
            None | Some("prefer" | "require") if root_certificates.is_some() => (SslMode::Require, Verify::Issuer),
            None | Some("prefer" | "require") => (SslMode::Require, Verify::Nothing),
            Some("verify-ca") => (SslMode::Require, Verify::Issuer),
            Some("verify-full") => (SslMode::Require, Verify::Host),
            Some(other) => return Err(format!("sslmode in the PostgreSQL URL must be {SSL_MODES}, not {other:?}")),
        };
        let client = match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => None,
            _ => return Err("the PostgreSQL URL needs both sslcert and sslkey, or neither".into()),
        };
        Ok((mode, TlsParameters { verify, root_certificates, client }))
    }
}

fn is_this_machine(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// The driver ends the password at the first `@` and takes the rest for a host, which messages name. So a password with an `@`,
/// in front of the host or in a parameter, is refused before any part of it is taken for something else.
fn refuse_ambiguous(url: &str) -> Result<(), String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let Some((credentials, host)) = rest.split_once('@') else { return Ok(()) };
    let has_parameters = credentials.split_once('/').is_some_and(|(_, path)| path.contains('?'));
    if host.contains('@') || has_parameters {
        return Err("the PostgreSQL URL has an @ in its user name, password or parameters: write it as %40".into());
    }
    Ok(())
}

impl std::fmt::Display for PostgresUrl {
    /// Leaves out the user and the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "postgres://")?;
        let ports = self.config.get_ports();
        for (i, host) in self.config.get_hosts().iter().enumerate() {
            if i > 0 {
                write!(f, ",")?;
            }
            match host {
                Host::Tcp(name) => write!(f, "{name}")?,
                #[cfg(unix)]
                Host::Unix(path) => write!(f, "{}", path.display())?,
            }
            // One port may stand for all hosts.
            if let Some(port) = ports.get(i).or(ports.first()) {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> PostgresUrl {
        url.parse().unwrap_or_else(|error| panic!("{url}: {error}"))
    }

    fn mode_of(url: &str) -> (SslMode, Verify) {
        let url = parse(url);
        (url.config.get_ssl_mode(), url.tls.verify)
    }

    #[test]
    fn another_host_is_used_without_tls_only_if_the_url_says_so() {
        for (url, expected) in [
            ("postgres://db.example/rollcall", (SslMode::Require, Verify::Nothing)),
            ("postgres://db.example/rollcall?sslmode=prefer", (SslMode::Require, Verify::Nothing)),
            ("postgres://db.example/rollcall?sslmode=disable", (SslMode::Disable, Verify::Nothing)),
            ("postgres://db.example/rollcall?sslrootcert=/ca.pem", (SslMode::Require, Verify::Issuer)),
            ("postgres://db.example/rollcall?sslmode=verify-ca", (SslMode::Require, Verify::Issuer)),
            ("postgres://db.example/rollcall?sslmode=verify-full&sslrootcert=system", (SslMode::Require, Verify::Host)),
            ("postgres://localhost,db.example/rollcall", (SslMode::Require, Verify::Nothing)),
            ("postgres://localhost/rollcall", (SslMode::Prefer, Verify::Nothing)),
            ("postgres://127.0.0.1/rollcall", (SslMode::Prefer, Verify::Nothing)),
            ("postgres://[::1]/rollcall", (SslMode::Prefer, Verify::Nothing)),
            ("postgres://%2Frun%2Fpostgresql/rollcall", (SslMode::Prefer, Verify::Nothing)),
        ] {
            assert_eq!(mode_of(url), expected, "{url}");
        }
    }

    #[test]
    fn invalid_tls_parameters_are_named() {
        for (url, expected) in [
            (
                "postgres://h/n?sslmode=verify",
                "sslmode in the PostgreSQL URL must be disable, prefer, require, verify-ca or verify-full, not \"verify\"",
            ),
            ("postgres://h/n?sslcert=/a.pem", "the PostgreSQL URL needs both sslcert and sslkey, or neither"),
            ("postgres://h/n?sslrootcert=%ff", "sslrootcert in the PostgreSQL URL is not UTF-8"),
        ] {
            assert_eq!(url.parse::<PostgresUrl>().err().as_deref(), Some(expected), "{url}");
        }
    }

    #[test]
    fn several_hosts_lead_to_the_one_that_takes_writes() {
        let url = parse("postgres://u:secret@one:5433,two:5434/rollcall?load_balance_hosts=random&sslmode=disable");
        assert_eq!(url.config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        assert_eq!(url.to_string(), "postgres://one:5433,two:5434/rollcall");
        let any = parse("postgres://one/rollcall");
        assert_eq!(any.config.get_target_session_attrs(), TargetSessionAttrs::Any);
    }
}
