//! Whole tables from one file into another.

use super::Error;
use rollcall_store::Conn;
use rollcall_store::values;

/// Fills a table with the rows of the same table of the attached file `from`. The tables are alike and this one holds
/// nothing else, so SQLite takes over tables and indexes in their order, without looking at a row.
pub fn copy(conn: &mut Conn, from: &str, table: &str) -> Result<(), Error> {
    let differing: i64 = conn.one(
        &format!(
            "select count(*) from (select cid, name from pragma_table_info($1, 'main')
                                   except select cid, name from pragma_table_info($1, '{from}'))"
        ),
        values![table],
        |row| row.get(0),
    )?;
    if differing > 0 {
        return Err(Error::Refused(format!("the table {table} is not as its migrations made it")));
    }
    conn.batch(&format!("delete from main.{table}; insert into main.{table} select * from {from}.{table}"))?;
    Ok(())
}

/// The tables of a database (`main`, or an attached one), but for the list of migrations.
pub fn tables(conn: &mut Conn, of: &str) -> rollcall_store::Result<Vec<String>> {
    conn.query(
        &format!(
            "select name from {of}.sqlite_master
             where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name <> 'migrations' order by name"
        ),
        &[],
        |row| row.get(0),
    )
}

/// The migrations that a database has run. One that is none, or has a table of another kind there, has run none.
pub fn migrations(conn: &mut Conn, of: &str) -> rollcall_store::Result<Vec<i64>> {
    let there: i64 = conn.one(
        &format!("select count(*) from {of}.sqlite_master where type = 'table' and name = 'migrations'"),
        &[],
        |row| row.get(0),
    )?;
    if there == 0 {
        return Ok(Vec::new());
    }
    let numbers = format!("select coalesce(cast(number as integer), 0) from {of}.migrations order by 1");
    conn.query(&numbers, &[], |row| row.get(0))
}

/// A sentence if a newer program has been at work, whose tables this one does not know.
pub fn check_known(numbers: &[i64], whose: &str) -> Result<(), Error> {
    match numbers.iter().find(|number| !rollcall_store::is_known(**number)) {
        Some(number) => Err(Error::Refused(format!(
            "{whose} is of a newer rollcall than this one ({}), which does not know migration {number}; use that one",
            env!("CARGO_PKG_VERSION")
        ))),
        None => Ok(()),
    }
}
