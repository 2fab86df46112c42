//! Responses over an empty store.

use serde_json::json;

use crate::assert_answer;
use crate::harness::{Engine, Server};

#[test]
fn every_list_is_empty() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let data = |path: &str| {
            let response = server.run(server.get(path));
            assert_eq!(response.status, 200, "{path}");
            response.data()
        };
        let nothing = |limit: i64| json!({"page": 1, "limit": limit, "total": 0, "totalPages": 0});
        for path in ["/servers", "/servers?sort=name&minPlayers=3&version=1.21&tag=x&mode=x&country=x&search=x"] {
            assert_eq!(data(path), json!({"servers": [], "pagination": nothing(20)}));
        }
        assert_eq!(data("/players"), json!({"players": [], "pagination": nothing(20)}));
        assert_eq!(data("/capes"), json!({"capes": [], "pagination": nothing(24)}));
        assert_eq!(data("/leaderboards")["leaderboard"]["entries"], json!([]));
        assert_eq!(data("/leaderboards")["pagination"], nothing(20));
        assert_eq!(data("/servers/top"), json!({"servers": [], "total": 0, "sort": "votes"}));
        assert_eq!(data("/servers/countries"), json!({"countries": []}));
        assert_eq!(data("/servers/versions"), json!({"versions": []}));
        assert_eq!(data("/search?q=any"), json!({"results": {"servers": [], "players": []}, "query": "any"}));
        assert_eq!(data("/live/history"), json!({"history": []}));
        assert_eq!(server.run(server.get("/servers/any")).status, 404);
        assert_answer!("live_without_servers", server.run(server.get("/live")));
    }
}
