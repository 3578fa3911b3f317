"""What the tests share: the command to compare with, small corpora, and galleries of them."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable, Iterable
from typing import Any

import gazeprint as gp
import polars as pl
import pytest


@pytest.fixture(scope="session")
def command() -> Callable[..., Any]:
    """Runs the command that was built from the same sources; the JSON that it prints."""
    program = os.environ.get("GAZEPRINT_COMMAND")
    if not program:
        if os.environ.get("CI") == "true":
            pytest.fail("GAZEPRINT_COMMAND names no command to compare with")
        pytest.skip("GAZEPRINT_COMMAND names no command to compare with")

    def run(*arguments: object, codes: tuple[int, ...] = (0,), lines: Iterable[str] = ()) -> Any:
        given = "".join(line + "\n" for line in lines)
        done = subprocess.run(
            [program, *map(str, arguments)], input=given, capture_output=True, text=True, check=False
        )
        assert done.returncode in codes, done.stderr
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    return run


@pytest.fixture(scope="session")
def corpus() -> gp.Corpus:
    """Simulated readers."""
    return gp.Corpus.simulate(readers=12, texts=40, sessions=2)


@pytest.fixture(scope="session")
def provo() -> gp.Corpus:
    """Some real readers of some passages."""
    whole = gp.Corpus.read("provo")
    return whole.select(readers=whole.readers[:10], texts=whole.texts[:20])


@pytest.fixture(scope="session")
def folder(corpus: gp.Corpus, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The simulated readers as a folder."""
    place = tmp_path_factory.mktemp("corpora") / "simulated-few"
    corpus.save(place)
    return place


@pytest.fixture(scope="session")
def halves() -> tuple[gp.Corpus, gp.Corpus]:
    """What twelve real readers are enrolled with, and what they read later; they are called r001 and on."""
    whole = gp.Corpus.read("provo")
    names = {name: f"r{number:03}" for number, name in enumerate(whole.readers[:12], 1)}
    some = whole.select(readers=names)
    fixations, trials = (
        table.to_polars().with_columns(pl.col("reader").replace(names)) for table in (some.fixations(), some.trials())
    )
    renamed = gp.Corpus(fixations, some.words(), trials)
    first = set(renamed.texts[:35])
    return (
        renamed.select(where=lambda r: r.text in first),
        renamed.select(where=lambda r: r.text not in first),
    )


@pytest.fixture(scope="session")
def enrolled(halves: tuple[gp.Corpus, gp.Corpus], tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A gallery of all readers, which no test changes."""
    place = tmp_path_factory.mktemp("galleries") / "all.gallery"
    with gp.Recognizer.open_or_create(place, halves[0]) as desk:
        desk.enroll(halves[0])
    return place


@pytest.fixture
def gallery(enrolled: pathlib.Path, tmp_path: pathlib.Path) -> gp.Recognizer:
    """A gallery of all readers, of which a test may make what it wants."""
    return gp.Recognizer.open(shutil.copy(enrolled, tmp_path / "few.gallery"))
