//! Addresses of galleries on a server.

use std::path::PathBuf;

use postgres::Config;
use postgres::config::{Host, SslMode};

use crate::postgres::words;
use crate::{Location, StoreError};

/// The schema where the address names none.
const SCHEMA: &str = "gazeprint";

/// What asks for nothing that must be there.
const IN_THE_OPEN: [&str; 3] = ["disable", "allow", "prefer"];
/// What asks for a server that proves who it is.
const VERIFIED: &str = "verify-full";

/// How to reach a gallery on a server.
pub(crate) struct Address {
    pub(crate) config: Config,
    pub(crate) schema: String,
    /// The certificates of who may vouch for the server, where the connection is to be encrypted.
    pub(crate) roots: Option<PathBuf>,
}

impl Address {
    /// Whether somebody on the way can read what passes.
    pub(crate) fn is_exposed(&self) -> bool {
        self.roots.is_none() && is_far(&self.config)
    }
}

/// Takes an address apart.
pub(crate) fn read_address(at: &Location) -> Result<Address, StoreError> {
    read_with(at, &|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// What an address, or else the environment, says of certificates.
struct Asked {
    mode: Option<String>,
    roots: Option<String>,
}

impl Asked {
    /// Nothing is asked for and ignored, and nothing is promised that is not so.
    fn roots(
        self,
        wrong: &impl Fn(String) -> StoreError,
        home: Option<String>,
    ) -> Result<Option<PathBuf>, StoreError> {
        let Self { mode, roots } = self;
        let is_file = |file: &PathBuf| file.is_file();
        let usual = || home.map(|home| PathBuf::from(home).join(".postgresql/root.crt"));
        match mode.as_deref() {
            None => Ok(None),
            Some(mode) if IN_THE_OPEN.contains(&mode) => Ok(None),
            Some(VERIFIED) => match roots.map(PathBuf::from).or_else(|| usual().filter(is_file)) {
                Some(roots) => Ok(Some(roots)),
                None => Err(wrong(
                    "found sslmode=verify-full, and nobody who vouches for the server; give \
                     sslrootcert=FILE, with the certificate of its authority"
                        .to_owned(),
                )),
            },
            Some(mode @ ("require" | "verify-ca")) => Err(wrong(format!(
                "found sslmode={mode}, expected verify-full: without a check of who is at the other end, \
                 anybody on the way can be; give sslmode=verify-full and sslrootcert=FILE"
            ))),
            Some(mode) => {
                Err(wrong(format!("found sslmode={mode}, expected verify-full or disable")))
            }
        }
    }
}

/// With what the environment says where the address says nothing.
fn read_with(
    at: &Location,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Address, StoreError> {
    let wrong = |why: String| StoreError::Address { at: at.clone(), why };
    let Location::Postgres(address) = at else {
        return Err(wrong("expected postgres://".to_owned()));
    };
    let (place, parameters) = address.split_once('?').unwrap_or((address, ""));
    let mut schema = SCHEMA;
    let mut own = Asked { mode: None, roots: None };
    let mut others = Vec::new();
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some(("schema", name)) => schema = name,
            Some(("sslmode", mode)) => own.mode = Some(mode.to_owned()),
            Some(("sslrootcert", file)) => {
                own.roots = Some(unescaped(file).ok_or_else(|| {
                    wrong(format!("found sslrootcert={file}, expected a path, with %2F for /"))
                })?)
            }
            Some((name @ ("sslcert" | "sslkey" | "sslcrl" | "sslnegotiation"), _)) => {
                return Err(wrong(format!("found {name}, which is not known here; leave it out")));
            }
            _ => others.push(parameter),
        }
    }
    let first = |c: char| c.is_ascii_lowercase() || c == '_';
    let is_name = schema.starts_with(first)
        && schema.chars().all(|c| first(c) || c.is_ascii_digit())
        && schema.len() < 64;
    if !is_name || schema.starts_with("pg_") {
        return Err(wrong(format!(
            "found schema={schema}, expected lower-case letters, digits and _"
        )));
    }
    let address = format!("{place}?{}", others.join("&"));
    let mut config: Config = address.parse().map_err(|error| wrong(words(&error)))?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(wrong("found no host, expected one, for example localhost".to_owned()));
    }
    let is_network = !config.get_hostaddrs().is_empty()
        || config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_)));
    // A socket has no name that a certificate could have.
    let asked = match is_network {
        true => Asked {
            mode: own.mode.or_else(|| environment("PGSSLMODE")),
            roots: own.roots.or_else(|| environment("PGSSLROOTCERT")),
        },
        false => own,
    };
    let roots = asked.roots(&wrong, environment("HOME"))?;
    if roots.is_some() && config.get_hosts().is_empty() {
        return Err(wrong("found no name of a host, which its certificate must have".to_owned()));
    }
    config.ssl_mode(if roots.is_some() { SslMode::Require } else { SslMode::Disable });
    Ok(Address { config, schema: schema.to_owned(), roots })
}

