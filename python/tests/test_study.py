"""Studies: the numbers of the command, whole or unit by unit."""

from __future__ import annotations

import pathlib
import pickle
from typing import Any

import gazeprint as gp
import polars as pl
import pytest
from gazeprint import distributed

METHODS = ["semiparametric", "landwehr", "holland-unweighted"]


def without_times(results: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on when, how and with how many threads it was found."""
    manifest = {k: v for k, v in results["manifest"].items() if k not in ("threads", "arguments", "commit")}
    methods = [{k: v for k, v in m.items() if not k.endswith("_seconds")} for m in results["methods"]]
    return {**results, "manifest": manifest, "methods": methods}


@pytest.fixture(scope="module")
def few(folder: pathlib.Path) -> gp.Corpus:
    return gp.Corpus.read(folder)


@pytest.fixture(scope="module")
def study(few: gp.Corpus) -> gp.Study:
    return gp.study(few, METHODS, splits=2)


@pytest.mark.parametrize(
    ("asked", "flags"),
    [
        ({"methods": METHODS, "splits": 2}, ["--methods", ",".join(METHODS), "--splits", "2"]),
        (
            {"methods": "fusion,population", "split": "session", "closed_set": True, "seed": 7},
            ["--methods", "fusion,population", "--split", "session", "--closed-set", "--seed", "7"],
        ),
        (
            {"methods": "landwehr", "splits": 1, "readers": 8, "probe_sentences": [2], "attacks": True, "watch": True},
            "--methods landwehr --splits 1 --readers 8 --probe-sentences 2 --attacks --watch".split(),
        ),
    ],
)
def test_numbers_are_those_of_the_command(command, folder, few, asked, flags) -> None:
    theirs = command("study", folder, "--json", *flags)
    assert without_times(gp.study(few, **asked).results) == without_times(theirs)


def test_the_folder_is_that_of_the_command(command, folder, study, tmp_path) -> None:
    command("study", folder, "--methods", ",".join(METHODS), "--splits", "2", "--out", tmp_path / "theirs")
    assert study.save(tmp_path / "ours") == tmp_path / "ours" / "report.html"

    def files(place: pathlib.Path) -> dict[str, bytes]:
        return {str(f.relative_to(place)): f.read_bytes() for f in place.rglob("*") if f.is_file()}

    theirs, ours = files(tmp_path / "theirs"), files(tmp_path / "ours")
    assert ours.keys() == theirs.keys()
    # Times differ, and stand in these.
    timed = {"report.html", "study.json", "tables.md", "tables.tex"}
    assert {name for name in ours if ours[name] != theirs[name]} <= timed
    with pytest.raises(gp.ConflictError):
        study.save(tmp_path / "ours")
    study.save(tmp_path / "ours", overwrite=True)


def test_tables_and_figures_of_a_study(study: gp.Study, tmp_path: pathlib.Path) -> None:
    table = study.table.to_polars()
    whole = table.filter(pl.col("texts").is_null())
    assert whole["method"].to_list() == METHODS
    found = {m["method"]: m["accuracy"]["mean"] for m in study.results["methods"]}
    assert dict(zip(whole["method"], whole["accuracy"], strict=True)) == found
    scores = study.scores.to_polars()
    assert scores.columns[:5] == ["method", "split", "probe", "claimed_reader", "true_reader"]
    assert scores.group_by("method").len()["len"].n_unique() == 1
    assert set(study.splits["role"]) == {"train", "test"}
    assert "accuracy" in study.figures
    figure = study.figures["accuracy"]
    shown = figure._repr_svg_()
    assert "<svg" in shown[:200] and len(shown) < 80_000
    # Files have their fonts; what a notebook shows has the same but those.
    assert "@font-face" in figure.svg and "@font-face" not in shown
    assert shown.count("<path") == figure.svg.count("<path") and shown.endswith(figure.svg[-2_000:])
    assert figure.file("png")[1:4] == b"PNG" and figure.file("pdf").startswith(b"%PDF")
    figure.save(tmp_path / "accuracy.csv")
    assert (tmp_path / "accuracy.csv").read_text() == figure.csv
    with pytest.raises(gp.NotFoundError, match="accuracy"):
        study.figures["robustness"]
    assert "landwehr" in repr(study)


def test_splits_go_round(few: gp.Corpus, study: gp.Study, tmp_path: pathlib.Path) -> None:
    again = gp.study(few, METHODS, splits=study.splits)
    accuracies = [[m["accuracy"]["mean"] for m in s.results["methods"]] for s in (study, again)]
    assert accuracies[0] == accuracies[1]
    assert list(pickle.loads(pickle.dumps(study.splits))) == list(study.splits)
    study.splits.to_polars().write_csv(tmp_path / "splits.csv")
    file = gp.study(few, METHODS, splits=tmp_path / "splits.csv")
    assert without_times(file.results) == without_times(again.results)
    wrong = study.splits.to_polars().with_columns(role=pl.lit("validate"))
    with pytest.raises(gp.InputError, match="splits, row 0, column role"):
        gp.study(few, METHODS, splits=wrong)


def test_units_make_the_same_study(few: gp.Corpus, study: gp.Study) -> None:
    asked = {"methods": METHODS, "splits": 2}
    units = distributed.units(few, **asked)
    assert len(units) == 6
    done = [(unit, distributed.run_unit(few, unit, **asked)) for unit in units]
    whole = distributed.join(few, done, **asked)
    assert without_times(whole.results) == without_times(study.results)
    assert whole.scores.to_polars().equals(study.scores.to_polars())
    broken = [(units[0], done[0][1][:100])]
    with pytest.raises(gp.InputError, match="not whole"):
        distributed.join(few, broken, **asked)


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        ({"methods": "lanwehr"}, gp.UsageError, "landwehr"),
        ({"split": "temporal", "splits": 2}, gp.UsageError, "splits"),
        ({"split": "weekly"}, gp.UsageError, "weekly"),
        ({"train_fraction": 1.5}, gp.UsageError, "1.5"),
        ({"engine": "gibbs"}, gp.UsageError, "laplace"),
        ({"min_duration": -1}, gp.UsageError, "-1"),
        ({"probe_sentences": [0]}, gp.UsageError, "sentence"),
        ({"readers": 1000}, gp.UsageError, "1000"),
        ({"people": "no-such-file"}, gp.StorageError, "no-such-file"),
        ({"splits": "no-such-file.csv"}, gp.StorageError, "no-such-file"),
    ],
)
def test_what_makes_no_sense_is_refused(few, asked, kind, said) -> None:
    with pytest.raises(kind, match=said):
        gp.study(few, **asked)


def test_progress_is_told_and_may_stop(few: gp.Corpus) -> None:
    told: list[tuple[float, str]] = []
    gp.study(few, "semiparametric", splits=1, progress=lambda share, what, _: told.append((share, what)))
    assert told and told[-1][1] == "split 1 of 1, semiparametric"
    assert [share for share, _ in told] == sorted(share for share, _ in told)

    def enough(*_: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        gp.study(few, "semiparametric", splits=50, progress=enough)
