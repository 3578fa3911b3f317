"""Tests of the adapter, against a recorded stream: python3 adapters/lsl/test_adapter.py"""

import base64
import contextlib
import csv
import hashlib
import io
import json
import math
import socket
import struct
import tempfile
import threading
import unittest
from pathlib import Path

from fixations import Idt, Ivt
from gaze_to_watch import Page, interval_of, recorded, send, watch_lines
from websocket import CLOSE, GUID, PING, PONG, TEXT, Refused, WebSocket

FIXTURES = Path(__file__).resolve().parents[2] / "crates/gazeprint-io/tests/fixtures"
PX = 35.0
PAGE = {
    "text": "s1",
    "lines": ["Who reads this line with care, and where do the eyes rest on it?"],
    "left": 0,
    "top": 480,
    "char_width": 14,
    "line_height": 60,
}


def rows(name):
    with open(FIXTURES / name, newline="") as file:
        return list(csv.DictReader(file))


def cases():
    """Each recorded stream: its interval, and its samples in degrees."""
    found = {}
    for row in rows("detection_samples.csv"):
        place = [float(row[axis] or "nan") for axis in ("x", "y")]
        case = found.setdefault(row["case"], (float(row["interval"]), []))
        case[1].append((float(row["time"]), *place))
    return found


def expected(case):
    wanted = [row for row in rows("detection_fixations.csv") if (row["case"], row["method"]) == (case, "ivt")]
    return [[float(row[name]) for name in ("onset", "duration", "x", "y", "gap")] for row in wanted]


def found(detector, samples):
    ended = [fixation for sample in samples for fixation in detector.see(*sample)]
    return ended + detector.end()


def write(folder, interval_and_samples):
    """The stream as a table in pixels, straight ahead in the middle of the screen."""
    file = Path(folder) / "gaze.csv"
    with open(file, "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["time", "x", "y", "text"])
        for time, x, y in interval_and_samples[1]:
            lost = math.isnan(x)
            table.writerow([time, "" if lost else 400 + PX * x, "" if lost else 510 + PX * y, "s1"])
    return file


class Server(threading.Thread):
    """A WebSocket server that repeats lines, until one says that it ends."""

    def __init__(self, status="101 Switching Protocols"):
        super().__init__(daemon=True)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self.listening.getsockname()[1]}/v1/watch?reader=anna"
        self.status = status
        self.heard = []
        self.pongs = 0
        self.start()

    def run(self):
        connection, _ = self.listening.accept()
        stream = connection.makefile("rb")
        head = {}
        self.first = stream.readline().decode()
        while line := stream.readline().decode().strip():
            name, _, value = line.partition(": ")
            head[name] = value
        self.token = head["Authorization"]
        accept = base64.b64encode(hashlib.sha1((head["Sec-WebSocket-Key"] + GUID).encode()).digest()).decode()
        connection.sendall(
            f"HTTP/1.1 {self.status}\r\nSec-WebSocket-Accept: {accept}\r\nContent-Length: 7\r\n\r\n".encode()
        )
        if not self.status.startswith("101"):
            connection.sendall(b"refused")
            return
        while True:
            kind, length = stream.read(2)
            length &= 0x7F
            if length >= 126:
                length = int.from_bytes(stream.read(2 if length == 126 else 8), "big")
            mask = stream.read(4)
            text = bytes(byte ^ mask[i % 4] for i, byte in enumerate(stream.read(length)))
            if kind & 0x0F == CLOSE:
                break
            if kind & 0x0F == PONG:
                self.pongs += 1
                continue
            self.heard.append(json.loads(text))
            # In two parts, with a question between whether the client is there.
            connection.sendall(struct.pack("!BB", TEXT, 1) + text[:1] + struct.pack("!BB", 0x80 | PING, 1) + b"?")
            connection.sendall(struct.pack("!BBH", 0x80, 126, len(text) - 1) + text[1:])
            if self.heard[-1] == {"end": True}:
                connection.sendall(struct.pack("!BBH", 0x80 | CLOSE, 2, 1000))
        stream.close()
        connection.close()
        self.listening.close()


