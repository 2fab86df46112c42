//! The proof of work (ALTCHA, version 2): what is asked of a browser, and whether it was done. Pure; the time is an
//! argument, so the challenge's end stands in its signed data and not where the library would hold it against its own
//! clock.

use altcha::{
    Challenge, ChallengeParameters, CreateChallengeOptions, HmacAlgorithm, Payload, VerifySolutionOptions,
    create_challenge, sign_challenge, verify_solution,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Purpose, Refused};
use rollcall_model::id::hex;
use rollcall_model::time::MINUTE;

/// What a browser does about 256 times and we once: some milliseconds of ours for about a second of its.
const ALGORITHM: &str = "PBKDF2/SHA-256";
const COST: u32 = 5000;
const KEY_LENGTH: usize = 32;
const KEY_PREFIX: &str = "00";
/// How long a challenge may be worked on.
const GOOD_FOR: i64 = 5 * MINUTE;
/// Several times what a browser sends; more is not even read.
const LONGEST: usize = 4096;
/// Names in the signed data.
const PURPOSE: &str = "for";
const EXPIRES: &str = "expires";

/// What an accepted solution is known by from then on.
#[derive(Debug)]
pub struct Mark {
    pub hash: String,
    pub expires_at: i64,
}

pub fn challenge(secret: &str, purpose: Purpose, now: i64) -> Challenge {
    let data = [(PURPOSE, Value::from(purpose.name())), (EXPIRES, Value::from(now + GOOD_FOR))];
    create_challenge(CreateChallengeOptions {
        algorithm: ALGORITHM.to_owned(),
        cost: COST,
        key_length: KEY_LENGTH,
        key_prefix: KEY_PREFIX.to_owned(),
        data: Some(data.map(|(name, value)| (name.to_owned(), value)).into()),
        hmac_signature_secret: Some(secret.to_owned()),
        ..CreateChallengeOptions::default()
    })
    .expect("the parameters are sound")
}

pub fn read(payload: &str) -> Result<Payload, Refused> {
    if payload.len() > LONGEST {
        return Err(Refused::TooLong);
    }
    serde_json::from_str(payload).map_err(|_| Refused::Malformed)
}

/// Whether the challenge is one of ours, as we made it, for this purpose and still open. Costs one hash of a few hundred
/// bytes, so that only the work on genuine challenges is ever looked at.
pub fn recognise(secret: &str, challenge: &Challenge, purpose: Purpose, now: i64) -> Result<Mark, Refused> {
    let parameters = &challenge.parameters;
    if !is_signed(secret, challenge) || !is_usual(parameters) {
        return Err(Refused::Altered);
    }
    let data = parameters.data.as_ref().ok_or(Refused::Altered)?;
    if data.get(PURPOSE).and_then(Value::as_str) != Some(purpose.name()) {
        return Err(Refused::Elsewhere);
    }
    let expires_at = data.get(EXPIRES).and_then(Value::as_i64).ok_or(Refused::Altered)?;
    if now >= expires_at {
        return Err(Refused::Expired);
    }
    // By the challenge: of one challenge many solutions can be found.
    Ok(Mark { hash: hash(&["altcha", &parameters.nonce, &parameters.salt]), expires_at })
}

/// Whether the work was done. Takes milliseconds: not on an async worker.
pub fn is_solved(secret: &str, payload: &Payload) -> bool {
    let options = VerifySolutionOptions::new(&payload.challenge, &payload.solution, secret);
    verify_solution(options).is_ok_and(|result| result.verified)
}

fn is_signed(secret: &str, challenge: &Challenge) -> bool {
    let signed = sign_challenge(&HmacAlgorithm::Sha256, &mut challenge.parameters.clone(), None, secret, None);
    let expected = signed.ok().and_then(|signed| signed.signature);
    match (&challenge.signature, &expected) {
        // Hashed, so that the comparison's time tells nothing of the expected one.
        (Some(given), Some(expected)) => hash(&[given]) == hash(&[expected]),
        _ => false,
    }
}

