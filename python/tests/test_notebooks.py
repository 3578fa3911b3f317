"""The notebooks run, and what they show is small."""

from __future__ import annotations

import json
import pathlib

import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
#: Bytes of a notebook with its outputs.
MOST = 200_000


def test_there_are_five() -> None:
    assert [path.stem[0] for path in NOTEBOOKS] == list("12345")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_kept_and_small(path: pathlib.Path) -> None:
    assert path.stat().st_size < MOST
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in cells)
    assert not any(out["output_type"] == "error" for cell in cells for out in cell["outputs"])


def test_a_figure_took_a_size_that_arviz_1_refuses() -> None:
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]
        calls = [line for cell in cells for line in cell["source"] if "az.plot" in line]
        assert not any("figsize" in line for line in calls), (path.stem, calls)


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    notebook = nbformat.read(path, as_version=4)
    client.NotebookClient(notebook, timeout=1800, resources={"metadata": {"path": str(tmp_path)}}).execute()
