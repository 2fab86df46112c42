//! Tables of words the world is made of. No real server, player or brand is named in them.

pub mod editions;
pub mod modes;
pub mod names;
pub mod nicknames;
pub mod places;
pub mod posts;
pub mod reviews;
pub mod textures;
