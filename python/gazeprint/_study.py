"""Studies: which method recognises the readers of a corpus, and how well."""

from __future__ import annotations

import difflib
import json
import os
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from gazeprint import _given, _lib
from gazeprint._corpus import MAX_DURATION, MIN_DURATION, Corpus, Path
from gazeprint._errors import NotFoundError, UsageError
from gazeprint._given import AnyPeople
from gazeprint._progress import Progress, followed
from gazeprint._table import Table


def methods() -> list[str]:
    """The names of all methods.

    >>> from gazeprint import methods
    >>> methods()[:3]
    ['fusion', 'population', 'embedding']
    """
    return _lib.method_names()


class Figure:
    """A figure of a study; a notebook shows it."""

    def __init__(self, study: _lib.Study, name: str) -> None:
        found = study.figure(name)
        if found is None:
            there = ", ".join(study.figures())
            raise NotFoundError(f"found no figure {name!r}; this study has {there}")
        self._study = study
        self.name = name
        #: The figure, the words below it, and the plotted numbers.
        self.svg, self.caption, self.csv = found

    def file(self, format: str) -> bytes:
        """The figure as ``svg``, ``pdf``, ``png`` or ``csv``."""
        if format in ("svg", "csv"):
            return (self.svg if format == "svg" else self.csv).encode()
        if format not in ("pdf", "png"):
            raise UsageError(f"format: found {format!r}, expected svg, pdf, png or csv")
        return self._study.figure_file(self.name, format) or b""

    def save(self, path: Path) -> None:
        """Writes the figure; the end of the name says how."""
        place = pathlib.Path(path)
        place.write_bytes(self.file(place.suffix.lstrip(".").lower()))

    def _repr_svg_(self) -> str:
        # Its fonts are four fifths of it, and a notebook keeps every figure that it shows: those of the reader do.
        return re.sub(r"@font-face\{[^}]*\}\n?", "", self.svg)

    def __repr__(self) -> str:
        return f"Figure {self.name}: {self.caption}"


class _Figures(Mapping[str, Figure]):
    """The figures of a study, drawn when they are first looked at."""

    def __init__(self, study: _lib.Study) -> None:
        self._study = study
        self._drawn: dict[str, Figure] = {}

    def __getitem__(self, name: str) -> Figure:
        if name not in self._drawn:
            self._drawn[name] = Figure(self._study, name)
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._study.figures())

    def __len__(self) -> int:
        return len(self._study.figures())

    def __repr__(self) -> str:
        return f"figures: {', '.join(self)}"


class Study:
    """What a study found."""

    def __init__(self, inner: _lib.Study) -> None:
        self._inner = inner
        #: The figures, by name.
        self.figures: Mapping[str, Figure] = _Figures(inner)

    @cached_property
    def results(self) -> dict[str, Any]:
        """``study.json``: every number."""
        found: dict[str, Any] = json.loads(self._inner.json())
        return found

    @cached_property
    def table(self) -> Table:
        """A row for each method and size of probes; ``texts`` is missing for probes of all test texts."""
        return Table(self._inner.table())

    @cached_property
    def scores(self) -> Table:
        """A row for each comparison of a probe of all test texts with a reader."""
        return Table(self._inner.scores())

    @cached_property
    def splits(self) -> Table:
        """Which readings train and which test."""
        return Table(self._inner.splits())

    def save(self, folder: Path, *, overwrite: bool = False) -> pathlib.Path:
        """Writes the folder that ``gazeprint study --out`` writes, and says where its page is."""
        return pathlib.Path(self._inner.save(os.fspath(folder), overwrite))

    def __repr__(self) -> str:
        corpus, protocol = self.results["corpus"], self.results["protocol"]
        head = (
            f"Study of {corpus['name']}: {corpus['readers']:,} readers, {corpus['texts']:,} texts, "
            f"{protocol['splits']} {protocol['split']} split{'' if protocol['splits'] == 1 else 's'}"
        )
        sizes = protocol["probe_sentences"]
        rows = [["method", *map(str, sizes), "all", "EER"]]
        for method in self.results["methods"]:
            found = {
                size["sentences"]: f"{size['accuracy']['mean']:.3f}"
                for size in method["by_sentences"]
                if size["shorter_probes"] < size["probes"]
            }
            rows.append(
                [
                    method["method"],
                    *(found.get(size, "-") for size in sizes),
                    f"{method['accuracy']['mean']:.3f}",
                    f"{method['eer']['mean']:.4f}",
                ]
            )
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if place == 0 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        return "\n".join([head, "accuracy after so many texts, and all", *lines])


