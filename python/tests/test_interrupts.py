"""Ctrl-C: Python goes on at once, whatever is under way."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import gazeprint as gp
import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")

#: What Ctrl-C is pressed in.
PROGRAM = """
import os, sys
import gazeprint as gp
place = sys.argv[1]
{before}
print("ready", flush=True)
try:
    {work}
    print("finished", flush=True)
except KeyboardInterrupt:
    print("stopped", flush=True)
# What goes on in other threads is not waited for.
os._exit(0)
"""
#: Seconds until Ctrl-C is pressed, and from then on until Python must have gone on.
UNTIL, SINCE = 0.5, 2.0


def interrupted(place: pathlib.Path, before: str, work: str) -> tuple[str, float]:
    """What came of it, and how long that took from Ctrl-C on."""
    program = PROGRAM.format(before=before, work=work)
    with subprocess.Popen([sys.executable, "-c", program, str(place)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(UNTIL)
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            said, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    return said.strip(), time.monotonic() - pressed


@pytest.mark.parametrize(
    "work",
    [
        "gp.Corpus.read(place)",
        "gp.import_recordings(os.path.join(place, 'fixations.csv'))",
        "gp.Corpus.probe(place)",
    ],
)
def test_ctrl_c_waited_for_files_that_are_slow(work: str, tmp_path: pathlib.Path) -> None:
    # Nothing ever comes out of this one, as out of a disk far away.
    os.mkfifo(tmp_path / "fixations.csv")
    (tmp_path / "words.csv").write_text("text,word_index,char_start,char_end\ns1,1,0,3\n")
    said, seconds = interrupted(tmp_path, "", work)
    assert said == "stopped" and seconds < SINCE, seconds


MANY = "corpus = gp.Corpus.simulate(readers=300, texts=400)"


@pytest.mark.parametrize(
    ("before", "work"),
    [
        (MANY, "[corpus.traits() for _ in range(60)]"),
        (MANY, "[corpus.saccades() for _ in range(200)]"),
        ("values = [150 + i * 37 % 211 for i in range(200_000)]", "[gp.fit_density(values, engine='metropolis') for _ in range(9)]"),
    ],
)
def test_ctrl_c_waited_for_results_that_take_long(before: str, work: str, tmp_path: pathlib.Path) -> None:
    said, seconds = interrupted(tmp_path, before, work)
    assert said == "stopped" and seconds < SINCE, seconds


#: Somebody else writes to the gallery, and does not come to an end.
BUSY = """
import subprocess
gallery = os.path.join(place, "busy.gallery")
desk, probe = gp.Recognizer.open(gallery), gp.Corpus.read(os.path.join(place, "probe"))
other = '''
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("begin exclusive")
print("held", flush=True)
sys.stdin.read()
'''
process = subprocess.Popen([sys.executable, "-c", other, gallery], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
process.stdout.readline()
"""


@pytest.mark.parametrize("work", ["desk.identify(probe)", "desk.verify(probe, 'r001')"])
def test_ctrl_c_waited_for_answers(
    work: str, enrolled: pathlib.Path, halves: tuple[gp.Corpus, gp.Corpus], tmp_path: pathlib.Path
) -> None:
    shutil.copy(enrolled, tmp_path / "busy.gallery")
    halves[1].select(readers=["r001"]).save(tmp_path / "probe")
    said, seconds = interrupted(tmp_path, BUSY, work)
    assert said == "stopped" and seconds < SINCE, seconds
