//! `GET /events`

use super::params::{AFTER, FilterParams, PLAYER, SERVER, TYPE, read_cursor};
use crate::catalogue::ServerEntry;
use crate::error::ApiError;
use crate::event_feed::resource;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Int, limit};
use rollcall_model::event;
use rollcall_model::resources::{Event, EventList};
use rollcall_store::events::{self, EventServer};
use utoipa::PartialSchema;

const LIMIT: Int = limit(50);
const FIELDS: ItemFields = ItemFields(&[("/events", <Event as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/events",
    name: "eventsList",
    tag: "Events",
    summary: "List events",
    description: "What happened to servers and players in the last 30 days, oldest first. Without `after` the newest events. \
                  Call again with `after` set to `next` to miss nothing and to see nothing twice.",
    path_param: None,
    params: &[&AFTER, &LIMIT, &SERVER, &PLAYER, &TYPE, &FIELDS],
    max_age: 1,
    per_account: false,
    units: Units::One,
    data: data::<EventList>,
    plan,
};

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let params = (AFTER.read(&call.query), LIMIT.read(&call.query)?.unwrap_or(1), FilterParams::read(&call.query)?);
    Plan::reading(params, |app, conn, (after, limit, filter)| {
        let now = app.clock.now();
        let after = after.map(|after| read_cursor(AFTER.name, &after, now)).transpose()?;
        let filter = filter.find(app, conn)?;
        let known = |n| app.catalogue.servers().by_n(n).map(event_server);
        let page = events::page(conn, &known, &filter, after, usize::try_from(limit).unwrap_or(1), now)?;
        let pictures = &app.catalogue.pictures;
        let events = page.events.into_iter().filter_map(|row| resource(row, pictures)).collect();
        envelope(&EventList { events, next: event::id(page.next) })
    })
}

/// A server as the catalogue has it: reading its row takes longer than reading the event.
fn event_server(entry: &ServerEntry) -> EventServer {
    let text = |text: &str| text.to_owned();
    EventServer { n: entry.n, id: text(entry.id()), slug: text(entry.slug()), name: text(entry.name()) }
}
