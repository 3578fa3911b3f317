"""Truncated gamma densities by maximum likelihood, with SciPy."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from problem import Array, Problem

REPEATS_FOR = 0.3
"""Seconds for which a fit is repeated."""


@dataclass(frozen=True)
class GammaFit:
    """A gamma density and what it cost."""

    shape: float
    rate: float
    log_likelihood: float
    seconds: float
    cpu_seconds: float


def log_interval(shape: float, rate: float, lower: Array, upper: Array) -> Array:
    """Log of the mass between the bounds, from whichever tail loses fewer digits."""
    below = special.gammainc(shape, rate * upper) - special.gammainc(shape, rate * lower)
    above = special.gammaincc(shape, rate * lower) - special.gammaincc(shape, rate * upper)
    with np.errstate(divide="ignore"):
        mass: Array = np.log(np.where(rate * lower > shape, above, below))
    return mass


def log_likelihood(problem: Problem, shape: float, rate: float) -> float:
    """Of the gamma distribution itself, by its incomplete gamma functions: no grid."""
    values = np.maximum(problem.values, problem.lower)
    lower, upper = problem.intervals()
    log_f = shape * np.log(rate) + (shape - 1.0) * np.log(values) - rate * values
    constant = len(values) * special.gammaln(shape)
    mass = log_interval(shape, rate, lower, upper)
    return float(np.sum(log_f) - constant - np.sum(mass) * len(values) / len(mass))


def fit_once(problem: Problem) -> tuple[float, float]:
    """Shape and rate, from those with the moments of the observations."""
    mean = float(np.mean(problem.values))
    variance = max(float(np.var(problem.values)), 0.01 * mean**2)
    start = np.log([mean**2 / variance, mean / variance])

    def loss(logs: Array) -> float:
        value = log_likelihood(problem, *np.exp(logs))
        return -value / len(problem.values) if np.isfinite(value) else np.inf

    found = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-6})
    shape, rate = np.exp(found.x)
    return float(shape), float(rate)


def fit(problem: Problem) -> GammaFit:
    """Fits, and repeats that to time it."""
    with np.errstate(all="ignore"):
        shape, rate = fit_once(problem)
        start, cpu, runs = time.perf_counter(), time.process_time(), 0
        while runs < 3 or time.perf_counter() - start < REPEATS_FOR:
            fit_once(problem)
            runs += 1
        seconds = (time.perf_counter() - start) / runs
        cpu_seconds = (time.process_time() - cpu) / runs
        best = log_likelihood(problem, shape, rate)
    return GammaFit(shape, rate, best, seconds, cpu_seconds)
