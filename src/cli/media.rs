use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::output::{Bar, OutputArgs, print_error};
use super::{Failure, StoreArgs, load, store};
use rollcall_model::clock::Clock;
use rollcall_store::media::{MediaPlace, SweepReport};
use rollcall_store::pictures::{self, Defect, PictureReport};

/// Bad pictures that are listed.
const MAX_LISTED: usize = 20;

#[derive(Subcommand)]
pub enum MediaCommand {
    /// Check that every picture that the store names is there and undamaged
    Check(MediaArgs),
    /// Copy every picture that the store names into a folder or a bucket; run it again to continue
    Copy(CopyArgs),
    /// Delete pictures that the store does not name, in two steps a day apart; a running service does it by itself
    Sweep(MediaArgs),
}

#[derive(Args)]
pub struct MediaArgs {
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct CopyArgs {
    /// Where to copy to: a folder, created if missing, or s3://BUCKET/PREFIX with the other settings of [media]
    #[arg(value_name = "DIR|S3-URL")]
    to: String,
    /// Where to copy from, if not from where the settings say that pictures are
    #[arg(long, value_name = "DIR|S3-URL")]
    from: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(command: MediaCommand) -> Result<(), Failure> {
    match command {
        MediaCommand::Check(args) => check(&args),
        MediaCommand::Copy(args) => copy(&args),
        MediaCommand::Sweep(args) => sweep(&args),
    }
}

fn check(args: &MediaArgs) -> Result<(), Failure> {
    let (mut conn, media) = store::open_for_reading(&load(&args.store.flags())?)?;
    let bar = Bar::new();
    let report = pictures::check(&mut conn, &media, &|done, all| bar.show("checking pictures", done, all));
    bar.finish();
    let report = report?;
    let value = json!({"good": report.good, "bad": bad_as_json(&report)});
    finish(&report, args.output, &format!("Checked {} pictures, all are in order.", report.good), &value)
}

fn copy(args: &CopyArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let place = |name, text: &str| config.media.other_place(name, text, &config.data).map_err(Failure::Usage);
    let to = place("the destination", &args.to)?;
    let from = args.from.as_ref().map_or_else(|| store::media_place(&config), |from| place("--from", from))?;
    if is_same_place(&from, &to) {
        return Err(Failure::Usage(format!("the pictures are in {to} already")));
    }
    let mut conn = store::open_database_for_reading(&config)?;
    let (from, target) = (from.open_existing()?, to.open_durable()?);
    let bar = Bar::new();
    let report = pictures::copy(&mut conn, &from, &target, &|done, all| bar.show("copying pictures", done, all));
    bar.finish();
    let report = report?;
    let (copied, present) = (report.good, report.present);
    let value = json!({"copied": copied, "present": present, "bad": bad_as_json(&report)});
    let text = format!("Copied {copied} pictures into {to}; {present} were there already.");
    finish(&report, args.output, &text, &value)
}

fn sweep(args: &MediaArgs) -> Result<(), Failure> {
    let (mut conn, media) = store::open(&load(&args.store.flags())?)?;
    let named = pictures::named(&mut conn)?;
    let SweepReport { set_aside, put_back, deleted } = media.sweep_blocking(&named, Clock::System.now())?;
    let text = format!("Set {set_aside} unused pictures aside, put {put_back} back, deleted {deleted}.");
    args.output.print(&text, &json!({"setAside": set_aside, "putBack": put_back, "deleted": deleted}))
}

fn is_same_place(a: &MediaPlace, b: &MediaPlace) -> bool {
    match (a, b) {
        (MediaPlace::Folder(a), MediaPlace::Folder(b)) => {
            matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
        }
        _ => a.to_string() == b.to_string(),
    }
}

fn bad_as_json(report: &PictureReport) -> Vec<Value> {
    let bad = report.bad.iter();
    bad.map(|picture| {
        let defect = match picture.defect {
            Defect::Missing => "missing",
            Defect::Damaged => "damaged",
        };
        json!({"path": picture.path, "defect": defect, "usedBy": picture.used_by.to_string()})
    })
    .collect()
}

/// Prints the outcome. Lists bad pictures and fails if there are any.
fn finish(report: &PictureReport, output: OutputArgs, text: &str, value: &Value) -> Result<(), Failure> {
    if output.json || report.bad.is_empty() {
        output.print(text, value)?;
    }
    for picture in report.bad.iter().take(MAX_LISTED) {
        let defect = match picture.defect {
            Defect::Missing => "is missing",
            Defect::Damaged => "is damaged: its content does not match its name",
        };
        print_error(&format!("{} {defect} (used by {})", picture.path, picture.used_by));
    }
    match report.bad.len() {
        0 => Ok(()),
        1 => Err(Failure::Failed("1 picture cannot be used".to_owned())),
        bad => Err(Failure::Failed(format!("{bad} pictures cannot be used"))),
    }
}
