#!/usr/bin/env python3
"""Reference values for the measures of gazeprint-eval.

Requirements (in a virtual environment; the versions that made the committed values):

    pip install numpy==2.4.6 scikit-learn==1.9.1 pyeer==0.5.6 lir==1.3.1

Run from the root of the repository:

    python scripts/references/measures.py

It writes crates/gazeprint-eval/tests/fixtures/measures.json, which tests/measures.rs compares with.

Who computes what, and how conventions differ from ours:

- PyEER: EER with its bounds, by the rule of FVC2000 (of the two thresholds around the crossing the
  one with the smaller sum of errors, and there the mean of both rates), which the test applies to
  our curve; FNMR at the threshold whose FMR is *nearest* to the wanted one (ours: the smallest
  threshold that does not exceed it); CMC, on scores without ties.
- scikit-learn: area (1 - roc_auc_score), det_curve, and from its points the EER where the polygon
  meets the diagonal and the lowest FNMR with FMR at or under the wanted one (both our conventions);
  logistic regression with exactly our penalty.
- lir: Cllr and minimum Cllr (log10 ratios there, natural ones here); logistic calibration, its
  penalty made negligible.
- SciPy (comes with scikit-learn): intervals of Clopper and Pearson.
"""

import json
import math
import pathlib
from importlib.metadata import version

import numpy as np
from lir.algorithms.logistic_regression import LogitCalibrator
from lir.data.models import LLRData
from lir.metrics import cllr, cllr_min
from pyeer.cmc_stats import get_cmc_curve
from pyeer.eer_info import get_eer_stats
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import det_curve, roc_auc_score

OUT = pathlib.Path("crates/gazeprint-eval/tests/fixtures/measures.json")
RATES = [0.0, 0.0001, 0.001, 0.01, 0.05, 0.1, 0.3]
RIDGE = 1e-9


def score_sets():
    """Scores with four decimals, which every parser of JSON reads exactly."""
    rng = np.random.default_rng(20160)
    gauss = rng.normal
    sets = {
        "gaussian": (gauss(1.5, 1.0, 200), gauss(0.0, 1.0, 2000)),
        "likelihood ratios": (gauss(2.0, 2.0, 250), gauss(-2.0, 2.0, 1500)),
        "far apart": (gauss(4.0, 1.0, 150), gauss(0.0, 1.0, 2500)),
        "ties": (rng.integers(3, 9, 80), rng.integers(0, 6, 400)),
        "coarse": (rng.integers(0, 3, 30), rng.integers(0, 2, 50)),
        "tiny": ([0.3, 2.1], [0.1, 0.9, -1.0]),
        "one each": ([0.5], [0.25]),
        "one score": ([1.0] * 4, [1.0] * 6),
        "separated": (gauss(6.0, 0.5, 50), gauss(0.0, 0.5, 500)),
        "inverted": (gauss(-1.0, 1.0, 60), gauss(0.0, 1.0, 300)),
        "skewed counts": (rng.exponential(2.0, 12), rng.gamma(2.0, 0.3, 4000) - 1.0),
        "more genuine": (gauss(1.0, 2.0, 500), gauss(0.0, 1.0, 20)),
    }
    return {k: (np.round(g, 4) + 0.0, np.round(i, 4) + 0.0) for k, (g, i) in sets.items()}


def crossing(fmr, fnmr):
    """Where the polygon through the points meets the diagonal."""
    fmr = np.concatenate([[1.0], fmr, [0.0]])
    fnmr = np.concatenate([[0.0], fnmr, [1.0]])
    gap = fmr - fnmr
    after = int(np.argmax(gap <= 0))
    if gap[after] == 0:
        return float(fmr[after])
    part = gap[after - 1] / (gap[after - 1] - gap[after])
    return float(fmr[after - 1] + part * (fmr[after] - fmr[after - 1]))


def penalised(genuine, impostor):
    """Our calibration by another optimiser: standardised scores, equal sides, the same penalty."""
    scores = np.concatenate([genuine, impostor])
    labels = np.concatenate([np.ones(len(genuine)), np.zeros(len(impostor))])
    weights = np.where(labels == 1, 0.5 / len(genuine), 0.5 / len(impostor))
    mean = np.sum(weights * scores)
    deviation = math.sqrt(np.sum(weights * (scores - mean) ** 2))
    if deviation == 0.0:
        return None
    fit = LogisticRegression(C=1 / RIDGE, solver="newton-cholesky", tol=1e-13, max_iter=10_000)
    fit.fit(((scores - mean) / deviation).reshape(-1, 1), labels, sample_weight=weights)
    scale = fit.coef_[0, 0] / deviation
    return {"scale": scale, "offset": fit.intercept_[0] - scale * mean}


