//! A file as text: unpacked and decoded on the way, a part at a time.
//!
//! Gzip is known by its first bytes. A byte-order mark says which Unicode it is. Without one, zero
//! bytes on one side make it UTF-16; text that is valid UTF-8 is UTF-8; everything else is taken
//! for Windows-1252, which spreadsheets and laboratories still write. Parquet and Arrow IPC are known
//! by their first bytes, and become the text of the same table.

use std::io::{self, BufRead, Read};
use std::path::Path;

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::Fault;
use super::unpacked::gzip;
use crate::columnar::{self, Container};
use crate::import::ImportError;

/// Bytes that are read at a time, and that the encoding is decided on.
const CHUNK: usize = 1 << 16;

/// How files begin that people take for recordings: what they are, and what to do. `FILE` is the name of the
/// file, and `TABLE` that of a table to be made of it.
const FOREIGN: [(&[u8], &str, &str); 13] = [
    (b"PK\x03\x04", "a spreadsheet or an archive", "save the sheet as CSV, or unpack the archive"),
    (
        b"\xd0\xcf\x11\xe0",
        "an old spreadsheet (xls)",
        "save the sheet as CSV, or write it in Python: python -c \"import pandas; \
         pandas.read_excel('FILE').to_csv('TABLE', index=False)\"",
    ),
    (b"SR_RESEARCH", "a binary EyeLink recording (EDF)", "convert it to ASC: edf2asc \"FILE\""),
    (b"RDX", "an R workspace (rda)", R_WORKSPACE),
    (b"RDA", "an R workspace (rda)", R_WORKSPACE),
    (
        b"X\n\x00\x00\x00",
        "an R object (rds)",
        "write the table in R: Rscript -e 'write.csv(readRDS(\"FILE\"), \"TABLE\", row.names = FALSE)'",
    ),
    (
        b"BZh",
        "a file packed with bzip2",
        "unpack it; R packs workspaces so: Rscript -e \
        'write.csv(get(load(\"FILE\")), \"TABLE\", row.names = FALSE)'",
    ),
    (
        b"\xfd7zXZ",
        "a file packed with xz",
        "unpack it; R packs workspaces so: Rscript -e \
        'write.csv(get(load(\"FILE\")), \"TABLE\", row.names = FALSE)'",
    ),
    (
        b"MATLAB 5.0 MAT-file",
        "a MATLAB file (mat)",
        "write the table NAME in Python: python -c \"import pandas, scipy.io; \
         pandas.DataFrame(scipy.io.loadmat('FILE', simplify_cells=True)['NAME'])\
         .to_csv('TABLE', index=False)\"",
    ),
    (
        b"MATLAB 7.3 MAT-file",
        "a MATLAB file (mat, version 7.3)",
        "write the table NAME in MATLAB: matlab -batch \"load('FILE'); writetable(NAME, 'TABLE')\"",
    ),
    (b"%PDF", "a PDF", "give the table that it was made from"),
    (b"\x89PNG", "a picture", "give the recording"),
    (b"\x89HDF", "an HDF5 file", "write the table as CSV or Parquet"),
];

/// What the archive of a spreadsheet has in it.
const SHEETS: &[u8] = b"xl/";
const SPREADSHEET: (&str, &str) = (
    "a spreadsheet (xlsx)",
    "save the sheet as CSV, or write it in Python: python -c \"import pandas; \
     pandas.read_excel('FILE').to_csv('TABLE', index=False)\"",
);

const R_WORKSPACE: &str = "write the table in R: Rscript -e 'write.csv(get(load(\"FILE\")), \"TABLE\", row.names = FALSE)'";

/// A recording as UTF-8 text.
pub struct Source<'r> {
    input: Box<dyn Read + 'r>,
    /// Bytes read and not yet decoded.
    raw: Vec<u8>,
    /// Text decoded and not yet taken.
    text: Vec<u8>,
    taken: usize,
    encoding: Encoding,
    /// Whether all text so far is the same in UTF-8 and Windows-1252.
    is_ascii: bool,
    line: u64,
    ended: bool,
    notes: Vec<String>,
    /// Which of the notes is a guess.
    doubt: Option<usize>,
}

enum Encoding {
    Utf8,
    Other(&'static str, Box<Decoder>),
}

impl Encoding {
    fn name(&self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Other(name, _) => name,
        }
    }
}

impl<'r> Source<'r> {
    /// Looks at the first bytes and decides. Parquet is kept in memory as a whole: for files,
    /// [`Source::open`] is better.
    ///
    /// # Errors
    /// If they cannot be read, or are neither text nor a table.
    pub fn new(input: impl Read + 'r) -> Result<Self, ImportError> {
        Ok(Self::decide(Box::new(input), None)?)
    }

