"""The estimator of scikit-learn."""

from __future__ import annotations

import gazeprint as gp
import numpy as np
import pytest

pytest.importorskip("sklearn")

from gazeprint import ReaderIdentifier
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, cross_val_predict, cross_val_score
from sklearn.utils import estimator_checks


@pytest.fixture(scope="module")
def data():  # type: ignore[no-untyped-def]
    recordings = gp.Corpus.simulate(readers=6, texts=30).recordings
    return recordings, np.array([r.reader for r in recordings]), np.array([r.text for r in recordings])


def test_checks_that_need_no_numbers_pass() -> None:
    estimator = ReaderIdentifier("landwehr")
    # The others hand over arrays of numbers, which no recording is.
    for check in (
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
    ):
        check("ReaderIdentifier", estimator)
    assert is_classifier(estimator)


def test_it_learns_and_decides(data) -> None:
    recordings, readers, _ = data
    estimator = ReaderIdentifier("population").fit(recordings[::2], readers[::2])
    predicted = estimator.predict(recordings[1::2])
    assert (predicted == readers[1::2]).mean() > 0.4
    shares = estimator.predict_proba(recordings[1::2])
    assert shares.shape == (len(recordings[1::2]), 6)
    assert np.allclose(shares.sum(axis=1), 1.0)
    scores = estimator.decision_function(recordings[1::2])
    assert (estimator.classes_[scores.argmax(axis=1)] == predicted).all()
    again = clone(estimator).fit(recordings[::2], readers[::2])
    assert (again.decision_function(recordings[1::2]) == scores).all()


def test_two_classes_have_one_score(data) -> None:
    recordings, readers, _ = data
    two = [r for r in recordings if r.reader in ("r001", "r002")]
    estimator = ReaderIdentifier("landwehr").fit(two, [r.reader for r in two])
    scores = estimator.decision_function(two)
    assert scores.shape == (len(two),)
    assert ((scores > 0) == (estimator.predict(two) == "r002")).all()


def test_grouped_splits_and_several_jobs(data) -> None:
    recordings, readers, texts = data
    estimator = ReaderIdentifier("landwehr")
    folds = GroupKFold(3)
    scores = cross_val_score(estimator, recordings, readers, groups=texts, cv=folds)
    assert scores.mean() > 2 / 6
    jobs = cross_val_score(estimator, recordings, readers, groups=texts, cv=folds, n_jobs=2)
    assert (jobs == scores).all()
    predicted = cross_val_predict(estimator, recordings, readers, groups=texts, cv=folds)
    assert (predicted == readers).mean() == pytest.approx(scores.mean(), abs=0.02)


def test_what_cannot_be_learned_is_refused(data) -> None:
    recordings, readers, _ = data
    estimator = ReaderIdentifier("landwehr")
    with pytest.raises(NotFittedError):
        estimator.predict(recordings)
    with pytest.raises(ValueError, match="Recording"):
        estimator.fit(np.zeros((4, 2)), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="no recordings"):
        estimator.fit([], [])
    with pytest.raises(ValueError, match="one class"):
        estimator.fit(recordings[:3], ["a"] * 3)
    with pytest.raises(ValueError, match="shape"):
        estimator.fit(recordings, readers[:-1])
    with pytest.raises(ValueError, match="lanwehr"):
        ReaderIdentifier("lanwehr").fit(recordings, readers)
    other = gp.Corpus.simulate(readers=2, texts=3, seed=9).recordings
    with pytest.raises(ValueError, match="several corpora"):
        estimator.fit([*recordings, *other], [*readers, *(r.reader for r in other)])
