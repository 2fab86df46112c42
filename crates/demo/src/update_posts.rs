//! Update posts: most are approved and numbered, some pending, some rejected.

use super::rng::{Stream, apportion};
use super::servers;
use super::words::update_posts::UPDATE_POSTS;
use super::world::DemoWorld;
use rollcall_model::id;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::bulk_load::{self, BulkUpdatePost};
use rollcall_store::{Conn, Result};

pub fn insert(conn: &mut Conn, world: &DemoWorld, account_ns: &[i64]) -> Result<()> {
    let weights: Vec<f64> = world.servers.iter().map(|server| 1.0 / (server.rank as f64 + 30.0).sqrt()).collect();
    let min = usize::from(world.size.posts >= world.servers.len());
    let counts = apportion(&weights, world.size.posts, min);
    bulk_load::insert_rows::<BulkUpdatePost>(conn, |insert| {
        for (index, server) in world.servers.iter().enumerate() {
            let mut rng = world.seed.rng(Stream::UpdatePosts, index);
            let max_age = (world.now - server.created_at).min(300 * DAY);
            let mut ages: Vec<i64> = (0..counts[index]).map(|_| rng.age(20 * MINUTE, max_age)).collect();
            ages.sort_unstable_by(|a, b| b.cmp(a));
            ages.dedup();
            let author = server.owner.unwrap_or(index % account_ns.len());
            let mut approved = 0;
            for (row, age) in ages.into_iter().enumerate() {
                let (title, content) = UPDATE_POSTS[rng.below(UPDATE_POSTS.len())];
                let number = rng.between(2, 9).to_string();
                let fill_in = |text: &str| text.replace("{name}", &server.name).replace("{n}", &number);
                // The first post is approved, so that every server with posts shows one.
                let status = match rng.below(10) {
                    8 if row > 0 => "PENDING",
                    9 if row > 0 => "REJECTED",
                    _ => "APPROVED",
                };
                let ordinal = (status == "APPROVED").then(|| {
                    approved += 1;
                    approved
                });
                let at = world.now - age;
                let edited = if rng.chance(0.2) { rng.between(MINUTE, 8 * HOUR).min(age) } else { 0 };
                insert(BulkUpdatePost {
                    server_n: servers::row_n(index),
                    ordinal,
                    id: id::encode(world.seed.id_bits(Stream::UpdatePosts, index, row)),
                    account_n: account_ns[author],
                    title: fill_in(title),
                    content: fill_in(content),
                    status,
                    created_at: at,
                    updated_at: at + edited,
                })?;
            }
        }
        Ok(())
    })
}