    /// As [`Source::new`], of the file at a path, which `input` reads. Parquet is read from its end,
    /// and the file is opened again for that.
    ///
    /// # Errors
    /// As [`Source::new`].
    pub fn open(path: &Path, input: impl Read + 'r) -> Result<Self, ImportError> {
        Ok(Self::decide(Box::new(input), Some(path))?)
    }

    /// As [`Source::new`], or with a path as [`Source::open`].
    pub(crate) fn decide(
        mut input: Box<dyn Read + 'r>,
        mut path: Option<&Path>,
    ) -> Result<Self, Fault> {
        let failed = |error| Fault::reading(0, error);
        let name = path.map_or_else(|| "FILE".into(), Path::to_path_buf);
        let mut notes = Vec::new();
        let mut raw = Vec::new();
        read_some(&mut *input, &mut raw).map_err(failed)?;
        if raw.starts_with(&[0x1f, 0x8b]) {
            input = Box::new(gzip(io::Cursor::new(raw).chain(input)));
            raw = Vec::new();
            read_some(&mut *input, &mut raw).map_err(failed)?;
            notes.push("the file is gzip: its first two bytes say so".to_owned());
            path = None;
        }
        // A file that is called so and is none was damaged.
        let is_called = |path: &Path| path.extension().is_some_and(|end| end == "parquet");
        let called = path.filter(|path| is_called(path)).map(|_| Container::Parquet);
        if let Some(container) = Container::of(&raw).or(called) {
            let found = columnar::text(container, raw, input, path).map_err(failed)?;
            input = found.0;
            notes.extend(found.1);
            raw = Vec::new();
            read_some(&mut *input, &mut raw).map_err(failed)?;
        }
        let foreign = FOREIGN.iter().find(|(start, ..)| raw.starts_with(start));
        let is_sheet =
            |start: &[u8]| start.starts_with(b"PK") && memchr::memmem::find(&raw, SHEETS).is_some();
        let foreign = foreign.map(|&(start, found, remedy)| match is_sheet(start) {
            true => SPREADSHEET,
            false => (found, remedy),
        });
        if let Some((found, remedy)) = foreign {
            let expected = "a text file, or a table in Parquet or Arrow IPC";
            let table = name.with_extension("csv");
            let table = if table == name { name.with_extension("table.csv") } else { table };
            let table = table.display().to_string();
            let remedy = remedy.replace("TABLE", &table);
            let remedy = remedy.replace("FILE", &name.display().to_string());
            return Err(Fault::Foreign { found, expected, remedy });
        }
        let (mut is_ascii, mut doubt) = (true, None);
        let encoding = if raw.starts_with(&[0xef, 0xbb, 0xbf]) {
            raw.drain(..3);
            is_ascii = false;
            notes.push("the text is UTF-8: it has a byte-order mark".to_owned());
            Encoding::Utf8
        } else if raw.starts_with(&[0xff, 0xfe]) || raw.starts_with(&[0xfe, 0xff]) {
            let which = if raw[0] == 0xff { UTF_16LE } else { UTF_16BE };
            raw.drain(..2);
            notes.push(format!("the text is {}: it has a byte-order mark", which.name()));
            Encoding::Other(which.name(), Box::new(which.new_decoder_without_bom_handling()))
        } else if let Some(which) = zeros_of_utf_16(&raw) {
            doubt = Some(notes.len());
            notes.push(format!("the text is {}: every second byte is zero", which.name()));
            Encoding::Other(which.name(), Box::new(which.new_decoder_without_bom_handling()))
        } else {
            Encoding::Utf8
        };
        let mut source = Self {
            input,
            raw,
            text: Vec::new(),
            taken: 0,
            encoding,
            is_ascii,
            line: 1,
            ended: false,
            notes,
            doubt,
        };
        // What is no text should show before anybody waits for the first row.
        source.decode_more().map_err(failed)?;
        Ok(source)
    }

    /// What was decided about the file.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What was guessed about the file, and may be wrong.
    pub fn doubt(&self) -> Option<&str> {
        self.doubt.and_then(|note| self.notes.get(note)).map(String::as_str)
    }

    /// The error about what stands after `before` in the text at hand.
    fn fault(&self, before: &[u8], found: String, encoding: &'static str) -> io::Error {
        Fault::Encoding { row: self.line + lines(before), found, encoding }.into()
    }

