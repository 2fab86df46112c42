//! Favorites of an account, and the collections into which it puts them.

use super::{Mark, MarkKind};
use crate::{Conn, Result, Value, values};
use rollcall_model::id;
use rollcall_search::fold;

/// Collections of one account.
pub const MAX_COLLECTIONS: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    pub n: i64,
    pub id: String,
    pub name: String,
    /// Favorites in it.
    pub size: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionOutcome {
    Done,
    NotFound,
    /// The account has a collection of this name.
    NameTaken,
    /// The account has [`MAX_COLLECTIONS`].
    TooMany,
}

/// A skin or cape among the favorites.
#[derive(Clone, Debug)]
pub struct Favorite {
    pub is_skin: bool,
    pub slug: String,
    pub name: String,
    pub owner: String,
    /// The id of its collection.
    pub collection: Option<String>,
}

/// Which favorites to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FavoritesIn {
    All,
    NoCollection,
    Collection(i64),
}

/// The collections of an account, oldest first.
pub fn list(conn: &mut Conn, account_n: i64) -> Result<Vec<Collection>> {
    conn.query(
        "select c.n, c.id, c.name,
                (select count(*) from favorite_places p
                 join texture_favorites f on f.texture_n = p.texture_n and f.account_n = p.account_n
                 where p.collection_n = c.n and p.account_n = c.account_n)
         from favorite_collections c where c.account_n = $1 order by c.n",
        values![account_n],
        |row| Collection { n: row.get(0), id: row.get(1), name: row.get(2), size: row.get(3) },
    )
}

/// Favorites of an account, newest first.
pub fn favorites(
    conn: &mut Conn,
    account_n: i64,
    within: FavoritesIn,
    offset: i64,
    limit: i64,
) -> Result<Vec<Favorite>> {
    let mut values: Vec<Value> = values![account_n, offset, limit].to_vec();
    let condition = match within {
        FavoritesIn::All => "true",
        FavoritesIn::NoCollection => "p.collection_n is null",
        FavoritesIn::Collection(n) => {
            values.push(n.into());
            "p.collection_n = $4"
        }
    };
    let sql = format!(
        "select t.kind, t.slug, t.name, a.username, c.id
         from texture_favorites f join textures t on t.n = f.texture_n join accounts a on a.n = t.owner_n
              left join favorite_places p on p.account_n = f.account_n and p.texture_n = f.texture_n
              left join favorite_collections c on c.n = p.collection_n
         where f.account_n = $1 and not t.hidden and {condition}
         order by coalesce(p.added_at, 0) desc, t.n desc limit $3 offset $2"
    );
    conn.query(&sql, &values, |row| Favorite {
        is_skin: row.get::<String>(0) == crate::textures::SKIN,
        slug: row.get(1),
        name: row.get(2),
        owner: row.get(3),
        collection: row.get(4),
    })
}

/// Favorites of an account in no collection.
pub fn count_unsorted(conn: &mut Conn, account_n: i64) -> Result<i64> {
    let sql = "select count(*) from texture_favorites f
               left join favorite_places p on p.account_n = f.account_n and p.texture_n = f.texture_n
               where f.account_n = $1 and p.collection_n is null";
    conn.query_one(sql, values![account_n], |row| row.get(0))
}

/// Serializes the changes of one account, so that two at once do not exceed the cap. SQLite has one writer anyway. False if
/// the account no longer exists.
pub(super) fn lock(conn: &mut Conn, account_n: i64) -> Result<bool> {
    let lock = if conn.is_postgres() { " for update" } else { "" };
    let sql = format!("select 1 from accounts where n = $1{lock}");
    Ok(conn.query_optional(&sql, values![account_n], |_| ())?.is_some())
}

/// Creates a collection; call it in a transaction.
pub fn create(conn: &mut Conn, account_n: i64, name: &str, now: i64) -> Result<CollectionOutcome> {
    if !lock(conn, account_n)? {
        return Ok(CollectionOutcome::NotFound);
    }
    let existing = list(conn, account_n)?;
    if existing.iter().any(|collection| fold(&collection.name) == fold(name)) {
        return Ok(CollectionOutcome::NameTaken);
    }
    if existing.len() >= MAX_COLLECTIONS {
        return Ok(CollectionOutcome::TooMany);
    }
    conn.execute(
        "insert into favorite_collections (id, account_n, name, created_at) values ($1, $2, $3, $4)",
        values![id::encode(rand::random()), account_n, name, now],
    )?;
    Ok(CollectionOutcome::Done)
}

/// Renames a collection; call it in a transaction.
pub fn rename(conn: &mut Conn, account_n: i64, collection_id: &str, name: &str) -> Result<CollectionOutcome> {
    lock(conn, account_n)?;
    let existing = list(conn, account_n)?;
    if existing.iter().any(|other| other.id != collection_id && fold(&other.name) == fold(name)) {
        return Ok(CollectionOutcome::NameTaken);
    }
    let sql = "update favorite_collections set name = $3 where id = $1 and account_n = $2";
    let changed = conn.execute(sql, values![collection_id, account_n, name])?;
    Ok(if changed > 0 { CollectionOutcome::Done } else { CollectionOutcome::NotFound })
}

/// Deletes a collection; its favorites stay. Call it in a transaction.
pub fn delete(conn: &mut Conn, account_n: i64, collection_id: &str) -> Result<CollectionOutcome> {
    let sql = "delete from favorite_collections where id = $1 and account_n = $2";
    let deleted = conn.execute(sql, values![collection_id, account_n])?;
    Ok(if deleted > 0 { CollectionOutcome::Done } else { CollectionOutcome::NotFound })
}

/// Puts a favorite into a collection; `None`: into none. Call it in a transaction.
pub fn move_favorite(
    conn: &mut Conn,
    account_n: i64,
    texture_n: i64,
    collection_id: Option<&str>,
    now: i64,
) -> Result<CollectionOutcome> {
    lock(conn, account_n)?;
    let collection_n: Option<i64> = match collection_id {
        None => None,
        Some(id) => {
            let sql = "select n from favorite_collections where id = $1 and account_n = $2";
            let Some(n) = conn.query_optional(sql, values![id, account_n], |row| row.get(0))? else {
                return Ok(CollectionOutcome::NotFound);
            };
            Some(n)
        }
    };
    let moved = conn.execute(
        "insert into favorite_places (account_n, texture_n, added_at, collection_n)
         select account_n, texture_n, cast($3 as bigint), cast($4 as bigint) from texture_favorites
         where account_n = $1 and texture_n = $2
         on conflict (account_n, texture_n) do update set collection_n = excluded.collection_n",
        values![account_n, texture_n, now, collection_n],
    )?;
    Ok(if moved > 0 { CollectionOutcome::Done } else { CollectionOutcome::NotFound })
}

/// Notes when a favorite was marked, or forgets its place. Runs in the transaction of the mark.
pub(super) fn follow_mark(conn: &mut Conn, mark: &Mark) -> Result<()> {
    debug_assert_eq!(mark.kind, MarkKind::Favorite);
    if mark.is_set {
        conn.execute(
            "insert into favorite_places (account_n, texture_n, added_at) values ($1, $2, $3)
             on conflict (account_n, texture_n) do update set added_at = excluded.added_at, collection_n = null",
            values![mark.account_n, mark.texture_n, mark.at],
        )?;
    } else {
        let sql = "delete from favorite_places where account_n = $1 and texture_n = $2";
        conn.execute(sql, values![mark.account_n, mark.texture_n])?;
    }
    Ok(())
}
