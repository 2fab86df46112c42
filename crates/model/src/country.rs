//! Countries and territories by short name and ISO 3166-1 code.

use Continent::*;
use rollcall_search::fold_search;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::LazyLock;
use utoipa::ToSchema;

/// Stored for a server whose country is not known yet.
pub const UNKNOWN: &str = "Unknown";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Continent {
    Africa,
    Antarctica,
    Asia,
    Europe,
    NorthAmerica,
    Oceania,
    SouthAmerica,
}

impl Continent {
    pub const ALL: [Continent; 7] = [Africa, Antarctica, Asia, Europe, NorthAmerica, Oceania, SouthAmerica];

    pub const fn id(self) -> &'static str {
        match self {
            Africa => "africa",
            Antarctica => "antarctica",
            Asia => "asia",
            Europe => "europe",
            NorthAmerica => "north-america",
            Oceania => "oceania",
            SouthAmerica => "south-america",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Africa => "Africa",
            Antarctica => "Antarctica",
            Asia => "Asia",
            Europe => "Europe",
            NorthAmerica => "North America",
            Oceania => "Oceania",
            SouthAmerica => "South America",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Country {
    /// ISO 3166-1 alpha-2; Kosovo has the user-assigned `XK`.
    pub code: &'static str,
    pub name: &'static str,
    pub continent: Continent,
}

/// Folded names and aliases, with their index in `COUNTRIES`.
static BY_NAME: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
    let names = COUNTRIES.iter().enumerate().map(|(at, c)| (c.name, at));
    let aliases = ALIASES.iter().filter_map(|(alias, code)| Some((*alias, position(code)?)));
    names.chain(aliases).map(|(name, at)| (fold_search(name), at)).collect()
});

/// Finds a country by name or alias, ignoring case and accents.
pub fn by_name(name: &str) -> Option<&'static Country> {
    let at = BY_NAME.get(&fold_search(name))?;
    Some(&COUNTRIES[*at])
}

/// Finds a country by its alpha-2 code in any case.
pub fn by_code(code: &str) -> Option<&'static Country> {
    position(&code.to_ascii_uppercase()).map(|at| &COUNTRIES[at])
}

pub fn continent_of(name: &str) -> Option<Continent> {
    by_name(name).map(|country| country.continent)
}

fn position(code: &str) -> Option<usize> {
    COUNTRIES.binary_search_by(|c| c.code.cmp(code)).ok()
}

const fn row(code: &'static str, name: &'static str, continent: Continent) -> Country {
    Country { code, name, continent }
}

/// Names that other sources use; accepted as input, never written.
static ALIASES: &[(&str, &str)] = &[
    ("Brunei Darussalam", "BN"),
    ("Burma", "MM"),
    ("Cabo Verde", "CV"),
    ("Congo", "CG"),
    ("Congo, Democratic Republic of the", "CD"),
    ("Congo-Brazzaville", "CG"),
    ("Congo-Kinshasa", "CD"),
    ("Czech Republic", "CZ"),
    ("Democratic Republic of the Congo", "CD"),
    ("East Timor", "TL"),
    ("Federated States of Micronesia", "FM"),
    ("Great Britain", "GB"),
    ("Holland", "NL"),
    ("Holy See", "VA"),
    ("Iran, Islamic Republic of", "IR"),
    ("Ivory Coast", "CI"),
    ("Korea", "KR"),
    ("Korea, Republic of", "KR"),
    ("Lao People's Democratic Republic", "LA"),
    ("Macau", "MO"),
    ("Macedonia", "MK"),
    ("Moldova, Republic of", "MD"),
    ("Palestinian Territory", "PS"),
    ("Republic of Korea", "KR"),
    ("Russian Federation", "RU"),
    ("Swaziland", "SZ"),
    ("Syrian Arab Republic", "SY"),
    ("The Bahamas", "BS"),
    ("The Gambia", "GM"),
    ("The Netherlands", "NL"),
    ("Turkey", "TR"),
    ("UAE", "AE"),
    ("UK", "GB"),
    ("United States of America", "US"),
    ("USA", "US"),
    ("Vatican", "VA"),
    ("Viet Nam", "VN"),
];

