//! A corpus in few bytes, for corpora that ship with the program.
//!
//! What is kept is what methods see: names, places of words, and line, position and duration of every
//! fixation. Words themselves are left out. Nothing is rounded: a corpus that would have to be is
//! refused.
//!
//! A packed corpus is [`MAGIC`] and a zlib stream. A number is seven bits a byte, lowest first, the
//! highest bit of a byte saying that more follow; signed ones come as 0, -1, 1, -2, 2, ... A name is
//! its length in bytes and UTF-8. In the stream are
//!
//! 1. the number of readers, and their names;
//! 2. the number of texts; of each its name, its group (empty: none), its number of lines; of each line
//!    its number (signed), its number of words; of each word its index, where it starts after the end of
//!    the one before (signed), and its length;
//! 3. the number of readings; of each its reader and text (places in 1 and 2), session, trial, place in
//!    the order of reading (0: not known, else one more than it) and number of fixations;
//! 4. three columns over all fixations in a row: line, thousandths of a character, milliseconds. The
//!    first two are differences from the fixation before (signed), the first one's from 0. A column is
//!    the number of bytes of its largest number, then the lowest bytes of all numbers, then the next
//!    higher ones.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use gazeprint::corpus::{Chars, Corpus, CorpusError, Fixation, Line, Millis, Scanpath, Text, Word};
use thiserror::Error;

use crate::error::WriteError;

/// How a packed corpus begins.
const MAGIC: &[u8] = b"gazeprint-packed-corpus 1\n";
/// Positions are kept to this part of a character.
const PARTS: f64 = 1000.0;
/// Differences of smaller numbers can be kept.
const LIMIT: i32 = 1 << 29;
/// No packed corpus has more bytes inside.
const MOST_BYTES: u64 = 256 << 20;

