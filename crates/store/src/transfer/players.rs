//! Players in an import or export.

use std::collections::HashMap;

use super::dialect::{Dialect, parse_list};
use super::table::{AffectedTotals, ListTable, StagedRow, StagedTable, TotalsOf, int, text};
use super::{for_each_pair, numbered_texts, row};
use crate::{Conn, Result};
use rollcall_search::fold;

pub struct TransferPlayer<Ref> {
    pub id: String,
    pub game_uuid: String,
    pub nickname: String,
    pub nickname_history: Vec<String>,
    pub country: Option<String>,
    pub skin: String,
    pub skin_model: String,
    pub linked_skin: Ref,
    pub cape: Option<Ref>,
    pub tier_overall: String,
    pub tier_points: i64,
    pub tier_rank: Option<i64>,
    pub last_tier_sync_at: Option<i64>,
    /// One bit per achievement. `None` in an import: the existing value, or none.
    pub achievements: Option<i64>,
    /// `None` in an import, here and below: the existing value, or the time of the import.
    pub created_at: Option<i64>,
    pub updated_at: Option<i64>,
    pub last_seen_at: Option<i64>,
}

pub static TABLE: StagedTable = StagedTable {
    name: "players",
    key: "id",
    columns: &[
        text("id"),
        text("game_uuid"),
        text("nickname"),
        text("nickname_key"),
        text("country"),
        text("skin"),
        text("skin_model"),
        int("linked_skin_n"),
        int("cape_n"),
        text("tier_overall"),
        int("tier_points"),
        int("tier_rank"),
        int("last_tier_sync_at"),
        int("achievements").existing_or_zero(),
        int("created_at").existing_or_now(),
        int("updated_at").existing_or_now(),
        int("last_seen_at").existing_or_now(),
    ],
    computed: &[
        "total_play_time",
        "session_count",
        "servers_count",
        "total_kills",
        "total_deaths",
        "total_wins",
        "vote_count",
        "review_count",
        "rev",
    ],
    lists: &[ListTable {
        table: "player_nicknames",
        parent: "player_n",
        columns: &[int("position"), text("nickname")],
    }],
    affects: &[
        AffectedTotals::OfRow(TotalsOf::Players),
        AffectedTotals::OfReferenced("linked_skin_n", TotalsOf::Textures),
        AffectedTotals::OfReferenced("cape_n", TotalsOf::Textures),
    ],
};

impl From<TransferPlayer<i64>> for StagedRow {
    fn from(player: TransferPlayer<i64>) -> Self {
        let nickname_key = fold(&player.nickname);
        Self {
            lists: vec![numbered_texts(player.nickname_history)],
            values: row![
                player.id,
                player.game_uuid,
                player.nickname,
                nickname_key,
                player.country,
                player.skin,
                player.skin_model,
                player.linked_skin,
                player.cape,
                player.tier_overall,
                player.tier_points,
                player.tier_rank,
                player.last_tier_sync_at,
                player.achievements,
                player.created_at,
                player.updated_at,
                player.last_seen_at,
            ],
        }
    }
}

pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferPlayer<String>)) -> Result<()> {
    let dialect = Dialect::of(conn);
    let sql = format!(
        "select p.id, p.game_uuid, p.nickname, {}, case when p.hides_country then null else p.country end, p.skin, p.skin_model, s.id, c.id, p.tier_overall,
                p.tier_points, p.tier_rank, p.last_tier_sync_at, p.achievements, p.created_at, p.updated_at,
                p.last_seen_at
         from players p left join textures s on s.n = p.linked_skin_n left join textures c on c.n = p.cape_n
         order by p.id{}",
        dialect.json_array("h.nickname", "player_nicknames h where h.player_n = p.n", "h.position"),
        dialect.byte_collation
    );
    conn.for_each(&sql, &[], |row| {
        read(TransferPlayer {
            id: row.get(0),
            game_uuid: row.get(1),
            nickname: row.get(2),
            nickname_history: parse_list(&row.get::<String>(3)),
            country: row.get(4),
            skin: row.get(5),
            skin_model: row.get(6),
            linked_skin: row.get(7),
            cape: row.get(8),
            tier_overall: row.get(9),
            tier_points: row.get(10),
            tier_rank: row.get(11),
            last_tier_sync_at: row.get(12),
            achievements: Some(row.get(13)),
            created_at: Some(row.get(14)),
            updated_at: Some(row.get(15)),
            last_seen_at: Some(row.get(16)),
        });
    })
}

pub fn row_numbers(conn: &mut Conn) -> Result<HashMap<String, i64>> {
    super::row_numbers(conn, "players")
}

/// The id and UUID of each player.
pub fn for_each_uuid(conn: &mut Conn, read: &mut dyn FnMut(&str, &str)) -> Result<()> {
    for_each_pair(conn, "select id, game_uuid from players", read)
}
