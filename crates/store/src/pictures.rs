//! The pictures that rows name: checks that they are there, copies them to another place, and lets the others be swept.

use std::collections::{BTreeSet, HashSet};

use super::media::{self, Media, matches_content};
use super::{Conn, Error, Result};
use crate::values;

/// Columns with the path of a picture, and the column that tells a person which row it is.
pub(crate) const PICTURE_COLUMNS: [(&str, &str, &str); 8] = [
    ("accounts", "avatar", "username"),
    ("servers", "icon", "slug"),
    ("servers", "banner", "slug"),
    ("servers", "motd_image", "slug"),
    ("listings", "banner", "server_n"),
    ("textures", "png", "slug"),
    ("texture_uploads", "png", "slug"),
    ("players", "skin", "nickname"),
];

/// A picture that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPicture {
    pub path: String,
    pub defect: Defect,
    /// A row that names it: `servers skyblock`.
    pub used_by: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    Missing,
    /// Its content is not what its name says.
    Damaged,
}

/// Result of a check or a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PictureReport {
    /// Pictures that are in order: for a copy, those that were copied now.
    pub good: u64,
    /// Pictures that a copy found at their destination.
    pub present: u64,
    pub bad: Vec<BadPicture>,
}

/// Called with the pictures done and all pictures.
pub type PictureProgress<'a> = &'a dyn Fn(u64, u64);

/// Reads every picture that a row names. Never call it on an async worker.
pub fn check(conn: &mut Conn, media: &Media, progress: PictureProgress<'_>) -> Result<PictureReport> {
    for_each(conn, progress, async |path| {
        Ok(read(media, path).await?.map_or_else(PictureState::Bad, |_| PictureState::Good))
    })
}

/// Copies every picture that a row names. What is at the destination already stays, so that an interrupted copy continues. Never
/// call it on an async worker.
pub fn copy(conn: &mut Conn, from: &Media, to: &Media, progress: PictureProgress<'_>) -> Result<PictureReport> {
    for_each(conn, progress, async |path| {
        if read(to, path).await?.is_ok() {
            return Ok(PictureState::Present);
        }
        match read(from, path).await? {
            Err(defect) => return Ok(PictureState::Bad(defect)),
            Ok(bytes) => to.repair(path, &bytes).await?,
        };
        Ok(PictureState::Good)
    })
}

enum PictureState {
    Good,
    Present,
    Bad(Defect),
}

/// Calls `visit` for each picture, for several at once.
fn for_each(
    conn: &mut Conn,
    progress: PictureProgress<'_>,
    visit: impl AsyncFn(&str) -> std::result::Result<PictureState, media::Error>,
) -> Result<PictureReport> {
    let paths: BTreeSet<String> = named(conn)?.into_iter().collect();
    let (mut report, mut bad, mut done) = (PictureReport::default(), Vec::new(), 0);
    let work = media::for_each(&paths, visit, |path, outcome| {
        progress(done, paths.len() as u64);
        done += 1;
        match outcome {
            PictureState::Good => report.good += 1,
            PictureState::Present => report.present += 1,
            PictureState::Bad(defect) => bad.push((path.to_owned(), defect)),
        }
    });
    work.map_err(|error| Error::Unavailable(error.to_string()))?;
    for (path, defect) in bad {
        let used_by = used_by(conn, &path)?;
        report.bad.push(BadPicture { path, defect, used_by });
    }
    Ok(report)
}

async fn read(
    media: &Media,
    path: &str,
) -> std::result::Result<std::result::Result<bytes::Bytes, Defect>, media::Error> {
    Ok(match media.get(path).await? {
        None => Err(Defect::Missing),
        Some(bytes) if matches_content(path, &bytes) => Ok(bytes),
        Some(_) => Err(Defect::Damaged),
    })
}

/// The paths of all pictures that rows name, for [`Media::sweep`].
pub fn named(conn: &mut Conn) -> Result<HashSet<String>> {
    let mut paths = HashSet::new();
    for (table, column, _) in PICTURE_COLUMNS {
        let sql = format!("select distinct {column} from {table} where {column} <> ''");
        conn.for_each(&sql, &[], |row| {
            paths.insert(row.get(0));
        })?;
    }
    Ok(paths)
}

/// A row that names a picture.
fn used_by(conn: &mut Conn, path: &str) -> Result<String> {
    for (table, column, name) in PICTURE_COLUMNS {
        let sql = format!("select cast({name} as text) from {table} where {column} = $1 order by {name} limit 1");
        if let Some(name) = conn.query_optional(&sql, values![path], |row| row.get::<String>(0))? {
            return Ok(format!("{table} {name}"));
        }
    }
    Ok("no row any more".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column that is missing in the list would lose its pictures in a copy and in a sweep.
    #[test]
    fn every_column_with_a_picture_is_listed() {
        let mut conn = Conn::in_memory().unwrap();
        crate::migrate::migrate(&mut conn).unwrap();
        let sql = "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'";
        let columns = conn.query(sql, &[], |row| (row.get::<String>(0), row.get::<String>(1))).unwrap();
        let names = ["avatar", "icon", "banner", "motd_image", "png", "skin", "cape", "picture", "image"];
        let mut pictures: Vec<_> = columns.into_iter().filter(|(_, column)| names.contains(&column.as_str())).collect();
        let mut listed = PICTURE_COLUMNS.map(|(table, column, _)| (table.to_owned(), column.to_owned()));
        pictures.sort();
        listed.sort();
        assert_eq!(pictures, listed);
    }
}
