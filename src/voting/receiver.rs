//! What an owner enters about the receiver of votes, and what a voter enters as a nickname. Pure.

use rollcall_minecraft::votifier::{Protocol, PublicKey, Receiver, Token};
use rollcall_minecraft::{Edition, Host, is_player_name};
use rollcall_model::message::{Message, translatable};
use rollcall_model::secret::Secret;
use rollcall_store::voting::receivers::VoteReceiver;

/// NuVotifier rejects longer names, and Floodgate cuts names with its prefix to this length.
const MAX_NICKNAME_CHARS: usize = 16;

/// The fields of the form.
pub struct EnteredReceiver<'a> {
    pub protocol: &'a str,
    pub host: &'a str,
    pub port: &'a str,
    pub secret: &'a str,
    pub repeats_uncertain: bool,
}

pub fn parse_receiver(entered: &EnteredReceiver) -> Result<VoteReceiver, Message> {
    let port = entered.port.parse::<u16>().ok().filter(|port| *port > 0);
    let port = port.ok_or(translatable("The port must be a number from 1 to 65535; Votifier's is 8192."))?;
    let receiver = VoteReceiver {
        protocol: entered.protocol.to_owned(),
        host: entered.host.trim_matches(['[', ']']).to_lowercase(),
        port: i64::from(port),
        secret: Secret::from(entered.secret.trim()),
        repeats_uncertain: entered.repeats_uncertain,
        failures: 0,
    };
    if receiver.host.parse::<Host>().is_err() {
        return Err(translatable("Enter the host name or IP address of the receiver.").into());
    }
    to_receiver(&receiver).map_err(Message::from)?;
    Ok(receiver)
}

/// The error says what is wrong with the settings.
pub fn to_receiver(stored: &VoteReceiver) -> Result<Receiver, String> {
    let host = stored.host.parse::<Host>()?;
    let port = u16::try_from(stored.port).map_err(|_| "the port is not valid".to_owned())?;
    let protocol = match stored.protocol.as_str() {
        "v2" => Protocol::V2(stored.secret.reveal().parse::<Token>().map_err(|error| error.to_string())?),
        "v1" => {
            let key = stored.secret.reveal().parse::<PublicKey>().map_err(|error| error.to_string())?;
            Protocol::V1(Box::new(key))
        }
        _ => return Err("the protocol must be v1 or v2".to_owned()),
    };
    Ok(Receiver { host, port, protocol })
}

/// Plugins that reward votes write the name into console commands: it must be one that a player of the server can have.
pub fn check_nickname(name: &str, edition: Edition) -> Result<(), Message> {
    if name.is_empty() {
        return Err(translatable("Enter your name in the game.").into());
    }
    // The names that are accepted are ASCII.
    if name.len() <= MAX_NICKNAME_CHARS && is_player_name(name, edition) {
        return Ok(());
    }
    let rule = match edition {
        Edition::Java => translatable(
            "A name in the game has up to 16 characters: letters from A to Z, digits and underscores, after a . or * if the server adds one.",
        ),
        Edition::Bedrock => translatable(
            "A name in the game has up to 16 characters: letters from A to Z, digits, underscores and single spaces between them.",
        ),
    };
    Err(rule.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_checked_before_it_is_stored() {
        let entered =
            |protocol, host, port, secret| EnteredReceiver { protocol, host, port, secret, repeats_uncertain: false };
        assert!(parse_receiver(&entered("v2", "votes.example", "8192", " token ")).is_ok());
        for wrong in [
            entered("v2", "votes.example", "0", "token"),
            entered("v2", "votes.example", "x", "token"),
            entered("v2", "not a host", "8192", "token"),
            entered("v2", "votes.example", "8192", ""),
            entered("v1", "votes.example", "8192", "no key"),
            entered("v3", "votes.example", "8192", "token"),
        ] {
            assert!(parse_receiver(&wrong).is_err());
        }
    }

    #[test]
    fn nicknames_are_short_and_plain() {
        for name in ["Ada", "a", "___", ".Steve", "*x", "abcdefghijklmnop"] {
            for edition in Edition::ALL {
                assert_eq!(check_nickname(name, edition), Ok(()), "{name}");
            }
        }
        assert_eq!(check_nickname("Bob Smith", Edition::Bedrock), Ok(()));
        assert!(check_nickname("Bob Smith", Edition::Java).is_err());
        for name in ["", "a\nb", "\u{202e}abc", "@a", "Ада", "abcdefghijklmnopq", &"x".repeat(1_000_000)] {
            for edition in Edition::ALL {
                assert!(check_nickname(name, edition).is_err(), "{edition:?}");
            }
        }
    }
}
