//! `gazeprint gallery`: what is in a gallery, and what is done with it as a whole.

mod log;

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::Subcommand;
use gazeprint::method::{Monitor, Template};
use gazeprint::saccade::{Reading, readings};
use gazeprint_eval::decision::{FEWEST_READERS, Rules};
use gazeprint_store::{Entry, Gallery, GalleryError, Location, Secret, Shards, StoreError};
use rayon::prelude::*;

use self::log::{date, words};
use crate::calibrate::{self, KeepRows, Sample, about, calibrate};
use crate::enroll::{limits_of, unknown_reader};
use crate::inspect::plural;
use crate::opening::{Asking, GalleriesArgs, GalleryArgs, open_all, secret, shards};
use crate::population::learn;
use crate::progress::Progress;
use crate::{Interrupted, Usage, print};

/// Look at a gallery, copy it, lock it, remove readers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint gallery list --gallery staff.gallery
  gazeprint gallery show --gallery staff.gallery anna
  gazeprint gallery remove --gallery staff.gallery anna
  gazeprint gallery key secret.key
  gazeprint gallery rekey --gallery staff.gallery --new-key-file secret.key      encrypt it
  gazeprint gallery export --gallery postgres://localhost/lab --out copy.gallery
  gazeprint gallery import copy.gallery --gallery postgres://localhost/other
  gazeprint gallery merge part1.gallery part2.gallery --gallery staff.gallery
  gazeprint gallery calibrate --gallery part1.gallery --gallery part2.gallery
  gazeprint gallery check --gallery staff.gallery
  gazeprint gallery log --gallery staff.gallery

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the readers
    List {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what is kept of a reader
    Show {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// The reader
        reader: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a reader, and overwrite what was kept of them
    Remove {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// The reader
        reader: String,
    },
    /// Copy the gallery to a new file; what opens the gallery opens the copy, unless something new is
    /// given
    Export {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// File to write
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Leave out readers and log: a gallery for a shard, whose population and pseudonyms fit
        #[arg(long)]
        empty: bool,
        #[command(flatten)]
        new: NewSecret,
    },
    /// Copy a gallery file to a new place; what opens the file opens the copy, unless something new is
    /// given
    Import {
        /// File that `export` wrote
        file: PathBuf,
        #[command(flatten)]
        gallery: GalleryArgs,
        #[command(flatten)]
        new: NewSecret,
    },
    /// Make one gallery of several that were enrolled in shards; what opens these opens the new one,
    /// unless something new is given
    Merge {
        /// The shards: files, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "SHARD", required = true)]
        from: Vec<String>,
        #[command(flatten)]
        gallery: GalleryArgs,
        #[command(flatten)]
        new: NewSecret,
    },
    /// Seal everything anew, with another key, passphrase, or none
    Rekey {
        #[command(flatten)]
        gallery: GalleryArgs,
        #[command(flatten)]
        new: NewSecret,
        /// Keep it without encryption from now on
        #[arg(long, conflicts_with_all = ["new_key_file", "new_passphrase", "new_passphrase_file"])]
        decrypt: bool,
    },
    /// Learn the population anew from the enrolled readers, and every reader with it
    Relearn {
        #[command(flatten)]
        gallery: GalleryArgs,
    },
    /// Learn the thresholds of decisions from the readers, where that was interrupted, or from those
    /// of several shards together
    Calibrate {
        #[command(flatten)]
        gallery: GalleriesArgs,
        /// Keep rows to search by even of few readers [default: from 5,000 on]
        #[arg(long)]
        rows: bool,
    },
    /// Show what was done: enrolments, identifications, verifications, removals
    Log {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// As JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Read everything, and check that it is whole
    Check {
        #[command(flatten)]
        gallery: GalleryArgs,
    },
    /// Make a key
    Key {
        /// File to write
        file: PathBuf,
    },
}

/// What is to open the gallery from now on.
#[derive(Debug, clap::Args)]
struct NewSecret {
    /// File with the new key
    #[arg(long, value_name = "FILE", conflicts_with_all = ["new_passphrase", "new_passphrase_file"])]
    new_key_file: Option<PathBuf>,
    /// Ask for the new passphrase on the terminal
    #[arg(long, conflicts_with = "new_passphrase_file")]
    new_passphrase: bool,
    /// File with the new passphrase on its first line
    #[arg(long, value_name = "FILE")]
    new_passphrase_file: Option<PathBuf>,
}

impl NewSecret {
    fn read(&self) -> anyhow::Result<Option<Secret>> {
        let files = (self.new_key_file.as_deref(), self.new_passphrase_file.as_deref());
        secret(files.0, self.new_passphrase, files.1, Asking::Twice)
    }
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    match args.action {
        Action::List { gallery, json } => list(&gallery, json),
        Action::Show { gallery, reader, json } => show(&gallery, &reader, json),
        Action::Remove { gallery, reader } => remove(&gallery, &reader),
        Action::Export { gallery, out, empty, new } => {
            let copied = if empty { Gallery::empty_copy_to } else { Gallery::copy_to };
            copy(&gallery.location(), &Location::File(out), &gallery, &new, copied)
        }
        Action::Import { file, gallery, new } => {
            copy(&Location::File(file), &gallery.location(), &gallery, &new, Gallery::copy_to)
        }
        Action::Merge { from, gallery, new } => merge(&from, &gallery, &new),
        Action::Rekey { gallery, new, decrypt } => rekey(&gallery, &new, decrypt),
        Action::Relearn { gallery } => relearn(&gallery),
        Action::Calibrate { gallery, rows } => {
            let progress = Progress::new(1)?;
            let mut galleries = gallery.open()?;
            if rows && galleries.len() > 1 {
                return Err(Usage(
                    "--rows is for one gallery: shards are compared as a whole; merge them first \
                     (`gazeprint gallery merge`)"
                        .to_owned(),
                )
                .into());
            }
            let keep_rows = if rows { KeepRows::Always } else { KeepRows::OfMany };
            calibrated(&mut shards(&mut galleries)?, keep_rows, &progress)
        }
        Action::Log { gallery, json } => log(&gallery, json),
        Action::Check { gallery } => check(&gallery),
        Action::Key { file } => {
            Secret::new_key_file(&file)?;
            print(&format!(
                "{}: a new key; keep a copy where the gallery is not: without it the gallery is lost\n",
                file.display()
            ))
        }
    }
}

/// Learns thresholds, and says what they can promise.
fn calibrated(
    galleries: &mut Shards<'_>,
    keep_rows: KeepRows,
    progress: &Progress,
) -> anyhow::Result<()> {
    let rules = calibrate(galleries, keep_rows, progress)?;
    progress.clear();
    print(&about(galleries, rules.as_ref())?)
}

/// Makes one gallery of several, and learns its thresholds.
fn merge(from: &[String], args: &GalleryArgs, new: &NewSecret) -> anyhow::Result<()> {
    let progress = Progress::new(1)?;
    let (to, secret) = (args.location(), args.secret(Asking::Once)?);
    let mut galleries = open_all(from, secret.as_ref())?;
    let new = new.read()?;
    let mut merged = shards(&mut galleries)?.merge(&to, new.as_ref().or(secret.as_ref()))?;
    calibrated(&mut Shards::from(&mut merged), KeepRows::OfMany, &progress)
}

/// Copies a gallery. The copy is as safe as the original unless something else is said.
fn copy(
    from: &Location,
    to: &Location,
    args: &GalleryArgs,
    new: &NewSecret,
    copied: impl Fn(&mut Gallery, &Location, Option<&Secret>) -> Result<Gallery, GalleryError>,
) -> anyhow::Result<()> {
    let secret = args.secret(Asking::Once)?;
    let mut original = Gallery::open(from, secret.as_ref())?;
    let new = new.read()?;
    let mut copy = copied(&mut original, to, new.as_ref().or(secret.as_ref()))?;
    let readers = copy.list()?.len();
    print(&format!("{}: {}\n", copy.location(), plural(readers, "reader")))
}

fn list(args: &GalleryArgs, json: bool) -> anyhow::Result<()> {
    let mut gallery = args.open()?;
    let loaded = gallery.load::<Rules>()?;
    if json {
        return print(&format!("{}\n", serde_json::to_string_pretty(&loaded.readers)?));
    }
    let mut text = about(&mut Shards::from(&mut gallery), loaded.rules.as_ref())?;
    let width = loaded.readers.iter().map(|r| r.id.chars().count()).max().unwrap_or(0).max(6);
    _ = writeln!(
        text,
        "\n{:<width$}  {:>10}  {:>9}  {:<16}  changed (UTC)",
        "reader", "recordings", "fixations", "enrolled (UTC)"
    );
    for Entry { id, recordings, fixations, enrolled, changed, .. } in &loaded.readers {
        let (enrolled, changed) = (date(*enrolled), date(*changed));
        _ = writeln!(
            text,
            "{id:<width$}  {recordings:>10}  {fixations:>9}  {enrolled:<16}  {changed}"
        );
    }
    print(&text)
}

fn show(args: &GalleryArgs, reader: &str, json: bool) -> anyhow::Result<()> {
    let mut gallery = args.open()?;
    let readers = gallery.list()?;
    let id = gallery.id_of(reader);
    let found = readers.iter().find(|entry| entry.id == id || entry.id == reader);
    let entry = found
        .ok_or_else(|| unknown_reader(&gallery, readers.iter().map(|entry| &entry.id), reader))?;
    if json {
        return print(&format!("{}\n", serde_json::to_string_pretty(entry)?));
    }
    let remembered = gallery.earlier_probes(&entry.id)?.len();
    print(&format!(
        "reader      {}\nrecordings  {}\nfixations   {}\nenrolled    {} UTC\nchanged     {} UTC\n\
         remembered  {} of earlier probes, to know replays\n",
        entry.id,
        entry.recordings,
        entry.fixations,
        date(entry.enrolled),
        date(entry.changed),
        plural(remembered, "reading"),
    ))
}

fn check(args: &GalleryArgs) -> anyhow::Result<()> {
    let mut gallery = args.open()?;
    let checked = gallery.check()?;
    let records: u64 = checked.records.iter().sum();
    let at = gallery.location();
    let erasing = match checked.is_erasing {
        true => format!(
            "{at}: an erasure was cut short, or is under way: what was removed is not all \
             overwritten; the next change does it, for example `gazeprint gallery calibrate`\n"
        ),
        false => String::new(),
    };
    print(&format!(
        "{at}: whole; {records} records, {} entries of the log, {}\n{erasing}",
        checked.entries,
        if gallery.is_encrypted() { "encrypted" } else { "not encrypted" }
    ))
}

fn remove(args: &GalleryArgs, reader: &str) -> anyhow::Result<()> {
    let progress = Progress::new(1)?;
    let mut gallery = args.open()?;
    // Also where the reader is gone already: who was interrupted tries it again.
    match gallery.finish_erasing() {
        Ok(true) => {
            let at = gallery.location();
            print(&format!("{at}: an earlier erasure that was cut short is finished now\n"))?;
        }
        Ok(false) => {}
        Err(GalleryError::Store(StoreError::Leftovers { .. })) => eprintln!(
            "warning: {}: what was removed before could still not be overwritten",
            gallery.location()
        ),
        Err(error) => return Err(error.into()),
    }
    let readers = gallery.list()?;
    let id = gallery.id_of(reader);
    let found = readers.iter().find(|entry| entry.id == id || entry.id == reader);
    let id = found
        .ok_or_else(|| unknown_reader(&gallery, readers.iter().map(|entry| &entry.id), reader))?
        .id
        .clone();
    let erased = made(gallery.remove(&id))?;
    let mut whole = Shards::from(&mut gallery);
    let rules = calibrate(&mut whole, KeepRows::OfMany, &progress)?;
    progress.clear();
    let rest = about(&mut whole, rules.as_ref())?;
    let more = "the log (it names the reader), and what the population learned from all readers \
                together (`gazeprint gallery relearn` learns it anew)";
    let what = match erased {
        Ok(()) => {
            format!("removed {id}: template, recordings and remembered probes are overwritten")
        }
        Err(_) => format!("removed {id}"),
    };
    told(gallery.location(), &what, erased, more, &rest)
}

/// A change that was made, and whether what it removed was overwritten too.
fn made(result: Result<(), GalleryError>) -> Result<Result<(), StoreError>, GalleryError> {
    match result {
        Ok(()) => Ok(Ok(())),
        Err(GalleryError::Store(left @ StoreError::Leftovers { .. })) => Ok(Err(left)),
        Err(error) => Err(error),
    }
}

/// Says what was done, where what was there before still is, and whether it could be overwritten.
fn told(
    at: &Location,
    what: &str,
    erased: Result<(), StoreError>,
    more: &str,
    rest: &str,
) -> anyhow::Result<()> {
    let server = match at {
        Location::Postgres(_) => ", the write-ahead log of the server",
        Location::File(_) => "",
    };
    print(&format!(
        "{what}\nnot reached: backups, exports, snapshots of the file system, blocks \
         that a drive has put aside{server}, {more}\n{rest}"
    ))?;
    Ok(erased?)
}

fn rekey(args: &GalleryArgs, new: &NewSecret, decrypt: bool) -> anyhow::Result<()> {
    let secret = new.read()?;
    if secret.is_none() && !decrypt {
        let message = "say what is to open the gallery from now on: --new-key-file FILE, \
                       --new-passphrase, --new-passphrase-file FILE, or --decrypt";
        return Err(Usage(message.to_owned()).into());
    }
    let mut gallery = args.open()?;
    let was_encrypted = gallery.is_encrypted();
    let erased = made(gallery.rekey(secret.as_ref()))?;
    let at = gallery.location();
    let new = if gallery.is_encrypted() { "encrypted anew" } else { "no longer encrypted" };
    let more = match was_encrypted {
        true => "and whatever else the old key opens",
        false => "and whatever else of it is not encrypted",
    };
    told(at, &format!("{at}: {new}"), erased, more, "")
}

fn relearn(args: &GalleryArgs) -> anyhow::Result<()> {
    let progress = Progress::new(1)?;
    let mut gallery = args.open()?;
    let limits = limits_of(gallery.founding())?;
    let loaded = gallery.load::<Rules>()?;
    let recorded = gallery.all_recordings(|_| true)?;
    if recorded.len() < FEWEST_READERS {
        bail!(
            "{}: found {}, expected at least {FEWEST_READERS} to learn what readers have in common; \
             enrol more",
            gallery.location(),
            plural(recorded.len(), "reader")
        );
    }
    let corpus = gazeprint_store::corpus("gallery", &recorded)?;
    let (all, _) = readings(&corpus, limits);
    let population = learn(recorded.len(), &all, &progress)?;
    let templates: Vec<Template> = (0..loaded.readers.len())
        .into_par_iter()
        .map(|place| {
            let own: Vec<&Reading> = all.iter().filter(|r| r.reader == place).collect();
            population.template(&own)
        })
        .collect();
    let background = population.background();
    let sample = Sample::read(&mut Shards::from(&mut gallery), &loaded.readers)?;
    let rules = calibrate::learn(&sample, &population, &background, &templates, &progress);
    let rules = match rules {
        _ if progress.stop() => return Err(Interrupted::NOTHING.into()),
        rules => rules?,
    };
    let templates = loaded.readers.into_iter().zip(templates).collect();
    gallery.relearn(&population, loaded.era, templates, rules.as_ref())?;
    let mut whole = Shards::from(&mut gallery);
    // Rows, where there are many; rules were learned with all the rest.
    let rules = calibrate(&mut whole, KeepRows::OfMany, &progress)?;
    progress.clear();
    let rest = about(&mut whole, rules.as_ref())?;
    print(&format!("learned anew from {}\n{rest}", plural(recorded.len(), "reader")))
}

fn log(args: &GalleryArgs, json: bool) -> anyhow::Result<()> {
    let mut gallery = args.open()?;
    let mut text = String::new();
    for entry in gallery.log()? {
        _ = if json {
            writeln!(text, "{}", serde_json::to_string(&entry)?)
        } else {
            writeln!(text, "{} UTC  {}", date(entry.time), words(&entry.event))
        };
    }
    print(&text)
}
