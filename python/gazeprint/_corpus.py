"""Corpora: readers, texts, and who read what how."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Union

from gazeprint import _lib
from gazeprint._errors import NotFoundError, UsageError
from gazeprint._table import Table, frame

Path = Union[str, "os.PathLike[str]"]

#: Which fixations count, ms.
MIN_DURATION, MAX_DURATION = 50.0, 1500.0


@dataclass(frozen=True)
class Recording:
    """One reading: somebody reads a text once. What estimators learn from and decide about."""

    corpus: Corpus
    #: Its place among the readings of the corpus.
    place: int
    reader: str
    text: str
    session: str
    trial: str

    def __repr__(self) -> str:
        return f"Recording({self.reader!r} on {self.text!r}, session {self.session}, trial {self.trial})"


@dataclass(frozen=True)
class Traits:
    """What each reader does, how sure that is, and whether it would come out again."""

    #: A row for each reader and trait: estimate, 95 % interval, observations, texts.
    estimates: Table
    #: A row for each trait: mean and spread over readers, split-half reliability, across sessions.
    reliability: Table
    #: Both as JSON has them (``gazeprint traits --json``).
    results: dict[str, Any]

    # A table by itself is what most want.
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.estimates.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The estimates as a ``pandas.DataFrame``."""
        return self.estimates.to_pandas()

    def to_polars(self) -> Any:
        """The estimates as a ``polars.DataFrame``."""
        return self.estimates.to_polars()

    def __repr__(self) -> str:
        return repr(self.reliability)

    def _repr_html_(self) -> str:
        return self.reliability._repr_html_()


class Inspection(dict[str, Any]):
    """What is in a corpus, as ``gazeprint inspect --json`` has it, with what looks wrong."""

    @property
    def warnings(self) -> list[Any]:
        """What does not look like reading."""
        return list(self.get("warnings", []))

    def __repr__(self) -> str:
        lines = [f"{key}: {value}" for key, value in self.items() if not isinstance(value, (dict, list))]
        lines += [f"note: {note}" for note in self.get("notes", [])]
        lines += [f"warning: {warning}" for warning in self.warnings]
        return "\n".join(lines)