/// Whether it asks for the work that we ask for: what an older secret or version signed may ask for less.
fn is_usual(parameters: &ChallengeParameters) -> bool {
    let ChallengeParameters {
        algorithm,
        cost,
        data: _,
        expires_at,
        key_length,
        key_prefix,
        key_signature,
        memory_cost,
        nonce: _,
        parallelism,
        salt: _,
    } = parameters;
    (algorithm.as_str(), *cost, *key_length, key_prefix.as_str()) == (ALGORITHM, COST, KEY_LENGTH, KEY_PREFIX)
        && expires_at.is_none()
        && key_signature.is_none()
        && (*memory_cost, *parallelism) == (None, None)
}

/// Over parts that cannot run into each other, in hexadecimal.
pub fn hash(parts: &[&str]) -> String {
    let mut sum = Sha256::new();
    for part in parts {
        sum.update((part.len() as u64).to_be_bytes());
        sum.update(part);
    }
    hex(&sum.finalize())
}

#[cfg(test)]
mod tests {
    use altcha::{SolveChallengeOptions, solve_challenge};
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    const NOW: i64 = 1_780_495_200_000;

    fn recognised(challenge: &Challenge) -> Result<Mark, Refused> {
        recognise(SECRET, challenge, Purpose::Playground, NOW)
    }

    #[test]
    fn a_solution_is_good_until_the_challenge_ends() {
        let challenge = challenge(SECRET, Purpose::Playground, NOW);
        let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
        let mut payload = read(&serde_json::to_string(&Payload { challenge, solution }).unwrap()).unwrap();
        let at = |now| recognise(SECRET, &payload.challenge, Purpose::Playground, now);
        assert_eq!(at(NOW).unwrap().expires_at, NOW + GOOD_FOR);
        assert!(at(NOW + GOOD_FOR - 1).is_ok());
        assert_eq!(at(NOW + GOOD_FOR).unwrap_err(), Refused::Expired);
        assert!(is_solved(SECRET, &payload));
        payload.solution.counter += 1;
        assert!(!is_solved(SECRET, &payload));
    }

    #[test]
    fn only_what_we_ask_for_is_recognised_though_it_be_signed() {
        let signed = |change: fn(&mut ChallengeParameters)| {
            let mut parameters = challenge(SECRET, Purpose::Playground, NOW).parameters;
            change(&mut parameters);
            sign_challenge(&HmacAlgorithm::Sha256, &mut parameters, None, SECRET, None).unwrap()
        };
        assert!(recognised(&signed(|_| {})).is_ok());
        for change in [
            (|p| p.cost = 1) as fn(&mut ChallengeParameters),
            |p| p.key_prefix = String::new(),
            |p| p.algorithm = "SHA-256".into(),
            |p| p.key_length = 1,
            |p| p.key_signature = Some("00".into()),
            |p| p.expires_at = Some(0),
            |p| p.memory_cost = Some(1),
            |p| p.parallelism = Some(1),
            |p| p.data = None,
        ] {
            assert_eq!(recognised(&signed(change)).unwrap_err(), Refused::Altered);
        }
        assert_eq!(recognise(SECRET, &signed(|_| {}), Purpose::SignIn, NOW).unwrap_err(), Refused::Elsewhere);
    }

    #[test]
    fn an_unsigned_or_foreign_challenge_is_not_recognised() {
        let mut one = challenge(SECRET, Purpose::Playground, NOW);
        one.signature = challenge(SECRET, Purpose::Playground, NOW).signature;
        assert_eq!(recognised(&one).unwrap_err(), Refused::Altered);
        one.signature = None;
        assert_eq!(recognised(&one).unwrap_err(), Refused::Altered);
        let foreign = challenge(&SECRET.replace('0', "1"), Purpose::Playground, NOW);
        assert_eq!(recognised(&foreign).unwrap_err(), Refused::Altered);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            prop_assert!(read(&text).is_err());
        }
    }

    #[test]
    fn what_is_too_long_is_not_even_read() {
        assert_eq!(read(&"[".repeat(LONGEST + 1)).unwrap_err(), Refused::TooLong);
        assert_eq!(read(&"[".repeat(LONGEST)).unwrap_err(), Refused::Malformed);
    }
}
