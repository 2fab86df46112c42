//! What all answers have in common.

use reqwest::Method;

use crate::harness::{Engine, shared};

#[tokio::test]
async fn nobody_gets_in_without_a_key() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        for path in ["/servers", "/players/nobody", "/nothing", "/servers?limit=abc", ""] {
            let answer = server.send(Method::GET, path, &[]).await;
            assert_eq!(answer.status, 401, "{path}");
            let told = "An API key is needed: send it in the X-API-Key header or the api_key parameter";
            assert_eq!(answer.error(), told);
        }
    }
}
