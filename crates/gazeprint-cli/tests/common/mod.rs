//! What tests of the commands share.

#![allow(dead_code, reason = "not every suite needs all of it")]

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

/// Runs a command.
pub(crate) fn gazeprint(arguments: &[&str]) -> Output {
    Command::cargo_bin("gazeprint").unwrap().args(arguments).output().unwrap()
}

/// Runs a command in a folder.
pub(crate) fn gazeprint_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("gazeprint").unwrap();
    command.current_dir(folder).args(arguments).output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What a command printed that must not fail.
pub(crate) fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    stdout(output)
}

/// What a command said that must fail with this code.
pub(crate) fn refused(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{}", stderr(output));
    stderr(output)
}
