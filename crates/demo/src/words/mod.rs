//! Word tables that generated texts are built from. They name no real server, player or brand.

pub mod countries;
pub mod game_modes;
pub mod nicknames;
pub mod review_phrases;
pub mod server_names;
pub mod texture_names;
pub mod update_posts;
pub mod versions;
