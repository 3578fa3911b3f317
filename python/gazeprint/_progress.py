"""How far long work has come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Union

#: Called with the part that is done (0 to 1), what is being done, and who was enrolled since.
Callback = Callable[[float, str, list[str]], None]
#: A bar on terminals and in notebooks, a function of one's own, or nothing.
Progress = Union[bool, Callback]

_WIDTH = 24


def _is_seen() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def followed(progress: Progress) -> Iterator[Callback | None]:
    """What is to be called while work goes on."""
    if callable(progress):
        yield progress
        return
    if not progress or not _is_seen():
        yield None
        return

    def bar(share: float, message: str, enrolled: list[str]) -> None:
        del enrolled
        done = round(share * _WIDTH)
        sys.stderr.write(f"\r{message:<38.38} [{'=' * done}{' ' * (_WIDTH - done)}] {100 * share:3.0f} %")
        sys.stderr.flush()

    try:
        yield bar
    finally:
        sys.stderr.write("\r" + " " * (_WIDTH + 48) + "\r")
        sys.stderr.flush()
