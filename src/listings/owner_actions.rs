//! Actions of owners on their servers: settings, archive, deletion. `servers.visibility` follows from the listing in
//! the same transaction.

use crate::tracked_servers::{self, ServerError, ServerSettings};
use rollcall_model::message::translatable;
use rollcall_model::visibility::Visibility;
use rollcall_store::audit::{self, Author};
use rollcall_store::listings::{self, Listing, ListingStatus, WaitsFor};
use rollcall_store::media::Media;
use rollcall_store::moderation::{self, Decision, ItemKind, NewItem, queue};
use rollcall_store::servers::{self, ServerListing};
use rollcall_store::{Conn, revision};

/// Notice to the owner while a review is pending.
pub const HELD_FOR_REVIEW: &str = translatable("A moderator looks at it before it is shown.");
/// Why a second server at one address is in the queue of moderators.
pub(super) const SAME_ADDRESS: &str = translatable("Another server is listed at the same address.");
/// Why a server is in the queue whose banner was uploaded without proof of ownership.
pub const UNPROVED_BANNER: &str = translatable("The banner was uploaded by someone who has not claimed the server.");

/// The same, if the moderator looks for a reason that the owner should know.
pub(super) fn review_notice(why: &str) -> &'static str {
    match why {
        SAME_ADDRESS => translatable("Another server is listed at the same address. A moderator will look at it."),
        _ => HELD_FOR_REVIEW,
    }
}

/// Changes the settings of a server; its visibility is what the owner wants, not what follows. Returns the slug.
pub fn change_settings(
    conn: &mut Conn,
    media: &Media,
    server: &ServerListing,
    settings: &ServerSettings,
    author: &Author,
) -> Result<String, ServerError> {
    conn.transaction(|conn| {
        revision::bump(conn)?;
        let mut listing = find(conn, server, author)?;
        let mut settings = settings.clone();
        if let Some(wanted) = settings.visibility {
            if wanted == listing.visibility && settings == of_visibility(wanted) {
                return Err(ServerError::Unchanged);
            }
            listing.visibility = wanted;
            settings.visibility = Some(listing.effective_visibility());
        }
        if settings.name.is_some() && !listing.banner.is_empty() {
            settings.banner = Some(listing.banner.clone());
        }
        listings::save(conn, &listing)?;
        match tracked_servers::change(conn, media, &server.slug, &settings, author) {
            // Only what the owner wants changed, while the server is held or archived.
            Err(ServerError::Unchanged) if settings.visibility.is_some() => Ok(server.slug.clone()),
            outcome => outcome,
        }
    })
}

fn of_visibility(visibility: Visibility) -> ServerSettings {
    ServerSettings { visibility: Some(visibility), ..ServerSettings::default() }
}

/// Sets the banner that the owner uploaded, a path of a stored picture. An empty one is drawn from the name.
pub fn set_banner(
    conn: &mut Conn,
    media: &Media,
    server: &ServerListing,
    banner: &str,
    author: &Author,
) -> Result<(), ServerError> {
    conn.transaction(|conn| {
        revision::bump(conn)?;
        let mut listing = find(conn, server, author)?;
        banner.clone_into(&mut listing.banner);
        listings::save(conn, &listing)?;
        let settings = ServerSettings { banner: Some(banner.to_owned()), ..ServerSettings::default() };
        match tracked_servers::change(conn, media, &server.slug, &settings, author) {
            Ok(_) | Err(ServerError::Unchanged) => Ok(()),
            Err(error) => Err(error),
        }
    })
}

/// Hides a server and pings it no more; its history stays.
pub fn archive(conn: &mut Conn, media: &Media, server: &ServerListing, author: &Author) -> Result<(), ServerError> {
    update(conn, media, server, author, translatable("server archived"), |listing| {
        listing.archived_at.get_or_insert(author.at);
    })
}

/// Archives a server until it is removed with its history.
pub fn delete(conn: &mut Conn, media: &Media, server: &ServerListing, author: &Author) -> Result<(), ServerError> {
    update(conn, media, server, author, translatable("server deleted by its owner"), |listing| {
        listing.archived_at.get_or_insert(author.at);
        listing.deleted_at.get_or_insert(author.at);
    })
}

/// Undoes [`archive`] and [`delete`].
pub fn restore(conn: &mut Conn, media: &Media, server: &ServerListing, author: &Author) -> Result<(), ServerError> {
    update(conn, media, server, author, translatable("server restored"), |listing| {
        listing.archived_at = None;
        listing.deleted_at = None;
    })
}

