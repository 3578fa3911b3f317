"""What the package costs: one script, whose parts can be run by themselves.

    python measure.py import memory            # cheap
    python measure.py wheel                    # builds a release wheel
    python measure.py overhead                 # against the same calls of the library, in turns
    python measure.py tasks scaling            # Dask, with one worker and with two

Measures the package that is installed, and says how it was built as far as it knows. Ratios are what to look at.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import pickle
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import gazeprint as gp
from gazeprint import _lib, distributed

ROOT = pathlib.Path(__file__).resolve().parents[2]
MB = 1e6


def told(name: str, value: str) -> None:
    print(f"{name:<58} {value}", flush=True)


def python(program: str, *arguments: object) -> str:
    return subprocess.check_output([sys.executable, "-c", program, *map(str, arguments)], text=True).strip()


def clock(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def import_time() -> None:
    program = "import time; start = time.perf_counter(); import gazeprint; print(time.perf_counter() - start)"
    times = sorted(float(python(program)) for _ in range(9))
    told("import gazeprint, best and median of 9", f"{times[0]:.3f} s, {statistics.median(times):.3f} s")
    told("its binary", f"{os.path.getsize(_lib.__file__) / MB:.1f} MB")


#: Fixations of 1,000 readers on 100 texts, made row by row without a random number.
MEMORY = """
import sys, threading, time
import numpy as np, pyarrow as pa
import gazeprint as gp

