//! Addresses of galleries on a server.

use postgres::Config;
use postgres::config::Host;

use crate::postgres::words;
use crate::{Location, StoreError};

/// The schema where the address names none.
const SCHEMA: &str = "gazeprint";

/// What asks for nothing that is not there: connections are not encrypted.
const IN_THE_OPEN: [&str; 3] = ["disable", "allow", "prefer"];

/// Takes an address apart: how to connect, and the schema.
pub(crate) fn read_address(at: &Location) -> Result<(Config, String), StoreError> {
    read_with(at, std::env::var("PGSSLMODE").ok().as_deref())
}

/// With what the environment asks for, where the address does not.
fn read_with(at: &Location, sslmode: Option<&str>) -> Result<(Config, String), StoreError> {
    let wrong = |why: String| StoreError::Address { at: at.clone(), why };
    let Location::Postgres(address) = at else {
        return Err(wrong("expected postgres://".to_owned()));
    };
    let protected = |found: String| {
        wrong(format!(
            "found {found}, expected none or disable: connections are not encrypted here, and what \
             asks for it is not sent in the open; go through a tunnel (for example `ssh -L`) to \
             localhost, or through a local socket"
        ))
    };
    let (place, parameters) = address.split_once('?').unwrap_or((address, ""));
    let mut schema = SCHEMA;
    let mut sslmode = sslmode.filter(|mode| !mode.is_empty());
    let mut others = Vec::new();
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some(("schema", name)) => schema = name,
            Some(("sslmode", mode)) if IN_THE_OPEN.contains(&mode) => sslmode = None,
            Some(("sslmode" | "sslnegotiation", _)) => {
                return Err(protected(parameter.to_owned()));
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
    let config: Config = address.parse().map_err(|error| wrong(words(&error)))?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(wrong("found no host, expected one, for example localhost".to_owned()));
    }
    let is_network = !config.get_hostaddrs().is_empty()
        || config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_)));
    match sslmode {
        Some(mode) if is_network && !IN_THE_OPEN.contains(&mode) => {
            Err(protected(format!("PGSSLMODE={mode}")))
        }
        _ => Ok((config, schema.to_owned())),
    }
}

/// Whether the connection leaves this computer.
pub(crate) fn is_exposed(config: &Config) -> bool {
    let is_far = |host: &Host| match host {
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
        || addresses.is_empty() && config.get_hosts().iter().any(is_far)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: &str) -> Result<(bool, String), StoreError> {
        read_with(&address.parse().unwrap(), None)
            .map(|(config, schema)| (is_exposed(&config), schema))
    }

    #[test]
    fn addresses_tell_schema_and_distance() {
        for (address, is_exposed, schema) in [
            ("postgres://localhost/d", false, "gazeprint"),
            ("postgresql://u:p@127.0.0.1:99/d?schema=eyes_2", false, "eyes_2"),
            ("postgres://[::1]/d", false, "gazeprint"),
            ("postgres://%2Ftmp%2Fx/d?sslmode=prefer", false, "gazeprint"),
            ("postgres://example.org/d?connect_timeout=3&schema=a", true, "a"),
            ("postgres://localhost,10.0.0.1/d", true, "gazeprint"),
            ("postgres://localhost/d?hostaddr=10.0.0.1", true, "gazeprint"),
            ("postgres://far.example.org/d?hostaddr=127.0.0.1", false, "gazeprint"),
        ] {
            assert_eq!(read(address).unwrap(), (is_exposed, schema.to_owned()), "{address}");
        }
    }

    #[test]
    fn the_environment_asks_for_encryption_where_the_address_does_not() {
        for (address, mode, is_refused) in [
            ("postgres://localhost/d", "verify-full", true),
            ("postgres://u@10.0.0.1/d?schema=a", "require", true),
            ("postgres://localhost/d", "prefer", false),
            ("postgres://localhost/d", "", false),
            ("postgres://localhost/d?sslmode=disable", "require", false),
            ("postgres://%2Ftmp/d", "require", false),
        ] {
            let read = read_with(&address.parse().unwrap(), Some(mode));
            assert_eq!(read.is_err(), is_refused, "{address} {mode}");
            if let Err(error) = read {
                assert!(error.to_string().contains(&format!("found PGSSLMODE={mode}")), "{error}");
            }
        }
    }

    #[test]
    fn addresses_that_cannot_be_used_are_refused() {
        for (address, why) in [
            ("postgres:///d", "found no host"),
            ("postgres://localhost/d?sslmode=require", "not encrypted here"),
            ("postgres://localhost/d?sslmode=verify-full", "not encrypted here"),
            ("postgres://localhost/d?sslnegotiation=direct", "not encrypted here"),
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
