//! Under which names the server answers, and to which pages. A page of somebody else could otherwise
//! have its own name point here, and ask with the cookie of whoever looks at it.

use std::net::SocketAddr;

use axum::http::{HeaderMap, header};

use crate::problem::Problem;

/// Names and pages.
pub(crate) struct Hosts {
    /// What `Host` may be.
    authorities: Vec<String>,
    /// What `Origin` may be.
    origins: Vec<String>,
}

impl Hosts {
    /// Of a server that listens at an address, and is called by names, `HOST` or `HOST:PORT`. Names are
    /// reached by https: directly, or through a proxy.
    pub(crate) fn new(address: SocketAddr, names: &[String], is_tls: bool) -> Self {
        let port = address.port();
        let mut hosts = Self { authorities: Vec::new(), origins: Vec::new() };
        if address.ip().is_loopback() {
            let scheme = if is_tls { "https" } else { "http" };
            for name in ["127.0.0.1", "localhost", "[::1]"] {
                hosts.add(scheme, &format!("{name}:{port}"));
            }
        }
        for name in names {
            let name = name.to_ascii_lowercase();
            hosts.add("https", &name);
            if is_tls && !name.contains(':') && port != 443 {
                hosts.add("https", &format!("{name}:{port}"));
            }
        }
        hosts
    }

    fn add(&mut self, scheme: &str, authority: &str) {
        self.authorities.push(authority.to_owned());
        self.origins.push(format!("{scheme}://{authority}"));
    }

    /// Refuses a request that was meant for another name.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (host, more) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next());
        let host = host.map(str::to_ascii_lowercase);
        match host {
            Some(host) if more.is_none() && self.authorities.contains(&host) => Ok(()),
            host => Err(Problem::misdirected(format!(
                "found host {:?}, expected a name of this server; start it with --name for others",
                host.unwrap_or_default()
            ))),
        }
    }

    /// Refuses a request that the page of somebody else makes. `is_page` says that it comes with a cookie
    /// and does something: then a page must say which it is.
    pub(crate) fn check_origin(&self, headers: &HeaderMap, is_page: bool) -> Result<(), Problem> {
        let origins: Vec<_> = headers.get_all(header::ORIGIN).iter().collect();
        let is_own = |origin: &str| self.origins.iter().any(|own| own.eq_ignore_ascii_case(origin));
        match origins.as_slice() {
            [] if !is_page => Ok(()),
            [origin] if origin.to_str().is_ok_and(is_own) => Ok(()),
            _ => Err(Problem::forbidden("this server takes requests from its own page alone")),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn other_names_and_pages_are_refused() {
        let local = Hosts::new("127.0.0.1:7878".parse().unwrap(), &[], false);
        let names = ["gaze.example.org".to_owned()];
        let public = Hosts::new("192.0.2.1:443".parse().unwrap(), &names, true);
        for (hosts, host, is_own) in [
            (&local, "127.0.0.1:7878", true),
            (&local, "LOCALHOST:7878", true),
            (&local, "127.0.0.1", false),
            (&local, "evil.example:7878", false),
            (&public, "gaze.example.org", true),
            (&public, "127.0.0.1:443", false),
        ] {
            assert_eq!(hosts.check_host(&headers(header::HOST, host)).is_ok(), is_own, "{host}");
        }
        assert!(local.check_host(&HeaderMap::new()).is_err());
        for (hosts, origin, is_own) in [
            (&local, "http://127.0.0.1:7878", true),
            (&local, "https://127.0.0.1:7878", false),
            (&local, "http://127.0.0.1:7879", false),
            (&local, "null", false),
            (&public, "https://gaze.example.org", true),
            (&public, "http://gaze.example.org", false),
        ] {
            let headers = headers(header::ORIGIN, origin);
            assert_eq!(hosts.check_origin(&headers, false).is_ok(), is_own, "{origin}");
        }
        assert!(local.check_origin(&HeaderMap::new(), false).is_ok());
        assert!(local.check_origin(&HeaderMap::new(), true).is_err());
    }
}
