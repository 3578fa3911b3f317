"""A study as an array of jobs: a unit each, and one job that joins them.

    sbatch --array=0-5 --wrap 'python slurm_study.py unit provo results'
    sbatch --dependency=afterok:ID --wrap 'python slurm_study.py join provo results'

``python slurm_study.py units provo`` says how many there are. A job that is run again does its unit again; what is there is
left alone.
"""

from __future__ import annotations

import os
import pathlib
import sys

import gazeprint as gp
from gazeprint import distributed

ASKED = {"methods": ["landwehr", "holland-unweighted"], "splits": 3, "closed_set": True}


def main(task: str, name: str, folder: str = "") -> None:
    corpus = gp.Corpus.read(name)
    units = distributed.units(corpus, **ASKED)
    place = pathlib.Path(folder)
    if task == "units":
        print(len(units))
    elif task == "unit":
        number = int(os.environ["SLURM_ARRAY_TASK_ID"])
        file = place / f"unit-{number}.bin"
        if not file.exists():
            place.mkdir(parents=True, exist_ok=True)
            partial = file.with_suffix(".partial")
            # Of a machine, a job has the cores that it asked for.
            threads = int(os.environ.get("SLURM_CPUS_PER_TASK", "1"))
            partial.write_bytes(distributed.run_unit(corpus, units[number], threads=threads, **ASKED))
            partial.rename(file)
    else:
        files = [(unit, place / f"unit-{number}.bin") for number, unit in enumerate(units)]
        study = distributed.join(corpus, [(u, f.read_bytes()) for u, f in files if f.exists()], **ASKED)
        print(study)
        study.save(place / "study")


if __name__ == "__main__":
    main(*sys.argv[1:])
