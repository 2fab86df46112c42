//! Generates small worlds in temporary stores and reads them back.

mod contents;
mod live_activity;
mod regenerate;

use super::*;
use rollcall_store::media::Media;
use rollcall_store::{Conn, Database, migrate};

const SEED: u64 = 11;
const NOW: i64 = 1_763_200_123_456;

/// Deleted when the test ends.
struct TestStore {
    conn: Conn,
    media: Media,
    _folder: tempfile::TempDir,
}

fn store() -> TestStore {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = Conn::open(&Database::Sqlite(folder.path().join("rollcall.db"))).unwrap();
    migrate(&mut conn).unwrap();
    TestStore { conn, media: Media::in_memory(), _folder: folder }
}

impl TestStore {
    fn generate(&mut self, seed: u64, now: i64) {
        let pictures = PictureGenerator::minimal(self.media.clone());
        generate_demo(&mut self.conn, seed, now, &WorldSize::tests(), &pictures, &GenerateProgress::hidden()).unwrap();
    }

    fn count(&mut self, what: &str) -> i64 {
        self.conn.query_one(&format!("select count(*) from {what}"), &[], |row| row.get(0)).unwrap()
    }

    fn texts(&mut self, sql: &str) -> Vec<String> {
        self.conn.query(sql, &[], |row| row.get(0)).unwrap()
    }

    /// One line per row of every generated table, without row numbers and revisions.
    fn dump(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for table in [
            "accounts",
            "servers",
            "server_tags",
            "samples",
            "samples_5m",
            "samples_hour",
            "samples_day",
            "textures",
            "texture_tags",
            "texture_likes",
            "texture_favorites",
            "players",
            "player_nicknames",
            "votes",
            "vote_days",
            "reviews",
            "update_posts",
            "sessions",
            "player_stats",
        ] {
            let columns = self.texts(&format!(
                "select name from pragma_table_info('{table}') where name not in ('rev', 'status_rev', 'n') order by cid"
            ));
            let line: Vec<String> = columns.iter().map(|column| format!("coalesce({column}, '-')")).collect();
            lines.extend(
                self.texts(&format!(
                    "select '{table}|' || {} as line from {table} order by line",
                    line.join("||'|'||")
                )),
            );
        }
        lines
    }
}
