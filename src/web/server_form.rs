//! The form of a server: stored or submitted values, and the requested changes. Operators see all fields, owners most
//! of them.

use crate::error::ApiError;
use crate::tracked_servers::{ServerError, ServerSettings};
use crate::web::csrf_form::CsrfForm;
use crate::web::error_page;
use crate::web::page::PageRejection;
use crate::web::view::language;
use rollcall_minecraft::Edition;
use rollcall_model::country;
use rollcall_model::message::{Message, translatable};
use rollcall_model::trust::SourceTrust;
use rollcall_model::visibility::Visibility;
use rollcall_store::servers::{ServerListing, ServerRow};

/// The fields as the form shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnteredServer {
    pub address: String,
    pub edition: String,
    pub name: String,
    pub slug: String,
    pub description: String,
    /// Separated by commas.
    pub tags: String,
    pub country: String,
    pub mode: String,
    pub website: String,
    pub chat_url: String,
    pub store_url: String,
    pub video_url: String,
    pub owner: String,
    pub query_port: String,
    /// The name of a [`Visibility`].
    pub visibility: String,
    pub is_tracked: bool,
    /// `auto` or a level.
    pub trust: String,
    /// Forgets the evidence against the server.
    pub forgive: bool,
}

const AUTO: &str = "auto";

impl EnteredServer {
    /// The defaults of a new server.
    pub fn new_server() -> Self {
        let edition = Edition::default().name().to_owned();
        let visibility = Visibility::default().name().to_owned();
        Self { edition, visibility, is_tracked: true, trust: AUTO.to_owned(), ..Self::default() }
    }

    pub fn stored(listing: &ServerListing, row: &ServerRow) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Self {
            address: listing.address(),
            edition: listing.edition.clone(),
            name: listing.name.clone(),
            slug: listing.slug.clone(),
            description: row.short_description.clone(),
            tags: row.tags.join(", "),
            // What the API says of a server without a country is not what its owner entered.
            country: Some(row.country.clone()).filter(|name| name != country::UNKNOWN).unwrap_or_default(),
            mode: text(&row.game_mode),
            website: text(&row.website),
            chat_url: text(&row.chat_url),
            store_url: text(&row.store_url),
            video_url: text(&row.video_url),
            owner: row.owner.as_ref().map(|owner| owner.username.clone()).unwrap_or_default(),
            query_port: listing.query_port.map(|port| port.to_string()).unwrap_or_default(),
            visibility: listing.visibility.clone(),
            is_tracked: listing.is_tracked,
            trust: listing.operator_trust.map_or(AUTO, SourceTrust::name).to_owned(),
            forgive: false,
        }
    }

    pub fn of_form<U>(form: &CsrfForm<U>) -> Self {
        let text = |name: &str| form.text(name).to_owned();
        let is_checked = |name: &str| form.text(name) == "yes";
        Self {
            address: text("address"),
            edition: text("edition"),
            slug: text("slug"),
            owner: text("owner"),
            is_tracked: is_checked("is_tracked"),
            trust: text("trust"),
            forgive: is_checked("forgive"),
            ..Self::of_owner_form(form, Self::default())
        }
    }

    /// The fields that owners may change, over those of `stored`.
    pub fn of_owner_form<U>(form: &CsrfForm<U>, stored: Self) -> Self {
        let text = |name: &str| form.text(name).to_owned();
        Self {
            name: text("name"),
            description: text("description"),
            tags: text("tags"),
            country: text("country"),
            mode: text("mode"),
            website: text("website"),
            chat_url: text("chat_url"),
            store_url: text("store_url"),
            video_url: text("video_url"),
            query_port: text("query_port"),
            visibility: text("visibility"),
            ..stored
        }
    }

    /// Changes of this form to `stored`. Unchanged fields are not checked again.
    pub fn differences(&self, stored: &Self) -> Result<ServerSettings, Message> {
        let changed = |text: &String, before: &String| (text != before).then(|| text.clone());
        let tags = || self.tags.split(',').map(|tag| tag.trim().to_owned()).collect();
        Ok(ServerSettings {
            address: changed(&self.address, &stored.address),
            edition: changed(&self.edition, &stored.edition).map(|name| parse_edition(&name)).transpose()?,
            name: changed(&self.name, &stored.name),
            slug: changed(&self.slug, &stored.slug),
            description: changed(&self.description, &stored.description),
            tags: (self.tags != stored.tags).then(tags),
            country: changed(&self.country, &stored.country),
            mode: changed(&self.mode, &stored.mode),
            website: changed(&self.website, &stored.website),
            chat_url: changed(&self.chat_url, &stored.chat_url),
            store_url: changed(&self.store_url, &stored.store_url),
            video_url: changed(&self.video_url, &stored.video_url),
            visibility: changed(&self.visibility, &stored.visibility)
                .map(|name| parse_visibility(&name))
                .transpose()?,
            banner: None,
            owner: changed(&self.owner, &stored.owner),
            query_port: changed(&self.query_port, &stored.query_port).map(|port| parse_port(&port)).transpose()?,
            is_tracked: (self.is_tracked != stored.is_tracked).then_some(self.is_tracked),
            trust: match self.forgive || self.trust != stored.trust {
                true => Some(parse_trust(&self.trust)?),
                false => None,
            },
        })
    }

    /// Name, label and value of the fields that hold a line of text.
    pub fn texts(&self) -> [(&'static str, &'static str, &str); 7] {
        [
            ("country", translatable("Country, by name or code"), &self.country),
            ("mode", translatable("Game mode"), &self.mode),
            ("tags", translatable("Tags, separated by commas"), &self.tags),
            ("website", translatable("Website"), &self.website),
            ("chat_url", translatable("Chat (URL)"), &self.chat_url),
            ("store_url", translatable("Store (URL)"), &self.store_url),
            ("video_url", translatable("Video (URL)"), &self.video_url),
        ]
    }

    /// Value, label and whether it is chosen.
    pub fn editions(&self) -> [(&'static str, &'static str, bool); Edition::ALL.len()] {
        Edition::ALL.map(|edition| (edition.name(), edition_label(edition), edition.name() == self.edition))
    }

    /// Value, label and whether it is chosen.
    pub fn visibilities(&self) -> [(&'static str, &'static str, bool); Visibility::ALL.len()] {
        Visibility::ALL.map(|visibility| {
            let label = match visibility {
                Visibility::Public => translatable("Public"),
                Visibility::Unlisted => translatable("Unlisted"),
                Visibility::Hidden => translatable("Hidden"),
            };
            (visibility.name(), label, visibility.name() == self.visibility)
        })
    }

    /// Value, label and whether it is chosen.
    pub fn trust_levels(&self) -> [(&'static str, &'static str, bool); 4] {
        let levels = [
            (AUTO, translatable("Decided by the tracker")),
            (SourceTrust::Verified.name(), translatable("Verified: may rename players, counts are confirmed")),
            (SourceTrust::Sampled.name(), translatable("Sampled: renames need agreement, counts are confirmed")),
            (SourceTrust::Suspicious.name(), translatable("Suspicious: its players count nowhere")),
        ];
        levels.map(|(value, label)| (value, label, value == self.trust))
    }
}

