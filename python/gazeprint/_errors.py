"""Exceptions, a class for each kind of error."""

from __future__ import annotations


class GazeprintError(Exception):
    """Something went wrong; the message says what was found, what was expected, and how to go on."""

    #: The name of the kind, as the command has it with ``--json``.
    kind = "error"

    def __init__(
        self,
        message: str,
        *,
        table: str | None = None,
        row: int | None = None,
        column: str | None = None,
    ) -> None:
        super().__init__(message)
        #: The table that it is about: ``fixations``, ``words``, ``trials``, or a file.
        self.table = table
        #: Its row: of a frame, counted from 0; of a file, as an editor shows it.
        self.row = row
        #: Its column.
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), str(self), self.table, self.row, self.column)


def _restored(
    kind: type[GazeprintError], message: str, table: str | None, row: int | None, column: str | None
) -> GazeprintError:
    return kind(message, table=table, row=row, column=column)


class UsageError(GazeprintError, ValueError):
    """Something was asked for that makes no sense."""

    kind = "usage"


class InputError(GazeprintError, ValueError):
    """Recordings that cannot be used."""

    kind = "input"


class NotFoundError(GazeprintError, LookupError):
    """No such corpus, gallery or reader."""

    kind = "not_found"


class LockedError(GazeprintError, PermissionError):
    """No secret, or the wrong one."""

    kind = "locked"


class DamagedError(GazeprintError):
    """A gallery that is not what was written."""

    kind = "damaged"


class ConflictError(GazeprintError):
    """Others changed it, or something is there already."""

    kind = "conflict"


class UnsupportedError(GazeprintError):
    """Of another version, or more than can be promised."""

    kind = "unsupported"


class StorageError(GazeprintError, OSError):
    """The operating system or the database refused."""

    kind = "io"


#: The class of each kind.
BY_KIND: dict[str, type[GazeprintError]] = {
    error.kind: error
    for error in (
        UsageError,
        InputError,
        NotFoundError,
        LockedError,
        DamagedError,
        ConflictError,
        UnsupportedError,
        StorageError,
    )
}
