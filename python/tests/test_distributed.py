"""Dask, Ray, Spark and arrays of jobs: the study of one machine, also where a worker dies."""

from __future__ import annotations

import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import gazeprint as gp
import pyarrow as pa
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


#: A worker: in another folder, with nothing but what it is sent.
WORKER = """
import pickle, sys
work, corpus, part, threads = pickle.load(sys.stdin.buffer)
sys.stdout.buffer.write(pickle.dumps(work(corpus, part, threads)))
"""


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> list[Any]:
    """Units are run by processes that work in another folder; what each was given."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    given: list[Any] = []

    def run(_engine: None, work: Any, corpus: gp.Corpus, parts: list[Any], threads: int | None) -> Iterator[Any]:
        for number, part in enumerate(parts):
            given.append(part)
            sent = pickle.dumps((work, corpus, part, threads))
            out = subprocess.run([sys.executable, "-c", WORKER], input=sent, cwd=place, stdout=-1, check=True)
            yield number, pickle.loads(out.stdout)

    monkeypatch.setattr(distributed, "_here", run)
    monkeypatch.chdir(tmp_path)
    return given


def test_workers_opened_paths_of_the_driver(
    command, corpus: gp.Corpus, folder: pathlib.Path, elsewhere: list[Any]
) -> None:
    command("people", folder, "--out", "some.people")
    readers = corpus.select(readers=corpus.readers[:6])
    asked = {"methods": "population", "people": "some.people", "splits": "splits.csv", "closed_set": True}
    gp.study(readers, "landwehr", splits=2).splits.to_polars().write_csv("splits.csv")
    alone = gp.study(readers, **asked)
    assert same(distributed.study(readers, None, **asked), alone)
    # What is kept of arguments is what was given.
    assert "splits='splits.csv'" in alone.results["manifest"]["arguments"]
    # Files of the same name that others have say something else.
    for name in ("some.people", "splits.csv"):
        pathlib.Path("elsewhere", name).write_text("something else")
    assert same(distributed.study(readers, None, **asked), alone)
    assert len(elsewhere) == 4


def test_frames_that_stream_once_were_empty_for_the_second_unit(corpus: gp.Corpus, elsewhere: list[Any]) -> None:
    splits = gp.study(corpus, "landwehr", splits=2).splits.to_pyarrow()
    once = pa.RecordBatchReader.from_batches(splits.schema, iter(splits.to_batches()))
    asked = {"methods": (name for name in ["landwehr"]), "closed_set": True}
    found = distributed.study(corpus, None, splits=once, **asked)
    assert same(found, gp.study(corpus, "landwehr", splits=splits, closed_set=True))
    assert len(elsewhere) == 2


def test_shards_were_enrolled_by_paths_of_the_driver(
    command, halves: tuple[gp.Corpus, gp.Corpus], folder: pathlib.Path, elsewhere: list[Any]
) -> None:
    command("people", folder, "--out", "some.people")
    command("gallery", "key", "some.key")
    few = halves[0].select(readers=["r001", "r002", "r003", "r004"])
    merged = distributed.enroll(
        few, "all.gallery", None, people="some.people", shards=2, folder="shards", key_file="some.key", threads=1
    )
    assert [entry.id for entry in merged.readers] == few.readers
    assert merged.is_encrypted and len(elsewhere) == 2
    with pytest.raises(gp.LockedError):
        gp.Recognizer.open("shards/shard-1.gallery")


def test_units_take_as_many_threads_as_they_are_given(corpus: gp.Corpus, alone: gp.Study) -> None:
    (unit, *_) = distributed.units(corpus, **ASKED)
    found = {distributed.run_unit(corpus, unit, threads=threads, **ASKED)[:64] for threads in (1, 2, 3, None)}
    assert len(found) == 1
    assert same(distributed.study(corpus, None, threads=1, **ASKED), alone)
    for wrong in (0, -1):
        with pytest.raises((gp.UsageError, OverflowError)):
            distributed.run_unit(corpus, unit, threads=wrong, **ASKED)
        with pytest.raises(gp.UsageError, match="threads"):
            distributed.study(corpus, None, threads=wrong, **ASKED)


COUNTED = """
import gazeprint as gp, os, threading
from gazeprint import distributed
corpus = gp.Corpus.simulate(readers=12, texts=40, sessions=2)
asked = {"methods": "semiparametric", "splits": 1, "closed_set": True}
(unit,) = distributed.units(corpus, **asked)
most, done = [0], threading.Event()
def count():
    while not done.wait(0.001):
        most[0] = max(most[0], len(os.listdir("/proc/self/task")))
watching = threading.Thread(target=count)
watching.start()
before = len(os.listdir("/proc/self/task"))
distributed.run_unit(corpus, unit, threads=1, **asked)
done.set(); watching.join()
print(most[0] - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted as Linux has them")
def test_a_unit_took_all_cores_of_a_machine_that_it_shared() -> None:
    environment = {**os.environ, "RAYON_NUM_THREADS": "7"}
    out = subprocess.check_output([sys.executable, "-c", COUNTED], text=True, env=environment)
    # One waits for the other, which works.
    assert int(out) <= 2


@pytest.mark.parametrize("ask", [distributed.units, lambda c, **a: distributed.study(c, None, **a)])
def test_an_unknown_argument_was_a_raw_key_error(corpus: gp.Corpus, ask: Any) -> None:
    with pytest.raises(gp.UsageError, match="'method'.*'methods' may be meant"):
        ask(corpus, method="landwehr")
    with pytest.raises(gp.UsageError, match="'method'"):
        distributed.studies([corpus], [{"method": "landwehr"}], None)


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
            client.run(os.chdir, "/")
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
