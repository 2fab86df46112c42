//! `GET /live`

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::App;
use crate::catalogue::{ServerFilter, ServerSort};
use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use rollcall_model::country::{self, Continent};
use rollcall_model::resources::{LiveData, LiveServer, LiveStats, Region, Timestamp};
use rollcall_model::score;
use rollcall_model::time::{HOUR, MINUTE, SECOND, start_of_day};
use rollcall_store::samples::{self, ALL_SERVERS};
use rollcall_store::{Conn, Result, activity};

const TOP_SERVERS: usize = 10;
const RECENT_ACTIVITY: usize = 20;
/// Id and name of the region of servers whose country is not known.
const UNKNOWN_REGION: (&str, &str) = ("unknown", country::UNKNOWN);
/// `change` compares with the sample of an hour ago, or one up to this much older.
const SAMPLE_REACH: i64 = 15 * MINUTE;

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/live",
    name: "live",
    tag: "Live",
    summary: "Live statistics",
    description: "Totals over all public servers, the busiest servers, recent activity, and players by continent \
                  and country.",
    path_param: None,
    params: &[],
    max_age: 10,
    per_account: false,
    units: Units::One,
    data: data::<LiveData>,
    plan,
};

fn plan(_: &Call) -> std::result::Result<Plan, ApiError> {
    Plan::new((), |app, ()| async move { envelope(&live(&app).await?) })
}

pub async fn live(app: &Arc<App>) -> std::result::Result<LiveData, ApiError> {
    let work = app.clone();
    Ok(app.pool.read_replicated(move |conn| conn.batch_reads(|conn| read(conn, &work))).await?)
}

fn read(conn: &mut Conn, app: &App) -> Result<LiveData> {
    let now = app.clock.now();
    let (numbers, mut top_servers): (Vec<i64>, Vec<LiveServer>) = busiest(app).into_iter().unzip();
    let before = samples::players_at(conn, &numbers, now - HOUR, SAMPLE_REACH)?;
    for (n, server) in numbers.iter().zip(&mut top_servers) {
        server.change = before.get(n).map_or(0, |before| server.players - before);
    }
    let peak = samples::peak_since(conn, ALL_SERVERS, start_of_day(now))?;
    let recent_activity = activity::recent(conn, RECENT_ACTIVITY)?;
    let (stats, regions, country_players) = totals(app, peak, now);
    Ok(LiveData { stats, top_servers, recent_activity, regions, country_players })
}

fn busiest(app: &App) -> Vec<(i64, LiveServer)> {
    let servers = app.catalogue.servers();
    let (entries, _) = servers.page(&ServerFilter::default(), ServerSort::Players, 0, TOP_SERVERS);
    let live = entries.into_iter().map(|entry| {
        let stats = &entry.stats;
        let server = LiveServer {
            id: entry.id().to_owned(),
            name: entry.name().to_owned(),
            players: stats.current_players,
            max_players: stats.max_players,
            is_online: stats.is_online,
            country: servers.country(entry).to_owned(),
            trend: score::direction(stats.trend),
            change: 0,
        };
        (entry.n, server)
    });
    live.collect()
}

fn totals(app: &App, peak: i64, now: i64) -> (LiveStats, Vec<Region>, BTreeMap<String, i64>) {
    let servers = app.catalogue.servers();
    let latest_ping = servers.latest_ping();
    let (mut total_players, mut total_servers) = (0, 0);
    let mut country_players = BTreeMap::new();
    /// Players and servers.
    type Sums = (i64, i64);
    let mut continents: BTreeMap<Option<Continent>, Sums> = BTreeMap::new();
    for (country, servers, players) in servers.countries() {
        total_players += players;
        total_servers += servers as i64;
        country_players.insert(country.to_owned(), players);
        let region = continents.entry(country::continent_of(country)).or_default();
        region.0 += players;
        region.1 += servers as i64;
    }
    let mut regions: Vec<Region> = continents
        .into_iter()
        .map(|(continent, (players, servers))| {
            let (id, name) = continent.map_or(UNKNOWN_REGION, |continent| (continent.id(), continent.name()));
            Region { id, name, players, servers }
        })
        .collect();
    regions.sort_by(|a, b| b.players.cmp(&a.players).then(a.id.cmp(b.id)));
    let stats = LiveStats {
        total_players,
        total_servers,
        online_servers: servers.online_count() as i64,
        new_players_today: app.catalogue.players().created_since(start_of_day(now)) as i64,
        peak_today: peak.max(total_players),
        generated_at: Timestamp(now),
        latest_ping_at: latest_ping.map(Timestamp),
        stats_age_seconds: latest_ping.map(|at| ((now - at) / SECOND).max(0)),
        stale: latest_ping.is_none_or(|at| now - at > app.stale_after),
    };
    (stats, regions, country_players)
}
