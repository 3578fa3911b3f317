"""Times gazeprint and its peers on the same densities, in turns. See README.md; `run` calls this."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpyro.diagnostics import effective_sample_size

import gamma
from density import Sampled, Sampler, Settings, least_effective
from problem import Array, Problem, deviations, read, total_variation

BOUND = 0.02
"""Largest total variation of two posterior-mean densities that count as the same."""
GAMMA_BOUND = 0.01
"""Nats by which our gamma fit may fall behind SciPy's, for each observation."""
MASSES = {"diagonal": False, "dense": True}
"""What NUTS may adapt to: a scale for each coefficient (NumPyro's default), or a covariance."""


@dataclass(frozen=True)
class Cost:
    """Seconds on the wall and of processors for a number of effective draws.

    What has to be paid once comes apart from what every draw costs.
    """

    fixed: float
    fixed_cpu: float
    drawn: float
    drawn_cpu: float
    effective: float
    """Of the coefficients: the least of them, or of the importance weights."""
    effective_density: float
    """Of the density itself."""

    def seconds(self, cpu: bool = False) -> float:
        """In all."""
        return self.fixed_cpu + self.drawn_cpu if cpu else self.fixed + self.drawn

    def seconds_for(self, share: float, cpu: bool = False) -> float:
        """For a share of the draws, or a multiple."""
        if cpu:
            return self.fixed_cpu + share * self.drawn_cpu
        return self.fixed + share * self.drawn


@dataclass(frozen=True)
class Compared:
    """One density, ours against one setting of NumPyro."""

    reader: str
    density: str
    observations: int
    coefficients: int
    mass: str
    laplace: Cost
    nuts: Cost
    numpyro: Cost
    compile_seconds: float
    divergences: int
    gradients: int
    total_variation: float
    total_variation_nuts: float
    error: float
    """Expected total variation of NumPyro's mean density to the exact one."""

    def ratios(self, ours: Cost) -> dict[str, float]:
        """How many times as long NumPyro takes, in several ways."""
        theirs, share = self.numpyro, ours.effective / self.numpyro.effective
        density_share = ours.effective_density / theirs.effective_density
        return {
            "as run": theirs.seconds() * share / ours.seconds(),
            "as run, processor": theirs.seconds(True) * share / ours.seconds(True),
            "equal": theirs.seconds_for(share) / ours.seconds(),
            "equal, processor": theirs.seconds_for(share, True) / ours.seconds(True),
            "no warm-up": theirs.drawn * share / ours.seconds(),
            "no warm-up, processor": theirs.drawn_cpu * share / ours.seconds(True),
            "equal for the density": theirs.seconds_for(density_share) / ours.seconds(),
            "equal for the density, processor": theirs.seconds_for(density_share, True)
            / ours.seconds(True),
        }


@dataclass(frozen=True)
class GammaCompared:
    """One gamma density, ours against SciPy's."""

    reader: str
    density: str
    observations: int
    seconds: float
    cpu_seconds: float
    scipy_seconds: float
    scipy_cpu_seconds: float
    behind: float | None
    """Nats an observation by which our likelihood falls behind; none outside the gamma family."""


