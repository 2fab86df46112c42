//! The listener that players join. It disconnects them with a code.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use uuid::Uuid;

use super::Linking;
use crate::limits::bucket;
use rollcall_minecraft::join_verify::{Failure, OnVerified, Settings, Verifier};
use rollcall_model::id::is_name_only_uuid;
use rollcall_model::link_code::LinkCode;
use rollcall_model::time::MINUTE;
use rollcall_store::link_codes::{self, VerifiedPlayer};
use rollcall_store::{Result, erased_players};

/// The text in the server list of the game.
const MOTD: &str = "Join to link your account with Rollcall";

impl Linking {
    /// Serves players until the returned verifier is dropped.
    pub async fn serve(self: Arc<Self>, listener: TcpListener) -> std::io::Result<Verifier> {
        let session_server = self.settings.session_server().map_err(std::io::Error::other)?;
        let address = self.settings.join_address(listener.local_addr()?, &self.public_url);
        self.join_address.get_or_init(|| address);
        Verifier::start(listener, Settings::new(session_server, MOTD), JoinHandler(self)).await
    }

    /// The code of a player who joined; `None` if they opted out.
    async fn issue(&self, player: VerifiedPlayer) -> Result<Option<LinkCode>> {
        let now = self.clock.now();
        self.pool
            .write(move |conn| {
                if erased_players::contains_uuid(conn, &player.game_uuid)? {
                    return Ok(None);
                }
                let code = LinkCode::generate();
                link_codes::issue_to_player(conn, &player, &code, now)?;
                Ok(Some(code))
            })
            .await
    }
}

struct JoinHandler(Arc<Linking>);

impl OnVerified for JoinHandler {
    async fn on_verified(&self, uuid: Uuid, name: String, ip: IpAddr) -> std::result::Result<String, String> {
        let linking = &self.0;
        let game_uuid = uuid.to_string();
        if is_name_only_uuid(&game_uuid) {
            return Err("the session server returned an id that no player can have".to_owned());
        }
        if let Err(seconds) = linking.joins.take(bucket(ip), linking.clock.now()) {
            return Err(format!("too many codes were requested from your network. Try again in {seconds} seconds"));
        }
        match linking.issue(VerifiedPlayer { game_uuid, nickname: name }).await {
            Ok(Some(code)) => {
                metrics::counter!("rollcall_joins_total", "outcome" => "code").increment(1);
                let (code, minutes) = (code.reveal(), link_codes::LASTS / MINUTE);
                let page = format!("{}/dashboard/player", linking.public_url);
                Ok(format!("Your code: {code}\n\nEnter it within {minutes} minutes on\n{page}"))
            }
            Ok(None) => Err("this player has opted out of this service".to_owned()),
            Err(error) => {
                tracing::warn!(%error, "cannot store the code of a player who joined");
                Err("the service is busy. Try again later".to_owned())
            }
        }
    }

    fn on_failed(&self, ip: IpAddr, failure: &Failure) {
        metrics::counter!("rollcall_joins_total", "outcome" => "failed").increment(1);
        match failure {
            Failure::SessionServer(reason) => tracing::warn!(reason, "the session server gives no usable answer"),
            failure => tracing::debug!(%ip, %failure, "a player was not verified"),
        }
    }
}
