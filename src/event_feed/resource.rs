//! An event as the API shows it.

use rollcall_model::event::{self, EventKind};
use rollcall_model::resources::{
    Event, EventData, EventPlayer, EventServer, Pictures, PlayerJoinedData, PlayerLeftData, PlayerRenamedData,
    PostApprovedData, ReviewCreatedData, ServerOfflineData, ServerOnlineData, ServerPeakData, ServerVersionData,
    SkinPublishedData, Timestamp, VoteCreatedData,
};
use rollcall_store::events::EventRow;

/// `None` if what the event is about is not shown any more.
pub fn resource(row: EventRow, pictures: &Pictures) -> Option<Event> {
    let data = data(&row, pictures)?;
    let server = row.server.map(|server| EventServer { id: server.id, slug: server.slug, name: server.name });
    let player =
        row.player.map(|player| EventPlayer { id: player.id, game_uuid: player.game_uuid, nickname: player.nickname });
    Some(Event { id: event::id(row.n), r#type: row.kind.name(), at: Timestamp(row.at), server, player, data })
}

fn data(row: &EventRow, pictures: &Pictures) -> Option<EventData> {
    let facts = &row.facts;
    let since = facts.since.map(Timestamp);
    let text = || facts.text.clone().unwrap_or_default();
    let previous_text = || facts.previous_text.clone().unwrap_or_default();
    Some(match row.kind {
        EventKind::ServerOnline => EventData::ServerOnline(ServerOnlineData { offline_since: since }),
        EventKind::ServerOffline => EventData::ServerOffline(ServerOfflineData {
            reason: facts.reason.clone().unwrap_or_default(),
            unreachable_since: since.unwrap_or(Timestamp(row.at)),
        }),
        EventKind::ServerPeak => EventData::ServerPeak(ServerPeakData {
            players: facts.players.unwrap_or_default(),
            previous_players: facts.previous_players.unwrap_or_default(),
        }),
        EventKind::ServerVersion => {
            EventData::ServerVersion(ServerVersionData { version: text(), previous_version: previous_text() })
        }
        EventKind::VoteCreated => EventData::Vote(VoteCreatedData { vote_id: row.subject.clone()? }),
        EventKind::ReviewCreated => {
            EventData::Review(ReviewCreatedData { review_id: row.subject.clone()?, rating: facts.rating? })
        }
        EventKind::PostApproved => {
            EventData::Post(PostApprovedData { post_id: row.subject.clone()?, title: row.post.as_ref()?.title.clone() })
        }
        EventKind::PlayerJoined => EventData::PlayerJoined(PlayerJoinedData { joined_at: Timestamp(row.at) }),
        EventKind::PlayerLeft => {
            EventData::PlayerLeft(PlayerLeftData { last_seen_at: since.unwrap_or(Timestamp(row.at)) })
        }
        EventKind::PlayerRenamed => {
            EventData::PlayerRenamed(PlayerRenamedData { nickname: text(), previous_nickname: previous_text() })
        }
        EventKind::SkinPublished => {
            let skin = row.skin.as_ref()?;
            EventData::Skin(SkinPublishedData {
                skin_id: row.subject.clone()?,
                slug: skin.slug.clone(),
                name: skin.name.clone(),
                model: skin.model.clone(),
                png_url: pictures.url(&skin.png),
            })
        }
    })
}