class Ours:
    """The example `peer`, asked one problem at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self.requests, self.answers = process.stdin, process.stdout
        self.problems = int(self.answers.readline())

    def ask(self, problem: int, round_number: int) -> dict[str, Any]:
        """Times a problem."""
        self.requests.write(f"{problem} {round_number}\n")
        self.requests.flush()
        answer: dict[str, Any] = json.loads(self.answers.readline())
        return answer


@contextmanager
def started(example: Path, problems: Path, readers: str) -> Iterator[Ours]:
    """Starts the example, which writes the problems first."""
    command = [example, "--problems", problems, "--readers", readers, "--ask"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Ours(process)


def density_of_chains(problem: Problem, chains: Array) -> tuple[Array, Array, Array]:
    """Mean density; at each node, the variance of a draw and the effective number of draws."""
    densities = problem.normalised(chains @ problem.features.T)
    flat = densities.reshape(-1, densities.shape[-1])
    moves = deviations(problem.region(), flat).reshape(densities.shape)
    compared = problem.region() > 0.0
    effective = np.full(len(problem.nodes), np.inf)
    effective[compared] = effective_sample_size(moves[..., compared])
    return np.mean(flat, axis=0), np.var(moves, axis=(0, 1)), effective


def effective_for_density(region: Array, variance: Array, variance_of_mean: Array) -> float:
    """As many independent draws would err as much, in mean square over the region."""
    return float((region @ variance) / (region @ variance_of_mean))


def cost_of_ours(
    rounds: list[dict[str, Any]], effective: float, effective_density: float
) -> Cost:
    """Ours, with all that it does from the observations on."""
    seconds, cpu = (
        float(np.mean([r[name] if r[name] is not None else np.nan for r in rounds]))
        for name in ("seconds", "cpu_seconds")
    )
    return Cost(0.0, 0.0, seconds, cpu, effective, effective_density)


def cost_of_numpyro(rounds: list[Sampled], effective: float, effective_density: float) -> Cost:
    """Theirs, compiled."""

    def mean(name: str) -> float:
        return float(np.mean([getattr(r, name) for r in rounds]))

    return Cost(
        mean("warmup_seconds"),
        mean("warmup_cpu_seconds"),
        mean("draw_seconds"),
        mean("draw_cpu_seconds"),
        effective,
        effective_density,
    )


def compare(
    ours: Ours, number: int, problem: Problem, arguments: argparse.Namespace
) -> tuple[list[Compared], GammaCompared]:
    """One density, in rounds in which each side has its turn."""
    samplers = {
        mass: Sampler(problem, Settings(arguments.warmup, arguments.draws, MASSES[mass]))
        for mass in arguments.mass
    }
    answers: list[dict[str, Any]] = []
    sampled: dict[str, list[Sampled]] = {mass: [] for mass in samplers}
    gammas: list[gamma.GammaFit] = []
    for round_number in range(arguments.rounds):
        answers.append(ours.ask(number, round_number))
        for mass, sampler in samplers.items():
            sampled[mass].append(sampler.sample(round_number))
        gammas.append(gamma.fit(problem))

    region, count = problem.region(), arguments.rounds
    log_means = np.array([mean for a in answers for mean in a["laplace"]["log_means"]])
    means = np.exp(log_means)
    means /= (means @ region)[:, None]
    variance_of_mean = np.var(means, axis=0, ddof=1)
    nuts_chains = np.array([a["nuts"]["thetas"] for a in answers])
    nuts_mean, nuts_variance, nuts_effective = density_of_chains(problem, nuts_chains)
    laplace = cost_of_ours(
        [a["laplace"] for a in answers],
        float(np.mean([a["laplace"]["effective"] for a in answers])),
        effective_for_density(region, nuts_variance, variance_of_mean),
    )
    nuts = cost_of_ours(
        [a["nuts"] for a in answers],
        least_effective(nuts_chains) / count,
        effective_for_density(region, nuts_variance, nuts_variance / nuts_effective) / count,
    )
    compared = []
    for mass, rounds in sampled.items():
        chains = np.array([r.thetas for r in rounds])
        mean, variance, effective = density_of_chains(problem, chains)
        compared.append(
            Compared(
                reader=problem.reader,
                density=problem.density,
                observations=len(problem.values),
                coefficients=len(problem.pooled),
                mass=mass,
                laplace=laplace,
                nuts=nuts,
                numpyro=cost_of_numpyro(
                    rounds,
                    least_effective(chains) / count,
                    effective_for_density(region, variance, variance / effective) / count,
                ),
                compile_seconds=samplers[mass].compile_seconds,
                divergences=sum(r.divergences for r in rounds),
                gradients=sum(r.gradients for r in rounds) // count,
                total_variation=total_variation(region, means[0], mean),
                total_variation_nuts=total_variation(region, nuts_mean, mean),
                error=float(0.4 * np.sqrt(variance / effective) @ region),
            )
        )
    return compared, compare_gamma(problem, answers, gammas)


def compare_gamma(
    problem: Problem, answers: list[dict[str, Any]], fits: list[gamma.GammaFit]
) -> GammaCompared:
    """The gamma density by maximum likelihood."""
    found = answers[0]["gamma"]
    behind = None
    if found["shape"] > 0.0 and found["rate"] > 0.0:
        ours = gamma.log_likelihood(problem, found["shape"], found["rate"])
        behind = (fits[0].log_likelihood - ours) / len(problem.values)
    cost = cost_of_ours([a["gamma"] for a in answers], 1.0, 1.0)
    return GammaCompared(
        reader=problem.reader,
        density=problem.density,
        observations=len(problem.values),
        seconds=cost.drawn,
        cpu_seconds=cost.drawn_cpu,
        scipy_seconds=float(np.mean([f.seconds for f in fits])),
        scipy_cpu_seconds=float(np.mean([f.cpu_seconds for f in fits])),
        behind=behind,
    )


def total_ratios(rows: list[Compared], engine: str) -> dict[str, float]:
    """Over all densities: the sums of seconds, each density with the draws of ours."""
    costs: list[Cost] = [getattr(row, engine) for row in rows]
    totals = {}
    for name in rows[0].ratios(costs[0]):
        times = [cost.seconds("processor" in name) for cost in costs]
        theirs = [row.ratios(cost)[name] * t for row, cost, t in zip(rows, costs, times)]
        totals[name] = sum(theirs) / sum(times)
    return totals


def table(header: str, lines: list[list[str]]) -> None:
    """Prints a table, names to the left, numbers to the right."""
    cells = [header.split("|"), *lines]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        first = row[0].ljust(widths[0])
        print("  ".join([first, *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:]))]))


def show_reader(rows: list[Compared], mass: str) -> None:
    """One reader against one setting of NumPyro."""
    print(f"\n{rows[0].reader}, NumPyro with a {mass} mass matrix; milliseconds on the wall\n")
    lines = []
    for row in rows:
        ours, nuts, theirs = row.laplace, row.nuts, row.numpyro
        ratios = row.ratios(ours)
        lines.append(
            [
                row.density,
                str(row.observations),
                *(f"{1e3 * cost.seconds():.2f}" for cost in (ours, nuts, theirs)),
                *(f"{cost.effective:.0f}" for cost in (ours, nuts, theirs)),
                *(f"{cost.effective / cost.seconds():.0f}" for cost in (ours, nuts, theirs)),
                f"{ratios['as run']:.0f}",
                f"{ratios['equal']:.0f}",
                f"{row.compile_seconds:.1f}",
                f"{row.total_variation:.4f}",
                f"{row.total_variation_nuts:.4f}",
                f"{row.error:.4f}",
            ]
        )
    table(
        "density|n|laplace|nuts|NumPyro|eff|eff|eff|eff/s|eff/s|eff/s|ratio|equal|compile s|TV|TV nuts|error",
        lines,
    )
    print("\nall densities: NumPyro's time over ours, for as many effective draws")
    for engine in ("laplace", "nuts"):
        totals = total_ratios(rows, engine)
        print(f"  {engine:8}", "; ".join(f"{name} {ratio:.1f}" for name, ratio in totals.items()))
    theirs = [row.numpyro for row in rows]
    print(
        f"  seconds: laplace {sum(r.laplace.seconds() for r in rows):.3f}"
        f" (processor {sum(r.laplace.seconds(True) for r in rows):.3f}),"
        f" nuts {sum(r.nuts.seconds() for r in rows):.2f}"
        f" ({sum(r.nuts.seconds(True) for r in rows):.2f}),"
        f" NumPyro {sum(c.seconds() for c in theirs):.2f}"
        f" ({sum(c.seconds(True) for c in theirs):.2f}),"
        f" compilation {sum(r.compile_seconds for r in rows):.0f}"
    )


def show_gamma(rows: list[GammaCompared]) -> None:
    """Gamma densities."""
    print("\ngamma densities by maximum likelihood; milliseconds on the wall\n")
    table(
        "reader|density|n|ours|SciPy|ratio|nats behind an observation",
        [
            [
                row.reader,
                row.density,
                str(row.observations),
                f"{1e3 * row.seconds:.3f}",
                f"{1e3 * row.scipy_seconds:.2f}",
                f"{row.scipy_seconds / row.seconds:.0f}",
                "outside the family" if row.behind is None else f"{row.behind:.1e}",
            ]
            for row in rows
        ],
    )
    wall = sum(r.scipy_seconds for r in rows) / sum(r.seconds for r in rows)
    cpu = sum(r.scipy_cpu_seconds for r in rows) / sum(r.cpu_seconds for r in rows)
    print(f"\nall densities: SciPy's time over ours {wall:.0f} (processor {cpu:.0f})")


def disagreements(rows: list[Compared], gammas: list[GammaCompared]) -> list[str]:
    """Where both sides did not infer the same."""
    found = []
    for row in rows:
        # NumPyro's own error is no disagreement of ours.
        bound = BOUND + 2.0 * row.error
        for engine, distance in (
            ("laplace", row.total_variation),
            ("nuts", row.total_variation_nuts),
        ):
            if not distance <= bound:
                name = f"{row.reader} {row.density} {engine} ({row.mass})"
                found.append(f"{name}: total variation {distance:.4f}, expected {bound:.4f}")
    for fit in gammas:
        if fit.behind is not None and not fit.behind <= GAMMA_BOUND:
            name = f"{fit.reader} {fit.density} gamma"
            found.append(f"{name}: {fit.behind:.2e} nats behind, expected {GAMMA_BOUND}")
    return found


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--example", type=Path, required=True, help="the example `peer`, built")
    parser.add_argument("--readers", default="0", help="places in the corpus, as 0,125,250")
    parser.add_argument("--densities", nargs="+", help="only these, as alpha2 delta2")
    parser.add_argument("--mass", nargs="+", choices=list(MASSES), default=list(MASSES))
    parser.add_argument("--warmup", type=int, default=500, help="transitions before the draws")
    parser.add_argument("--draws", type=int, default=1000, help="draws a round")
    parser.add_argument("--rounds", type=int, default=3, help="turns that each side has")
    parser.add_argument("--json", type=Path, help="where the figures are written, too")
    return parser.parse_args()


def main() -> int:
    """Compares, shows, and fails where the sides disagree."""
    arguments = parsed()
    rows: list[Compared] = []
    gammas: list[GammaCompared] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problems.json"
        with started(arguments.example, path, arguments.readers) as ours:
            problems = read(path)
            for number, problem in enumerate(problems):
                if arguments.densities and problem.density not in arguments.densities:
                    continue
                print(f"{problem.reader} {problem.density}", file=sys.stderr)
                compared, gamma_fit = compare(ours, number, problem, arguments)
                rows += compared
                gammas.append(gamma_fit)
            ours.requests.close()
    groups = {
        (reader, mass): [row for row in rows if (row.reader, row.mass) == (reader, mass)]
        for reader in dict.fromkeys(row.reader for row in rows)
        for mass in arguments.mass
    }
    for (_, mass), group in groups.items():
        show_reader(group, mass)
    show_gamma(gammas)
    print(f"\nload of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    found = disagreements(rows, gammas)
    print("\n".join(["\nthe sides disagree:", *found] if found else ["both sides infer the same"]))
    if arguments.json:
        report = {
            "densities": [
                {**asdict(r), "ratios": {e: r.ratios(getattr(r, e)) for e in ("laplace", "nuts")}}
                for r in rows
            ],
            "totals": [
                {
                    "reader": reader,
                    "mass": mass,
                    **{engine: total_ratios(group, engine) for engine in ("laplace", "nuts")},
                }
                for (reader, mass), group in groups.items()
            ],
            "gamma": [asdict(fit) for fit in gammas],
            "disagreements": found,
            "settings": {
                name: getattr(arguments, name)
                for name in ("readers", "densities", "mass", "warmup", "draws", "rounds")
            },
        }
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
