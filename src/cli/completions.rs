//! `completions SHELL`: the completion script of a shell, made from the command line itself.

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;

use super::output::print_line;
use super::{Cli, Failure};

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell to complete commands in
    shell: SupportedShell,
}

/// Those that the package installs scripts for.
#[derive(Clone, Copy, ValueEnum)]
enum SupportedShell {
    Bash,
    Zsh,
    Fish,
}

pub fn run(args: CompletionsArgs) -> Result<(), Failure> {
    let shell = match args.shell {
        SupportedShell::Bash => Shell::Bash,
        SupportedShell::Zsh => Shell::Zsh,
        SupportedShell::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "rollcall", &mut script);
    print_line(String::from_utf8(script)?.trim_end())
}
