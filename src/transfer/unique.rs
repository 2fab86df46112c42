//! Keeps what must be unique beside the id (slugs, usernames, UUIDs) apart while a file is read, so that a clash is
//! told with its line instead of failing in the engine.

use std::collections::HashMap;
use std::rc::Rc;

use rollcall_store::{Conn, Result};

#[derive(Default)]
pub(super) struct Unique {
    holders: HashMap<Rc<str>, Rc<str>>,
    held: HashMap<Rc<str>, Rc<str>>,
}

impl Unique {
    /// `sql` gives id and value of every row.
    pub fn load(conn: &mut Conn, sql: &str) -> Result<Self> {
        let mut unique = Self::default();
        conn.for_each(sql, &[], |row| unique.put(&row.get::<String>(0), &row.get::<String>(1)))?;
        Ok(unique)
    }

    pub fn held_by(&self, id: &str) -> Option<&str> {
        self.held.get(id).map(|value| &**value)
    }

    /// Gives the value to the row, which lets go of the one it had. False when another row holds it.
    pub fn claim(&mut self, id: &str, value: &str) -> bool {
        match self.holders.get(value) {
            Some(holder) => **holder == *id,
            None => {
                self.put(id, value);
                true
            }
        }
    }

    /// The value itself, or else with the first number from 2 that makes it free.
    pub fn free(&self, value: &str, usable: impl Fn(&str) -> bool) -> String {
        let numbered = (2..).map(|number: u64| format!("{value}-{number}"));
        std::iter::once(value.to_owned())
            .chain(numbered)
            .find(|candidate| usable(candidate) && !self.holders.contains_key(candidate.as_str()))
            .expect("numbers do not end")
    }

    fn put(&mut self, id: &str, value: &str) {
        let (id, value): (Rc<str>, Rc<str>) = (id.into(), value.into());
        if let Some(old) = self.held.insert(id.clone(), value.clone()) {
            self.holders.remove(&old);
        }
        self.holders.insert(value, id);
    }
}
