//! Word and link rules, the same for every kind of text.

use super::links;
use crate::config;
use rollcall_model::message::{Message, translatable};
use rollcall_search::fold_search;
use rollcall_store::moderation::EARLIER_TURNED_DOWN;

/// Why a text is held, as it is stored: the word or the host follows.
const HELD_FOR_WORD: &str = "word:";
const HELD_FOR_LINK: &str = "link:";
pub const HELD_ALWAYS: &str = "everything";
/// The same for the picture of an upload.
pub const PICTURES_HELD_ALWAYS: &str = "pictures";

/// Why an item is in the queue, in words. What owners and other parts of the service give as a reason is shown as it is.
pub fn explain(why: &str) -> Message {
    if let Some(word) = why.strip_prefix(HELD_FOR_WORD) {
        return Message::new("The text contains the word “{}”.", &[&word]);
    }
    if let Some(host) = why.strip_prefix(HELD_FOR_LINK) {
        return Message::new("The text links to {}.", &[&host]);
    }
    match why {
        HELD_ALWAYS => translatable("All texts are reviewed first.").into(),
        PICTURES_HELD_ALWAYS => translatable("All pictures are reviewed first.").into(),
        EARLIER_TURNED_DOWN => translatable("An earlier text or picture of this author was turned down.").into(),
        other => other.to_owned().into(),
    }
}

/// Verdict of the rules on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is shown at once.
    Shown,
    /// A moderator must see it first; why.
    Held(String),
    Refused(Message),
}

pub struct Rules {
    held: Vec<WordRule>,
    refused: Vec<WordRule>,
    max_links: usize,
    /// `None`: all.
    allowed_hosts: Option<Vec<String>>,
    hold_everything: bool,
}

struct WordRule {
    word: String,
    is_prefix: bool,
}

impl WordRule {
    fn new(word: &str) -> Self {
        let letters = word.strip_suffix('*');
        Self { word: fold_search(letters.unwrap_or(word)), is_prefix: letters.is_some() }
    }

    fn matches(&self, word: &str) -> bool {
        if self.is_prefix { word.starts_with(&self.word) } else { word == self.word }
    }
}

impl Rules {
    pub fn new(settings: &config::Moderation) -> Self {
        let words = |words: &[String]| words.iter().map(|word| WordRule::new(word)).collect();
        let all_hosts = settings.allowed_link_hosts == ["*"];
        Self {
            held: words(&settings.held_words),
            refused: words(&settings.refused_words),
            max_links: settings.max_links as usize,
            allowed_hosts: (!all_hosts).then(|| settings.allowed_link_hosts.clone()),
            hold_everything: settings.hold_everything,
        }
    }

    /// Judges the parts of a text, and links that stand in it in another form. What trusted accounts write is never held, but can
    /// be refused.
    pub fn check(&self, parts: &[&str], more_links: &[String], is_trusted: bool) -> Verdict {
        self.check_post(parts, more_links, None, is_trusted)
    }

    /// [`check`](Self::check) for a post about a server with this website, which is shown beside it anyway.
    pub fn check_post(
        &self,
        parts: &[&str],
        more_links: &[String],
        website: Option<&str>,
        is_trusted: bool,
    ) -> Verdict {
        let own_host = website.and_then(links::host);
        let mut hosts: Vec<String> = parts.iter().flat_map(|part| links::hosts(part)).collect();
        // Most links of Markdown are found in the text as well.
        let links = hosts.len().max(more_links.len());
        hosts.extend(more_links.iter().filter_map(|link| links::host(link)));
        if links > self.max_links {
            return Verdict::Refused(Message::new(
                "The text has {} links; at most {} are accepted.",
                &[&links, &self.max_links],
            ));
        }
        let verdict = self.check_words(parts, is_trusted);
        if is_trusted || verdict != Verdict::Shown {
            return verdict;
        }
        match hosts.iter().find(|host| !self.allows(host) && own_host.as_ref() != Some(*host)) {
            Some(host) => Verdict::Held(format!("{HELD_FOR_LINK}{host}")),
            None if self.hold_everything => Verdict::Held(HELD_ALWAYS.to_owned()),
            None => Verdict::Shown,
        }
    }

    /// Judges the texts of a server, and the links that stand in fields of their own, one in each: they do not count as links of a
    /// text. Links to the domain of its address say nothing new.
    pub fn check_server(&self, texts: &[&str], links: &[&str], address_host: &str, is_trusted: bool) -> Verdict {
        let words_of_links = self.check_words(links, is_trusted);
        if matches!(words_of_links, Verdict::Refused(_)) {
            return words_of_links;
        }
        let verdict = self.check(texts, &[], is_trusted);
        if is_trusted || verdict != Verdict::Shown {
            return verdict;
        }
        if words_of_links != Verdict::Shown {
            return words_of_links;
        }
        let mut hosts = links.iter().filter_map(|link| links::host(link));
        match hosts.find(|host| !self.allows(host) && !links::is_same_domain(host, address_host)) {
            Some(host) => Verdict::Held(format!("{HELD_FOR_LINK}{host}")),
            None => Verdict::Shown,
        }
    }

