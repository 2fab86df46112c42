//! Countries that servers and players come from.

pub struct Place {
    pub country: &'static str,
    /// How often it is drawn.
    pub weight: f64,
    /// Where its evening lies.
    pub utc_offset_minutes: i64,
    /// A usual ping from central Europe.
    pub latency: i64,
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

const fn place(country: &'static str, weight: f64, utc_offset_minutes: i64, latency: i64, language: Language) -> Place {
    Place { country, weight, utc_offset_minutes, latency, language }
}

pub const PLACES: &[Place] = &[
    place("United States", 24.0, -360, 104, English),
    place("Germany", 14.0, 60, 9, German),
    place("United Kingdom", 9.0, 0, 18, English),
    place("France", 8.0, 60, 14, French),
    place("Brazil", 7.0, -180, 198, Portuguese),
    place("Türkiye", 6.0, 180, 47, Turkish),
    place("Russia", 6.0, 180, 43, Russian),
    place("Poland", 6.0, 60, 21, Polish),
    place("Netherlands", 5.0, 60, 8, Dutch),
    place("Canada", 4.0, -300, 96, English),
    place("Japan", 3.0, 540, 226, Japanese),
    place("Australia", 3.0, 600, 254, English),
    place("Spain", 3.0, 60, 29, Spanish),
    place("Italy", 3.0, 60, 22, Italian),
    place("China", 2.0, 480, 188, Chinese),
    place("India", 2.0, 330, 131, English),
    place("Sweden", 2.0, 60, 27, English),
    place("Finland", 2.0, 120, 31, English),
    place("Czechia", 1.6, 60, 15, English),
    place("Ukraine", 1.6, 120, 36, Russian),
    place("South Korea", 1.5, 540, 241, Korean),
    place("Indonesia", 1.4, 420, 172, English),
    place("Romania", 1.3, 120, 34, English),
    place("Mexico", 1.2, -360, 138, Spanish),
    place("Argentina", 1.2, -180, 221, Spanish),
    place("Singapore", 1.0, 480, 161, English),
    place("Austria", 1.0, 60, 13, German),
    place("Switzerland", 0.8, 60, 11, German),
    place("Belgium", 0.8, 60, 12, French),
    place("Denmark", 0.8, 60, 19, English),
    place("Norway", 0.8, 60, 28, English),
    place("Portugal", 0.8, 0, 37, Portuguese),
    place("Hungary", 0.8, 60, 20, English),
    place("Vietnam", 0.7, 420, 203, English),
    place("Chile", 0.7, -240, 232, Spanish),
    place("Taiwan", 0.7, 480, 236, Chinese),
    place("Saudi Arabia", 0.7, 180, 92, Arabic),
    place("Israel", 0.6, 120, 58, Hebrew),
    place("South Africa", 0.6, 120, 163, English),
    place("Philippines", 0.6, 480, 219, English),
    place("Egypt", 0.5, 120, 67, Arabic),
    place("Greece", 0.5, 120, 44, English),
    place("Bulgaria", 0.5, 120, 38, English),
    place("New Zealand", 0.4, 720, 271, English),
    place("Kazakhstan", 0.4, 300, 84, Russian),
];

pub fn place_named(country: &str) -> &'static Place {
    PLACES.iter().find(|place| place.country == country).unwrap_or(&PLACES[0])
}
