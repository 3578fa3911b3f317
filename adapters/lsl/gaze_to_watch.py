#!/usr/bin/env python3
"""Gaze of an LSL stream, or of a recorded one, as fixations for `gazeprint watch` or `/v1/watch` of `gazeprint serve`.

    gaze_to_watch.py --stream Gaze --markers Texts --pages pages.json --px-per-degree 35 \\
        | gazeprint watch --reader anna --gallery staff.gallery
    gaze_to_watch.py --recorded gaze.csv --pages pages.json --px-per-degree 35 \\
        --watch 'ws://127.0.0.1:7878/v1/watch?reader=anna' --token-file token

README.md beside this file says what pages and recorded streams look like.
"""

import argparse
import contextlib
import csv
import json
import math
import sys
import threading
from itertools import chain
from pathlib import Path

from fixations import DETECTORS
from websocket import Refused, WebSocket

SILENCE_S = 5.0
"""Seconds without a sample after which a stream has ended, once it has begun."""


class Page:
    """A text on the screen, its letters all of one width."""

    def __init__(self, page):
        self.text = page["text"]
        self.left, self.top = page["left"], page["top"]
        self.char_width, self.line_height = page["char_width"], page["line_height"]
        self.words = page.get("words") or [
            {"line": number, "char_start": start, "char_end": end}
            for number, line in enumerate(page["lines"], 1)
            for start, end in spans(line)
        ]
        self.lines = sorted({word.get("line", 1) for word in self.words})

    def announcement(self):
        return {"text": self.text, "words": self.words}

    def line_of(self, fixation):
        """A fixation as a line of a watch; none where it is off the page."""
        number = 1 + math.floor((fixation.y - self.top) / self.line_height)
        nearest = min(self.lines, key=lambda line: abs(line - number))
        middle = self.top + (nearest - 0.5) * self.line_height
        if abs(fixation.y - middle) > self.line_height:
            return None
        return {
            "text": self.text,
            "line": nearest,
            "x_char": round((fixation.x - self.left) / self.char_width, 3),
            "duration_ms": round(fixation.duration, 3),
            "gap": fixation.gap,
        }


def spans(line):
    """Where the words of a line begin and end: they stand between blanks."""
    start = None
    for place, letter in enumerate(line + " "):
        if letter.isspace():
            if start is not None:
                yield start, place
            start = None
        elif start is None:
            start = place


def watch_lines(events, pages, detector):
    """Lines of a watch from samples `(ms, x, y)` and marks `(ms, name of the text that is shown)`."""
    page, announced, is_lost = None, set(), False
    for event in chain(events, [(math.inf, None)]):
        is_mark = len(event) == 2
        for fixation in detector.end() if is_mark else detector.see(*event):
            line = page and page.line_of(fixation)
            if not line:
                is_lost = True
                continue
            if page.text not in announced:
                announced.add(page.text)
                yield page.announcement()
            line["gap"] = line["gap"] or is_lost
            is_lost = False
            yield line
        if is_mark:
            page, is_lost = pages.get(event[1]), False


def recorded(file):
    """Samples and marks of a table with the columns time (ms), x, y and, where texts change, text."""
    with open(file, newline="") as rows:
        shown = None
        for row in csv.DictReader(rows):
            time = float(row["time"])
            if row.get("text") and row["text"] != shown:
                shown = row["text"]
                yield time, shown
            yield time, *(float(row[axis]) if row[axis] else math.nan for axis in ("x", "y"))