def by_lir(genuine, impostor):
    scores = np.concatenate([genuine, impostor])
    labels = np.concatenate([np.ones(len(genuine)), np.zeros(len(impostor))])
    fit = LogitCalibrator(C=1e12, tol=1e-12, max_iter=100_000).fit(scores, labels)
    return {"scale": fit._logit.coef_[0, 0], "offset": fit._logit.intercept_[0]}


def reference(genuine, impostor):
    scores = np.concatenate([genuine, impostor])
    labels = np.concatenate([np.ones(len(genuine)), np.zeros(len(impostor))])
    fmr, fnmr, thresholds = det_curve(labels, scores, drop_intermediate=False)
    pyeer = get_eer_stats(list(genuine), list(impostor))
    ratios = LLRData(features=scores / math.log(10), labels=labels)
    kept = np.unique(np.linspace(0, len(fmr) - 1, 60).astype(int))
    kept = kept[np.isfinite(thresholds[kept])]
    overlap = genuine.min() <= impostor.max() and genuine.mean() > impostor.mean()
    return {
        "genuine": genuine.tolist(),
        "impostor": impostor.tolist(),
        "area": 1 - roc_auc_score(labels, scores),
        "eer": crossing(fmr, fnmr),
        "pyeer": {
            "eer": float(pyeer.eer),
            "low": float(min(pyeer.eer_low, pyeer.eer_high)),
            "high": float(max(pyeer.eer_low, pyeer.eer_high)),
            "fmr100": [float(pyeer.fmr100_th), float(pyeer.fmr100)],
            "fmr20": [float(pyeer.fmr20_th), float(pyeer.fmr20)],
        },
        "det": [[float(x) for x in (thresholds[i], fmr[i], fnmr[i])] for i in kept],
        "fnmr_at_fmr": [[r, float(np.min(fnmr[fmr <= r], initial=1.0))] for r in RATES],
        "cllr": cllr(ratios),
        "min_cllr": cllr_min(ratios),
        "calibration": penalised(genuine, impostor),
        "calibration_lir": by_lir(genuine, impostor) if overlap and len(genuine) > 20 else None,
    }


def cmc():
    """Rows of scores of 8 readers for 30 probes, without ties."""
    rng = np.random.default_rng(7)
    scores = np.round(rng.permuted(np.tile(np.arange(8.0), (30, 1)), axis=1), 4)
    truth = rng.integers(0, 8, 30)
    scores[np.arange(30), truth] += 2.5
    queries = {
        q: ([str(truth[q])], sorted(((str(r), s) for r, s in enumerate(row)), key=lambda p: -p[1]))
        for q, row in enumerate(scores)
    }
    return {"scores": scores.tolist(), "truth": truth.tolist(), "cmc": get_cmc_curve(queries, 8)}


def intervals():
    counts = [(0, 1), (1, 1), (0, 30), (1, 30), (3, 55), (30, 55), (12, 9130), (500, 5_000_000)]
    found = [(k, n, binomtest(k, n).proportion_ci(0.95, "exact")) for k, n in counts]
    return [[k, n, float(ci.low), float(ci.high)] for k, n, ci in found]


def main():
    packages = ["numpy", "scikit-learn", "pyeer", "lir", "scipy"]
    values = {
        "made_by": "scripts/references/measures.py",
        "versions": {p: version(p) for p in packages},
        "ridge": RIDGE,
        "sets": {name: reference(*scores) for name, scores in score_sets().items()},
        "cmc": cmc(),
        "intervals": intervals(),
    }
    # One line a value or list: differences between versions stay readable.
    encoder = json.JSONEncoder(allow_nan=False)

    def lines(value, indent):
        if isinstance(value, dict):
            inner = (f"{indent}  {json.dumps(k)}: {lines(v, indent + '  ')}" for k, v in value.items())
            return "{\n" + ",\n".join(inner) + f"\n{indent}}}"
        return encoder.encode(value)

    OUT.write_text(lines(values, "") + "\n")


if __name__ == "__main__":
    main()
