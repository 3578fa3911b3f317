//! A PostgreSQL server of one's own, in a temporary folder, reached by a socket. The tests of the
//! commands use it, too.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A running server. It ends when this is dropped, and at the latest with the thread that began it.
pub(crate) struct Server {
    process: Child,
    folder: tempfile::TempDir,
    made: AtomicU32,
}

impl Server {
    /// Starts a server, or says that there is none. Where everything is tested there must be one.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            let missing = "PostgreSQL was not found in PATH or /usr/lib/postgresql";
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{missing}");
            eprintln!("SKIPPED: {missing}; install it to have galleries on a server tested");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let user = unprivileged();
        if let Some(user) = &user {
            std::os::unix::fs::chown(folder.path(), Some(user.id), Some(user.group)).unwrap();
        }
        let data = folder.path().join("data");
        let made = as_user(user.as_ref(), &programs.join("initdb"))
            .args(["--auth=trust", "--username=gazeprint", "--encoding=UTF8", "--locale=C"])
            .args(["--no-sync", "--pgdata"])
            .arg(&data)
            .current_dir("/")
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let log = fs::File::create(folder.path().join("log")).unwrap();
        // Nothing here has to outlive a power failure.
        let process = as_user(user.as_ref(), &programs.join("postgres"))
            .args(["-F", "-c", "listen_addresses=", "-c", "max_connections=40", "-D"])
            .arg(&data)
            .arg("-k")
            .arg(folder.path())
            .current_dir("/")
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut server = Self { process, folder, made: AtomicU32::new(0) };
        server.wait();
        Some(server)
    }

    fn wait(&mut self) {
        let pid_file = self.folder.path().join("data/postmaster.pid");
        let begun = Instant::now();
        loop {
            // The server writes into this file when it is ready.
            if fs::read_to_string(&pid_file).is_ok_and(|text| text.contains("ready")) {
                return;
            }
            let ended = self.process.try_wait().unwrap();
            if ended.is_some() || begun.elapsed() > Duration::from_secs(60) {
                let log = fs::read_to_string(self.folder.path().join("log")).unwrap();
                panic!("PostgreSQL did not start: {ended:?} {log}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The folder with all of its files.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The address of its database.
    pub(crate) fn address(&self) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://gazeprint@{socket}/postgres")
    }

    /// An address where nothing is yet.
    pub(crate) fn fresh_address(&self) -> String {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        format!("{}?schema=gallery_{number}", self.address())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fast shutdown: clients are sent away.
        let asked = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status();
        if !asked.is_ok_and(|status| status.success()) {
            _ = self.process.kill();
        }
        _ = self.process.wait();
    }
}

/// The folder of the server's programs.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut installed: Vec<_> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .collect();
    installed.sort();
    folders.extend(installed.into_iter().rev());
    folders
        .into_iter()
        .find(|folder| ["initdb", "postgres"].iter().all(|program| folder.join(program).is_file()))
}

struct User {
    id: u32,
    group: u32,
}

/// Whom the server runs as, where we are root: it refuses that.
fn unprivileged() -> Option<User> {
    if number("id", &["-u"])? != 0 {
        return None;
    }
    ["postgres", "nobody"].iter().find_map(|name| {
        Some(User { id: number("id", &["-u", name])?, group: number("id", &["-g", name])? })
    })
}

fn number(program: &str, arguments: &[&str]) -> Option<u32> {
    let output = Command::new(program).args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// A program as another user. It is told to end when the thread that began it ends, even if that is
/// killed.
fn as_user(user: Option<&User>, program: &Path) -> Command {
    let has_setpriv = Command::new("setpriv").arg("--version").output().is_ok();
    if !has_setpriv {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    if let Some(User { id, group }) = user {
        command.args([format!("--reuid={id}"), format!("--regid={group}")]);
        command.arg("--clear-groups");
    }
    // After the change of the user, which would clear it.
    command.args(["--pdeathsig", "INT"]).arg(program);
    command
}
