"""Splits to and from EyeBench, and identification as a task of its kind.

EyeBench divides readers and texts into folds and keeps, for every fold, a table
``folds_metadata/trial_ids/fold_N_trial_ids_by_regime.csv`` with ``participant_id``, ``unique_paragraph_id``, and a
``regime``: ``train_train``, or ``val`` or ``test`` with what is new, the reader (*unseen subject*), the text (*unseen
item*), or both. Of these, one regime can be asked who reads: readers who are known, of texts that are new. The readers
of the others are nobody whom a model could name; they are strangers.
"""

from __future__ import annotations

import csv
import os
import pathlib
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gazeprint._corpus import Corpus, Path, Recording
from gazeprint._errors import InputError, NotFoundError
from gazeprint._table import Table

#: What trains, and what is asked who reads.
TRAIN = "train_train"
KNOWN_READER_NEW_TEXT = "test_seen_subject_unseen_item"
#: The others of a fold.
VALIDATION = "val_seen_subject_unseen_item"

_FOLD = re.compile(r"fold_(\d+)_trial_ids_by_regime\.csv")
_COLUMNS = ("participant_id", "unique_paragraph_id", "regime")


@dataclass(frozen=True)
class Trial:
    """A reading, and what a fold uses it for."""

    fold: int
    reader: str
    text: str
    regime: str
    #: Which reading of the text it is, where the table says so.
    session: str | None = None
    trial: str | None = None


def read_folds(folder: Path, *, session: str = "session", trial: str = "trial") -> list[Trial]:
    """The trials of all folds in ``folds_metadata/trial_ids``, or in a folder that has it.

    ``session`` and ``trial`` are the columns that tell readings of one text apart, where there are such: a corpus whose trials
    are called as EyeBench calls them takes ``trial="unique_trial_id"``.
    """
    place = pathlib.Path(folder)
    for inner in ("", "trial_ids", "folds_metadata/trial_ids"):
        files = sorted(
            (int(match[1]), file)
            for file in (place / inner).glob("*.csv")
            if (match := _FOLD.fullmatch(file.name))
        )
        if files:
            break
    else:
        raise NotFoundError(f"{place}: found no fold_N_trial_ids_by_regime.csv, expected one for each fold")
    trials = []
    for fold, file in files:
        with file.open(newline="", encoding="utf-8") as opened:
            rows = csv.DictReader(opened)
            lacking = [name for name in _COLUMNS if name not in (rows.fieldnames or ())]
            if lacking:
                found = ", ".join(rows.fieldnames or ())
                raise InputError(f"{file}, row 1: found the columns {found}, expected also {', '.join(lacking)}")
            for row in rows:
                reader, text, regime = (row[name] for name in _COLUMNS)
                reading = (row.get(session) or None, row.get(trial) or None)
                trials.append(Trial(fold, reader, text, regime, *reading))
    return trials


def to_splits(
    folds: Path | Iterable[Trial],
    file: Path,
    *,
    tests: Sequence[str] = (KNOWN_READER_NEW_TEXT,),
    trains: Sequence[str] = (TRAIN,),
) -> int:
    """Writes folds as a table that ``study(splits=...)`` takes; the number of its rows.

    Readers who are in no training are left out, and so are regimes that are named neither in ``trains`` nor in ``tests``. A
    reading that is there several times, as where each question about a text is a trial, is one row.
    """
    trials = read_folds(folds) if isinstance(folds, (str, os.PathLike)) else list(folds)
    learned = {(trial.fold, trial.reader) for trial in trials if trial.regime in trains}
    roles: dict[tuple[int, str, str, str, str], str] = {}
    for trial in trials:
        role = "train" if trial.regime in trains else "test" if trial.regime in tests else None
        if role and (trial.fold, trial.reader) in learned:
            reading = (trial.fold + 1, trial.reader, trial.text, trial.session or "", trial.trial or "")
            if roles.setdefault(reading, role) != role:
                raise InputError(
                    f"fold {trial.fold}: found reader {trial.reader!r} on text {trial.text!r} both in training and in "
                    "tests, and nothing that tells these readings apart; name the columns that do (read_folds)"
                )
    rows = [(*reading, role) for reading, role in roles.items()]
    if not any(role == "test" for *_, role in rows):
        there = ", ".join(sorted({trial.regime for trial in trials}))
        raise InputError(
            f"found no trial of {', '.join(tests)} by a reader who is learned; the regimes are {there}"
        )
    with pathlib.Path(file).open("w", newline="", encoding="utf-8") as opened:
        table = csv.writer(opened)
        table.writerow(["split", "reader", "text", "session", "trial", "role"])
        table.writerows(rows)
    return len(rows)


