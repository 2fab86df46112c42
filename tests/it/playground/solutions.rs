//! A solution is valid once, for its page, and unchanged.

use altcha::{CreateChallengeOptions, create_challenge};
use futures_util::future::join_all;

use super::*;

const ALREADY_USED: &str = "The CAPTCHA was already used, each is valid once; solve a new one";
const ALTERED: &str = "The CAPTCHA was altered or was not issued by this site; solve a new one";

#[tokio::test]
async fn a_solution_works_once() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let payload = solution(&server).await;
        assert_eq!(send_solution(&server, &payload, &[]).await.status, 200);
        assert_eq!(error_of(&send_solution(&server, &payload, &[]).await), (409, ALREADY_USED.to_owned()));
        let other = Server::over(server.store.clone(), NOW);
        assert_eq!(error_of(&send_solution(&other, &payload, &[]).await), (409, ALREADY_USED.to_owned()));
        drop(other);
        let server = Server::over(server.crash(), NOW);
        assert_eq!(error_of(&send_solution(&server, &payload, &[]).await), (409, ALREADY_USED.to_owned()));
        let server = Server::over(run_blocking(|| server.stop()), NOW);
        // Other whitespace does not make another solution.
        let spaced = payload.replace(',', " , ");
        assert_eq!(error_of(&send_solution(&server, &spaced, &[]).await), (409, ALREADY_USED.to_owned()));
    }
}

#[tokio::test]
async fn a_second_solution_of_a_spent_challenge_is_rejected() {
    let server = serving(Engine::Sqlite, |_| {});
    let first = solved(challenge(&server, "playground").await);
    assert_eq!(send_solution(&server, &text(&first), &[]).await.status, 200);
    let mut options = SolveChallengeOptions::new(&first.challenge);
    options.counter_start = first.solution.counter + 1;
    let solution = solve_challenge(options).unwrap().expect("a solution");
    assert_ne!(solution.counter, first.solution.counter);
    let second = Payload { challenge: first.challenge.clone(), solution };
    assert_eq!(error_of(&send_solution(&server, &text(&second), &[]).await), (409, ALREADY_USED.to_owned()));
}

#[tokio::test]
async fn of_a_hundred_concurrent_uses_one_is_accepted() {
    for engine in Engine::BOTH {
        let server = serving(engine, |_| {});
        let other = Server::over(server.store.clone(), NOW);
        let payload = solution(&server).await;
        let ask = async |i: usize| send_solution([&server, &other][i % 2], &payload, &[]).await.status;
        let statuses = join_all((0..100).map(ask)).await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 99, "{statuses:?}");
        assert_eq!(rows(&server.store, "playground_passes"), 1);
    }
}

#[tokio::test]
async fn a_challenge_is_valid_for_five_minutes() {
    let server = serving(Engine::Sqlite, |_| {});
    let [early, late] = [solution(&server).await, solution(&server).await];
    server.clock.set(NOW + 5 * MINUTE - 1);
    assert_eq!(send_solution(&server, &early, &[]).await.status, 200);
    server.clock.set(NOW + 5 * MINUTE);
    let expected = (403, "The CAPTCHA has expired, it is valid for 5 minutes; solve a new one".to_owned());
    assert_eq!(error_of(&send_solution(&server, &late, &[]).await), expected);
    assert_eq!(error_of(&send_solution(&server, &early, &[]).await), expected);
}

