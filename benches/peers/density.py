"""The semiparametric density model in NumPyro, sampled by NUTS."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro.diagnostics import effective_sample_size
from numpyro.infer import NUTS, init_to_value
from numpyro.infer.hmc import HMCState

from problem import Array, Problem

numpyro.enable_x64()


@dataclass(frozen=True)
class Settings:
    """Of the sampler."""

    warmup: int
    draws: int
    dense_mass: bool


@dataclass(frozen=True)
class Sampled:
    """Draws of one round, and what they cost."""

    thetas: Array
    warmup_seconds: float
    draw_seconds: float
    warmup_cpu_seconds: float
    draw_cpu_seconds: float
    gradients: int
    divergences: int


def model_of(problem: Problem) -> Callable[[], None]:
    """The density model: theta has a Gaussian prior, observations are truncated."""
    features = jnp.asarray(problem.features)
    observed = jnp.asarray(problem.summed_features())
    masses = jnp.asarray(problem.masses())
    # One shared interval counts for every observation.
    counts = jnp.full(len(masses), len(problem.values) / len(masses))
    outside = jnp.asarray(np.where(problem.support() > 0.0, 0.0, -np.inf))
    mean, sd = jnp.asarray(problem.prior_mean), jnp.asarray(problem.prior_sd)

    def model() -> None:
        theta = numpyro.sample("theta", dist.Normal(mean, sd).to_event(1))
        log_f = features @ theta
        peak = lax.stop_gradient(jnp.max(log_f + outside))
        f = jnp.exp(jnp.minimum(log_f - peak, 600.0))
        numpyro.factor("observations", observed @ theta - counts @ (peak + jnp.log(masses @ f)))

    return model


class Sampler:
    """NUTS on one problem, compiled when it is made.

    All that is done before the first transition counts as compilation. Transitions are those of
    NumPyro's own kernel; they run in two compiled loops, so that nothing of Python is timed.
    """

    def __init__(self, problem: Problem, settings: Settings) -> None:
        start = time.perf_counter()
        self.settings = settings
        kernel = NUTS(
            model_of(problem),
            dense_mass=settings.dense_mass,
            init_strategy=init_to_value(values={"theta": jnp.asarray(problem.pooled)}),
        )
        self.start = kernel.init(jax.random.PRNGKey(0), settings.warmup, None, (), {})

        def warm(state: HMCState) -> HMCState:
            return lax.fori_loop(0, settings.warmup, lambda _, s: kernel.sample(s, (), {}), state)

        def step(state: HMCState, _: None) -> tuple[HMCState, tuple[jax.Array, ...]]:
            state = kernel.sample(state, (), {})
            return state, (state.z["theta"], state.num_steps, state.diverging)

        def draw(state: HMCState) -> tuple[jax.Array, ...]:
            return lax.scan(step, state, None, length=settings.draws)[1]

        self.warm = jax.jit(warm).lower(self.start).compile()
        self.draw = jax.jit(draw).lower(self.start).compile()
        self.compile_seconds = time.perf_counter() - start

    def sample(self, round_number: int) -> Sampled:
        """One chain, from random numbers of its own."""
        state = self.start._replace(rng_key=jax.random.PRNGKey(1 + round_number))
        times = [clock()]
        state = self.warm(state)
        state.z["theta"].block_until_ready()
        times.append(clock())
        thetas, gradients, diverging = self.draw(state)
        thetas.block_until_ready()
        times.append(clock())
        (warmup, warmup_cpu), (draw, draw_cpu) = np.diff(times, axis=0)
        return Sampled(
            thetas=np.asarray(thetas),
            warmup_seconds=float(warmup),
            draw_seconds=float(draw),
            warmup_cpu_seconds=float(warmup_cpu),
            draw_cpu_seconds=float(draw_cpu),
            gradients=int(np.sum(gradients)),
            divergences=int(np.sum(diverging)),
        )


def clock() -> tuple[float, float]:
    """Seconds on the wall, and of processors."""
    return time.perf_counter(), time.process_time()


def least_effective(thetas: Array) -> float:
    """Effective sample size of the coefficient that has least, by NumPyro's estimator.

    The axes are chains, draws, coefficients; the size is that of all chains together.
    """
    return float(np.min(effective_sample_size(thetas)))
