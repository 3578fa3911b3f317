"""One density of one reader, as `gazeprint bench` writes it, and what is compared of fits to it.

Only the numbers come from gazeprint. How observations lie on the grid is worked out here anew, so
that a mistake on either side shows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """Grid, features, prior and observations."""

    reader: str
    density: str
    truncation: str
    lower: float
    upper: float
    nodes: Array
    widths: Array
    features: Array
    prior_mean: Array
    prior_sd: Array
    pooled: Array
    values: Array
    lowers: Array
    uppers: Array

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Problem:
        """Checks that the prior is a product, so that peers may sample it as one."""
        size = len(fields["prior_mean"])
        covariance = np.zeros((size, size))
        covariance[np.tril_indices(size)] = fields.pop("prior_covariance")
        if np.count_nonzero(covariance - np.diag(np.diag(covariance))):
            raise ValueError(f"{fields['density']}: the prior's coefficients depend on each other")
        fields["uppers"] = [np.inf if r is None else r for r in fields["uppers"]]
        given: dict[str, Any] = {
            name: np.array(value) if isinstance(value, list) else value
            for name, value in fields.items()
        }
        return cls(**given, prior_sd=np.sqrt(np.diag(covariance)))

    def intervals(self) -> tuple[Array, Array]:
        """What each observation is confined to, as far as it is on the support."""
        if self.truncation == "full":
            lowers, uppers = np.array([0.0]), np.array([np.inf])
        else:
            lowers, uppers = self.lowers, self.uppers
        lowers = np.clip(lowers, max(self.lower, self.nodes[0]), self.nodes[-2])
        uppers = np.maximum(np.minimum(uppers, self.upper), lowers + 0.5 * self.widths[0])
        return lowers, uppers

    def masses(self) -> Array:
        """Weights of the nodes in the mass of each interval, by the trapezoid rule.

        Untruncated observations share one interval, and one row.
        """
        lowers, uppers = (bound[:, None] for bound in self.intervals())
        left, width = self.nodes[None, :-1], self.widths[None, :]
        start = np.clip((lowers - left) / width, 0.0, 1.0)
        end = np.clip((uppers - left) / width, 0.0, 1.0)
        part, middle = width * (end - start), 0.5 * (start + end)
        weights: Array = np.zeros((len(lowers), len(self.nodes)))
        weights[:, :-1] += part * (1.0 - middle)
        weights[:, 1:] += part * middle
        return weights

    def summed_features(self) -> Array:
        """Features at the observations, summed: linear in the square root between nodes."""
        cells = len(self.widths)
        values = np.maximum(self.values, self.lower)
        steps = np.sqrt(values / self.upper) * (cells + 0.5) - 0.5
        steps = np.clip(steps, 0.0, cells)
        cell = np.minimum(steps.astype(int), cells - 1)
        t = (steps - cell)[:, None]
        at = (1.0 - t) * self.features[cell] + t * self.features[cell + 1]
        total: Array = at.sum(axis=0)
        return total

    def region(self) -> Array:
        """Weights of the nodes in the mass of where densities are compared.

        Half of the observations could have been anywhere in it. Further left a truncated density
        is arbitrary.
        """
        first = 0
        if self.truncation != "full":
            first = int(np.searchsorted(self.nodes, np.median(self.lowers), side="right")) - 1
        elif self.lower > 0.0:
            first = int(np.searchsorted(self.nodes, self.lower))
        weights = np.zeros(len(self.nodes))
        first = min(max(first, 0), len(self.widths) - 1)
        weights[first:-1] += 0.5 * self.widths[first:]
        weights[first + 1 :] += 0.5 * self.widths[first:]
        return weights

    def normalised(self, log_f: Array) -> Array:
        """Densities that integrate to one over the support; the last axis is that of nodes."""
        weights = self.support()
        peak = np.max(np.where(weights > 0.0, log_f, -np.inf), axis=-1, keepdims=True)
        f: Array = np.exp(np.minimum(log_f - peak, 600.0))
        f /= (f @ weights)[..., None]
        return f

    def support(self) -> Array:
        """Weights of the nodes in the mass of the support."""
        weights: Array = replace(self, truncation="full").masses()[0]
        return weights


def read(path: Path) -> list[Problem]:
    """All problems of a file."""
    return [Problem.from_json(fields) for fields in json.loads(path.read_text())]


def total_variation(region: Array, f: Array, g: Array) -> float:
    """Half the integral of the difference, each normalised over the region."""
    return float(0.5 * np.abs(f / (f @ region) - g / (g @ region)) @ region)


def deviations(region: Array, densities: Array) -> Array:
    """How each draw moves the mean density, normalised over the region, to first order."""
    mean = np.mean(densities, axis=0)
    total = mean @ region
    moves: Array = (densities - (mean / total) * (densities @ region)[:, None]) / total
    return moves
