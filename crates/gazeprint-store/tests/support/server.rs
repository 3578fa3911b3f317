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
    /// What stands between server and clients, where they do not reach it by a socket.
    pooler: Option<Child>,
    folder: tempfile::TempDir,
    made: AtomicU32,
    reached: Reached,
}

/// How clients come to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reached {
    Socket,
    /// By a port of this machine, with TLS alone.
    Tls(u16),
    /// By a pooler of transactions on such a port.
    Pooler(u16),
}

impl Server {
    /// Starts a server, or says that there is none. Where everything is tested there must be one.
    pub(crate) fn start() -> Option<Self> {
        Self::start_reached(Reached::Socket)
    }

    /// Starts a server that takes nothing but TLS.
    pub(crate) fn start_with_tls() -> Option<Self> {
        Self::start_reached(Reached::Tls(free_port()))
    }

    /// Starts a server behind a pooler that gives each transaction to whichever session is free, and takes
    /// nothing but TLS.
    pub(crate) fn start_behind_a_pooler() -> Option<Self> {
        let is_there = Path::new(POOLER).is_file();
        if !is_there {
            let missing = "pgbouncer was not found";
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{missing}");
            eprintln!("SKIPPED: {missing}; install it to have galleries behind a pooler tested");
            return None;
        }
        Self::start_reached(Reached::Pooler(free_port()))
    }

    fn start_reached(reached: Reached) -> Option<Self> {
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
        let mut arguments = vec!["-F".to_owned(), "-c".to_owned(), "max_connections=40".to_owned()];
        let mut set = |setting: String| arguments.extend(["-c".to_owned(), setting]);
        if reached != Reached::Socket {
            certify(folder.path());
        }
        match reached {
            Reached::Tls(port) => {
                set(format!("port={port}"));
                set("listen_addresses=127.0.0.1".to_owned());
                set("ssl=on".to_owned());
                set(format!("ssl_cert_file={}", folder.path().join("server.pem").display()));
                set(format!("ssl_key_file={}", folder.path().join("server.key").display()));
                let allowed = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
                fs::write(data.join("pg_hba.conf"), allowed).unwrap();
            }
            Reached::Socket | Reached::Pooler(_) => set("listen_addresses=".to_owned()),
        }
        if let Some(user) = &user {
            for file in fs::read_dir(folder.path()).unwrap().flatten() {
                std::os::unix::fs::chown(file.path(), Some(user.id), Some(user.group)).unwrap();
            }
        }
        // Nothing here has to outlive a power failure.
        let process = as_user(user.as_ref(), &programs.join("postgres"))
            .args(arguments)
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(folder.path())
            .current_dir("/")
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let made = AtomicU32::new(0);
        let mut server = Self { process, pooler: None, folder, made, reached };
        server.wait();
        if let Reached::Pooler(port) = reached {
            server.pool(port, user.as_ref());
        }
        Some(server)
    }

    /// Puts a pooler between.
    fn pool(&mut self, port: u16, user: Option<&User>) {
        let folder = self.folder.path().display().to_string();
        let settings = format!(
            "[databases]\npostgres = host={folder} dbname=postgres\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = trust\n\
             auth_file = {folder}/users\npool_mode = transaction\ndefault_pool_size = 3\n\
             client_tls_sslmode = require\nclient_tls_key_file = {folder}/server.key\n\
             client_tls_cert_file = {folder}/server.pem\nlogfile = {folder}/pooler.log\n"
        );
        let file = self.folder.path().join("pooler.ini");
        fs::write(&file, settings).unwrap();
        fs::write(self.folder.path().join("users"), "\"gazeprint\" \"\"\n").unwrap();
        let mut pooler = as_user(user, Path::new(POOLER))
            .arg("-q")
            .arg(&file)
            .current_dir("/")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = pooler.try_wait().unwrap();
            if ended.is_some() || begun.elapsed() > Duration::from_secs(30) {
                let log = fs::read_to_string(self.folder.path().join("pooler.log"));
                panic!("the pooler did not start: {ended:?} {log:?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.pooler = Some(pooler);
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

    /// The address of its database, for whoever looks after it.
    pub(crate) fn address(&self) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        let port = match self.reached {
            Reached::Tls(port) => format!(":{port}"),
            Reached::Socket | Reached::Pooler(_) => String::new(),
        };
        format!("postgres://gazeprint@{socket}{port}/postgres")
    }

    /// An address where nothing is yet.
    pub(crate) fn fresh_address(&self) -> String {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let schema = format!("schema=gallery_{number}");
        match self.reached {
            Reached::Socket => format!("{}?{schema}", self.address()),
            Reached::Tls(port) | Reached::Pooler(port) => {
                format!("postgres://gazeprint@localhost:{port}/postgres?{}&{schema}", self.trust())
            }
        }
    }

    /// What an address says to be sure of the server.
    pub(crate) fn trust(&self) -> String {
        let file = self.folder.path().join("ca.pem").display().to_string().replace('/', "%2F");
        format!("sslmode=verify-full&sslrootcert={file}")
    }
}

/// Where Debian's package has it.
const POOLER: &str = "/usr/sbin/pgbouncer";

/// A port that is free now.
fn free_port() -> u16 {
    std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// An authority, and a certificate of it for this machine.
fn certify(folder: &Path) {
    let run = |arguments: &str| {
        let output =
            Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output();
        let output = output.expect("openssl, which PostgreSQL comes with");
        assert!(output.status.success(), "openssl: {}", String::from_utf8_lossy(&output.stderr));
    };
    fs::write(folder.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n").unwrap();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    run(&format!("req -x509 {key} -days 2 -subj /CN=authority -keyout ca.key -out ca.pem"));
    run(&format!("req -new {key} -subj /CN=localhost -keyout server.key -out server.csr"));
    run(
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names \
         -out server.pem",
    );
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(pooler) = &mut self.pooler {
            _ = pooler.kill();
            _ = pooler.wait();
        }
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