def from_splits(splits: Table | Path, folder: Path) -> list[pathlib.Path]:
    """Writes splits as folds of EyeBench, into ``folds_metadata/trial_ids`` of a folder.

    What tests is of known readers and new texts. The number of a split, less one, is that of its fold.
    """
    if isinstance(splits, Table):
        rows: list[dict[str, Any]] = list(splits)
    else:
        with pathlib.Path(splits).open(newline="", encoding="utf-8") as opened:
            rows = list(csv.DictReader(opened))
    place = pathlib.Path(folder) / "folds_metadata" / "trial_ids"
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for split in sorted({int(row["split"]) for row in rows}):
        file = place / f"fold_{split - 1}_trial_ids_by_regime.csv"
        with file.open("w", newline="", encoding="utf-8") as opened:
            table = csv.writer(opened)
            table.writerow(["unique_paragraph_id", "participant_id", "unique_trial_id", "session", "trial", "regime"])
            for row in rows:
                if int(row["split"]) == split:
                    reader, text = row["reader"], row["text"]
                    reading = [row.get(name) or "" for name in ("session", "trial")]
                    # Repeated readings of a text are trials of their own.
                    trial = "_".join([reader, text, *(part for part in reading if part not in ("", "1"))])
                    regime = TRAIN if row["role"] == "train" else KNOWN_READER_NEW_TEXT
                    table.writerow([text, reader, trial, *reading, regime])
        written.append(file)
    return written


#: What a baseline is told of a recording.
FEATURES = (
    "fixation_duration",
    "fixation_duration_sd",
    "forward_amplitude",
    "forward_amplitude_sd",
    "regression_rate",
    "skip_rate",
    "refixation_rate",
    "landing",
    "launch",
    "fixations_per_word",
)


def features(corpus: Corpus, recordings: Sequence[Recording]) -> list[list[float]]:
    """What a baseline of scikit-learn is told of each recording: rates, means and spreads (:data:`FEATURES`)."""
    table = corpus.saccades()
    names = ("reader", "text", "session", "trial")
    columns = {
        name: table[name]
        for name in (*names, "duration_ms", "dropped", "type", "amplitude", "landing", "launch", "word_index")
    }
    by_reading: dict[tuple[Any, ...], list[int]] = {}
    for row, key in enumerate(zip(*(columns[name] for name in names), strict=True)):
        if columns["dropped"][row] is None:
            by_reading.setdefault(key, []).append(row)

    def of(recording: Recording) -> list[float]:
        rows = by_reading.get((recording.reader, recording.text, recording.session, recording.trial), [])

        def values(name: str, kinds: tuple[str, ...] = ()) -> list[float]:
            wanted = (row for row in rows if not kinds or columns["type"][row] in kinds)
            return [value for row in wanted if (value := columns[name][row]) is not None]

        kinds = [columns["type"][row] for row in rows]
        moves = max(1, sum(kind != "initial" for kind in kinds))
        forward = values("amplitude", ("next_word", "forward_skip"))
        durations = values("duration_ms")
        return [
            _mean(durations),
            _spread(durations),
            _mean(forward),
            _spread(forward),
            kinds.count("regression") / moves,
            kinds.count("forward_skip") / moves,
            kinds.count("refixation") / moves,
            _mean(values("landing")),
            _mean(values("launch")),
            len(rows) / max(1, len(set(values("word_index")))),
        ]

    return [of(recording) for recording in recordings]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _spread(values: list[float]) -> float:
    mean = _mean(values)
    return float((sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)) ** 0.5)


def compare(corpus: Corpus, splits: Table, methods: Sequence[str] = ("population", "semiparametric")) -> dict[str, list[float]]:
    """Accuracy of one text by method, and of each method by split in their order, beside baselines of scikit-learn.

    ``splits`` are those of a study (``study.splits``), which name session and trial of each reading. Baselines are a logistic regression and a random forest on :data:`FEATURES`, and guessing.
    """
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from gazeprint._study import study

    rows = list(splits)
    numbers = sorted({row["split"] for row in rows})
    accuracy: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            file = pathlib.Path(folder, "splits.csv")
            with file.open("w", newline="", encoding="utf-8") as opened:
                table = csv.DictWriter(opened, splits.columns)
                table.writeheader()
                table.writerows(row for row in rows if row["split"] == number)
            found = study(corpus, methods, splits=file, probe_sentences=[1], closed_set=True)
            for method in found.results["methods"]:
                # Of every text of its own there is a probe.
                accuracy.setdefault(method["method"], []).append(method["by_sentences"][0]["accuracy"]["mean"])
    recordings = corpus.recordings
    told = dict(zip([r.place for r in recordings], features(corpus, recordings), strict=True))
    place = {(r.reader, r.text, r.session, r.trial): r.place for r in recordings}
    baselines: dict[str, Any] = {
        "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "random forest": lambda: RandomForestClassifier(300, random_state=1),
        "guessing": lambda: DummyClassifier(strategy="uniform", random_state=1),
    }
    for name, made in baselines.items():
        accuracy[name] = []
        for number in numbers:
            parts: dict[str, tuple[list[Any], list[str]]] = {"train": ([], []), "test": ([], [])}
            for row in rows:
                key = (row["reader"], row["text"], row["session"], row["trial"])
                if row["split"] == number and key in place:
                    parts[row["role"]][0].append(told[place[key]])
                    parts[row["role"]][1].append(row["reader"])
            accuracy[name].append(float(made().fit(*parts["train"]).score(*parts["test"])))
    return accuracy
