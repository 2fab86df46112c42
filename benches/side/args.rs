//! What is asked for on the command line.

use std::time::Duration;

pub const HELP: &str = "\
Measures Rollcall beside others in one run, and writes benches/RESULTS.md.

Usage: ./bench [--quick] [--patience MINUTES] [--only WORK,...] [--contenders NAME,...]

  --quick             3 minutes: fewer and shorter rounds, on the large data if it is there already, else on the small;
                      peers, and waits at half load, only where they are judged
  --patience MINUTES  how long to wait, in all, while the host of this virtual machine is busy with others: 10, or 1 with --quick
  --only WORK,...     only these works, by the beginning of their names, such as list,search
                      (also: pages, encodings, tracking, for the parts that come after)
  --contenders A,...  only these beside the ceiling: sqlite, postgres, fastify, fastapi, datasette
  --help              this text

With --only or --contenders nothing is written to benches/RESULTS.md.";

#[derive(Clone, Debug, Default)]
pub struct Args {
    pub quick: bool,
    patience: Option<u32>,
    pub only: Vec<String>,
    pub contenders: Vec<String>,
}

impl Args {
    /// `Err` holds what to say instead of measuring, and whether that is a failure.
    pub fn read(words: impl Iterator<Item = String>) -> Result<Self, (String, bool)> {
        let mut args = Self::default();
        // Cargo adds a word of its own.
        let mut words = words.filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| (format!("{word} needs a value\n\n{HELP}"), true));
            let list = |value: String| value.split(',').map(str::to_owned).collect();
            match word.as_str() {
                "--quick" => args.quick = true,
                "--only" => args.only = list(value()?),
                "--contenders" => args.contenders = list(value()?),
                "--patience" => args.patience = Some(minutes(&value()?)?),
                "--help" | "-h" => return Err((HELP.to_owned(), false)),
                _ => return Err((format!("there is no option {word}\n\n{HELP}"), true)),
            }
        }
        Ok(args)
    }

    /// How long to wait for a quiet host, in all; then it goes on as it is, and the share is told.
    pub fn patience(&self) -> Duration {
        let minutes = self.patience.unwrap_or(if self.quick { 1 } else { 10 });
        Duration::from_mins(u64::from(minutes))
    }

    /// Whether a work or part of this name is to be measured.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.starts_with(only.as_str()))
    }

    pub fn invites(&self, name: &str) -> bool {
        self.contenders.is_empty() || self.contenders.iter().any(|only| only == name)
    }

    pub fn is_whole(&self) -> bool {
        self.only.is_empty() && self.contenders.is_empty()
    }

    /// What makes a whole run like this one again.
    pub fn command(&self) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        let patience = self.patience.map(|minutes| format!(" --patience {minutes}")).unwrap_or_default();
        format!("./bench{quick}{patience}")
    }
}

fn minutes(value: &str) -> Result<u32, (String, bool)> {
    value.parse().map_err(|_| (format!("--patience must be a whole number of minutes, not {value:?}\n\n{HELP}"), true))
}
