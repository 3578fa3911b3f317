"""Studies and enrolment on many machines, by engines that exist: Dask or Ray.

The engine is what is passed in: a ``distributed.Client``, the module ``ray`` after ``ray.init()``, or ``None`` for this
process alone. The unit of work of a study is a method on a split of a corpus, a pure function of tables and a seed; that of
enrolment is a part of the readers. A unit that is lost is done again elsewhere, and what comes out is what one machine
finds, to the last bit (on one type of CPU).

Workers see no file and no frame of whoever asks: these are read there (:func:`prepared`), and what they hold is sent.
Only galleries are files that all see: shards are written into one folder.

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Union

from gazeprint import _given, _study
from gazeprint._corpus import Corpus, Path
from gazeprint._errors import UsageError
from gazeprint._given import AnyPeople
from gazeprint._progress import Progress, followed
from gazeprint._recognizer import Recognizer
from gazeprint._study import Study

_T = TypeVar("_T")

#: How often a unit is tried.
TRIES = 4


@dataclass(frozen=True)
class Unit:
    """A part of a study that depends on no other."""

    method: str
    #: From 0.
    split: int


def prepared(**asked: Any) -> dict[str, Any]:
    """Arguments of a study with what their files and frames hold: pickle these for workers of your own.

    >>> from gazeprint import distributed
    >>> distributed.prepared(methods="landwehr, population", splits=2)
    {'methods': ['landwehr', 'population'], 'splits': 2}
    """
    if asked.get("noise"):
        raise UsageError("noise: worse recordings are studied on one machine; leave it out here")
    return _study.prepared(asked)


def units(corpus: Corpus, **asked: Any) -> list[Unit]:
    """The units of a study, those that take longest first; arguments are those of :func:`gazeprint.study`."""
    division, _ = _study.divided(corpus, prepared(**asked))
    return [Unit(m, split) for m in division.methods for split in range(division.split_count)]


def run_unit(corpus: Corpus, unit: Unit, *, threads: int | None = None, **asked: Any) -> bytes:
    """Runs one unit: a pure function, for whatever engine, script or array of jobs.

    It takes as many threads as there are cores, or ``threads``: the cores of a task. What is found is the same.
    """
    division, _ = _study.divided(corpus, prepared(**asked))
    return division.unit(unit.method, unit.split, threads)


def join(corpus: Corpus, done: Iterable[tuple[Unit, bytes]], **asked: Any) -> Study:
    """Makes a study of what its units found; whatever is missing is found here."""
    division, arguments = _study.divided(corpus, prepared(**asked))
    known = [(unit.method, unit.split, found) for unit, found in done]
    return Study(division.run(arguments, known, None))


def study(
    corpus: Corpus, engine: Any, *, threads: int | None = None, progress: Progress = False, **asked: Any
) -> Study:
    """:func:`gazeprint.study` on an engine; the study is the same.

    A unit takes ``threads``: one on Dask and Ray where nobody says, which is what their tasks have, and all of the
    machine without an engine. Ray sets as many cores apart; a worker of Dask has them with fewer threads of its own.
    """
    (found,) = _studied(corpus, [prepared(**asked)], engine, threads, progress, "units of a study")
    return found


def studies(
    corpora: Sequence[Corpus],
    conditions: Sequence[Mapping[str, Any]],
    engine: Any,
    *,
    threads: int | None = None,
    progress: Progress = False,
) -> list[list[Study]]:
    """A study of every corpus under every condition (arguments of :func:`gazeprint.study`), all units side by side."""
    given = [prepared(**asked) for asked in conditions]
    return [
        _studied(corpus, given, engine, threads, progress, f"units of {corpus.name}") for corpus in corpora
    ]


def _studied(
    corpus: Corpus,
    conditions: Sequence[dict[str, Any]],
    engine: Any,
    threads: int | None,
    progress: Progress,
    what: str,
) -> list[Study]:
    wanted = [units(corpus, **asked) for asked in conditions]
    parts = [(unit, asked) for asked, some in zip(conditions, wanted, strict=True) for unit in some]
    done = iter(_map(engine, _run, corpus, parts, threads, progress, what))
    return [
        join(corpus, [(unit, next(done)) for unit in some], **asked)
        for asked, some in zip(conditions, wanted, strict=True)
    ]


def enroll(
    corpus: Corpus,
    gallery: Path,
    engine: Any,
    *,
    people: AnyPeople,
    shards: int,
    folder: Path,
    key_file: Path | None = None,
    passphrase: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Recognizer:
    """Enrols readers in shards, each a gallery in a folder that all workers see, and makes one gallery of them.

    ``people`` is a file that knows a population (``gazeprint people CORPUS --out FILE``): what readers are learned around
    must be the same for all shards. A shard that was begun goes on where it was. The key or passphrase is sent to the
    workers as it is: use engines whose connections are encrypted.
    """
    if not 1 <= shards <= len(corpus.readers):
        raise UsageError(f"shards: found {shards}, expected 1 to {len(corpus.readers)}, the number of readers")
    # Workers are in folders of their own.
    place = pathlib.Path(folder).absolute()
    place.mkdir(parents=True, exist_ok=True)
    known, secret = _given.people(people), _given.secret(key_file, passphrase)
    parts = [
        (os.fspath(place / f"shard-{number}.gallery"), known, (number, shards), secret)
        for number in range(1, shards + 1)
    ]
    _map(engine, _enroll, corpus, parts, threads, progress, "shards of readers")
    return Recognizer.merge([part[0] for part in parts], gallery, key_file=key_file, passphrase=passphrase)


def _run(corpus: Corpus, part: tuple[Unit, dict[str, Any]], threads: int | None) -> bytes:
    unit, asked = part
    return run_unit(corpus, unit, threads=threads, **asked)


_Shard = tuple[str, Union[_given.People, None], tuple[int, int], Union[_given.Secret, None]]


def _enroll(corpus: Corpus, part: _Shard, threads: int | None) -> int:
    gallery, people, shard, secret = part
    with Recognizer._opened_or_created(
        gallery, corpus, secret, people, shard=shard, threads=threads
    ) as desk:
        desk._enrolled(corpus, shard=shard, threads=threads)
        return len(desk)


def _map(
    engine: Any,
    work: Callable[[Corpus, Any, Union[int, None]], _T],
    corpus: Corpus,
    parts: Sequence[Any],
    threads: int | None,
    progress: Progress,
    what: str,
) -> list[_T]:
    """Does the work for all parts, and tells how many are done."""
    if threads is not None and threads < 1:
        raise UsageError(f"threads: found {threads}, expected 1 or more")
    with followed(progress) as called:
        found: list[Any] = [None] * len(parts)
        for count, (place, result) in enumerate(_engine(engine)(engine, work, corpus, parts, threads), 1):
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


def _here(
    engine: None, work: Any, corpus: Corpus, parts: Sequence[Any], threads: int | None
) -> Iterator[tuple[int, Any]]:
    del engine
    for place, part in enumerate(parts):
        yield place, work(corpus, part, threads)


def _dask(
    engine: Any, work: Any, corpus: Corpus, parts: Sequence[Any], threads: int | None
) -> Iterator[tuple[int, Any]]:
    import distributed

    # A worker runs as many tasks at once as it has threads: a task has a core.
    threads = threads or 1

    completed: Any = distributed.as_completed
    # Once to each worker, not once a part.
    (everywhere,) = engine.scatter([corpus], broadcast=True, hash=False)
    futures = [
        engine.submit(work, everywhere, part, threads, pure=False, retries=TRIES - 1) for part in parts
    ]
    places = {future.key: place for place, future in enumerate(futures)}
    try:
        for future in completed(futures):
            yield places[future.key], future.result()
    finally:
        engine.cancel(futures)


def _ray(
    engine: Any, work: Any, corpus: Corpus, parts: Sequence[Any], threads: int | None
) -> Iterator[tuple[int, Any]]:
    everywhere, threads = engine.put(corpus), threads or 1
    # What is wrong with what is asked for is not tried again; a worker that died is.
    remote = engine.remote(work).options(max_retries=TRIES - 1, num_cpus=threads)
    waiting = {remote.remote(everywhere, part, threads): place for place, part in enumerate(parts)}
    try:
        while waiting:
            done, _ = engine.wait(list(waiting), num_returns=1)
            for reference in done:
                yield waiting.pop(reference), engine.get(reference)
    finally:
        for reference in waiting:
            engine.cancel(reference)
