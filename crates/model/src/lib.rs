//! The resources of the API and the pure rules over them: scores, periods, quotas, formats. No I/O; time is an argument.

pub mod achievements;
pub mod api_key;
pub mod buckets;
pub mod clock;
pub mod country;
pub mod game_font;
pub mod hash;
pub mod id;
pub mod link_code;
pub mod message;
pub mod motd;
pub mod period;
pub mod quota;
pub mod resources;
pub mod restriction;
pub mod score;
pub mod secret;
pub mod server_token;
pub mod slug;
pub mod text;
pub mod tier;
pub mod time;
pub mod token;
pub mod trust;
pub mod usage;
pub mod visibility;
