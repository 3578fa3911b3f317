"""Corpora: from frames of four libraries, from files, and what is wrong with others."""

from __future__ import annotations

import pathlib
import pickle

import gazeprint as gp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

duckdb = pytest.importorskip("duckdb")

FIXATIONS = {
    "reader": ["anna", "anna", "anna", "ben"],
    "text": ["s1"] * 4,
    "x_char": [1.4, 9.8, 5.1, 0.9],
    "duration_ms": [212.0, 251.0, 187.0, 240.0],
}
WORDS = {"text": ["s1"] * 3, "word_index": [1, 2, 3], "char_start": [0, 4, 7], "char_end": [3, 6, 14]}


def made(words: dict[str, list] | None = WORDS, **changed: object) -> gp.Corpus:
    columns = {name: values for name, values in {**FIXATIONS, **changed}.items() if values is not None}
    return gp.Corpus(pl.DataFrame(columns, strict=False), None if words is None else pl.DataFrame(words))


def test_frames_of_all_libraries_give_the_same_corpus(corpus: gp.Corpus, folder: pathlib.Path) -> None:
    tables = [t.to_pyarrow() for t in (corpus.fixations(), corpus.words(), corpus.trials())]
    frames = {
        "pyarrow": tables,
        "polars": [pl.DataFrame(table) for table in tables],
        "lazy": [pl.DataFrame(table).lazy() for table in tables],
        "pandas": [table.to_pandas() for table in tables],
        "categories": [
            table.to_pandas().assign(text=lambda f: f["text"].astype("category")) for table in tables
        ],
        "duckdb": [duckdb.from_arrow(table) for table in tables],
        "chunks": [pa.concat_tables([table.slice(0, 7), table.slice(7)]) for table in tables],
        "generators": [pa.RecordBatchReader.from_batches(t.schema, iter(t.to_batches(5))) for t in tables],
    }
    expected = gp.Corpus.read(folder).sha256
    assert {name: gp.Corpus(*pair).sha256 for name, pair in frames.items()} == dict.fromkeys(frames, expected)


def test_a_corpus_is_the_same_after_a_pickle(corpus: gp.Corpus, provo: gp.Corpus) -> None:
    for one in (corpus, provo):
        again = pickle.loads(pickle.dumps(one))
        assert (again.sha256, again.name, again.readers) == (one.sha256, one.name, one.readers)


@pytest.mark.long
def test_events_of_pymovements_become_a_corpus() -> None:
    pymovements = pytest.importorskip("pymovements")
    events = pymovements.Events(name="fixation", onsets=[0, 300, 600, 900], offsets=[200, 550, 800, 1100])
    events.frame = events.frame.with_columns(pl.DataFrame(FIXATIONS).get_columns())
    assert gp.Corpus(events, pl.DataFrame(WORDS)).sha256 == made().sha256


@pytest.mark.parametrize(
    ("changed", "row", "column", "said"),
    [
        ({"duration_ms": [212.0, 251.0, -1.0, 240.0]}, 2, "duration_ms", "not negative"),
        ({"duration_ms": ["212", "long", "187", "240"]}, 1, "duration_ms", "a number"),
        ({"x_char": [1.4, float("inf"), 5.1, 0.9]}, 1, "x_char", "finite"),
        ({"line": [1, 1, 1.5, 1]}, 2, "line", "whole number"),
        ({"gap": [0, 1, 0, 7]}, 3, "gap", "0, 1, false or true"),
        ({"reader": ["anna", None, "anna", "ben"]}, 1, "reader", "missing"),
        ({"text": ["s1", "s1", "s1", "s2"]}, 3, "text", "s2"),
        ({"fix_index": [1, 2, 2, 1]}, 2, "fix_index", "again"),
    ],
)
def test_what_is_wrong_is_named_by_row_and_column(
    changed: dict[str, list], row: int, column: str, said: str
) -> None:
    with pytest.raises(gp.InputError, match=said) as caught:
        made(**changed)
    error = caught.value
    assert (error.table, error.row, error.column) == ("fixations", row, column), str(error)
    assert f"row {row}, column {column}" in str(error)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"duration_ms": None}, "expected also duration_ms"),
        ({"duration_ms": None, "duration": [1.0] * 4}, "rename duration to duration_ms"),
        ({"x_char": [[1.0], [2.0], [3.0], [4.0]]}, "column x_char: found values of type LargeList"),
        ({"onset_ms": [pd.Timestamp("2020-01-01")] * 4}, "column onset_ms: found values of type Timestamp"),
        ({name: [] for name in FIXATIONS}, "frame with rows"),
        ({"words": None}, "expected a table of words"),
    ],
)
def test_frames_that_cannot_be_read_are_refused(changed: dict, said: str) -> None:
    with pytest.raises(gp.InputError, match=said):
        made(**changed)


def test_a_column_of_several_types_is_named() -> None:
    mixed = pd.DataFrame({**FIXATIONS, "duration_ms": [212.0, 251.0, "long", 240.0]})
    with pytest.raises(gp.InputError, match="fixations, row 2, column duration_ms") as caught:
        gp.Corpus(mixed, pd.DataFrame(WORDS))
    assert (caught.value.row, caught.value.column) == (2, "duration_ms")


def test_other_things_than_frames_are_refused() -> None:
    for thing in (17, "fixations.csv", np.zeros(3), FIXATIONS):
        with pytest.raises(gp.InputError, match="expected a frame"):
            gp.Corpus(thing, pl.DataFrame(WORDS))


