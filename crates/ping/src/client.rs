//! Asking one server once: one deadline for everything, from the name to the last byte.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::Instant;

use super::failure::Failure;
use super::legacy::Legacy;
use super::resolver::Names;
use super::status::{Seen, Status};
use super::target::{Edition, Host};
use super::{tcp, udp};

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Modern,
    Legacy(Legacy),
    Bedrock,
}

impl Form {
    /// Those of Java Edition, in the order in which they are tried.
    pub const JAVA: [Self; 4] =
        [Self::Modern, Self::Legacy(Legacy::V1_6), Self::Legacy(Legacy::V1_4), Self::Legacy(Legacy::Beta)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Legacy(Legacy::V1_6) => "1.6",
            Self::Legacy(Legacy::V1_4) => "1.4",
            Self::Legacy(Legacy::Beta) => "beta",
            Self::Bedrock => "bedrock",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::JAVA.into_iter().chain([Self::Bedrock]).find(|form| form.name() == name)
    }
}

/// Whom to ask, and for what.
#[derive(Clone, Debug)]
pub struct Question {
    pub host: Host,
    pub port: u16,
    pub edition: Edition,
    /// Where it answers queries for the whole list of players.
    pub query_port: Option<u16>,
    /// The form that worked last, which is tried first.
    pub form: Option<Form>,
    /// No other form than that.
    pub only_form: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Who gave it.
    pub address: SocketAddr,
    pub form: Form,
    /// From the question to the whole answer.
    pub latency_ms: i64,
    pub status: Status,
    /// What a query told: everybody who plays.
    pub everybody: Option<Vec<Seen>>,
}

/// What all asks have in common.
pub struct Asker {
    pub names: Names,
    pub allow_private: bool,
    pub deadline: Duration,
}

impl Asker {
    /// Asks once. It ends by the deadline, whatever the other side does.
    pub async fn ask(&self, question: &Question) -> Result<Answer, Failure> {
        let end = Instant::now() + self.deadline;
        let asked = async {
            match question.edition {
                Edition::Java => self.ask_java(question, end).await,
                Edition::Bedrock => self.ask_bedrock(question).await,
            }
        };
        in_time(end, asked).await
    }

    async fn addresses(&self, question: &Question, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        // Some time must be left to ask whoever is found.
        let patience = self.deadline * 3 / 4;
        self.names.addresses(&question.host, port, question.edition, self.allow_private, patience).await
    }

    async fn ask_bedrock(&self, question: &Question) -> Result<Answer, Failure> {
        let mut failure = Failure::TimedOut;
        for address in self.addresses(question, question.port).await? {
            match udp::bedrock(address, self.deadline).await {
                Ok((status, latency)) => {
                    return Ok(answer(address, Form::Bedrock, latency, status));
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    async fn ask_java(&self, question: &Question, end: Instant) -> Result<Answer, Failure> {
        let addresses = self.addresses(question, question.port).await?;
        let (asked, everybody) =
            tokio::join!(ask_forms(question, &addresses, end), self.everybody(question, addresses[0], end));
        Ok(Answer { everybody, ..asked? })
    }

    /// The list of a query, if one is to be asked and comes. Whoever does not answer queries is no less there.
    async fn everybody(&self, question: &Question, address: SocketAddr, end: Instant) -> Option<Vec<Seen>> {
        let port = question.query_port?;
        let address = self.names.query_address(&question.host, address.ip(), port)?;
        // It must not use up what the answer itself needs.
        let asked = tokio::time::timeout_at(end - self.deadline / 8, udp::query(address, self.deadline));
        asked.await.ok()?.ok().map(|status| status.sample)
    }
}

/// Tries the forms one after the other, as long as only the form may be wrong.
async fn ask_forms(question: &Question, addresses: &[SocketAddr], end: Instant) -> Result<Answer, Failure> {
    let known = question.form.unwrap_or(Form::Modern);
    let others = Form::JAVA.into_iter().filter(|form| *form != known && !question.only_form);
    let mut forms = std::iter::once(known).chain(others).peekable();
    let mut first_failure = None;
    let mut reached = None;
    while let Some(form) = forms.next() {
        let connected = match reached {
            None => tcp::connect(addresses, end).await,
            Some(address) => in_time(end, tcp::connect(&[address], end)).await,
        };
        let (stream, address) = match connected {
            Ok(connected) => connected,
            Err(failure) => return Err(first_failure.unwrap_or(failure)),
        };
        reached = Some(address);
        // A form that worked before has all the time. Of the others each leaves some for the next: old servers may wait for
        // more bytes than a new form has.
        let is_last = forms.peek().is_none() || question.form == Some(form);
        let talk = tcp::talk(stream, form, &question.host, question.port, address.ip());
        let told = match (is_last, &first_failure) {
            // Whoever waits for the answer watches the end: the usual ask has one timer.
            (true, None) => talk.await,
            (true, Some(_)) => in_time(end, talk).await,
            (false, _) => in_time(halfway(end), talk).await,
        };
        match told {
            Ok((status, latency)) => return Ok(answer(address, form, latency, status)),
            // What the form said that should have worked says most.
            Err(failure) => first_failure = first_failure.or(Some(failure)),
        }
    }
    Err(first_failure.unwrap_or(Failure::TimedOut))
}

async fn in_time<T>(end: Instant, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::time::timeout_at(end, work).await.unwrap_or(Err(Failure::TimedOut))
}

fn halfway(end: Instant) -> Instant {
    let now = Instant::now();
    now + end.saturating_duration_since(now) / 2
}

fn answer(address: SocketAddr, form: Form, latency: Duration, status: Status) -> Answer {
    let latency_ms = i64::try_from(latency.as_millis()).unwrap_or(i64::MAX);
    Answer { address, form, latency_ms, status, everybody: None }
}
