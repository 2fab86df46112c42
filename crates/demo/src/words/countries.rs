//! Countries that servers and players come from.

pub struct DemoCountry {
    pub name: &'static str,
    pub weight: f64,
    pub utc_offset_minutes: i64,
    /// Typical ping from central Europe.
    pub latency_ms: i64,
    pub language: Language,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Turkish,
    Russian,
    Polish,
    Dutch,
    Italian,
    Japanese,
    Korean,
    Chinese,
    Arabic,
    Hebrew,
}

use Language::*;

const fn country(
    name: &'static str,
    weight: f64,
    utc_offset_minutes: i64,
    latency_ms: i64,
    language: Language,
) -> DemoCountry {
    DemoCountry { name, weight, utc_offset_minutes, latency_ms, language }
}

pub const COUNTRIES: &[DemoCountry] = &[
    country("United States", 24.0, -360, 104, English),
    country("Germany", 14.0, 60, 9, German),
    country("United Kingdom", 9.0, 0, 18, English),
    country("France", 8.0, 60, 14, French),
    country("Brazil", 7.0, -180, 198, Portuguese),
    country("Türkiye", 6.0, 180, 47, Turkish),
    country("Russia", 6.0, 180, 43, Russian),
    country("Poland", 6.0, 60, 21, Polish),
    country("Netherlands", 5.0, 60, 8, Dutch),
    country("Canada", 4.0, -300, 96, English),
    country("Japan", 3.0, 540, 226, Japanese),
    country("Australia", 3.0, 600, 254, English),
    country("Spain", 3.0, 60, 29, Spanish),
    country("Italy", 3.0, 60, 22, Italian),
    country("China", 2.0, 480, 188, Chinese),
    country("India", 2.0, 330, 131, English),
    country("Sweden", 2.0, 60, 27, English),
    country("Finland", 2.0, 120, 31, English),
    country("Czechia", 1.6, 60, 15, English),
    country("Ukraine", 1.6, 120, 36, Russian),
    country("South Korea", 1.5, 540, 241, Korean),
    country("Indonesia", 1.4, 420, 172, English),
    country("Romania", 1.3, 120, 34, English),
    country("Mexico", 1.2, -360, 138, Spanish),
    country("Argentina", 1.2, -180, 221, Spanish),
    country("Singapore", 1.0, 480, 161, English),
    country("Austria", 1.0, 60, 13, German),
    country("Switzerland", 0.8, 60, 11, German),
    country("Belgium", 0.8, 60, 12, French),
    country("Denmark", 0.8, 60, 19, English),
    country("Norway", 0.8, 60, 28, English),
    country("Portugal", 0.8, 0, 37, Portuguese),
    country("Hungary", 0.8, 60, 20, English),
    country("Vietnam", 0.7, 420, 203, English),
    country("Chile", 0.7, -240, 232, Spanish),
    country("Taiwan", 0.7, 480, 236, Chinese),
    country("Saudi Arabia", 0.7, 180, 92, Arabic),
    country("Israel", 0.6, 120, 58, Hebrew),
    country("South Africa", 0.6, 120, 163, English),
    country("Philippines", 0.6, 480, 219, English),
    country("Egypt", 0.5, 120, 67, Arabic),
    country("Greece", 0.5, 120, 44, English),
    country("Bulgaria", 0.5, 120, 38, English),
    country("New Zealand", 0.4, 720, 271, English),
    country("Kazakhstan", 0.4, 300, 84, Russian),
];

/// The first country of the table when the name is unknown.
pub fn country_named(name: &str) -> &'static DemoCountry {
    COUNTRIES.iter().find(|country| country.name == name).unwrap_or(&COUNTRIES[0])
}
