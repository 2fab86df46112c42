//! `/servers/{slug}` of an unlisted server, for visitors with the link. Search engines must not index it.

use askama::Template;

use super::players_chart::players_chart;
use super::server_tile::{address, media_path};
use crate::app::App;
use crate::error::ApiError;
use crate::v1::servers::{detail, not_found};
use crate::web::chart::LineChart;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use rollcall_model::period::Period;
use rollcall_model::resources::{PictureUrl, ServerDetail};
use rollcall_store::{Conn, outages, servers};

const OUTAGES: i64 = 8;

#[derive(Template)]
#[template(path = "site/unlisted_server.html")]
struct UnlistedServerPage {
    layout: Layout,
    server: ServerDetail,
    /// Descriptions by the owner; both may be empty.
    short_description: String,
    game_mode: String,
    chart: LineChart,
}

impl UnlistedServerPage {
    fn address(&self) -> String {
        address(&self.server.ip, self.server.port)
    }

    fn picture<'a>(&self, url: &'a PictureUrl) -> &'a str {
        media_path(&url.0)
    }
}

pub fn render(app: &App, conn: &mut Conn, slug: &str, period: Period) -> Result<String, ApiError> {
    // PostgreSQL rejects NUL in a text.
    if slug.contains('\0') {
        return Err(not_found());
    }
    let row = servers::unlisted(conn, slug)?.ok_or_else(not_found)?;
    let outages = outages::of_server(conn, row.n, OUTAGES)?;
    let (short_description, game_mode) = (row.short_description.clone(), row.game_mode.clone().unwrap_or_default());
    let server = detail::of_row(app, conn, row, period)?;
    let chart = players_chart(&server, period, &outages, app.clock.now());
    page::render(&UnlistedServerPage { layout: Layout::new("/servers"), server, short_description, game_mode, chart })
}
