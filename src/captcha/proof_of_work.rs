//! The ALTCHA v2 proof of work: creates challenges and verifies solutions. Pure functions: the time is an argument, so the
//! expiry is part of our signed data instead of the library's own field, which it would compare with the system clock.

use altcha::{
    Challenge, ChallengeParameters, CreateChallengeOptions, HmacAlgorithm, Payload, VerifySolutionOptions,
    create_challenge, sign_challenge, verify_solution,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{CaptchaError, Purpose};
use rollcall_model::id::hex;
use rollcall_model::time::MINUTE;

/// The browser computes this about 256 times, the server once: about a second there, some milliseconds here.
const ALGORITHM: &str = "PBKDF2/SHA-256";
const COST: u32 = 5000;
const KEY_LENGTH: usize = 32;
const KEY_PREFIX: &str = "00";
/// How long a challenge is valid.
const VALIDITY: i64 = 5 * MINUTE;
/// Bytes of a solution: several times what a browser sends. Longer input is not parsed.
const MAX_SOLUTION_BYTES: usize = 4096;
/// Field names in the signed data.
const PURPOSE: &str = "for";
const EXPIRES: &str = "expires";

/// A solution that was verified but not yet spent.
#[derive(Debug)]
pub struct VerifiedSolution {
    /// Identifies the challenge in the list of spent ones.
    pub hash: String,
    pub expires_at: i64,
}

pub fn create(secret: &str, purpose: Purpose, now: i64) -> Challenge {
    let data = [(PURPOSE, Value::from(purpose.name())), (EXPIRES, Value::from(now + VALIDITY))];
    create_challenge(CreateChallengeOptions {
        algorithm: ALGORITHM.to_owned(),
        cost: COST,
        key_length: KEY_LENGTH,
        key_prefix: KEY_PREFIX.to_owned(),
        data: Some(data.map(|(name, value)| (name.to_owned(), value)).into()),
        hmac_signature_secret: Some(secret.to_owned()),
        ..CreateChallengeOptions::default()
    })
    .expect("the parameters are valid")
}

pub fn parse(payload: &str) -> Result<Payload, CaptchaError> {
    if payload.len() > MAX_SOLUTION_BYTES {
        return Err(CaptchaError::TooLong);
    }
    serde_json::from_str(payload).map_err(|_| CaptchaError::Malformed)
}

/// Checks signature, parameters, purpose and expiry of a challenge. This costs one hash of a few hundred bytes, so the
/// expensive check of the solution runs for genuine challenges only.
pub fn verify_challenge(
    secret: &str,
    challenge: &Challenge,
    purpose: Purpose,
    now: i64,
) -> Result<VerifiedSolution, CaptchaError> {
    let parameters = &challenge.parameters;
    if !is_signed(secret, challenge) || !has_our_parameters(parameters) {
        return Err(CaptchaError::Altered);
    }
    let data = parameters.data.as_ref().ok_or(CaptchaError::Altered)?;
    if data.get(PURPOSE).and_then(Value::as_str) != Some(purpose.name()) {
        return Err(CaptchaError::WrongPurpose);
    }
    let expires_at = data.get(EXPIRES).and_then(Value::as_i64).ok_or(CaptchaError::Altered)?;
    if now >= expires_at {
        return Err(CaptchaError::Expired);
    }
    // Keyed by the challenge, because one challenge has many solutions.
    Ok(VerifiedSolution { hash: hash(&["altcha", &parameters.nonce, &parameters.salt]), expires_at })
}

/// Whether the solution is correct. Takes milliseconds of CPU: do not call it on an async worker.
pub fn is_solved(secret: &str, payload: &Payload) -> bool {
    let options = VerifySolutionOptions::new(&payload.challenge, &payload.solution, secret);
    verify_solution(options).is_ok_and(|result| result.verified)
}

fn is_signed(secret: &str, challenge: &Challenge) -> bool {
    let signed = sign_challenge(&HmacAlgorithm::Sha256, &mut challenge.parameters.clone(), None, secret, None);
    let expected = signed.ok().and_then(|signed| signed.signature);
    match (&challenge.signature, &expected) {
        // Comparing hashes hides the expected signature from timing attacks.
        (Some(given), Some(expected)) => hash(&[given]) == hash(&[expected]),
        _ => false,
    }
}

/// Whether the challenge demands the current amount of work. One that an older version signed may demand less.
fn has_our_parameters(parameters: &ChallengeParameters) -> bool {
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

/// SHA-256 in hexadecimal. Each part is prefixed with its length, so `["ab", "c"]` and `["a", "bc"]` differ.
pub fn hash(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

#[cfg(test)]
mod tests {
    use altcha::{SolveChallengeOptions, solve_challenge};
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    const NOW: i64 = 1_780_495_200_000;

    fn verified(challenge: &Challenge) -> Result<VerifiedSolution, CaptchaError> {
        verify_challenge(SECRET, challenge, Purpose::Playground, NOW)
    }

    #[test]
    fn a_solution_is_valid_until_the_challenge_expires() {
        let challenge = create(SECRET, Purpose::Playground, NOW);
        let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
        let mut payload = parse(&serde_json::to_string(&Payload { challenge, solution }).unwrap()).unwrap();
        let at = |now| verify_challenge(SECRET, &payload.challenge, Purpose::Playground, now);
        assert_eq!(at(NOW).unwrap().expires_at, NOW + VALIDITY);
        assert!(at(NOW + VALIDITY - 1).is_ok());
        assert_eq!(at(NOW + VALIDITY).unwrap_err(), CaptchaError::Expired);
        assert!(is_solved(SECRET, &payload));
        payload.solution.counter += 1;
        assert!(!is_solved(SECRET, &payload));
    }

    #[test]
    fn signed_challenges_with_other_parameters_are_rejected() {
        let signed = |change: fn(&mut ChallengeParameters)| {
            let mut parameters = create(SECRET, Purpose::Playground, NOW).parameters;
            change(&mut parameters);
            sign_challenge(&HmacAlgorithm::Sha256, &mut parameters, None, SECRET, None).unwrap()
        };
        assert!(verified(&signed(|_| {})).is_ok());
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
            assert_eq!(verified(&signed(change)).unwrap_err(), CaptchaError::Altered);
        }
        assert_eq!(
            verify_challenge(SECRET, &signed(|_| {}), Purpose::SignIn, NOW).unwrap_err(),
            CaptchaError::WrongPurpose
        );
    }

    #[test]
    fn an_unsigned_or_foreign_challenge_is_not_verified() {
        let mut one = create(SECRET, Purpose::Playground, NOW);
        one.signature = create(SECRET, Purpose::Playground, NOW).signature;
        assert_eq!(verified(&one).unwrap_err(), CaptchaError::Altered);
        one.signature = None;
        assert_eq!(verified(&one).unwrap_err(), CaptchaError::Altered);
        let foreign = create(&SECRET.replace('0', "1"), Purpose::Playground, NOW);
        assert_eq!(verified(&foreign).unwrap_err(), CaptchaError::Altered);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_rejected(text in ".{0,200}") {
            prop_assert!(parse(&text).is_err());
        }
    }

    #[test]
    fn solutions_over_the_size_limit_are_not_parsed() {
        assert_eq!(parse(&"[".repeat(MAX_SOLUTION_BYTES + 1)).unwrap_err(), CaptchaError::TooLong);
        assert_eq!(parse(&"[".repeat(MAX_SOLUTION_BYTES)).unwrap_err(), CaptchaError::Malformed);
    }
}
