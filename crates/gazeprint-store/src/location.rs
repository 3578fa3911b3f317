//! Where a gallery is.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a gallery is: a file, or a schema of a PostgreSQL database.
///
/// A text that begins with `postgres://` or `postgresql://` is a database, any other is a path. The
/// parameter `schema` of an address names the schema; without it, that is `gazeprint`. A password
/// in an address is never shown.
///
/// ```
/// use gazeprint_store::Location;
///
/// let shared: Location = "postgres://anna:secret@localhost/lab?schema=eyes".parse()?;
/// assert_eq!(shared.to_string(), "postgres://anna:***@localhost/lab?schema=eyes");
/// assert!(matches!("readers.gallery".parse()?, Location::File(_)));
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file.
    File(PathBuf),
    /// The address of a database.
    Postgres(String),
}

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

impl Location {
    /// Whether a password stands in the address, where others can read it: in lists of processes, in
    /// what a shell remembers.
    pub fn has_password(&self) -> bool {
        match self {
            Self::File(_) => false,
            Self::Postgres(address) => without_password(address) != *address,
        }
    }

    /// Whether passwords and sealed records pass a network for everybody on the way to read.
    pub fn is_exposed(&self) -> bool {
        #[cfg(feature = "postgres")]
        let is_exposed =
            crate::address::read_address(self).is_ok_and(|address| address.is_exposed());
        #[cfg(not(feature = "postgres"))]
        let is_exposed = false;
        is_exposed
    }
}

impl FromStr for Location {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match SCHEMES.iter().any(|scheme| text.starts_with(scheme)) {
            true => Self::Postgres(text.to_owned()),
            false => Self::File(PathBuf::from(text)),
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Postgres(address) => f.write_str(&without_password(address)),
        }
    }
}

/// As [`fmt::Display`]: a derived one would show the password.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

/// The address with stars for its password, both before the host and among the parameters.
fn without_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return "***".to_owned();
    };
    // The last one: passwords with an unescaped @ are hidden too.
    let (user, rest) = match rest.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, rest),
    };
    let user = match user.map(|user| user.split_once(':').ok_or(user)) {
        Some(Ok((name, _))) => format!("{name}:***@"),
        Some(Err(name)) => format!("{name}@"),
        None => String::new(),
    };
    let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let shown: Vec<_> = parameters
        .split('&')
        .map(|parameter| match parameter.split_once('=') {
            Some((name, _)) if name.to_ascii_lowercase().contains("pass") => format!("{name}=***"),
            _ => parameter.to_owned(),
        })
        .collect();
    let mark = if rest.contains('?') { "?" } else { "" };
    format!("{scheme}://{user}{place}{mark}{}", shown.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(address: &str) -> String {
        let location: Location = address.parse().unwrap();
        assert!(format!("{location:?}").contains(&location.to_string()));
        location.to_string()
    }

    #[test]
    fn passwords_are_hidden() {
        assert_eq!(shown("postgresql://a:b@h:5432/d"), "postgresql://a:***@h:5432/d");
        assert_eq!(shown("postgres://a:b@c/d:e@h/d?x=1"), "postgres://a:***@h/d?x=1");
        assert_eq!(shown("postgres://h/d?password=b&x=1"), "postgres://h/d?password=***&x=1");
        assert_eq!(shown("postgres://a@h/d?PASSWORD=b"), "postgres://a@h/d?PASSWORD=***");
        assert_eq!(shown("postgres:///d"), "postgres:///d");
        for address in ["postgres://u:hidden@h", "postgres://u:x@hidden@h", "postgres://:hidden@"] {
            assert!(!shown(address).contains("hidden"), "{}", shown(address));
        }
    }

    #[test]
    fn passwords_are_noticed() {
        for (address, expected) in [
            ("postgres://a:b@h/d", true),
            ("postgres://h/d?password=b", true),
            ("postgres://a@h:5432/d?schema=x", false),
            ("postgres://h/d", false),
            ("a:b@c", false),
        ] {
            assert_eq!(address.parse::<Location>().unwrap().has_password(), expected, "{address}");
        }
    }

    #[test]
    fn anything_else_is_a_path() {
        for path in ["a.gallery", "postgres:/x", "", "/x/postgres://"] {
            assert_eq!(path.parse(), Ok(Location::File(PathBuf::from(path))));
        }
    }
}
