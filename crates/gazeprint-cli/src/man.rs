//! `gazeprint man`: manual pages.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Command;

use crate::inspect::plural;
use crate::print;

/// Write the manual pages: one for gazeprint, and one for each command and what is below it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint man --out ~/.local/share/man/man1
  man gazeprint-study")]
pub(crate) struct Args {
    /// Folder to write; pages of an earlier version are replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args, program: Command) -> anyhow::Result<()> {
    let folder = args.out.display();
    let written = fs::create_dir_all(&args.out)
        .and_then(|()| clap_mangen::generate_to(program.clone(), &args.out));
    written.with_context(|| format!("manual pages cannot be written to {folder}"))?;
    print(&format!("{folder}: {}\n", plural(pages(&program), "page")))
}

/// Pages of a command: its own, and those of the commands below it.
fn pages(command: &Command) -> usize {
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    1 + shown.map(pages).sum::<usize>()
}
