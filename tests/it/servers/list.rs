//! `GET /servers`

use crate::assert_answer;
use crate::harness::{Engine, shared};

#[tokio::test]
async fn the_first_page_is_whole() {
    for engine in Engine::BOTH {
        let answer = shared(engine).get("/servers?limit=3").await;
        assert_eq!(answer.status, 200);
        assert_answer!("servers_list", answer);
    }
}
