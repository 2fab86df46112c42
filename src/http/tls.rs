//! TLS by ourselves: a certificate and its key, which may be changed while connections are open.

use std::path::Path;
use std::sync::{Arc, RwLock};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error, ServerConfig};

use crate::config;

pub struct Tls {
    files: config::Tls,
    current: RwLock<TlsAcceptor>,
}

impl Tls {
    /// `None` when there are no files: plain HTTP. An error is one sentence that names the file.
    pub fn load(files: &config::Tls) -> Result<Option<Self>, String> {
        if files.certificate.as_os_str().is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { files: files.clone(), current: RwLock::new(read(files)?) }))
    }

    /// Reads the files anew, for connections that come from now on. After an error the pair from before stays.
    pub fn reload(&self) -> Result<(), String> {
        let acceptor = read(&self.files)?;
        *self.current.write().expect("nothing panics under this lock") = acceptor;
        Ok(())
    }

    pub fn acceptor(&self) -> TlsAcceptor {
        self.current.read().expect("nothing panics under this lock").clone()
    }
}

fn read(files: &config::Tls) -> Result<TlsAcceptor, String> {
    let unusable = |what: &str, file: &Path, why: &dyn std::fmt::Display| {
        format!("cannot use the {what} {}: {why}", file.display())
    };
    let not_certificate = |why: &dyn std::fmt::Display| unusable("certificate", &files.certificate, why);
    let not_key = |why: &dyn std::fmt::Display| unusable("key", &files.key, why);
    let chain: Vec<CertificateDer> = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect)
        .map_err(|error| not_certificate(&told(error)))?;
    if chain.is_empty() {
        return Err(not_certificate(&"there is no certificate in it"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| not_key(&told(error)))?;
    let provider = Arc::new(ring::default_provider());
    provider.key_provider.load_private_key(key.clone_key()).map_err(|error| not_key(&error))?;
    let mut settings = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has what both versions need")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| match error {
            Error::InconsistentKeys(_) => not_certificate(&format!("{} is not its key", files.key.display())),
            error => not_certificate(&error),
        })?;
    settings.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(settings)))
}

/// What is wrong with a PEM file, in words for people.
fn told(error: pem::Error) -> String {
    match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => "there is no key in it".into(),
        error => format!("it is no sound PEM file ({error})"),
    }
}