/// [`restore`] for a new owner: the account that archived or deleted the server never proved ownership, or no longer owns it.
pub(super) fn restore_for_new_owner(
    conn: &mut Conn,
    media: &Media,
    server: &ServerListing,
    author: &Author,
) -> Result<(), ServerError> {
    let is_archived = listings::of_server(conn, server.n)?.is_some_and(|listing| listing.archived_at.is_some());
    if is_archived { restore(conn, media, server, author) } else { Ok(()) }
}

/// Takes a server out of sight until a moderator has seen what the author changed; `why` is for them.
pub fn hold(
    conn: &mut Conn,
    media: &Media,
    (server_n, author_n): (i64, Option<i64>),
    why: &str,
    author: &Author,
) -> Result<(), ServerError> {
    let Some(server) = servers::listing_by_number(conn, server_n)? else { return Ok(()) };
    set_status(conn, media, &server, (ListingStatus::Pending, review_notice(why)), author)?;
    let item = NewItem { kind: ItemKind::Server, subject: &server.id, server_n: Some(server_n), author_n, why };
    Ok(moderation::open(conn, &item, author.at)?)
}

/// Does with a server what a moderator decided, in the transaction of the decision. Does nothing for items that
/// are not about a server.
pub fn follow_decision(
    conn: &mut Conn,
    media: &Media,
    item_id: &str,
    decision: Decision,
    author: &Author,
) -> Result<(), ServerError> {
    let Some(item) = queue::find(conn, item_id)? else { return Ok(()) };
    let Some(server_n) = item.server_n else { return Ok(()) };
    let Some(server) = servers::listing_by_number(conn, server_n)? else { return Ok(()) };
    let status = match (item.kind, decision) {
        (ItemKind::Dispute, Decision::Approve) => return restore_for_new_owner(conn, media, &server, author),
        (ItemKind::Server, Decision::Approve) => ListingStatus::Approved,
        (ItemKind::Server, Decision::Reject) => ListingStatus::Rejected,
        (ItemKind::Server, Decision::Hide) => ListingStatus::Hidden,
        _ => return Ok(()),
    };
    set_status(conn, media, &server, (status, &item.reason), author)
}

/// Sets what a moderator, or the first reply to a ping, decided.
pub fn set_status(
    conn: &mut Conn,
    media: &Media,
    server: &ServerListing,
    (status, reason): (ListingStatus, &str),
    author: &Author,
) -> Result<(), ServerError> {
    let action = match status {
        ListingStatus::Pending => translatable("server held for review"),
        ListingStatus::Approved => translatable("server approved"),
        ListingStatus::Rejected => translatable("server rejected"),
        ListingStatus::Hidden => translatable("server hidden"),
    };
    update(conn, media, server, author, action, |listing| {
        listing.status = status;
        listing.waits_for = if status == ListingStatus::Pending { WaitsFor::Review } else { WaitsFor::Nothing };
        reason.clone_into(&mut listing.reason);
    })
}

/// The listing of a server; a new one for servers that an operator added.
fn find(conn: &mut Conn, server: &ServerListing, author: &Author) -> rollcall_store::Result<Listing> {
    let visibility = Visibility::parse(&server.visibility).unwrap_or(Visibility::Hidden);
    let found = listings::of_server(conn, server.n)?;
    Ok(found.unwrap_or_else(|| Listing::of_claimed(server.n, visibility, author.at)))
}

fn update(
    conn: &mut Conn,
    media: &Media,
    server: &ServerListing,
    author: &Author,
    action: &'static str,
    change: impl FnOnce(&mut Listing),
) -> Result<(), ServerError> {
    conn.transaction(|conn| {
        revision::bump(conn)?;
        let mut listing = find(conn, server, author)?;
        change(&mut listing);
        listings::save(conn, &listing)?;
        let settings = ServerSettings {
            is_tracked: Some(listing.archived_at.is_none()),
            ..of_visibility(listing.effective_visibility())
        };
        match tracked_servers::change(conn, media, &server.slug, &settings, author) {
            Ok(_) | Err(ServerError::Unchanged) => {}
            Err(error) => return Err(error),
        }
        Ok(audit::log_owned_server(conn, server.n, action, author)?)
    })
}
