//! Values that must be unique besides the id: slugs, usernames, UUIDs. Checked while a file is read, so that a
//! conflict is reported with its line instead of as a database error.

use std::collections::HashMap;
use std::rc::Rc;

use rollcall_store::{Conn, Result};

/// Reads the id and value of each existing row.
pub(super) type LoadValues = fn(&mut Conn, &mut dyn FnMut(&str, &str)) -> Result<()>;

#[derive(Default)]
pub(super) struct UniqueValues {
    id_by_value: HashMap<Rc<str>, Rc<str>>,
    value_by_id: HashMap<Rc<str>, Rc<str>>,
}

impl UniqueValues {
    pub fn load(conn: &mut Conn, load: LoadValues) -> Result<Self> {
        let mut values = Self::default();
        load(conn, &mut |id, value| values.insert(id, value))?;
        Ok(values)
    }

    pub fn value_of(&self, id: &str) -> Option<&str> {
        self.value_by_id.get(id).map(|value| &**value)
    }

    /// Gives a value to a row and releases the row's old value. False if another row has the value.
    pub fn claim(&mut self, id: &str, value: &str) -> bool {
        match self.id_by_value.get(value) {
            Some(holder) => **holder == *id,
            None => {
                self.insert(id, value);
                true
            }
        }
    }

    /// The value itself if it is free and usable, else with the first suffix `-2`, `-3`, … that is.
    pub fn first_free(&self, value: &str, is_usable: impl Fn(&str) -> bool) -> String {
        let numbered = (2..).map(|number: u64| format!("{value}-{number}"));
        std::iter::once(value.to_owned())
            .chain(numbered)
            .find(|candidate| is_usable(candidate) && !self.id_by_value.contains_key(candidate.as_str()))
            .expect("there is always a free number")
    }

    fn insert(&mut self, id: &str, value: &str) {
        let (id, value): (Rc<str>, Rc<str>) = (id.into(), value.into());
        if let Some(old) = self.value_by_id.insert(id.clone(), value.clone()) {
            self.id_by_value.remove(&old);
        }
        self.id_by_value.insert(value, id);
    }
}
