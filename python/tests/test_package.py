"""The package: how it is found, how fast, and how large."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import gazeprint as gp


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


def test_the_wheel_is_small() -> None:
    wheel = os.environ.get("GAZEPRINT_WHEEL")
    if wheel:
        # Builds for tests keep more than releases do.
        assert pathlib.Path(wheel).stat().st_size < 60_000_000


def test_everything_that_is_named_is_there() -> None:
    for name in gp.__all__:
        assert getattr(gp, name).__doc__ or name == "__version__", name