/// A name of its own, the same in every language.
pub fn edition_label(edition: Edition) -> &'static str {
    match edition {
        Edition::Java => "Java",
        Edition::Bedrock => "Bedrock",
    }
}

fn parse_visibility(name: &str) -> Result<Visibility, Message> {
    Visibility::parse(name).ok_or_else(|| Message::new("Choose a visibility of the list, not “{}”.", &[&name]))
}

pub fn parse_edition(name: &str) -> Result<Edition, Message> {
    Edition::parse(name).ok_or_else(|| Message::new("Choose an edition of the list, not “{}”.", &[&name]))
}

fn parse_trust(name: &str) -> Result<Option<SourceTrust>, Message> {
    match SourceTrust::parse(name) {
        None if name != AUTO => Err(Message::new("Choose a trust level of the list, not “{}”.", &[&name])),
        level => Ok(level),
    }
}

fn parse_port(text: &str) -> Result<u16, Message> {
    match text {
        "" => Ok(0),
        _ => text.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
            Message::new("The query port must be a number from 1 to 65535 or empty, not “{}”.", &[&text])
        }),
    }
}

/// Errors name a field as `servers.ndjson` does; readers of the form know its label.
fn with_label(reason: &str) -> String {
    let (field, rest) = reason.split_once(' ').unwrap_or((reason, ""));
    let label = match field {
        "name" => translatable("Name"),
        "shortDescription" => translatable("Short description"),
        "country" => translatable("Country"),
        "gameMode" => translatable("Game mode"),
        "tags" => translatable("Tags"),
        "website" => translatable("Website"),
        "chatUrl" => translatable("Chat (URL)"),
        "storeUrl" => translatable("Store (URL)"),
        "videoUrl" => translatable("Video (URL)"),
        _ => return reason.to_owned(),
    };
    format!("{} {rest}", language().translate(label))
}

/// Says why an address cannot be pinged or moved to; what is not the fault of the form becomes an error page.
pub fn explain_address(error: ServerError) -> Result<Message, PageRejection> {
    match error {
        ServerError::Invalid(reason) | ServerError::Conflict(reason) => {
            Ok(language().fill("The address is not valid: {}.", &[&language().message(&reason)]).into())
        }
        other => explain(other),
    }
}

/// Says why a server was not saved; what is not the fault of the form becomes an error page.
pub fn explain(error: ServerError) -> Result<Message, PageRejection> {
    match error {
        ServerError::Invalid(reason) | ServerError::Conflict(reason) => {
            Ok(language().fill("The server was not saved: {}.", &[&with_label(&language().message(&reason))]).into())
        }
        ServerError::Unchanged => Ok(translatable("Nothing was changed: the form is as it was.").into()),
        ServerError::NotFound => Err(error_page::not_found().into()),
        ServerError::Import(crate::transfer::Error::Store(error)) => Err(error.into()),
        ServerError::Import(error) => Err(ApiError::Internal(error.to_string()).into()),
    }
}
