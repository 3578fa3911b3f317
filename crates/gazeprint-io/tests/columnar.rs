//! Parquet and Arrow IPC: tables in, corpora in and out.

#![cfg(feature = "columnar")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float64Builder, ListBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, DurationMicrosecondArray, Float32Array,
    Float64Array, Int64Array, LargeStringArray, NullArray, RecordBatch, StringArray,
    StringViewArray, TimestampNanosecondArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use gazeprint::corpus::{Chars, Corpus, Fixation, Line, Millis, Scanpath, Text, Word};
use gazeprint::kinematics::Kinematics;
use gazeprint::simulate::SimulationParams;
use gazeprint_io::import::pymovements::{self, FrameOptions};
use gazeprint_io::import::{ImportError, Imported, Recording, Request, Source, import};
use gazeprint_io::{
    TableFormat, WriteError, read_corpus, write_corpus, write_corpus_as, write_frames,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

fn parquet(batch: &RecordBatch, compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow_file(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let schema = batch.schema();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow_stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn every_format(batch: &RecordBatch) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("Parquet", parquet(batch, Compression::UNCOMPRESSED)),
        ("Parquet, snappy", parquet(batch, Compression::SNAPPY)),
        ("Parquet, zstd", parquet(batch, Compression::ZSTD(Default::default()))),
        ("Parquet, gzip", parquet(batch, Compression::GZIP(Default::default()))),
        ("Parquet, lz4", parquet(batch, Compression::LZ4_RAW)),
        ("Arrow IPC", arrow_file(batch, None)),
        ("Arrow IPC, lz4", arrow_file(batch, Some(CompressionType::LZ4_FRAME))),
        ("Arrow IPC, zstd", arrow_file(batch, Some(CompressionType::ZSTD))),
        ("Arrow IPC stream", arrow_stream(batch)),
    ]
}

fn text(bytes: &[u8]) -> Result<(String, Vec<String>), ImportError> {
    let mut source = Source::new(bytes)?;
    let mut text = String::new();
    source.read_to_string(&mut text).map_err(|error| ImportError::reading(0, error))?;
    Ok((text, source.notes().to_vec()))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .unwrap()
}

/// A location for each row, as `pymovements` has them: lists, or lists of two.
fn locations(of_two: bool) -> ArrayRef {
    let rows = [Some([Some(512.3), Some(384.0)]), Some([Some(600.0), None]), None];
    if of_two {
        let mut builder = FixedSizeListBuilder::new(Float64Builder::new(), 2);
        for row in rows {
            builder.values().append_option(row.and_then(|row| row[0]));
            builder.values().append_option(row.and_then(|row| row[1]));
            builder.append(row.is_some());
        }
        return Arc::new(builder.finish());
    }
    let mut builder = ListBuilder::new(Float64Builder::new());
    rows.iter().for_each(|row| builder.append_option(*row));
    Arc::new(builder.finish())
}

#[test]
fn every_type_becomes_the_same_cells_in_every_format() {
    let keys: DictionaryArray<Int8Type> = vec![Some("a"), None, Some("b;c")].into_iter().collect();
    let batch = batch(vec![
        ("reader", Arc::new(StringArray::from(vec!["Jürgen", "a,b", "say \"so\""]))),
        ("large", Arc::new(LargeStringArray::from(vec![Some(" x "), None, Some("😀")]))),
        ("view", Arc::new(StringViewArray::from(vec![Some("two\nlines"), None, Some("")]))),
        ("key, with comma", Arc::new(keys)),
        ("x", Arc::new(Float64Array::from(vec![Some(0.1 + 0.2), None, Some(f64::NAN)]))),
        ("small", Arc::new(Float32Array::from(vec![512.3, -0.0, 1e30]))),
        ("whole", Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(7)]))),
        ("gap", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("span", Arc::new(DurationMicrosecondArray::from(vec![Some(1500), None, Some(-20)]))),
        ("when", Arc::new(TimestampNanosecondArray::from(vec![1_577_836_800_000_000_001, 0, 1]))),
        ("nothing", Arc::new(NullArray::new(3))),
        ("location", locations(false)),
        ("pixel", locations(true)),
        ("bytes", Arc::new(BinaryArray::from(vec![&b"abc"[..], b"", b"\xff"]))),
    ]);
    let wanted = "reader,large,view,\"key, with comma\",x,small,whole,gap,span,when,nothing,location,pixel\n\
        Jürgen, x ,\"two\nlines\",a,0.30000000000000004,512.3,-9223372036854775808,true,1.5,1577836800000.000001,,\"[512.3, 384]\",\"[512.3, 384]\"\n\
        \"a,b\",,,,,-0,,,,0,,\"[600, null]\",\"[600, null]\"\n\
        \"say \"\"so\"\"\",😀,,\"b;c\",NaN,1000000000000000000000000000000,7,false,-0.02,0.000001,,,\n";
    for (format, bytes) in every_format(&batch) {
        let (found, notes) = text(&bytes).unwrap();
        assert_eq!(found, wanted, "{format}");
        assert!(notes[0].starts_with("the file is "), "{notes:?}");
        assert_eq!(
            notes[1..],
            [
                "the column span has times: they are read in milliseconds",
                "the column when has times: they are read in milliseconds",
                "the column bytes is left out: a table has no cells of bytes",
            ]
        );
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&bytes).unwrap();
        assert_eq!(text(&packed.finish().unwrap()).unwrap().0, wanted, "{format}, packed again");
    }
}

