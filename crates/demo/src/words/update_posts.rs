//! Titles and contents of update posts. `{name}` stands for the server name, `{n}` for a small number.

pub const UPDATE_POSTS: &[(&str, &str)] = &[
    (
        "Season {n} begins this Friday",
        "The gates of season {n} open on Friday at 18:00 UTC.\n\n- A new map with a larger nether\n- Claims start at 400 blocks\n- The old world stays open for sightseeing\n\nSee you there!",
    ),
    (
        "Maintenance on Sunday night",
        "We move {name} to a new machine on Sunday between 02:00 and 04:00 UTC. Expect two short restarts. Nothing will be lost.",
    ),
    (
        "Update {n}: smoother farms, fairer shops",
        "Mob farms no longer stall when the owner is far away, and shop prices now follow what people actually pay. Thank you to everyone who tested.",
    ),
    (
        "Building contest: harbours",
        "This month's theme is harbours. Plots open today and close in two weeks; the three best are moved to spawn. Judges look at shape first, detail second.",
    ),
    (
        "A word on cheating",
        "Last week we removed {n} accounts for automation. The rules are the same as ever: if it plays while you sleep, it is not allowed.",
    ),
    (
        "We now speak the newest version",
        "{name} accepts clients from the newest release. Older clients keep working. If blocks look strange, update your client first and tell us second.",
    ),
    (
        "Winter event",
        "Snow has fallen on spawn. Find {n} lanterns hidden across the map for a cape that is only given once a year.",
    ),
    (
        "Small fixes",
        "- Boats no longer vanish at chunk borders\n- /home works in the end again\n- Trading hall lag is down by a third",
    ),
    (
        "New moderators",
        "Please welcome {n} new moderators. They answer in English, German and Turkish, and they have promised to be kind.",
    ),
    (
        "Vote rewards changed",
        "Votes now give tokens instead of keys. Tokens buy cosmetics only, as promised: {name} stays free of paid advantages.",
    ),
    (
        "Yeni sezon duyurusu",
        "{n}. sezon cuma günü saat 20:00'de başlıyor. Eski dünya gezmek için açık kalacak. Hepinizi bekliyoruz!",
    ),
    (
        "Обновление {n}",
        "Исправлены фермы, ускорены сундуки и добавлен новый город на севере. Спасибо, что играете с нами!",
    ),
    ("Wartungsarbeiten", "Am Sonntag zieht {name} um. Zwischen 3 und 5 Uhr ist der Server kurz nicht erreichbar."),
    (
        "Nouvelle carte, nouveaux biomes",
        "La carte numéro {n} est en ligne. Vos constructions restent visibles sur l'ancienne carte.",
    ),
    ("アップデートのお知らせ", "新しい建築エリアを{n}か所追加しました。ぜひ遊びに来てください。"),
];
