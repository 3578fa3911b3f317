//! Tells UTF-8 from what else tables come in.

use std::path::Path;

use crate::error::ReadError;
use crate::table::line_of;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text of a file, without its byte-order mark.
///
/// # Errors
/// If the bytes are not UTF-8, or hold zero bytes, as UTF-16 without a mark does and files that are
/// no text.
pub(crate) fn decode(file: &Path, bytes: Vec<u8>) -> Result<String, ReadError> {
    let fault = |before: &[u8], found: String, encoding| ReadError::Encoding {
        file: file.to_owned(),
        row: line_of(before),
        offset: before.len(),
        found,
        encoding,
    };
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(fault(&[], "the byte-order mark of UTF-16".to_owned(), "UTF-16"));
    }
    let not_text = |bytes: &[u8], offset: usize| ReadError::NotText {
        file: file.to_owned(),
        row: line_of(&bytes[..offset]),
        offset,
        byte: bytes[offset],
    };
    if let Some(offset) = bytes.iter().position(|&b| b == 0) {
        return Err(match utf_16(&bytes) {
            Some(encoding) => fault(&bytes[..offset], "the byte 0x00".to_owned(), encoding),
            None => not_text(&bytes, offset),
        });
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        // No 8-bit text has these, but programs, archives and images do.
        let is_control = |b: &u8| matches!(b, 0x01..=0x08 | 0x0e..=0x1f);
        if let Some(offset) = error.as_bytes().iter().position(is_control) {
            return not_text(error.as_bytes(), offset);
        }
        let (before, rest) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let code = rest.first().copied().unwrap_or_default();
        let bytes = [code];
        let (letter, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes);
        let found = format!("the byte {code:#04x} ({letter:?} in Windows-1252)");
        fault(before, found, "WINDOWS-1252")
    })?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(text)
}

/// Which UTF-16 this is, going by its zero bytes: Latin letters, digits and delimiters have one
/// each, always on the same side.
fn utf_16(bytes: &[u8]) -> Option<&'static str> {
    let start = &bytes[..bytes.len().min(4096)];
    let zeros = |side| start.iter().skip(side).step_by(2).filter(|&&b| b == 0).count();
    // Half of the characters; among the others may be any script.
    let many = start.len() / 4;
    match (zeros(0), zeros(1)) {
        (0, odd) if odd > 0 && odd >= many => Some("UTF-16LE"),
        (even, 0) if even > 0 && even >= many => Some("UTF-16BE"),
        _ => None,
    }
}
