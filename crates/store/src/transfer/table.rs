//! Describes a table that an import merges rows into.

use crate::Value;

pub struct StagedTable {
    pub(super) name: &'static str,
    /// The unique columns by which a staged row finds the row it replaces.
    pub(super) key: &'static str,
    /// In the order of the values of a [`StagedRow`].
    pub(super) columns: &'static [Column],
    /// Totals and statistics: 0 in a new row, unchanged in an existing one.
    pub(super) computed: &'static [&'static str],
    pub(super) lists: &'static [ListTable],
    /// The totals that a row of this table counts in.
    pub(super) affects: &'static [AffectedTotals],
}

/// A table with one row per item of a list. The items of a staged row replace those of the existing row.
pub(super) struct ListTable {
    pub table: &'static str,
    pub parent: &'static str,
    pub columns: &'static [Column],
}

/// A row to merge: the values of its columns, and the item rows of each list.
pub struct StagedRow {
    pub(super) values: Vec<Value>,
    pub(super) lists: Vec<Vec<Vec<Value>>>,
}

impl StagedRow {
    /// PostgreSQL cannot store U+0000 in a text. Neither engine may be given one, so that both hold the same data.
    pub fn contains_nul(&self) -> bool {
        let mut values = self.values.iter().chain(self.lists.iter().flatten().flatten());
        values.any(|value| matches!(value, Value::Text(text) if text.contains('\0')))
    }
}

impl From<Vec<Value>> for StagedRow {
    fn from(values: Vec<Value>) -> Self {
        Self { values, lists: Vec::new() }
    }
}

pub(super) struct Column {
    pub name: &'static str,
    pub sql_type: &'static str,
    pub if_null: IfNull,
}

/// Value of a column when the staged value is null.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum IfNull {
    Null,
    /// The existing value; in a new row the time of the import.
    ExistingOrNow,
    /// The existing value; in a new row 0.
    ExistingOrZero,
    /// An existing row of the same server keeps its ordinal until the totals are recomputed. The staged value is used
    /// for new rows and for rows that move to another server.
    KeepOrdinal,
}

pub(super) const fn text(name: &'static str) -> Column {
    Column { name, sql_type: "text", if_null: IfNull::Null }
}

pub(super) const fn int(name: &'static str) -> Column {
    Column { name, sql_type: "bigint", if_null: IfNull::Null }
}

pub(super) const fn real(name: &'static str) -> Column {
    Column { name, sql_type: "double precision", if_null: IfNull::Null }
}

pub(super) const fn flag(name: &'static str) -> Column {
    Column { name, sql_type: "boolean", if_null: IfNull::Null }
}

pub(super) const fn ordinal(name: &'static str) -> Column {
    Column { name, sql_type: "bigint", if_null: IfNull::KeepOrdinal }
}

impl Column {
    pub const fn existing_or_now(self) -> Self {
        Self { if_null: IfNull::ExistingOrNow, ..self }
    }

    pub const fn existing_or_zero(self) -> Self {
        Self { if_null: IfNull::ExistingOrZero, ..self }
    }

    /// Whether merging needs the existing row.
    pub fn reads_existing(&self) -> bool {
        matches!(self.if_null, IfNull::ExistingOrNow | IfNull::ExistingOrZero)
    }
}

#[derive(Clone, Copy)]
pub(super) enum AffectedTotals {
    /// The row itself has totals.
    OfRow(TotalsOf),
    /// The row that this column refers to has totals: both the one before the merge and the one after it.
    OfReferenced(&'static str, TotalsOf),
}

#[derive(Clone, Copy)]
pub(super) enum TotalsOf {
    Servers,
    Players,
    Textures,
}
