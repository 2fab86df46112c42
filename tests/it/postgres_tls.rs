//! TLS to PostgreSQL, with certificates of a test authority.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use crate::harness::{PostgresServer, Program, Store, fetch, until};

/// A certificate authority whose certificate is in a file.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: PathBuf,
}

impl Authority {
    fn new(folder: &Path, name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate");
        let file = folder.join(format!("{name}.pem"));
        std::fs::write(&file, issuer.pem()).expect("a file");
        Self { issuer, file }
    }

    /// Certificate and key for a host name or a user, as PEM.
    fn issue(&self, name: &str, is_expired: bool) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new([name.to_owned()]).expect("parameters");
        params.distinguished_name.push(DnType::CommonName, name);
        if is_expired {
            params.not_before = rcgen::date_time_ymd(2020, 1, 1);
            params.not_after = rcgen::date_time_ymd(2021, 1, 1);
        }
        (params.signed_by(&key, &self.issuer).expect("a certificate").pem(), key.serialize_pem())
    }
}

/// A PostgreSQL server that accepts TLS only.
struct TlsServer {
    server: PostgresServer,
    authority: Authority,
}

impl TlsServer {
    /// Makes a server accept TLS only.
    fn of(server: PostgresServer) -> Self {
        let authority = Authority::new(server.folder(), "authority");
        let tls = Self { server, authority };
        tls.present("localhost", false);
        tls.put("client-ca.pem", &std::fs::read_to_string(&tls.authority.file).expect("a file"));
        for setting in
            ["ssl_cert_file = 'server.pem'", "ssl_key_file = 'server.key'", "ssl_ca_file = 'client-ca.pem'", "ssl = on"]
        {
            tls.server.sql(&format!("alter system set {setting}"));
        }
        tls.require("trust");
        tls
    }

    /// Writes a file into the server's data folder, readable for its user only.
    fn put(&self, name: &str, content: &str) {
        let data = self.server.data();
        let owner = std::fs::metadata(&data).expect("the data folder");
        let file = data.join(name);
        std::fs::write(&file, content).expect("a file");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("permissions");
        std::os::unix::fs::chown(&file, Some(owner.uid()), Some(owner.gid())).expect("the server's user");
    }

    /// Gives the server a certificate for this host.
    fn present(&self, host: &str, is_expired: bool) {
        let (certificate, key) = self.authority.issue(host, is_expired);
        self.put("server.pem", &certificate);
        self.put("server.key", &key);
        self.server.sql("select pg_reload_conf()");
    }

    /// Connections from test clients need TLS and this method. The harness keeps its own way in.
    fn require(&self, method: &str) {
        self.put("pg_hba.conf", &format!("host all rollcall 127.0.0.1/32 trust\nhostssl all tls all {method}\n"));
        self.server.sql("select pg_reload_conf()");
    }

    fn url(&self, parameters: &str) -> String {
        let port = self.server.address().rsplit_once(':').expect("a port").1;
        format!("postgres://tls@localhost:{port}/postgres?{parameters}")
    }

    /// Standard error of a command that opens the store, or nothing if it succeeds.
    fn try_with(&self, parameters: &str) -> String {
        let store = Store::at(self.url(parameters));
        let output = store.rollcall(&["key", "list"]);
        let error = String::from_utf8(output.stderr).expect("plain text");
        assert_eq!(output.status.success(), error.is_empty(), "{error}");
        error
    }

    fn roots(&self) -> String {
        format!("sslrootcert={}", self.authority.file.display())
    }
}

