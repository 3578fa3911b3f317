"""Studies and enrolment on many machines, by engines that exist: Dask or Ray.

The engine is what is passed in: a ``distributed.Client``, the module ``ray`` after ``ray.init()``, or ``None`` for this
process alone. The unit of work of a study is a method on a split of a corpus, a pure function of tables and a seed; that of
enrolment is a part of the readers. A unit that is lost is done again elsewhere, and what comes out is what one machine
finds, to the last bit (on one type of CPU).

>>> import gazeprint as gp
>>> from gazeprint import distributed
>>> corpus = gp.Corpus.simulate(readers=6, texts=24)
>>> found = distributed.study(corpus, None, methods="landwehr", splits=2, closed_set=True)
>>> found.results["protocol"]["splits"]
2
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from gazeprint import _lib
from gazeprint._corpus import Corpus, Path
from gazeprint._errors import UsageError
from gazeprint._progress import Progress, followed
from gazeprint._recognizer import Recognizer
from gazeprint._study import Study, divided

_T = TypeVar("_T")

#: How often a unit is tried.
TRIES = 4


@dataclass(frozen=True)
class Unit:
    """A part of a study that depends on no other."""

    method: str
    #: From 0.
    split: int


def units(corpus: Corpus, **asked: Any) -> list[Unit]:
    """The units of a study, those that take longest first; arguments are those of :func:`gazeprint.study`."""
    division, _ = _divided(corpus, asked)
    return [Unit(m, split) for m in division.methods for split in range(division.split_count)]


def run_unit(corpus: Corpus, unit: Unit, **asked: Any) -> bytes:
    """Runs one unit: a pure function, for whatever engine, script or array of jobs."""
    division, _ = _divided(corpus, asked)
    return division.unit(unit.method, unit.split)


def join(corpus: Corpus, done: Iterable[tuple[Unit, bytes]], **asked: Any) -> Study:
    """Makes a study of what its units found; whatever is missing is found here."""
    division, arguments = _divided(corpus, asked)
    known = [(unit.method, unit.split, found) for unit, found in done]
    return Study(division.run(arguments, known, None))


def study(corpus: Corpus, engine: Any, *, progress: Progress = False, **asked: Any) -> Study:
    """:func:`gazeprint.study` on an engine; the study is the same."""
    wanted = units(corpus, **asked)
    # Splits are files of this machine, or frames of this process.
    found = _map(engine, _run, corpus, [(unit, asked) for unit in wanted], progress, "units of a study")
    return join(corpus, zip(wanted, found, strict=True), **asked)


def studies(
    corpora: Sequence[Corpus],
    conditions: Sequence[dict[str, Any]],
    engine: Any,
    *,
    progress: Progress = False,
) -> list[list[Study]]:
    """A study of every corpus under every condition (arguments of :func:`gazeprint.study`), all units side by side."""
    found = []
    for corpus in corpora:
        wanted = [(unit, asked) for asked in conditions for unit in units(corpus, **asked)]
        done = iter(_map(engine, _run, corpus, wanted, progress, f"units of {corpus.name}"))
        found.append(
            [join(corpus, [(unit, next(done)) for unit in units(corpus, **asked)], **asked) for asked in conditions]
        )
    return found


def enroll(
    corpus: Corpus,
    gallery: Path,
    engine: Any,
    *,
    people: Path,
    shards: int,
    folder: Path,
    key_file: Path | None = None,
    passphrase: str | None = None,
    progress: Progress = False,
) -> Recognizer:
    """Enrols readers in shards, each a gallery in a folder that all workers see, and makes one gallery of them.

    ``people`` is a file that knows a population (``gazeprint people CORPUS --out FILE``): what readers are learned around
    must be the same for all shards. A shard that was begun goes on where it was.
    """
    if not 1 <= shards <= len(corpus.readers):
        raise UsageError(f"shards: found {shards}, expected 1 to {len(corpus.readers)}, the number of readers")
    place = pathlib.Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    secret = {"key_file": None if key_file is None else os.fspath(key_file), "passphrase": passphrase}
    parts = [
        (os.fspath(place / f"shard-{number}.gallery"), os.fspath(people), (number, shards), secret)
        for number in range(1, shards + 1)
    ]
    _map(engine, _enroll, corpus, parts, progress, "shards of readers")
    return Recognizer.merge([part[0] for part in parts], gallery, key_file=key_file, passphrase=passphrase)


def _divided(corpus: Corpus, asked: dict[str, Any]) -> tuple[_lib.Division, list[str]]:
    request = dict(asked)
    splits = request.pop("splits", None)
    closed_set = request.pop("closed_set", False)
    if request.get("noise"):
        raise UsageError("noise: worse recordings are studied on one machine; leave it out here")
    if "probe_sentences" in request:
        request["probe_sentences"] = list(request["probe_sentences"])
    return divided(corpus, splits, strangers=not closed_set, **request)


def _run(corpus: Corpus, part: tuple[Unit, dict[str, Any]]) -> bytes:
    unit, asked = part
    return run_unit(corpus, unit, **asked)


def _enroll(corpus: Corpus, part: tuple[str, str, tuple[int, int], dict[str, Any]]) -> int:
    gallery, people, shard, secret = part
    with Recognizer.open_or_create(gallery, corpus, people=people, shard=shard, **secret) as desk:
        desk.enroll(corpus, shard=shard)
        return len(desk)


def _map(
    engine: Any,
    work: Callable[[Corpus, Any], _T],
    corpus: Corpus,
    parts: Sequence[Any],
    progress: Progress,
    what: str,
) -> list[_T]:
    """Does the work for all parts, and tells how many are done."""
    with followed(progress) as called:
        found: list[Any] = [None] * len(parts)
        for count, (place, result) in enumerate(_engine(engine)(engine, work, corpus, parts), 1):
            found[place] = result
            if called is not None:
                called(count / len(parts), f"{count} of {len(parts)} {what}", [])
        return found


_Runs = Callable[..., Iterator[tuple[int, Any]]]


def _engine(engine: Any) -> _Runs:
    if engine is None:
        return _here
    name = type(engine).__module__.split(".")[0]
    if name == "distributed":
        return _dask
    if getattr(engine, "__name__", "") == "ray":
        return _ray
    raise UsageError(
        f"engine: found {type(engine).__name__}, expected a distributed.Client, the module ray, or None"
    )


def _here(engine: None, work: Any, corpus: Corpus, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    del engine
    for place, part in enumerate(parts):
        yield place, work(corpus, part)


def _dask(engine: Any, work: Any, corpus: Corpus, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    import distributed

    completed: Any = distributed.as_completed
    # Once to each worker, not once a part.
    (everywhere,) = engine.scatter([corpus], broadcast=True, hash=False)
    futures = [engine.submit(work, everywhere, part, pure=False, retries=TRIES - 1) for part in parts]
    places = {future.key: place for place, future in enumerate(futures)}
    try:
        for future in completed(futures):
            yield places[future.key], future.result()
    finally:
        engine.cancel(futures)


def _ray(engine: Any, work: Any, corpus: Corpus, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    everywhere = engine.put(corpus)
    # What is wrong with what is asked for is not tried again; a worker that died is.
    remote = engine.remote(work).options(max_retries=TRIES - 1)
    waiting = {remote.remote(everywhere, part): place for place, part in enumerate(parts)}
    try:
        while waiting:
            done, _ = engine.wait(list(waiting), num_returns=1)
            for reference in done:
                yield waiting.pop(reference), engine.get(reference)
    finally:
        for reference in waiting:
            engine.cancel(reference)
