//! What every command does alike: help, colours, completions, manual pages.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use assert_cmd::Command;

use common::{gazeprint, refused, stderr, succeeded};

/// The help of a command and of all below it.
fn helps(command: &[&str]) -> Vec<(String, String)> {
    let help = succeeded(&gazeprint(&[command, &["--help"]].concat()));
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let below: Vec<String> = listed
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect();
    let mut helps = vec![(command.join(" "), help)];
    for name in &below {
        helps.extend(self::helps(&[command, &[name.as_str()]].concat()));
    }
    helps
}

#[test]
fn help_fits_in_80_columns() {
    let helps = helps(&[]);
    assert!(helps.len() > 20, "{}", helps.len());
    for (command, help) in helps {
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{command} --help: {line}");
        }
    }
}

#[test]
fn colours_are_for_terminals() {
    let run = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut command = Command::cargo_bin("gazeprint").unwrap();
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(variables.iter().copied()).args(arguments).output().unwrap()
    };
    let wrong = ["inspect", "nowhere"];
    let plain = run(&[], &wrong);
    assert!(refused(&plain, 1).starts_with("error: nowhere does not exist"));
    let forced = ("CLICOLOR_FORCE", "1");
    assert!(refused(&run(&[forced], &wrong), 1).starts_with("\u{1b}["), "an error in colour");
    let without = run(&[forced, ("NO_COLOR", "1")], &wrong);
    assert_eq!(stderr(&without), stderr(&plain));
    let study =
        ["study", "simulated", "--readers", "4", "--splits", "1", "--methods", "landwehr-t"];
    let table = succeeded(&run(&[], &study));
    assert!(!table.contains('\u{1b}'), "{table}");
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(succeeded(&run(&[forced], &study)).contains("\u{1b}[1mmethod"));
    let json = [&study[..], &["--json"]].concat();
    assert!(!succeeded(&run(&[forced], &json)).contains('\u{1b}'));
}

#[test]
fn shells_complete_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = succeeded(&gazeprint(&["completions", shell]));
        for word in ["identify", "overwrite", "calibrate"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    refused(&gazeprint(&["completions", "dos"]), 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man/man1");
    let told = succeeded(&gazeprint(&["man", "--out", out.to_str().unwrap()]));
    let pages = std::fs::read_dir(&out).unwrap().count();
    assert!(told.ends_with(&format!(": {pages} pages\n")), "{told}");
    let page = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert!(page("gazeprint.1").contains("Who is reading"));
    assert!(page("gazeprint-study.1").contains("overwrite"));
    assert!(page("gazeprint-gallery-merge.1").contains(env!("CARGO_PKG_VERSION")));
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let told = refused(&gazeprint(&["man", "--out", blocked.to_str().unwrap()]), 1);
    assert!(told.contains("manual pages cannot be written to"), "{told}");
}
