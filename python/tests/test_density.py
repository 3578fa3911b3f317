"""Densities and draws, and what ArviZ makes of them."""

from __future__ import annotations

import importlib.util

import gazeprint as gp
import numpy as np
import polars as pl
import pytest

az = pytest.importorskip("arviz")


@pytest.mark.parametrize("engine", ["laplace", "nuts", "metropolis"])
def test_a_density_is_fitted(engine: str) -> None:
    values = np.random.default_rng(1).gamma(6.0, 40.0, 300)
    found = gp.fit_density(values, engine=engine)
    assert found.means.mean() == pytest.approx(values.mean(), rel=0.05)
    assert np.trapezoid(found.mean, found.x) == pytest.approx(1.0, abs=2e-3)
    assert found.draws.shape == (*found.means.shape, len(found.x))
    data = found.to_arviz()
    rhat = az.rhat(data, var_names=["mean", "sd"])
    assert float(rhat["mean"]) < 1.1
    assert np.isfinite(float(az.loo(data).elpd_loo if hasattr(az.loo(data), "elpd_loo") else az.loo(data).elpd))


def test_intervals_confine_values() -> None:
    rng = np.random.default_rng(2)
    values = rng.gamma(4.0, 2.0, 900)
    # As words do: from some places only what is far enough is seen.
    lower = rng.choice([0.0, 4.0, 8.0], 900)
    seen = values > lower
    confined = gp.fit_density(values[seen], [(low, None) for low in lower[seen]])
    free = gp.fit_density(values[seen])
    assert abs(confined.means.mean() - values.mean()) < 0.5 * abs(free.means.mean() - values.mean())


@pytest.mark.parametrize(
    ("values", "intervals", "said"),
    [
        ([], None, "no values"),
        ([1.0, float("nan")], None, "value 1"),
        ([1.0, -2.0], None, "value 1"),
        ([3.0, 3.0], None, "alone"),
        ([1.0, 5.0], [(0.0, 2.0), (6.0, 9.0)], "value 1"),
        ([1.0, 5.0], [(0.0, 2.0)], "2 values and 1 intervals"),
    ],
)
def test_what_has_no_density_is_refused(values, intervals, said) -> None:
    with pytest.raises(gp.GazeprintError, match=said):
        gp.fit_density(values, intervals)
    with pytest.raises(gp.UsageError, match="gibbs"):
        gp.fit_density([1.0, 2.0], engine="gibbs")


def test_draws_are_those_of_the_command(command, folder, tmp_path) -> None:
    command("traits", folder, "--out", tmp_path, "--draws", "--reader", "r002")
    theirs = pl.read_csv(tmp_path / "draws.csv")
    ours = gp.draws(gp.Corpus.read(folder), "r002").table.to_polars()
    assert ours.columns == theirs.columns
    for name in theirs.columns[3:]:
        assert ours[name].cast(theirs[name].dtype).equals(theirs[name]), name


def test_arviz_takes_draws_of_a_reader(corpus: gp.Corpus) -> None:
    drawn = gp.draws(corpus, ["r001", "r002"])
    one = drawn.to_arviz("r001")
    rhat = az.rhat(one)
    assert float(rhat["mu"]) < 1.1 and float(rhat["delta2_mean"]) < 1.1
    found = az.loo(one, var_name="delta2")
    assert found.n_data_points > 50
    if importlib.util.find_spec("matplotlib"):
        import matplotlib

        matplotlib.use("agg")
        # As notebooks ask: sizes are given in other ways from ArviZ 1.0 on.
        az.plot_trace(one, var_names=["delta2_mean", "delta2_sd"])
    both = drawn.to_arviz()
    assert list(both.posterior["reader"].values) == ["r001", "r002"]
    with pytest.raises(gp.NotFoundError, match="r003"):
        drawn.to_arviz("r003")
    with pytest.raises(gp.NotFoundError, match="nobody"):
        gp.draws(corpus, "nobody")
