"""Galleries: enrol, identify, verify, watch."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Union

from gazeprint import _answers, _given, _lib
from gazeprint._answers import (
    Enrolled,
    Entry,
    Identification,
    Notice,
    Removal,
    Standing,
    Verification,
    WatchEnd,
    WatchState,
    WatchStep,
)
from gazeprint._corpus import Corpus, Path
from gazeprint._given import AnyPeople
from gazeprint._progress import Callback, Progress, followed

#: What one person read: a corpus, a folder or file, or a frame of fixations.
Probe = Any


@dataclass(frozen=True)
class Fixation:
    """A fixation as a tracker tells it."""

    text: str
    #: May be left out where the text has one line.
    line: int | None = None
    x_char: float | None = None
    duration_ms: float | None = None
    #: Whether signal was lost before.
    gap: bool = False
    #: Place on the page, where words are unknown, deg.
    x_deg: float | None = None
    y_deg: float | None = None
    #: The saccade that led here, where it was measured: deg, ms, deg/s.
    sac_dx_deg: float | None = None
    sac_dy_deg: float | None = None
    sac_duration_ms: float | None = None
    sac_peak_velocity: float | None = None
    sac_skew: float | None = None
    #: The gaze during the fixation: deg, deg/s.
    fix_sd_x_deg: float | None = None
    fix_sd_y_deg: float | None = None
    fix_drift_x: float | None = None
    fix_drift_y: float | None = None


#: A fixation, or its fields.
AnyFixation = Union[Fixation, Mapping[str, Any]]


class Watch:
    """Somebody who is being watched while they read, fixation by fixation.

    ``watch.fixation(...)`` says what is known now; ``watch.states(fixations)`` goes through an iterator, and
    ``async for state in watch.follow(tracker)`` through an asynchronous one. The watch ends with its ``with`` block.
    """

    def __init__(self, inner: _lib.Watch) -> None:
        self._inner = inner
        #: The last verdict, once it has ended.
        self.verdict: WatchEnd | None = None

    @property
    def reader(self) -> str:
        """Who is watched."""
        return self._inner.reader

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What should be known beforehand."""
        told = json.loads(self._inner.warnings)
        return tuple(Notice("watch", message) for message in told["messages"])

    def fixation(self, fixation: AnyFixation | None = None, /, **fields: Any) -> WatchStep:
        """Looks at the next fixation."""
        given = asdict(fixation) if isinstance(fixation, Fixation) else dict(fixation or {})
        step = self._inner.fixation(json.dumps({**given, **fields}))
        return _answers.watch_step(json.loads(step))

    def announce(self, text: str, words: Iterable[Sequence[int]]) -> None:
        """A text that may be read from now on: line, first character, and one past the last, of each word."""
        self._inner.announce(text, [(line, start, end) for line, start, end in words])

    def lose(self) -> None:
        """Something of the signal was lost: the next fixation begins a new pass."""
        self._inner.lose()

    def states(self, fixations: Iterable[AnyFixation]) -> Iterator[WatchState]:
        """What is known after each of some fixations."""
        for fixation in fixations:
            yield self.fixation(fixation).state

    async def follow(self, fixations: AsyncIterable[AnyFixation]) -> AsyncIterator[WatchState]:
        """What is known after each fixation of an asynchronous iterator, such as a tracker.

        Looking at a fixation takes less time than handing it to another thread would.
        """
        async for fixation in fixations:
            yield self.fixation(fixation).state

    def end(self) -> WatchEnd:
        """Everything was read: looks at it as a whole, logs and remembers it, and gives the last verdict."""
        self.verdict = _answers.watch_end(json.loads(self._inner.end()))
        return self.verdict

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Whatever came in is logged, also where it ends in something wrong.
        if self.verdict is None:
            self.end()

    def __repr__(self) -> str:
        return f"Watch of {self.reader}{' (ended)' if self.verdict else ''}"


