"""The package: how it is found, how fast, and how large."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import gazeprint as gp
import pytest


def test_it_is_imported_in_no_time() -> None:
    # What is left is what the interpreter takes by itself.
    code = "import time; start = time.perf_counter(); import gazeprint; print(time.perf_counter() - start)"
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(3)]
    assert min(times) < 0.3, times


def test_it_imports_nothing_large() -> None:
    code = (
        "import gazeprint, sys; "
        "print([m for m in ('numpy', 'pandas', 'polars', 'pyarrow', 'sklearn', 'arviz') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_stubs_are_of_the_binary() -> None:
    pytest.importorskip("mypy")
    program = [sys.executable, "-m", "mypy.stubtest", "--concise", "gazeprint._lib"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_is_small() -> None:
    wheel = os.environ.get("GAZEPRINT_WHEEL")
    if wheel:
        # Builds for tests keep more than releases do.
        assert pathlib.Path(wheel).stat().st_size < 60_000_000


def test_everything_that_is_named_is_there() -> None:
    for name in gp.__all__:
        assert getattr(gp, name).__doc__ or name == "__version__", name


def test_what_measures_runs() -> None:
    script = pathlib.Path(__file__).parent.parent / "benches" / "measure.py"
    out = subprocess.check_output([sys.executable, str(script), "import", "memory", "--rows", "20000"], text=True)
    assert "import gazeprint" in out and out.count("20,000 fixations") == 3
