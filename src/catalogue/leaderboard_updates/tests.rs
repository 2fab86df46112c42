//! Whatever happens in whatever order: boards that are kept equal boards that are built, and both equal plain sums.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::catalogue::leaderboards::Metric;
use crate::catalogue::players::Players;
use rollcall_model::period::Period;
use rollcall_model::score::rank_score;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::values;
use rollcall_store::{Database, Value, changes, migrate};

const NOW: i64 = 1_780_495_200_000;
const SERVERS: i64 = 4;
const PLAYERS: i64 = 8;

#[derive(Clone, Debug)]
enum Event {
    Joins,
    Plays {
        player: i64,
        server: i64,
        ago: i64,
        seconds: i64,
    },
    PlaysOn {
        session: i64,
        seconds: i64,
    },
    IsReported {
        player: i64,
        server: i64,
        ago: i64,
        kills: i64,
    },
    RisesTo {
        player: i64,
        tier_points: i64,
    },
    Turns {
        server: i64,
        public: bool,
    },
    Time {
        passes: i64,
    },
    /// The directory is taken in, and the boards after it.
    Look,
    /// The boards are brought up to date over a directory that is behind.
    Peek,
}

fn any_event() -> impl Strategy<Value = Event> {
    let (player, server) = (1..=PLAYERS, 1..=SERVERS);
    // Around the borders of all windows, and a little into the future.
    let ago =
        prop_oneof![-MINUTE..DAY, DAY - HOUR..DAY + HOUR, 6 * DAY..8 * DAY, 28 * DAY..32 * DAY, 88 * DAY..95 * DAY];
    let passes = prop_oneof![4 => MINUTE..HOUR, 2 => HOUR..3 * DAY, 1 => 3 * DAY..95 * DAY, 1 => -2 * DAY..0];
    prop_oneof![
        1 => Just(Event::Joins),
        6 => (player.clone(), server.clone(), ago.clone(), 0..9_000i64)
            .prop_map(|(player, server, ago, seconds)| Event::Plays { player, server, ago, seconds }),
        3 => (1..30i64, 1..600i64).prop_map(|(session, seconds)| Event::PlaysOn { session, seconds }),
        2 => (player.clone(), server.clone(), ago, 0..5i64)
            .prop_map(|(player, server, ago, kills)| Event::IsReported { player, server, ago, kills }),
        1 => (player, 0..3i64).prop_map(|(player, tier_points)| Event::RisesTo { player, tier_points }),
        2 => (server, any::<bool>()).prop_map(|(server, public)| Event::Turns { server, public }),
        4 => passes.prop_map(|passes| Event::Time { passes }),
        4 => Just(Event::Look),
        1 => Just(Event::Peek),
    ]
}

