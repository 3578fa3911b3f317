//! `gazeprint gallery`: what is in a gallery, and what is done with it as a whole.

mod args;
mod erasure;

use anyhow::bail;
use gazeprint_recognition::{
    Erasure, Error, KeepRows, Location, Recognizer, Removal, Secret, Stage, Standing,
};

use self::args::{Action, NewSecret};
use self::erasure::{is_leftover, told};
use crate::inspect::{plural, visible};
use crate::opening::{Asking, GalleryArgs, locations};
use crate::progress::Progress;
use crate::words::{self, answers, log, warnings};
use crate::{Interrupted, Usage, print, print_json};

pub(crate) use self::args::Args;

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    match args.action {
        Action::List { gallery, json } => list(&gallery.open()?, json),
        Action::Show { gallery, reader, json } => show(&gallery.open()?, &reader, json),
        Action::Remove { gallery, reader } => remove(&gallery, &reader),
        Action::Export { gallery, out, empty, new } => {
            let copied = if empty { Recognizer::empty_copy_to } else { Recognizer::copy_to };
            copy(gallery.open_at(&gallery.location())?, &Location::File(out), &new, copied)
        }
        Action::Import { file, gallery, new } => {
            let original = gallery.open_at(&Location::File(file))?;
            copy(original, &gallery.location(), &new, Recognizer::copy_to)
        }
        Action::Merge { from, gallery, new } => merge(&from, &gallery, &new),
        Action::Rekey { gallery, new, decrypt } => rekey(&gallery, &new, decrypt),
        Action::Relearn { gallery } => relearn(&gallery),
        Action::Calibrate { gallery, rows } => {
            let progress = Progress::new()?;
            let desk = gallery.open()?;
            let keep_rows = if rows { KeepRows::Always } else { KeepRows::OfMany };
            let standing = desk.calibrate(keep_rows, &progress)?;
            progress.clear();
            print(&stands(&desk, &standing))
        }
        Action::Log { gallery, json } => show_log(&gallery.open()?, json),
        Action::Check { gallery } => check(&gallery.open()?),
        Action::Compact { gallery } => compact(&gallery.open()?),
        Action::Upgrade { gallery } => upgrade(&gallery),
        Action::Anchor { gallery } => print(&format!("{}\n", gallery.open()?.anchor()?)),
        Action::Key { file } => {
            Secret::new_key_file(&file)?;
            print(&format!(
                "{}: a new key; keep a copy where the gallery is not: without it the gallery is lost\n",
                file.display()
            ))
        }
    }
}

/// What a gallery can promise, beside what is to be said of it.
fn stands(desk: &Recognizer, standing: &Standing) -> String {
    warnings::say(&standing.warnings, desk.location());
    answers::standing(desk.location(), standing)
}

/// Makes one gallery of several, and learns its thresholds.
fn merge(from: &[String], args: &GalleryArgs, new: &NewSecret) -> anyhow::Result<()> {
    args.refuse_anchor()?;
    let progress = Progress::new()?;
    let (to, secret) = (args.location(), args.secret(Asking::Once)?);
    let from = locations(from);
    let new = new.read()?;
    let new = new.as_ref().or(secret.as_ref());
    let Some((desk, standing)) = Recognizer::merge(&from, secret.as_ref(), &to, new, &progress)?
    else {
        bail!(Usage("found no gallery to merge, expected at least one".to_owned()));
    };
    progress.clear();
    print(&stands(&desk, &standing))
}

/// Copies a gallery. The copy is as safe as the original unless something else is said.
fn copy(
    (original, secret): (Recognizer, Option<Secret>),
    to: &Location,
    new: &NewSecret,
    copied: impl Fn(&Recognizer, &Location, Option<&Secret>) -> Result<Recognizer, Error>,
) -> anyhow::Result<()> {
    let new = new.read()?;
    let copy = copied(&original, to, new.as_ref().or(secret.as_ref()))?;
    print(&format!("{}: {}\n", copy.location(), plural(copy.count()?, "reader")))
}

fn list(desk: &Recognizer, json: bool) -> anyhow::Result<()> {
    let readers = desk.list()?;
    if json {
        return print_json(&readers);
    }
    print(&format!("{}{}", stands(desk, &desk.standing()?), answers::readers(&readers)))
}

fn show(desk: &Recognizer, reader: &str, json: bool) -> anyhow::Result<()> {
    let (entry, remembered) = desk.show(reader)?;
    if json {
        return print_json(&entry);
    }
    print(&answers::reader(&entry, remembered))
}

