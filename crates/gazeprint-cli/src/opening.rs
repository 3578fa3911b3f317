//! What commands over a gallery share: where it is, and what opens it.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Once;

use anyhow::bail;
use gazeprint_recognition::{Anchor, Error, Location, Recognizer, Secret, StoreError};
use zeroize::Zeroizing;

use crate::{Usage, words};

/// Where a gallery is, and what opens it.
#[derive(Debug, clap::Args)]
pub(crate) struct GalleryArgs {
    /// The gallery: a file, or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "G")]
    gallery: String,
    #[command(flatten)]
    secret: SecretArgs,
    /// What `gazeprint gallery anchor` printed: refuse an older state of the gallery
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<Anchor>,
}

/// What opens an encrypted gallery.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SecretArgs {
    /// File with the key (made by `gazeprint gallery key`)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["passphrase", "passphrase_file"])]
    key_file: Option<PathBuf>,
    /// Ask for the passphrase on the terminal
    #[arg(long, conflicts_with = "passphrase_file")]
    passphrase: bool,
    /// File with the passphrase on its first line, which nobody else may read
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

/// Reads a passphrase twice where a new one is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// For one that there is.
    Once,
    /// For a new one, against slips.
    Twice,
}

impl GalleryArgs {
    /// What a command was given that need not have a gallery.
    #[cfg(feature = "serve")]
    pub(crate) fn of(gallery: String, secret: SecretArgs, anchor: Option<Anchor>) -> Self {
        Self { gallery, secret, anchor }
    }

    pub(crate) fn location(&self) -> Location {
        let location = location(&self.gallery);
        static WARNED: Once = Once::new();
        WARNED.call_once(|| warn(&location));
        location
    }

    pub(crate) fn secret(&self, asking: Asking) -> anyhow::Result<Option<Secret>> {
        self.secret.read(asking)
    }

    /// Opens a gallery that is there.
    pub(crate) fn open(&self) -> anyhow::Result<Recognizer> {
        let desk = self.open_any()?;
        if desk.is_old() {
            words::warning(&format!(
                "{}: made by an earlier version, and only read: answers are not logged, and nothing is \
                 remembered; `gazeprint gallery upgrade` changes that",
                desk.location()
            ));
        }
        Ok(desk)
    }

    /// The same, without a word where it is of an earlier version.
    pub(crate) fn open_any(&self) -> anyhow::Result<Recognizer> {
        Ok(self.open_at(&self.location())?.0)
    }

    /// Opens the gallery at a place with the secret that was given, which comes along, and holds it against the
    /// anchor.
    pub(crate) fn open_at(&self, at: &Location) -> anyhow::Result<(Recognizer, Option<Secret>)> {
        let secret = self.secret(Asking::Once)?;
        let desk = Recognizer::open(at, secret.as_ref())?;
        self.hold_against_anchor(&desk)?;
        Ok((desk, secret))
    }

    /// Refuses to make a gallery in the place of one that there was, as the anchor says.
    pub(crate) fn check_may_make(&self) -> anyhow::Result<()> {
        match self.anchor {
            Some(_) => Err(Error::from(StoreError::Missing { at: self.location() }).into()),
            None => Ok(()),
        }
    }

    /// Refuses an anchor, which is of one gallery, where several are opened.
    pub(crate) fn refuse_anchor(&self) -> anyhow::Result<()> {
        match self.anchor {
            Some(_) => Err(Usage(
                "found --anchor, which is of one gallery, expected none where several are merged; hold each \
                 against its own first: `gazeprint gallery check --gallery SHARD --anchor ANCHOR`"
                    .to_owned(),
            )
            .into()),
            None => Ok(()),
        }
    }

    /// Refuses a gallery that is older than an anchor that was given.
    pub(crate) fn hold_against_anchor(&self, desk: &Recognizer) -> anyhow::Result<()> {
        match &self.anchor {
            Some(anchor) => Ok(desk.hold_against(anchor)?),
            None => Ok(()),
        }
    }
}

fn location(text: &str) -> Location {
    match text.parse() {
        Ok(location) => location,
        Err(never) => match never {},
    }
}

/// Places of galleries.
pub(crate) fn locations(places: &[String]) -> Vec<Location> {
    let places: Vec<Location> = places.iter().map(|place| location(place)).collect();
    places.iter().for_each(warn);
    places
}

/// Says what others can see on the way to a server.
fn warn(at: &Location) {
    if at.has_password() {
        words::warning(&format!(
            "{at}: a password on the command line shows in the list of processes; put it into \
             PGPASSWORD, or into a file that PGPASSFILE names"
        ));
    }
    if at.is_exposed() {
        words::warning(&format!(
            "{at} is on another computer, and the connection is not encrypted: records are \
             sealed, but somebody on the way can learn the password of the database, change what is \
             sent, and see which records are asked for; go through a tunnel to localhost"
        ));
    }
}

impl SecretArgs {
    /// The secret, if one was named.
    pub(crate) fn read(&self, asking: Asking) -> anyhow::Result<Option<Secret>> {
        secret(self.key_file.as_deref(), self.passphrase, self.passphrase_file.as_deref(), asking)
    }
}

/// A secret from a file or the terminal; never from the command line, which others can read.
pub(crate) fn secret(
    key_file: Option<&Path>,
    passphrase: bool,
    passphrase_file: Option<&Path>,
    asking: Asking,
) -> anyhow::Result<Option<Secret>> {
    if let Some(file) = key_file {
        return Ok(Some(Secret::read_key_file(file)?));
    }
    if let Some(file) = passphrase_file {
        return Ok(Some(Secret::read_passphrase_file(file)?));
    }
    if !passphrase {
        return Ok(None);
    }
    if !std::io::stdin().is_terminal() {
        let message = "--passphrase asks on a terminal, and there is none; use --passphrase-file";
        return Err(Usage(message.to_owned()).into());
    }
    let first = Zeroizing::new(rpassword::prompt_password("passphrase: ")?);
    if first.is_empty() {
        bail!("found an empty passphrase, expected one that is hard to guess");
    }
    if asking == Asking::Twice {
        let second = Zeroizing::new(rpassword::prompt_password("the same again: ")?);
        if first != second {
            bail!("the two passphrases differ; try again");
        }
    }
    Ok(Some(Secret::Passphrase(first)))
}
