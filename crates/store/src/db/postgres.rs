//! A blocking PostgreSQL connection. The `postgres` crate enters its runtime once per row, which costs more than the row; this
//! one reads all rows that have arrived at once.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::future::try_join_all;
use futures_util::{SinkExt, Stream};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Connection, Error, Row, SimpleQueryMessage, Socket, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::pipeline::Pipeline;
use super::postgres_url::PostgresUrl;
use super::{PREPARED_STATEMENTS, Value, postgres_tls};
use crate::Result;

pub struct Postgres {
    client: Client,
    tls: MakeRustlsConnect,
    event_loop: EventLoop,
    prepared: HashMap<String, Statement>,
    /// Begins a write transaction.
    begin: String,
    /// Ends a write transaction.
    commit: &'static str,
    /// The log position after the last commit.
    committed: Option<i64>,
    /// A commit was sent, and the connection ended without an answer: the transaction may be stored or not.
    is_commit_unanswered: bool,
    pub(super) pipeline: Pipeline,
}

/// Drives the connection while a caller waits.
struct EventLoop {
    runtime: Runtime,
    connection: Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>,
    /// How long the server may be silent while a caller waits.
    timeout: Duration,
    /// The server was silent for longer. A late answer would be taken for that of the next query, so nothing is sent any more.
    is_stalled: bool,
    /// The server closes the connection, or it refused to write: it was made a replica, or a replica was reached, and another host
    /// may take writes now.
    is_useless: bool,
    /// A query failed since the job began.
    failed_in_job: bool,
}

/// How long each host may take to accept a TCP connection, and a server to answer a health check.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long connecting may take with the handshake, over all hosts.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long telling the server to cancel a query may take.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);
/// A connection without TCP acknowledgements for this long is dead.
const TCP_TIMEOUT: Duration = Duration::from_secs(10);
/// Errors after which a connection is of no more use.
const USELESS_AFTER: [SqlState; 4] = [
    SqlState::READ_ONLY_SQL_TRANSACTION,
    SqlState::ADMIN_SHUTDOWN,
    SqlState::CRASH_SHUTDOWN,
    SqlState::IDLE_SESSION_TIMEOUT,
];
/// Ends a transaction, and tells in the same message how long the log is then. Not what is flushed: a commit need not be.
const COMMIT_WITH_POSITION: &str = "commit; select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint";
/// Bytes of COPY data per message.
const COPY_CHUNK: usize = 64 * 1024;

impl EventLoop {
    fn wait<T>(&mut self, work: impl Future<Output = std::result::Result<T, Error>>) -> Result<T> {
        let mut value = None;
        self.drive(pin!(async {
            value = Some(work.await?);
            Ok(())
        }))?;
        Ok(value.expect("the work has ended"))
    }

    /// Not generic: the runtime would be compiled again for each kind of work.
    fn drive(&mut self, mut work: Pin<&mut dyn Future<Output = std::result::Result<(), Error>>>) -> Result<()> {
        if let Some(error) = self.stall() {
            return Err(error);
        }
        let connection = &mut self.connection;
        let driven = poll_fn(|cx| {
            loop {
                match connection.poll_message(cx) {
                    // Notices and notifications are ignored.
                    Poll::Ready(Some(Ok(_))) => {}
                    Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(error)),
                    Poll::Ready(None) | Poll::Pending => return work.as_mut().poll(cx),
                }
            }
        });
        match self.runtime.block_on(async { tokio::time::timeout(self.timeout, driven).await }) {
            Ok(outcome) => outcome.map_err(|error| {
                self.failed_in_job = true;
                self.is_useless |= error.code().is_some_and(|code| USELESS_AFTER.contains(code));
                error.into()
            }),
            Err(_) => {
                (self.is_stalled, self.failed_in_job) = (true, true);
                Err(self.stall().expect("just set"))
            }
        }
    }

    fn stall(&self) -> Option<crate::Error> {
        let message = || format!("PostgreSQL did not answer for {} s", self.timeout.as_secs());
        self.is_stalled.then(|| crate::Error::Unavailable(message()))
    }
}

