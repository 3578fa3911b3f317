"""What is given as a file or a frame, read once, so that it goes wherever work is done."""

from __future__ import annotations

import os
from typing import Any, Union

from gazeprint import _lib
from gazeprint._corpus import Path
from gazeprint._errors import UsageError
from gazeprint._table import Table, frame


class People:
    """People who were learned from once, as a file held them when it was read."""

    def __init__(self, inner: _lib.People, origin: str) -> None:
        self._inner = inner
        #: The path of the file.
        self.origin = origin

    def __reduce__(self) -> tuple[Any, ...]:
        return _people_restored, (self._inner.to_bytes(), self.origin)

    def __repr__(self) -> str:
        # As the path would stand among arguments.
        return repr(self.origin)


class Splits(Table):
    """A table of splits, as a file or a frame held it when it was read."""

    def __init__(self, inner: _lib.Table, origin: str | None) -> None:
        super().__init__(inner)
        #: The path of the file, where it was one.
        self.origin = origin

    def __reduce__(self) -> tuple[Any, ...]:
        return _splits_restored, (self._inner.to_ipc(), self.origin)


class Secret:
    """What opens an encrypted gallery. A pickle of it holds the secret in the clear."""

    def __init__(self, inner: _lib.Secret) -> None:
        self._inner = inner

    def __reduce__(self) -> tuple[Any, ...]:
        return _secret_restored, self._inner.parts()

    def __repr__(self) -> str:
        return "Secret"


#: A file of people, or what was read of one.
AnyPeople = Union[Path, People]


def people(given: AnyPeople | None) -> People | None:
    """People who are given, read."""
    if given is None or isinstance(given, People):
        return given
    path = os.fspath(given)
    return People(_lib.People.read(path), path)


def splits(given: Any) -> Splits:
    """A table of splits, read."""
    if isinstance(given, Splits):
        return given
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        return Splits(_lib.read_splits(path), path)
    return Splits(_lib.read_splits(None, frame(given, "splits")), None)


def secret(key_file: Path | None, passphrase: str | None) -> Secret | None:
    """What opens a gallery, read."""
    if key_file is not None and passphrase is not None:
        raise UsageError("found key_file and passphrase, expected one of them")
    if key_file is not None:
        return Secret(_lib.Secret.read_key(os.fspath(key_file)))
    return None if passphrase is None else Secret(_lib.Secret.of_passphrase(passphrase))


def _people_restored(read: bytes, origin: str) -> People:
    return People(_lib.People.of_bytes(read), origin)


def _splits_restored(stream: bytes, origin: str | None) -> Splits:
    return Splits(_lib.Table.of_ipc(stream), origin)


def _secret_restored(key: bytes | None, passphrase: str | None) -> Secret:
    if key is not None:
        return Secret(_lib.Secret.of_key(key))
    return Secret(_lib.Secret.of_passphrase(passphrase or ""))