rows, kind = int(sys.argv[1]), sys.argv[2]
number = np.arange(rows)
reading = number // 100
frame = pa.table({
    "reader": pa.DictionaryArray.from_arrays(pa.array((reading // 100 % 1000).astype("int32")), [f"r{i}" for i in range(1000)]),
    "text": pa.DictionaryArray.from_arrays(pa.array((reading % 100).astype("int32")), [f"s{i}" for i in range(100)]),
    "trial": pa.array((reading // 100_000 + 1).astype("int32")),
    "x_char": pa.array(number * 7919 % 60_000 / 1000.0),
    "duration_ms": pa.array(150.0 + number * 104_729 % 200),
})
words = pa.table({
    "text": [f"s{i}" for i in range(100) for _ in range(10)],
    "word_index": list(range(1, 11)) * 100,
    "char_start": [6 * i for i in range(10)] * 100,
    "char_end": [6 * i + 5 for i in range(10)] * 100,
})
if kind == "polars":
    import polars as pl
    frame = pl.DataFrame(frame)
elif kind == "pandas":
    frame = frame.to_pandas()

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))

size = frame.nbytes if kind == "pyarrow" else frame.estimated_size() if kind == "polars" else int(frame.memory_usage(deep=True).sum())
before, peak, done = resident(), [0], threading.Event()
def watch():
    while not done.wait(0.005):
        peak[0] = max(peak[0], resident())
thread = threading.Thread(target=watch)
thread.start()
start = time.perf_counter()
corpus = gp.Corpus(frame, words)
seconds = time.perf_counter() - start
done.set(); thread.join()
print(size, resident() - before, max(peak[0] - before, 0), seconds, corpus._inner.fixation_count)
"""


def memory(rows: int) -> None:
    for kind in ("pyarrow", "polars", "pandas"):
        size, kept, peak, seconds, count = map(float, python(MEMORY, rows, kind).split())
        told(
            f"{count:,.0f} fixations from {kind}, {size / MB:,.0f} MB",
            f"{seconds:.1f} s; corpus {kept / MB:,.0f} MB, peak {peak / MB:,.0f} MB: {peak / max(kept, 1.0):.2f} of it",
        )


def wheel() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = ["maturin", "build", "--release", "--locked", "--out", folder]
        seconds = clock(lambda: subprocess.run(command, cwd=ROOT / "python", check=True))
        (made,) = pathlib.Path(folder).glob("*.whl")
        told(made.name, f"{made.stat().st_size / MB:.1f} MB, built in {seconds:.0f} s")


def overhead(profile: str, rounds: int) -> None:
    """Of `identify` and of a study, in turns with the same calls of the library."""
    subprocess.run(
        ["cargo", "build", "--locked", "--profile", profile, "-p", "gazeprint-py", "--example", "library"],
        cwd=ROOT,
        check=True,
    )
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    library = target / ("debug" if profile == "dev" else profile) / "examples" / "library"
    whole = gp.Corpus.read("provo")
    first = set(whole.texts[:40])
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        known = whole.select(readers=whole.readers[:20], where=lambda r: r.text in first)
        probe = whole.select(readers=[whole.readers[3]], where=lambda r: r.text not in first)
        known.save(place / "known")
        probe.save(place / "probe")
        with gp.Recognizer.open_or_create(place / "all.gallery", known) as desk:
            desk.enroll(known)
            desk.identify(probe, forget=True, allow_unsupported=True)
            ours, theirs = [], []
            for _ in range(rounds):
                theirs.append(float(subprocess.check_output([library, "identify", place / "all.gallery", place / "probe"])))
                ours.append(min(clock(lambda: desk.identify(probe, forget=True, allow_unsupported=True)) for _ in range(20)))
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        told("identify, the best of 20 in each round: library", f"{1e3 * statistics.median(theirs):.2f} ms")
        told("the same from Python, to the library", f"{1e3 * statistics.median(ours):.2f} ms, {ratio:.3f}")
        asked = {"methods": "landwehr", "splits": 2, "closed_set": True}
        gp.study(known, **asked)
        ours, theirs = [], []
        for _ in range(rounds):
            theirs.append(float(subprocess.check_output([library, "study", place / "known"])))
            ours.append(clock(lambda: gp.study(known, **asked)))
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        told("study (landwehr, two splits): library", f"{statistics.median(theirs):.3f} s")
        told("the same from Python, to the library", f"{statistics.median(ours):.3f} s, {ratio:.3f}")


ASKED = {"methods": ["landwehr", "holland-unweighted"], "splits": 4, "closed_set": True}


def tasks() -> None:
    """What is not work in a task, against what is."""
    import distributed as dask

    corpus = gp.Corpus.read("provo")
    packed = pickle.dumps(corpus)
    told("corpus as it is sent", f"{len(packed) / MB:.1f} MB")
    told("to pack it, to unpack it", f"{clock(lambda: pickle.dumps(corpus)):.2f} s, {clock(lambda: pickle.loads(packed)):.2f} s")
    units = distributed.units(corpus, **ASKED)
    told("to divide it for a unit", f"{clock(lambda: distributed.units(corpus, **ASKED)):.3f} s")
    work = clock(lambda: distributed.run_unit(corpus, units[0], threads=1, **ASKED))
    told(f"a unit of {units[0].method}, one thread, divided", f"{work:.2f} s")
    with dask.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        with dask.Client(cluster) as client:
            client.submit(int, pure=False).result()
            empty = statistics.median(clock(lambda: client.submit(int, pure=False).result()) for _ in range(50))
    told("an empty task of Dask, to the unit", f"{1e3 * empty:.1f} ms, {empty / work:.4f}")


def scaling() -> None:
    """A study with one worker and with two, each of one thread."""
    import distributed as dask

    corpus = gp.Corpus.read("provo")
    seconds = {}
    for workers in (1, 2, 1, 2):
        with dask.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
            with dask.Client(cluster) as client:
                client.wait_for_workers(workers)
                # The package is loaded, and the corpus is there.
                distributed.study(corpus, client, **{**ASKED, "methods": "holland-unweighted", "splits": 2})
                taken = clock(lambda c=client: distributed.study(corpus, c, **ASKED))
                seconds[workers] = min(taken, seconds.get(workers, taken))
    told("study with one worker, with two", f"{seconds[1]:.1f} s, {seconds[2]:.1f} s: {seconds[1] / seconds[2]:.2f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ["import", "memory", "wheel", "overhead", "tasks", "scaling"]
    parser.add_argument("parts", nargs="+", choices=parts)
    parser.add_argument("--rows", type=int, default=10_000_000, help="fixations of `memory`")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of `overhead`")
    parser.add_argument("--profile", default="release", help="how the library of `overhead` is built, as the package was")
    asked = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    told(f"gazeprint {gp.__version__}, Python {platform.python_version()}", f"{os.cpu_count()} cores, load {load:.1f}")
    run: dict[str, Callable[[], None]] = {
        "import": import_time,
        "memory": lambda: memory(asked.rows),
        "wheel": wheel,
        "overhead": lambda: overhead(asked.profile, asked.rounds),
        "tasks": tasks,
        "scaling": scaling,
    }
    for part in asked.parts:
        run[part]()


if __name__ == "__main__":
    main()
