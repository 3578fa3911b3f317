"""Answers of a recognizer: what ``--json`` of the command says, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Notice:
    """What does not keep an answer from being given, but should be known."""

    #: What it is about, such as ``dropped_fixations``.
    kind: str
    #: The same in words.
    message: str
    #: Its numbers.
    details: dict[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return self.message


def notices(warnings: list[dict[str, Any]], messages: list[str]) -> tuple[Notice, ...]:
    """Warnings with their words."""
    return tuple(
        Notice(warning["warning"], message, {k: v for k, v in warning.items() if k != "warning"})
        for warning, message in zip(warnings, messages, strict=True)
    )


@dataclass(frozen=True)
class Candidate:
    """A reader with what speaks for them."""

    reader: str
    #: Log-likelihood of the probe.
    score: float
    #: Given that it is one of the enrolled.
    posterior: float
    #: What thresholds are for; ``None`` of somebody whom nothing speaks for.
    ratio: float | None
    #: The same calibrated, nats.
    llr: float | None
    #: What moves, landings and times say against an average reader, nats.
    parts: dict[str, float]


@dataclass(frozen=True)
class Replay:
    """A probe that was there before."""

    #: ``enrolled`` or ``earlier probe``.
    of: str
    readings: int
    pieces: int
    share: float


@dataclass(frozen=True)
class Liveness:
    """Whether a person read a probe, or a template was run forward."""

    alive: bool
    details: dict[str, Any]


@dataclass(frozen=True)
class Identification:
    """Who it is, or nobody known."""

    #: A reader, or ``unknown``.
    decision: str
    #: Who it is likely to be, where the rate is not kept.
    likely: str | None
    #: The best, first.
    ranking: tuple[Candidate, ...]
    #: The rate of strangers who are taken for somebody.
    fpir: float
    #: What the best must reach to be somebody known.
    threshold: float | None
    #: Whether enough people stand behind such a rate.
    supported: bool
    fixations: int
    readings: int
    closed: bool
    #: Sentences and seconds still to be read for a name at the rate, about.
    more_sentences: int | None
    more_seconds: float | None
    replay: Replay | None
    liveness: Liveness | None
    warnings: tuple[Notice, ...]

    @property
    def is_known(self) -> bool:
        """Whether it is somebody known."""
        return self.decision != "unknown"

    @property
    def best(self) -> Candidate:
        """The reader whom most speaks for, known or not."""
        return self.ranking[0]


@dataclass(frozen=True)
class Verification:
    """Whether a claim is believed, and why."""

    #: ``accepted``, ``undecided`` or ``rejected``.
    decision: str
    reader: str
    #: Calibrated log-likelihood ratio of the claim, nats.
    llr: float | None
    ratio: float | None
    threshold: float | None
    #: The rate of false claims that are accepted.
    fmr: float
    supported: bool
    comparisons: int
    readers: int
    fixations: int
    more_sentences: int | None
    more_seconds: float | None
    replay: Replay | None
    liveness: Liveness | None
    warnings: tuple[Notice, ...]

    def __bool__(self) -> bool:
        return self.decision == "accepted"


@dataclass(frozen=True)
class Entry:
    """An enrolled reader."""

    #: Name or pseudonym.
    id: str
    recordings: int
    #: Fixations that count.
    fixations: int
    #: Seconds since 1970.
    enrolled: int
    changed: int
    revision: int


@dataclass(frozen=True)
class Skipped:
    """Somebody who was not enrolled: they read too little."""

    reader: str
    fixations: int
    expected: int


@dataclass(frozen=True)
class Standing:
    """What a gallery can promise."""

    readers: int
    #: The lowest rates, ``fmr`` and ``fpir``, that enough people stand behind; ``None`` without thresholds.
    lowest_rates: dict[str, float] | None
    warnings: tuple[Notice, ...]


@dataclass(frozen=True)
class Enrolled:
    """What was enrolled."""

    readers: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]
    #: ``None`` where it was a part of the readers.
    standing: Standing | None
    warnings: tuple[Notice, ...]


@dataclass(frozen=True)
class Removal:
    """A reader who was removed."""

    reader: str
    #: Why what was kept may not be overwritten everywhere.
    left: str | None
    #: Why thresholds could not be learned anew.
    unsettled: str | None


@dataclass(frozen=True)
class WatchState:
    """What is known after a fixation."""

    fixations: int
    #: Spent in fixations.
    seconds: float
    #: Of what the decision rests on, nats.
    llr: float
    #: ``go-on``, ``accept`` or ``reject``.
    decision: str
    #: Whether the fixation counts.
    counted: bool = True
    #: Whether what was read was there before.
    replay: bool = False
    #: Whether no person seems to have read it.
    lifeless: bool = False


@dataclass(frozen=True)
class WatchStep:
    """What a fixation led to."""

    state: WatchState
    #: What was known when the text before it had ended, where it is the first of another text.
    ended: WatchState | None


@dataclass(frozen=True)
class WatchEnd:
    """The last verdict of a watch."""

    state: WatchState
    replay: Replay | None
    liveness: Liveness | None


def replay(found: dict[str, Any] | None) -> Replay | None:
    """What was there before."""
    return None if found is None else Replay(**found)


def liveness(found: dict[str, Any] | None) -> Liveness | None:
    """Whether a person read."""
    return None if found is None else Liveness(alive=found["alive"], details=found)


def identification(told: dict[str, Any]) -> Identification:
    """An answer of ``identify``."""
    answer = told["answer"]
    return Identification(
        **{
            **answer,
            "ranking": tuple(Candidate(**candidate) for candidate in answer["ranking"]),
            "replay": replay(answer["replay"]),
            "liveness": liveness(answer["liveness"]),
            "warnings": notices(answer["warnings"], told["messages"]),
        }
    )


def verification(told: dict[str, Any]) -> Verification:
    """An answer of ``verify``."""
    answer = told["answer"]
    return Verification(
        **{
            **answer,
            "replay": replay(answer["replay"]),
            "liveness": liveness(answer["liveness"]),
            "warnings": notices(answer["warnings"], told["messages"]),
        }
    )


def standing(answer: dict[str, Any], messages: list[str]) -> Standing:
    """What a gallery can promise."""
    return Standing(answer["readers"], answer["lowest_rates"], notices(answer["warnings"], messages))


def enrolled(told: dict[str, Any]) -> Enrolled:
    """What was enrolled."""
    answer, messages = told["answer"], told["messages"]
    found = answer["standing"]
    # The last warnings of an enrolment are those of its standing.
    own = [] if found is None else messages[len(messages) - len(found["warnings"]) :]
    return Enrolled(
        tuple(Entry(**entry) for entry in answer["enrolled"]),
        tuple(Skipped(**skipped) for skipped in answer["skipped"]),
        None if found is None else standing(found, own),
        notices(answer["warnings"], messages),
    )


def watch_step(told: dict[str, Any]) -> WatchStep:
    """What a fixation led to."""
    ended = told["ended"]
    return WatchStep(WatchState(**told["state"]), None if ended is None else WatchState(**ended))


def watch_end(told: dict[str, Any]) -> WatchEnd:
    """The last verdict."""
    return WatchEnd(WatchState(**told["state"]), replay(told["replay"]), liveness(told["liveness"]))
