//! An example response for every endpoint, built from its schema, so that it always has the right shape.

use serde_json::{Map, Value, json};

/// Realistic values by property name.
fn example_of(name: &str) -> Option<Value> {
    Some(match name {
        "slug" | "serverSlug" => json!("aurora-vale"),
        "name" | "serverName" | "target" => json!("Aurora Vale"),
        "shortDescription" => json!("Survival with towns, quests and a living economy."),
        "ip" => json!("play.aurora-vale.example"),
        "port" => json!(25565),
        "motd" => json!("Aurora Vale\nSeason 4 is live"),
        "motdRaw" => json!("§b§lAurora Vale\n§7Season §e4§7 is live"),
        "website" | "chatUrl" | "storeUrl" | "videoUrl" => json!("https://aurora-vale.example"),
        "visibility" => json!("PUBLIC"),
        "status" => json!("APPROVED"),
        "currentPlayers" | "onlinePlayers" | "players" => json!(412),
        "maxPlayers" => json!(1000),
        "version" => json!("1.21.4"),
        "protocol" => json!(769),
        "latency" => json!(38),
        "country" => json!("Germany"),
        "tags" => json!(["survival", "economy"]),
        "gameMode" => json!("Survival"),
        "uptime" | "uptimePct" => json!(99.87),
        "trend" => json!(4.2),
        "rating" => json!(4.6),
        "totalVotes" => json!(15230),
        "recentVotes" => json!(640),
        "hotScore" => json!(143.207),
        "tps" => json!(19.98),
        "avgPlayers" => json!(288.4),
        "peakPlayers" => json!(731),
        "minPlayers" => json!(57),
        "gameUsername" | "mainNickname" | "playerMainNickname" | "actor" => json!("PixelFox"),
        "siteUsername" | "username" => json!("pixelfox"),
        "gameUuid" | "playerGameUuid" => json!("7f3c2a10-4b5d-4e6f-8a9b-0c1d2e3f4a5b"),
        "skinModel" | "model" | "playerSkinModel" => json!("classic"),
        "tierOverall" => json!("HT2"),
        "tierPoints" => json!(30),
        "tierRank" | "rank" => json!(17),
        "role" => json!("USER"),
        "content" => json!("Friendly people, no lag, and events every weekend."),
        "title" => json!("Season 4 begins"),
        "description" => json!("A fox in a raincoat."),
        "nicknameHistory" => json!(["FoxCub", "PixelFox"]),
        "totalPlayTime" => json!(482100),
        "sessionCount" => json!(214),
        "rankScore" => json!(187.35),
        "kdRatio" => json!(1.72),
        "formattedValue" => json!("187.35"),
        "value" => json!(187.35),
        "metric" => json!("best"),
        "period" => json!("all-time"),
        "sort" => json!("votes"),
        "query" => json!("aurora"),
        "resolution" => json!("5m"),
        "coverage" => json!(0.9987),
        "reason" => json!("connection refused"),
        "label" => json!("First steps"),
        "labelTr" => json!("İlk adımlar"),
        "labelRu" => json!("Первые шаги"),
        "icon" => json!("👣"),
        "change" => json!(12),
        "countryPlayers" => json!({"Germany": 412, "Japan": 96}),
        "stale" => json!(false),
        _ => return None,
    })
}

/// Values of a property in one schema only.
fn example_in(schema: &str, name: &str) -> Option<Value> {
    Some(match (schema, name) {
        ("Region", "id") => json!("europe"),
        ("Region", "name") => json!("Europe"),
        ("Achievement", "id") => json!("first-steps"),
        ("Voter", "type") => json!("auth"),
        ("Activity", "type") => json!("vote"),
        ("LiveServer", "trend") => json!("up"),
        ("LeaderboardData" | "Leaderboard", "serverId") => Value::Null,
        ("SkinSummary" | "SkinDetail" | "LinkedSkin" | "CapeSummary" | "CapeDetail", "slug") => json!("rainy-fox"),
        ("SkinSummary" | "SkinDetail" | "LinkedSkin" | "CapeSummary" | "CapeDetail", "name") => json!("Rainy Fox"),
        ("SkinSummary" | "SkinDetail" | "CapeSummary" | "CapeDetail", "tags") => json!(["animal", "cute"]),
        _ => return None,
    })
}

/// An example of a required parameter, by the path of its endpoint.
pub fn of_parameter(path: &str, name: &str) -> Option<Value> {
    match (path, name) {
        ("/players/{id}", "id") => example_of("mainNickname"),
        (_, "q") => example_of("query"),
        (_, "slugs" | "servers") => example_of("slug"),
        (_, "ids") => example_of("gameUuid"),
        (path, "slug") if path.starts_with("/skins") || path.starts_with("/capes") => example_in("SkinDetail", "slug"),
        (_, name) => example_of(name),
    }
}

/// The same as text; the name if there is none.
pub fn example_of_parameter(path: &str, name: &str) -> String {
    of_parameter(path, name).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_else(|| name.to_owned())
}

/// Adds an example to every 200 response of the document.
pub fn fill(document: &mut Value) {
    let schemas = document["components"]["schemas"].clone();
    let Some(paths) = document["paths"].as_object_mut() else { return };
    for path in paths.values_mut() {
        let content = &mut path["get"]["responses"]["200"]["content"];
        let Some(content) = content.get_mut("application/json") else { continue };
        let example = build(&schemas, "", "", &content["schema"]);
        content["example"] = example;
    }
}

fn build(schemas: &Value, parent: &str, name: &str, schema: &Value) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = reference.rsplit('/').next().unwrap_or_default();
        return match example_in(parent, name) {
            Some(example) => example,
            None => build(schemas, target, name, &schemas[target]),
        };
    }
    if let Some(example) = example_in(parent, name).or_else(|| example_of(name))
        && fits(schema, &example)
    {
        return example;
    }
    if let Some(choices) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
        let real = choices.iter().find(|choice| choice["type"] != "null").unwrap_or(&Value::Null);
        return build(schemas, parent, name, real);
    }
    if !schema["const"].is_null() {
        return schema["const"].clone();
    }
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    if let Some(example) = schema["examples"].get(0) {
        return example.clone();
    }
    match kind(schema) {
        "object" => {
            let mut object = Map::new();
            for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                object.insert(key.clone(), build(schemas, parent, key, property));
            }
            Value::Object(object)
        }
        "array" => json!([build(schemas, parent, "", &schema["items"])]),
        "integer" => json!(schema["minimum"].as_i64().unwrap_or(0).max(1)),
        "number" => json!(1.5),
        "boolean" => json!(true),
        "string" => json!("01jx3v9k7c2m8p4q6r5t"),
        _ => Value::Null,
    }
}

/// The type other than null.
fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null"),
        _ => "",
    }
}

fn fits(schema: &Value, example: &Value) -> bool {
    match kind(schema) {
        "string" => example.is_string(),
        "integer" => example.is_i64(),
        "number" => example.is_number(),
        "boolean" => example.is_boolean(),
        "array" => example.is_array(),
        "object" => example.is_object(),
        _ => false,
    }
}
