"""The task for EyeBench: its baselines run on a dataset of that layout, and its configurations load."""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType
from typing import Any

import gazeprint as gp
import pandas as pd
import pytest
from gazeprint import eyebench

pytest.importorskip("sklearn")
TASK = pathlib.Path(__file__).parent.parent / "eyebench" / "src"


def loaded(file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(pathlib.Path(file).stem, TASK / file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look up where they are.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def dataset(corpus: gp.Corpus, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Simulated readers as EyeBench keeps readers, each reading there with two questions."""
    place = tmp_path_factory.mktemp("data") / "Made"
    table = corpus.saccades().to_pandas()
    table["unique_trial_id"] = table["reader"] + "_" + table["text"]
    names = {
        "reader": "participant_id",
        "text": "unique_paragraph_id",
        "x_char": "CURRENT_FIX_X",
        "duration_ms": "CURRENT_FIX_DURATION",
        "word_index": "CURRENT_FIX_INTEREST_AREA_INDEX",
    }
    fixations = table.rename(columns=names)[[*names.values(), "unique_trial_id"]].assign(CURRENT_FIX_Y=0.0)
    questions = [fixations.assign(unique_trial_id=fixations["unique_trial_id"] + end) for end in ("_q1", "_q2")]
    (place / "processed").mkdir(parents=True)
    pd.concat(questions, ignore_index=True).to_feather(place / "processed" / "fixations.feather")
    splits = gp.study(corpus, "landwehr", splits=2, closed_set=True).splits
    for file in eyebench.from_splits(splits, place):
        trials = pd.read_csv(file, dtype=str).drop(columns=["session", "trial"])
        trials["unique_trial_id"] = trials["participant_id"] + "_" + trials["unique_paragraph_id"]
        both = [trials.assign(unique_trial_id=trials["unique_trial_id"] + end) for end in ("_q1", "_q2")]
        pd.concat(both).to_csv(file, index=False)
    return place


def test_baselines_run_on_the_layout_of_eyebench(dataset: pathlib.Path, tmp_path: pathlib.Path) -> None:
    task = loaded("run/single_run/identify_readers.py")
    metrics = task.run(dataset, tmp_path)
    assert len(metrics) == 2 * len(task.MODELS)
    mean = metrics.groupby("model")["accuracy"].mean()
    assert mean["RandomForest"] > 1.5 * metrics["chance"].mean()
    assert 0.0 < metrics["eer"].min() and metrics["eer"].max() <= 0.6
    file = tmp_path / "+data=Made_RID,+model=RandomForest" / "fold_index=0" / "trial_level_test_results.csv"
    results = pd.read_csv(file)
    assert {"label", "prediction_prob", "eval_regime", "eval_type", "fold_index"} <= set(results.columns)
    # Each reading once, whatever was asked about it.
    assert not results.duplicated(["participant_id", "unique_paragraph_id"]).any()
    # And the trials are those that a study takes of the same folds.
    eyebench.to_splits(dataset, tmp_path / "splits.csv")
    splits = pd.read_csv(tmp_path / "splits.csv")
    assert len(results) == ((splits["split"] == 1) & (splits["role"] == "test")).sum()


def test_configurations_load(monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[Any] = []

    def register_data(made: Any) -> Any:
        known.append(made)
        return made

    @dataclass
    class Data:
        task: str = ""
        target_column: str = ""
        class_names: list[str] = field(default_factory=list)

    stand_ins: dict[str, dict[str, Any]] = {
        "constants": {
            "Fields": Enum("Fields", {"SUBJECT_ID": "participant_id"}, type=str),
            "PredMode": Enum("PredMode", {"RID": "RID"}, type=str),
        },
        "data": {name: type(name, (Data,), {}) for name in ("MECOL2", "SBSAT", "CopCo", "OneStop", "PoTeC")},
        "utils": {"register_data": register_data},
    }
    for name in ("src", "src.configs"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    for name, members in stand_ins.items():
        module = ModuleType(f"src.configs.{name}")
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    loaded("configs/reader_identification.py")
    assert [made.__name__ for made in known] == ["OneStop_RID", "SBSAT_RID", "PoTeC_RID", "CopCo_RID", "MECOL2_RID"]
    assert {(made().task, made().target_column) for made in known} == {("RID", "participant_id")}
