"""Masses of intervals that hold next to nothing, to 50 digits.

Needs Python 3.9 and mpmath 1.3 (pip install mpmath).

    python scripts/references/tiny_masses.py

writes crates/gazeprint/tests/fixtures/tiny_masses.csv. Each row is a density
x^eta1 exp(eta2 x / (U/10)) on [0, U] with an interval [l, r] and a value y in it:

* log_mass: log of the mass in [l, r] by the trapezoid rule on the nodes
  x_j = U ((j + 1/2) / (M + 1/2))^2, relative to that of the whole support;
* mean_log, mean_x: expectations of the two features (log x and x / (U/10)) in [l, r] by that rule;
* log_truncated: log density at y (linear in sqrt(x) between nodes) given [l, r];
* log_mass_exact: log of the ratio of the integrals themselves, without a grid.
"""

from pathlib import Path

from mpmath import exp, log, mp, mpf, quad, sqrt

mp.dps = 50
CELLS = 256
OUT = Path(__file__).parents[2] / "crates/gazeprint/tests/fixtures/tiny_masses.csv"

# U, eta1, eta2, l, r, y
CASES = [
    ("24", "1.5", "-30", "18", "20", "18.5"),  # about e^-200
    ("24", "1.5", "-120", "18.3", "19.3", "18.4"),  # about e^-900
    ("24", "1.5", "-120", "18", "inf", "18.01"),  # the same, one-sided
    ("24", "40", "-10", "0", "0.2", "0.19"),  # e^-130 at the left end
    ("24", "250", "20", "0", "0.7", "0.69"),  # under e^-1000 at the left end
    ("24", "-0.5", "-90", "22", "inf", "23"),  # about e^-800
    ("24", "3", "-26", "19.999", "20.001", "20"),  # a sliver inside one cell, about e^-200
    ("24", "300", "-80", "2", "7", "5"),  # the bulk is elsewhere
    ("900", "40", "-400", "500", "700", "505"),  # a duration
    ("24", "1.5", "-4", "2", "9", "3"),  # nothing special
]


def row(upper, eta1, eta2, left, right, value):
    u, e1, e2, l, y = (mpf(v) for v in (upper, eta1, eta2, left, value))
    nodes = [u * ((j + mpf(1) / 2) / (CELLS + mpf(1) / 2)) ** 2 for j in range(CELLS + 1)]
    r = u if right == "inf" else mpf(right)
    l = max(l, nodes[0])
    features = [(log(x), x / (u / 10)) for x in nodes]
    log_f = [e1 * a + e2 * b for a, b in features]
    f = [exp(v) for v in log_f]

    def weights(a, b):
        total = {}
        for k in range(CELLS):
            lo, hi = max(a, nodes[k]), min(b, nodes[k + 1])
            if lo < hi:
                for x in (lo, hi):
                    t = (x - nodes[k]) / (nodes[k + 1] - nodes[k])
                    total[k] = total.get(k, 0) + (hi - lo) / 2 * (1 - t)
                    total[k + 1] = total.get(k + 1, 0) + (hi - lo) / 2 * t
        return total

    def mass(w):
        return sum(v * f[j] for j, v in w.items())

    inside, support = weights(l, r), weights(nodes[0], u)
    m = mass(inside)
    means = [sum(v * f[j] * features[j][a] for j, v in inside.items()) / m for a in (0, 1)]
    step = sqrt(y / u) * (CELLS + mpf(1) / 2) - mpf(1) / 2
    cell = int(step)
    t = step - cell
    log_at = (1 - t) * log_f[cell] + t * log_f[cell + 1]

    def integral(a, b):
        # Panels small enough for the steepest of the densities.
        panels = [a + (b - a) * k / 64 for k in range(65)]
        return quad(lambda x: x**e1 * exp(e2 * x / (u / 10)), panels)

    exact = log(integral(mpf(left), r)) - log(integral(mpf(0), u))
    return [log(m) - log(mass(support)), *means, log_at - log(m), exact]


def main():
    lines = ["upper,eta1,eta2,l,r,y,log_mass,mean_log,mean_x,log_truncated,log_mass_exact"]
    for case in CASES:
        lines.append(",".join([*case, *(mp.nstr(v, 25) for v in row(*case))]))
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
