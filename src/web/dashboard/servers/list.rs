//! The servers and the votes of an account.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};

use crate::app::App;
use crate::voting::next_day;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use rollcall_model::time::start_of_day;
use rollcall_store::server_access::{self, ManagedServer};
use rollcall_store::voting::history::{self, AccountVote};

/// Votes on the page.
const MAX_VOTES: i64 = 100;

#[derive(Template)]
#[template(path = "dashboard/servers.html")]
struct ServersPage {
    layout: Layout,
    dashboard: DashboardLayout,
    servers: Vec<ManagedServer>,
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let account_n = user.account.n;
    let servers = app.pool.read(move |conn| server_access::of_account(conn, account_n)).await?;
    Ok(page::private(&ServersPage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout::new(&user, "/dashboard/servers").with_success_from(query.as_deref()),
        servers,
    }))
}

#[derive(Template)]
#[template(path = "dashboard/votes.html")]
struct VotesPage {
    layout: Layout,
    dashboard: DashboardLayout,
    /// The newest vote for each server.
    servers: Vec<VotedServer>,
    votes: Vec<AccountVote>,
}

struct VotedServer {
    slug: String,
    name: String,
    voted_at: i64,
    /// `None`: now.
    next_at: Option<i64>,
}

pub async fn show_votes(State(app): State<Arc<App>>, user: CurrentUser) -> PageResult {
    let (account_n, now) = (user.account.n, user.session.now);
    let votes = app.pool.read(move |conn| history::of_account(conn, account_n, MAX_VOTES)).await?;
    let mut newest: BTreeMap<&str, &AccountVote> = BTreeMap::new();
    for vote in &votes {
        newest.entry(&vote.server_slug).or_insert(vote);
    }
    let servers = newest
        .into_values()
        .map(|vote| VotedServer {
            slug: vote.server_slug.clone(),
            name: vote.server_name.clone(),
            voted_at: vote.voted_at,
            next_at: (start_of_day(vote.voted_at) == start_of_day(now)).then(|| next_day(now)),
        })
        .collect();
    Ok(page::private(&VotesPage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout::new(&user, "/dashboard/votes"),
        servers,
        votes,
    }))
}
