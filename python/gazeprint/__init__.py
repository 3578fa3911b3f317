"""Who is reading? gazeprint recognises people by how their eyes move over text.

>>> import gazeprint as gp
>>> corpus = gp.Corpus.read("provo")
>>> corpus
Corpus provo: 84 readers, 55 texts, 225,176 fixations

A corpus comes from a folder, from frames, or from recordings of other tools::

    corpus = gp.Corpus(fixations=frame, words=words)
    corpus = gp.import_recordings("FIX_report.txt", words="areas.txt").corpus

and goes into studies, traits and galleries::

    study = gp.study(corpus, progress=True)
    study.figures["accuracy"]

    desk = gp.Recognizer.open_or_create("staff.gallery", corpus)
    desk.enroll(corpus)
    desk.identify(probe).decision

The numbers are those of the command ``gazeprint``, to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gazeprint._answers import (
    Candidate,
    Enrolled,
    Entry,
    Identification,
    Liveness,
    Notice,
    Removal,
    Replay,
    Skipped,
    Standing,
    Verification,
    WatchEnd,
    WatchState,
    WatchStep,
)
from gazeprint._corpus import Corpus, Inspection, Recording, Traits
from gazeprint._density import Density, Draws, draws, fit_density
from gazeprint._errors import (
    ConflictError,
    DamagedError,
    GazeprintError,
    InputError,
    LockedError,
    NotFoundError,
    StorageError,
    UnsupportedError,
    UsageError,
)
from gazeprint._imports import Imported, import_recordings
from gazeprint._lib import __version__
from gazeprint._recognizer import Fixation, Recognizer, Watch
from gazeprint._study import Figure, Study, methods, study
from gazeprint._table import Table

if TYPE_CHECKING:
    from gazeprint.estimator import ReaderIdentifier

__all__ = [
    "Candidate",
    "ConflictError",
    "Corpus",
    "DamagedError",
    "Density",
    "Draws",
    "Enrolled",
    "Entry",
    "Figure",
    "Fixation",
    "GazeprintError",
    "Identification",
    "Imported",
    "InputError",
    "Inspection",
    "Liveness",
    "LockedError",
    "NotFoundError",
    "Notice",
    "ReaderIdentifier",
    "Recognizer",
    "Recording",
    "Removal",
    "Replay",
    "Skipped",
    "Standing",
    "StorageError",
    "Study",
    "Table",
    "Traits",
    "UnsupportedError",
    "UsageError",
    "Verification",
    "Watch",
    "WatchEnd",
    "WatchState",
    "WatchStep",
    "__version__",
    "draws",
    "fit_density",
    "import_recordings",
    "methods",
    "study",
]


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import, and few need it.
    if name == "ReaderIdentifier":
        from gazeprint.estimator import ReaderIdentifier

        return ReaderIdentifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