#[test]
fn long_tables_come_in_parts_and_whole() {
    let rows = 10_000;
    let numbers: ArrayRef = Arc::new((0..rows).map(Some).collect::<Int64Array>());
    let batch = batch(vec![("a", numbers.clone()), ("b", numbers)]);
    let mut wanted = String::from("a,b\n");
    (0..rows).for_each(|i| wanted.push_str(&format!("{i},{i}\n")));
    for (format, bytes) in every_format(&batch) {
        assert!(text(&bytes).unwrap().0 == wanted, "{format}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    fs::write(&path, parquet(&batch, Compression::SNAPPY)).unwrap();
    let mut found = String::new();
    let file = File::open(&path).unwrap();
    Source::open(&path, file).unwrap().read_to_string(&mut found).unwrap();
    assert!(found == wanted, "from a file");
}

#[test]
fn frames_with_lists_are_taken() {
    for of_two in [false, true] {
        let batch = batch(vec![
            ("subject_id", Arc::new(Int64Array::from(vec![1, 1, 2]))),
            ("text_id", Arc::new(StringArray::from(vec!["a", "a", "a"]))),
            ("name", Arc::new(StringArray::from(vec!["fixation_ivt"; 3]))),
            ("onset", Arc::new(Int64Array::from(vec![0, 300, 0]))),
            ("duration", Arc::new(Int64Array::from(vec![200, 210, 220]))),
            ("location", locations(of_two)),
        ]);
        for (format, bytes) in every_format(&batch) {
            let mut recording = Recording::default();
            let mut source = Source::new(bytes.as_slice()).unwrap();
            let options = FrameOptions::default();
            let shape = pymovements::read(&mut source, 0, &options, &mut recording).unwrap();
            assert_eq!(shape.rows, 3, "{format}");
            assert_eq!(recording.dropped.iter().count(), 0, "{format}");
            assert_eq!(recording.readings.len(), 2, "{format}");
        }
    }
}

/// As other tools write them, with the quirks that these have: `scripts/references/columnar.py`.
#[test]
fn files_of_other_tools_are_read() {
    let wanted = "subject_id,text_id,name,onset,duration,location\n\
        Jürgen,\"a,1\",fixation_ivt,100,200.5,\"[512.3, 300]\"\n\
        b,\"a,1\",fixation_ivt,330,,\"[600, null]\"\n\
        b,\"q\"\"x\",saccade,500,30,\"[1, 2]\"\n";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/columnar");
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut source = Source::open(&path, File::open(&path).unwrap()).unwrap();
        let mut found = String::new();
        source.read_to_string(&mut found).unwrap();
        assert_eq!(found, wanted, "{}", path.display());
        files += 1;
    }
    assert_eq!(files, 6);
}

/// Missing values, gaps, sessions, several lines, groups, orders, Unicode, and numbers at the edges.
fn odd_corpus() -> Corpus {
    let word = |index, form: Option<&str>, start, end| Word {
        index,
        form: form.map(str::to_owned),
        start,
        end,
    };
    let first = vec![word(1, Some("Straße, \"是\""), 0, 6), word(4_000_000_000, None, 7, 9)];
    let lines = vec![
        Line::new(1, first).unwrap(),
        Line::new(3, vec![word(3, Some(" NA "), -2, 4)]).unwrap(),
    ];
    let mut text = Text::new("Æ;1", lines).unwrap();
    text.group = Some("groupe é".to_owned());
    let other = Text::new("2", vec![Line::new(1, vec![word(1, None, 0, 3)]).unwrap()]).unwrap();
    let fixation =
        |line, x: Option<f64>, duration: Option<f64>, onset: Option<f64>, gap| Fixation {
            line,
            x: x.map(Chars),
            duration: duration.map(Millis),
            onset: onset.map(Millis),
            gap,
            ..Default::default()
        };
    let path = |reader, text, session: &str, trial: &str, order, fixations| Scanpath {
        reader,
        text,
        session: session.to_owned(),
        trial: trial.to_owned(),
        order,
        fixations,
    };
    let odd = vec![
        fixation(Some(1), Some(0.1 + 0.2), Some(0.0), Some(-1e-300), false),
        fixation(None, None, None, None, true),
        fixation(Some(3), Some(-0.0), Some(1e300), Some(5e-324), false),
    ];
    let plain = vec![fixation(Some(1), Some(1.5), Some(200.0), None, false)];
    let paths = vec![
        path(0, 0, "vor Mittag", "1", Some(0.1), odd.clone()),
        path(0, 0, "nach Mittag", "2", None, odd),
        path(1, 1, "vor Mittag", "1", Some(2.0), plain),
    ];
    let readers = vec!["Ünal, \"Ö\"".to_owned(), "読者".to_owned()];
    Corpus::new("odd", readers, vec![text, other], paths).unwrap()
}

/// Pages whose words are unknown, beside a text; and all of them.
fn pages(with_text: bool) -> Corpus {
    let word = Word { index: 1, form: None, start: 0, end: 3 };
    let text = Text::new("text", vec![Line::new(1, vec![word]).unwrap()]).unwrap();
    let kinematics = Kinematics {
        dx: Some(0.1),
        dy: Some(-1e-7),
        peak_velocity: Some(f32::MAX),
        drift_y: Some(-0.0),
        ..Kinematics::default()
    };
    let seen = Fixation {
        place: Some([-3.217_5, 1.0]),
        duration: Some(Millis(212.0)),
        kinematics,
        ..Fixation::default()
    };
    let on_word = Fixation { line: Some(1), x: Some(Chars(1.5)), place: None, ..seen };
    let path = |text, session: &str, fixations| Scanpath {
        reader: 0,
        text,
        session: session.to_owned(),
        trial: "1".to_owned(),
        order: None,
        fixations,
    };
    let lost = Fixation { place: None, gap: true, ..seen };
    let mut texts = vec![Text::without_words("page-1"), Text::without_words("page-2")];
    texts[1].group = Some("pages".to_owned());
    let mut paths = vec![path(0, "1", vec![seen, lost]), path(1, "2", vec![lost])];
    if with_text {
        // Texts with words come first in the tables.
        texts.insert(0, text);
        paths.iter_mut().for_each(|path| path.text += 1);
        paths.push(path(0, "1", vec![on_word]));
    }
    Corpus::new("pages", vec!["anna".to_owned()], texts, paths).unwrap()
}

fn corpora() -> Vec<Corpus> {
    let simulated = |lines, sessions| {
        let built_in = SimulationParams::built_in();
        let parameters = SimulationParams { readers: 3, texts: 6, lines, sessions, ..built_in };
        parameters.build().unwrap().run()
    };
    vec![simulated(1, 1), simulated(3, 2), odd_corpus()]
}

/// A corpus without its name, which is that of the folder.
fn parts(corpus: &Corpus) -> String {
    format!("{:?}", (corpus.readers(), corpus.texts(), corpus.scanpaths()))
}

#[test]
fn corpora_come_back_from_parquet() {
    for corpus in corpora().into_iter().chain([pages(false), pages(true)]) {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write_corpus_as(&corpus, folder, TableFormat::Parquet, false).unwrap();
        assert!(folder.join("fixations.parquet").is_file() && !folder.join("words.csv").exists());
        let again = read_corpus(folder).unwrap();
        assert!(parts(&again) == parts(&corpus), "{}", corpus.name());
        // The tables give way to each other, and the corpus stays the same.
        assert!(matches!(write_corpus(&again, folder, false), Err(WriteError::Exists { .. })));
        write_corpus(&again, folder, true).unwrap();
        assert!(!folder.join("fixations.parquet").exists());
        assert!(parts(&read_corpus(folder).unwrap()) == parts(&corpus), "{}", corpus.name());
    }
}

fn open(path: &Path) -> std::io::Result<Box<dyn Read>> {
    Ok(Box::new(File::open(path)?))
}

fn imported(folder: &Path, files: [&str; 3], name: &str) -> Corpus {
    let [fixations, words, trials] = files.map(|file| folder.join(file));
    let request = Request {
        inputs: vec![fixations],
        words: Some(words),
        trials: Some(trials).filter(|file| file.is_file()),
        ..Request::default()
    };
    let (imported, report) = import(&request, name, &open).unwrap();
    assert_eq!(report.dropped, []);
    assert!(report.decisions.iter().any(|note| note.to_string().contains("the file is Parquet")));
    match imported {
        Imported::Corpus(corpus) => corpus,
        Imported::Fixations(_) => panic!("no words"),
    }
}

#[test]
fn exported_parquet_is_imported() {
    for corpus in corpora().into_iter().take(2) {
        let folder = tempfile::tempdir().unwrap();
        write_corpus_as(&corpus, folder.path(), TableFormat::Parquet, false).unwrap();
        let files = ["fixations.parquet", "words.parquet", "trials.parquet"];
        assert!(imported(folder.path(), files, corpus.name()) == corpus);
        // Frames are text, and go together with columns.
        write_frames(&corpus, folder.path(), false).unwrap();
        let files = ["events.csv", "aois.csv", "trials.parquet"];
        assert!(imported(folder.path(), files, corpus.name()) == corpus);
    }
}

fn refused(tables: &[(&str, Vec<u8>)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in tables {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let error = read_corpus(folder.path()).unwrap_err().to_string();
    error.replace(&folder.path().display().to_string(), "CORPUS")
}

#[test]
fn what_is_wrong_in_a_corpus_has_its_place() {
    let words = b"text,word_index,char_start,char_end\ns1,1,0,3\n".to_vec();
    let fixations = batch(vec![
        ("reader", Arc::new(StringArray::from(vec!["a", "a"]))),
        ("text", Arc::new(StringArray::from(vec!["s1", "s1"]))),
        ("x_char", Arc::new(Float64Array::from(vec![Some(1.5), None]))),
        ("duration_ms", Arc::new(Float64Array::from(vec![200.0, -5.0]))),
    ]);
    let fixations = parquet(&fixations, Compression::SNAPPY);
    assert_eq!(
        refused(&[("words.csv", words.clone()), ("fixations.parquet", fixations.clone())]),
        "CORPUS/fixations.parquet, row 3, column duration_ms: found \"-5\", expected a number that is \
         not negative; correct the cell, or leave it empty where the value is missing"
    );
    assert_eq!(
        refused(&[
            ("words.csv", words.clone()),
            ("fixations.csv", Vec::new()),
            ("fixations.parquet", fixations),
        ]),
        "CORPUS has both fixations.csv and fixations.parquet, and which one counts is not clear; \
         remove or rename one of them"
    );
    assert_eq!(
        refused(&[("words.csv", words.clone()), ("fixations.parquet", words)]),
        "CORPUS/fixations.parquet cannot be read: the last four bytes are not PAR1, as those of every \
         Parquet file; check that it is a file you may read"
    );
}

#[test]
fn broken_files_are_refused() {
    let numbers: ArrayRef = Arc::new((0..100).map(Some).collect::<Int64Array>());
    let batch = batch(vec![("a", numbers.clone()), ("b", numbers)]);
    for (format, bytes) in every_format(&batch) {
        let half = &bytes[..bytes.len() / 2];
        let error = text(half).expect_err(format);
        assert!(error.to_string().contains("cannot be read"), "{format}: {error}");
        assert!(error.at().is_some(), "{format}: {error}");
    }
    assert!(text(b"PAR1").is_err());
    assert!(text(b"ARROW1").is_err());
    assert!(text(&[0xff; 64]).is_err());
    let empty = RecordBatch::new_empty(batch.schema());
    for (format, bytes) in every_format(&empty) {
        assert_eq!(text(&bytes).unwrap().0, "a,b\n", "{format}");
    }
}

/// Sizes that a file only claims to have. The decoders would take memory for them, and the system would
/// end the process.
#[test]
fn claims_are_checked_before_memory_is_taken() {
    // Version 1, then a list of 2^31 - 1 structures: the columns, or the row groups behind a column.
    let list = [0xfc, 0xff, 0xff, 0xff, 0xff, 0x07];
    let columns = [&[0x15, 2, 0x19], &list[..], &[0]].concat();
    let root = [0x15, 2, 0x19, 0x1c, 0x48, 1, b'r', 0x15, 0, 0, 0x16, 0, 0x19];
    let groups = [&root[..], &list, &[0]].concat();
    // A column with 2^31 - 1 columns in it.
    let children = [0xfe, 0xff, 0xff, 0xff, 0x0f];
    let inside = [&[0x15, 2, 0x19, 0x1c, 0x48, 1, b'r', 0x15], &children[..], &[0, 0]].concat();
    for footer in [columns, groups, inside] {
        let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
        let file = [b"PAR1", footer.as_slice(), &length, b"PAR1"].concat();
        let error = text(&file).unwrap_err().to_string();
        assert!(error.contains("broken") || error.contains("without end"), "{error}");
    }
    // A column of 800 bytes, which says that it has 32 TB once it is unpacked.
    let numbers: ArrayRef = Arc::new((0..100).map(Some).collect::<Int64Array>());
    let mut file = arrow_file(&batch(vec![("a", numbers)]), Some(CompressionType::ZSTD));
    let place = file.windows(8).position(|bytes| bytes == 800_u64.to_le_bytes()).unwrap();
    file[place..place + 8].copy_from_slice(&(1_u64 << 45).to_le_bytes());
    let error = text(&file).unwrap_err().to_string();
    assert!(error.contains("unpacks to 35184372088832 bytes"), "{error}");
}
