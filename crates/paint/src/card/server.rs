//! The card of a server: icon, name, state, figures and the players of a day.

use super::sheet::{self, BAD, GOOD, INK, Line, MARGIN, SOFT, WIDTH};
use super::{CardFigure, chart};
use crate::canvas::Fill;
use crate::glyph;
use crate::raster::Raster;
use crate::untrusted_picture::decode_png;

/// All texts may come from outside.
pub struct ServerCard<'a> {
    pub name: &'a str,
    pub address: &'a str,
    pub is_online: bool,
    /// "Online" or "Offline".
    pub state: &'a str,
    /// Country and version, for example.
    pub details: &'a str,
    /// A PNG of 64x64 pixels; another one is left out.
    pub icon: &'a [u8],
    pub figures: &'a [CardFigure<'a>],
    /// Slots of equal length, oldest first.
    pub players: &'a [Option<i64>],
    /// Caption of the chart.
    pub caption: &'a str,
    pub site: &'a str,
}

const ICON_SIDE: u32 = 64;
const ICON_SCALE: i32 = 3;
const ICON_TOP: i32 = 64;
const TILES_TOP: i32 = 290;
const CHART_TOP: i32 = 434;
const CHART_HEIGHT: i32 = 120;

pub fn server_card(card: &ServerCard) -> Vec<u8> {
    let mut canvas = sheet::sheet();
    let icon = decode_png(card.icon, |size| size == (ICON_SIDE, ICON_SIDE));
    let icon = icon.unwrap_or_else(|| Raster::new(ICON_SIDE, ICON_SIDE));
    let side = ICON_SIDE as i32 * ICON_SCALE;
    sheet::panel(&mut canvas, (MARGIN, ICON_TOP), side, side);
    canvas.picture(&icon, (MARGIN, ICON_TOP), ICON_SCALE, 16);
    let left = MARGIN + side + 40;
    let max_width = WIDTH as i32 - MARGIN - left;
    let name = Line { text: card.name, left, top: ICON_TOP - 6, max_width, color: INK };
    let top = if name.fits(card.name, 4) {
        name.top + name.draw_fitting(&mut canvas, &[5, 4]) * glyph::HEIGHT + 10
    } else {
        name.draw_wrapped(&mut canvas, 3);
        name.top + 2 * 3 * glyph::HEIGHT + 4
    };
    Line { text: card.address, left, top, max_width, color: SOFT }.draw(&mut canvas, 2);
    let top = ICON_TOP + side - 40;
    let color = if card.is_online { GOOD } else { BAD };
    canvas.circle(left as f32 + 11.0, top as f32 + 17.0, 11.0, Fill::Solid(color));
    let state = Line { text: card.state, left: left + 36, top, max_width, color }.draw(&mut canvas, 2);
    let left = left + 36 + state + 24;
    Line { text: card.details, left, top, max_width: WIDTH as i32 - MARGIN - left, color: SOFT }.draw(&mut canvas, 2);
    let width = WIDTH as i32 - 2 * MARGIN;
    sheet::tiles(&mut canvas, card.figures, (MARGIN, TILES_TOP), width, card.figures.len().clamp(1, 4) as i32);
    let corner = (MARGIN as f32, CHART_TOP as f32);
    chart::draw(&mut canvas, card.players, corner, width as f32, CHART_HEIGHT as f32);
    sheet::footer(&mut canvas, card.site, card.caption);
    canvas.into_png()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{decode, hostile_strings};

    fn card<'a>(text: &'a str, icon: &'a [u8], players: &'a [Option<i64>]) -> ServerCard<'a> {
        ServerCard {
            name: text,
            address: text,
            is_online: true,
            state: "Online",
            details: text,
            icon,
            figures: &[],
            players,
            caption: "Players",
            site: "Rollcall",
        }
    }

    #[test]
    fn a_card_has_the_recommended_size_and_is_opaque() {
        let icon = crate::icon("A", 1);
        let (width, height, pixels) = decode(&server_card(&card("A", &icon, &[Some(1), None, Some(3), Some(0)])));
        assert_eq!((width, height), (1200, 630));
        assert!(pixels.chunks_exact(4).all(|pixel| pixel[3] == 255));
        // The middle of the icon.
        let (_, _, source) = decode(&icon);
        let (from, to) = ((32 * 64 + 32) * 4, ((64 + 97) * 1200 + 64 + 97) * 4);
        assert_eq!(pixels[to..to + 4], source[from..from + 4]);
    }

    #[test]
    fn hostile_text_and_pictures_do_not_panic() {
        for (text, i) in hostile_strings().iter().step_by(40).zip(0..) {
            let figures = [CardFigure { label: text, value: text }];
            let players = [Some(i64::MAX), Some(i64::MIN), None, Some(i)];
            server_card(&ServerCard { figures: &figures, ..card(text, text.as_bytes(), &players) });
        }
        server_card(&card("", &[], &[]));
        server_card(&card("", &[], &[Some(1)]));
    }
}
