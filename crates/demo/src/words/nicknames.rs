//! Parts of player nicknames. Any two fit in Minecraft's limit of 16 characters.

pub const FIRST_NAMES: &[&str] = &[
    "Mira", "Otto", "Lena", "Finn", "Kaan", "Aylin", "Deniz", "Emre", "Zeynep", "Ivan", "Olga", "Misha", "Kasia",
    "Piotr", "Ania", "Hugo", "Chloe", "Luc", "Ines", "Rui", "Joao", "Bia", "Caio", "Luna", "Diego", "Sofia", "Yuki",
    "Haru", "Ren", "Aoi", "Minjun", "Sora", "Wei", "Ling", "Omar", "Layla", "Noam", "Tamar", "Erik", "Freya", "Sven",
    "Anna", "Jonas", "Felix", "Emma", "Liam", "Ava", "Noah", "Ella", "Max", "Ruby", "Theo", "Iris", "Nils", "Vera",
    "Ida", "Leo", "Mats", "Nora", "Bram",
];

pub const ADJECTIVES: &[&str] = &[
    "Silent", "Frosty", "Sleepy", "Lucky", "Hidden", "Rusty", "Mellow", "Cosmic", "Brave", "Tiny", "Salty", "Rapid",
    "Golden", "Fuzzy", "Grumpy", "Lost", "Icy", "Velvet", "Wild", "Quiet", "Dusty", "Bright", "Neon", "Stormy",
    "Pixel", "Misty", "Sunny", "Shady", "Clever", "Humble", "Crisp", "Lunar", "Solar", "Toxic", "Swift", "Royal",
    "Spicy", "Mossy", "Red", "Blue", "Dark", "Cold", "Odd", "Mad",
];

pub const NOUNS: &[&str] = &[
    "Fox", "Wolf", "Otter", "Raven", "Badger", "Panda", "Koala", "Moth", "Heron", "Lynx", "Toad", "Crow", "Bear",
    "Tiger", "Shark", "Whale", "Owl", "Bee", "Goat", "Yak", "Knight", "Wizard", "Pirate", "Nomad", "Scout", "Ranger",
    "Miner", "Baker", "Smith", "Hunter", "Monk", "Ghost", "Golem", "Slime", "Axolotl", "Allay", "Piglin", "Comet",
    "Pickle", "Waffle", "Muffin", "Noodle", "Potato", "Turnip", "Cactus", "Biscuit", "Pebble", "Anvil", "Arrow",
    "Blade", "Torch", "Brick", "Cloud", "Ember",
];

pub const ENDINGS: &[&str] = &["PvP", "YT", "TV", "_x", "HD", "MC", "xd", "_", "Jr", "ish"];
