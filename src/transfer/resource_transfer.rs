//! The code that reads and writes each resource.

use super::context::ImportContext;
use super::export_file::{ExportWriter, export_resource};
use super::import_file::import_resource;
use super::ndjson::NdjsonSource;
use super::resource::Resource;
use super::{Error, NdjsonLine};
use super::{accounts, keys, outages, player_stats, players, reviews, samples, servers, sessions, textures};
use super::{update_posts, votes};
use rollcall_store::Conn;

/// The export and import functions of one resource.
pub(super) struct ResourceTransfer {
    pub export: fn(&mut ExportWriter<'_>, &mut Conn, Resource) -> Result<u64, Error>,
    pub import: fn(&mut ImportContext<'_, '_>, Resource, &NdjsonSource) -> Result<u64, Error>,
}

impl ResourceTransfer {
    pub fn of(resource: Resource) -> Self {
        match resource {
            Resource::Accounts => Self::with_lines::<accounts::AccountLine>(),
            Resource::Keys => Self::with_lines::<keys::KeyLine>(),
            Resource::Servers => Self::with_lines::<servers::ServerLine>(),
            Resource::Samples => Self::with_lines::<samples::SampleLine>(),
            Resource::Samples5m | Resource::SamplesHour | Resource::SamplesDay => {
                Self::with_lines::<samples::SampleBucketLine>()
            }
            Resource::Outages => Self::with_lines::<outages::OutageLine>(),
            Resource::Skins | Resource::Capes => Self::with_lines::<textures::TextureLine>(),
            Resource::Players => Self::with_lines::<players::PlayerLine>(),
            Resource::Votes => Self::with_lines::<votes::VoteLine>(),
            Resource::Reviews => Self::with_lines::<reviews::ReviewLine>(),
            Resource::UpdatePosts => Self::with_lines::<update_posts::UpdatePostLine>(),
            Resource::Sessions => Self::with_lines::<sessions::SessionLine>(),
            Resource::PlayerStats => Self::with_lines::<player_stats::PlayerStatsLine>(),
        }
    }

    fn with_lines<L: NdjsonLine>() -> Self {
        Self { export: export_resource::<L>, import: import_resource::<L> }
    }
}
