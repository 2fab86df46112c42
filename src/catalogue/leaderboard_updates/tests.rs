//! For any sequence of events, updated leaderboards equal rebuilt ones, and both equal plain SQL sums.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::catalogue::leaderboards::LeaderboardMetric;
use crate::catalogue::players::Players;
use rollcall_model::period::Period;
use rollcall_model::score::rank_score;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::values;
use rollcall_store::{Database, Value, migrate, revision};

const NOW: i64 = 1_780_495_200_000;
const SERVERS: i64 = 4;
const PLAYERS: i64 = 8;

#[derive(Clone, Debug)]
enum StoreEvent {
    NewPlayer,
    NewSession {
        player: i64,
        server: i64,
        ago: i64,
        seconds: i64,
    },
    LongerSession {
        session: i64,
        seconds: i64,
    },
    StatReport {
        player: i64,
        server: i64,
        ago: i64,
        kills: i64,
    },
    TierChange {
        player: i64,
        tier_points: i64,
    },
    VisibilityChange {
        server: i64,
        public: bool,
    },
    TimePasses {
        by: i64,
    },
    /// Refreshes the directory, then the leaderboards.
    Refresh,
    /// Refreshes the leaderboards with an outdated directory.
    RefreshWithOutdatedDirectory,
}

fn any_event() -> impl Strategy<Value = StoreEvent> {
    let (player, server) = (1..=PLAYERS, 1..=SERVERS);
    // Around the starts of all periods, and a little into the future.
    let ago =
        prop_oneof![-MINUTE..DAY, DAY - HOUR..DAY + HOUR, 6 * DAY..8 * DAY, 28 * DAY..32 * DAY, 88 * DAY..95 * DAY];
    let by = prop_oneof![4 => MINUTE..HOUR, 2 => HOUR..3 * DAY, 1 => 3 * DAY..95 * DAY, 1 => -2 * DAY..0];
    prop_oneof![
        1 => Just(StoreEvent::NewPlayer),
        6 => (player.clone(), server.clone(), ago.clone(), 0..9_000i64)
            .prop_map(|(player, server, ago, seconds)| StoreEvent::NewSession { player, server, ago, seconds }),
        3 => (1..30i64, 1..600i64).prop_map(|(session, seconds)| StoreEvent::LongerSession { session, seconds }),
        2 => (player.clone(), server.clone(), ago, 0..5i64)
            .prop_map(|(player, server, ago, kills)| StoreEvent::StatReport { player, server, ago, kills }),
        1 => (player, 0..3i64).prop_map(|(player, tier_points)| StoreEvent::TierChange { player, tier_points }),
        2 => (server, any::<bool>()).prop_map(|(server, public)| StoreEvent::VisibilityChange { server, public }),
        4 => by.prop_map(|by| StoreEvent::TimePasses { by }),
        4 => Just(StoreEvent::Refresh),
        1 => Just(StoreEvent::RefreshWithOutdatedDirectory),
    ]
}

struct TestStore {
    _folder: tempfile::TempDir,
    conn: Conn,
    now: i64,
    players: Players,
    /// The `rev` of `players`.
    rev: i64,
    leaderboards: Arc<Leaderboards>,
}