/// A query that we gave up on would run on, and hold its locks, until the server tries to send its answer.
impl Drop for Postgres {
    fn drop(&mut self) {
        if self.event_loop.is_stalled {
            let cancel = self.client.cancel_token();
            let tls = self.tls.clone();
            let cancelled = async { tokio::time::timeout(CANCEL_TIMEOUT, cancel.cancel_query(tls)).await };
            // The server may be gone.
            let _ = self.event_loop.runtime.block_on(cancelled);
        }
    }
}

impl Postgres {
    /// `timeout`: see [`Self::prepare_for_job`].
    pub fn connect(url: &PostgresUrl, timeout: Duration) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| crate::Error::Unavailable(error.to_string()))?;
        let mut config = url.config.clone();
        config
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(TCP_TIMEOUT)
            .keepalives_idle(TCP_TIMEOUT)
            .application_name("rollcall");
        let tls = postgres_tls::connector(&url.tls)?;
        let connecting = config.connect(tls.clone());
        let handshake_timeout = HANDSHAKE_TIMEOUT.min(timeout);
        let connected = runtime.block_on(async { tokio::time::timeout(handshake_timeout, connecting).await });
        let (client, connection) = connected.map_err(|_| {
            crate::Error::Unavailable(format!(
                "PostgreSQL accepted no session within {} s",
                handshake_timeout.as_secs()
            ))
        })??;
        let event_loop =
            EventLoop { runtime, connection, timeout, is_stalled: false, is_useless: false, failed_in_job: false };
        Ok(Self {
            client,
            tls,
            event_loop,
            prepared: HashMap::new(),
            begin: "begin".into(),
            commit: "commit",
            committed: None,
            is_commit_unanswered: false,
            pipeline: Pipeline::Off,
        })
    }

    /// Whether nothing more can be done with this connection.
    pub fn is_closed(&self) -> bool {
        self.event_loop.is_stalled || self.event_loop.is_useless || self.client.is_closed()
    }

    /// The error of a connection whose server was silent for too long.
    pub fn stall(&self) -> Option<crate::Error> {
        self.event_loop.stall()
    }

    /// `timeout`: how long the server may take to answer; then the connection is closed. TCP does not detect a
    /// proxy or a server that accepts data and never answers.
    pub fn prepare_for_job(&mut self, timeout: Duration) {
        (self.event_loop.timeout, self.event_loop.failed_in_job) = (timeout, false);
        self.is_commit_unanswered = false;
    }

    /// Whether a query failed since the last [`Self::prepare_for_job`].
    pub fn failed_in_job(&self) -> bool {
        self.event_loop.failed_in_job
    }

    /// How long a transaction waits for a lock. It is set in each one, in the same message: behind PgBouncer in transaction mode
    /// the next transaction may run in another session.
    pub fn set_lock_timeout(&mut self, timeout: Duration) {
        self.begin = format!("begin; set local lock_timeout = {}", timeout.as_millis());
    }

    pub fn begin(&mut self) -> Result<()> {
        self.event_loop.wait(self.client.batch_execute(&self.begin))
    }

    pub fn note_commits(&mut self) {
        self.commit = COMMIT_WITH_POSITION;
    }

    pub fn take_commit(&mut self) -> Option<i64> {
        self.committed.take()
    }

    pub fn commit(&mut self) -> Result<()> {
        let answer = self.event_loop.wait(self.client.simple_query(self.commit));
        // A server that refuses to commit keeps the connection.
        self.is_commit_unanswered = answer.is_err() && self.is_closed();
        let answer = answer?;
        let position = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
            _ => None,
        });
        self.committed = position;
        Ok(())
    }

    pub fn is_commit_unanswered(&self) -> bool {
        self.is_commit_unanswered
    }

    /// Whether the server answers an empty query in time.
    pub fn answers_within(&mut self, time: Duration) -> bool {
        let Self { client, event_loop, .. } = self;
        let answer = event_loop.wait(async { Ok(tokio::time::timeout(time, client.simple_query("")).await) });
        matches!(answer, Ok(Ok(Ok(_))))
    }

    pub fn execute_batch(&mut self, sql: &str) -> Result<()> {
        self.event_loop.wait(self.client.batch_execute(sql))
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        if self.prepared.len() >= PREPARED_STATEMENTS {
            self.prepared.clear();
        }
        let statement = self.event_loop.wait(self.client.prepare(sql))?;
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let statement = self.prepare(sql)?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
        self.event_loop.wait(self.client.execute(&statement, &values))
    }

    /// Sends the noted queries together and keeps their rows.
    pub fn send_recorded(&mut self) -> Result<()> {
        let Pipeline::Recording(reads) = std::mem::take(&mut self.pipeline) else { return Ok(()) };
        // One alone needs no pipeline.
        if reads.len() > 1 {
            let rows = self.query_all(&reads)?;
            self.pipeline = Pipeline::Answering(reads.into_iter().zip(rows).collect());
        }
        Ok(())
    }

    pub fn for_each(&mut self, sql: &str, values: &[Value], read: &mut dyn FnMut(&Row)) -> Result<()> {
        if self.pipeline.record(sql, values) {
            return Ok(());
        }
        if let Some(rows) = self.pipeline.rows(sql, values) {
            rows.iter().for_each(read);
            return Ok(());
        }
        let statement = self.prepare(sql)?;
        let mut rows = pin!(self.event_loop.wait(self.client.query_raw(&statement, values))?);
        let mut arrived = Vec::new();
        loop {
            let arrive = poll_fn(|cx| {
                loop {
                    match rows.as_mut().poll_next(cx) {
                        Poll::Ready(Some(Ok(row))) => arrived.push(row),
                        Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(error)),
                        Poll::Ready(None) => return Poll::Ready(Ok(false)),
                        Poll::Pending if arrived.is_empty() => return Poll::Pending,
                        Poll::Pending => return Poll::Ready(Ok(true)),
                    }
                }
            });
            let is_more = self.event_loop.wait(arrive)?;
            // Outside the runtime: `read` may use another connection.
            arrived.drain(..).for_each(|row| read(&row));
            if !is_more {
                return Ok(());
            }
        }
    }

    /// The rows of several queries, which are sent at once.
    fn query_all(&mut self, reads: &[(String, Vec<Value>)]) -> Result<Vec<Vec<Row>>> {
        let statements = reads.iter().map(|(sql, _)| self.prepare(sql)).collect::<Result<Vec<_>>>()?;
        let parameters: Vec<Vec<&(dyn ToSql + Sync)>> =
            reads.iter().map(|(_, values)| values.iter().map(|value| value as _).collect()).collect();
        let queries =
            statements.iter().zip(&parameters).map(|(statement, values)| self.client.query(statement, values));
        self.event_loop.wait(try_join_all(queries))
    }

    /// Sends the lines that `lines` produces to a `copy … from stdin`.
    pub fn copy_in(
        &mut self,
        sql: &str,
        lines: impl FnOnce(&mut dyn FnMut(&str) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let Self { client, event_loop, .. } = self;
        let mut sink = pin!(event_loop.wait(client.copy_in::<_, Bytes>(sql))?);
        let mut unsent = BytesMut::new();
        lines(&mut |text| {
            unsent.extend_from_slice(text.as_bytes());
            if unsent.len() < COPY_CHUNK {
                return Ok(());
            }
            event_loop.wait(sink.send(unsent.split().freeze()))
        })?;
        event_loop.wait(async {
            sink.send(unsent.freeze()).await?;
            sink.as_mut().finish().await
        })?;
        Ok(())
    }
}