class Recognizer:
    """A gallery that is open: enrols, identifies, verifies and watches.

    Any number of threads may use it at once, and other threads of Python run on meanwhile. Every question sees the
    gallery as it is then, whoever changed it.

    >>> import gazeprint as gp, tempfile, os
    >>> place = os.path.join(tempfile.mkdtemp(), "staff.gallery")
    >>> corpus = gp.Corpus.simulate(readers=6, texts=40)
    >>> known = corpus.select(where=lambda r: r.text < "s031")
    >>> later = corpus.select(readers=["r003"], where=lambda r: r.text >= "s031")
    >>> with gp.Recognizer.open_or_create(place, known) as desk:
    ...     done = desk.enroll(known)
    ...     who = desk.identify(later, fpir=0.05)
    >>> len(done.readers), who.best.reader
    (6, 'r003')
    """

    def __init__(self, inner: _lib.Recognizer) -> None:
        self._inner = inner
        #: What was to be said when it was opened.
        self.notes: list[str] = []

    @classmethod
    def open(
        cls, gallery: Path, *, key_file: Path | None = None, passphrase: str | None = None
    ) -> Recognizer:
        """Opens a gallery: a file, or ``postgres://...``."""
        return cls(_lib.Recognizer.open(os.fspath(gallery), _opening(_given.secret(key_file, passphrase))))

    @classmethod
    def open_or_create(
        cls,
        gallery: Path,
        corpus: Corpus,
        *,
        key_file: Path | None = None,
        passphrase: str | None = None,
        people: AnyPeople | None = None,
        min_duration: float | None = None,
        max_duration: float | None = None,
        pseudonyms: bool = False,
        shard: tuple[int, int] | None = None,
        progress: Progress = False,
    ) -> Recognizer:
        """Opens a gallery or, where there is none, makes one for the readers of a corpus; enrols nobody yet.

        What readers have in common is learned from the corpus, unless there are few of them or ``people`` know it.
        """
        with followed(progress) as called:
            return cls._opened_or_created(
                gallery,
                corpus,
                _given.secret(key_file, passphrase),
                _given.people(people),
                durations=(min_duration, max_duration),
                pseudonyms=pseudonyms,
                shard=shard,
                called=called,
            )

    @classmethod
    def _opened_or_created(
        cls,
        gallery: Path,
        corpus: Corpus,
        secret: _given.Secret | None,
        people: _given.People | None,
        *,
        durations: tuple[float | None, float | None] = (None, None),
        pseudonyms: bool = False,
        shard: tuple[int, int] | None = None,
        threads: int | None = None,
        called: Callback | None = None,
    ) -> Recognizer:
        inner, notes = _lib.Recognizer.open_or_create(
            os.fspath(gallery),
            corpus._inner,
            _opening(secret),
            None if people is None else people._inner,
            durations,
            pseudonyms,
            shard,
            threads,
            called,
        )
        desk = cls(inner)
        desk.notes = notes
        return desk

    @classmethod
    def merge(
        cls,
        galleries: Iterable[Path],
        into: Path,
        *,
        key_file: Path | None = None,
        passphrase: str | None = None,
        progress: Progress = False,
    ) -> Recognizer:
        """Makes one gallery of several, the same as if all readers had been enrolled there."""
        places = [os.fspath(gallery) for gallery in galleries]
        with followed(progress) as called:
            secret = _opening(_given.secret(key_file, passphrase))
            inner = _lib.Recognizer.merge(places, os.fspath(into), secret, called)
        if inner is None:
            return cls.open(into, key_file=key_file, passphrase=passphrase)
        return cls(inner)

    @staticmethod
    def exists(gallery: Path) -> bool:
        """Whether there is a gallery, or anything else, at a place."""
        return _lib.Recognizer.exists(os.fspath(gallery))

    @property
    def location(self) -> str:
        """Where the gallery is; passwords are not shown."""
        return self._inner.location

    @property
    def is_encrypted(self) -> bool:
        """Whether it is encrypted."""
        return self._inner.is_encrypted

    @property
    def readers(self) -> list[Entry]:
        """The readers, by name."""
        return [Entry(**entry) for entry in json.loads(self._inner.list())]

    @property
    def log(self) -> list[dict[str, Any]]:
        """The log, from its first entry."""
        entries: list[dict[str, Any]] = json.loads(self._inner.log())
        return entries

    @property
    def standing(self) -> Standing:
        """What the gallery can promise as it is."""
        told = json.loads(self._inner.standing())
        return _answers.standing(told["answer"], told["messages"])

    def enroll(
        self,
        corpus: Corpus,
        *,
        replace: bool = False,
        strict: bool = False,
        shard: tuple[int, int] | None = None,
        progress: Progress = False,
    ) -> Enrolled:
        """Learns readers from their recordings and adds them; who is there already gets the new ones on top.

        ``shard=(i, n)`` enrols the i-th of every n readers, from 1. After an interruption, who was reported is enrolled.
        """
        with followed(progress) as called:
            return self._enrolled(corpus, replace=replace, strict=strict, shard=shard, called=called)

    def _enrolled(
        self,
        corpus: Corpus,
        *,
        replace: bool = False,
        strict: bool = False,
        shard: tuple[int, int] | None = None,
        threads: int | None = None,
        called: Callback | None = None,
    ) -> Enrolled:
        told = self._inner.enroll(corpus._inner, replace, strict, shard, threads, called)
        return _answers.enrolled(json.loads(told))

    def identify(
        self,
        probe: Probe,
        words: Any | None = None,
        *,
        fpir: float | None = None,
        closed: bool = False,
        allow_unsupported: bool = False,
        top: int = 5,
        candidates: int | None = None,
        allow_replay: bool = False,
        forget: bool = False,
        liveness: bool = False,
    ) -> Identification:
        """Says who of the gallery reads, or that it is nobody known.

        A name is given where, of people who are not enrolled, no more than a part of ``fpir`` is given one. The answer
        is logged, and what was recognised is remembered (not with ``forget``): the same recording is a replay when it
        comes again.
        """
        told = self._inner.identify(
            Corpus.probe(probe, words)._inner,
            fpir,
            closed,
            allow_unsupported,
            top,
            candidates,
            (allow_replay, forget),
            liveness,
        )
        return _answers.identification(json.loads(told))

    def verify(
        self,
        probe: Probe,
        reader: str,
        words: Any | None = None,
        *,
        fmr: float | None = None,
        allow_unsupported: bool = False,
        allow_replay: bool = False,
        forget: bool = False,
        liveness: bool = False,
    ) -> Verification:
        """Accepts or rejects the claim that a recording is of a reader; true where it is accepted."""
        told = self._inner.verify(
            Corpus.probe(probe, words)._inner,
            reader,
            fmr,
            allow_unsupported,
            (allow_replay, forget),
            liveness,
        )
        return _answers.verification(json.loads(told))

    def watch(
        self,
        reader: str,
        texts: Corpus | None = None,
        *,
        fmr: float = 0.01,
        fnmr: float = 0.01,
        window: int = 100,
        allow_unsupported: bool = False,
        allow_replay: bool = False,
        forget: bool = False,
        liveness: bool = False,
    ) -> Watch:
        """Watches whether it is a reader who reads the texts of a corpus; more may be announced later."""
        return Watch(
            self._inner.watch(
                reader,
                None if texts is None else texts._inner,
                fmr,
                fnmr,
                window,
                allow_unsupported,
                (allow_replay, forget),
                liveness,
            )
        )

    def remove(self, reader: str) -> Removal:
        """Removes a reader, and overwrites what was kept of them."""
        told = json.loads(self._inner.remove(reader))
        return Removal(told["reader"], told["left"], told["unsettled"])

    def calibrate(self, *, progress: Progress = False) -> Standing:
        """Learns how decisions are made from the readers as they are now."""
        return self._learn(False, progress)

    def relearn(self, *, progress: Progress = False) -> Standing:
        """Learns everything anew: what readers have in common, every reader, and how decisions are made."""
        return self._learn(True, progress)

    def _learn(self, everything: bool, progress: Progress) -> Standing:
        with followed(progress) as called:
            told = json.loads(self._inner.learn(everything, called))
        return _answers.standing(told["answer"], told["messages"])

    def check(self) -> int:
        """Reads everything, and raises what is not right; the number of entries of the log."""
        return self._inner.check()

    def close(self) -> None:
        """Lets go of the gallery; what is under way goes on to its end."""
        self._inner.close()

    def __enter__(self) -> Recognizer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.readers)

    def __repr__(self) -> str:
        return "Recognizer (closed)" if self._inner.is_closed else f"Recognizer of {self.location}"


def _opening(secret: _given.Secret | None) -> _lib.Secret | None:
    return None if secret is None else secret._inner
