//! Game modes, with the tags, taglines and descriptions of their servers.

pub struct GameMode {
    pub name: &'static str,
    pub weight: f64,
    pub tags: &'static [&'static str],
    /// Appended to the server name.
    pub titles: &'static [&'static str],
    pub taglines: &'static [&'static str],
    pub descriptions: &'static [&'static str],
}

pub const GAME_MODES: &[GameMode] = &[
    GameMode {
        name: "Survival",
        weight: 20.0,
        tags: &["survival", "economy", "land-claim", "community", "jobs", "crossplay"],
        titles: &["", " SMP", " Survival", ""],
        taglines: &[
            "A calm world for people who build",
            "Claim land, trade, stay a while",
            "New season, fresh map",
            "No pay to win, ever",
        ],
        descriptions: &[
            "Long-term survival with land claims, player shops and a map that is never reset.",
            "Friendly survival for adults and families: claims, jobs, seasonal events and no pay to win.",
            "Semi-vanilla survival with an economy run by players and a world border that grows with us.",
            "Build a town, open a shop, fish all night. Survival the way you remember it.",
            "Cosy survival for Java and Bedrock players alike, with weekly building contests.",
        ],
    },
    GameMode {
        name: "Skyblock",
        weight: 12.0,
        tags: &["skyblock", "economy", "islands", "minions", "quests", "survival"],
        titles: &[" Skyblock", " Isles", "", " Sky"],
        taglines: &[
            "One tree. One island. Everything else is yours",
            "Season 9 is live",
            "Islands, minions, markets",
            "Start with dirt, end with a city",
        ],
        descriptions: &[
            "Skyblock with custom islands, slow honest progress and a market where prices move.",
            "Start on a patch of dirt and grow it into an empire. New season every three months.",
            "Co-op islands, farming skills and a hundred quests. No crates, no gambling.",
            "Hard-mode skyblock for patient players, with challenges that take weeks.",
        ],
    },
    GameMode {
        name: "PvP",
        weight: 10.0,
        tags: &["pvp", "duels", "kits", "ranked", "practice", "competitive"],
        titles: &[" PvP", " Arena", " Practice", ""],
        taglines: &[
            "Ranked duels, low ping",
            "Fight fair or go home",
            "New ladder every month",
            "Seven kits, one crown",
        ],
        descriptions: &[
            "Ranked duels and practice arenas with replay, fair matchmaking and monthly ladders.",
            "Crystal, sword, axe and pot: seven ladders, one rating, no paid advantages.",
            "Fast queues, strict anti-cheat and a season that resets before it gets stale.",
            "Practice against bots, then against people. The ladder decides.",
        ],
    },
    GameMode {
        name: "Minigames",
        weight: 9.0,
        tags: &["minigames", "bedwars", "parkour", "party", "family-friendly", "events"],
        titles: &[" Games", " Network", "", " Arcade"],
        taglines: &[
            "Twenty games, zero queues",
            "Bring your friends",
            "Something new every Friday",
            "Party of four? We have room",
        ],
        descriptions: &[
            "Bed fights, hide and seek, build battles and a new party game every Friday.",
            "Twenty small games with short rounds, made for an evening with friends.",
            "A games network with its own maps, quick rounds and no waiting rooms.",
            "Family-friendly minigames with moderators awake in every time zone.",
        ],
    },
    GameMode {
        name: "Factions",
        weight: 6.0,
        tags: &["factions", "pvp", "raiding", "economy", "competitive"],
        titles: &[" Factions", "", " Raids", " Wars"],
        taglines: &["Raid. Rebuild. Repeat", "Map 14 opens Saturday", "Trust nobody", "Cannons loaded"],
        descriptions: &[
            "Classic factions with cannoning, strongholds and weekly payouts for the top three.",
            "Raid, rebuild and make enemies. Maps last six weeks, grudges last longer.",
            "Small-group factions with a ten-player cap, so that friends can still win.",
        ],
    },
    GameMode {
        name: "Prison",
        weight: 5.0,
        tags: &["prison", "economy", "mining", "grind", "pvp"],
        titles: &[" Prison", " Mines", "", " Block"],
        taglines: &["Mine your way out", "Rank up, break free", "A to Z, then again", "Pickaxes that learn"],
        descriptions: &[
            "Mine, rank up, prestige and do it all again with a better pickaxe.",
            "Old-school prison: contraband, guards, gangs and no shortcuts.",
            "Private mines, slow ranks and an economy that survived four seasons.",
        ],
    },
    GameMode {
        name: "Creative",
        weight: 5.0,
        tags: &["creative", "building", "plots", "community", "family-friendly"],
        titles: &[" Creative", " Builds", "", " Plots"],
        taglines: &["Plots as large as your ideas", "Build together", "Worldedit for all", "Show us your city"],
        descriptions: &[
            "Huge plots, world editing for everyone and judges who leave kind comments.",
            "A home for builders: plots, competitions and a museum of the best of ten years.",
            "Creative plots with live lessons every weekend, for beginners and masters.",
        ],
    },
    GameMode {
        name: "RPG",
        weight: 6.0,
        tags: &["rpg", "quests", "dungeons", "classes", "custom-items", "adventure"],
        titles: &[" RPG", " Chronicles", "", " Realms"],
        taglines: &[
            "Choose a class, make a name",
            "Forty dungeons, one dragon",
            "Chapter three is open",
            "Every choice is kept",
        ],
        descriptions: &[
            "An open-world adventure with six classes, voiced quests and dungeons for four.",
            "Hand-made continent, no mods needed: classes, guilds and a story in three chapters.",
            "Level up, forge your blade and find out what sleeps below the capital.",
        ],
    },
    GameMode {
        name: "Anarchy",
        weight: 4.0,
        tags: &["anarchy", "vanilla", "pvp", "no-rules", "hardcore"],
        titles: &[" Anarchy", "", " Frontier", " Wastes"],
        taglines: &["No rules. No resets", "Spawn is not safe", "Walk far", "Since 2016"],
        descriptions: &[
            "No rules, no resets, no admins to call. Walk far before you build.",
            "Anarchy on a world of six terabytes. Spawn is a crater; good luck.",
            "Vanilla anarchy with a queue that is worth it.",
        ],
    },
    GameMode {
        name: "Lifesteal",
        weight: 5.0,
        tags: &["lifesteal", "smp", "pvp", "survival", "hardcore"],
        titles: &[" Lifesteal", " Hearts", " SMP", ""],
        taglines: &["Every heart counts", "Lose ten and you are out", "Season 5: begin", "Take one, keep one"],
        descriptions: &[
            "A survival world in which every kill steals a heart. Seasons of eight weeks.",
            "Lifesteal with alliances, bounties and a peaceful nether for the faint-hearted.",
            "Ten hearts, no mercy. Revive your friends if you can afford it.",
        ],
    },
    GameMode {
        name: "Towny",
        weight: 4.0,
        tags: &["towny", "economy", "geopolitics", "survival", "roleplay"],
        titles: &[" Towny", " Continents", " Nations", ""],
        taglines: &["Found a nation", "The map of the earth, at 1:500", "Diplomacy, mostly", "Your town, your laws"],
        descriptions: &[
            "Found a town, join a nation and redraw the borders of a 1:500 earth.",
            "Geopolitics for builders: taxes, elections, wars by appointment.",
            "Towns, trains and trade on a map as large as a continent.",
        ],
    },
    GameMode {
        name: "Hardcore",
        weight: 3.0,
        tags: &["hardcore", "survival", "vanilla", "challenge"],
        titles: &[" Hardcore", "", " One Life", " UHC"],
        taglines: &["One life", "Die once, wait a week", "Natural regeneration: off", "Bring milk"],
        descriptions: &[
            "One life per season. Die, and you watch your friends until the next.",
            "Ultra-hardcore every evening at eight, with a board of the longest lives.",
        ],
    },
    GameMode {
        name: "Vanilla",
        weight: 7.0,
        tags: &["vanilla", "survival", "community", "whitelist", "technical"],
        titles: &["", " Vanilla", " SMP", ""],
        taglines: &["Nothing added, nothing removed", "Just the game", "Whitelist by application", "Farms welcome"],
        descriptions: &[
            "Plain vanilla with a kind whitelist and people who finish what they build.",
            "Technical vanilla: redstone, perimeter farms and a server that keeps its 20 ticks.",
            "The game as it is, with backups every hour and no plugins you would notice.",
        ],
    },
    GameMode {
        name: "Modded",
        weight: 4.0,
        tags: &["modded", "tech", "magic", "quests", "survival"],
        titles: &[" Modded", " Forge", "", " Tech"],
        taglines: &["312 mods, one launcher", "Rockets by Sunday", "Magic or machines?", "Expert pack, patient crew"],
        descriptions: &[
            "An expert pack with 312 mods, shared power grid and weekly rocket launches.",
            "Magic and machines side by side on a server that does not lag at dusk.",
        ],
    },
];

/// Tags for servers of any mode.
pub const ANY_MODE_TAGS: &[&str] =
    &["english", "international", "discord", "events", "active-staff", "voice-chat", "no-pay-to-win", "bedrock", "new"];