fn check(desk: &Recognizer) -> anyhow::Result<()> {
    let checked = desk.check()?;
    let records: u64 = checked.records.iter().sum();
    let at = desk.location();
    let erasing = match checked.is_erasing {
        true => format!(
            "{at}: an erasure was cut short: its journal, which has old keys, still lies beside the gallery; \
             `gazeprint gallery compact` overwrites it, and so does the next `remove`\n"
        ),
        false => String::new(),
    };
    print(&format!(
        "{at}: whole; {records} records, {} entries of the log, {}\n{erasing}",
        checked.entries,
        if desk.is_encrypted() { "encrypted" } else { "not encrypted" }
    ))
}

fn remove(args: &GalleryArgs, reader: &str) -> anyhow::Result<()> {
    let progress = Progress::new()?;
    let desk = args.open()?;
    let at = desk.location();
    // Also where the reader is gone already: who was interrupted tries it again.
    match desk.finish_erasing() {
        Ok(true) => {
            print(&format!("{at}: an earlier erasure that was cut short is finished now\n"))?
        }
        Ok(false) => {}
        Err(error) if is_leftover(&error) => {
            words::warning(&format!(
                "{at}: what was removed before could still not be overwritten"
            ));
        }
        Err(error) => return Err(error.into()),
    }
    let Removal { reader, erasure, standing } = desk.remove(reader, &progress)?;
    let reader = visible(&reader);
    progress.clear();
    let log = "the log (it names the reader), and what the population learned from all readers \
                together (`gazeprint gallery relearn` learns it anew)";
    let (key, more) = match at {
        Location::File(_) => ("overwritten", log.to_owned()),
        Location::Postgres(_) => (
            "replaced",
            format!(
                "the old version of the key in the files of the server, until it uses the place again \
                 (`gazeprint gallery compact` writes them anew), {log}"
            ),
        ),
    };
    let what = match erasure {
        Erasure::Done => {
            format!(
                "removed {reader}: template, recordings and remembered probes cannot be read any more, \
                 their key is {key}"
            )
        }
        Erasure::Incomplete(_) => format!("removed {reader}"),
    };
    let rest = standing.as_ref().map_or_else(|_| String::new(), |known| stands(&desk, known));
    told(at, &what, erasure, &more, &rest)?;
    Ok(standing.map(drop)?)
}

fn compact(desk: &Recognizer) -> anyhow::Result<()> {
    match desk.compact()? {
        Erasure::Done => print(&format!("{}: written anew\n", desk.location())),
        Erasure::Incomplete(left) => Err(Error::from(left).into()),
    }
}

fn upgrade(args: &GalleryArgs) -> anyhow::Result<()> {
    let progress = Progress::new()?;
    let desk = args.open_any()?;
    let upgraded = desk.upgrade(&progress)?;
    progress.clear();
    let what = if upgraded { "upgraded" } else { "is of the format of this version already" };
    print(&format!("{}: {what}\n", desk.location()))
}

fn rekey(args: &GalleryArgs, new: &NewSecret, decrypt: bool) -> anyhow::Result<()> {
    let secret = new.read()?;
    if secret.is_none() && !decrypt {
        let message = "say what is to open the gallery from now on: --new-key-file FILE, \
                       --new-passphrase, --new-passphrase-file FILE, or --decrypt";
        return Err(Usage(message.to_owned()).into());
    }
    let desk = args.open()?;
    let (at, was_encrypted) = (desk.location(), desk.is_encrypted());
    let erasure = desk.rekey(secret.as_ref())?;
    let new = if desk.is_encrypted() { "encrypted anew" } else { "no longer encrypted" };
    let more = match was_encrypted {
        true => "and whatever else the old key opens",
        false => "and whatever else of it is not encrypted",
    };
    told(at, &format!("{at}: {new}"), erasure, more, "")
}

fn relearn(args: &GalleryArgs) -> anyhow::Result<()> {
    let progress = Progress::new()?;
    let desk = args.open()?;
    let standing = match desk.relearn(&progress) {
        // Everything is put in place at once, when all of it is learned.
        Err(Error::Interrupted { stage: Stage::Rules }) => return Err(Interrupted::NOTHING.into()),
        standing => standing?,
    };
    progress.clear();
    let learned = format!("learned anew from {}\n", plural(standing.readers, "reader"));
    print(&(learned + &stands(&desk, &standing)))
}

fn show_log(desk: &Recognizer, json: bool) -> anyhow::Result<()> {
    let mut failed = None;
    desk.each_logged(|entry| {
        if failed.is_some() {
            return;
        }
        let line = match json {
            true => serde_json::to_string(&entry)
                .map(|json| words::spelt_out_json(&json).into_owned())
                .map_err(anyhow::Error::from),
            false => Ok(format!("{} UTC  {}", log::date(entry.time), log::words(&entry.event))),
        };
        let printed = line.and_then(|line| print(&format!("{line}\n")));
        failed = printed.err();
    })?;
    failed.map_or(Ok(()), Err)
}