    /// Judges a username by its words alone.
    pub fn check_name(&self, name: &str) -> Verdict {
        self.check_words(&[name], false)
    }

    fn check_words(&self, parts: &[&str], is_trusted: bool) -> Verdict {
        let words = words(parts);
        let found = |rules: &[WordRule]| words.iter().find(|word| rules.iter().any(|rule| rule.matches(word)));
        match (found(&self.refused), found(&self.held)) {
            (Some(word), _) => Verdict::Refused(not_accepted(word)),
            (None, Some(word)) if !is_trusted => Verdict::Held(format!("{HELD_FOR_WORD}{word}")),
            _ => Verdict::Shown,
        }
    }

    fn allows(&self, host: &str) -> bool {
        let Some(allowed) = &self.allowed_hosts else { return true };
        allowed.iter().any(|allowed| {
            host == allowed || host.strip_suffix(allowed.as_str()).is_some_and(|rest| rest.ends_with('.'))
        })
    }
}

fn not_accepted(word: &str) -> Message {
    Message::new("The word “{}” is not accepted here.", &[&word])
}

/// The words of a text, folded like the rules. Characters of no width do not split a word.
fn words(parts: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    for part in parts {
        let visible: String = part.chars().filter(|c| !is_invisible(*c)).collect();
        let folded = fold_search(&visible);
        words.extend(folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned));
    }
    words
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Flags};

    fn rules(change: impl FnOnce(&mut config::Moderation)) -> Rules {
        let mut settings = Config::load(&Flags::default()).unwrap().moderation;
        settings.held_words = vec!["casino*".into(), "Bad".into()];
        settings.refused_words = vec!["slur".into()];
        change(&mut settings);
        Rules::new(&settings)
    }

    fn held(text: &str) -> Verdict {
        Verdict::Held(text.to_owned())
    }

    #[test]
    fn words_match_whole_and_in_every_spelling() {
        let rules = rules(|_| {});
        for (text, verdict) in [
            ("A good server", Verdict::Shown),
            ("badly made", Verdict::Shown),
            ("It is BÁD.", held("word:bad")),
            ("b\u{200b}ad", held("word:bad")),
            ("ｂａｄ", held("word:bad")),
            ("Casinos here", held("word:casinos")),
        ] {
            assert_eq!(rules.check(&[text], &[], false), verdict, "{text}");
        }
        assert!(matches!(rules.check(&["title", "a Slur!"], &[], true), Verdict::Refused(_)));
        assert_eq!(rules.check(&["bad"], &[], true), Verdict::Shown, "trusted accounts skip the queue");
        for (name, verdict) in
            [("very_BAD-name", held("word:bad")), ("casino77", held("word:casino77")), ("badger", Verdict::Shown)]
        {
            assert_eq!(rules.check_name(name), verdict, "{name}");
        }
        assert!(matches!(rules.check_name("a_Slur"), Verdict::Refused(_)));
    }

    #[test]
    fn links_to_unknown_hosts_are_held_and_many_are_refused() {
        let strict = rules(|_| {});
        assert_eq!(strict.check(&["https://www.youtube.com/watch"], &[], false), Verdict::Shown);
        assert_eq!(strict.check(&["https://notyoutube.com"], &[], false), held("link:notyoutube.com"));
        assert_eq!(strict.check(&["text"], &["https://evil.example".into()], false), held("link:evil.example"));
        let of_site = |link: &str| strict.check_post(&[link], &[], Some("https://pinewood.example/"), false);
        assert_eq!(of_site("https://pinewood.example/rules"), Verdict::Shown);
        assert_eq!(of_site("https://shop.pinewood.example/"), held("link:shop.pinewood.example"));
        let farm = "https://youtube.com/ ".repeat(4);
        assert!(matches!(strict.check(&[&farm], &[], true), Verdict::Refused(_)));
        let of_server = |links: &[&str]| strict.check_server(&["A name"], links, "play.pinewood.example", false);
        let links = ["https://www.pinewood.example/", "https://discord.gg/pine", "https://map.play.pinewood.example"];
        assert_eq!(of_server(&[&links[..], &["https://youtu.be/x", "https://github.com/x"]].concat()), Verdict::Shown);
        assert_eq!(of_server(&["https://evil.example/"]), held("link:evil.example"));
        assert_eq!(of_server(&["https://youtu.be/bad"]), held("word:bad"));
        assert!(matches!(strict.check_server(&[], &["https://slur.example"], "", true), Verdict::Refused(_)));
        assert_eq!(strict.check_server(&[], &["https://evil.example"], "", true), Verdict::Shown);
        let open = rules(|settings| settings.allowed_link_hosts = vec!["*".into()]);
        assert_eq!(open.check(&["https://evil.example"], &[], false), Verdict::Shown);
        let cautious = rules(|settings| settings.hold_everything = true);
        assert_eq!(cautious.check(&["hello"], &[], false), held("everything"));
        assert_eq!(cautious.check(&["hello"], &[], true), Verdict::Shown);
    }
}
