"""Maximum-likelihood gamma fits, truncated and not, by SciPy.

Needs Python 3.10, NumPy 2 and SciPy 1.11 or later (pip install numpy scipy).

    python scripts/references/gamma_fits.py

writes two tables to crates/gazeprint/tests/fixtures:

* gamma_data.csv: case, value, lower, upper (may be "inf");
* gamma_fits.csv: case, truncation, support (U: no value can lie above it; "inf" where it is only
  far beyond the data), shape, rate, log-likelihood at the maximum.

Samples are drawn by inverting the distribution function; all cases whose optimum is a gamma
distribution (shape > 0, rate > 0) are kept, and the script fails where one is not. The likelihood
is that of the gamma distribution itself, by its incomplete gamma functions: no grid.
"""

from pathlib import Path

import numpy as np
from scipy import optimize, special, stats

OUT = Path(__file__).parents[2] / "crates/gazeprint/tests/fixtures"


def log_interval(shape, rate, lower, upper):
    """log(F(upper) - F(lower)), from whichever tail loses fewer digits."""
    below = special.gammainc(shape, rate * upper) - special.gammainc(shape, rate * lower)
    above = special.gammaincc(shape, rate * lower) - special.gammaincc(shape, rate * upper)
    return np.log(np.where(rate * lower > shape, above, below))


def log_likelihood(shape, rate, data, support):
    y, l, r = data
    log_f = shape * np.log(rate) + (shape - 1) * np.log(y) - rate * y - special.gammaln(shape)
    upper = np.minimum(r, support)
    full = (l == 0) & np.isinf(upper)
    return np.sum(log_f - np.where(full, 0.0, log_interval(shape, rate, l, upper)))


def fit(data, support, start):
    def loss(p):
        return -log_likelihood(np.exp(p[0]), np.exp(p[1]), data, support) / len(data[0])

    found = optimize.minimize(loss, np.log(start), method="BFGS", options={"gtol": 1e-9})
    # Newton on the gradient, both by central differences, to the limit of double precision.
    p = found.x
    for _ in range(4):
        h = 1e-4
        e = np.eye(2) * h
        gradient = np.array([(loss(p + d) - loss(p - d)) / (2 * h) for d in e])
        gradient4 = np.array([(loss(p + 2 * d) - loss(p - 2 * d)) / (4 * h) for d in e])
        gradient = (4 * gradient - gradient4) / 3
        h2 = 1e-3
        e2 = np.eye(2) * h2
        hessian = np.array(
            [
                [
                    (loss(p + a + b) - loss(p + a - b) - loss(p - a + b) + loss(p - a - b))
                    / (4 * h2 * h2)
                    for b in e2
                ]
                for a in e2
            ]
        )
        p = p - np.linalg.solve(hessian, gradient)
    return np.exp(p)


def draw(rng, shape, rate, lower, upper):
    low, high = (special.gammainc(shape, rate * np.asarray(v)) for v in (lower, upper))
    return special.gammaincinv(shape, low + rng.random(len(lower)) * (high - low)) / rate


def cases():
    rng = np.random.default_rng(2016)
    n = 150
    zero, infinite = np.zeros(n), np.full(n, np.inf)
    for shape, rate in [(2.5, 1.0), (0.8, 0.4), (6.0, 0.025)]:
        y = draw(rng, shape, rate, zero, infinite)
        yield "full", np.inf, (shape, rate), (y, zero, infinite)
    for shape, rate, support in [(2.0, 0.15, 18.0), (5.0, 0.02, 400.0)]:
        y = draw(rng, shape, rate, zero, np.full(n, support))
        yield "full", support, (shape, rate), (y, zero, infinite)
    for shape, rate, longest in [(1.6, 0.7, 9.0), (3.0, 1.2, 12.0)]:
        r = rng.uniform(1.0, longest, n)
        yield "upper", np.inf, (shape, rate), (draw(rng, shape, rate, zero, r), zero, r)
    for shape, rate, furthest in [(5.0, 0.6, 10.0), (2.0, 0.3, 6.0)]:
        l = rng.uniform(0.5, furthest, n)
        y = draw(rng, shape, rate, l, infinite)
        yield "lower", np.inf, (shape, rate), (y, l, infinite)
    l = rng.uniform(0.5, 10.0, n)
    y = draw(rng, 5.0, 0.6, l, np.full(n, 22.0))
    yield "lower", 22.0, (5.0, 0.6), (y, l, infinite)
    for shape, rate in [(4.0, 0.6), (9.0, 1.1)]:
        l = rng.uniform(0.1, 8.0, n)
        r = l + rng.integers(2, 13, n)
        yield "both", np.inf, (shape, rate), (draw(rng, shape, rate, l, r), l, r)


def main():
    data_lines = ["case,value,lower,upper"]
    fit_lines = ["case,truncation,support,shape,rate,log_likelihood"]
    for number, (truncation, support, truth, data) in enumerate(cases()):
        # As many digits as the table keeps, so that both sides see the same numbers.
        data = tuple(np.array([float(f"{v:.10g}") for v in column]) for column in data)
        shape, rate = fit(data, support, truth)
        assert shape > 0.05 and rate > 1e-3 * truth[1], (number, shape, rate)
        if truncation == "full" and np.isinf(support):
            a, _, scale = stats.gamma.fit(data[0], floc=0)
            assert abs(a / shape - 1) < 1e-5 and abs(scale * rate - 1) < 1e-5, (a, shape)
        best = log_likelihood(shape, rate, data, support)
        fit_lines.append(f"{number},{truncation},{support},{shape:.10g},{rate:.10g},{best:.12g}")
        data_lines += [f"{number},{y:.10g},{l:.10g},{r:.10g}" for y, l, r in zip(*data)]
    (OUT / "gamma_data.csv").write_text("\n".join(data_lines) + "\n")
    (OUT / "gamma_fits.csv").write_text("\n".join(fit_lines) + "\n")


if __name__ == "__main__":
    main()
