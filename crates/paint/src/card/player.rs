//! The card of a player, a skin or a cape: the body or the cape, the name and figures.

use super::CardFigure;
use super::sheet::{self, INK, Line, MARGIN, SOFT, WIDTH};
use crate::render::{CapeTexture, SkinTexture, figure, hanging};

/// Left part of the card.
#[derive(Clone, Copy)]
pub enum CardSubject<'a> {
    /// A body that wears this skin.
    Body(&'a SkinTexture),
    Cape(&'a CapeTexture),
}

/// All texts may come from outside.
pub struct PlayerCard<'a> {
    pub nickname: &'a str,
    pub details: &'a str,
    pub subject: CardSubject<'a>,
    pub figures: &'a [CardFigure<'a>],
    pub site: &'a str,
}

const TOP: i32 = 64;
const FIGURE_HEIGHT: u32 = 448;
const PANEL_WIDTH: i32 = 320;
const PANEL_HEIGHT: i32 = 490;
const TILES_TOP: i32 = 306;

pub fn player_card(card: &PlayerCard) -> Vec<u8> {
    let mut canvas = sheet::sheet();
    sheet::panel(&mut canvas, (MARGIN, TOP), PANEL_WIDTH, PANEL_HEIGHT);
    let (width, height) = (FIGURE_HEIGHT as i32 / 2, FIGURE_HEIGHT as i32);
    let corner = (MARGIN + (PANEL_WIDTH - width) / 2, TOP + (PANEL_HEIGHT - height) / 2);
    match card.subject {
        CardSubject::Body(skin) => {
            let feet = (corner.0 + width / 2, corner.1 + height - 14);
            let shadow = crate::canvas::Fill::Translucent([0; 3], 0.35);
            canvas.ellipse(feet.0 as f32, feet.1 as f32, 84.0, 13.0, shadow);
            canvas.picture(&figure(skin, FIGURE_HEIGHT), corner, 1, 0);
        }
        CardSubject::Cape(cape) => canvas.picture(&hanging(cape, FIGURE_HEIGHT), corner, 1, 0),
    }
    let left = MARGIN + PANEL_WIDTH + 48;
    let max_width = WIDTH as i32 - MARGIN - left;
    let name = Line { text: card.nickname, left, top: TOP + 20, max_width, color: INK };
    let scale = name.draw_fitting(&mut canvas, &[6, 5, 4, 3, 2]);
    let top = TOP + 20 + scale * 16 + 16;
    Line { text: card.details, left, top, max_width, color: SOFT }.draw(&mut canvas, 2);
    sheet::tiles(&mut canvas, card.figures, (left, TILES_TOP), max_width, 2);
    sheet::footer(&mut canvas, card.site, "");
    canvas.into_png()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{decode, hostile_strings};

    #[test]
    fn a_card_has_the_recommended_size_whatever_the_name() {
        let skin = SkinTexture::decode(&crate::skin(crate::ArmModel::Slim, 3), crate::ArmModel::Slim).unwrap();
        let cape = CapeTexture::decode(&crate::cape(3)).unwrap();
        for subject in [CardSubject::Body(&skin), CardSubject::Cape(&cape)] {
            for text in hostile_strings().iter().step_by(90) {
                let figures = [CardFigure { label: text, value: text }];
                let card = PlayerCard { nickname: text, details: text, subject, figures: &figures, site: text };
                let (width, height, _) = decode(&player_card(&card));
                assert_eq!((width, height), (1200, 630));
            }
        }
    }
}
