"""Times gazeprint and its peers on the same densities, in turns.

See README.md; `run` calls this.
"""

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

OURS = ("laplace", "nuts")
COMPARED = (*OURS, "numpyro")

RATIOS = ("as run", "equal", "no warm-up", "density")
"""Ways to compare, each a ratio of NumPyro's time to ours; README.md says what they are."""


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

    def seconds(self, cpu: bool = False, share: float = 1.0) -> float:
        """In all, for a share of the draws or a multiple of them."""
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
    total_variation_seeds: float
    """Of the mean over all seeds of `laplace`: what these have in common shows here."""
    error: float
    """Expected total variation of NumPyro's mean density to the exact one."""

    def times(self, ours: Cost, cpu: bool) -> dict[str, float]:
        """What NumPyro takes for as many effective draws as ours, in the ways of RATIOS."""
        theirs = self.numpyro
        share = ours.effective / theirs.effective
        share_density = ours.effective_density / theirs.effective_density
        times = (
            theirs.seconds(cpu) * share,
            theirs.seconds(cpu, share),
            theirs.seconds(cpu, share) - theirs.seconds(cpu, 0.0),
            theirs.seconds(cpu, share_density),
        )
        return dict(zip(RATIOS, times, strict=True))


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
    """`gazeprint bench`, asked one problem at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self.requests, self.answers = process.stdin, process.stdout
        # It says how many problems there are once they are written.
        self.answer()

    def answer(self) -> str:
        """Waits for a line."""
        line = self.answers.readline()
        if not line:
            raise RuntimeError("gazeprint ended; what it says is above")
        return line

    def ask(self, problem: int, round_number: int) -> dict[str, Any]:
        """Times a problem."""
        self.requests.write(f"{problem} {round_number}\n")
        self.requests.flush()
        answer: dict[str, Any] = json.loads(self.answer())
        return answer


@contextmanager
def started(gazeprint: Path, problems: Path, readers: str) -> Iterator[Ours]:
    """Starts gazeprint, which writes the problems first."""
    command = [str(gazeprint), "bench", "--problems", str(problems), "--peer-readers", readers]
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


def cost_of_ours(rounds: list[dict[str, Any]], effective: float, effective_density: float) -> Cost:
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
                total_variation_seeds=total_variation(region, np.mean(means, axis=0), mean),
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


def ratios(rows: list[Compared], engine: str, cpu: bool = False) -> dict[str, float]:
    """Over some densities: the sum of NumPyro's times, over the sum of ours."""
    costs: list[Cost] = [getattr(row, engine) for row in rows]
    ours = sum(cost.seconds(cpu) for cost in costs)
    theirs = [row.times(cost, cpu) for row, cost in zip(rows, costs, strict=True)]
    return {way: sum(times[way] for times in theirs) / ours for way in RATIOS}


def all_ratios(rows: list[Compared]) -> dict[str, dict[str, dict[str, float]]]:
    """Those of both engines, for the report."""
    kinds = (("wall", False), ("processor", True))
    return {"ratios": {f"{e}, {k}": ratios(rows, e, cpu) for e in OURS for k, cpu in kinds}}


def table(lines: list[list[str]]) -> None:
    """Prints a table with a header, names to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in lines) for i in range(len(lines[0]))]
    for row in lines:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join([row[0].ljust(widths[0]), *cells[1:]]).rstrip())


def show_reader(rows: list[Compared], mass: str) -> None:
    """One reader against one setting of NumPyro."""
    print(f"\n{rows[0].reader}, NumPyro with a {mass} mass matrix; milliseconds on the wall\n")
    lines = ["density n laplace nuts NumPyro".split() + ["eff"] * 3 + ["eff/s"] * 3]
    lines[0] += ["as run", "equal", "compile s", "TV", "TV nuts", "error"]
    for row in rows:
        costs = (row.laplace, row.nuts, row.numpyro)
        found = ratios([row], "laplace")
        lines.append(
            [
                row.density,
                str(row.observations),
                *(f"{1e3 * cost.seconds():.2f}" for cost in costs),
                *(f"{cost.effective:.0f}" for cost in costs),
                *(f"{cost.effective / cost.seconds():.0f}" for cost in costs),
                f"{found['as run']:.0f}",
                f"{found['equal']:.0f}",
                f"{row.compile_seconds:.1f}",
                f"{row.total_variation:.4f}",
                f"{row.total_variation_nuts:.4f}",
                f"{row.error:.4f}",
            ]
        )
    table(lines)

    print("\nall densities, seconds\n")
    lines = [["", "laplace", "nuts", "NumPyro", "compilation"]]
    for name, cpu in (("wall", False), ("processor", True)):
        times = [sum(getattr(r, e).seconds(cpu) for r in rows) for e in COMPARED]
        compilation = "" if cpu else f"{sum(r.compile_seconds for r in rows):.0f}"
        lines.append([name, *(f"{t:.3f}" for t in times), compilation])
    table(lines)

    print("\nall densities, NumPyro's time over ours\n")
    lines = [["", "laplace", "processor", "nuts", "processor"]]
    columns = [ratios(rows, engine, cpu) for engine in OURS for cpu in (False, True)]
    for way in RATIOS:
        lines.append([way, *(f"{column[way]:.1f}" for column in columns)])
    table(lines)


def show_gamma(rows: list[GammaCompared]) -> None:
    """Gamma densities."""
    print("\ngamma densities by maximum likelihood; milliseconds on the wall\n")
    lines = [["reader", "density", "n", "ours", "SciPy", "ratio", "nats behind an observation"]]
    for row in rows:
        lines.append(
            [
                row.reader,
                row.density,
                str(row.observations),
                f"{1e3 * row.seconds:.3f}",
                f"{1e3 * row.scipy_seconds:.2f}",
                f"{row.scipy_seconds / row.seconds:.0f}",
                "outside the family" if row.behind is None else f"{row.behind:.1e}",
            ]
        )
    table(lines)
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
            ("laplace, all seeds", row.total_variation_seeds),
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
    parser.add_argument("--gazeprint", type=Path, required=True, help="the command, built")
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
        with started(arguments.gazeprint, path, arguments.readers) as ours:
            problems = read(path)
            for number, problem in enumerate(problems):
                if arguments.densities and problem.density not in arguments.densities:
                    continue
                print(f"{problem.reader} {problem.density}", file=sys.stderr)
                compared, gamma_fit = compare(ours, number, problem, arguments)
                rows += compared
                gammas.append(gamma_fit)
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
            "densities": [{**asdict(row), **all_ratios([row])} for row in rows],
            "totals": [
                {"reader": reader, "mass": mass, **all_ratios(group)}
                for (reader, mass), group in groups.items()
            ],
            "gamma": [asdict(fit) for fit in gammas],
            "disagreements": found,
            "settings": {n: v for n, v in vars(arguments).items() if n not in ("gazeprint", "json")},
            "load": os.getloadavg()[0],
        }
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
