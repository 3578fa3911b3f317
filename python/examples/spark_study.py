"""A study on Spark: a row a unit, run by ``applyInArrow``.

    spark-submit spark_study.py provo
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator

import gazeprint as gp
import pyarrow as pa
from gazeprint import distributed
from pyspark.sql import SparkSession

ASKED = {"methods": ["landwehr", "holland-unweighted"], "splits": 2, "closed_set": True}
FOUND = "method string, split int, found binary"


def study(spark: SparkSession, corpus: gp.Corpus, **asked: object) -> gp.Study:
    """The study that one machine makes."""
    # Executors see no file of the driver: what these hold is sent.
    given = distributed.prepared(**asked)
    units = distributed.units(corpus, **given)
    threads = int(spark.conf.get("spark.task.cpus", "1"))
    # Once to each executor.
    everywhere = spark.sparkContext.broadcast(pickle.dumps((corpus, given)))

    def run(table: pa.Table) -> pa.Table:
        here, asked_here = pickle.loads(everywhere.value)
        wanted = [distributed.Unit(row["method"], row["split"]) for row in table.to_pylist()]
        found = [distributed.run_unit(here, unit, threads=threads, **asked_here) for unit in wanted]
        return table.append_column("found", pa.array(found, pa.binary()))

    frame = spark.createDataFrame([(unit.method, unit.split) for unit in units], "method string, split int")
    rows: Iterator = frame.groupBy("method", "split").applyInArrow(run, FOUND).toLocalIterator()
    done = [(distributed.Unit(row["method"], row["split"]), bytes(row["found"])) for row in rows]
    return distributed.join(corpus, done, **given)


if __name__ == "__main__":
    session = SparkSession.builder.appName("gazeprint").getOrCreate()
    print(study(session, gp.Corpus.read(sys.argv[1]), **ASKED))
    session.stop()
