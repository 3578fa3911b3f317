//! Arrow IPC, file or stream, message by message.
//!
//! A file is a stream between two marks, with a list of its messages at the end that nothing here needs.

use std::io::{self, Read};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{MessageHeader, RecordBatch as Described, root_as_message};
use arrow_schema::{Schema, SchemaRef};

use super::cells;
use super::text::{Batches, broken, contained};

/// Most bytes that describe a message: names and types of columns, places of buffers.
const MOST_DESCRIBED: u32 = 1 << 26;
/// Most bytes of a batch, packed or not.
const MOST_BYTES: u64 = 1 << 30;
/// Most rows of a batch. Columns without values take no bytes, so that bytes do not limit them.
const MOST_ROWS: i64 = 1 << 26;
/// Begins a message, or ends the stream where nothing follows.
const CONTINUATION: [u8; 4] = [0xff; 4];

pub(super) struct Messages<R> {
    input: R,
    decoder: StreamDecoder,
    schema: SchemaRef,
    /// A batch that was read to learn the schema.
    first: Option<RecordBatch>,
    ended: bool,
}

/// As [`open`], of a file.
///
/// # Errors
/// As [`open`].
pub(super) fn open_file<R: Read>(mut input: R) -> io::Result<Messages<R>> {
    // The mark, and two bytes behind it.
    input.read_exact(&mut [0; 8])?;
    open(input)
}

/// Reads up to the schema.
///
/// # Errors
/// If there is none, or it is broken.
pub(super) fn open<R: Read>(input: R) -> io::Result<Messages<R>> {
    let (decoder, schema) = (StreamDecoder::new(), Schema::empty().into());
    let mut messages = Messages { input, decoder, schema, first: None, ended: false };
    while messages.decoder.schema().is_none() && !messages.ended {
        messages.first = messages.message()?;
    }
    match messages.decoder.schema() {
        Some(schema) => messages.schema = schema,
        None => return Err(broken("there is no schema")),
    }
    Ok(messages)
}

impl<R: Read> Batches for Messages<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next(&mut self) -> io::Result<Option<RecordBatch>> {
        let mut batch = self.first.take();
        while batch.is_none() && !self.ended {
            batch = self.message()?;
        }
        let Some(batch) = batch else { return Ok(None) };
        contained(|| batch.project(&cells::shown(&self.schema))).map(Some)
    }
}

impl<R: Read> Messages<R> {
    /// Reads a message, checks what it says about sizes, and decodes it.
    fn message(&mut self) -> io::Result<Option<RecordBatch>> {
        let mut head = self.part(4)?;
        if head == CONTINUATION {
            head = self.part(4)?;
        }
        let size = <[u8; 4]>::try_from(head.as_slice()).map(u32::from_le_bytes).unwrap_or(0);
        if size == 0 {
            self.ended = true;
            // The decoder looks at a message without a body only when more comes.
            return self.decode([CONTINUATION, [0; 4]].concat());
        }
        if size > MOST_DESCRIBED {
            return Err(broken(format!("a message is described in {size} bytes")));
        }
        let described = self.exactly(size.into())?;
        let message = root_as_message(&described).map_err(|error| broken(error.to_string()))?;
        let length = u64::try_from(message.bodyLength()).unwrap_or(u64::MAX);
        if length > MOST_BYTES {
            return Err(broken(format!(
                "a batch has {length} bytes, and at most {MOST_BYTES} are read"
            )));
        }
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => {
                message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
            }
            _ => None,
        };
        let body = self.exactly(length)?;
        if let Some(batch) = batch {
            check(batch, &body)?;
        }
        let head = [CONTINUATION.as_slice(), &size.to_le_bytes(), &described].concat();
        let early = self.decode(head)?;
        Ok(self.decode(body)?.or(early))
    }

    fn decode(&mut self, bytes: Vec<u8>) -> io::Result<Option<RecordBatch>> {
        let mut buffer = Buffer::from_vec(bytes);
        contained(|| self.decoder.decode(&mut buffer))
    }

    /// As many bytes, or what is left of the input.
    fn part(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.input.by_ref().take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn exactly(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let bytes = self.part(length)?;
        if (bytes.len() as u64) < length {
            return Err(broken("the file ends within a message"));
        }
        Ok(bytes)
    }
}

/// Checks the sizes that a batch will have: the decoder takes memory for what the file says.
fn check(batch: Described<'_>, body: &[u8]) -> io::Result<()> {
    let rows = batch.length();
    if !(0..=MOST_ROWS).contains(&rows) {
        return Err(broken(format!("a batch has {rows} rows, and at most {MOST_ROWS} are read")));
    }
    let mut unpacked: u64 = 0;
    for buffer in batch.buffers().into_iter().flatten() {
        let place =
            usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = place.and_then(|(start, length)| body.get(start..start.checked_add(length)?));
        let bytes = bytes.ok_or_else(|| broken("a column lies outside of its batch"))?;
        // A packed buffer begins with the bytes that it will have.
        if let (Some(_), Some(prefix)) = (batch.compression(), bytes.first_chunk::<8>()) {
            unpacked =
                unpacked.saturating_add(u64::try_from(i64::from_le_bytes(*prefix)).unwrap_or(0));
        }
    }
    if unpacked > MOST_BYTES {
        return Err(broken(format!(
            "a batch unpacks to {unpacked} bytes, and at most {MOST_BYTES} are read"
        )));
    }
    Ok(())
}
