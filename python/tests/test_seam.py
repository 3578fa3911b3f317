"""Real readers that are not part of the project: the numbers of the command, bit for bit."""

from __future__ import annotations

import os
import pathlib
from dataclasses import asdict
from typing import Any

import gazeprint as gp
import pytest
from test_study import without_times

#: Where corpora are, if nobody says: beside the repository.
BESIDE = pathlib.Path(__file__).resolve().parents[3] / "shared" / "corpora"


@pytest.fixture(scope="module")
def place() -> pathlib.Path:
    found = pathlib.Path(os.environ.get("GAZEPRINT_CORPORA", BESIDE)) / "seam"
    if not found.is_dir():
        pytest.skip(f"NOT TESTED: numbers on real recordings; found no {found}, set GAZEPRINT_CORPORA")
    return found


@pytest.fixture(scope="module")
def seam(place: pathlib.Path) -> gp.Corpus:
    return gp.Corpus.read(place)


# Not of fusion: the people that ship were learned from these readers, and a study refuses them.
@pytest.mark.parametrize(
    "methods",
    ["landwehr,holland-unweighted", pytest.param("population,semiparametric", marks=pytest.mark.long)],
)
def test_a_study_is_that_of_the_command(command, place: pathlib.Path, seam: gp.Corpus, methods: str) -> None:
    theirs = command("study", place, "--json", "--methods", methods, "--splits", 1)
    # Numbers are compared as they are written, which tells every bit.
    assert without_times(gp.study(seam, methods, splits=1).results) == without_times(theirs)


def plain(answer: Any) -> dict[str, Any]:
    """An answer as ``--json`` has it."""
    warnings = [{"warning": warning.kind, **warning.details} for warning in answer.warnings]
    said = {**asdict(answer), "warnings": warnings}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}


def test_answers_are_those_of_the_command(command, place: pathlib.Path, seam: gp.Corpus, tmp_path) -> None:
    known = set(seam.texts[::2])
    readers = seam.readers[:20]
    first = seam.select(readers=readers, where=lambda r: r.text in known)
    first.save(tmp_path / "first")
    gallery = tmp_path / "seam.gallery"
    command("enroll", tmp_path / "first", "--gallery", gallery, "--json")
    asked = ["--gallery", gallery, "--forget", "--json", "--allow-unsupported"]
    with gp.Recognizer.open_or_create(tmp_path / "ours.gallery", first) as ours, gp.Recognizer.open(gallery) as desk:
        ours.enroll(first)
        for number, reader in enumerate((*readers[:3], seam.readers[30])):
            probe = seam.select(readers=[reader], where=lambda r: r.text not in known)
            probe.save(tmp_path / f"probe-{number}")
            at = tmp_path / f"probe-{number}"
            theirs = command("identify", at, *asked, "--fpir", 0.05, codes=(0, 3, 4))
            identified = [d.identify(probe, fpir=0.05, forget=True, allow_unsupported=True) for d in (desk, ours)]
            assert plain(identified[0]) == theirs
            # A gallery that the package made answers as one that the command made.
            assert identified[0] == identified[1]
            claim = command("verify", at, "--reader", readers[0], *asked, "--fmr", 0.01, codes=(0, 3, 4))
            verdict = desk.verify(probe, readers[0], fmr=0.01, forget=True, allow_unsupported=True)
            assert plain(verdict) == claim
