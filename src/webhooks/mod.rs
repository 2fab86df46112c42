//! Webhooks: events of the store as signed messages to endpoints that accounts choose.

mod alerts;
mod delivery;
mod discord;
mod fan_out;
mod in_flight;
mod message;
mod message_body;
mod request;
mod settings_form;
pub mod signature;

use std::sync::Arc;

use tokio::sync::Notify;

use crate::accounts::secret_cipher::{self, SecretCipher};
use crate::config;
use in_flight::InFlight;
use rollcall_minecraft::PingClient;
use rollcall_model::clock::Clock;
use rollcall_model::message::Message;
use rollcall_model::resources::Pictures;
use rollcall_model::secret::Secret;
use rollcall_store::{Pool, Result, webhooks};
pub use settings_form::{EnteredWebhook, ParsedWebhook};

pub struct Webhooks {
    pub settings: config::Webhooks,
    pool: Pool,
    clock: Clock,
    pinger: Arc<PingClient>,
    pictures: Pictures,
    /// `None`: URLs and secrets are stored in plain text.
    cipher: Option<Arc<SecretCipher>>,
    in_flight: InFlight,
    /// There may be something to send.
    work: Notify,
}

impl Webhooks {
    pub fn new(
        settings: &config::Webhooks,
        pool: Pool,
        clock: Clock,
        pinger: Arc<PingClient>,
        pictures: Pictures,
        cipher: Option<Arc<SecretCipher>>,
    ) -> Self {
        Self {
            settings: settings.clone(),
            pool,
            clock,
            pinger,
            pictures,
            cipher,
            in_flight: InFlight::new(settings.max_sending as usize),
            work: Notify::new(),
        }
    }

    /// What the fields of the form mean; the error says what is wrong.
    pub fn parse(&self, entered: &EnteredWebhook) -> std::result::Result<ParsedWebhook, Message> {
        settings_form::parse(entered, &self.pinger.guard)
    }

    /// The stored form of a URL or a secret of an endpoint.
    pub fn seal(&self, webhook_id: &str, text: &str) -> Secret {
        secret_cipher::seal(self.cipher.as_deref(), &owner(webhook_id), text).as_str().into()
    }

    /// The text behind its stored form; the error is a sentence for the operator.
    pub fn open(&self, webhook_id: &str, stored: &Secret) -> std::result::Result<Secret, String> {
        Ok(secret_cipher::open(self.cipher.as_deref(), &owner(webhook_id), stored.reveal())?.as_str().into())
    }

    /// There may be something to send.
    pub fn wake(&self) {
        self.work.notify_one();
    }

    /// Encrypts URLs and secrets that are in plain text, and warns of those that cannot be read with the configured key.
    pub async fn encrypt_secrets(&self) -> Result<()> {
        let stored = self.pool.read(webhooks::stored_secrets).await?;
        let (mut plain, mut unreadable) = (Vec::new(), 0);
        for secret in stored {
            match self.open(&secret.id, &secret.stored.as_str().into()) {
                Err(_) => unreadable += 1,
                Ok(text) if self.cipher.is_some() && !secret_cipher::is_encrypted(&secret.stored) => {
                    let sealed = self.seal(&secret.id, text.reveal());
                    plain.push((secret, sealed));
                }
                Ok(_) => {}
            }
        }
        if unreadable > 0 {
            tracing::warn!(
                unreadable,
                "URLs and secrets of webhooks were encrypted with another accounts.second_factor_key; their messages fail"
            );
        }
        if plain.is_empty() {
            return Ok(());
        }
        let replace_all = move |conn: &mut rollcall_store::Conn| {
            plain.iter().try_for_each(|(before, after)| webhooks::replace_secret(conn, before, after.reveal()))
        };
        self.pool.write(replace_all).await
    }
}

/// Context that the encryption of a secret is bound to.
fn owner(webhook_id: &str) -> String {
    format!("webhook {webhook_id}")
}
