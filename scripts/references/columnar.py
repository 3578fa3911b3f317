#!/usr/bin/env python3
"""Parquet and Arrow IPC of other tools, for gazeprint to read; and Parquet of gazeprint, read by them.

Requirements (in a virtual environment; the versions that made the committed files):

    pip install pyarrow==26.0.1 polars==2.1.0

Run from the root of the repository:

    python scripts/references/columnar.py

It writes one table with both tools to crates/gazeprint-io/tests/fixtures/columnar, which
tests/columnar.rs reads. The table is as pymovements saves events: locations are lists.

    gazeprint export my-corpus --to csv --out tables
    gazeprint export my-corpus --to parquet --out columns
    python scripts/references/columnar.py tables columns

This compares the two exports with both tools, value by value, and fails where they differ.
"""

import csv
import pathlib
import sys

import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

FIXTURES = pathlib.Path("crates/gazeprint-io/tests/fixtures/columnar")
TYPES = {"string": str, "large_string": str, "double": float, "int32": int, "uint32": int}


def write():
    """The table, with the settings that the tools have where none are given, and with others."""
    table = pl.DataFrame(
        {
            "subject_id": ["Jürgen", "b", "b"],
            "text_id": pl.Series(["a,1", "a,1", 'q"x'], dtype=pl.Categorical),
            "name": ["fixation_ivt", "fixation_ivt", "saccade"],
            "onset": [100, 330, 500],
            "duration": [200.5, None, 30.0],
            "location": [[512.3, 300.0], [600.0, None], [1.0, 2.0]],
        }
    )
    FIXTURES.mkdir(parents=True, exist_ok=True)
    table.write_parquet(FIXTURES / "polars.parquet")
    table.write_ipc(FIXTURES / "polars.feather")
    table.write_ipc_stream(FIXTURES / "polars_stream.arrow")
    arrow = table.to_arrow()
    pa.parquet.write_table(arrow, FIXTURES / "pyarrow.parquet")
    pa.parquet.write_table(
        arrow, FIXTURES / "pyarrow_v2.parquet", data_page_version="2.0", compression="zstd"
    )
    pa.feather.write_feather(arrow, FIXTURES / "pyarrow.feather")


def rows_of_csv(file, types):
    """Rows with the types that the Parquet file has."""
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    for row in rows:
        for name, cell in row.items():
            if cell == "":
                row[name] = None
            elif types[name] == "bool":
                row[name] = cell == "1"
            else:
                row[name] = TYPES[types[name]](cell)
    return rows


def compare(tables, columns):
    """Reads both exports and compares them."""
    for file in sorted(columns.glob("*.parquet")):
        arrow = pa.parquet.read_table(file)
        types = {field.name: str(field.type) for field in arrow.schema}
        wanted = rows_of_csv(tables / f"{file.stem}.csv", types)
        assert arrow.to_pylist() == wanted, f"{file}: pyarrow reads another table"
        assert pl.read_parquet(file).to_dicts() == wanted, f"{file}: polars reads another table"
        print(f"{file}: {len(wanted)} rows alike; {types}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        compare(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    else:
        write()