class Corpus:
    """Readers, texts, and who read what how.

    From frames: fixations with ``reader, text, line?, session?, trial?, fix_index?, x_char, duration_ms, onset_ms?,
    gap?`` (``?``: may be left out), and words with ``text, line?, word_index, word?, char_start, char_end``. Where
    words are unknown, places in degrees (``x_deg, y_deg``) stand for ``line`` and ``x_char``. Other columns are ignored.
    ``trials`` may give ``reader, text, session?, trial?, trial_order?, group?``.

    >>> from gazeprint import Corpus
    >>> import polars as pl
    >>> fixations = pl.DataFrame({
    ...     "reader": ["anna", "anna", "anna"], "text": ["s1"] * 3,
    ...     "x_char": [1.4, 9.8, 5.1], "duration_ms": [212, 251, 187],
    ... })
    >>> words = pl.DataFrame({
    ...     "text": ["s1"] * 3, "word_index": [1, 2, 3], "char_start": [0, 4, 7], "char_end": [3, 6, 14],
    ... })
    >>> corpus = Corpus(fixations=fixations, words=words)
    >>> corpus
    Corpus frames: 1 reader, 1 text, 3 fixations
    >>> corpus.saccades()["type"]
    ['initial', 'forward_skip', 'regression']

    Errors name the table, the row of the frame (from 0) and the column:

    >>> Corpus(fixations=fixations.with_columns(duration_ms=pl.Series([212, -1, 187])), words=words)
    Traceback (most recent call last):
    gazeprint._errors.InputError: fixations, row 1, column duration_ms: found "-1", expected a number that is not \
negative; correct the cell, or leave it empty where the value is missing
    """

    def __init__(
        self,
        fixations: Any,
        words: Any | None = None,
        trials: Any | None = None,
        *,
        name: str = "frames",
    ) -> None:
        self._inner = _of_frames(name, fixations, words, trials, is_probe=False)

    @classmethod
    def _of(cls, inner: _lib.Corpus) -> Corpus:
        corpus = cls.__new__(cls)
        corpus._inner = inner
        return corpus

    @classmethod
    def read(cls, path: Path) -> Corpus:
        """Reads a corpus folder, or one that is built in: ``provo`` (84 real readers) or ``simulated``."""
        return cls._of(_lib.Corpus.read(os.fspath(path)))

    @classmethod
    def probe(cls, recording: Any, words: Any | None = None, *, name: str = "probe") -> Corpus:
        """Reads what one person read: a folder, a file with ``words``, or a frame with ``words``.

        It need not say who the reader is.
        """
        if isinstance(recording, Corpus):
            return recording
        if isinstance(recording, (str, os.PathLike)):
            if words is None:
                return cls._of(_lib.Corpus.read(os.fspath(recording), None, True))
            if isinstance(words, (str, os.PathLike)):
                return cls._of(_lib.Corpus.read(os.fspath(recording), os.fspath(words), True))
            raise UsageError("words: found a frame beside a file, expected both of one kind")
        return cls._of(_of_frames(name, recording, words, None, is_probe=True))

    @classmethod
    def simulate(
        cls,
        *,
        readers: int = 251,
        texts: int = 144,
        sessions: int = 1,
        drift: float = 0.0,
        lines: int = 1,
        seed: int = 1,
    ) -> Corpus:
        """Made-up readers, always the same of a seed; as ``gazeprint simulate`` makes them."""
        return cls._of(_lib.Corpus.simulate(readers, texts, sessions, drift, lines, seed))

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return self._inner.name

    @property
    def readers(self) -> list[str]:
        """The names of the readers."""
        return self._inner.readers

    @property
    def texts(self) -> list[str]:
        """The names of the texts."""
        return self._inner.texts

    @property
    def notes(self) -> list[str]:
        """What was odd on reading it."""
        return self._inner.notes

    @property
    def sha256(self) -> str:
        """A hash of everything in it but its name."""
        return self._inner.sha256

    @cached_property
    def recordings(self) -> list[Recording]:
        """The readings, one by one.

        >>> from gazeprint import Corpus
        >>> Corpus.simulate(readers=2, texts=3).recordings[0]
        Recording('r001' on 's002', session 1, trial 1)
        """
        return [Recording(self, place, *names) for place, names in enumerate(self._inner.readings())]

    def fixations(self) -> Table:
        """The fixations, as the corpus' table has them."""
        return Table(self._inner.tables()["fixations"])

    def words(self) -> Table:
        """The words, as the corpus' table has them."""
        return self._table("words")

    def trials(self) -> Table:
        """The order of readings and the groups of texts, where these are known."""
        return self._table("trials")

    def _table(self, name: str) -> Table:
        tables = self._inner.tables()
        if name not in tables:
            raise NotFoundError(f"{self.name}: found no {name}, since none are known", table=name)
        return Table(tables[name])

    def saccades(self, *, min_duration: float = MIN_DURATION, max_duration: float = MAX_DURATION) -> Table:
        """Every fixation with its type, amplitude, interval, landing and situation."""
        return Table(self._inner.saccades(min_duration, max_duration))

    def traits(
        self, *, min_duration: float = MIN_DURATION, max_duration: float = MAX_DURATION, seed: int = 1
    ) -> Traits:
        """What each reader does, with intervals over texts and the reliability of each trait."""
        estimates, reliability, results = self._inner.traits(min_duration, max_duration, seed)
        return Traits(Table(estimates), Table(reliability), json.loads(results))

    def inspect(self, *, min_duration: float = MIN_DURATION, max_duration: float = MAX_DURATION) -> Inspection:
        """What is in it, and what looks wrong with it."""
        return Inspection(json.loads(self._inner.inspect(min_duration, max_duration)))

    def select(
        self,
        *,
        readers: Iterable[str] | None = None,
        texts: Iterable[str] | None = None,
        sessions: Iterable[str] | None = None,
        where: Callable[[Recording], bool] | None = None,
    ) -> Corpus:
        """A part of it: of these readers, texts and sessions, and of readings of which ``where`` is true.

        >>> from gazeprint import Corpus
        >>> corpus = Corpus.simulate(readers=3, texts=6)
        >>> corpus.select(readers=["r002"]).readers
        ['r002']
        """
        wanted = [
            (of, set(names))
            for of, names in (("reader", readers), ("text", texts), ("session", sessions))
            if names is not None
        ]
        for of, names in wanted:
            unknown = names - {getattr(recording, of) for recording in self.recordings}
            if unknown:
                raise NotFoundError(f"{self.name}: found no {of} {min(unknown)!r}")

        def is_wanted(recording: Recording) -> bool:
            named = all(getattr(recording, of) in names for of, names in wanted)
            return named and (where is None or where(recording))

        return self._at([recording.place for recording in self.recordings if is_wanted(recording)])

    def _at(self, places: Sequence[int]) -> Corpus:
        return Corpus._of(self._inner.at(list(places)))

    def save(self, folder: Path, *, format: str = "csv", overwrite: bool = False) -> None:
        """Writes a corpus folder; ``format`` is ``csv`` or ``parquet``."""
        self._inner.write(os.fspath(folder), format, overwrite)

    def __reduce__(self) -> tuple[Any, ...]:
        tables = {name: _ipc(table) for name, table in self._inner.tables().items()}
        return _restored, (self.name, self.readers, self.texts, tables)

    def __repr__(self) -> str:
        def counted(count: int, noun: str) -> str:
            return f"{count:,} {noun}{'' if count == 1 else 's'}"

        inner = self._inner
        counts = [
            counted(len(inner.readers), "reader"),
            counted(len(inner.texts), "text"),
            counted(inner.fixation_count, "fixation"),
        ]
        return f"Corpus {inner.name}: {', '.join(counts)}"


def _of_frames(
    name: str, fixations: Any, words: Any | None, trials: Any | None, *, is_probe: bool
) -> _lib.Corpus:
    return _lib.Corpus.of_frames(
        name,
        frame(fixations, "fixations"),
        None if words is None else frame(words, "words"),
        None if trials is None else frame(trials, "trials"),
        is_probe,
    )


def _ipc(table: _lib.Table) -> bytes:
    return table.to_ipc()


def _restored(name: str, readers: list[str], texts: list[str], tables: dict[str, bytes]) -> Corpus:
    """A corpus as it was, to the order of its readers and texts, which its tables do not keep."""
    frames = {table: _lib.Table.of_ipc(rows) for table, rows in tables.items()}
    inner = _of_frames(
        name, frames["fixations"], frames.get("words"), frames.get("trials"), is_probe=False
    )
    return Corpus._of(inner.arranged(name, readers, texts))