/// A text whose %XX are bytes.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        bytes.push(match first {
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Whether the connection leaves this computer.
fn is_far(config: &Config) -> bool {
    let is_elsewhere = |host: &Host| match host {
        Host::Tcp(name) => {
            let address = name.trim_start_matches('[').trim_end_matches(']');
            name != "localhost"
                && !address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => false,
    };
    let addresses = config.get_hostaddrs();
    addresses.iter().any(|address| !address.is_loopback())
        || addresses.is_empty() && config.get_hosts().iter().any(is_elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: &str) -> Result<(bool, String), StoreError> {
        let read = read_with(&address.parse().unwrap(), &|_| None);
        read.map(|address| (address.is_exposed(), address.schema))
    }

    #[test]
    fn addresses_tell_schema_and_distance() {
        for (address, is_exposed, schema) in [
            ("postgres://localhost/d", false, "gazeprint"),
            ("postgresql://u:p@127.0.0.1:99/d?schema=eyes_2", false, "eyes_2"),
            ("postgres://[::1]/d", false, "gazeprint"),
            ("postgres://%2Ftmp%2Fx/d?sslmode=prefer", false, "gazeprint"),
            ("postgres://example.org/d?connect_timeout=3&schema=a", true, "a"),
            ("postgres://example.org/d?sslmode=verify-full&sslrootcert=%2Fca&schema=a", false, "a"),
            ("postgres://localhost,10.0.0.1/d", true, "gazeprint"),
            ("postgres://localhost/d?hostaddr=10.0.0.1", true, "gazeprint"),
            ("postgres://far.example.org/d?hostaddr=127.0.0.1", false, "gazeprint"),
        ] {
            assert_eq!(read(address).unwrap(), (is_exposed, schema.to_owned()), "{address}");
        }
    }

    #[test]
    fn the_environment_asks_for_encryption_where_the_address_does_not() {
        let roots = |address: &str, mode: &str| {
            let environment = |name: &str| match name {
                "PGSSLMODE" => Some(mode.to_owned()),
                "PGSSLROOTCERT" => Some("/etc/ca.pem".to_owned()),
                _ => None,
            };
            read_with(&address.parse().unwrap(), &environment).map(|address| address.roots)
        };
        let environments = Some(PathBuf::from("/etc/ca.pem"));
        for (address, mode, expected) in [
            ("postgres://localhost/d", "verify-full", environments.clone()),
            ("postgres://u@10.0.0.1/d?schema=a", "verify-full", environments),
            ("postgres://h/d?sslrootcert=%2Fown%20ca", "verify-full", Some("/own ca".into())),
            ("postgres://localhost/d", "prefer", None),
            ("postgres://localhost/d?sslmode=disable", "verify-full", None),
            ("postgres://%2Ftmp/d", "verify-full", None),
        ] {
            assert_eq!(roots(address, mode).unwrap(), expected, "{address} {mode}");
        }
        for mode in ["require", "verify-ca"] {
            let error = roots("postgres://localhost/d", mode).unwrap_err().to_string();
            assert!(
                error.contains(&format!("found sslmode={mode}, expected verify-full")),
                "{error}"
            );
        }
    }

    #[test]
    fn addresses_that_cannot_be_used_are_refused() {
        for (address, why) in [
            ("postgres:///d", "found no host"),
            ("postgres://localhost/d?sslmode=require", "anybody on the way can be"),
            ("postgres://localhost/d?sslmode=verify-ca", "anybody on the way can be"),
            ("postgres://localhost/d?sslmode=verify-full", "give sslrootcert=FILE"),
            ("postgres://localhost/d?sslmode=verify-full&sslrootcert=%2", "expected a path"),
            ("postgres://localhost/d?sslmode=sometimes", "expected verify-full or disable"),
            ("postgres://localhost/d?sslnegotiation=direct", "found sslnegotiation"),
            ("postgres://localhost/d?sslcert=a", "found sslcert"),
            (
                "postgres:///d?hostaddr=10.0.0.1&sslmode=verify-full&sslrootcert=a",
                "no name of a host",
            ),
            ("postgres://localhost/d?schema=Eyes", "lower-case"),
            ("postgres://localhost/d?schema=a;b", "lower-case"),
            ("postgres://localhost/d?schema=", "lower-case"),
            ("postgres://localhost/d?schema=pg_x", "lower-case"),
            ("postgres://localhost/d?what=ever", "what"),
        ] {
            let error = read(address).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
