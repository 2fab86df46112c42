//! The system account and the two default skins. They exist in every store.

use crate::media::{Error, Media, path_in_kind};
use crate::values;
use crate::{Conn, Result, migrate, revision};
use rollcall_model::id;
use rollcall_paint::ArmModel;

const SYSTEM_USERNAME: &str = "rollcall";
/// The slug of the default skin.
pub const DEFAULT_CLASSIC: &str = "default-classic";

/// Fixed ids, so that they are recognised in any store. The bytes spell "rollcall" and a number.
const SYSTEM_ID: u128 = 0x726f_6c6c_6361_6c6c_0000;
const CLASSIC_ID: u128 = 0x726f_6c6c_6361_6c6c_0001;
const SLIM_ID: u128 = 0x726f_6c6c_6361_6c6c_0002;

/// 2024-01-01: older than any user content.
const CREATED_AT: i64 = 1_704_067_200_000;

/// Paths of the pictures that [`ensure_builtin`] refers to.
#[derive(Clone, Debug)]
pub struct BuiltinPictures {
    pub avatar: String,
    pub classic: String,
    pub slim: String,
}

impl BuiltinPictures {
    /// Paints and stores the pictures. Blocking: never call it on an async worker.
    pub fn save(media: &Media) -> std::result::Result<Self, Error> {
        let [avatar, classic, slim] = paint();
        Ok(Self {
            avatar: media.put_png_blocking("avatar", &avatar)?,
            classic: media.put_png_blocking("skin", &classic)?,
            slim: media.put_png_blocking("skin", &slim)?,
        })
    }

    /// The paths without storing the pictures.
    pub fn paths() -> Self {
        let [avatar, classic, slim] = paint();
        Self {
            avatar: path_in_kind("avatar", &avatar),
            classic: path_in_kind("skin", &classic),
            slim: path_in_kind("skin", &slim),
        }
    }
}

fn paint() -> [Vec<u8>; 3] {
    let skin = rollcall_paint::default_skin;
    [rollcall_paint::avatar(0), skin(ArmModel::Classic), skin(ArmModel::Slim)]
}

/// Row numbers of the built-in rows.
#[derive(Clone, Debug)]
pub struct Builtin {
    pub account_n: i64,
    pub classic_n: i64,
    pub slim_n: i64,
}

pub(crate) fn system_id() -> String {
    id::encode(SYSTEM_ID)
}

pub(crate) fn default_skin_ids() -> [String; 2] {
    [id::encode(CLASSIC_ID), id::encode(SLIM_ID)]
}

/// Creates missing rows and updates the pictures. Changes nothing in a complete store.
pub fn ensure_builtin(conn: &mut Conn, pictures: &BuiltinPictures) -> Result<Builtin> {
    conn.transaction(|conn| {
        migrate::lock_setup(conn)?;
        let account_n = ensure_account(conn, pictures)?;
        let [classic, slim] = default_skin_ids();
        let classic_n = ensure_skin(conn, account_n, &classic, "classic", &pictures.classic)?;
        let slim_n = ensure_skin(conn, account_n, &slim, "slim", &pictures.slim)?;
        Ok(Builtin { account_n, classic_n, slim_n })
    })
}

fn ensure_account(conn: &mut Conn, pictures: &BuiltinPictures) -> Result<i64> {
    let id = system_id();
    let known = conn.query_optional("select n, avatar from accounts where id = $1", values![&id], |row| {
        (row.get::<i64>(0), row.get::<String>(1))
    })?;
    match known {
        Some((n, avatar)) => {
            if avatar != pictures.avatar {
                conn.execute("update accounts set avatar = $1 where n = $2", values![&pictures.avatar, n])?;
            }
            Ok(n)
        }
        None => conn.query_one(
            "insert into accounts (id, username, username_key, avatar, role, created_at)
             values ($1, $2, $2, $3, 'SYSTEM', $4) returning n",
            values![&id, SYSTEM_USERNAME, &pictures.avatar, CREATED_AT],
            |row| row.get(0),
        ),
    }
}

fn ensure_skin(conn: &mut Conn, account_n: i64, id: &str, model: &str, png: &str) -> Result<i64> {
    let known = conn.query_optional("select n, png from textures where id = $1", values![id], |row| {
        (row.get::<i64>(0), row.get::<String>(1))
    })?;
    if let Some((n, stored)) = known {
        if stored != png {
            let rev = revision::bump(conn)?;
            conn.execute("update textures set png = $1, rev = $2 where n = $3", values![png, rev, n])?;
        }
        return Ok(n);
    }
    let (name, description) = match model {
        "slim" => ("Default (slim)", "The skin of everyone with slim arms who has not picked another."),
        _ => ("Default (classic)", "The skin of everyone with classic arms who has not picked another."),
    };
    let rev = revision::bump(conn)?;
    let n = conn.query_one(
        "insert into textures (kind, id, slug, name, description, model, png, owner_n, is_featured, created_at,
                               view_count, download_count, like_count, favorite_count, usage_count, rev)
         values ('skin', $1, $2, $3, $4, $5, $6, $7, false, $8, 0, 0, 0, 0, 0, $9) returning n",
        values![id, format!("default-{model}"), name, description, model, png, account_n, CREATED_AT, rev],
        |row| row.get(0),
    )?;
    for (position, tag) in ["default", model].into_iter().enumerate() {
        conn.execute(
            "insert into texture_tags (texture_n, position, tag) values ($1, $2, $3)",
            values![n, position as i64, tag],
        )?;
    }
    Ok(n)
}
