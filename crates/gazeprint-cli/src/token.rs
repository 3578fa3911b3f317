//! `gazeprint token`: who may use a server.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Subcommand;
use gazeprint_recognition::Location;
use gazeprint_serve::{Scope, Scopes, TokenEntry, TokenError, TokenFile};

use crate::serve::{check_there, folder};
use crate::words::log;
use crate::{print, print_json};

/// Make and revoke the tokens that programs use a server with.
///
/// A token is shown once, when it is made; a file beside the gallery keeps its hash. Servers notice at once
/// what is made and revoked.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint token create --gallery staff.gallery --name shop \\
      --scopes verify
  gazeprint token list --gallery staff.gallery
  gazeprint token revoke 1f6a0c93d2e7 --gallery staff.gallery

Scopes: enrol, verify (and watch), identify, scores (with answers, not decisions alone), read (readers, \
texts, metrics), administer (removing, starting anew, log, texts, weaker answers).")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

/// Where tokens are.
#[derive(Debug, clap::Args)]
struct Place {
    /// The gallery: a file, or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "G")]
    gallery: String,
    /// Where the server keeps tokens [default: the gallery's name with .serve]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a token, and show it this once
    Create {
        #[command(flatten)]
        place: Place,
        /// Whose it is
        #[arg(long)]
        name: String,
        /// What it may do
        #[arg(long, value_name = "S", value_delimiter = ',', required = true)]
        scopes: Vec<Scope>,
        /// Days that it is valid [default: until it is revoked]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=36_500))]
        days: Option<u64>,
    },
    /// List tokens, without what opens anything
    List {
        #[command(flatten)]
        place: Place,
    },
    /// Revoke a token
    Revoke {
        /// Its number, the second part of it
        token: String,
        #[command(flatten)]
        place: Place,
    },
}

impl Place {
    fn tokens(&self) -> anyhow::Result<TokenFile> {
        let at: Location = match self.gallery.parse() {
            Ok(at) => at,
            Err(never) => match never {},
        };
        // Whoever mistypes a gallery should not get a token for none.
        if self.folder.is_none() {
            check_there(&at)?;
        }
        Ok(TokenFile::of(&folder(self.folder.clone(), &at)?))
    }
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    match args.action {
        Action::Create { place, name, scopes, days } => {
            let valid_for = days.map(|days| days * 24 * 60 * 60);
            let made = place.tokens()?.create(&name, Scopes::of(scopes), valid_for)?;
            match place.json {
                true => print_json(&serde_json::json!({
                    "token": made.token,
                    "id": made.entry.id,
                    "scopes": made.entry.scopes,
                    "expires": made.entry.expires,
                })),
                false => print(&format!("{}\n", made.token)),
            }
        }
        Action::List { place } => {
            let tokens = place.tokens()?.list()?;
            match place.json {
                true => print_json(&tokens.iter().map(shown).collect::<Vec<_>>()),
                false => print(&table(&tokens)),
            }
        }
        Action::Revoke { token, place } => {
            let revoked: Result<TokenEntry, TokenError> = place.tokens()?.revoke(&token);
            let revoked = revoked?;
            match place.json {
                true => print_json(&shown(&revoked)),
                false => print(&format!("{}: revoked\n", revoked.id)),
            }
        }
    }
}

/// A token without its hash, which is nobody's business.
fn shown(token: &TokenEntry) -> serde_json::Value {
    serde_json::json!({
        "id": token.id,
        "name": token.name,
        "scopes": token.scopes,
        "created": token.created,
        "expires": token.expires,
        "revoked": token.revoked,
        "valid": token.is_valid(),
    })
}

fn table(tokens: &[TokenEntry]) -> String {
    let mut text = String::new();
    for token in tokens {
        let state = match (token.revoked, token.expires) {
            (Some(time), _) => format!("revoked {}", log::date(time)),
            (None, Some(time)) if !token.is_valid() => format!("over since {}", log::date(time)),
            (None, Some(time)) => format!("until {}", log::date(time)),
            (None, None) => "valid".to_owned(),
        };
        _ = writeln!(text, "{}  {}  {}  {state}", token.id, token.name, token.scopes);
    }
    text
}