/// Sorted by code. Continents follow common geolocation databases: Russia and Cyprus in Europe, Türkiye and the Caucasus in Asia,
/// Central America and the Caribbean in North America.
pub static COUNTRIES: &[Country] = &[
    row("AD", "Andorra", Europe),
    row("AE", "United Arab Emirates", Asia),
    row("AF", "Afghanistan", Asia),
    row("AG", "Antigua and Barbuda", NorthAmerica),
    row("AI", "Anguilla", NorthAmerica),
    row("AL", "Albania", Europe),
    row("AM", "Armenia", Asia),
    row("AO", "Angola", Africa),
    row("AQ", "Antarctica", Antarctica),
    row("AR", "Argentina", SouthAmerica),
    row("AS", "American Samoa", Oceania),
    row("AT", "Austria", Europe),
    row("AU", "Australia", Oceania),
    row("AW", "Aruba", NorthAmerica),
    row("AX", "Åland Islands", Europe),
    row("AZ", "Azerbaijan", Asia),
    row("BA", "Bosnia and Herzegovina", Europe),
    row("BB", "Barbados", NorthAmerica),
    row("BD", "Bangladesh", Asia),
    row("BE", "Belgium", Europe),
    row("BF", "Burkina Faso", Africa),
    row("BG", "Bulgaria", Europe),
    row("BH", "Bahrain", Asia),
    row("BI", "Burundi", Africa),
    row("BJ", "Benin", Africa),
    row("BL", "Saint Barthélemy", NorthAmerica),
    row("BM", "Bermuda", NorthAmerica),
    row("BN", "Brunei", Asia),
    row("BO", "Bolivia", SouthAmerica),
    row("BQ", "Caribbean Netherlands", NorthAmerica),
    row("BR", "Brazil", SouthAmerica),
    row("BS", "Bahamas", NorthAmerica),
    row("BT", "Bhutan", Asia),
    row("BV", "Bouvet Island", Antarctica),
    row("BW", "Botswana", Africa),
    row("BY", "Belarus", Europe),
    row("BZ", "Belize", NorthAmerica),
    row("CA", "Canada", NorthAmerica),
    row("CC", "Cocos (Keeling) Islands", Oceania),
    row("CD", "DR Congo", Africa),
    row("CF", "Central African Republic", Africa),
    row("CG", "Republic of the Congo", Africa),
    row("CH", "Switzerland", Europe),
    row("CI", "Côte d'Ivoire", Africa),
    row("CK", "Cook Islands", Oceania),
    row("CL", "Chile", SouthAmerica),
    row("CM", "Cameroon", Africa),
    row("CN", "China", Asia),
    row("CO", "Colombia", SouthAmerica),
    row("CR", "Costa Rica", NorthAmerica),
    row("CU", "Cuba", NorthAmerica),
    row("CV", "Cape Verde", Africa),
    row("CW", "Curaçao", NorthAmerica),
    row("CX", "Christmas Island", Oceania),
    row("CY", "Cyprus", Europe),
    row("CZ", "Czechia", Europe),
    row("DE", "Germany", Europe),
    row("DJ", "Djibouti", Africa),
    row("DK", "Denmark", Europe),
    row("DM", "Dominica", NorthAmerica),
    row("DO", "Dominican Republic", NorthAmerica),
    row("DZ", "Algeria", Africa),
    row("EC", "Ecuador", SouthAmerica),
    row("EE", "Estonia", Europe),
    row("EG", "Egypt", Africa),
    row("EH", "Western Sahara", Africa),
    row("ER", "Eritrea", Africa),
    row("ES", "Spain", Europe),
    row("ET", "Ethiopia", Africa),
    row("FI", "Finland", Europe),
    row("FJ", "Fiji", Oceania),
    row("FK", "Falkland Islands", SouthAmerica),
    row("FM", "Micronesia", Oceania),
    row("FO", "Faroe Islands", Europe),
    row("FR", "France", Europe),
    row("GA", "Gabon", Africa),
    row("GB", "United Kingdom", Europe),
    row("GD", "Grenada", NorthAmerica),
    row("GE", "Georgia", Asia),
    row("GF", "French Guiana", SouthAmerica),
    row("GG", "Guernsey", Europe),
    row("GH", "Ghana", Africa),
    row("GI", "Gibraltar", Europe),
    row("GL", "Greenland", NorthAmerica),
    row("GM", "Gambia", Africa),
    row("GN", "Guinea", Africa),
    row("GP", "Guadeloupe", NorthAmerica),
    row("GQ", "Equatorial Guinea", Africa),
    row("GR", "Greece", Europe),
    row("GS", "South Georgia and the South Sandwich Islands", Antarctica),
    row("GT", "Guatemala", NorthAmerica),
    row("GU", "Guam", Oceania),
    row("GW", "Guinea-Bissau", Africa),
    row("GY", "Guyana", SouthAmerica),
    row("HK", "Hong Kong", Asia),
    row("HM", "Heard Island and McDonald Islands", Antarctica),
    row("HN", "Honduras", NorthAmerica),
    row("HR", "Croatia", Europe),
    row("HT", "Haiti", NorthAmerica),
    row("HU", "Hungary", Europe),
    row("ID", "Indonesia", Asia),
    row("IE", "Ireland", Europe),
    row("IL", "Israel", Asia),
    row("IM", "Isle of Man", Europe),
    row("IN", "India", Asia),
    row("IO", "British Indian Ocean Territory", Asia),
    row("IQ", "Iraq", Asia),
    row("IR", "Iran", Asia),
    row("IS", "Iceland", Europe),
    row("IT", "Italy", Europe),
    row("JE", "Jersey", Europe),
    row("JM", "Jamaica", NorthAmerica),
    row("JO", "Jordan", Asia),
    row("JP", "Japan", Asia),
    row("KE", "Kenya", Africa),
    row("KG", "Kyrgyzstan", Asia),
    row("KH", "Cambodia", Asia),
    row("KI", "Kiribati", Oceania),
    row("KM", "Comoros", Africa),
    row("KN", "Saint Kitts and Nevis", NorthAmerica),
    row("KP", "North Korea", Asia),
    row("KR", "South Korea", Asia),
    row("KW", "Kuwait", Asia),
    row("KY", "Cayman Islands", NorthAmerica),
    row("KZ", "Kazakhstan", Asia),
    row("LA", "Laos", Asia),
    row("LB", "Lebanon", Asia),
    row("LC", "Saint Lucia", NorthAmerica),
    row("LI", "Liechtenstein", Europe),
    row("LK", "Sri Lanka", Asia),
    row("LR", "Liberia", Africa),
    row("LS", "Lesotho", Africa),
    row("LT", "Lithuania", Europe),
    row("LU", "Luxembourg", Europe),
    row("LV", "Latvia", Europe),
    row("LY", "Libya", Africa),
    row("MA", "Morocco", Africa),
    row("MC", "Monaco", Europe),
    row("MD", "Moldova", Europe),
    row("ME", "Montenegro", Europe),
    row("MF", "Saint Martin", NorthAmerica),
    row("MG", "Madagascar", Africa),
    row("MH", "Marshall Islands", Oceania),
    row("MK", "North Macedonia", Europe),
    row("ML", "Mali", Africa),
    row("MM", "Myanmar", Asia),
    row("MN", "Mongolia", Asia),
    row("MO", "Macao", Asia),
    row("MP", "Northern Mariana Islands", Oceania),
    row("MQ", "Martinique", NorthAmerica),
    row("MR", "Mauritania", Africa),
    row("MS", "Montserrat", NorthAmerica),
    row("MT", "Malta", Europe),
    row("MU", "Mauritius", Africa),
    row("MV", "Maldives", Asia),
    row("MW", "Malawi", Africa),
    row("MX", "Mexico", NorthAmerica),
    row("MY", "Malaysia", Asia),
    row("MZ", "Mozambique", Africa),
    row("NA", "Namibia", Africa),
    row("NC", "New Caledonia", Oceania),
    row("NE", "Niger", Africa),
    row("NF", "Norfolk Island", Oceania),
    row("NG", "Nigeria", Africa),
    row("NI", "Nicaragua", NorthAmerica),
    row("NL", "Netherlands", Europe),
    row("NO", "Norway", Europe),
    row("NP", "Nepal", Asia),
    row("NR", "Nauru", Oceania),
    row("NU", "Niue", Oceania),
    row("NZ", "New Zealand", Oceania),
    row("OM", "Oman", Asia),
    row("PA", "Panama", NorthAmerica),
    row("PE", "Peru", SouthAmerica),
    row("PF", "French Polynesia", Oceania),
    row("PG", "Papua New Guinea", Oceania),
    row("PH", "Philippines", Asia),
    row("PK", "Pakistan", Asia),
    row("PL", "Poland", Europe),
    row("PM", "Saint Pierre and Miquelon", NorthAmerica),
    row("PN", "Pitcairn Islands", Oceania),
    row("PR", "Puerto Rico", NorthAmerica),
    row("PS", "Palestine", Asia),
    row("PT", "Portugal", Europe),
    row("PW", "Palau", Oceania),
    row("PY", "Paraguay", SouthAmerica),
    row("QA", "Qatar", Asia),
    row("RE", "Réunion", Africa),
    row("RO", "Romania", Europe),
    row("RS", "Serbia", Europe),
    row("RU", "Russia", Europe),
    row("RW", "Rwanda", Africa),
    row("SA", "Saudi Arabia", Asia),
    row("SB", "Solomon Islands", Oceania),
    row("SC", "Seychelles", Africa),
    row("SD", "Sudan", Africa),
    row("SE", "Sweden", Europe),
    row("SG", "Singapore", Asia),
    row("SH", "Saint Helena, Ascension and Tristan da Cunha", Africa),
    row("SI", "Slovenia", Europe),
    row("SJ", "Svalbard and Jan Mayen", Europe),
    row("SK", "Slovakia", Europe),
    row("SL", "Sierra Leone", Africa),
    row("SM", "San Marino", Europe),
    row("SN", "Senegal", Africa),
    row("SO", "Somalia", Africa),
    row("SR", "Suriname", SouthAmerica),
    row("SS", "South Sudan", Africa),
    row("ST", "São Tomé and Príncipe", Africa),
    row("SV", "El Salvador", NorthAmerica),
    row("SX", "Sint Maarten", NorthAmerica),
    row("SY", "Syria", Asia),
    row("SZ", "Eswatini", Africa),
    row("TC", "Turks and Caicos Islands", NorthAmerica),
    row("TD", "Chad", Africa),
    row("TF", "French Southern Territories", Antarctica),
    row("TG", "Togo", Africa),
    row("TH", "Thailand", Asia),
    row("TJ", "Tajikistan", Asia),
    row("TK", "Tokelau", Oceania),
    row("TL", "Timor-Leste", Asia),
    row("TM", "Turkmenistan", Asia),
    row("TN", "Tunisia", Africa),
    row("TO", "Tonga", Oceania),
    row("TR", "Türkiye", Asia),
    row("TT", "Trinidad and Tobago", NorthAmerica),
    row("TV", "Tuvalu", Oceania),
    row("TW", "Taiwan", Asia),
    row("TZ", "Tanzania", Africa),
    row("UA", "Ukraine", Europe),
    row("UG", "Uganda", Africa),
    row("UM", "U.S. Minor Outlying Islands", Oceania),
    row("US", "United States", NorthAmerica),
    row("UY", "Uruguay", SouthAmerica),
    row("UZ", "Uzbekistan", Asia),
    row("VA", "Vatican City", Europe),
    row("VC", "Saint Vincent and the Grenadines", NorthAmerica),
    row("VE", "Venezuela", SouthAmerica),
    row("VG", "British Virgin Islands", NorthAmerica),
    row("VI", "U.S. Virgin Islands", NorthAmerica),
    row("VN", "Vietnam", Asia),
    row("VU", "Vanuatu", Oceania),
    row("WF", "Wallis and Futuna", Oceania),
    row("WS", "Samoa", Oceania),
    row("XK", "Kosovo", Europe),
    row("YE", "Yemen", Asia),
    row("YT", "Mayotte", Africa),
    row("ZA", "South Africa", Africa),
    row("ZM", "Zambia", Africa),
    row("ZW", "Zimbabwe", Africa),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_table_is_complete_and_sorted() {
        // The 249 entries of ISO 3166-1 and Kosovo.
        assert_eq!(COUNTRIES.len(), 250);
        assert!(COUNTRIES.is_sorted_by(|a, b| a.code < b.code));
        for country in COUNTRIES {
            assert!(country.code.len() == 2 && country.code.bytes().all(|b| b.is_ascii_uppercase()));
            assert_eq!(by_code(&country.code.to_lowercase()), Some(country));
            assert_eq!(by_name(country.name), Some(country));
            assert_eq!(continent_of(country.name), Some(country.continent));
        }
    }

    #[test]
    fn no_two_names_fold_to_the_same_key() {
        assert_eq!(BY_NAME.len(), COUNTRIES.len() + ALIASES.len());
        for (alias, code) in ALIASES {
            assert_eq!(by_name(alias), by_code(code), "{alias}");
            assert!(by_code(code).is_some(), "{code}");
        }
    }

    #[test]
    fn finds_by_any_spelling() {
        for name in ["Türkiye", "TÜRKİYE", " turkiye ", "Turkey"] {
            assert_eq!(by_name(name).unwrap().code, "TR", "{name}");
        }
        assert_eq!(by_name("united states").unwrap().name, "United States");
        assert_eq!(continent_of("Germany"), Some(Europe));
        for unknown in ["", "Unknown", "Atlantis"] {
            assert_eq!(by_name(unknown), None);
            assert_eq!(continent_of(unknown), None);
            assert_eq!(by_code(unknown), None);
        }
    }

    #[test]
    fn continents_have_one_id_everywhere() {
        for continent in Continent::ALL {
            assert_eq!(serde_json::to_value(continent).unwrap(), continent.id());
            assert_eq!(crate::slug::slug(continent.name()), continent.id());
            assert!(COUNTRIES.iter().any(|c| c.continent == continent));
        }
    }

    proptest! {
        #[test]
        fn lookup_never_panics(text in any::<String>()) {
            let _ = (by_name(&text), by_code(&text));
        }
    }
}
