//! Shared by skins and capes: parameters, wearers, viewer.

use super::endpoint::PathParam;
use super::newest::newest_of_all;
use super::params::{Choice, Int, PageParams, Text, limit};
use crate::app::App;
use crate::catalogue::{TextureFilter, TextureSort};
use crate::error::ApiError;
use crate::http::query::Query;
use rollcall_model::resources::{Pictures, TextureWearer, Viewer};
use rollcall_store::Conn;
use rollcall_store::players::{self, WearerRow};
use rollcall_store::textures::{self, TextureRow};

pub const LIMIT: Int = limit(24);
pub const SEARCH: Text =
    Text { name: "search", about: "Text anywhere in the name or tags, case- and accent-insensitive." };
pub const TAG: Text = Text { name: "tag", about: "A tag, whole, case-insensitive." };
pub const OWNER: Text = Text { name: "owner", about: "Username of the owner, whole, case-insensitive." };
/// Sort orders of skins; capes have all but the last.
const SORTS: &[(&str, TextureSort)] = &[
    ("recent", TextureSort::Recent),
    ("popular", TextureSort::Popular),
    ("likes", TextureSort::Likes),
    ("favorites", TextureSort::Favorites),
    ("views", TextureSort::Views),
    ("downloads", TextureSort::Downloads),
    ("name", TextureSort::Name),
    ("usage", TextureSort::Usage),
];
pub const SKIN_SORT: Choice<TextureSort> = Choice {
    name: "sort",
    about: "Sort order: newest first, highest value first, or by name.",
    values: SORTS,
    default: Some("recent"),
};
pub const CAPE_SORT: Choice<TextureSort> = Choice { values: SORTS.split_at(SORTS.len() - 1).0, ..SKIN_SORT };
/// Maximum items of `playersUsing`.
const WEARERS: usize = 24;

pub const SLUG: PathParam = PathParam { name: "slug", about: "Slug, from the list." };

#[derive(Debug)]
pub struct ListParams {
    pub page: PageParams,
    pub sort: TextureSort,
    pub filter: TextureFilter,
}

impl ListParams {
    pub fn read(query: &Query, sort: &Choice<TextureSort>) -> Result<Self, ApiError> {
        Ok(Self {
            page: PageParams::read(query, &LIMIT)?,
            sort: sort.read_or_default(query)?,
            filter: TextureFilter {
                search: SEARCH.read(query),
                tag: TAG.read(query),
                owner: OWNER.read(query),
                model: None,
            },
        })
    }
}

/// Additions of a detail response to the catalogue entry.
pub struct Wearers {
    pub players: Vec<TextureWearer>,
    pub viewer: Viewer,
}

pub fn load_wearers(app: &App, conn: &mut Conn, row: &TextureRow, account: Option<i64>) -> Result<Wearers, ApiError> {
    let (wearers, viewer) = conn.batch_reads(|conn| {
        let viewer = match account {
            Some(account) => textures::viewer(conn, row.n, row.owner_n, account)?,
            None => Viewer::default(),
        };
        let fetch = |limit| players::list_wearers(conn, row.is_skin, row.n, limit);
        Ok((newest_of_all(WEARERS, fetch, |player| player.last_seen_at, |a, b| a.n.cmp(&b.n))?, viewer))
    })?;
    let pictures = &app.catalogue.pictures;
    Ok(Wearers { players: wearers.into_iter().map(|player| wearer(player, &row.png, pictures)).collect(), viewer })
}

fn wearer(player: WearerRow, png: &str, pictures: &Pictures) -> TextureWearer {
    TextureWearer {
        id: player.id,
        main_nickname: player.nickname,
        game_uuid: player.game_uuid,
        skin_url: pictures.url(&player.skin),
        skin_model: player.skin_model,
        tier_overall: player.tier_overall,
        linked_skin_png_path: pictures.url(player.linked_skin_png.as_deref().unwrap_or(png)),
    }
}
