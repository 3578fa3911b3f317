"""Baselines of reader identification, on the folds that are there.

    python src/run/single_run/identify_readers.py --data data/PoTeC

Reads ``processed/fixations.feather`` and ``folds_metadata/trial_ids`` of a dataset, and writes for each fold and model
``fold_index=N/trial_level_test_results.csv`` with a row for each test trial of a known reader on a new text: the label, the
probability of each reader (in the order of ``readers.csv`` beside it), the regime and the trial; and ``metrics.csv`` over folds.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler

READER, TEXT, TRIAL = "participant_id", "unique_paragraph_id", "unique_trial_id"
DURATION, X, Y, AREA = (
    "CURRENT_FIX_DURATION",
    "CURRENT_FIX_X",
    "CURRENT_FIX_Y",
    "CURRENT_FIX_INTEREST_AREA_INDEX",
)
TRAIN, TEST = "train_train", "test_seen_subject_unseen_item"

MODELS = {
    "DummyClassifier": lambda: DummyClassifier(strategy="uniform", random_state=42),
    "LogisticRegression": lambda: make_pipeline(RobustScaler(), LogisticRegression(max_iter=5000)),
    "RandomForest": lambda: RandomForestClassifier(500, random_state=42, n_jobs=-1),
}


def features(fixations: pd.DataFrame) -> pd.DataFrame:
    """What is known of each trial: rates, means and spreads."""

    def of(trial: pd.DataFrame) -> pd.Series:
        steps = trial[X].diff().to_numpy()[1:]
        areas = pd.to_numeric(trial[AREA], errors="coerce")
        moves = areas.diff().to_numpy()[1:]
        forward, back = steps[moves > 0], steps[moves < 0]
        known = max(1, int(np.isfinite(moves).sum()))
        durations = trial[DURATION]
        return pd.Series(
            {
                "duration": durations.mean(),
                "duration_sd": durations.std(),
                "duration_median": durations.median(),
                "forward": np.mean(forward) if len(forward) else 0.0,
                "forward_sd": np.std(forward) if len(forward) else 0.0,
                "back": np.mean(back) if len(back) else 0.0,
                "regressions": (moves < 0).sum() / known,
                "refixations": (moves == 0).sum() / known,
                "skips": (moves > 1).sum() / known,
                "height_sd": trial[Y].std(),
                "fixations_per_word": len(trial) / max(1, areas.nunique()),
            }
        )

    return fixations.groupby(TRIAL, sort=False)[[X, Y, DURATION, AREA]].apply(of).fillna(0.0)


def folds(place: Path) -> Iterator[tuple[int, pd.DataFrame]]:
    """The trials of each fold with their regime, a reading once, of readers who are in training."""
    for file in sorted((place / "folds_metadata" / "trial_ids").glob("fold_*_trial_ids_by_regime.csv")):
        number = int(re.findall(r"\d+", file.name)[0])
        trials = pd.read_csv(file, dtype={READER: str, TEXT: str, TRIAL: str})
        trials = trials[trials["regime"].isin([TRAIN, TEST])]
        # Of the questions about a text, each is a trial: one scanpath, several times.
        repeated = [column for column in ("repeated_reading_trial", "session", "trial") if column in trials]
        trials = trials.drop_duplicates([READER, TEXT, *repeated])
        known = set(trials.loc[trials["regime"] == TRAIN, READER])
        yield number, trials[trials[READER].isin(known)]


def equal_error_rate(scores: np.ndarray, truth: np.ndarray) -> float:
    """Where as many true claims are refused as false ones are believed."""
    claims = np.arange(scores.shape[1])[None, :] == truth[:, None]
    accepted, believed, _ = roc_curve(claims.ravel(), scores.ravel())
    place = int(np.argmin(np.abs(accepted - (1.0 - believed))))
    return float((accepted[place] + 1.0 - believed[place]) / 2.0)


def run(place: Path, out: Path) -> pd.DataFrame:
    """Fits every model on every fold; the metrics."""
    fixations = pd.read_feather(place / "processed" / "fixations.feather")
    fixations[TRIAL] = fixations[TRIAL].astype(str)
    told = features(fixations)
    found = []
    for number, trials in folds(place):
        trials = trials[trials[TRIAL].isin(told.index)]
        train, test = (trials[trials["regime"] == regime] for regime in (TRAIN, TEST))
        readers = np.unique(train[READER])
        truth = np.searchsorted(readers, test[READER])
        for name, made in MODELS.items():
            model = made().fit(told.loc[train[TRIAL]].to_numpy(), train[READER])
            scores = model.predict_proba(told.loc[test[TRIAL]].to_numpy())
            folder = out / f"+data={place.name}_RID,+model={name}" / f"fold_index={number}"
            folder.mkdir(parents=True, exist_ok=True)
            results = test[[READER, TEXT, TRIAL]].assign(
                label=truth,
                prediction_prob=[row.tolist() for row in scores],
                eval_regime="seen_subject_unseen_item",
                eval_type="test",
                fold_index=number,
            )
            results.to_csv(folder / "trial_level_test_results.csv")
            pd.Series(readers, name=READER).to_csv(folder / "readers.csv")
            best = scores.argmax(axis=1)
            found.append(
                {
                    "model": name,
                    "fold_index": number,
                    "readers": len(readers),
                    "trials": len(test),
                    "chance": 1.0 / len(readers),
                    "accuracy": float((best == truth).mean()),
                    "balanced_accuracy": float(balanced_accuracy_score(truth, best)),
                    "eer": equal_error_rate(scores, truth),
                }
            )
    metrics = pd.DataFrame(found)
    metrics.to_csv(out / f"{place.name}_RID_metrics.csv", index=False)
    return metrics


def main() -> None:
    """Asked on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of a dataset, such as data/PoTeC")
    parser.add_argument("--out", type=Path, default=Path("results/raw"))
    asked = parser.parse_args()
    metrics = run(asked.data, asked.out)
    shown = ["accuracy", "balanced_accuracy", "eer", "chance"]
    print(metrics.groupby("model")[shown].agg(["mean", "std"]).round(4).to_string())


if __name__ == "__main__":
    main()
