//! What is asked for on the command line.

pub const HELP: &str = "\
Measures Rollcall beside others in one run, and writes benches/RESULTS.md.

Usage: ./bench [--quick] [--only WORK,...] [--contenders NAME,...]

  --quick             3 minutes: fewer and shorter rounds, on the large data if it is there already, else on the small
  --only WORK,...     only these works, by the beginning of their names, such as list,search
                      (also: pages, encodings, tracking, for the parts that come after)
  --contenders A,...  only these beside the ceiling: sqlite, postgres, fastify, fastapi, datasette
  --help              this text

While the host of a virtual machine is busy with others it waits, ten minutes in all at most.
With --only or --contenders nothing is written to benches/RESULTS.md.";

#[derive(Clone, Debug, Default)]
pub struct Args {
    pub quick: bool,
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
            let mut list = || {
                let value = words.next().ok_or_else(|| (format!("{word} needs a value\n\n{HELP}"), true))?;
                Ok(value.split(',').map(str::to_owned).collect())
            };
            match word.as_str() {
                "--quick" => args.quick = true,
                "--only" => args.only = list()?,
                "--contenders" => args.contenders = list()?,
                "--help" | "-h" => return Err((HELP.to_owned(), false)),
                _ => return Err((format!("there is no option {word}\n\n{HELP}"), true)),
            }
        }
        Ok(args)
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
}
