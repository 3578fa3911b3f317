"""Galleries: the answers of the command, from many threads, and closed in time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import gazeprint as gp
import polars as pl
import pytest


def later(halves: tuple[gp.Corpus, gp.Corpus], reader: str) -> gp.Corpus:
    return halves[1].select(readers=[reader])


def test_answers_are_those_of_the_command(command, halves, gallery, tmp_path) -> None:
    for reader in ("r001", "r007"):
        probe = later(halves, reader)
        probe.save(tmp_path / reader)
        flags = ["--gallery", tmp_path / "few.gallery", "--forget", "--json", "--allow-unsupported"]
        theirs = command("identify", tmp_path / reader, *flags, "--fpir", 0.05, codes=(0, 3, 4))
        ours = gallery.identify(probe, fpir=0.05, forget=True, allow_unsupported=True)
        plain = {**asdict(ours), "warnings": [{"warning": w.kind, **w.details} for w in ours.warnings]}
        plain["ranking"] = list(plain["ranking"])
        assert plain == theirs
        claim = command(
            "verify", tmp_path / reader, "--reader", "r001", *flags, "--fmr", 0.01, codes=(0, 3, 4)
        )
        verdict = gallery.verify(
            tmp_path / reader, "r001", fmr=0.01, forget=True, allow_unsupported=True
        )
        plain = {**asdict(verdict), "warnings": [{"warning": w.kind, **w.details} for w in verdict.warnings]}
        assert plain == claim


def test_who_reads_is_found_and_a_replay_is_not(halves, gallery) -> None:
    assert [entry.id for entry in gallery.readers] == sorted(halves[0].readers)
    who = gallery.identify(later(halves, "r003"), fpir=0.2)
    assert (who.decision, who.best.reader, who.is_known) == ("r003", "r003", True)
    assert 0.5 < who.best.posterior <= 1.0
    again = gallery.identify(later(halves, "r003"), fpir=0.2)
    assert again.decision == "unknown" and again.replay is not None and again.replay.of == "earlier probe"
    assert bool(gallery.verify(later(halves, "r004"), "r004", fmr=0.2))
    assert gallery.verify(later(halves, "r005"), "r004", fmr=0.2).decision != "accepted"
    assert [entry["event"] for entry in gallery.log][-4:] == ["identified", "identified", "verified", "verified"]


def test_frames_are_probes_without_a_name(halves, gallery) -> None:
    probe = later(halves, "r002")
    frame = probe.fixations().to_polars().drop("reader")
    by_frame = gallery.identify(frame, probe.words(), forget=True)
    assert by_frame.ranking == gallery.identify(probe, forget=True).ranking
    with pytest.raises(gp.InputError, match="expected one"):
        gallery.identify(halves[1])
    with pytest.raises(gp.InputError, match="words"):
        gallery.identify(frame)


def test_threads_ask_at_once(halves, gallery) -> None:
    readers = halves[0].readers
    probes = {reader: later(halves, reader) for reader in readers}
    alone = {reader: gallery.identify(probes[reader], forget=True).ranking for reader in readers}
    with ThreadPoolExecutor(8) as pool:
        many = list(pool.map(lambda r: (r, gallery.identify(probes[r], forget=True).ranking), readers * 4))
    assert all(ranking == alone[reader] for reader, ranking in many)


def test_other_threads_run_while_work_goes_on(halves, tmp_path) -> None:
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.wait(0.002):
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        desk = gp.Recognizer.open_or_create(tmp_path / "busy.gallery", halves[0])
        desk.enroll(halves[0])
    finally:
        done.set()
        thread.join()
    assert ticks[0] > 20


def test_a_watch_follows_a_reader(halves, gallery, tmp_path) -> None:
    fields = ("text", "line", "x_char", "duration_ms")
    rows = [{name: row.get(name) for name in fields} for row in later(halves, "r006").fixations()][:400]

    async def tracker():  # type: ignore[no-untyped-def]
        for row in rows:
            await asyncio.sleep(0)
            yield gp.Fixation(**row)

    async def followed(watch: gp.Watch) -> list[gp.WatchState]:
        return [state async for state in watch.follow(tracker())]

    asked = {"fmr": 0.05, "allow_unsupported": True, "forget": True}
    with gallery.watch("r006", halves[1], **asked) as watch:
        states = list(watch.states(rows))
    with gallery.watch("r006", halves[1], **asked) as other:
        assert asyncio.run(followed(other)) == states
    assert watch.verdict == other.verdict and watch.verdict is not None
    assert watch.verdict.state.fixations == sum(state.counted for state in states)
    assert states[-1].decision == watch.verdict.state.decision
    with pytest.raises(gp.UsageError, match="has ended"):
        watch.fixation(rows[0])


def test_a_watch_says_what_the_command_says(command, halves, gallery, tmp_path) -> None:
    halves[1].save(tmp_path / "later")
    fields = ("text", "line", "x_char", "duration_ms")
    rows = [{name: row.get(name) for name in fields} for row in later(halves, "r004").fixations()][:300]
    asked = ["--gallery", tmp_path / "few.gallery", "--words", tmp_path / "later" / "words.csv", "--forget"]
    with gallery.watch("r004", halves[1], forget=True, allow_unsupported=True) as watch:
        ours = [asdict(state) for state in watch.states(rows)]
    told = command(
        "watch", "--reader", "r004", *asked, "--allow-unsupported", codes=(0, 3, 4), lines=map(json.dumps, rows)
    )
    usual = {"counted": True, "replay": False, "lifeless": False}
    assert ours == [{**usual, **json.loads(line)} for line in told.splitlines()]


def test_texts_of_a_watch_may_be_announced(gallery) -> None:
    with gallery.watch("r006", allow_unsupported=True) as watch:
        with pytest.raises(gp.InputError, match="s999"):
            watch.fixation(text="s999", x_char=1.0, duration_ms=200.0)
        watch.announce("s999", [(1, 0, 3), (1, 4, 9)])
        assert watch.fixation({"text": "s999", "x_char": 1.0, "duration_ms": 200.0}).state.counted
        with pytest.raises(gp.InputError, match="fixation"):
            watch.fixation({"line": 1})
        with pytest.raises(gp.InputError, match="starts at character 3"):
            watch.announce("s1000", [(1, 0, 5), (1, 3, 9)])


def test_a_closed_recognizer_says_so(halves, gallery) -> None:
    probe = later(halves, "r001")
    with gallery:
        gallery.identify(probe, forget=True)
    for ask in (
        lambda: gallery.identify(probe),
        lambda: gallery.verify(probe, "r001"),
        lambda: gallery.watch("r001"),
        lambda: gallery.enroll(halves[0]),
        lambda: gallery.readers,
        lambda: len(gallery),
    ):
        with pytest.raises(gp.UsageError, match="closed"):
            ask()
    gallery.close()
    assert repr(gallery) == "Recognizer (closed)"


def test_errors_are_of_their_kind(halves, gallery, tmp_path) -> None:
    with pytest.raises(gp.NotFoundError):
        gp.Recognizer.open(tmp_path / "none.gallery")
    with pytest.raises(gp.NotFoundError, match="r001"):
        gallery.verify(later(halves, "r001"), "r01")
    with pytest.raises(gp.UsageError, match="fpir"):
        gallery.identify(later(halves, "r001"), fpir=2.0)
    with pytest.raises(gp.UnsupportedError):
        gallery.identify(later(halves, "r001"), fpir=0.0001)
    with pytest.raises(gp.ConflictError):
        gallery.enroll(halves[0])
    (tmp_path / "text.gallery").write_text("not a gallery")
    with pytest.raises(gp.InputError):
        gp.Recognizer.open(tmp_path / "text.gallery")
    (tmp_path / "cut.gallery").write_bytes((tmp_path / "few.gallery").read_bytes()[:50_000])
    with pytest.raises((gp.DamagedError, gp.StorageError, gp.InputError)):
        gp.Recognizer.open(tmp_path / "cut.gallery").check()


def test_secrets_lock_a_gallery(halves, tmp_path) -> None:
    place = tmp_path / "locked.gallery"
    few = halves[0].select(readers=["r001", "r002"])
    with gp.Recognizer.open_or_create(place, few, passphrase="amber moss under tall old pines") as desk:
        desk.enroll(few)
        assert desk.is_encrypted
    with pytest.raises(gp.LockedError):
        gp.Recognizer.open(place)
    with pytest.raises(PermissionError):
        gp.Recognizer.open(place, passphrase="amber moss under tall old oaks")
    with pytest.raises(gp.UsageError):
        gp.Recognizer.open(place, passphrase="amber moss under tall old pines", key_file=tmp_path / "key")
    assert len(gp.Recognizer.open(place, passphrase="amber moss under tall old pines")) == 2


def test_readers_come_and_go(halves, gallery) -> None:
    gone = gallery.remove("r001")
    assert (gone.reader, gone.left, len(gallery)) == ("r001", None, 11)
    told: list[str] = []
    done = gallery.enroll(
        halves[0].select(readers=["r001"]), progress=lambda _share, _what, enrolled: told.extend(enrolled)
    )
    assert [entry.id for entry in done.readers] == told == ["r001"]
    short = halves[0].select(readers=["r002"]).fixations().to_polars().head(50)
    short = gp.Corpus(short.with_columns(reader=pl.lit("short")), halves[0].words())
    with pytest.raises(gp.InputError, match="dozen"):
        gallery.enroll(short)
    assert gallery.check() > 0 and gallery.standing.readers == 12


SLOW = """
import gazeprint as gp, sys
corpus = gp.Corpus.simulate(readers=60, texts=60)
print("ready", flush=True)
try:
    gp.study(corpus, "semiparametric", engine="metropolis", splits=50)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_ctrl_c_stops_long_work() -> None:
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        threading.Timer(1.0, process.send_signal, [signal.SIGINT]).start()
        out, _ = process.communicate(timeout=60)
    assert (out, process.returncode) == ("stopped\n", 0)