def interval_of(file):
    """The usual time between samples of a recorded stream, ms."""
    times = [event[0] for event in recorded(file) if len(event) == 3][:1000]
    apart = sorted(b - a for a, b in zip(times, times[1:]) if b > a)
    if not apart:
        raise SystemExit(f"{file}: found fewer than two samples")
    return apart[len(apart) // 2]


def streamed(inlet, markers, channels, scale):
    """Samples and marks of LSL, in the order of their times; it ends when nothing comes for a while."""
    marks, has_begun, last = [], False, 0.0
    while True:
        sample, time = inlet.pull_sample(timeout=SILENCE_S)
        while markers:
            mark, at = markers.pull_sample(timeout=0.0)
            if mark is None:
                break
            marks.append((1000.0 * at, mark[0]))
        if sample is None:
            if has_begun:
                return
            continue
        has_begun = True
        time = 1000.0 * time
        while marks and marks[0][0] <= time:
            yield marks.pop(0)
        if time > last:
            last = time
            yield time, *(sample[channel] * factor for channel, factor in zip(channels, scale))


def of_lsl(options):
    """Interval and events of an LSL stream."""
    try:
        import pylsl
    except ImportError:
        raise SystemExit("LSL needs the package pylsl: pip install pylsl") from None

    def inlet(name):
        found = pylsl.resolve_byprop("name", name, timeout=30.0)
        if not found:
            raise SystemExit(f"found no LSL stream {name!r}")
        # Times of the machines that gaze and markers come from are put on one clock.
        return pylsl.StreamInlet(found[0], processing_flags=pylsl.proc_clocksync | pylsl.proc_dejitter)

    gaze = inlet(options.stream)
    rate = gaze.info().nominal_srate()
    if not rate > 0:
        raise SystemExit(f"{options.stream}: found a stream without a rate, expected samples of a tracker")
    scale = [float(side) for side in options.screen.split("x")] if options.screen else [1.0, 1.0]
    markers = inlet(options.markers) if options.markers else None
    return 1000.0 / rate, streamed(gaze, markers, options.channels, scale)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--stream", help="name of an LSL stream of gaze")
    source.add_argument("--recorded", type=Path, help="table of samples: time (ms), x, y, text")
    parser.add_argument("--markers", help="name of an LSL stream of markers, which name the text that is shown")
    parser.add_argument("--channels", type=int, nargs=2, default=[0, 1], help="channels of x and y, from 0")
    parser.add_argument("--screen", help="pixels, such as 1920x1080, where the stream has parts of the screen (0 to 1)")
    parser.add_argument("--pages", type=Path, required=True, help="where texts are on the screen (JSON)")
    parser.add_argument("--px-per-degree", type=float, required=True, help="pixels of a degree")
    parser.add_argument("--detector", choices=DETECTORS, default="ivt", help="how fixations are found")
    parser.add_argument("--watch", help="WebSocket to send to, instead of writing to standard output")
    parser.add_argument("--token-file", type=Path, help="file with the token for it")
    options = parser.parse_args()
    if options.watch and not options.token_file:
        parser.error("--watch needs --token-file")
    return options


def send(lines, url, token):
    """Sends lines over a WebSocket, and prints what is answered."""
    connection = WebSocket(url, token)

    def answers():
        # Who speaks to a server that is gone is told so.
        with contextlib.suppress(OSError):
            for text in connection.texts():
                print(text, flush=True)

    listening = threading.Thread(target=answers)
    listening.start()
    for line in lines:
        connection.send(json.dumps(line))
    connection.send(json.dumps({"end": True}))
    listening.join()


def main():
    options = arguments()
    pages = [Page(page) for page in json.loads(options.pages.read_text())]
    pages = {page.text: page for page in pages}
    if options.recorded:
        interval, events = interval_of(options.recorded), recorded(options.recorded)
    else:
        interval, events = of_lsl(options)
    if len(pages) == 1:
        events = chain([(0.0, next(iter(pages)))], events)
    lines = watch_lines(events, pages, DETECTORS[options.detector](interval, options.px_per_degree))
    try:
        if options.watch:
            send(lines, options.watch, options.token_file.read_text().strip())
        else:
            for line in lines:
                print(json.dumps(line), flush=True)
    except (Refused, OSError) as error:
        sys.exit(f"the watch ended: {error}")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
