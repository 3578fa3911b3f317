"""Dask, Ray, Spark and arrays of jobs: the study of one machine, also where a worker dies."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import time

import gazeprint as gp
import pytest
from gazeprint import distributed
from test_study import without_times

ASKED = {"methods": ["landwehr", "holland-unweighted"], "splits": 3, "closed_set": True}
EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="module")
def alone(corpus: gp.Corpus) -> gp.Study:
    return gp.study(corpus, **ASKED)


def same(study: gp.Study, alone: gp.Study) -> bool:
    tables = [one.scores.to_polars() for one in (study, alone)]
    return without_times(study.results) == without_times(alone.results) and tables[0].equals(tables[1])


def test_without_an_engine_units_run_here(corpus: gp.Corpus, alone: gp.Study) -> None:
    told: list[str] = []
    study = distributed.study(corpus, None, progress=lambda _share, what, _who: told.append(what), **ASKED)
    assert same(study, alone)
    assert told[-1] == "6 of 6 units of a study"
    (pair,) = distributed.studies([corpus], [ASKED, {**ASKED, "seed": 2}], None)
    assert same(pair[0], alone) and not same(pair[1], alone)


def test_other_engines_are_refused(corpus: gp.Corpus) -> None:
    with pytest.raises(gp.UsageError, match=r"distributed\.Client"):
        distributed.study(corpus, "cluster", **ASKED)
    with pytest.raises(gp.UsageError, match="noise"):
        distributed.study(corpus, None, noise=True)


def test_an_array_of_jobs_makes_the_study(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    def job(*arguments: object, **environment: str) -> str:
        program = [sys.executable, str(EXAMPLES / "slurm_study.py"), *map(str, arguments)]
        return subprocess.check_output(program, text=True, env={**os.environ, **environment})

    count = int(job("units", folder))
    # The last job is lost: whoever joins does its unit.
    for number in range(count - 1):
        job("unit", folder, tmp_path, SLURM_ARRAY_TASK_ID=str(number))
    assert "landwehr" in job("join", folder, tmp_path)
    alone = gp.study(gp.Corpus.read(folder), **ASKED)
    splits = (tmp_path / "study" / "splits.csv").read_text().splitlines()
    assert len(splits) == 1 + len(alone.splits)


@pytest.mark.long
def test_dask_makes_the_study_also_where_a_worker_dies(corpus: gp.Corpus, alone: gp.Study) -> None:
    dask = pytest.importorskip("distributed")
    with dask.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with dask.Client(cluster) as client:
            assert same(distributed.study(corpus, client, **ASKED), alone)
            killed: list[int] = []

            def kill(share: float, _what: str, _who: list[str]) -> None:
                if not killed and share < 1.0:
                    pids = client.run(os.getpid)
                    killed.append(next(iter(pids.values())))
                    os.kill(killed[0], 9)

            assert same(distributed.study(corpus, client, progress=kill, **ASKED), alone)
            assert killed


@pytest.mark.long
def test_ray_makes_the_study_also_where_a_worker_dies(corpus: gp.Corpus, alone: gp.Study) -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        assert same(distributed.study(corpus, ray, **ASKED), alone)
        killed: list[int] = []

        def kill(share: float, _what: str, _who: list[str]) -> None:
            if not killed and share < 1.0:
                # Those who work on a unit are called so; nothing else of Ray is.
                out = subprocess.check_output(["ps", "-A", "-o", "pid=,args="], text=True)
                rows = (line.split(maxsplit=1) for line in out.splitlines())
                running = [int(row[0]) for row in rows if row[1:] and row[1].startswith("ray::_run")]
                if running:
                    killed.append(running[0])
                    os.kill(running[0], 9)

        assert same(distributed.study(corpus, ray, progress=kill, **ASKED), alone)
        assert killed
    finally:
        ray.shutdown()


@pytest.mark.long
def test_spark_makes_the_study(
    corpus: gp.Corpus, alone: gp.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyspark = pytest.importorskip("pyspark.sql")
    if not shutil.which("java") and os.environ.get("CI") != "true":
        pytest.skip("Spark needs Java")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    sys.path.insert(0, str(EXAMPLES))
    import spark_study

    session = pyspark.SparkSession.builder.master("local[2]").appName("test").getOrCreate()
    try:
        assert same(spark_study.study(session, corpus, **ASKED), alone)
    finally:
        session.stop()


@pytest.mark.long
def test_shards_on_dask_make_the_gallery_of_one_machine(
    halves: tuple[gp.Corpus, gp.Corpus], command, folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    dask = pytest.importorskip("distributed")
    people = tmp_path / "some.people"
    command("people", folder, "--out", people)
    start = time.monotonic()
    with dask.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        merged = distributed.enroll(
            halves[0], tmp_path / "all.gallery", client, people=people, shards=3, folder=tmp_path / "shards"
        )
    at_once = gp.Recognizer.open_or_create(tmp_path / "once.gallery", halves[0], people=people)
    at_once.enroll(halves[0])
    for reader in halves[0].readers:
        probe = halves[1].select(readers=[reader])
        answers = [desk.identify(probe, forget=True) for desk in (merged, at_once)]
        assert answers[0] == answers[1]
    print(f"{time.monotonic() - start:.1f} s")