class Tests(unittest.TestCase):
    def test_fixations_are_those_of_the_reference(self):
        for case, (interval, samples) in cases().items():
            ours = [[f.onset, f.duration, f.x, f.y, f.gap] for f in found(Ivt(interval), samples)]
            theirs = expected(case)
            self.assertEqual(len(ours), len(theirs), case)
            for one, other in zip(ours, theirs):
                for a, b in zip(one, other):
                    self.assertAlmostEqual(a, b, 9, case)

    def test_units_do_not_matter(self):
        interval, samples = cases()["250 Hz"]
        scaled = [(time, PX * x, PX * y) for time, x, y in samples]
        for detector in (Ivt, Idt):
            one, other = found(detector(interval), samples), found(detector(interval, PX), scaled)
            self.assertEqual([(f.onset, f.duration) for f in one], [(f.onset, f.duration) for f in other])

    def test_what_stays_together_is_found_where_the_eye_is_slow(self):
        for case, (interval, samples) in cases().items():
            ours = found(Idt(interval), samples)
            for onset, duration, x, y, _ in expected(case):
                if duration < 100:
                    continue
                middle = onset + duration / 2
                at = [f for f in ours if f.onset <= middle < f.onset + f.duration]
                self.assertEqual(len(at), 1, f"{case}, {onset} ms")
                self.assertLess(math.hypot(at[0].x - x, at[0].y - y), 1.0)

    def test_a_recorded_stream_becomes_lines_of_a_watch(self):
        with tempfile.TemporaryDirectory() as folder:
            stream = cases()["250 Hz"]
            file = write(folder, stream)
            self.assertEqual(interval_of(file), stream[0])
            lines = list(watch_lines(recorded(file), {"s1": Page(PAGE)}, Ivt(stream[0], PX)))
        words = lines[0]["words"]
        self.assertEqual((lines[0]["text"], words[1]), ("s1", {"line": 1, "char_start": 4, "char_end": 9}))
        theirs = expected("250 Hz")
        self.assertEqual(len(lines) - 1, len(theirs))
        for line, (_, duration, x, _, gap) in zip(lines[1:], theirs):
            self.assertEqual((line["text"], line["line"], line["gap"]), ("s1", 1, bool(gap)))
            self.assertAlmostEqual(line["duration_ms"], duration, 3)
            self.assertAlmostEqual(line["x_char"], (400 + PX * x) / 14, 2)

    def test_what_is_off_the_page_is_a_loss_of_signal(self):
        rest = lambda begin, y: [(begin + 4.0 * i, 100.0, y) for i in range(50)]
        samples = rest(0, 510.0) + rest(200, 900.0) + rest(400, 510.0)
        marks = [(0.0, "s1"), *samples, (600.0, "unheard of"), *rest(600, 510.0), (800.0, "s1"), *rest(800, 510.0)]
        lines = list(watch_lines(marks, {"s1": Page(PAGE)}, Idt(4.0, PX)))
        self.assertEqual([line.get("gap") for line in lines], [None, False, True, False])

    def test_lines_are_sent_and_answers_printed(self):
        server = Server()
        line = {"text": "s1", "words": [{"line": 1, "char_start": i, "char_end": i + 1} for i in range(0, 400, 2)]}
        with contextlib.redirect_stdout(io.StringIO()) as said:
            send([line], server.url, "gazeprint_x_y")
        server.join()
        self.assertEqual((server.heard, server.pongs), ([line, {"end": True}], 2))
        self.assertEqual([json.loads(text) for text in said.getvalue().splitlines()], server.heard)
        self.assertEqual(server.token, "Bearer gazeprint_x_y")
        self.assertIn("GET /v1/watch?reader=anna HTTP/1.1", server.first)

    def test_a_refusal_says_why(self):
        server = Server("403 Forbidden")
        with self.assertRaisesRegex(Refused, "403 Forbidden: refused"):
            WebSocket(server.url, "x")


if __name__ == "__main__":
    unittest.main()
