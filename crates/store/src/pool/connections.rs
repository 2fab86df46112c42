//! How many connections a process has, and what they are for.

use crate::Database;

/// Connections of one process to PostgreSQL, divided between the store and its ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    pub readers: usize,
    pub writers: usize,
    pub ledger_readers: usize,
}

/// One writer commits the reservations of all keys together.
pub const LEDGER_WRITERS: usize = 1;
const MAX_SQLITE_READERS: usize = 8;
/// A usage report over a year must not delay a login.
const SQLITE_LEDGER_READERS: usize = 4;

impl Connections {
    /// One of each kind.
    pub const MIN: usize = 4;
    /// Half of them read the store. More than cores, because a reader mostly waits for the server.
    pub const DEFAULT: usize = 17;

    /// Divides this many connections, at least [`Self::MIN`].
    pub fn of(total: usize) -> Self {
        let quarter = (total / 4).max(1);
        let readers = total.saturating_sub(2 * quarter + LEDGER_WRITERS).max(1);
        Self { readers, writers: quarter, ledger_readers: quarter }
    }

    /// SQLite allows one writer. It has twice as many readers as cores: some wait for the disk, and a long scan must not block
    /// the others.
    pub(super) fn for_database(self, database: &Database) -> Self {
        match database {
            Database::Postgres(_) => self,
            Database::Sqlite(_) => {
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                Self { readers: (2 * cores).min(MAX_SQLITE_READERS), writers: 1, ledger_readers: SQLITE_LEDGER_READERS }
            }
        }
    }
}

impl Default for Connections {
    fn default() -> Self {
        Self::of(Self::DEFAULT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_has_a_use() {
        for total in Connections::MIN..200 {
            let Connections { readers, writers, ledger_readers } = Connections::of(total);
            assert_eq!(readers + writers + ledger_readers + LEDGER_WRITERS, total);
            assert!(readers >= writers && writers >= 1 && ledger_readers >= 1, "{total}");
        }
        assert_eq!(Connections::default(), Connections { readers: 8, writers: 4, ledger_readers: 4 });
    }
}
