//! Passwords of a server are found where PostgreSQL's own programs look for them.
//!
//! The test starts this program again, with other variables.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]
#![cfg(all(unix, feature = "postgres"))]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use gazeprint_store::{Location, Vault};
use support::server::Server;

const AT: &str = "GAZEPRINT_TEST_AT";

/// What the program does when the test has started it.
#[test]
fn child() {
    let Ok(at) = std::env::var(AT) else { return };
    let at: Location = at.parse().unwrap();
    Vault::open(&at, None).unwrap().check().unwrap();
}

/// Whether a process with these variables opens the gallery.
fn opens(address: &str, home: &Path, variables: &[(&str, &str)]) -> bool {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child"])
        .env_remove("PGPASSWORD")
        .env_remove("PGPASSFILE")
        .env("HOME", home)
        .env(AT, address)
        .envs(variables.iter().copied())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

/// Has the server ask everybody who comes for a password. That may take a moment.
fn ask_for(server: &Server, password: &str) {
    let mut client = postgres::Client::connect(&server.address(), postgres::NoTls).unwrap();
    client.batch_execute(&format!("ALTER ROLE gazeprint PASSWORD '{password}'")).unwrap();
    fs::write(server.data().join("pg_hba.conf"), "local all all scram-sha-256\n").unwrap();
    client.batch_execute("SELECT pg_reload_conf()").unwrap();
}

#[test]
fn a_password_comes_from_the_address_the_environment_or_a_file() {
    let Some(server) = Server::start() else { return };
    let address = server.fresh_address();
    Vault::create(&Location::Postgres(address.clone()), None).unwrap();
    ask_for(&server, "open sesame");
    let home = tempfile::tempdir().unwrap();
    for _ in 0..200 {
        if !opens(&address, home.path(), &[]) {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let opens = |address: &str, variables: &[(&str, &str)]| opens(address, home.path(), variables);
    assert!(!opens(&address, &[]));
    let (right, wrong) = (("PGPASSWORD", "open sesame"), ("PGPASSWORD", "open barley"));
    assert!(opens(&address, &[right]));
    assert!(!opens(&address, &[wrong]));
    let with_password = address.replace("gazeprint@", "gazeprint:open%20sesame@");
    assert!(opens(&with_password, &[wrong]));
    let file = home.path().join("passwords");
    fs::write(&file, "*:*:postgres:gazeprint:open sesame\n").unwrap();
    let named = ("PGPASSFILE", file.to_str().unwrap());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(!opens(&address, &[named]));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(opens(&address, &[named]));
    fs::copy(&file, home.path().join(".pgpass")).unwrap();
    assert!(opens(&address, &[]));
}