struct World {
    _folder: tempfile::TempDir,
    conn: Conn,
    now: i64,
    players: Players,
    /// Up to where `players` is current.
    rev: i64,
    boards: Arc<Boards>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut conn = Conn::open(&Database::Sqlite(folder.path().join("rollcall.db"))).unwrap();
        migrate(&mut conn).unwrap();
        // Players wear no skin here, and nothing needs to outlive the test.
        conn.batch("pragma foreign_keys = off; pragma synchronous = off").unwrap();
        let mut world =
            Self { _folder: folder, conn, now: NOW, players: Players::default(), rev: -1, boards: Arc::default() };
        for n in 1..=SERVERS {
            world.insert("servers", &[("n", n.into()), ("visibility", "PUBLIC".into())]);
        }
        (0..PLAYERS).for_each(|_| world.happens(&Event::Joins));
        world.take_in();
        world.boards = Arc::new(world.built());
        world
    }

    /// A row with nothing but what is said of it.
    fn insert(&mut self, table: &str, said: &[(&str, Value)]) {
        let sql = "select name, type from pragma_table_info($1) where \"notnull\" = 1 and dflt_value is null";
        let columns: Vec<(String, String)> =
            self.conn.query(sql, values![table], |row| (row.get(0), row.get(1))).unwrap();
        let mut row: Vec<(String, Value)> =
            said.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let unsaid = columns.into_iter().filter(|(name, _)| said.iter().all(|(other, _)| other != name));
        row.extend(unsaid.map(|(name, of)| match of.to_lowercase().as_str() {
            "text" => (name, format!("{table} {:?}", said.first()).into()),
            _ => (name, Value::Int(0)),
        }));
        let names: Vec<&str> = row.iter().map(|(name, _)| name.as_str()).collect();
        let marks: Vec<String> = (1..=row.len()).map(|i| format!("${i}")).collect();
        let sql = format!("insert into {table} ({}) values ({})", names.join(", "), marks.join(", "));
        let row: Vec<Value> = row.iter().map(|(_, value)| value.clone()).collect();
        self.conn.execute(&sql, &row).unwrap();
    }

    fn next(&mut self, table: &str) -> i64 {
        self.conn.one(&format!("select coalesce(max(n), 0) + 1 from {table}"), &[], |row| row.get(0)).unwrap()
    }

    fn happens(&mut self, event: &Event) {
        let rev = changes::raise(&mut self.conn).unwrap();
        let stamp = "update players set rev = $1 where n = $2";
        match *event {
            Event::Joins => {
                let n = self.next("players");
                self.insert("players", &[("n", n.into()), ("rev", rev.into()), ("tier_points", (n % 3).into())]);
            }
            Event::Plays { player, server, ago, seconds } => {
                let n = self.next("sessions");
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
            Event::PlaysOn { session, seconds } => {
                let sql = "update sessions set play_time = play_time + $1 where n = $2";
                self.conn.execute(sql, values![seconds, session]).unwrap();
                let sql = "update players set rev = $1, total_play_time = total_play_time + $2
                           where n = (select player_n from sessions where n = $3)";
                self.conn.execute(sql, values![rev, seconds, session]).unwrap();
            }
            Event::IsReported { player, server, ago, kills } => {
                let n = self.next("player_stats");
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
            Event::RisesTo { player, tier_points } => {
                self.conn
                    .execute(
                        "update players set rev = $1, tier_points = $2 where n = $3",
                        values![rev, tier_points, player],
                    )
                    .unwrap();
            }
            Event::Turns { server, public } => {
                let visibility = if public { "PUBLIC" } else { "UNLISTED" };
                let sql = "update servers set visibility = $1, rev = $2 where n = $3";
                self.conn.execute(sql, values![visibility, rev, server]).unwrap();
            }
            Event::Time { passes } => self.now += passes,
            Event::Look => self.take_in(),
            Event::Peek => {}
        }
        if matches!(event, Event::Look | Event::Peek) {
            let numbers = self.players.numbers();
            let moves = moves(&mut self.conn, &self.boards, numbers, self.rev, self.now).unwrap();
            self.boards = moves.steps(self.boards.clone()).last().unwrap();
        }
    }

    fn take_in(&mut self) {
        let state = changes::state(&mut self.conn).unwrap();
        players::changed_since(&mut self.conn, self.rev, |row| self.players.put(&row)).unwrap();
        self.rev = state.rev;
    }

    fn built(&mut self) -> Boards {
        let all_time = |conn: &mut Conn, _: &[u32], who: &[i64]| players::rank_inputs(conn, who);
        let (numbers, hidden) = (self.players.numbers(), servers::hidden(&mut self.conn).unwrap());
        let points = count(&mut self.conn, &numbers, &numbers.rising(), &hidden, &all_time, self.now).unwrap();
        build(&numbers, points, &hidden, self.rev, self.now)
    }

    /// What each player did in a period, as one plain query after the other has it.
    fn plain(&mut self, period: Period) -> HashMap<i64, RankInput> {
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
        let built = self.built();
        for metric in Metric::ALL {
            for period in Period::ALL {
                assert_eq!(self.boards.get(metric, period), built.get(metric, period), "{metric:?} {period:?}");
            }
        }
        for period in &Period::ALL[..4] {
            let inputs = self.plain(*period);
            for metric in Metric::ALL {
                let mut expected: Vec<(i64, f64)> = inputs
                    .iter()
                    .map(|(n, input)| match metric {
                        Metric::Best => (*n, rank_score(input)),
                        Metric::Sessions => (*n, input.sessions as f64),
                        Metric::Servers => (*n, input.servers as f64),
                    })
                    .filter(|(_, value)| *value > 0.0)
                    .collect();
                expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                let (page, _) = self.boards.get(metric, *period).0.page(None, 0, 100);
                let shown: Vec<(i64, f64)> = page.iter().map(|s| (self.players.number(s.place), s.value)).collect();
                assert_eq!(shown, expected, "{metric:?} {period:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn boards_that_are_kept_equal_boards_that_are_built(
        events in proptest::collection::vec(any_event(), 1..60),
    ) {
        let mut world = World::new();
        for event in events.iter().chain([&Event::Look]) {
            world.happens(event);
            if matches!(event, Event::Look) {
                world.check();
            }
        }
    }
}
