//! The answers of a tier list in the shape of mctiers v2. Pure.

use std::collections::HashMap;

use serde::Deserialize;

use rollcall_model::id::parse_uuid;
use rollcall_model::tier;
use rollcall_store::tier_sync::{PlayerTier, Ranking};

/// Places on a list; larger ones are faults of the source.
const MAX_RANK: i64 = 10_000_000;

#[derive(Deserialize)]
struct Profile {
    uuid: String,
    /// The place on the whole list; missing in pages of it, where it follows from the position.
    overall: Option<i64>,
    #[serde(default)]
    rankings: HashMap<String, ModeRanking>,
}

/// The tier in one game mode.
#[derive(Deserialize)]
struct ModeRanking {
    /// From 1, the best, to 5.
    tier: i64,
    /// 0 is the high half of the tier, 1 the low one.
    pos: i64,
    #[serde(default)]
    retired: bool,
}

/// The players of a page of `/mode/overall` that begins with place `from` (0 is the first), and how many entries it has.
pub fn parse_page(body: &[u8], from: i64) -> Result<(Vec<PlayerTier>, usize), String> {
    let profiles: Vec<Profile> =
        serde_json::from_slice(body).map_err(|error| format!("the page is not valid: {error}"))?;
    let count = profiles.len();
    let tiers = (from + 1..).zip(profiles).filter_map(|(place, profile)| player_tier(profile, Some(place)));
    Ok((tiers.collect(), count))
}

/// The answer to `/profile/{uuid}`.
pub fn parse_profile(body: &[u8], uuid: &str) -> Result<PlayerTier, String> {
    let profile: Profile =
        serde_json::from_slice(body).map_err(|error| format!("the profile is not valid: {error}"))?;
    let tier = player_tier(profile, None).filter(|tier| tier.game_uuid == uuid);
    tier.ok_or_else(|| "the profile is one of another player".to_owned())
}

fn player_tier(profile: Profile, place: Option<i64>) -> Option<PlayerTier> {
    let game_uuid = parse_uuid(&profile.uuid)?;
    let best = profile.rankings.values().filter(|ranking| !ranking.retired).filter_map(label).max_by_key(|tier| tier.1);
    let rank = profile.overall.or(place).filter(|rank| (1..=MAX_RANK).contains(rank));
    let ranking = best.zip(rank).map(|((tier, points), rank)| Ranking { tier, points, rank });
    Some(PlayerTier { game_uuid, ranking })
}

/// The label of a tier and its points; `None` if there is no such tier.
fn label(ranking: &ModeRanking) -> Option<(&'static str, i64)> {
    if !(1..=5).contains(&ranking.tier) || !(0..=1).contains(&ranking.pos) {
        return None;
    }
    let index = usize::try_from(2 * (ranking.tier - 1) + ranking.pos).ok()?;
    Some((tier::LABELS[index], tier::POINTS[index]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const UUID: &str = "069a79f4-44e9-4726-a5be-fca90e38aaf5";

    fn ranked(tier: &'static str, points: i64, rank: i64) -> PlayerTier {
        PlayerTier { game_uuid: UUID.into(), ranking: Some(Ranking { tier, points, rank }) }
    }

    #[test]
    fn the_best_tier_counts_that_is_not_retired() {
        let rankings = json!({
            "sword": {"tier": 1, "pos": 0, "retired": true}, "axe": {"tier": 3, "pos": 1, "retired": false},
            "uhc": {"tier": 3, "pos": 0}, "pot": {"tier": 9, "pos": 0}, "smp": {"tier": 1, "pos": 7},
        });
        let profile =
            json!({"uuid": UUID, "name": "Notch", "region": "EU", "points": 450, "overall": 7, "rankings": rankings});
        assert_eq!(parse_profile(profile.to_string().as_bytes(), UUID), Ok(ranked("HT3", 10, 7)));
        let page = json!([{"uuid": "x"}, {"uuid": UUID.replace('-', ""), "rankings": rankings}]).to_string();
        assert_eq!(parse_page(page.as_bytes(), 50), Ok((vec![ranked("HT3", 10, 52)], 2)));
    }

    #[test]
    fn a_player_without_a_tier_is_not_ranked() {
        let unranked = PlayerTier { game_uuid: UUID.into(), ranking: None };
        for rankings in [json!({}), json!({"sword": {"tier": 1, "pos": 0, "retired": true}})] {
            let profile = json!({"uuid": UUID, "overall": 3, "rankings": rankings}).to_string();
            assert_eq!(parse_profile(profile.as_bytes(), UUID), Ok(unranked.clone()));
        }
    }

    #[test]
    fn other_answers_are_errors() {
        for body in ["", "[]", "null", r#"{"uuid":"x"}"#, r#"{"uuid":"853c80ef-3c37-49fd-aa49-938b674adae6"}"#] {
            assert!(parse_profile(body.as_bytes(), UUID).is_err(), "{body}");
        }
        for body in ["", "{}", "null", r#"[{"uuid":1}]"#] {
            assert!(parse_page(body.as_bytes(), 0).is_err(), "{body}");
        }
    }
}