fn assert_refused(error: &str, reason: &str) {
    assert!(error.starts_with("rollcall: cannot open postgres://localhost:") && error.contains(reason), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

fn start() -> TlsServer {
    let tls = TlsServer::of(PostgresServer::start());
    tls.server.sql("create role tls login superuser");
    tls
}

#[test]
fn each_sslmode_checks_what_it_says() {
    let tls = start();
    let roots = tls.roots();
    for mode in ["verify-full", "verify-ca", "require", "prefer"] {
        assert_eq!(tls.try_with(&format!("sslmode={mode}&{roots}")), "", "{mode}");
    }
    assert_eq!(tls.try_with("sslmode=require"), "", "an unknown authority");
    assert_refused(&tls.try_with("sslmode=disable"), "no encryption");
    assert_refused(&tls.try_with("sslmode=verify-full"), "UnknownIssuer");

    let stranger = Authority::new(tls.server.folder(), "stranger");
    assert_refused(
        &tls.try_with(&format!("sslmode=verify-ca&sslrootcert={}", stranger.file.display())),
        "UnknownIssuer",
    );
    assert_refused(&tls.try_with("sslmode=verify-ca&sslrootcert=/nowhere.pem"), "cannot use sslrootcert /nowhere.pem");

    tls.present("other.example", false);
    assert_refused(
        &tls.try_with(&format!("sslmode=verify-full&{roots}")),
        "certificate not valid for name \"localhost\"",
    );
    assert_eq!(tls.try_with(&format!("sslmode=verify-ca&{roots}")), "");

    tls.present("localhost", true);
    assert_refused(&tls.try_with(&format!("sslmode=verify-full&{roots}")), "certificate expired");
    assert_refused(&tls.try_with(&format!("sslmode=verify-ca&{roots}")), "certificate expired");
}

#[test]
fn a_client_certificate_is_sent() {
    let tls = start();
    tls.require("cert");
    let roots = tls.roots();
    assert_refused(&tls.try_with(&format!("sslmode=verify-full&{roots}")), "certificate");
    let (certificate, key) = tls.authority.issue("tls", false);
    let (certificate_file, key_file) = (tls.server.folder().join("client.pem"), tls.server.folder().join("client.key"));
    std::fs::write(&certificate_file, certificate).expect("a file");
    std::fs::write(&key_file, key).expect("a file");
    let client = format!("sslcert={}&sslkey={}", certificate_file.display(), key_file.display());
    assert_eq!(tls.try_with(&format!("sslmode=verify-full&{roots}&{client}")), "");
}

#[test]
fn a_server_without_tls_is_refused_if_tls_is_required() {
    let server = PostgresServer::start();
    let store = Store::at(format!("{}?sslmode=require", server.url));
    let output = store.rollcall(&["key", "list"]);
    let error = String::from_utf8(output.stderr).expect("plain text");
    assert!(!output.status.success() && error.contains("server does not support TLS"), "{error}");
}

#[tokio::test]
async fn a_replica_is_read_over_tls() {
    let primary = PostgresServer::start();
    primary.sql("create role tls login superuser");
    let store = Store::at(primary.url.clone());
    let key = String::from_utf8(store.rollcall(&["key", "create"]).stdout).expect("plain text").trim_end().to_owned();
    let replica = TlsServer::of(PostgresServer::with(&["replicate", &primary.url]));
    let url = replica.url(&format!("sslmode=verify-full&{}", replica.roots()));
    let start = || {
        let mut command = store.command(&["serve", "--listen", "127.0.0.1:0", "--ping-interval", "off"]);
        command.env("ROLLCALL_DATABASE_REPLICAS", &url).env("ROLLCALL_METRICS_LISTEN", "127.0.0.1:0");
        Program::start(command)
    };
    let has = async |program: &Program, sample: &str| {
        let metrics = fetch(&program.metrics(), &[]).await.body;
        String::from_utf8(metrics).expect("plain text").lines().any(|line| line == sample)
    };
    let read = async |program: &Program| {
        assert_eq!(program.get("/v1/players/nobody", &[("x-api-key", &key)]).await.status, 404);
    };

    let program = start();
    program.until_logged("/postgres is used");
    // On a busy machine the replica may be behind at first, and the primary answers.
    until(async || {
        read(&program).await;
        let is_replica = has(&program, "rollcall_replicated_reads_total{answered_by=\"replica\"} 1").await;
        is_replica.then_some(()).ok_or("the primary answered each time")
    })
    .await;
    let sessions = "select string_agg(distinct ssl::text, ' ') from pg_stat_ssl join pg_stat_activity using (pid) \
                    where application_name = 'rollcall' and usename = 'tls'";
    assert_eq!(replica.server.query(sessions), "true");
    drop(program);

    replica.present("other.example", false);
    let program = start();
    program.until_logged("is left out, the primary answers: PostgreSQL: error performing TLS handshake");
    program.until_logged("certificate not valid for name");
    read(&program).await;
    assert!(has(&program, "rollcall_replicated_reads_total{answered_by=\"primary\"} 1").await);
    let name =
        format!("postgres://localhost:{}/postgres", replica.server.address().rsplit_once(':').expect("a port").1);
    assert!(has(&program, &format!("rollcall_replica_left_out{{replica=\"{name}\",reason=\"unusable\"}} 1")).await);
}
