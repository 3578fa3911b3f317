"""An estimator of scikit-learn: who made a recording?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import check_is_fitted

from gazeprint import _given, _lib
from gazeprint._corpus import MAX_DURATION, MIN_DURATION, Recording
from gazeprint._errors import InputError


class ReaderIdentifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Tells readers apart by recordings, with any method of ``gazeprint.methods()``.

    ``X`` is a list (or an array of objects) of :class:`gazeprint.Recording`, all of one corpus, such as
    ``corpus.recordings``; ``y`` is who made each, or any other class of them. Texts go well as ``groups`` of splits:
    nobody should be recognised by a text.

    >>> import gazeprint as gp
    >>> from gazeprint.estimator import ReaderIdentifier
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> recordings = gp.Corpus.simulate(readers=4, texts=24).recordings
    >>> readers, texts = [r.reader for r in recordings], [r.text for r in recordings]
    >>> scores = cross_val_score(
    ...     ReaderIdentifier("landwehr"), recordings, readers, groups=texts, cv=GroupKFold(3)
    ... )
    >>> bool(scores.mean() > 0.25)
    True

    A pickle of a fitted one holds the recordings that it learned from, and learns from them again where it is first asked
    something: the same to the last bit.
    """

    #: What was learned; what comes out of a pickle learns it again.
    _learned: _lib.Identifier | None

    def __init__(
        self,
        method: str = "fusion",
        *,
        engine: str = "laplace",
        people: str | None = None,
        min_duration: float = MIN_DURATION,
        max_duration: float = MAX_DURATION,
        seed: int = 1,
    ) -> None:
        self.method = method
        self.engine = engine
        self.people = people
        self.min_duration = min_duration
        self.max_duration = max_duration
        self.seed = seed

    def fit(self, X: Sequence[Recording], y: Any) -> ReaderIdentifier:
        """Learns the classes."""
        if y is None:
            raise InputError("fit requires y to be passed, but the target y is None; give who made each recording")
        labels = np.asarray(y)
        check_classification_targets(labels)
        corpus, places = _of_one_corpus(X)
        if labels.ndim != 1 or len(labels) != len(places):
            raise InputError(f"y: found the shape {labels.shape}, expected ({len(places)},) as X has it")
        self.classes_ = unique_labels(labels)
        if len(self.classes_) < 2:
            raise InputError("y: found one class, expected two or more to tell apart")
        self._known = _given.people(self.people)
        # Nothing of recordings that it did not learn from goes along.
        own = sorted(set(places))
        self._corpus = corpus._at(own)
        self._places = np.searchsorted(own, places).tolist()
        self._numbers = np.searchsorted(self.classes_, labels).tolist()
        # What it is made of, whatever is set later.
        self._made = (self.method, self.engine, self.seed, (self.min_duration, self.max_duration))
        self._learned = self._learn()
        return self

    def _learn(self) -> _lib.Identifier:
        method, engine, seed, durations = self._made
        return _lib.Identifier(
            self._corpus._inner,
            self._places,
            self._numbers,
            len(self.classes_),
            method,
            engine,
            None if self._known is None else self._known._inner,
            seed,
            durations,
        )

    def _decided(self, X: Sequence[Recording]) -> tuple[Any, Any]:
        check_is_fitted(self, "classes_")
        corpus, places = _of_one_corpus(X)
        if self._learned is None:
            self._learned = self._learn()
        decided = self._learned.decide(corpus._inner, places)
        scores, posterior = zip(*decided, strict=True)
        return np.asarray(scores), np.asarray(posterior)

    def decision_function(self, X: Sequence[Recording]) -> Any:
        """The score of each class: a log-likelihood or the like. Of two classes, how much the second is ahead."""
        scores, _ = self._decided(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Sequence[Recording]) -> Any:
        """How probable each class is, given that it is one of them."""
        return self._decided(X)[1]

    def predict(self, X: Sequence[Recording]) -> Any:
        """The class that each recording is most likely of."""
        scores, _ = self._decided(X)
        return self.classes_[scores.argmax(axis=1)]

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_learned" in state:
            state["_learned"] = None
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Rows of numbers are no recordings.
        tags.input_tags.two_d_array = False
        return tags


def _of_one_corpus(X: Sequence[Recording]) -> tuple[Any, list[int]]:
    if not isinstance(X, Iterable):
        raise InputError(f"X: found {type(X).__name__}, expected a list of gazeprint.Recording")
    recordings = list(X)
    if not recordings:
        raise InputError("X: found no recordings, expected some")
    for place, recording in enumerate(recordings):
        if not isinstance(recording, Recording):
            raise InputError(
                f"X: found {type(recording).__name__} at {place}, expected a gazeprint.Recording, such as those of "
                "corpus.recordings"
            )
    # Elsewhere a corpus may be a copy of what it was.
    first = recordings[0].corpus
    if any(r.corpus is not first and r.corpus.sha256 != first.sha256 for r in recordings):
        raise InputError("X: found recordings of several corpora, expected those of one")
    return first, [recording.place for recording in recordings]
