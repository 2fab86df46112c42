//! The kind and the state of an item of the moderation queue, in words.

use rollcall_model::message::translatable;
use rollcall_store::moderation::{ItemKind, ItemState};

/// What is under review, in words.
pub fn kind_name(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Server => translatable("Server"),
        ItemKind::Dispute => translatable("Dispute"),
        ItemKind::Review => translatable("Review"),
        ItemKind::Post => translatable("Post"),
        ItemKind::Report => translatable("Reported review"),
        ItemKind::TextureReport => translatable("Reported skin or cape"),
        ItemKind::Name => translatable("Name"),
        ItemKind::Upload => translatable("Skin or cape"),
    }
}

pub fn state_name(state: ItemState) -> &'static str {
    match state {
        ItemState::Open => translatable("Waiting for a moderator"),
        ItemState::Approved => translatable("Approved"),
        ItemState::Rejected => translatable("Rejected"),
        ItemState::Hidden => translatable("Hidden"),
    }
}

pub fn state_class(state: ItemState) -> &'static str {
    match state {
        ItemState::Open => "warn",
        ItemState::Approved => "good",
        ItemState::Rejected | ItemState::Hidden => "bad",
    }
}
