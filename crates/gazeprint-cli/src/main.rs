//! The `gazeprint` command.

mod bench;
mod completions;
mod corpora;
mod ends;
mod enroll;
mod exit;
mod export;
mod gallery;
mod identify;
mod import;
mod inspect;
mod man;
mod opening;
mod output;
mod people;
mod population;
mod probe;
mod progress;
#[cfg(feature = "serve")]
mod serve;
mod signals;
mod simulate;
mod study;
#[cfg(feature = "serve")]
mod token;
mod traits;
mod verify;
mod watch;
mod words;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use gazeprint_recognition::ErrorKind;

pub(crate) use self::corpora::{CorpusArg, refuse_without_words};
pub(crate) use self::ends::{Interrupted, Usage, explain};
use self::exit::Exit;
pub(crate) use self::output::{Tables, print, print_json};

/// Who is reading? Recognises people by how their eyes move over text.
#[derive(Debug, Parser)]
#[command(
    name = "gazeprint",
    version,
    propagate_version = true,
    max_term_width = 80,
    after_help = "\
Examples:
  gazeprint study            compare methods on real readers
  gazeprint study simulated  and on simulated ones
  gazeprint study my-corpus --out results
  gazeprint inspect my-corpus
  gazeprint traits my-corpus --out traits  what each reader does
  gazeprint simulate --readers 20 --out demo
  gazeprint inspect demo
  gazeprint population demo --out people.json  what readers have in common
  gazeprint inspect people.json
  # what other tools write
  gazeprint import fixations.csv --words words.csv --out my-corpus
  gazeprint enroll my-corpus --gallery staff.gallery
  gazeprint identify unknown --gallery staff.gallery
  gazeprint verify claim --reader anna --gallery staff.gallery

Exit codes: 0 done, accepted or named; 1 failed; 2 wrong usage; 3 rejected or unknown; 4 undecided; \
5 replay; 6 locked (no or wrong key); 7 damaged; 130 interrupted. With --json, errors are JSON too, on \
standard error: {\"error\": {\"kind\", \"message\"}}."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Study(Box<study::Args>),
    Simulate(simulate::Args),
    Inspect(inspect::Args),
    People(people::Args),
    Population(population::Args),
    Traits(traits::Args),
    Import(Box<import::Args>),
    Export(export::Args),
    Enroll(enroll::Args),
    Identify(identify::Args),
    Verify(verify::Args),
    Watch(watch::Args),
    Gallery(gallery::Args),
    #[cfg(feature = "serve")]
    Serve(Box<serve::Args>),
    #[cfg(feature = "serve")]
    Token(token::Args),
    Bench(bench::Args),
    Completions(completions::Args),
    Man(man::Args),
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Study(args) => study::run(*args),
        Command::Simulate(args) => simulate::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::People(args) => people::run(&args),
        Command::Population(args) => population::run(args),
        Command::Traits(args) => traits::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(args),
        Command::Enroll(args) => enroll::run(&args),
        Command::Identify(args) => return identify::run(&args),
        Command::Verify(args) => return verify::run(&args),
        Command::Watch(args) => return watch::run(&args),
        Command::Gallery(args) => gallery::run(args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args),
        #[cfg(feature = "serve")]
        Command::Token(args) => token::run(args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command()),
    }
    .map(|()| Exit::Done)
}

/// Says what went wrong, as words or as JSON.
fn complain(kind: ErrorKind, message: &str, json: bool) {
    match json {
        true => {
            let json = serde_json::json!({"error": {"kind": kind.name(), "message": message}});
            eprintln!("{}", words::spelt_out_json(&json.to_string()));
        }
        false => words::error(message),
    }
}

fn main() -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        // What was asked for, like --help, is no error.
        Err(error) if json && error.use_stderr() => {
            complain(ErrorKind::Usage, error.to_string().trim_end(), json);
            return ExitCode::from(Exit::Usage as u8);
        }
        Err(error) => error.exit(),
    };
    let exit = run(command).unwrap_or_else(|error| {
        let kind = words::errors::kind(&error);
        complain(kind, &words::errors::told(&error), json);
        kind.into()
    });
    ExitCode::from(exit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_width(command: &clap::Command) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        // Paragraphs are wrapped; what is set in is not.
        for line in help.lines().filter(|line| line.starts_with(' ')) {
            assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
        }
        command.get_subcommands().for_each(check_width);
    }

    #[test]
    fn help_was_ragged_in_eighty_columns() {
        check_width(&Cli::command());
    }
}
