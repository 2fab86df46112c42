//! What a decision changes, and what is judged.

use super::item::{Decision, Item, ItemKind};
use crate::texture_uploads::TextureUpload;
use crate::{
    Conn, Result, held_names, hidden_textures, posts, server_access, submitted_reviews, texture_uploads, textures,
    values,
};

/// Changes what the item is about, in the transaction of the decision at `at`. `rev` is its revision.
pub(super) fn apply(conn: &mut Conn, item: &Item, decision: Decision, at: i64, rev: i64) -> Result<()> {
    match item.kind {
        ItemKind::Review | ItemKind::Report => {
            submitted_reviews::set_status(conn, &item.subject, decision.status(), at, rev)
        }
        ItemKind::TextureReport if texture_uploads::find(conn, &item.subject)?.is_some() => {
            texture_uploads::set_status(conn, &item.subject, decision.status(), at, rev)
        }
        ItemKind::TextureReport => hidden_textures::set_hidden(conn, &item.subject, decision != Decision::Approve, rev),
        ItemKind::Post => posts::set_status(conn, &item.subject, decision.status(), at, rev),
        ItemKind::Upload => texture_uploads::set_status(conn, &item.subject, decision.status(), at, rev),
        ItemKind::Dispute => match (decision, item.server_n, item.author_n) {
            (Decision::Approve, Some(server_n), Some(author_n)) => {
                server_access::hand_over(conn, server_n, author_n, rev)
            }
            _ => Ok(()),
        },
        ItemKind::Name => match (decision, item.author_n) {
            (Decision::Approve, Some(author_n)) => held_names::grant(conn, author_n, &item.subject, rev),
            _ => Ok(()),
        },
        // Servers follow in the same transaction (`listings::follow_decision`), because totals change with their visibility.
        ItemKind::Server => Ok(()),
    }
}

/// What is judged, as moderators see it.
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
pub fn subject(conn: &mut Conn, item: &Item) -> Result<Option<Subject>> {
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
                let is_skin = row.get::<String>(2) == textures::SKIN;
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
