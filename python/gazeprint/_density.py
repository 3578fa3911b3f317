"""Densities of values, and draws of the posterior of readers, for ArviZ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gazeprint import _lib
from gazeprint._corpus import MAX_DURATION, MIN_DURATION, Corpus
from gazeprint._errors import NotFoundError, UsageError
from gazeprint._progress import Progress, followed
from gazeprint._table import Table


def _array(buffer: bytes, *shape: int) -> Any:
    import numpy as np

    return np.frombuffer(buffer, dtype=np.float64).reshape(shape)


@dataclass(frozen=True)
class Density:
    """The posterior of a density, in arrays of numpy."""

    #: Places from the left end of the support to the right one.
    x: Any
    #: The posterior mean of the density there.
    mean: Any
    #: Draws of it there: chain, draw, place.
    draws: Any
    #: Mean and standard deviation of each draw: chain, draw.
    means: Any
    sds: Any
    #: The log-likelihood of each value: chain, draw, value.
    log_likelihood: Any
    #: Whether the engine itself has doubts.
    doubtful: bool
    #: By chain: effective sample size, and the shape of importance weights (``laplace``).
    effective: list[float]
    k_hat: list[float | None]
    divergences: int

    def to_arviz(self) -> Any:
        """The draws as ``InferenceData`` (``DataTree`` from ArviZ 1.0 on): for ``az.rhat``, ``az.loo`` and plots."""
        return _inference_data(
            {"mean": self.means, "sd": self.sds, "density": self.draws},
            {"value": self.log_likelihood},
            dims={"density": ["x"], "value": ["observation"]},
            coords={"x": self.x},
        )

    def __repr__(self) -> str:
        doubt = ", doubtful" if self.doubtful else ""
        return f"Density: mean {self.means.mean():.4g}, sd {self.sds.mean():.4g}{doubt}"


def fit_density(
    values: Iterable[float],
    intervals: Sequence[tuple[float | None, float | None]] | None = None,
    *,
    engine: str = "laplace",
    seed: int = 1,
) -> Density:
    """Fits a density to values: a Gaussian process around the gamma family, as densities of readers are.

    ``intervals`` says between which bounds each value had to lie (``None``: no bound), as words confine saccades. Nothing is
    known of the density below the lowest of them.
    ``engine`` is ``laplace``, ``nuts`` or ``metropolis``.

    >>> import gazeprint as gp
    >>> found = gp.fit_density([150 + i * 37 % 200 for i in range(300)])
    >>> found.draws.shape[:2], bool(abs(found.means.mean() - 249.5) < 10)
    ((4, 250), True)
    """
    numbers = [float(value) for value in values]
    if intervals is None:
        lower, upper = [0.0] * len(numbers), [float("inf")] * len(numbers)
    else:
        bounds = [tuple(interval) for interval in intervals]
        for place, interval in enumerate(bounds):
            if len(interval) != 2:
                raise UsageError(f"intervals: found {interval} at {place}, expected two ends")
        lower = [0.0 if low is None else float(low) for low, _ in bounds]
        upper = [float("inf") if high is None else float(high) for _, high in bounds]
    found = _lib.fit_density(numbers, lower, upper, engine, seed)
    chains, each = found["chains"], found["draws"]
    x = _array(found["x"], -1)
    return Density(
        x=x,
        mean=_array(found["mean"], -1),
        draws=_array(found["densities"], chains, each, len(x)),
        means=_array(found["means"], chains, each),
        sds=_array(found["sds"], chains, each),
        log_likelihood=_array(found["log_likelihood"], chains, each, len(numbers)),
        doubtful=found["doubtful"],
        effective=found["effective"],
        k_hat=found["k_hat"],
        divergences=found["divergences"],
    )


@dataclass(frozen=True)
class Draws:
    """Draws of the posterior of readers."""

    #: A row for each draw (``draws.csv`` of ``gazeprint traits --draws``).
    table: Table
    #: What is missing or doubtful: reader, density, why.
    doubts: Table
    _found: dict[str, Any]

    @property
    def readers(self) -> list[str]:
        """Who was drawn; whoever has no fixation on a word is left out."""
        return list(self._found["readers"])

    def to_arviz(self, reader: str | None = None) -> Any:
        """Draws of one reader as ``InferenceData`` (``DataTree`` from ArviZ 1.0 on), or of all, with a dimension ``reader``.

        Of one reader, ``log_likelihood`` has the observations of each density: ``az.loo(data, var_name="delta2")``.
        """
        import numpy as np

        chains, of_readers = self._found["chains"], self._found["readers"]
        if reader is None:
            names = self.readers
            posterior = {
                parameter: np.stack(
                    [_array(of_readers[name][0][parameter], chains, -1) for name in names], axis=-1
                )
                for parameter in self._found["parameters"]
            }
            dims = {parameter: ["reader"] for parameter in posterior}
            return _inference_data(posterior, {}, dims=dims, coords={"reader": names})
        if reader not in of_readers:
            raise NotFoundError(f"found no draws of reader {reader!r}; there are {', '.join(self.readers)}")
        parameters, likelihoods = of_readers[reader]
        drawn = {name: _array(values, chains, -1) for name, values in parameters.items()}
        # Densities that the reader never showed say nothing.
        posterior = {name: values for name, values in drawn.items() if np.isfinite(values).all()}
        each = next(iter(posterior.values())).shape[1]
        log_likelihood = {
            name: _array(values, chains, each, len(values) // (8 * chains * each))
            for name, values in likelihoods.items()
        }
        dims = {name: [f"{name}_observation"] for name in log_likelihood}
        return _inference_data(posterior, log_likelihood, dims=dims, coords={})

    def __repr__(self) -> str:
        return f"Draws of {len(self.readers)} readers, {len(self.doubts)} doubts"


def draws(
    corpus: Corpus,
    readers: str | Iterable[str] | None = None,
    *,
    engine: str = "laplace",
    seed: int = 1,
    min_duration: float = MIN_DURATION,
    max_duration: float = MAX_DURATION,
    log_likelihood: bool | None = None,
    progress: Progress = False,
) -> Draws:
    """Draws the posterior of readers: saccade types, and mean and spread of each density.

    Log-likelihoods of observations are kept where readers are named: they take some megabytes each.

    >>> import gazeprint as gp
    >>> drawn = gp.draws(gp.Corpus.simulate(readers=4, texts=20), "r001")
    >>> drawn.readers
    ['r001']
    """
    named = corpus.readers if readers is None else [readers] if isinstance(readers, str) else list(readers)
    wanted = readers is not None if log_likelihood is None else log_likelihood
    with followed(progress) as called:
        found = _lib.draws(
            corpus._inner, named, engine, seed, (min_duration, max_duration), wanted, called
        )
    return Draws(Table(found["draws"]), Table(found["doubts"]), found)


def _inference_data(
    posterior: dict[str, Any],
    log_likelihood: dict[str, Any],
    *,
    dims: dict[str, list[str]],
    coords: dict[str, Any],
) -> Any:
    """Groups as the ArviZ that is installed has them."""
    import arviz as az

    groups: dict[str, Any] = {"posterior": posterior}
    if log_likelihood:
        groups["log_likelihood"] = log_likelihood
    made: Any = az.from_dict
    if hasattr(az, "InferenceData"):
        return made(**groups, dims=dims, coords=coords)
    return made(groups, dims=dims, coords=coords)
