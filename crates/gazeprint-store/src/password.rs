//! Passwords of databases that do not stand in the address, found as PostgreSQL's own programs do:
//! in `PGPASSWORD`, else in the file that `PGPASSFILE` names, else in `.pgpass` at home.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use postgres::Config;
use postgres::config::Host;
use zeroize::Zeroizing;

use crate::secret::{KeyFileError, refuse_open};
use crate::{Location, StoreError};

/// Where sockets are unless somebody has moved them: a file of passwords calls them `localhost`.
const SOCKETS: [&str; 3] = ["/tmp", "/run/postgresql", "/var/run/postgresql"];
const PORT: u16 = 5432;
/// More than any file of passwords has.
const LARGEST: u64 = 1 << 20;

/// A variable of the environment.
pub(crate) type Variable<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

/// Gives the configuration a password, if it has none and there is one.
pub(crate) fn find_password(
    at: &Location,
    config: &mut Config,
    variable: &Variable<'_>,
) -> Result<(), StoreError> {
    if config.get_password().is_some() {
        return Ok(());
    }
    let given = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(password) = given("PGPASSWORD") {
        config.password(Zeroizing::new(password.into_encoded_bytes()));
        return Ok(());
    }
    let named = given("PGPASSFILE").map(PathBuf::from);
    let Some(file) = named.or_else(|| home_file(variable)) else {
        return Ok(());
    };
    let user = config.get_user().map(str::to_owned);
    let Some(user) = user.or_else(|| variable("USER")?.into_string().ok()) else {
        return Ok(());
    };
    if let Some(password) = from_file(at, &file, config, &user)? {
        config.password(password);
    }
    Ok(())
}

#[cfg(not(windows))]
fn home_file(variable: &Variable<'_>) -> Option<PathBuf> {
    variable("HOME").map(|home| Path::new(&home).join(".pgpass"))
}

#[cfg(windows)]
fn home_file(variable: &Variable<'_>) -> Option<PathBuf> {
    variable("APPDATA").map(|data| Path::new(&data).join("postgresql").join("pgpass.conf"))
}

/// The password of the first line that fits. A file that others may read is none to rely on.
fn from_file(
    at: &Location,
    file: &Path,
    config: &Config,
    user: &str,
) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
    let failed = |error| StoreError::System {
        file: file.to_owned(),
        doing: "looking for the password of the database",
        error,
    };
    let opened = match File::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    let there = opened.metadata().map_err(failed)?;
    let size = usize::try_from(there.len().min(LARGEST)).unwrap_or(0);
    // All at once: a buffer that grows leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(size + 1));
    opened.take(LARGEST).read_to_end(&mut bytes).map_err(failed)?;
    let database = config.get_dbname().unwrap_or(user);
    let mut places = places(config).into_iter();
    let password =
        |(host, port): (String, u16)| find_line(&bytes, [&host, &port.to_string(), database, user]);
    let Some(found) = places.next().and_then(password) else {
        return Ok(None);
    };
    // One password goes to all servers of an address: it must be that of each.
    if !places.all(|place| password(place).as_ref() == Some(&found)) {
        return Ok(None);
    }
    match refuse_open(file, &there) {
        Err(KeyFileError::Open { file, mode }) => {
            Err(StoreError::PasswordFile { at: at.clone(), file, mode })
        }
        _ => Ok(Some(found)),
    }
}

/// Hosts and ports, as a file of passwords calls them.
fn places(config: &Config) -> Vec<(String, u16)> {
    let ports = config.get_ports();
    let port = |number: usize| ports.get(number).or(ports.first()).copied().unwrap_or(PORT);
    let name = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(folder) if SOCKETS.iter().any(|usual| folder == Path::new(usual)) => {
            "localhost".to_owned()
        }
        #[cfg(unix)]
        Host::Unix(folder) => folder.display().to_string(),
    };
    let mut names: Vec<String> = config.get_hosts().iter().map(name).collect();
    if names.is_empty() {
        names = config.get_hostaddrs().iter().map(ToString::to_string).collect();
    }
    names.into_iter().enumerate().map(|(number, name)| (name, port(number))).collect()
}

/// The password in the first line whose four fields are these, or `*`.
fn find_line(bytes: &[u8], sought: [&str; 4]) -> Option<Zeroizing<Vec<u8>>> {
    bytes.split(|byte| *byte == b'\n').find_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut rest = line.strip_prefix(b"#").map_or(line, |_| &[]);
        for sought in sought {
            let (field, after) = take_field(rest)?;
            if field != b"*" && *unescaped(field) != sought.as_bytes() {
                return None;
            }
            rest = after;
        }
        Some(unescaped(rest))
    })
}