/// Why bytes are no packed corpus.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PackedError {
    /// Something else, or of another version.
    #[error("found something else than a packed corpus of version 1")]
    Foreign,
    /// Not what was packed.
    #[error("the packed corpus is damaged: {0}")]
    Damaged(&'static str),
    /// Texts, readers and readings that do not go together.
    #[error("the packed corpus is damaged: {0}")]
    Inconsistent(#[from] CorpusError),
}

/// Packs a corpus, without its words.
///
/// # Errors
/// If there is something in it that would be lost: missing values, onsets, gaps, places in degrees,
/// kinematics, texts without words, positions finer than thousandths of a character, fractions of
/// milliseconds.
pub fn pack_corpus(corpus: &Corpus) -> Result<Vec<u8>, WriteError> {
    let mut inside = Vec::new();
    put_names(&mut inside, corpus);
    let texts = corpus.texts();
    put(&mut inside, texts.len());
    texts.iter().try_for_each(|text| put_text(&mut inside, text))?;
    let paths = corpus.scanpaths();
    put(&mut inside, paths.len());
    let mut columns: [Vec<u32>; 3] = Default::default();
    let mut last = [0; 2];
    for path in paths {
        put_reading(&mut inside, corpus, path)?;
        for (place, fixation) in path.fixations.iter().enumerate() {
            let Some([line, x, duration]) = whole(fixation) else {
                return Err(lost(corpus, path, &format!("fixation {} of ", place + 1)));
            };
            columns[0].push(folded(line - last[0]));
            columns[1].push(folded(x - last[1]));
            columns[2].push(duration as u32);
            last = [line, x];
        }
    }
    columns.iter().for_each(|column| put_column(&mut inside, column));
    let mut packed = ZlibEncoder::new(MAGIC.to_vec(), Compression::best());
    let written = packed.write_all(&inside).and_then(|()| packed.finish());
    Ok(written.expect("writing to memory does not fail"))
}

/// Unpacks what [`pack_corpus`] made.
///
/// # Errors
/// If it is something else, or damaged.
pub fn unpack_corpus(name: &str, packed: &[u8]) -> Result<Corpus, PackedError> {
    let stream = packed.strip_prefix(MAGIC).ok_or(PackedError::Foreign)?;
    let mut inside = Vec::new();
    let unpacked = ZlibDecoder::new(stream).take(MOST_BYTES).read_to_end(&mut inside);
    unpacked.map_err(|_| PackedError::Damaged("it cannot be unpacked"))?;
    let mut rest = Rest(&inside);
    let readers = rest.count()?;
    let readers = (0..readers).map(|_| rest.name()).collect::<Result<Vec<_>, _>>()?;
    let texts = rest.count()?;
    let texts = (0..texts).map(|_| rest.text()).collect::<Result<Vec<_>, _>>()?;
    let readings = rest.count()?;
    let mut scanpaths = Vec::new();
    for _ in 0..readings {
        scanpaths.push(rest.reading()?);
    }
    let all = scanpaths.iter().try_fold(0_usize, |all, (_, fixations)| all.checked_add(*fixations));
    let all = all.ok_or(CUT)?;
    let [lines, xs, durations] = [rest.column(all)?, rest.column(all)?, rest.column(all)?];
    if !rest.0.is_empty() {
        return Err(PackedError::Damaged("there is more in it than fixations"));
    }
    let mut last = [0_i64; 2];
    let mut fixations = lines.zip(xs).zip(durations).map(|((line, x), duration)| {
        last = [last[0] + unfolded(line), last[1] + unfolded(x)];
        Fixation {
            line: i32::try_from(last[0]).ok(),
            x: Some(Chars(last[1] as f64 / PARTS)),
            duration: Some(Millis(f64::from(duration))),
            ..Fixation::default()
        }
    });
    let scanpaths = scanpaths.into_iter().map(|(mut path, count)| {
        path.fixations = fixations.by_ref().take(count).collect();
        path
    });
    Ok(Corpus::new(name, readers, texts, scanpaths.collect())?)
}

/// Line, thousandths of a character and milliseconds of a fixation that has these and nothing else.
fn whole(fixation: &Fixation) -> Option<[i32; 3]> {
    let (line, Chars(x), Millis(duration)) = (fixation.line?, fixation.x?, fixation.duration?);
    let parts = (PARTS * x).round();
    let numbers = [f64::from(line), parts, duration];
    let fit = numbers.iter().all(|n| n.abs() < f64::from(LIMIT) && n.fract() == 0.0);
    let same = Fixation {
        line: Some(line),
        x: Some(Chars(parts / PARTS)),
        duration: Some(Millis(duration)),
        ..Fixation::default()
    };
    (fit && duration >= 0.0 && same == *fixation).then(|| numbers.map(|n| n as i32))
}

fn lost(corpus: &Corpus, path: &Scanpath, part: &str) -> WriteError {
    let (reader, text) = (&corpus.readers()[path.reader], corpus.texts()[path.text].id());
    WriteError::Unrepresentable {
        what: format!("{part}the reading of text {text:?} by reader {reader:?}"),
        why: "a packed corpus keeps line, position in thousandths of a character, duration in whole \
              milliseconds and a whole place in the order of reading, and this has more or less",
        remedy: "leave the rest out, or round it",
    }
}

fn put(out: &mut Vec<u8>, number: usize) {
    let mut left = number;
    while left > 0x7f {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

fn put_name(out: &mut Vec<u8>, name: &str) {
    put(out, name.len());
    out.extend(name.as_bytes());
}

fn put_names(out: &mut Vec<u8>, corpus: &Corpus) {
    put(out, corpus.readers().len());
    corpus.readers().iter().for_each(|reader| put_name(out, reader));
}

fn put_text(out: &mut Vec<u8>, text: &Text) -> Result<(), WriteError> {
    let near = |number: i32| (-LIMIT..LIMIT).contains(&number);
    let words_fit =
        |line: &Line| line.words().iter().all(|word| near(word.start) && near(word.end));
    let fits = text.lines().iter().all(|line| near(line.number()) && words_fit(line));
    if !fits || !text.has_words() || text.group.as_deref() == Some("") {
        return Err(WriteError::Unrepresentable {
            what: format!("text {:?}", text.id()),
            why: "it has no words, a group without a name, or words too far away",
            remedy: "leave the text out",
        });
    }
    put_name(out, text.id());
    put_name(out, text.group.as_deref().unwrap_or_default());
    put(out, text.lines().len());
    for line in text.lines() {
        put(out, folded(line.number()) as usize);
        put(out, line.words().len());
        let mut end = 0;
        for word in line.words() {
            put(out, word.index as usize);
            put(out, folded(word.start - end) as usize);
            put(out, (word.end - word.start) as usize);
            end = word.end;
        }
    }
    Ok(())
}

fn put_reading(out: &mut Vec<u8>, corpus: &Corpus, path: &Scanpath) -> Result<(), WriteError> {
    let order = match path.order {
        None => 0,
        Some(place) if place.fract() == 0.0 && (0.0..1e9).contains(&place) => place as usize + 1,
        Some(_) => return Err(lost(corpus, path, "")),
    };
    put(out, path.reader);
    put(out, path.text);
    put_name(out, &path.session);
    put_name(out, &path.trial);
    put(out, order);
    put(out, path.fixations.len());
    Ok(())
}

fn put_column(out: &mut Vec<u8>, column: &[u32]) {
    let most = column.iter().copied().max().unwrap_or(0);
    let bytes = (4 - most.leading_zeros() / 8).max(1) as usize;
    out.push(bytes as u8);
    for byte in 0..bytes {
        out.extend(column.iter().map(|number| number.to_le_bytes()[byte]));
    }
}

/// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
fn folded(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)) as u32
}

fn unfolded(number: u32) -> i64 {
    i64::from(number >> 1) ^ -i64::from(number & 1)
}

const CUT: PackedError = PackedError::Damaged("it ends too early");

/// What is left to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], PackedError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(CUT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, PackedError> {
        let mut number = 0_u64;
        for byte in 0..5 {
            let [bits] = *self.take(1)? else { return Err(CUT) };
            number |= u64::from(bits & 0x7f) << (7 * byte);
            if bits < 0x80 {
                return u32::try_from(number)
                    .map_err(|_| PackedError::Damaged("a number is too large"));
            }
        }
        Err(PackedError::Damaged("a number does not end"))
    }

    /// A number of things.
    fn count(&mut self) -> Result<usize, PackedError> {
        Ok(self.number()? as usize)
    }

    fn signed(&mut self) -> Result<i32, PackedError> {
        let number = unfolded(self.number()?);
        i32::try_from(number).map_err(|_| PackedError::Damaged("a number is too large"))
    }

    fn name(&mut self) -> Result<String, PackedError> {
        let length = self.count()?;
        let bytes = self.take(length)?.to_vec();
        String::from_utf8(bytes).map_err(|_| PackedError::Damaged("a name is no text"))
    }

    fn text(&mut self) -> Result<Text, PackedError> {
        let (name, group) = (self.name()?, self.name()?);
        let lines = self.count()?;
        let lines = (0..lines).map(|_| self.line()).collect::<Result<Vec<_>, _>>()?;
        let mut text = Text::new(name, lines)?;
        text.group = Some(group).filter(|group| !group.is_empty());
        Ok(text)
    }

    fn line(&mut self) -> Result<Line, PackedError> {
        let number = self.signed()?;
        let count = self.count()?;
        let (mut words, mut end) = (Vec::new(), 0);
        for _ in 0..count {
            let index = self.number()?;
            let (gap, length) = (self.signed()?, self.number()?);
            let beyond = || PackedError::Damaged("a word is too far to the right");
            let start = gap.checked_add(end).ok_or_else(beyond)?;
            end = start.checked_add_unsigned(length).ok_or_else(beyond)?;
            words.push(Word { index, form: None, start, end });
        }
        Ok(Line::new(number, words)?)
    }

    /// A reading without fixations, and how many it has.
    fn reading(&mut self) -> Result<(Scanpath, usize), PackedError> {
        let (reader, text) = (self.count()?, self.count()?);
        let (session, trial) = (self.name()?, self.name()?);
        let order = self.number()?.checked_sub(1).map(f64::from);
        let path = Scanpath { reader, text, session, trial, order, fixations: Vec::new() };
        Ok((path, self.count()?))
    }

    fn column(&mut self, count: usize) -> Result<impl Iterator<Item = u32> + use<'a>, PackedError> {
        let [bytes @ 1..=4] = *self.take(1)? else {
            return Err(PackedError::Damaged("a column has no bytes or too many"));
        };
        let all = self.take(count.checked_mul(bytes.into()).ok_or(CUT)?)?;
        let number = move |place: usize| {
            let bytes = (0..usize::from(bytes)).rev().map(|byte| all[byte * count + place]);
            bytes.fold(0, |number, byte| number << 8 | u32::from(byte))
        };
        Ok((0..count).map(number))
    }
}
