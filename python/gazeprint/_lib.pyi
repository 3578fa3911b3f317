"""What the package is made of; the front has the words."""

from collections.abc import Callable
from typing import Any, final

__all__ = [
    "__version__",
    "Corpus",
    "Division",
    "draws",
    "fit_density",
    "Identifier",
    "import_recordings",
    "method_names",
    "People",
    "read_splits",
    "Recognizer",
    "Secret",
    "Study",
    "Table",
    "Watch",
]

__version__: str

_Progress = Callable[[float, str, list[str]], None] | None

@final
class Table:
    columns: list[str]
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def column(self, name: str, rows: int | None = None) -> list[Any]: ...
    def to_ipc(self) -> bytes: ...
    @staticmethod
    def of_ipc(bytes: bytes) -> Table: ...

@final
class Corpus:
    name: str
    readers: list[str]
    texts: list[str]
    notes: list[str]
    fixation_count: int
    sha256: str
    @staticmethod
    def read(path: str, words: str | None = None, is_probe: bool = False) -> Corpus: ...
    @staticmethod
    def of_frames(
        name: str, fixations: object, words: object | None, trials: object | None, is_probe: bool
    ) -> Corpus: ...
    @staticmethod
    def simulate(
        readers: int, texts: int, sessions: int, drift: float, lines: int, seed: int
    ) -> Corpus: ...
    def readings(self) -> list[tuple[str, str, str, str]]: ...
    def tables(self) -> dict[str, Table]: ...
    def saccades(self, min_duration: float, max_duration: float) -> Table: ...
    def traits(self, min_duration: float, max_duration: float, seed: int) -> tuple[Table, Table, str]: ...
    def inspect(self, min_duration: float, max_duration: float) -> str: ...
    def at(self, places: list[int]) -> Corpus: ...
    def arranged(self, name: str, readers: list[str], texts: list[str]) -> Corpus: ...
    def write(self, folder: str, format: str, overwrite: bool) -> None: ...

def import_recordings(
    asked: dict[str, Any], frames: dict[str, Any], name: str, out: str | None, overwrite: bool
) -> tuple[Corpus | None, str]: ...
def method_names() -> list[str]: ...
def read_splits(file: str | None = None, frame: object | None = None) -> Table: ...

@final
class People:
    @staticmethod
    def read(path: str) -> People: ...
    @staticmethod
    def of_bytes(bytes: bytes) -> People: ...
    def to_bytes(self) -> bytes: ...

@final
class Secret:
    @staticmethod
    def read_key(path: str) -> Secret: ...
    @staticmethod
    def of_key(key: bytes) -> Secret: ...
    @staticmethod
    def of_passphrase(passphrase: str) -> Secret: ...
    def parts(self) -> tuple[bytes | None, str | None]: ...

@final
class Division:
    notes: list[str]
    methods: list[str]
    split_count: int
    def __new__(
        cls,
        corpus: Corpus,
        request: dict[str, Any],
        known: People | None = None,
        splits: Table | None = None,
    ) -> Division: ...
    def unit(
        self, method: str, split: int, threads: int | None = None, progress: _Progress = None
    ) -> bytes: ...
    def run(
        self, arguments: list[str], known: list[tuple[str, int, bytes]] = ..., progress: _Progress = None
    ) -> Study: ...

@final
class Study:
    def json(self) -> str: ...
    def table(self) -> Table: ...
    def scores(self) -> Table: ...
    def splits(self) -> Table: ...
    def figures(self) -> list[str]: ...
    def figure(self, name: str) -> tuple[str, str, str] | None: ...
    def figure_file(self, name: str, format: str) -> bytes | None: ...
    def save(self, folder: str, overwrite: bool) -> str: ...

@final
class Recognizer:
    location: str
    is_encrypted: bool
    is_closed: bool
    @staticmethod
    def open(at: str, given: Secret | None = None) -> Recognizer: ...
    @staticmethod
    def exists(at: str) -> bool: ...
    @staticmethod
    def open_or_create(
        at: str,
        corpus: Corpus,
        given: Secret | None,
        known: People | None,
        durations: tuple[float | None, float | None],
        pseudonyms: bool,
        shard: tuple[int, int] | None,
        threads: int | None,
        progress: _Progress,
    ) -> tuple[Recognizer, list[str]]: ...
    @staticmethod
    def merge(
        from_: list[str],
        to: str,
        given: Secret | None,
        progress: _Progress,
        /,
    ) -> Recognizer | None: ...
    def enroll(
        self,
        corpus: Corpus,
        replace: bool,
        strict: bool,
        shard: tuple[int, int] | None,
        threads: int | None,
        progress: _Progress,
    ) -> str: ...
    def identify(
        self,
        probe: Corpus,
        fpir: float | None,
        closed: bool,
        allow_unsupported: bool,
        top: int,
        candidates: int | None,
        replays: tuple[bool, bool],
        liveness: bool,
    ) -> str: ...
    def verify(
        self,
        probe: Corpus,
        reader: str,
        fmr: float | None,
        allow_unsupported: bool,
        replays: tuple[bool, bool],
        liveness: bool,
    ) -> str: ...
    def watch(
        self,
        reader: str,
        texts: Corpus | None,
        fmr: float,
        fnmr: float,
        window: int,
        allow_unsupported: bool,
        replays: tuple[bool, bool],
        liveness: bool,
    ) -> Watch: ...
    def list(self) -> str: ...
    def remove(self, reader: str) -> str: ...
    def log(self) -> str: ...
    def check(self) -> int: ...
    def standing(self) -> str: ...
    def learn(self, everything: bool, progress: _Progress = None) -> str: ...
    def close(self) -> None: ...

@final
class Watch:
    reader: str
    warnings: str
    def fixation(self, fixation: str) -> str: ...
    def announce(self, text: str, words: list[tuple[int, int, int]]) -> None: ...
    def lose(self) -> None: ...
    def end(self) -> str: ...

def fit_density(
    values: list[float], lower: list[float], upper: list[float], engine_name: str, seed: int
) -> dict[str, Any]: ...
def draws(
    corpus: Corpus,
    readers: list[str],
    engine_name: str,
    seed: int,
    durations: tuple[float, float],
    likelihoods: bool,
    progress: _Progress = None,
) -> dict[str, Any]: ...

@final
class Identifier:
    def __new__(
        cls,
        corpus: Corpus,
        places: list[int],
        labels: list[int],
        classes: int,
        method_name: str,
        engine_name: str,
        known: People | None,
        seed: int,
        durations: tuple[float, float],
    ) -> Identifier: ...
    def decide(self, corpus: Corpus, places: list[int]) -> list[tuple[list[float], list[float]]]: ...
