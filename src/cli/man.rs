//! `man DIR`: a manual page for each command, for packages.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use super::{Cli, Failure};

#[derive(Args)]
pub struct ManArgs {
    /// Folder for the pages; it must exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// In roff an empty argument has quotes; without them the next one takes its place. Pages are the same on every day.
const NO_DATE: &str = "\"\"";

/// More sections for the page of the program itself. They hold for every command.
const PROGRAM_SECTIONS: &str = r#".SH EXAMPLES
.TP
.B rollcall demo
Serves demo data and prints an API key.
.TP
.B rollcall key create \-\-name my\-bot
Creates an API key and prints it.
.TP
.B rollcall serve \-\-config /etc/rollcall/rollcall.toml
Serves as the systemd service does.
.SH "EXIT STATUS"
.TP
.B 0
Success.
.TP
.B 1
Failure.
.TP
.B 2
An invalid command line or setting.
.SH ENVIRONMENT
.TP
.B ROLLCALL_CONFIG
The settings file, unless \fB\-\-config\fR names one.
.TP
.BR ROLLCALL_LISTEN ", " ROLLCALL_LIMITS_PER_MINUTE ", ..."
Every setting: its path in capitals, joined by "_".
\fBrollcall config\fR prints all settings with their defaults.
.TP
.B NO_COLOR
Turns colours off.
.SH FILES
.TP
.I /etc/rollcall/rollcall.toml
Settings of the systemd service.
.TP
.I /var/lib/rollcall
Data of the systemd service.
"#;

pub fn run(args: ManArgs) -> Result<(), Failure> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    write_pages(&program, &args.folder)
}

/// The page of a command, and those of its subcommands: `rollcall-key-create.1`.
fn write_pages(command: &Command, folder: &Path) -> Result<(), Failure> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write_pages(subcommand, folder)?;
    }
    let name = command.get_display_name().unwrap_or(command.get_name());
    let is_program = name == command.get_name();
    let source = concat!("rollcall ", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    Man::new(command.clone()).date(NO_DATE).source(source).manual("Rollcall").render(&mut page)?;
    let mut page = without_extra(String::from_utf8(page)?);
    if is_program {
        page += PROGRAM_SECTIONS;
    }
    let file = folder.join(format!("{name}.1"));
    std::fs::write(&file, page).map_err(|error| Failure::Failed(format!("cannot write {}: {error}", file.display())))
}

/// The text after the options is laid out for a terminal; `PROGRAM_SECTIONS` takes its place.
fn without_extra(page: String) -> String {
    match page.split_once(".SH EXTRA\n") {
        Some((before, after)) => before.to_owned() + after.find(".SH ").map_or("", |at| &after[at..]),
        None => page,
    }
}
