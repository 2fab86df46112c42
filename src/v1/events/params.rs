//! The filters and the cursor that the list and the stream share.

use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::list_params::Choices;
use crate::v1::params::{Text, invalid};
use crate::v1::players::profile;
use rollcall_model::event::{self, EventKind};
use rollcall_model::time::HOUR;
use rollcall_store::Conn;
use rollcall_store::events::{self, EventFilter};

pub const AFTER: Text = Text {
    name: "after",
    about: "Only events after this cursor: the `next` of an earlier call, the id of an event, or `start` for the oldest. Kept for 30 days.",
};
pub const SERVER: Text = Text { name: "server", about: "Only events of the server with this slug." };
pub const PLAYER: Text = Text { name: "player", about: "Only events about this player: id, game UUID or nickname." };
pub const TYPE: Choices =
    Choices { name: "type", about: "Only events of these types, separated by commas.", values: &EventKind::NAMES };

/// Filters as they are given; names are looked up in the store.
#[derive(Clone, Debug)]
pub struct FilterParams {
    server: Option<String>,
    player: Option<String>,
    kinds: Vec<EventKind>,
}

impl FilterParams {
    pub fn read(query: &Query) -> Result<Self, ApiError> {
        let kinds = TYPE.read(query)?.unwrap_or_default().into_iter().filter_map(EventKind::parse).collect();
        Ok(Self { server: SERVER.read(query), player: PLAYER.read(query), kinds })
    }

    pub fn find(self, app: &App, conn: &mut Conn) -> Result<EventFilter, ApiError> {
        let mut filter = EventFilter { kinds: self.kinds, ..EventFilter::default() };
        if let Some(slug) = self.server {
            let server_n = app.catalogue.servers().by_slug(&slug).map(|server| server.n);
            let what = "the slug of a public server";
            filter.server_n = Some(server_n.ok_or_else(|| invalid(SERVER.name, what, &slug))?);
        }
        if let Some(id) = self.player {
            let player = profile::find(conn, &id)?;
            let what = "the id, UUID or nickname of a known player";
            filter.player_n = Some(player.ok_or_else(|| invalid(PLAYER.name, what, &id))?.n);
        }
        Ok(filter)
    }
}

/// Starts with the oldest event.
const START: &str = "start";

/// The event number of a cursor. One that is older than what is kept would skip events silently.
pub fn read_cursor(name: &str, text: &str, now: i64) -> Result<i64, ApiError> {
    let what = "start, the id of an event or the next of an earlier call";
    if text == START {
        return Ok(events::first_kept(now) - 1);
    }
    let n = event::parse_id(text).ok_or_else(|| invalid(name, what, text))?;
    if event::time_of_number(n) > now + HOUR {
        return Err(invalid(name, what, text));
    }
    if n < events::first_kept(now) {
        let problem = "is too old: events are kept for 30 days. Leave it out to begin with the newest events";
        return Err(ApiError::BadRequest(format!("{name} {problem}")));
    }
    Ok(n)
}
