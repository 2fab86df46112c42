//! TLS termination: a certificate and its key, reloadable while connections are open.

use std::path::Path;
use std::sync::{Arc, RwLock};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error, ServerConfig};

use super::certificate::Validity;
use crate::config;

/// The names of the protocols in ALPN.
pub const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

pub struct Tls {
    files: config::Tls,
    current: RwLock<Loaded>,
}

/// A certificate that is in use.
struct Loaded {
    acceptor: TlsAcceptor,
    /// `None` if it cannot be read, which does not keep a certificate from being used.
    validity: Option<Validity>,
}

impl Tls {
    /// `None` when no files are configured: plain HTTP. An error is one sentence that names the file.
    pub fn load(files: &config::Tls) -> Result<Option<Self>, String> {
        if files.certificate.as_os_str().is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { files: files.clone(), current: RwLock::new(read(files)?) }))
    }

    /// Reloads the files for new connections. After an error the previous pair stays in use.
    pub fn reload(&self) -> Result<(), String> {
        let loaded = read(&self.files)?;
        *self.current.write().expect("nothing panics under this lock") = loaded;
        Ok(())
    }

    pub fn acceptor(&self) -> TlsAcceptor {
        self.current.read().expect("nothing panics under this lock").acceptor.clone()
    }

    /// When the certificate in use is valid.
    pub fn validity(&self) -> Option<Validity> {
        self.current.read().expect("nothing panics under this lock").validity
    }
}

fn read(files: &config::Tls) -> Result<Loaded, String> {
    let unusable = |what: &str, file: &Path, why: &dyn std::fmt::Display| {
        format!("cannot use the {what} {}: {why}", file.display())
    };
    let not_certificate = |why: &dyn std::fmt::Display| unusable("certificate", &files.certificate, why);
    let not_key = |why: &dyn std::fmt::Display| unusable("key", &files.key, why);
    let chain: Vec<CertificateDer> = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect)
        .map_err(|error| not_certificate(&explain(error)))?;
    if chain.is_empty() {
        return Err(not_certificate(&"it contains no certificate"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| not_key(&explain(error)))?;
    let validity = chain.first().and_then(|certificate| Validity::of(certificate));
    let provider = Arc::new(ring::default_provider());
    provider.key_provider.load_private_key(key.clone_key()).map_err(|error| not_key(&error))?;
    let mut settings = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has what both versions need")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| match error {
            Error::InconsistentKeys(_) => not_certificate(&format!("{} is not its private key", files.key.display())),
            error => not_certificate(&error),
        })?;
    settings.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
    Ok(Loaded { acceptor: TlsAcceptor::from(Arc::new(settings)), validity })
}

fn explain(error: pem::Error) -> String {
    match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => "it contains no key".into(),
        error => format!("it is not a valid PEM file ({error})"),
    }
}
