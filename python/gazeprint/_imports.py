"""Recordings of other tools."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gazeprint import _lib
from gazeprint._corpus import Corpus, Path
from gazeprint._errors import InputError
from gazeprint._table import frame


@dataclass(frozen=True)
class Imported:
    """What an import came to."""

    #: What it did: formats, columns, decisions, dropped rows with examples (``import.json``).
    report: dict[str, Any]
    _corpus: Corpus | None

    @property
    def corpus(self) -> Corpus:
        """The corpus; where no words are known and places are in pixels, there is none."""
        if self._corpus is None:
            raise InputError("found fixations and nothing that says where words are; give words= or text=")
        return self._corpus

    @property
    def warnings(self) -> list[str]:
        """What looks wrong."""
        return list(self.report["warnings"])

    def __repr__(self) -> str:
        report = self.report
        lines = [
            f"{report['rows_read']:,} rows read, {report['fixations_kept']:,} fixations and "
            f"{report['words_kept']:,} words kept, {report['readers']} readers, {report['texts']} texts"
        ]
        lines += [f"dropped: {drop['rows']:,} rows, {drop['reason']}" for drop in report["dropped"]]
        lines += [f"warning: {warning}" for warning in self.warnings]
        return "\n".join(lines)


def import_recordings(
    inputs: Any,
    *,
    words: Any | None = None,
    text: Path | None = None,
    trials: Any | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    lines: str | None = None,
    font_width: float | None = None,
    left: float | None = None,
    line_height: float | None = None,
    top: float | None = None,
    reader: str | None = None,
    from_name: str | None = None,
    from_reader: str | None = None,
    trial_pattern: Iterable[str] = (),
    eye: str = "best",
    detector: str = "engbert-kliegl",
    rate: float | None = None,
    valid: float | None = None,
    from_samples: bool = False,
    y_up: bool = False,
    screen_px: tuple[float, float] | None = None,
    screen_mm: tuple[float, float] | None = None,
    distance_mm: float | None = None,
    px_per_degree: tuple[float, float] | None = None,
    name: str = "imported",
    out: Path | None = None,
    overwrite: bool = False,
) -> Imported:
    """Reads what other tools write, and makes a corpus of it: ``gazeprint import``.

    ``inputs`` are files, folders, or frames (such as the events of pymovements); ``words`` and ``trials`` may be frames,
    too. Formats and columns are guessed; what cannot be told apart is an error that lists the candidates, and
    ``columns={"x_px": "POS"}`` chooses. With ``out``, the corpus folder is written as well.

    >>> import gazeprint as gp
    >>> import polars as pl
    >>> fixations = pl.DataFrame({
    ...     "subject": ["anna"] * 3, "sentence": ["s1"] * 3, "x_char": [1.4, 9.8, 5.1], "duration": [212, 251, 187],
    ... })
    >>> words = pl.DataFrame({
    ...     "sentence": ["s1"] * 3, "word_index": [1, 2, 3], "char_start": [0, 4, 7], "char_end": [3, 6, 14],
    ... })
    >>> gp.import_recordings(fixations, words=words).corpus.readers
    ['anna']
    """
    frames: dict[str, Any] = {}

    def place(value: Any, called: str) -> str:
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        frames[called] = frame(value, called)
        return called

    several = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    asked = {
        "inputs": [
            place(value, "fixations" if len(several) == 1 else f"fixations-{number}")
            for number, value in enumerate(several, 1)
        ],
        "words": None if words is None else place(words, "words"),
        "text": None if text is None else os.fspath(text),
        "trials": None if trials is None else place(trials, "trials"),
        "format": format,
        "columns": list((columns or {}).items()),
        "lines": lines,
        "font_width": font_width,
        "left": left,
        "line_height": line_height,
        "top": top,
        "reader": reader,
        "from_name": from_name,
        "from_reader": from_reader,
        "trial_pattern": list(trial_pattern),
        "eye": eye,
        "detector": detector,
        "rate": rate,
        "valid": valid,
        "from_samples": from_samples,
        "y_up": y_up,
        "screen_px": screen_px,
        "screen_mm": screen_mm,
        "distance_mm": distance_mm,
        "px_per_degree": px_per_degree,
    }
    called = os.path.basename(os.path.normpath(out)) if out is not None else name
    place_out = None if out is None else os.fspath(out)
    corpus, report = _lib.import_recordings(asked, frames, str(called), place_out, overwrite)
    return Imported(json.loads(report), None if corpus is None else Corpus._of(corpus))
