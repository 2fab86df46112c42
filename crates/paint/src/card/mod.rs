//! Cards of 1200x630 pixels, which other sites show with a link to a server, a player, a skin or a cape.

mod chart;
mod player;
mod server;
mod sheet;

pub use player::{CardSubject, PlayerCard, player_card};
pub use server::{ServerCard, server_card};

/// A number with its name.
#[derive(Clone, Debug)]
pub struct CardFigure<'a> {
    pub label: &'a str,
    pub value: &'a str,
}