#[tokio::test]
async fn no_field_of_a_challenge_can_be_changed() {
    let server = serving(Engine::Sqlite, |_| {});
    let one = solved(challenge(&server, "playground").await);
    let other = solved(challenge(&server, "playground").await);
    let theirs = serde_json::to_value(&other).unwrap();
    let mut tried = Vec::new();
    for (field, value) in [
        ("algorithm", json!("SHA-256")),
        ("algorithm", json!("pbkdf2/sha-256")),
        ("cost", json!(1)),
        ("cost", json!(u32::MAX)),
        ("keyLength", json!(1)),
        ("keyLength", json!(1_000_000_000)),
        ("keyPrefix", json!("")),
        ("keyPrefix", json!("0")),
        ("nonce", theirs["challenge"]["parameters"]["nonce"].clone()),
        ("nonce", json!("")),
        ("salt", theirs["challenge"]["parameters"]["salt"].clone()),
        ("data", json!({})),
        ("data", json!({"for": "playground", "expires": NOW + 9 * MINUTE})),
        ("data", json!({"for": "sign-in", "expires": NOW + 5 * MINUTE})),
    ] {
        tried.push(with(&one, &format!("/challenge/parameters/{field}"), value));
    }
    for (field, value) in
        [("expiresAt", json!(0)), ("keySignature", json!("00")), ("memoryCost", json!(1)), ("parallelism", json!(1))]
    {
        let mut added = serde_json::to_value(&one).unwrap();
        added["challenge"]["parameters"][field] = value;
        tried.push(added.to_string());
    }
    // Parameters and signatures of two challenges mixed, and missing ones.
    tried.push(with(&one, "/challenge/signature", theirs["challenge"]["signature"].clone()));
    tried.push(with(&one, "/challenge/parameters", theirs["challenge"]["parameters"].clone()));
    tried.push(with(&one, "/challenge/signature", json!("")));
    tried.push(with(&one, "/challenge/signature", Value::Null));
    let upper = one.challenge.signature.as_ref().unwrap().to_uppercase();
    tried.push(with(&one, "/challenge/signature", json!(upper)));
    for payload in tried {
        assert_eq!(error_of(&send_solution(&server, &payload, &[]).await), (403, ALTERED.to_owned()), "{payload}");
    }
    for (field, value) in [
        ("counter", json!(one.solution.counter + 1)),
        ("derivedKey", json!("")),
        ("derivedKey", json!("zz")),
        ("derivedKey", json!(one.solution.derived_key.to_uppercase())),
    ] {
        let payload = with(&one, &format!("/solution/{field}"), value);
        let expected = (403, "The CAPTCHA is not solved; solve it again".to_owned());
        assert_eq!(error_of(&send_solution(&server, &payload, &[]).await), expected, "{payload}");
    }
    let spliced = with(&one, "/solution", theirs["solution"].clone());
    assert_eq!(error_of(&send_solution(&server, &spliced, &[]).await).0, 403);
    // The failed attempts did not spend the challenges.
    for payload in [one, other] {
        assert_eq!(send_solution(&server, &text(&payload), &[]).await.status, 200);
    }
}

#[tokio::test]
async fn self_made_challenges_are_rejected() {
    let server = serving(Engine::Sqlite, |_| {});
    for secret in [None, Some(""), Some("guess")] {
        let made = create_challenge(CreateChallengeOptions {
            cost: 1,
            key_prefix: String::new(),
            data: Some([("for".to_owned(), json!("playground")), ("expires".to_owned(), json!(NOW + MINUTE))].into()),
            hmac_signature_secret: secret.map(str::to_owned),
            ..CreateChallengeOptions::default()
        });
        let payload = text(&solved(made.unwrap()));
        assert_eq!(error_of(&send_solution(&server, &payload, &[]).await), (403, ALTERED.to_owned()));
    }
}

#[tokio::test]
async fn a_solution_is_valid_for_its_page_only() {
    let server = serving(Engine::Sqlite, |_| {});
    let payload = text(&solved(challenge(&server, "sign-in").await));
    let expected = (403, "The CAPTCHA was solved for another page; solve a new one".to_owned());
    assert_eq!(error_of(&send_solution(&server, &payload, &[]).await), expected);
    for purpose in ["", "Playground", "sign-in%00", "x"] {
        let answer = server.raw(Method::GET, &format!("/human/challenge?for={purpose}"), &[]).await;
        assert_eq!(error_of(&answer), (400, "for must be one of playground, sign-in, sign-up, vote".to_owned()));
    }
}

#[tokio::test]
async fn malformed_solutions_are_rejected_cheaply() {
    let server = serving(Engine::Sqlite, |_| {});
    let nested = "[".repeat(4000);
    let padded = format!("{}{}", solution(&server).await, " ".repeat(4096));
    for (payload, status) in [
        ("", 400),
        ("x", 400),
        ("{}", 400),
        ("null", 400),
        (nested.as_str(), 400),
        ("{\"challenge\":{\"parameters\":{\"cost\":-1}}}", 400),
        (padded.as_str(), 413),
    ] {
        assert_eq!(error_of(&send_solution(&server, payload, &[]).await).0, status, "{payload}");
    }
    for (body, status) in [
        ("", 400),
        ("x", 400),
        ("[]", 400),
        ("{\"solution\": 1}", 400),
        ("{\"solution\": null}", 400),
        (&*format!("{{\"solution\": \"{}\"}}", "x".repeat(16 * 1024)), 413),
        (&*"x".repeat(1_000_000), 413),
    ] {
        let answer = server.exchange(Method::POST, "/playground/pass", &[JSON], body.to_owned()).await;
        assert_eq!(error_of(&answer).0, status, "{}", &body[..body.len().min(40)]);
    }
}
