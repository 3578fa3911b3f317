//! `gazeprint completions`: what a shell completes commands by.

use clap::Command;
use clap_complete::Shell;

use crate::print;

/// Print a script by which a shell completes gazeprint's commands and options.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint completions bash > \\
      ~/.local/share/bash-completion/completions/gazeprint
  gazeprint completions zsh > ~/.zfunc/_gazeprint  (with ~/.zfunc in fpath)
  gazeprint completions fish > ~/.config/fish/completions/gazeprint.fish")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub(crate) fn run(args: &Args, mut program: Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "gazeprint", &mut script);
    print(&String::from_utf8(script)?)
}
