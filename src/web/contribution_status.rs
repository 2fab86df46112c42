//! The status of a review or post in words.

use rollcall_model::message::translatable;

pub fn name(status: &str) -> &'static str {
    match status {
        "APPROVED" => translatable("Shown"),
        "PENDING" => translatable("Waiting for a moderator"),
        "REJECTED" => translatable("Rejected"),
        _ => translatable("Hidden"),
    }
}

pub fn class(status: &str) -> &'static str {
    match status {
        "APPROVED" => "good",
        "PENDING" => "warn",
        _ => "bad",
    }
}