    /// Decodes the bytes at hand, and reads more where they are no whole character.
    fn decode_more(&mut self) -> io::Result<()> {
        self.text.clear();
        self.taken = 0;
        while self.text.is_empty() && !self.ended {
            if self.raw.len() < 4 {
                self.ended = read_some(&mut *self.input, &mut self.raw)? == 0;
            }
            let before = self.text.len();
            match &mut self.encoding {
                Encoding::Utf8 => self.decode_utf8()?,
                Encoding::Other(name, decoder) => {
                    let name = *name;
                    let decoded = decode(decoder, &mut self.raw, &mut self.text, self.ended);
                    decoded.map_err(|found| self.fault(&self.text, found, name))?;
                }
            }
            // Text has none, in whatever encoding; programs, archives and images do.
            if let Some(place) = memchr::memchr(0, &self.text[before..]) {
                let before = &self.text[before..before + place];
                return Err(self.fault(before, "a zero byte".to_owned(), self.encoding.name()));
            }
            self.line += lines(&self.text[before..]);
        }
        Ok(())
    }

    fn decode_utf8(&mut self) -> io::Result<()> {
        let (valid, wrong) = match std::str::from_utf8(&self.raw) {
            Ok(text) => (text.len(), false),
            // A character may go on in the next chunk, but not after the last.
            Err(error) => (error.valid_up_to(), error.error_len().is_some() || self.ended),
        };
        self.is_ascii = self.is_ascii && self.raw[..valid].is_ascii();
        if self.text.is_empty() && valid == self.raw.len() {
            std::mem::swap(&mut self.text, &mut self.raw);
        } else {
            self.text.extend(self.raw.drain(..valid));
        }
        if !wrong {
            if valid == 0 && !self.ended && !self.raw.is_empty() {
                self.ended = read_some(&mut *self.input, &mut self.raw)? == 0;
                if self.ended {
                    return self.decode_utf8();
                }
            }
            return Ok(());
        }
        let byte = self.raw.first().copied().unwrap_or_default();
        // No 8-bit text has these, but programs, archives and images do.
        let is_control = |byte: &&u8| matches!(byte, 0x01..=0x08 | 0x0e..=0x1f);
        let control = self.text.iter().chain(&self.raw).find(is_control).copied();
        if !self.is_ascii || control.is_some() {
            let found = format!("the byte {:#04x}", control.unwrap_or(byte));
            return Err(self.fault(&self.text, found, "UTF-8"));
        }
        let line = self.line + lines(&self.text);
        self.doubt = Some(self.notes.len());
        self.notes.push(format!(
            "the text is Windows-1252: line {line} has the byte {byte:#04x}, which is not UTF-8"
        ));
        let decoder = Box::new(WINDOWS_1252.new_decoder_without_bom_handling());
        self.encoding = Encoding::Other("Windows-1252", decoder);
        // What is left of the last chunk has to be decoded before the end.
        if self.text.is_empty() || self.ended {
            let Encoding::Other(_, decoder) = &mut self.encoding else { return Ok(()) };
            let _ = decode(decoder, &mut self.raw, &mut self.text, self.ended);
        }
        Ok(())
    }
}

impl Read for Source<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let from = self.fill_buf()?;
        let count = from.len().min(to.len());
        to[..count].copy_from_slice(&from[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Source<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.text.len() {
            self.decode_more()?;
        }
        Ok(&self.text[self.taken..])
    }

    fn consume(&mut self, count: usize) {
        self.taken = (self.taken + count).min(self.text.len());
    }
}

/// Decodes all bytes at hand; the decoder keeps what is no whole character.
fn decode(
    decoder: &mut Decoder,
    raw: &mut Vec<u8>,
    text: &mut Vec<u8>,
    last: bool,
) -> Result<(), String> {
    let start = text.len();
    let room = decoder.max_utf8_buffer_length_without_replacement(raw.len()).unwrap_or(CHUNK * 4);
    text.resize(start + room, 0);
    let (result, read, written) =
        decoder.decode_to_utf8_without_replacement(raw, &mut text[start..], last);
    text.truncate(start + written);
    raw.drain(..read);
    match result {
        DecoderResult::Malformed(..) => Err("half a character".to_owned()),
        DecoderResult::InputEmpty | DecoderResult::OutputFull => Ok(()),
    }
}

fn lines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// Appends a chunk; 0 at the end.
fn read_some(input: &mut dyn Read, to: &mut Vec<u8>) -> io::Result<usize> {
    let before = to.len();
    input.take(CHUNK as u64).read_to_end(to)?;
    Ok(to.len() - before)
}