/// What stands before the first colon that is one, and what behind it.
fn take_field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut is_escaped = false;
    let end = line.iter().position(|&byte| {
        let is_end = byte == b':' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some((&line[..end], &line[end + 1..]))
}

/// Without the backslashes before other characters.
fn unescaped(field: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut plain = Zeroizing::new(Vec::with_capacity(field.len()));
    let mut bytes = field.iter();
    while let Some(&byte) = bytes.next() {
        let next = if byte == b'\\' { bytes.next() } else { None };
        plain.push(next.copied().unwrap_or(byte));
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(address: &str, variables: &[(&str, &str)]) -> Result<Option<String>, StoreError> {
        let at: Location = address.parse().unwrap();
        let mut config: Config = address.parse().unwrap();
        let variable = |name: &str| {
            let found = variables.iter().find(|(its, _)| *its == name);
            found.map(|(_, value)| OsString::from(value))
        };
        find_password(&at, &mut config, &variable)?;
        Ok(config.get_password().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap()))
    }

    fn write(file: &Path, lines: &str, mode: u32) {
        fs::write(file, lines).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        }
    }

    #[test]
    fn the_address_wins_then_the_variable_then_the_file() {
        let home = tempfile::tempdir().unwrap();
        let (named, own) = (home.path().join("named"), home.path().join(".pgpass"));
        write(&named, "*:*:*:*:named\n", 0o600);
        let all = [
            ("PGPASSWORD", "variable"),
            ("PGPASSFILE", named.to_str().unwrap()),
            ("HOME", home.path().to_str().unwrap()),
        ];
        let is = |address: &str, from: usize, expected: Option<&str>| {
            assert_eq!(found(address, &all[from..]).unwrap().as_deref(), expected);
        };
        is("postgres://u:address@h/d", 0, Some("address"));
        is("postgres://u@h/d?password=address", 0, Some("address"));
        is("postgres://u@h/d", 0, Some("variable"));
        is("postgres://u@h/d", 1, Some("named"));
        is("postgres://u@h/d", 3, None);
        #[cfg(not(windows))]
        {
            is("postgres://u@h/d", 2, None);
            write(&own, "*:*:*:*:home", 0o600);
            is("postgres://u@h/d", 2, Some("home"));
        }
        assert_eq!(found("postgres://u@h/d", &[("PGPASSWORD", "")]).unwrap(), None);
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pass");
        let lines = "# h:5432:d:u:comment\n\
            h:5432:d:other:no\n\
            h:5432\n\
            h:5433:d:u:by port\r\n\
            h:*:d\\:\\\\:u:by \\: and \\\\ and : name\n\
            localhost:*:*:u:local\n\
            /somewhere/else:*:*:u:socket\n\
            a:*:*:u:both\nb:*:*:u:both\nc:*:*:u:third\n\
            h:5432:d:u:first\n\
            h:5432:d:u:second\n";
        write(&file, lines, 0o600);
        let variables = [("PGPASSFILE", file.to_str().unwrap()), ("USER", "u")];
        for (address, expected) in [
            ("postgres://u@h/d", Some("first")),
            ("postgres://h/d", Some("first")),
            ("postgres://u@h:5433/d", Some("by port")),
            ("postgres://u@h/d%3A%5C", Some("by : and \\ and : name")),
            ("postgres://u@localhost/x", Some("local")),
            ("postgres://u@%2Fvar%2Frun%2Fpostgresql/x", Some("local")),
            ("postgres://u@%2Fsomewhere%2Felse/x", Some("socket")),
            ("postgres://u@a,b/x", Some("both")),
            ("postgres://u@a,c/x", None),
            ("postgres://u@h/other", None),
            ("postgres://v@h/d", None),
        ] {
            assert_eq!(found(address, &variables).unwrap().as_deref(), expected, "{address}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused_where_it_is_needed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pass");
        write(&file, "h:*:*:*:hidden\n", 0o644);
        let variables = [("PGPASSFILE", file.to_str().unwrap())];
        let error = found("postgres://u@h/d", &variables).unwrap_err().to_string();
        assert!(error.contains("found the mode 644") && error.contains("chmod 600"), "{error}");
        assert!(!error.contains("hidden"), "{error}");
        assert_eq!(found("postgres://u@other/d", &variables).unwrap(), None);
        assert_eq!(found("postgres://u:p@h/d", &variables).unwrap().as_deref(), Some("p"));
    }
}
