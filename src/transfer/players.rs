//! `players.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::textures::MODELS;
use super::{DefaultPicture, LineError, NdjsonLine, Resource, checks};
use rollcall_model::achievements::{self, CATALOGUE};
use rollcall_model::{id, tier, time};
use rollcall_store::Conn;
use rollcall_store::nickname_history::ending_with;
use rollcall_store::transfer::players::{self, TransferPlayer};
use rollcall_store::transfer::{StagedRow, StagedTable};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PlayerLine {
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

impl From<TransferPlayer<String>> for PlayerLine {
    fn from(player: TransferPlayer<String>) -> Self {
        Self {
            id: player.id,
            game_uuid: player.game_uuid,
            main_nickname: player.nickname,
            nickname_history: Some(player.nickname_history),
            country: player.country,
            skin: Some(player.skin),
            skin_model: Some(player.skin_model),
            linked_skin_id: Some(player.linked_skin),
            cape_id: player.cape,
            tier_overall: Some(player.tier_overall),
            tier_points: Some(player.tier_points),
            tier_rank: player.tier_rank,
            last_tier_sync_at: player.last_tier_sync_at.map(time::iso),
            achievements: player.achievements.map(achievement_ids),
            created_at: player.created_at.map(time::iso),
            updated_at: player.updated_at.map(time::iso),
            last_seen_at: player.last_seen_at.map(time::iso),
        }
    }
}

impl NdjsonLine for PlayerLine {
    fn table(_: Resource) -> &'static StagedTable {
        &players::TABLE
    }

    fn key(&self) -> String {
        format!("id {:?}", self.id)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        players::for_each(conn, |player| write(player.into()))
    }

    fn pictures(&self) -> Vec<&str> {
        self.skin.iter().map(String::as_str).collect()
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        checks::id(&self.id)?;
        let Some(game_uuid) = id::parse_uuid(&self.game_uuid) else {
            return Err(format!("gameUuid must be a UUID of 32 hex digits, not {:?}", self.game_uuid).into());
        };
        if !context.unique("uuid", players::for_each_uuid)?.claim(&self.id, &game_uuid) {
            return Err(format!("gameUuid {game_uuid:?} is already used by another player").into());
        }
        checks::name("mainNickname", &self.main_nickname, checks::MAX_NAME)?;
        let nickname_history = ending_with(self.nickname_history.unwrap_or_default(), &self.main_nickname);
        check_nickname_history(&nickname_history)?;
        if let Some(model) = &self.skin_model {
            checks::one_of("skinModel", model, &MODELS)?;
        }
        let linked = match &self.linked_skin_id {
            Some(id) => context.texture("linkedSkinId", "skin", id)?,
            None => context.default_skin(self.skin_model.as_deref().unwrap_or(MODELS[0]))?,
        };
        let cape = self.cape_id.as_ref().map(|id| context.texture("capeId", "cape", id)).transpose()?;
        let model = self.skin_model.or(linked.model).unwrap_or_else(|| MODELS[0].to_owned());
        // A player without a picture of their own shows the linked skin.
        let skin = self.skin.or(Some(linked.png));
        let skin = context.picture("skin", skin, DefaultPicture::Skin { id: &self.id, model: &model })?;
        let (tier_overall, tier_points) = check_tier(self.tier_overall, self.tier_points)?;
        if let Some(country) = &self.country {
            checks::name("country", country, checks::MAX_NAME)?;
        }
        let player = TransferPlayer {
            id: self.id,
            game_uuid,
            nickname_history,
            nickname: self.main_nickname,
            country: self.country.as_deref().map(checks::country),
            skin,
            skin_model: model,
            linked_skin: linked.n,
            cape: cape.map(|cape| cape.n),
            tier_overall,
            tier_points,
            tier_rank: self.tier_rank.map(|rank| checks::in_range("tierRank", rank, 1, i64::MAX)).transpose()?,
            last_tier_sync_at: checks::time_or_none("lastTierSyncAt", self.last_tier_sync_at.as_ref())?,
            achievements: self.achievements.map(|ids| achievement_mask(&ids)).transpose()?,
            created_at: checks::time_or_none("createdAt", self.created_at.as_ref())?,
            updated_at: checks::time_or_none("updatedAt", self.updated_at.as_ref())?,
            last_seen_at: checks::time_or_none("lastSeenAt", self.last_seen_at.as_ref())?,
        };
        Ok(player.into())
    }
}

/// The history as it is stored and exported: the current name is its last.
fn check_nickname_history(names: &[String]) -> Result<(), String> {
    if names.len() > checks::MAX_NICKNAMES {
        let max = checks::MAX_NICKNAMES;
        return Err(format!(
            "nicknameHistory must have at most {max} entries with mainNickname at its end, not {}",
            names.len()
        ));
    }
    names.iter().try_for_each(|name| checks::name("nicknameHistory", name, checks::MAX_NAME))
}

/// Label and points determine each other, so a line needs only one of them.
fn check_tier(label: Option<String>, points: Option<i64>) -> Result<(String, i64), String> {
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

/// One bit per achievement, in the order of the catalogue.
fn achievement_mask(ids: &[String]) -> Result<i64, String> {
    ids.iter().try_fold(0, |mask, id| match achievements::by_id(id) {
        Some(bit) => Ok(mask | 1 << bit),
        None => Err(format!("achievements contains {id:?}, which is not a known achievement")),
    })
}

fn achievement_ids(mask: i64) -> Vec<String> {
    let earned = CATALOGUE.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
    earned.map(|(_, achievement)| achievement.id.to_owned()).collect()
}