/// Which UTF-16 this is, going by its zero bytes: Latin letters, digits and delimiters have one
/// each, always on the same side.
fn zeros_of_utf_16(start: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let start = &start[..start.len().min(4096)];
    let zeros = |side| start.iter().skip(side).step_by(2).filter(|&&b| b == 0).count();
    // Half of the characters; among the others may be any script.
    let many = start.len() / 4;
    match (zeros(0), zeros(1)) {
        (0, odd) if odd > 0 && odd >= many => Some(UTF_16LE),
        (even, 0) if even > 0 && even >= many => Some(UTF_16BE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn text(bytes: &[u8]) -> (String, Vec<String>) {
        let mut source = Source::new(bytes).unwrap();
        let mut text = String::new();
        source.read_to_string(&mut text).unwrap();
        (text, source.notes().to_vec())
    }

    fn utf_16(text: &str, little: bool) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|u| if little { u.to_le_bytes() } else { u.to_be_bytes() })
            .collect()
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let wanted = "reader,text\nJürgen,é\n";
        let mark = |mark: &[u8], bytes: Vec<u8>| [mark, &bytes].concat();
        let inputs = [
            wanted.as_bytes().to_vec(),
            mark(&[0xef, 0xbb, 0xbf], wanted.as_bytes().to_vec()),
            mark(&[0xff, 0xfe], utf_16(wanted, true)),
            mark(&[0xfe, 0xff], utf_16(wanted, false)),
            utf_16(wanted, true),
            utf_16(wanted, false),
            b"reader,text\nJ\xfcrgen,\xe9\n".to_vec(),
        ];
        for (i, input) in inputs.iter().enumerate() {
            assert_eq!(text(input).0, wanted, "input {i}");
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(input).unwrap();
            assert_eq!(text(&packed.finish().unwrap()).0, wanted, "input {i}, packed");
        }
    }

    #[test]
    fn long_text_is_decoded_across_chunks() {
        for shift in 0..4 {
            let wanted = "x".repeat(shift) + &"aé€😀\n".repeat(40_000);
            assert!(text(wanted.as_bytes()).0 == wanted, "UTF-8, {shift}");
            let bytes = [vec![0xff, 0xfe], utf_16(&wanted, true)].concat();
            assert!(text(&bytes).0 == wanted, "UTF-16, {shift}");
        }
    }

    #[test]
    fn ascii_may_turn_out_as_windows_1252_late() {
        let mut bytes = "plain\n".repeat(30_000).into_bytes();
        bytes.extend(b"J\xfcrgen\n");
        let (text, notes) = text(&bytes);
        assert!(text.ends_with("plain\nJürgen\n"));
        assert_eq!(
            notes,
            ["the text is Windows-1252: line 30001 has the byte 0xfc, which is not UTF-8"]
        );
    }

    #[test]
    fn what_contradicts_its_start_is_refused_with_its_line() {
        let mut bytes = "Jürgen\n".repeat(30_000).into_bytes();
        bytes.extend(b"J\xfcrgen\n");
        let mut source = Source::new(bytes.as_slice()).unwrap();
        let error = source.read_to_string(&mut String::new()).unwrap_err();
        let error = Fault::reading(0, error).to_string();
        assert!(error.starts_with("row 30001: found the byte 0xfc"), "{error}");
    }

    #[cfg(not(feature = "columnar"))]
    #[test]
    fn a_build_without_columns_says_so() {
        let error = Source::new(&b"PAR1 and more"[..]).err().unwrap().to_string();
        assert_eq!(
            error,
            "input: found Parquet, expected a text table, since this build reads no other; save the \
             table as CSV, or make a build with the feature columnar"
        );
    }

    #[test]
    fn files_of_other_kinds_are_named() {
        for (start, found, _) in FOREIGN {
            let error = Source::new(&[start, b" and more"].concat()[..]).err().unwrap().to_string();
            assert!(error.starts_with(&format!("input: found {found}, ")), "{error}");
        }
        let named = Source::open(Path::new("my data/a.rda"), &b"RDX3\nX\n"[..]).err().unwrap();
        let sheet = Source::new(&b"PK\x03\x04....xl/workbook.xml"[..]).err().unwrap().to_string();
        assert!(sheet.contains("pandas.read_excel('FILE').to_csv('FILE.csv'"), "{sheet}");
        let line = "write.csv(get(load(\"my data/a.rda\")), \"my data/a.csv\", row.names = FALSE)";
        assert!(named.to_string().contains(line), "{named}");
    }

    #[test]
    fn programs_and_broken_archives_are_refused() {
        assert!(Source::new(&b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00"[..]).is_err());
        assert!(Source::new(&b"\x1f\x8b\x08broken"[..]).is_err());
        assert_eq!(text(b"").0, "");
    }
}
