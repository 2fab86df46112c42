use serde::{Deserialize, Serialize};

use super::context::Context;
use super::dialect::read_list;
use super::staging::{List, Table, Total, Touch, int, text};
use super::textures::MODELS;
use super::{Missing, Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::achievements::{self, CATALOGUE};
use rollcall_model::{id, tier, time};
use rollcall_search::fold;
use rollcall_store::Row;
use rollcall_store::values;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Player {
    id: String,
    game_uuid: String,
    main_nickname: String,
    nickname_history: Option<Vec<String>>,
    country: Option<String>,
    skin: Option<String>,
    skin_model: Option<String>,
    linked_skin_id: Option<String>,
    cape_id: Option<String>,
    tier_overall: Option<String>,
    tier_points: Option<i64>,
    tier_rank: Option<i64>,
    last_tier_sync_at: Option<String>,
    achievements: Option<Vec<String>>,
    created_at: Option<String>,
    updated_at: Option<String>,
    last_seen_at: Option<String>,
}

static TABLE: Table = Table {
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
        int("achievements").kept_or_zero(),
        int("created_at").kept_or_now(),
        int("updated_at").kept_or_now(),
        int("last_seen_at").kept_or_now(),
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
    lists: &[List { table: "player_nicknames", parent: "player_n", columns: &[int("position"), text("nickname")] }],
    touches: &[
        Touch::Itself(Total::Players),
        Touch::Named("linked_skin_n", Total::Textures),
        Touch::Named("cape_n", Total::Textures),
    ],
};

impl Record for Player {
    fn table(_: Resource) -> &'static Table {
        &TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        vec![format!(
            "select p.id, p.game_uuid, p.nickname, {}, p.country, p.skin, p.skin_model, s.id, c.id, p.tier_overall,
                    p.tier_points, p.tier_rank, p.last_tier_sync_at, p.achievements, p.created_at, p.updated_at,
                    p.last_seen_at
             from players p left join textures s on s.n = p.linked_skin_n left join textures c on c.n = p.cape_n
             order by p.id{}",
            words.list("h.nickname", "player_nicknames h where h.player_n = p.n", "h.position"),
            words.bytes
        )]
    }

    fn read(row: &Row) -> Self {
        let mask: i64 = row.get(13);
        let earned = CATALOGUE.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
        Self {
            id: row.get(0),
            game_uuid: row.get(1),
            main_nickname: row.get(2),
            nickname_history: Some(read_list(&row.get::<String>(3))),
            country: row.get(4),
            skin: row.get(5),
            skin_model: row.get(6),
            linked_skin_id: row.get(7),
            cape_id: row.get(8),
            tier_overall: row.get(9),
            tier_points: row.get(10),
            tier_rank: row.get(11),
            last_tier_sync_at: row.get::<Option<i64>>(12).map(time::iso),
            achievements: Some(earned.map(|(_, achievement)| achievement.id.to_owned()).collect()),
            created_at: Some(time::iso(row.get(14))),
            updated_at: Some(time::iso(row.get(15))),
            last_seen_at: Some(time::iso(row.get(16))),
        }
    }

    fn pictures(&self) -> Vec<&str> {
        self.skin.iter().map(String::as_str).collect()
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        checks::id(&self.id)?;
        let Some(uuid) = id::parse_uuid(&self.game_uuid) else {
            return Err(format!("gameUuid must be a UUID of 32 hex digits, not {:?}", self.game_uuid).into());
        };
        if !context.unique("uuid", "select id, game_uuid from players")?.claim(&self.id, &uuid) {
            return Err(format!("gameUuid {uuid:?} belongs to another player").into());
        }
        let nickname = checks::filled("mainNickname", &self.main_nickname)?;
        if let Some(model) = &self.skin_model {
            checks::one_of("skinModel", model, &MODELS)?;
        }
        let linked = match &self.linked_skin_id {
            Some(id) => context.texture("linkedSkinId", "skin", id)?,
            None => context.default_skin(self.skin_model.as_deref().unwrap_or(MODELS[0]))?,
        };
        let cape = self.cape_id.as_ref().map(|id| context.texture("capeId", "cape", id)).transpose()?;
        let model = self.skin_model.or(linked.model).unwrap_or_else(|| MODELS[0].to_owned());
        // A player whose own picture is not known shows the skin that is linked.
        let skin = self.skin.or(Some(linked.png));
        let skin = context.picture("skin", skin, Missing::Skin { id: &self.id, model: &model })?;
        let (tier_overall, tier_points) = tier(self.tier_overall, self.tier_points)?;
        let history = self.nickname_history.unwrap_or_default();
        let history = history.iter().zip(0_i64..).map(|(nickname, i)| values![i, nickname].to_vec()).collect();
        let country = self.country.as_deref().map(|name| checks::filled("country", name)).transpose()?;
        let values = values![
            &self.id,
            uuid,
            nickname,
            fold(nickname),
            country.map(checks::country),
            skin,
            model,
            linked.n,
            cape.map(|cape| cape.n),
            tier_overall,
            tier_points,
            self.tier_rank.map(|rank| checks::within("tierRank", rank, 1, i64::MAX)).transpose()?,
            checks::time_or_none("lastTierSyncAt", self.last_tier_sync_at.as_ref())?,
            self.achievements.map(|ids| mask(&ids)).transpose()?,
            checks::time_or_none("createdAt", self.created_at.as_ref())?,
            checks::time_or_none("updatedAt", self.updated_at.as_ref())?,
            checks::time_or_none("lastSeenAt", self.last_seen_at.as_ref())?,
        ]
        .to_vec();
        Ok(Staged { values, lists: vec![history] })
    }
}

/// Label and points name each other; whoever gives one has given both.
fn tier(label: Option<String>, points: Option<i64>) -> Result<(String, i64), String> {
    let points = points.map(|points| checks::count("tierPoints", points)).transpose()?;
    match label {
        Some(label) => {
            checks::one_of("tierOverall", &label, &tier::LABELS)?;
            let points = points.or_else(|| tier::points_of(&label)).unwrap_or(0);
            Ok((label, points))
        }
        None => Ok((tier::from_points(points.unwrap_or(0)).to_owned(), points.unwrap_or(0))),
    }
}

fn mask(ids: &[String]) -> Result<i64, String> {
    ids.iter().try_fold(0, |mask, id| match achievements::by_id(id) {
        Some(bit) => Ok(mask | 1 << bit),
        None => Err(format!("achievements holds {id:?}, which is not in the catalogue")),
    })
}
