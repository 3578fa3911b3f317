"""Tables that any library of frames takes."""

from __future__ import annotations

from html import escape
from typing import Any

from gazeprint import _lib

#: Rows that a table shows of itself.
_SHOWN = 10


class Table:
    """A table of results: columns with types, which Polars, pandas, pyarrow and DuckDB take as they are.

    >>> from gazeprint import Corpus
    >>> table = Corpus.simulate(readers=2, texts=3).saccades()
    >>> table.columns[:3]
    ['reader', 'text', 'session']
    >>> sorted(set(table["reader"]))
    ['r001', 'r002']

    It has the C interface of Arrow: ``pl.DataFrame(table)``, ``pa.table(table)`` and ``duckdb.sql("from table")``
    (after ``table = table.to_pyarrow()``) do without copies.
    """

    def __init__(self, inner: _lib.Table) -> None:
        self._inner = inner

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._inner.columns

    def __len__(self) -> int:
        return len(self._inner)

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column, ``None`` where one is missing."""
        return self._inner.column(column)

    def __iter__(self) -> Any:
        """The rows, as dictionaries."""
        names = self.columns
        for row in zip(*(self[name] for name in names), strict=True):
            yield dict(zip(names, row, strict=True))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._inner.__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._inner.to_ipc(),)

    def to_pyarrow(self) -> Any:
        """The table as a ``pyarrow.Table``."""
        import pyarrow as pa

        return pa.table(self)

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``; takes pyarrow."""
        return self.to_pyarrow().to_pandas()

    def to_polars(self) -> Any:
        """The table as a ``polars.DataFrame``."""
        import polars as pl

        return pl.DataFrame(self)

    def _first(self) -> list[list[str]]:
        columns = [self._inner.column(name, _SHOWN) for name in self.columns]
        return [[_shown(value) for value in row] for row in zip(*columns, strict=True)]

    def __repr__(self) -> str:
        rows = [self.columns, *self._first()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        more = len(self) - _SHOWN
        return "\n".join(lines + ([f"... {more:,} rows more"] if more > 0 else []))

    def _repr_html_(self) -> str:
        def row(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(row(cells, "td") for cells in self._first())
        more = len(self) - _SHOWN
        note = f"<p>{more:,} rows more</p>" if more > 0 else ""
        return f"<table><thead>{row(self.columns, 'th')}</thead><tbody>{body}</tbody></table>{note}"


def _restored(stream: bytes) -> Table:
    return Table(_lib.Table.of_ipc(stream))


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def frame(value: Any, name: str) -> Any:
    """A frame as something with the C interface of Arrow.

    Frames of events of pymovements have one of Polars in them, and lazy frames are collected. A connection of DuckDB streams
    one result at a time: relations are fetched.
    """
    if type(value).__name__ == "DuckDBPyRelation":
        value = value.to_arrow_table()
    for step in ("collect", "frame"):
        if not hasattr(value, "__arrow_c_stream__") and hasattr(value, step):
            part = getattr(value, step)
            value = part() if callable(part) else part
    if type(value).__module__.startswith("polars."):
        import polars as pl

        # What is missing altogether has no type, and some versions hand that over in another way than others take it.
        value = value.with_columns(pl.selectors.by_dtype(pl.Null).cast(pl.String))
    if not hasattr(value, "__arrow_c_stream__"):
        from gazeprint._errors import InputError

        raise InputError(
            f"{name}: found {type(value).__name__}, expected a frame with the C interface of Arrow "
            "(Polars, pandas 2.2 or later with pyarrow, pyarrow, DuckDB, pymovements)",
            table=name,
        )
    return _Stream(value, name)


class _Stream:
    """A frame whose own library may refuse to hand it over; then the error names the table."""

    def __init__(self, value: Any, name: str) -> None:
        self._value, self._name = value, name

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        from gazeprint._errors import InputError

        try:
            return self._value.__arrow_c_stream__(requested_schema)
        except (KeyboardInterrupt, ImportError, MemoryError):
            raise
        except Exception as error:
            column, row = _mixed(self._value)
            if column is None:
                raise InputError(f"{self._name}: the frame cannot be read: {error}", table=self._name) from error
            raise InputError(
                f"{self._name}, row {row}, column {column}: found another type than in the rows before, expected one; "
                f"convert the column ({error})",
                table=self._name,
                row=row,
                column=column,
            ) from error


def _mixed(value: Any) -> tuple[str | None, int | None]:
    """The column of a frame of pandas that has several types in it, and the first row with another one."""
    for column in getattr(value, "columns", ()):
        values = value[column]
        if str(getattr(values, "dtype", "")) != "object":
            continue
        first: type | None = None
        for row, item in enumerate(values):
            kind = None if item is None or item != item else type(item)
            if first is not None and kind is not None and kind is not first:
                return str(column), row
            first = first or kind
    return None, None
