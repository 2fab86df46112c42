//! The content that a moderator reviews, as it is now.

use super::moderation::{Item, ItemKind};
use super::texture_uploads::{self, TextureUpload};
use super::textures::SKIN;
use super::{Conn, Result};
use crate::values;

/// The content under review, as moderators see it.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    pub title: String,
    pub text: String,
    /// The text as it is shown, if it was written in Markdown. Safe to show.
    pub html: String,
    pub rating: Option<i64>,
    /// The path of the banner of a server; empty: none.
    pub banner: String,
    /// A skin or cape: `skins` or `capes`, `skin` or `cape`, and the slug.
    pub texture: Option<(&'static str, &'static str, String)>,
    /// An uploaded picture.
    pub upload: Option<TextureUpload>,
}

/// `None` if it no longer exists.
pub fn find(conn: &mut Conn, item: &Item) -> Result<Option<Subject>> {
    match item.kind {
        ItemKind::Review | ItemKind::Report => {
            let review = "select game_username, content, rating from submitted_reviews where id = $1
                          union all select game_username, content, rating from reviews where id = $1";
            conn.query_optional(review, values![&item.subject], |row| Subject {
                title: row.get(0),
                text: row.get(1),
                rating: Some(row.get(2)),
                ..Subject::default()
            })
        }
        ItemKind::TextureReport => {
            // The page of an upload that was hidden is gone; its picture is shown instead.
            let texture = "select name, description, kind, slug from textures t where id = $1
                           and (not hidden or not exists (select 1 from texture_uploads u where u.id = t.id))";
            let shown = conn.query_optional(texture, values![&item.subject], |row| {
                let is_skin = row.get::<String>(2) == SKIN;
                let (root, kind) = if is_skin { ("skins", "skin") } else { ("capes", "cape") };
                Subject {
                    title: row.get(0),
                    text: row.get(1),
                    texture: Some((root, kind, row.get(3))),
                    ..Subject::default()
                }
            })?;
            if shown.is_some() { Ok(shown) } else { upload_subject(conn, &item.subject) }
        }
        ItemKind::Post => {
            let post = "select title, content, html from update_posts where id = $1";
            conn.query_optional(post, values![&item.subject], |row| Subject {
                title: row.get(0),
                text: row.get(1),
                html: row.get(2),
                ..Subject::default()
            })
        }
        ItemKind::Server | ItemKind::Dispute => {
            let server = "select name, short_description, game_mode, website, chat_url, store_url, video_url, banner
                          from servers where n = $1";
            conn.query_optional(server, values![item.server_n], |row| {
                let links = (2..=6).filter_map(|column| row.get::<Option<String>>(column));
                let lines: Vec<String> = std::iter::once(row.get(1)).chain(links).collect();
                Subject { title: row.get(0), text: lines.join("\n"), banner: row.get(7), ..Subject::default() }
            })
        }
        ItemKind::Upload => upload_subject(conn, &item.subject),
        ItemKind::Name => Ok(Some(Subject { title: item.subject.clone(), ..Subject::default() })),
    }
}

fn upload_subject(conn: &mut Conn, id: &str) -> Result<Option<Subject>> {
    Ok(texture_uploads::find(conn, id)?.map(|upload| Subject {
        title: upload.texts.name.clone(),
        text: upload.texts.description.clone(),
        upload: Some(upload),
        ..Subject::default()
    }))
}
