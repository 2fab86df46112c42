//! `/dashboard/account/export`: everything that is stored about an account, as a ZIP file of NDJSON files.

use std::io::{Cursor, Write};
use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::app::App;
use crate::error::ApiError;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::ProvedUser;
use crate::web::error_page;
use crate::web::page::{self, PageResult};
use rollcall_model::message::translatable;
use rollcall_model::time::{self, DAY};
use rollcall_store::account_export::{self, ExportTable};
use rollcall_store::{Conn, Result, audit, keys};

/// In the audit log, which counts the exports.
const EXPORTED: &str = translatable("data exported");
/// An export reads years of usage and compresses it.
const EXPORTS_PER_DAY: i64 = 10;

/// A file of the archive: its name and its lines.
type ExportFile = (&'static str, String);

/// Needs a fresh proof: a stolen session must not take everything at once.
pub async fn download(State(app): State<Arc<App>>, form: CsrfForm<ProvedUser>) -> PageResult {
    let user = &form.sender.0;
    let (n, author) = (user.account.n, user.author());
    let counted = app.pool.write(move |conn| {
        let is_allowed = audit::count_since(conn, n, EXPORTED, author.at - DAY)? < EXPORTS_PER_DAY;
        if is_allowed {
            audit::log_account(conn, Some(n), EXPORTED, "", &author)?;
        }
        Ok(is_allowed)
    });
    if !counted.await? {
        let text = translatable("Your data was downloaded too often within a day. Try again tomorrow.");
        let response =
            error_page::with_message(StatusCode::TOO_MANY_REQUESTS, translatable("Too many downloads"), text);
        return Ok(page::with_retry_after(response, DAY / 1000));
    }
    let read = move |conn: &mut Conn| {
        conn.snapshot(|conn| {
            let keys: Vec<(i64, String)> = keys::of_account(conn, n)?.into_iter().map(|key| (key.n, key.id)).collect();
            Ok((read_tables(conn, account_export::STORE, n)?, keys))
        })
    };
    let (mut files, keys) = app.pool.read(read).await?;
    let ledger = move |conn: &mut Conn| {
        let mut files = read_tables(conn, account_export::LEDGER, n)?;
        let mut usage = String::new();
        for (key_n, key_id) in &keys {
            usage += &account_export::usage_lines(conn, *key_n, key_id)?;
        }
        files.push(("usage", usage));
        Ok(files)
    };
    files.extend(app.ledger.read(ledger).await?);
    // Compressing years of usage takes longer than an async worker may be held.
    let archive = tokio::task::spawn_blocking(move || archive(&files)).await;
    let archive = archive
        .map_err(|error| ApiError::Internal(error.to_string()))?
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    let day = time::day(user.session.now);
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"rollcall-{}-{day}.zip\"", user.account.username)),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, archive).into_response())
}

fn read_tables(conn: &mut Conn, tables: &'static [ExportTable], account_n: i64) -> Result<Vec<ExportFile>> {
    tables.iter().map(|table| Ok((table.name, account_export::lines(conn, table, account_n)?))).collect()
}

fn archive(files: &[ExportFile]) -> zip::result::ZipResult<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, lines) in files {
        archive.start_file(format!("{name}.ndjson"), options)?;
        archive.write_all(lines.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}
