"""The estimator of scikit-learn."""

from __future__ import annotations

import pickle

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


def test_a_fitted_one_could_not_be_pickled(data) -> None:
    recordings, readers, _ = data
    for method in ("population", "landwehr"):
        estimator = ReaderIdentifier(method).fit(recordings[::2], readers[::2])
        scores = estimator.decision_function(recordings[1::2])
        again = pickle.loads(pickle.dumps(estimator))
        assert (again.classes_ == estimator.classes_).all()
        assert (again.decision_function(recordings[1::2]) == scores).all()
        assert (again.predict_proba(recordings[1::2]) == estimator.predict_proba(recordings[1::2])).all()
        # Only what was learned from goes along.
        assert len(again._corpus.recordings) == len(recordings[::2])
        # And what was set since is for the next fit.
        again.set_params(method="holland-weighted")
        assert (pickle.loads(pickle.dumps(again)).decision_function(recordings[1::2]) == scores).all()
    unfitted = pickle.loads(pickle.dumps(ReaderIdentifier("landwehr", seed=3)))
    assert unfitted.get_params() == ReaderIdentifier("landwehr", seed=3).get_params()


class Checked(ReaderIdentifier):
    """The same, said to take rows of numbers: else scikit-learn would check nothing."""

    def __init__(self, method: str = "landwehr", *, seed: int = 1) -> None:
        super().__init__(method, seed=seed)

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


#: Why checks fail that do.
NUMBERS = "hands over rows of numbers to learn from, and X is recordings"
ARRAYS = "wants words about the kind, shape or values of an array, and X is no array"
REASONS = {
    NUMBERS: """
        check_classifier_data_not_an_array check_classifiers_classes check_classifiers_one_label check_classifiers_train
        check_decision_proba_consistency check_dict_unchanged check_dont_overwrite_parameters check_dtype_object
        check_estimators_dtypes check_estimators_fit_returns_self check_estimators_overwrite_params check_estimators_pickle
        check_f_contiguous_array_estimator check_fit2d_predict1d check_fit_check_is_fitted check_fit_idempotent
        check_fit_score_takes_y check_methods_sample_order_invariance check_methods_subset_invariance check_n_features_in
        check_n_features_in_after_fitting check_pipeline_consistency check_readonly_memmap_input check_supervised_y_2d
    """,
    ARRAYS: """
        check_estimator_sparse_array check_estimator_sparse_matrix check_estimator_sparse_tag
        check_estimators_empty_data_messages check_estimators_nan_inf check_fit2d_1feature check_fit2d_1sample
        check_positive_only_tag_during_fit
    """,
}


def expected_failures(estimator: ReaderIdentifier) -> dict[str, str]:
    return {check: reason for reason, checks in REASONS.items() for check in checks.split()}


@estimator_checks.parametrize_with_checks([Checked()], expected_failed_checks=expected_failures)
def test_the_check_list_of_scikit_learn(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


def test_what_those_checks_are_after_holds_for_recordings(data) -> None:
    recordings, readers, _ = data
    estimator = ReaderIdentifier("population")
    assert estimator.fit(recordings[::2], readers[::2]) is estimator
    asked = recordings[1::2]
    before = {name: id(value) for name, value in vars(estimator).items()}
    scores, shares = estimator.decision_function(asked), estimator.predict_proba(asked)
    # Answers change nothing, and each is that of a recording, whatever else is asked.
    assert {name: id(value) for name, value in vars(estimator).items()} == before
    order = np.random.default_rng(1).permutation(len(asked))
    assert (estimator.decision_function([asked[i] for i in order]) == scores[order]).all()
    assert (np.vstack([estimator.predict_proba([one]) for one in asked[:5]]) == shares[:5]).all()
    assert (scores.argmax(axis=1) == shares.argmax(axis=1)).all()
    # Learned twice, it is the same, and so it is from any list of any labels.
    again = clone(estimator).fit(recordings[::2], readers[::2])
    assert (again.decision_function(asked) == scores).all()
    numbers = np.unique(readers, return_inverse=True)[1]
    array = np.array(recordings, dtype=object)
    numbered = clone(estimator).fit(array[::2], numbers[::2].tolist())
    assert (numbered.decision_function(array[1::2]) == scores).all()
    assert (numbered.predict(array[1::2]) == scores.argmax(axis=1)).all()
    assert estimator.score(asked, readers[1::2]) == (estimator.predict(asked) == readers[1::2]).mean()


def test_it_is_a_classifier_that_takes_no_numbers() -> None:
    assert is_classifier(ReaderIdentifier("landwehr"))
    assert not ReaderIdentifier("landwehr").__sklearn_tags__().input_tags.two_d_array


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