impl TestStore {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut conn = Conn::open(&Database::Sqlite(folder.path().join("rollcall.db"))).unwrap();
        migrate(&mut conn).unwrap();
        // These players have no skins, and the data need not survive a crash.
        conn.execute_batch("pragma foreign_keys = off; pragma synchronous = off").unwrap();
        let mut store = Self {
            _folder: folder,
            conn,
            now: NOW,
            players: Players::default(),
            rev: -1,
            leaderboards: Arc::default(),
        };
        for n in 1..=SERVERS {
            store.insert("servers", &[("n", n.into()), ("visibility", "PUBLIC".into())]);
        }
        (0..PLAYERS).for_each(|_| store.apply(&StoreEvent::NewPlayer));
        store.refresh_directory();
        store.leaderboards = Arc::new(store.rebuilt());
        store
    }

    /// Inserts a row with these values, and placeholders for all other required columns.
    fn insert(&mut self, table: &str, given: &[(&str, Value)]) {
        let sql = "select name, type from pragma_table_info($1) where \"notnull\" = 1 and dflt_value is null";
        let columns: Vec<(String, String)> =
            self.conn.query(sql, values![table], |row| (row.get(0), row.get(1))).unwrap();
        let mut row: Vec<(String, Value)> =
            given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let required = columns.into_iter().filter(|(name, _)| given.iter().all(|(other, _)| other != name));
        row.extend(required.map(|(name, kind)| match kind.to_lowercase().as_str() {
            "text" => (name, format!("{table} {:?}", given.first()).into()),
            _ => (name, Value::Int(0)),
        }));
        let names: Vec<&str> = row.iter().map(|(name, _)| name.as_str()).collect();
        let placeholders: Vec<String> = (1..=row.len()).map(|i| format!("${i}")).collect();
        let sql = format!("insert into {table} ({}) values ({})", names.join(", "), placeholders.join(", "));
        let row: Vec<Value> = row.iter().map(|(_, value)| value.clone()).collect();
        self.conn.execute(&sql, &row).unwrap();
    }

    fn next_n(&mut self, table: &str) -> i64 {
        self.conn.query_one(&format!("select coalesce(max(n), 0) + 1 from {table}"), &[], |row| row.get(0)).unwrap()
    }

    fn apply(&mut self, event: &StoreEvent) {
        let rev = revision::bump(&mut self.conn).unwrap();
        let stamp = "update players set rev = $1 where n = $2";
        match *event {
            StoreEvent::NewPlayer => {
                let n = self.next_n("players");
                self.insert("players", &[("n", n.into()), ("rev", rev.into()), ("tier_points", (n % 3).into())]);
            }
            StoreEvent::NewSession { player, server, ago, seconds } => {
                let n = self.next_n("sessions");
                let row = [
                    ("n", n.into()),
                    ("player_n", player.into()),
                    ("server_n", server.into()),
                    ("joined_at", (self.now - ago).into()),
                    ("play_time", seconds.into()),
                ];
                self.insert("sessions", &row);
                let sql = "update players set rev = $1, session_count = session_count + 1 where n = $2";
                self.conn.execute(sql, values![rev, player]).unwrap();
            }
            StoreEvent::LongerSession { session, seconds } => {
                let sql = "update sessions set play_time = play_time + $1 where n = $2";
                self.conn.execute(sql, values![seconds, session]).unwrap();
                let sql = "update players set rev = $1, total_play_time = total_play_time + $2
                           where n = (select player_n from sessions where n = $3)";
                self.conn.execute(sql, values![rev, seconds, session]).unwrap();
            }
            StoreEvent::StatReport { player, server, ago, kills } => {
                let n = self.next_n("player_stats");
                let row = [
                    ("n", n.into()),
                    ("player_n", player.into()),
                    ("server_n", server.into()),
                    ("at", (self.now - ago).into()),
                    ("kills_gain", kills.into()),
                    ("wins_gain", (kills / 2).into()),
                ];
                self.insert("player_stats", &row);
                self.conn.execute(stamp, values![rev, player]).unwrap();
            }
            StoreEvent::TierChange { player, tier_points } => {
                self.conn
                    .execute(
                        "update players set rev = $1, tier_points = $2 where n = $3",
                        values![rev, tier_points, player],
                    )
                    .unwrap();
            }
            StoreEvent::VisibilityChange { server, public } => {
                let visibility = if public { "PUBLIC" } else { "UNLISTED" };
                let sql = "update servers set visibility = $1, rev = $2 where n = $3";
                self.conn.execute(sql, values![visibility, rev, server]).unwrap();
            }
            StoreEvent::TimePasses { by } => self.now += by,
            StoreEvent::Refresh => self.refresh_directory(),
            StoreEvent::RefreshWithOutdatedDirectory => {}
        }
        if matches!(event, StoreEvent::Refresh | StoreEvent::RefreshWithOutdatedDirectory) {
            let row_ids = self.players.row_ids();
            let update = prepare(&mut self.conn, &self.leaderboards, row_ids, self.rev, self.now).unwrap();
            self.leaderboards = update.steps(self.leaderboards.clone()).last().unwrap();
        }
    }

    fn refresh_directory(&mut self) {
        let state = revision::current(&mut self.conn).unwrap();
        players::changed_since(&mut self.conn, self.rev, true, |row| self.players.put(&row)).unwrap();
        self.rev = state.rev;
    }

    fn rebuilt(&mut self) -> Leaderboards {
        let all_time = |conn: &mut Conn, _: &[u32], keys: &[i64]| players::rank_inputs(conn, keys);
        let (row_ids, hidden) = (self.players.row_ids(), servers::hidden(&mut self.conn).unwrap());
        let points =
            compute_points(&mut self.conn, &row_ids, &row_ids.rows_by_n(), &hidden, &all_time, self.now).unwrap();
        build(&row_ids, points, &hidden, self.rev, self.now)
    }

    /// The totals of each player in a period, from plain SQL.
    fn plain_totals(&mut self, period: Period) -> HashMap<i64, RankInput> {
        const PUBLIC: &str = "server_n in (select n from servers where visibility = 'PUBLIC')";
        let mut inputs: HashMap<i64, RankInput> = HashMap::new();
        let since = period.since(self.now);
        let sql = format!(
            "select player_n, count(*), count(distinct server_n), sum(play_time) from sessions
             where joined_at >= $1 and {PUBLIC} group by player_n"
        );
        self.conn
            .for_each(&sql, values![since], |row| {
                let input = inputs.entry(row.get(0)).or_default();
                (input.sessions, input.servers, input.play_time_s) = (row.get(1), row.get(2), row.get(3));
            })
            .unwrap();
        let sql = format!(
            "select player_n, sum(kills_gain), sum(wins_gain) from player_stats where at >= $1 and {PUBLIC} group by 1"
        );
        self.conn
            .for_each(&sql, values![since], |row| {
                let input = inputs.entry(row.get(0)).or_default();
                (input.kills, input.wins) = (row.get(1), row.get(2));
            })
            .unwrap();
        let tiers: Vec<(i64, i64)> =
            self.conn.query("select n, tier_points from players", &[], |row| (row.get(0), row.get(1))).unwrap();
        for (n, tier_points) in tiers {
            inputs.entry(n).and_modify(|input| input.tier_points = tier_points);
        }
        inputs
    }

    fn check(&mut self) {
        let rebuilt = self.rebuilt();
        for metric in LeaderboardMetric::ALL {
            for period in Period::ALL {
                assert_eq!(self.leaderboards.get(metric, period), rebuilt.get(metric, period), "{metric:?} {period:?}");
            }
        }
        for period in &Period::ALL[..4] {
            let inputs = self.plain_totals(*period);
            for metric in LeaderboardMetric::ALL {
                let mut expected: Vec<(i64, f64)> = inputs
                    .iter()
                    .map(|(n, input)| match metric {
                        LeaderboardMetric::Best => (*n, rank_score(input)),
                        LeaderboardMetric::Sessions => (*n, input.sessions as f64),
                        LeaderboardMetric::Servers => (*n, input.servers as f64),
                    })
                    .filter(|(_, value)| *value > 0.0)
                    .collect();
                expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                let (page, _) = self.leaderboards.get(metric, *period).0.page(None, 0, 100);
                let actual: Vec<(i64, f64)> =
                    page.iter().map(|ranked| (self.players.n_of(ranked.row), ranked.value)).collect();
                assert_eq!(actual, expected, "{metric:?} {period:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn updated_leaderboards_equal_rebuilt_ones(
        events in proptest::collection::vec(any_event(), 1..60),
    ) {
        let mut store = TestStore::new();
        for event in events.iter().chain([&StoreEvent::Refresh]) {
            store.apply(event);
            if matches!(event, StoreEvent::Refresh) {
                store.check();
            }
        }
    }
}
