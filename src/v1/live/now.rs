//! `GET /live`

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::app::App;
use crate::catalogue::{ServerFilter, ServerSort};
use crate::model::country::{self, Continent};
use crate::model::resources::{LiveData, LiveServer, LiveStats, Region, Timestamp};
use crate::model::score;
use crate::model::time::{HOUR, MINUTE, SECOND, start_of_day};
use crate::store::samples::{self, WHOLE_ROLL};
use crate::store::{Conn, Result, activity};
use crate::v1::endpoint::{Call, Endpoint, Plan, data, envelope};
use crate::v1::error::ApiError;

const TOP_SERVERS: usize = 10;
const RECENT_ACTIVITY: usize = 20;
/// `change` compares with the sample of an hour ago, or one at most this much older.
const SAMPLE_REACH: i64 = 15 * MINUTE;

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/live",
    name: "live",
    tag: "Live",
    summary: "The state of everything now",
    description: "Totals over all public servers, the busiest of them, what happened lately, and players by continent \
                  and country.",
    path_param: None,
    params: &[],
    max_age: 10,
    data: data::<LiveData>,
    plan,
};

fn plan(_: &Call) -> std::result::Result<Plan, ApiError> {
    Plan::new((), |app, ()| async move { envelope(&live(&app).await?) })
}

pub async fn live(app: &Arc<App>) -> std::result::Result<LiveData, ApiError> {
    let work = app.clone();
    Ok(app.pool.read(move |conn| read(conn, &work)).await?)
}

fn read(conn: &mut Conn, app: &App) -> Result<LiveData> {
    let now = app.clock.now();
    let mut top_servers = Vec::new();
    for (n, mut server) in busiest(app) {
        let before = samples::players_at(conn, n, now - HOUR, SAMPLE_REACH)?;
        server.change = before.map_or(0, |before| server.players - before);
        top_servers.push(server);
    }
    let peak = samples::peak_since(conn, WHOLE_ROLL, start_of_day(now))?;
    let recent_activity = activity::recent(conn, RECENT_ACTIVITY)?;
    let (stats, regions, country_players) = totals(app, peak, now);
    Ok(LiveData { stats, top_servers, recent_activity, regions, country_players })
}

fn busiest(app: &App) -> Vec<(i64, LiveServer)> {
    let servers = app.catalogue.servers();
    let (entries, _) = servers.page(&ServerFilter::default(), ServerSort::Players, 0, TOP_SERVERS);
    let live = entries.into_iter().map(|entry| {
        let row = &entry.row;
        let server = LiveServer {
            id: row.id.clone(),
            name: row.name.clone(),
            players: row.current_players,
            max_players: row.max_players,
            is_online: row.is_online,
            country: row.country.clone(),
            trend: score::direction(row.trend),
            change: 0,
        };
        (row.n, server)
    });
    live.collect()
}

fn totals(app: &App, peak: i64, now: i64) -> (LiveStats, Vec<Region>, BTreeMap<String, i64>) {
    /// Players and servers.
    type Sums = (i64, i64);
    let servers = app.catalogue.servers();
    let mut countries: HashMap<&str, Sums> = HashMap::new();
    let (mut total_players, mut total_servers, mut online_servers, mut latest_ping) = (0, 0, 0, None);
    for entry in servers.iter() {
        let row = &entry.row;
        total_servers += 1;
        total_players += row.current_players;
        online_servers += i64::from(row.is_online);
        latest_ping = latest_ping.max(row.last_ping);
        let country = countries.entry(&row.country).or_default();
        country.0 += row.current_players;
        country.1 += 1;
    }
    let mut continents: BTreeMap<Continent, Sums> = BTreeMap::new();
    for (country, sums) in &countries {
        if let Some(continent) = country::continent_of(country) {
            let region = continents.entry(continent).or_default();
            region.0 += sums.0;
            region.1 += sums.1;
        }
    }
    let mut regions: Vec<Region> = continents
        .into_iter()
        .map(|(continent, (players, servers))| Region { id: continent.id(), name: continent.name(), players, servers })
        .collect();
    regions.sort_by(|a, b| b.players.cmp(&a.players).then(a.id.cmp(b.id)));
    let country_players = countries.into_iter().map(|(country, sums)| (country.to_owned(), sums.0)).collect();
    let stats = LiveStats {
        total_players,
        total_servers,
        online_servers,
        new_players_today: app.catalogue.players().created_since(start_of_day(now)) as i64,
        peak_today: peak.max(total_players),
        generated_at: Timestamp(now),
        latest_ping_at: latest_ping.map(Timestamp),
        stats_age_seconds: latest_ping.map(|at| ((now - at) / SECOND).max(0)),
        stale: latest_ping.is_none_or(|at| now - at > app.stale_after),
    };
    (stats, regions, country_players)
}
