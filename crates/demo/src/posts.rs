//! Update posts: most approved and numbered, some waiting, some refused.

use super::rng::{Of, apportion};
use super::servers;
use super::votes::Voting;
use super::words::posts::POSTS;
use rollcall_model::id;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::values;
use rollcall_store::{Conn, Result};

const COLUMNS: &[&str] =
    &["server_n", "ordinal", "id", "account_n", "title", "content", "status", "created_at", "updated_at"];

impl Voting<'_> {
    pub fn write_posts(&self, conn: &mut Conn) -> Result<()> {
        let weights: Vec<f64> = self.servers.iter().map(|server| 1.0 / (server.rank as f64 + 30.0).sqrt()).collect();
        let least = usize::from(self.scale.posts >= self.servers.len());
        let counts = apportion(&weights, self.scale.posts, least);
        conn.bulk_insert("update_posts", COLUMNS, |insert| {
            for (index, server) in self.servers.iter().enumerate() {
                let mut dice = self.seed.dice(Of::Posts, index);
                let age = (self.now - server.created_at).min(300 * DAY);
                let mut ages: Vec<i64> = (0..counts[index]).map(|_| dice.ago(20 * MINUTE, age)).collect();
                ages.sort_unstable_by(|a, b| b.cmp(a));
                ages.dedup();
                let author = server.owner.unwrap_or(index % self.accounts.len());
                let mut approved = 0;
                for (row, age) in ages.into_iter().enumerate() {
                    let (title, content) = POSTS[dice.below(POSTS.len())];
                    let number = dice.between(2, 9).to_string();
                    let words = |text: &str| text.replace("{name}", &server.name).replace("{n}", &number);
                    // The first is approved, so that no server's page of updates is empty.
                    let status = match dice.below(10) {
                        8 if row > 0 => "PENDING",
                        9 if row > 0 => "REJECTED",
                        _ => "APPROVED",
                    };
                    let ordinal = (status == "APPROVED").then(|| {
                        approved += 1;
                        approved
                    });
                    let at = self.now - age;
                    let edited = if dice.chance(0.2) { dice.between(MINUTE, 8 * HOUR).min(age) } else { 0 };
                    insert(values![
                        servers::number(index),
                        ordinal,
                        id::encode(self.seed.id(Of::Posts, index, row)),
                        self.accounts[author],
                        words(title),
                        words(content),
                        status,
                        at,
                        at + edited,
                    ])?;
                }
            }
            Ok(())
        })
    }
}
