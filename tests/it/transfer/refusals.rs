//! Invalid lines are reported with file and line, and the import changes nothing.

use rollcall_store::revision;

use crate::harness::{Engine, Store};

use super::fixture::{documented_lines, exported, import, import_text, sqlite, stored_totals, stores};

#[test]
#[ignore = "slow, ./test runs it"]
fn an_invalid_line_is_reported_and_rolls_the_import_back() {
    let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(1 << 20));
    let long_name = format!(r#"{{"id":"v","name":"{}","ip":"h"}}"#, "é".repeat(301));
    let tags: Vec<String> = (0..51).map(|number| format!("\"{number}\"")).collect();
    let many_tags = format!(r#"{{"id":"v","name":"n","ip":"h","tags":[{}]}}"#, tags.join(","));
    let long_url = format!(r#"{{"id":"v","name":"n","ip":"h","website":"https://{}"}}"#, "x".repeat(2048));
    let nicknames: Vec<String> = (0..1000).map(|number| format!("\"{number}\"")).collect();
    let many_nicknames = format!(
        r#"{{"id":"v","gameUuid":"069a79f444e94726a5befca90e38aaf6","mainNickname":"n","nicknameHistory":[{}]}}"#,
        nicknames.join(",")
    );
    let invalid: &[(&str, &str, &str)] = &[
        (
            "players",
            &many_nicknames,
            "nicknameHistory must have at most 1000 entries with mainNickname at its end, not 1001",
        ),
        (
            "votes",
            r#"{"id":"v","serverId":"x","gameUsername":"u","votedAt":"2026-01-01T00:00:00Z"}"#,
            r#"serverId "x" is not the id of a server"#,
        ),
        (
            "votes",
            r#"{"id":"v","serverId":"srv-quarry","playerId":"x","gameUsername":"u","votedAt":"2026-01-01T00:00:00Z"}"#,
            r#"playerId "x" is not the id of a player"#,
        ),
        (
            "votes",
            r#"{"id":"v","serverId":"srv-quarry","accountId":"x","gameUsername":"u","votedAt":"2026-01-01T00:00:00Z"}"#,
            r#"accountId "x" is not the id of an account"#,
        ),
        (
            "votes",
            r#"{"id":"v","serverId":"srv-quarry","gameUsername":"u","votedAt":"yesterday"}"#,
            r#"votedAt must be a time such as 2026-01-31T09:30:00.000Z, not "yesterday""#,
        ),
        (
            "votes",
            r#"{"id":"v","serverId":"srv-quarry","gameUsername":" ","votedAt":"2026-01-01T00:00:00Z"}"#,
            "gameUsername must not be empty",
        ),
        (
            "votes",
            r#"{"id":"v","serverId":"srv-quarry","gameUsername":"a\u0000b","votedAt":"2026-01-01T00:00:00Z"}"#,
            "gameUsername must not contain the control or direction character U+0000",
        ),
        (
            "votes",
            r#"{"id":"vote-1","serverId":"srv-quarry","gameUsername":"u","votedAt":"2026-01-01T00:00:00Z"}"#,
            r#"id "vote-1" is already on line 1"#,
        ),
        (
            "votes",
            r#"{"id":"a b","serverId":"srv-quarry","gameUsername":"u","votedAt":"2026-01-01T00:00:00Z"}"#,
            r#"id must be 1 to 64 letters, digits, - or _, not "a b""#,
        ),
        ("votes", r#"{"id":"v""#, "not JSON: EOF while parsing an object at column 9"),
        ("votes", r#"["v"]"#, "the line is not a JSON object"),
        ("votes", r#"{"id":"v","colour":1}"#, "unknown field `colour`, expected one of `id`, `serverId`"),
        ("votes", r#"{"id":"v"}"#, ": missing field `serverId`"),
        (
            "votes",
            r#"{"id":7,"serverId":"srv-quarry","gameUsername":"u","votedAt":"2026-01-01T00:00:00Z"}"#,
            "id: invalid type: integer `7`, expected a string",
        ),
        ("votes", &long, "the line is longer than 1 MiB"),
        (
            "reviews",
            r#"{"id":"v","serverId":"srv-quarry","gameUsername":"u","rating":6,"createdAt":"2026-01-01T00:00:00Z"}"#,
            "rating must be a whole number from 1 to 5, not 6",
        ),
        (
            "reviews",
            r#"{"id":"v","serverId":"srv-quarry","gameUsername":"u","rating":4.5,"createdAt":"2026-01-01T00:00:00Z"}"#,
            "rating: invalid type: floating point `4.5`, expected i64",
        ),
        ("servers", r#"{"id":"v","name":"n","ip":"h","slug":"top"}"#, r#"and not top, countries or versions: "top""#),
        ("servers", r#"{"id":"v","name":"n","ip":"h","slug":"No Slug"}"#, r#"versions: "No Slug""#),
        (
            "servers",
            r#"{"id":"v","name":"n","ip":"h","slug":"old-quarry"}"#,
            r#"slug "old-quarry" is already used by another server"#,
        ),
        (
            "servers",
            r#"{"id":"v","name":"n","ip":"h","visibility":"SECRET"}"#,
            r#"visibility must be PUBLIC or UNLISTED or HIDDEN, not "SECRET""#,
        ),
        ("servers", r#"{"id":"v","name":"n","ip":"h","port":0}"#, "port must be a whole number from 1 to 65535, not 0"),
        (
            "servers",
            r#"{"id":"v","name":"n","ip":"h","maxPlayers":-1}"#,
            "maxPlayers must be a whole number from 0 to 2147483647, not -1",
        ),
        (
            "servers",
            r#"{"id":"v","name":"n","ip":"h","website":"javascript:alert(1)"}"#,
            "website must begin with https:// or http://",
        ),
        (
            "servers",
            r#"{"id":"v","name":"n","ip":"h","icon":"../../etc/passwd"}"#,
            "icon must be a picture path such as",
        ),
        ("servers", r#"{"id":"v","name":"n","ip":"h","tags":["a","a"]}"#, r#"tags contains "a" twice"#),
        (
            "servers",
            r#"{"id":"v","name":"\u001b[31mred","ip":"h"}"#,
            "name must not contain the control or direction character U+001B",
        ),
        (
            "servers",
            r#"{"id":"v","name":"a\u202eb","ip":"h"}"#,
            "name must not contain the control or direction character U+202E",
        ),
        ("servers", &long_name, "name must have at most 300 characters, not 301"),
        ("servers", &many_tags, "tags must have at most 50 entries, not 51"),
        (
            "servers",
            r#"{"id":"v","name":"n","ip":"h","tags":["a\nb"]}"#,
            "tags must not contain the control or direction character U+000A",
        ),
        ("servers", &long_url, "website must have at most 2048 characters, not 2056"),
        (
            "servers",
            r#"{"id":"v","name":"n","ip":"h","chatUrl":"https://a.example/ b"}"#,
            "chatUrl must not contain spaces, control or direction characters",
        ),
        (
            "servers",
            r#"{"id":"v","name":"n","ip":"h","motdRaw":"a\u001bb"}"#,
            "motdRaw must not contain the control character U+001B",
        ),
        (
            "players",
            r#"{"id":"v","gameUuid":"069a79f444e94726a5befca90e38aaf6","mainNickname":"n","nicknameHistory":["\u2066"]}"#,
            "nicknameHistory must not contain the control or direction character U+2066",
        ),
        (
            "accounts",
            r#"{"id":"v","username":"a\tb"}"#,
            "username must not contain the control or direction character U+0009",
        ),
        (
            "skins",
            r#"{"id":"v","name":"a\u200fb","ownerId":"acc-ada"}"#,
            "name must not contain the control or direction character U+200F",
        ),
        ("servers", r#"{"id":"v","name":"n","ip":"h","ownerId":"x"}"#, r#"ownerId "x" is not the id of an account"#),
        (
            "players",
            r#"{"id":"v","gameUuid":"123","mainNickname":"n"}"#,
            r#"gameUuid must be a UUID of 32 hex digits, not "123""#,
        ),
        (
            "players",
            r#"{"id":"v","gameUuid":"069A79F444E94726A5BEFCA90E38AAF5","mainNickname":"n"}"#,
            "is already used by another player",
        ),
        (
            "players",
            r#"{"id":"v","gameUuid":"069a79f444e94726a5befca90e38aaf6","mainNickname":"n","skinModel":"wide"}"#,
            r#"skinModel must be classic or slim, not "wide""#,
        ),
        (
            "players",
            r#"{"id":"v","gameUuid":"069a79f444e94726a5befca90e38aaf6","mainNickname":"n","tierPoints":2147483648}"#,
            "tierPoints must be a whole number from 0 to 2147483647, not 2147483648",
        ),
        ("keys", r#"{"id":"v","name":"a\nb"}"#, "name must be 1 to 100 characters without control characters"),
        ("keys", r#"{"id":"v","name":"n","perDay":0}"#, "perDay must be a whole number from 1 to 4294967295, not 0"),
        (
            "players",
            r#"{"id":"v","gameUuid":"069a79f444e94726a5befca90e38aaf6","mainNickname":"n","linkedSkinId":"cape-dawn"}"#,
            r#"linkedSkinId "cape-dawn" is not the id of a skin"#,
        ),
        (
            "players",
            r#"{"id":"v","gameUuid":"069a79f444e94726a5befca90e38aaf6","mainNickname":"n","achievements":["x"]}"#,
            r#"achievements contains "x", which is not a known achievement"#,
        ),
        (
            "players",
            r#"{"id":"v","gameUuid":"069a79f444e94726a5befca90e38aaf6","mainNickname":"n","tierOverall":"GOLD"}"#,
            "tierOverall must be HT1 or LT1",
        ),
        (
            "skins",
            r#"{"id":"cape-dawn","name":"n","ownerId":"acc-ada"}"#,
            r#"id "cape-dawn" is already used by a cape"#,
        ),
        (
            "skins",
            r#"{"id":"v","name":"n","ownerId":"acc-ada","likes":["x"]}"#,
            r#"likes "x" is not the id of an account"#,
        ),
        (
            "capes",
            r#"{"id":"v","name":"n","ownerId":"acc-ada","model":"slim"}"#,
            "model must be left out: only skins have one",
        ),
        ("accounts", r#"{"id":"v","username":"ADA"}"#, r#"username "ADA" is already used by another account"#),
        (
            "keys",
            r#"{"id":"v","name":"n","secrets":[{"hash":"short","hint":"h","createdAt":"2026-01-01T00:00:00Z"}]}"#,
            "hash must be 64 hex digits in lower case",
        ),
        (
            "keys",
            r#"{"id":"v","name":"n","secrets":[{"hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","hint":"h","createdAt":"2026-01-01T00:00:00Z"}]}"#,
            "is already used by another secret",
        ),
        (
            "update_posts",
            r#"{"id":"v","serverId":"srv-quarry","accountId":"acc-ada","title":"t","status":"DONE","createdAt":"2026-01-01T00:00:00Z"}"#,
            "status must be APPROVED or PENDING or REJECTED",
        ),
        (
            "sessions",
            r#"{"id":"v","playerId":"ply-dax","serverId":"srv-quarry","joinedAt":"2026-01-02T00:00:00Z","leftAt":"2026-01-01T00:00:00Z"}"#,
            "is before joinedAt",
        ),
        (
            "sessions",
            r#"{"id":"v","playerId":"ply-dax","serverId":"srv-quarry","joinedAt":"2026-01-01T00:00:00Z","leftAt":"2026-01-01T00:01:00Z","totalPlayTime":61}"#,
            "totalPlayTime must be a whole number from 0 to 60, not 61",
        ),
        (
            "player_stats",
            r#"{"id":"v","playerId":"ply-dax","serverId":"srv-quarry","timestamp":"2026-01-02T00:00:00Z","statsJson":{"kills":-1}}"#,
            r#"statsJson: "kills" must be a number from 0, not -1"#,
        ),
        (
            "samples",
            r#"{"serverId":"srv-quarry","timestamp":"2026-01-02T00:00:00Z","onlinePlayers":-4}"#,
            "onlinePlayers must be a whole number from 0 to 2147483647, not -4",
        ),
        (
            "samples_hour",
            r#"{"timestamp":"2026-01-02T00:05:00Z","watchedMs":1,"onlineMs":1,"playerMs":1,"peakPlayers":1,"minPlayers":1}"#,
            "timestamp must be the beginning of an hour in UTC",
        ),
        (
            "samples_day",
            r#"{"timestamp":"2026-01-02T00:00:00Z","watchedMs":1,"onlineMs":2,"playerMs":1,"peakPlayers":1,"minPlayers":1}"#,
            "onlineMs must be a whole number from 0 to 1, not 2",
        ),
    ];
    for mut store in stores() {
        import_text(&mut store, &documented_lines()).unwrap();
        let before =
            (exported(&mut store), stored_totals(&mut store.conn), revision::current(&mut store.conn).unwrap());
        for (file, line, message) in invalid {
            let name = format!("{file}.ndjson");
            let mut files = documented_lines();
            // A valid change in another file must be rolled back too.
            files.insert("accounts.ndjson".into(), documented_lines()["accounts.ndjson"].replace("\"Bo\"", "\"Bob\""));
            let lines = files.get_mut(&name).unwrap();
            let line_number = lines.lines().count() + 2;
            lines.push_str(&format!("\n{line}\n"));
            let error = import_text(&mut store, &files).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{name} line {line_number}: ")), "{error}");
            assert!(error.contains(message), "{error:?} should say {message:?}");
            assert!(!error.contains('\n'), "{error}");
        }
        let after = (exported(&mut store), stored_totals(&mut store.conn), revision::current(&mut store.conn).unwrap());
        assert_eq!(after, before);
    }
}

/// A command imports a line, too.
#[test]
fn a_refused_change_of_a_server_forgets_no_evidence_against_it() {
    let store = Store::new(Engine::Sqlite);
    assert!(store.rollcall(&["server", "add", "play.example.org", "--slug", "play"]).status.success());
    store.change(|conn| {
        let tracked = "insert into tracking (server_n, sample_online, sample_players, sample_pause, failures, form,
                                             icon_hash, motd_hash, pictured_at, note)
                       select n, false, 0, 0, 0, '', '', '', 0, '' from servers
                       where n not in (select server_n from tracking)";
        conn.execute_batch(tracked)?;
        conn.execute_batch("update tracking set suspected_at = 1, suspicion = 'evidence' where server_n > 0")
    });
    let is_suspected = || {
        let sql = "select count(*) from tracking where suspected_at is not null";
        store.change(|conn| conn.query_one(sql, &[], |row| row.get::<i64>(0))) == 1
    };
    let set = |args: &[&str]| store.rollcall(&[&["server", "set", "play", "--trust", "auto"], args].concat());
    assert!(!set(&["--website", "javascript:alert(1)"]).status.success());
    assert!(is_suspected());
    assert!(set(&[]).status.success());
    assert!(!is_suspected());
    assert!(!set(&[]).status.success(), "there is nothing to change");
}

#[test]
fn the_file_name_determines_the_resource() {
    let mut store = sqlite();
    let folder = tempfile::tempdir().unwrap();
    let unknown = folder.path().join("my-servers.ndjson");
    std::fs::write(&unknown, "").unwrap();
    let error = import(&mut store, &[unknown]).unwrap_err().to_string();
    assert!(error.contains("cannot be imported; the file name must be one of accounts.ndjson, keys.ndjson"), "{error}");
    let missing = folder.path().join("votes.ndjson");
    assert!(import(&mut store, std::slice::from_ref(&missing)).unwrap_err().to_string().contains("votes.ndjson: "));
    std::fs::write(&missing, b"\n\xff\xfe\n").unwrap();
    assert_eq!(
        import(&mut store, std::slice::from_ref(&missing)).unwrap_err().to_string(),
        "votes.ndjson line 2: the line is not UTF-8"
    );
    let twice = import(&mut store, &[missing.clone(), missing]).unwrap_err().to_string();
    assert_eq!(twice, "votes.ndjson was given twice");
}
