//! How far the player data of a game server is trusted.

use crate::time::DAY;

/// How long automatic suspicion lasts after its last evidence.
pub const SUSPICION_LASTS: i64 = 30 * DAY;

/// The trust level of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SourceTrust {
    /// Reported by the owner with verified ids: may rename players, and its names outweigh those of other sources.
    Verified,
    /// Sampled by pings: checked against the server's history and against other sources.
    #[default]
    Sampled,
    /// Nothing that it says about players counts.
    Suspicious,
}

impl SourceTrust {
    pub const ALL: [Self; 3] = [Self::Verified, Self::Sampled, Self::Suspicious];

    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Sampled => "sampled",
            Self::Suspicious => "suspicious",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trust| trust.name() == name)
    }

    /// The level that counts now: the operator's, if one is set. Otherwise a source is suspicious for a while after the last
    /// evidence against it.
    pub fn effective(by_operator: Option<Self>, suspected_at: Option<i64>, now: i64) -> Self {
        let is_suspected = suspected_at.is_some_and(|at| now - at < SUSPICION_LASTS);
        by_operator.unwrap_or(if is_suspected { Self::Suspicious } else { Self::Sampled })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_decides_and_suspicion_expires() {
        let now = 100 * DAY;
        let (recent, old) = (Some(now - SUSPICION_LASTS + 1), Some(now - SUSPICION_LASTS));
        assert_eq!(SourceTrust::effective(None, None, now), SourceTrust::Sampled);
        assert_eq!(SourceTrust::effective(None, recent, now), SourceTrust::Suspicious);
        assert_eq!(SourceTrust::effective(None, old, now), SourceTrust::Sampled);
        for trust in SourceTrust::ALL {
            assert_eq!(SourceTrust::effective(Some(trust), recent, now), trust);
            assert_eq!(SourceTrust::parse(trust.name()), Some(trust));
        }
    }
}
