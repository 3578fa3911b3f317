"""Splits to and from EyeBench, and baselines on the same splits."""

from __future__ import annotations

import csv
import pathlib
from dataclasses import replace

import gazeprint as gp
import pytest
from gazeprint import eyebench


@pytest.fixture(scope="module")
def splits(corpus: gp.Corpus) -> gp.Table:
    return gp.study(corpus, "landwehr", splits=2, closed_set=True).splits


def test_splits_go_round(corpus: gp.Corpus, splits: gp.Table, tmp_path: pathlib.Path) -> None:
    files = eyebench.from_splits(splits, tmp_path)
    assert [file.name for file in files] == [f"fold_{i}_trial_ids_by_regime.csv" for i in range(2)]
    assert eyebench.to_splits(tmp_path, tmp_path / "splits.csv") == len(splits)
    ours, again = (
        gp.study(corpus, "landwehr", splits=table, closed_set=True) for table in (splits, tmp_path / "splits.csv")
    )
    assert ours.results["methods"][0]["accuracy"] == again.results["methods"][0]["accuracy"]
    eyebench.from_splits(tmp_path / "splits.csv", tmp_path / "again")
    assert eyebench.read_folds(tmp_path / "again") == eyebench.read_folds(tmp_path)


def test_folds_as_they_publish_them_are_read(tmp_path: pathlib.Path) -> None:
    regimes = [
        ("en_1", "p1", "train_train"),
        ("en_1", "p2", "test_seen_subject_unseen_item"),
        ("en_1", "p3", "val_seen_subject_unseen_item"),
        ("en_2", "p1", "test_unseen_subject_seen_item"),
        ("en_2", "p2", "test_unseen_subject_unseen_item"),
    ]
    with (tmp_path / "fold_0_trial_ids_by_regime.csv").open("w", newline="") as opened:
        table = csv.writer(opened)
        table.writerow(["unique_paragraph_id", "participant_id", "unique_trial_id", "lextale", "regime"])
        table.writerows([[text, reader, f"{reader}_{text}", -1.0, regime] for reader, text, regime in regimes])
    eyebench.to_splits(tmp_path, tmp_path / "splits.csv")
    with (tmp_path / "splits.csv").open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [tuple(row.values()) for row in rows] == [
        ("1", "en_1", "p1", "", "", "train"),
        ("1", "en_1", "p2", "", "", "test"),
    ]
    with pytest.raises(gp.InputError, match="regimes are"):
        eyebench.to_splits(tmp_path, tmp_path / "none.csv", tests=["test_of_nothing"])
    with pytest.raises(gp.NotFoundError):
        eyebench.read_folds(tmp_path / "nowhere")


def test_session_and_trial_were_lost_on_the_way(corpus: gp.Corpus, tmp_path: pathlib.Path) -> None:
    # Each text is read in both sessions: without these, the same reading would train and test.
    splits = gp.study(corpus, "landwehr", split="session", closed_set=True).splits
    eyebench.from_splits(splits, tmp_path)
    eyebench.to_splits(tmp_path, tmp_path / "splits.csv")
    with (tmp_path / "splits.csv").open(newline="") as opened:
        again = [{**row, "split": int(row["split"])} for row in csv.DictReader(opened)]
    assert again == list(splits)
    assert {row["session"] for row in again} == {"1", "2"}
    trials = eyebench.read_folds(tmp_path)
    with pytest.raises(gp.InputError, match="both in training and in tests"):
        blind = [replace(trial, session=None, trial=None, text="s001") for trial in trials]
        eyebench.to_splits(blind, tmp_path / "none.csv")


def test_a_reading_with_several_questions_was_refused_as_there_twice(tmp_path: pathlib.Path) -> None:
    trials = [eyebench.Trial(0, "anna", text, regime) for text, regime in [("p1", "train_train"), ("p2", eyebench.KNOWN_READER_NEW_TEXT)]]
    assert eyebench.to_splits(trials * 3, tmp_path / "splits.csv") == 2


def test_baselines_are_on_the_same_splits(corpus: gp.Corpus, splits: gp.Table) -> None:
    pytest.importorskip("sklearn")
    found = eyebench.compare(corpus, splits, ["population"])
    assert set(found) == {"population", "logistic regression", "random forest", "guessing"}
    assert {name: len(values) for name, values in found.items()} == dict.fromkeys(found, 2)
    mean = {name: sum(values) / len(values) for name, values in found.items()}
    assert mean["population"] > mean["random forest"] > mean["guessing"]