def prepared(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a study, with what their files, frames and iterators hold: they go anywhere, and may be used again."""
    unknown = [name for name in asked if name not in DEFAULTS]
    if unknown:
        near = difflib.get_close_matches(unknown[0], DEFAULTS, 1)
        raise UsageError(
            f"found the argument {unknown[0]!r}, expected those of a study: {', '.join(DEFAULTS)}"
            + (f"; {near[0]!r} may be meant" if near else "")
        )
    request = dict(asked)
    named, splits = request.get("methods"), request.get("splits")
    if isinstance(named, str):
        request["methods"] = [part.strip() for part in named.split(",")]
    elif named is not None:
        request["methods"] = list(named)
    if "probe_sentences" in request:
        request["probe_sentences"] = list(request["probe_sentences"])
    if request.get("people") is not None:
        request["people"] = _given.people(request["people"])
    if splits is not None and not isinstance(splits, int):
        request["splits"] = _given.splits(splits)
    elif splits is not None and request.get("split", "random") != "random":
        raise UsageError("splits: a number of splits does nothing without split=\"random\"")
    return request


def divided(corpus: Corpus, asked: Mapping[str, Any]) -> tuple[_lib.Division, list[str]]:
    """A corpus as a study divides it, and the arguments to do it again."""
    given = prepared(asked)
    named = [f"{name}={_said(value)}" for name, value in given.items() if value != DEFAULTS[name]]
    request = {**DEFAULTS, **given}
    people, splits = request.pop("people"), request["splits"]
    request["strangers"] = not request.pop("closed_set")
    table = None
    if isinstance(splits, _given.Splits):
        request["splits"], table = None, splits._inner
    division = _lib.Division(corpus._inner, request, None if people is None else people._inner, table)
    return division, ["study", corpus.name, *named]


def _said(value: object) -> str:
    if isinstance(value, _given.Splits):
        return "a frame" if value.origin is None else repr(value.origin)
    return repr(value)


#: What is asked of a study, where nobody says otherwise.
DEFAULTS: dict[str, Any] = {
    "methods": None,
    "people": None,
    "split": "random",
    "splits": None,
    "train_fraction": 0.5,
    "train_sessions": 1,
    "readers": None,
    "probe_sentences": [1, 3, 5, 10],
    "seed": 1,
    "min_duration": MIN_DURATION,
    "max_duration": MAX_DURATION,
    "engine": "laplace",
    "scoring": "posterior-mean",
    "attacks": False,
    "watch": False,
    "closed_set": False,
    "noise": False,
}


def study(
    corpus: Corpus,
    methods: str | Iterable[str] | None = None,
    split: str = "random",
    *,
    splits: int | Any | None = None,
    train_fraction: float = 0.5,
    train_sessions: int = 1,
    readers: int | None = None,
    probe_sentences: Sequence[int] = (1, 3, 5, 10),
    seed: int = 1,
    engine: str = "laplace",
    scoring: str = "posterior-mean",
    people: AnyPeople | None = None,
    min_duration: float = MIN_DURATION,
    max_duration: float = MAX_DURATION,
    attacks: bool = False,
    watch: bool = False,
    closed_set: bool = False,
    noise: bool = False,
    progress: Progress = False,
) -> Study:
    """Compares methods of reader identification on a corpus: ``gazeprint study``, with the same numbers.

    ``split`` is ``random`` (repeated ``splits`` times, 3 where nobody says), ``temporal`` or ``session``; or
    ``splits`` is a table with ``split, reader, text, session?, trial?, role``, as a file or a frame.

    >>> import gazeprint as gp
    >>> corpus = gp.Corpus.simulate(readers=8, texts=30)
    >>> found = gp.study(corpus, methods="landwehr", splits=1, closed_set=True)
    >>> found.table.columns[:3]
    ['method', 'texts', 'accuracy']
    >>> found.results["methods"][0]["method"]
    'landwehr'
    """
    division, arguments = divided(
        corpus,
        {
            "methods": methods,
            "people": people,
            "split": split,
            "splits": splits,
            "train_fraction": train_fraction,
            "train_sessions": train_sessions,
            "readers": readers,
            "probe_sentences": probe_sentences,
            "seed": seed,
            "min_duration": min_duration,
            "max_duration": max_duration,
            "engine": engine,
            "scoring": scoring,
            "attacks": attacks,
            "watch": watch,
            "closed_set": closed_set,
            "noise": noise,
        },
    )
    with followed(progress) as called:
        return Study(division.run(arguments, [], called))