def test_columns_in_which_all_is_missing_are_read() -> None:
    nothing = made(onset_ms=[None] * 4, x_char=[None, 9.8, 5.1, 0.9])
    assert nothing.fixations()["x_char"] == [None, 9.8, 5.1, 0.9]
    frame = pd.DataFrame({**FIXATIONS, "onset_ms": [None] * 4})
    assert gp.Corpus(frame, pd.DataFrame(WORDS)).sha256 == made().sha256


def test_a_stream_that_breaks_is_an_error() -> None:
    table = pa.table(FIXATIONS)

    def batches():  # type: ignore[no-untyped-def]
        yield from table.to_batches()
        raise RuntimeError("the disk is gone")

    stream = pa.RecordBatchReader.from_batches(table.schema, batches())
    with pytest.raises(gp.InputError, match="fixations: .*the disk is gone"):
        gp.Corpus(stream, pa.table(WORDS))


def test_spans_of_time_are_milliseconds() -> None:
    spans = pd.DataFrame({**FIXATIONS, "duration_ms": pd.to_timedelta(FIXATIONS["duration_ms"], unit="ms")})
    assert gp.Corpus(spans, pd.DataFrame(WORDS)).sha256 == made().sha256


def test_mixed_units_are_warned_about() -> None:
    corpus = gp.Corpus.simulate(readers=2, texts=6)
    pixels = corpus.fixations().to_polars().with_columns(pl.col("x_char") * 12.0)
    found = gp.Corpus(pixels, corpus.words()).inspect()
    assert found["dropped"]["off_text"] > 0.5 * found["fixations_recorded"]
    assert "same unit" in found.warnings[0]["hint"]
    seconds = corpus.fixations().to_polars().with_columns(pl.col("duration_ms") / 1000.0)
    with pytest.raises(gp.InputError, match="inspect"):
        gp.Corpus(seconds, corpus.words()).traits()


def test_what_is_not_there_is_not_found() -> None:
    with pytest.raises(gp.NotFoundError, match="no-such-corpus"):
        gp.Corpus.read("no-such-corpus")
    with pytest.raises(gp.NotFoundError, match="found no reader"):
        gp.Corpus.simulate(readers=2, texts=3).select(readers=["nobody"])


def test_errors_survive_a_pickle() -> None:
    error = gp.InputError("wrong", table="fixations", row=3, column="text")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.row, again.column) == (gp.InputError, "wrong", 3, "text")


def test_tables_are_those_of_the_command(command, corpus: gp.Corpus, folder: pathlib.Path, tmp_path) -> None:
    command("export", folder, "--to", "saccades", "--out", tmp_path)
    files = pl.read_csv(tmp_path / "saccades.csv", infer_schema_length=None)
    ours = gp.Corpus.read(folder).saccades().to_polars()
    assert ours.columns == files.columns
    for name in files.columns:
        theirs = files[name]
        if ours[name].dtype == pl.String:
            theirs = theirs.cast(pl.String)
        assert ours[name].cast(theirs.dtype).equals(theirs), name
    assert gp.Corpus.read(folder).inspect() == command("inspect", folder, "--json")


def test_traits_are_those_of_the_command(command, folder: pathlib.Path) -> None:
    ours = gp.Corpus.read(folder).traits()
    assert ours.results == command("traits", folder, "--json")
    frame = ours.to_pandas()
    assert list(frame.columns[:4]) == ["reader", "trait", "unit", "estimate"]
    assert len(frame) == len(ours.results["estimates"])


def test_imports_take_frames_and_files(tmp_path: pathlib.Path) -> None:
    frame = pl.DataFrame(FIXATIONS).rename({"reader": "subject", "duration_ms": "duration"})
    frame.write_csv(tmp_path / "fixations.csv")
    pl.DataFrame(WORDS).write_csv(tmp_path / "words.csv")
    files = gp.import_recordings(tmp_path / "fixations.csv", words=tmp_path / "words.csv")
    frames = gp.import_recordings(frame, words=pl.DataFrame(WORDS), out=tmp_path / "out")
    assert files.corpus.sha256 == frames.corpus.sha256 == gp.Corpus.read(tmp_path / "out").sha256
    assert frames.report["fixations_kept"] == 4
    with pytest.raises(gp.ConflictError):
        gp.import_recordings(frame, words=pl.DataFrame(WORDS), out=tmp_path / "out")
    with pytest.raises(gp.UsageError, match="format"):
        gp.import_recordings(frame, format="edf")
    with pytest.raises(gp.InputError, match="words="):
        gp.import_recordings(frame)


def test_errors_of_imports_had_no_row_and_no_column(tmp_path: pathlib.Path) -> None:
    words, file = pl.DataFrame(WORDS), tmp_path / "report.csv"
    degrees = pl.DataFrame({**FIXATIONS, "y_deg": [0.0] * 4}).rename({"x_char": "x_deg"})

    def wrong(recording: object) -> gp.InputError:
        with pytest.raises(gp.InputError) as caught:
            gp.import_recordings(recording, words=words)
        return caught.value

    # A frame has no row of names.
    error = wrong(degrees)
    assert (error.table, error.row, error.column) == ("fixations", None, "x_deg")
    assert str(error).startswith("fixations, column x_deg: found fixations in degrees")
    error = wrong(pl.DataFrame(FIXATIONS).drop("duration_ms"))
    assert (error.table, error.row, error.column) == ("fixations", None, None)
    # Rows of files are as an editor shows them.
    degrees.write_csv(file)
    error = wrong(file)
    assert (error.table, error.row, error.column) == (str(file), 1, "x_deg")
    assert str(error).startswith(f"{file}, row 1, column x_deg: found fixations in degrees")
    file.write_text("reader,text,x_char,duration_ms\n")
    error = wrong(file)
    assert (error.table, error.row, error.column) == (str(file), None, None), str(error)
