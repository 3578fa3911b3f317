//! Connections that nobody on the way can read or change.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{Location, StoreError};

/// Connects to a server whose certificate has its name, and is vouched for by one in a file.
pub(crate) fn connector(at: &Location, roots: &Path) -> Result<MakeRustlsConnect, StoreError> {
    let wrong = |why: String| {
        let file = roots.to_owned();
        StoreError::Certificates { at: at.clone(), file, why }
    };
    let mut store = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(roots).map_err(|e| wrong(e.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        store.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    if store.is_empty() {
        return Err(wrong("found no certificate in it".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(error.to_string()))?
        .with_root_certificates(store)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
