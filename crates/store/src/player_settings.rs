//! Settings of a user for the linked player: skin, cape, and whether the country is shown.

use super::audit::{self, Author};
use super::{Conn, Result, revision};
use crate::values;
use rollcall_model::message::translatable;

/// The settings as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSettings {
    pub skin_slug: String,
    pub cape_slug: Option<String>,
    pub hides_country: bool,
}

/// `None` if the account is not linked.
pub fn of_account(conn: &mut Conn, account_n: i64) -> Result<Option<PlayerSettings>> {
    conn.query_optional(
        "select s.slug, c.slug, p.hides_country
         from player_links l join players p on p.n = l.player_n join textures s on s.n = p.linked_skin_n
              left join textures c on c.n = p.cape_n
         where l.account_n = $1",
        values![account_n],
        |row| PlayerSettings { skin_slug: row.get(0), cape_slug: row.get(1), hides_country: row.get(2) },
    )
}

/// Skin and cape of a player.
struct Worn {
    player_n: i64,
    skin_n: i64,
    cape_n: Option<i64>,
}

/// Sets the skin and the cape. False if the account is not linked any more. Call it in a transaction.
///
/// A player without a skin of their own, which comes with an import, shows the chosen one everywhere.
pub fn set_appearance(
    conn: &mut Conn,
    account_n: i64,
    skin_n: i64,
    cape_n: Option<i64>,
    author: &Author,
) -> Result<bool> {
    change_appearance(conn, account_n, |_| (skin_n, cape_n), author)
}

/// Puts one skin or cape on, and leaves the other as it is. False if the account is not linked any more, or the texture no longer
/// exists. Call it in a transaction.
pub fn wear(conn: &mut Conn, account_n: i64, texture_n: i64, is_skin: bool, author: &Author) -> Result<bool> {
    let choose = |worn: &Worn| match is_skin {
        true => (texture_n, worn.cape_n),
        false => (worn.skin_n, Some(texture_n)),
    };
    change_appearance(conn, account_n, choose, author)
}

fn change_appearance(
    conn: &mut Conn,
    account_n: i64,
    choose: impl FnOnce(&Worn) -> (i64, Option<i64>),
    author: &Author,
) -> Result<bool> {
    let rev = revision::bump(conn)?;
    let sql = "select p.n, p.linked_skin_n, p.cape_n from player_links l join players p on p.n = l.player_n
               where l.account_n = $1";
    let worn = conn.query_optional(sql, values![account_n], |row| Worn {
        player_n: row.get(0),
        skin_n: row.get(1),
        cape_n: row.get(2),
    })?;
    let Some(worn) = worn else { return Ok(false) };
    let (skin_n, cape_n) = choose(&worn);
    for texture_n in std::iter::once(skin_n).chain(cape_n) {
        // It may have gone since the page was shown.
        let sql = "select 1 from textures where n = $1 and not hidden";
        if conn.query_optional(sql, values![texture_n], |_| ())?.is_none() {
            return Ok(false);
        }
    }
    conn.execute(
        "update players set skin = case when skin = o.png then t.png else skin end,
                skin_model = case when skin = o.png then coalesce(t.model, skin_model) else skin_model end,
                linked_skin_n = t.n, cape_n = $3, updated_at = $4, rev = $5
         from textures t, textures o where t.n = $2 and o.n = players.linked_skin_n and players.n = $1",
        values![worn.player_n, skin_n, cape_n, author.at, rev],
    )?;
    count_use(conn, Some(worn.skin_n), Some(skin_n), rev)?;
    count_use(conn, worn.cape_n, cape_n, rev)?;
    audit::log_account(conn, Some(account_n), translatable("skin and cape of the player changed"), "", author)?;
    Ok(true)
}

/// One use less of a texture, one more of another.
fn count_use(conn: &mut Conn, before: Option<i64>, after: Option<i64>, rev: i64) -> Result<()> {
    if before == after {
        return Ok(());
    }
    for (texture_n, change) in [(before, -1_i64), (after, 1)] {
        conn.execute(
            "update textures set usage_count = usage_count + $2, rev = $3 where n = $1",
            values![texture_n, change, rev],
        )?;
    }
    Ok(())
}

/// Shows or hides the country. False if the account is not linked any more. Call it in a transaction.
pub fn set_hides_country(conn: &mut Conn, account_n: i64, hides: bool, author: &Author) -> Result<bool> {
    let rev = revision::bump(conn)?;
    let changed = conn.execute(
        "update players set hides_country = $2, updated_at = $3, rev = $4
         where n = (select player_n from player_links where account_n = $1)",
        values![account_n, hides, author.at, rev],
    )?;
    if changed > 0 {
        let action = if hides {
            translatable("country of the player hidden")
        } else {
            translatable("country of the player shown")
        };
        audit::log_account(conn, Some(account_n), action, "", author)?;
    }
    Ok(changed > 0)
}
