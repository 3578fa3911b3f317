//! Arrow IPC, stream or file, message by message.
//!
//! A file is a stream between two marks, with a list of its messages at the end. Files are read by that
//! list: not every writer begins them as a stream begins.

use std::io::{self, Read};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder};
use arrow_ipc::{Block, Message, MessageHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use parquet::file::reader::ChunkReader;

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

/// A stream.
pub(super) struct Messages<R> {
    input: R,
    decoder: StreamDecoder,
    schema: SchemaRef,
    /// A batch that was read to learn the schema.
    first: Option<RecordBatch>,
    ended: bool,
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
        let length = body_length(message)?;
        let body = self.exactly(length)?;
        check(message, &body)?;
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

/// A file.
pub(super) struct Blocks<F> {
    file: F,
    decoder: FileDecoder,
    schema: SchemaRef,
    batches: std::vec::IntoIter<Block>,
}

/// Reads the list of messages, and the dictionaries.
///
/// # Errors
/// If they are broken.
pub(super) fn open_file<F: ChunkReader>(file: F) -> io::Result<Blocks<F>> {
    let Some(end) = file.len().checked_sub(10) else { return Err(broken("the file is too short")) };
    let tail = contained(|| file.get_bytes(end, 10))?;
    let (size, mark) = tail.split_at(4);
    if mark != b"ARROW1" {
        return Err(broken("the last six bytes are not ARROW1, as those of every Arrow file"));
    }
    let size = u32::from_le_bytes(size.try_into().unwrap_or_default());
    let start = end.checked_sub(size.into()).filter(|_| size <= MOST_DESCRIBED);
    let start = start.ok_or_else(|| broken(format!("it is described in {size} bytes")))?;
    let footer = contained(|| file.get_bytes(start, size as usize))?;
    let footer = root_as_footer(&footer).map_err(|error| broken(error.to_string()))?;
    let described = footer.schema().ok_or_else(|| broken("there is no schema"))?;
    let schema = SchemaRef::new(contained(|| Ok::<_, ArrowError>(fb_to_schema(described)))?);
    let batches: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
    let dictionaries: Vec<Block> = footer.dictionaries().into_iter().flatten().copied().collect();
    // No part of the file is read twice, so that a short one cannot make a long table.
    let lengths =
        batches.iter().chain(&dictionaries).map(|block| block_length(block).unwrap_or(start));
    if lengths.fold(0, u64::saturating_add) > start {
        return Err(broken("its messages are longer than the file"));
    }
    let decoder = FileDecoder::new(schema.clone(), footer.version());
    let mut blocks = Blocks { file, decoder, schema, batches: batches.into_iter() };
    for dictionary in dictionaries {
        let bytes = blocks.bytes(&dictionary)?;
        contained(|| blocks.decoder.read_dictionary(&dictionary, &bytes))?;
    }
    Ok(blocks)
}

impl<F: ChunkReader> Batches for Blocks<F> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next(&mut self) -> io::Result<Option<RecordBatch>> {
        while let Some(block) = self.batches.next() {
            let bytes = self.bytes(&block)?;
            let batch = contained(|| {
                let batch = self.decoder.read_record_batch(&block, &bytes)?;
                batch.map(|batch| batch.project(&cells::shown(&self.schema))).transpose()
            })?;
            if batch.is_some() {
                return Ok(batch);
            }
        }
        Ok(None)
    }
}

impl<F: ChunkReader> Blocks<F> {
    /// A message with its body, checked.
    fn bytes(&self, block: &Block) -> io::Result<Buffer> {
        let outside = || broken("a message lies outside of the file");
        let start = u64::try_from(block.offset()).map_err(|_| outside())?;
        let length = block_length(block).ok_or_else(outside)?;
        if start.checked_add(length).is_none_or(|end| end > self.file.len()) {
            return Err(outside());
        }
        let length = usize::try_from(length).map_err(|_| outside())?;
        let bytes = contained(|| self.file.get_bytes(start, length))?;
        let head = usize::try_from(block.metaDataLength()).map_err(|_| outside())?;
        let (described, body) = bytes.split_at_checked(head).ok_or_else(outside)?;
        // The length of the description, and most often a mark before it.
        let prefix = if described.starts_with(&CONTINUATION) { 8 } else { 4 };
        let described = described.get(prefix..).unwrap_or_default();
        let message = root_as_message(described).map_err(|error| broken(error.to_string()))?;
        body_length(message)?;
        check(message, body)?;
        Ok(Buffer::from(bytes))
    }
}

/// Bytes of a message with its body.
fn block_length(block: &Block) -> Option<u64> {
    let head = u64::try_from(block.metaDataLength()).ok()?;
    head.checked_add(u64::try_from(block.bodyLength()).ok()?)
}

/// Bytes of the body of a message.
fn body_length(message: Message<'_>) -> io::Result<u64> {
    match u64::try_from(message.bodyLength()) {
        Ok(length) if length <= MOST_BYTES => Ok(length),
        _ => Err(broken(format!(
            "a batch has {} bytes, and at most {MOST_BYTES} are read",
            message.bodyLength()
        ))),
    }
}

/// Checks the sizes that a batch will have: the decoder takes memory for what the file says.
fn check(message: Message<'_>, body: &[u8]) -> io::Result<()> {
    let batch = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => {
            message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
        }
        _ => None,
    };
    let Some(batch) = batch else { return Ok(()) };
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
