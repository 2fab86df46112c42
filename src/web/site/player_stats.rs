//! The counters that a game server reports of a player: the latest values, and how they developed.

use std::collections::BTreeMap;

use crate::web::chart::Sparkline;
use crate::web::view;
use rollcall_model::resources::{PlayerDetail, StatsJson};

/// Counters come from game servers: neither their number nor their names can be trusted.
const MAX_COUNTERS: usize = 24;
const MAX_NAME: usize = 40;

pub struct Counter {
    pub name: String,
    pub value: f64,
    /// The first value of the history.
    pub before: f64,
    pub sparkline: Option<Sparkline>,
}

/// The counters of the latest report, with their history on the same server.
pub fn counters(player: &PlayerDetail<'_>) -> Vec<Counter> {
    let Some(latest) = &player.latest_stats else { return Vec::new() };
    // Oldest first.
    let reports: Vec<BTreeMap<String, f64>> = player
        .stats_history
        .iter()
        .rev()
        .filter(|report| report.server_name == latest.server.name)
        .map(|report| numbers(&report.stats_json))
        .collect();
    let counters = numbers(&latest.stats_json).into_iter().take(MAX_COUNTERS).map(|(key, value)| {
        let history: Vec<Option<i64>> =
            reports.iter().map(|report| report.get(&key).map(|value| *value as i64)).collect();
        Counter {
            before: history.iter().flatten().next().map_or(value, |first| *first as f64),
            sparkline: Sparkline::new(&history),
            name: label(&key),
            value,
        }
    });
    counters.collect()
}

fn numbers(json: &StatsJson) -> BTreeMap<String, f64> {
    let values: BTreeMap<String, serde_json::Value> = serde_json::from_str(json.0.get()).unwrap_or_default();
    values.into_iter().filter_map(|(key, value)| Some((key, value.as_f64()?))).collect()
}

/// Counters that most servers report have a name in every language.
const KNOWN: [(&str, &str); 5] = [
    ("kills", "Kills"),
    ("deaths", "Deaths"),
    ("wins", "Wins"),
    ("blocksBroken", "Blocks broken"),
    ("playMinutes", "Minutes played"),
];

/// `mobsTamed` → `Mobs tamed`
fn label(key: &str) -> String {
    if let Some((_, name)) = KNOWN.into_iter().find(|(known, _)| *known == key) {
        return view::language().translate(name).to_owned();
    }
    let mut label = String::new();
    for (i, c) in key.chars().take(MAX_NAME).enumerate() {
        match c {
            '_' | '-' => label.push(' '),
            c if c.is_uppercase() && i > 0 => {
                label.push(' ');
                label.extend(c.to_lowercase());
            }
            c if i == 0 => label.extend(c.to_uppercase()),
            c => label.push(c),
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    #[test]
    fn names_of_counters_become_words() {
        let labels = ["mobsTamed", "fish_caught", "kills", "playMinutes", ""].map(label);
        assert_eq!(labels, ["Mobs tamed", "Fish caught", "Kills", "Minutes played", ""]);
        assert_eq!(label(&"x".repeat(1000)).len(), MAX_NAME);
    }

    #[test]
    fn only_numbers_are_counters() {
        let json = |text: &str| StatsJson(RawValue::from_string(text.to_owned()).unwrap());
        assert_eq!(numbers(&json(r#"{"a":1,"b":"<b>","c":[],"d":2.5}"#)).len(), 2);
        assert!(numbers(&json("[1]")).is_empty());
    }
}
