#!/usr/bin/env python3
"""What `gazeprint import` makes of files that once went wrong, against small parsers of the same files.

    scripts/references/imports.py target/debug/gazeprint [RAW]

For each file, the command is run, its file is parsed here by other means, and the fixations are compared, row by row. Prints
a table in Markdown: what is checked, the file, the command, what came of it, and how many rows are alike. Real recordings
are taken from the folder RAW, ../shared/corpora/raw where none is given; those that are not there are skipped, aloud. Other
files are made after the formats of their makers. Fails where something is not as it should be. Needs Python alone.
"""

import collections
import csv
import io
import json
import math
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile

CASES = []
PAGE = [(100 + 90 * (i % 8), 200 + 60 * (i // 8), 180 + 7 * (i % 11)) for i in range(40)]


def case(item, what, *arguments, **rest):
    """Takes a case: a function that writes files into a folder, and parses them; or None, where nothing comes in."""

    def take(function):
        CASES.append(dict(rest, item=item, what=what, arguments=list(arguments), make=function))
        return function

    return take


def table(folder, name, header, rows, between=","):
    lines = [between.join(header)] + [between.join(map(str, row)) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n")


def records(path, between=",", skip=0):
    lines = path.read_text().splitlines()[skip:]
    return list(csv.DictReader(lines, delimiter=between))


# Item 1: messages.


def eyelink(path, named):
    """Fixations of EFIX, each with what the next message that matches says."""
    waiting, rows = [], []
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith("EFIX"):
            _, _, start, end, _, x, y, *_ = line.split()
            waiting.append((float(x), float(y), float(end) - float(start) + 1))
        said = re.search(named, line)
        if said:
            rows += [(said[1], *fixation) for fixation in waiting]
            waiting = []
    return rows


@case(1, "made: EyeLink, `TRIAL_VAR` after each trial", "r.asc", "--trial-pattern", r"TRIAL_VAR item (?P<text>\w+)",
      columns=("text", "x_px", "y_px", "duration_ms"))
def messages_at_ends(folder, variable="item"):
    lines = []
    for number, item in enumerate(["frog", "toad", "newt", "swan"], 1):
        at = 10000 * number
        lines += [f"MSG\t{at} TRIALID {number}", f"START\t{at} \tLEFT\tEVENTS", "EVENTS\tGAZE\tLEFT\tRATE\t1000.00"]
        for i, (x, y, lasts) in enumerate(PAGE[number:number + 12]):
            lines.append(f"EFIX L {at + 260 * i} {at + 260 * i + lasts - 1} {lasts} {x}.0 {y}.0 800")
        lines += [f"END\t{at + 9000} \tEVENTS\tRES\t30.00\t30.00", f"MSG\t{at + 9001} !V TRIAL_VAR {variable} {item}"]
    (folder / "r.asc").write_text("\n".join(lines) + "\n")
    return eyelink(folder / "r.asc", rf"TRIAL_VAR {variable} (\w+)")


@case(1, "the same, with a pattern that matches nothing", "r.asc", "--trial-pattern", r"PAGE (?P<text>\d+)",
      refused=True, said="no message that the pattern")
def nothing_matches(folder):
    messages_at_ends(folder)


@case(1, "the same, without a pattern", "r.asc", columns=("text", "x_px", "y_px", "duration_ms"))
def known_variables(folder):
    return messages_at_ends(folder)


@case(1, "the same, where nothing but `TRIALID 1` and so on is known", "r.asc", pasted="--trial-pattern",
      columns=("text", "x_px", "y_px", "duration_ms"))
def counters(folder):
    return messages_at_ends(folder, "picture")


def real_eyelink(name):
    def make(folder):
        (folder / name).write_bytes((RAW / "eyelink-asc" / name).read_bytes())
        rows = []
        for line in (folder / name).read_text(errors="replace").splitlines():
            if line.startswith("EFIX"):
                _, _, start, end, _, x, y, *_ = line.split()
                rows.append((float(x), float(y), float(start)))
        return rows

    return make


for recording in ["monocular.asc", "raccoons.asc"]:
    case(1, f"real: EyeLink, `{recording}` (tests of pymovements)", recording, raw=f"eyelink-asc/{recording}",
         columns=("x_px", "y_px", "onset_ms"))(real_eyelink(recording))


# Item 2: whether it looks like reading.


@case(2, "made: Tobii Studio 2, a row for each sample", "all.tsv", columns=("x_px", "y_px", "duration_ms"))
def tobii_studio(folder):
    lines = ["System Properties:", "Operating System:\tWindows", "", "Data Properties:", "Participant:\tP13", ""]
    lines.append("\t".join(["Timestamp", "StimuliName", "FixationIndex", "FixationDuration", "MappedFixationPointX",
                            "MappedFixationPointY"]))
    time = 0
    for i, (x, y, lasts) in enumerate(PAGE, 1):
        for _ in range(lasts // 17):
            lines.append(f"{time}\tpage.png\t{i}\t{lasts}\t{x}\t{y}")
            time += 17
        lines += [f"{time + 17 * k}\tpage.png\t\t\t\t" for k in range(3)]
        time += 51
    (folder / "all.tsv").write_text("\n".join(lines) + "\n")
    seen = {}
    for row in records(folder / "all.tsv", "\t", 6):
        if row["FixationIndex"]:
            point = row["MappedFixationPointX"], row["MappedFixationPointY"], row["FixationDuration"]
            seen[row["FixationIndex"]] = tuple(map(float, point))
    return list(seen.values())


@case(2, "made: Gazepoint, parts of the screen", "User 1_fixations.csv", "--screen-px", "1920x1080",
      columns=("text", "x_px", "y_px", "duration_ms"))
def gazepoint(folder):
    rows = [(1, "page", i, f"{x / 1920:.5f}", f"{y / 1080:.5f}", 0.26 * i, lasts / 1000, 1)
            for i, (x, y, lasts) in enumerate(PAGE)]
    table(folder, "User 1_fixations.csv", ["MEDIA_ID", "MEDIA_NAME", "FPOGID", "FPOGX", "FPOGY", "FPOGS", "FPOGD", "FPOGV"], rows)
    return [(row["MEDIA_NAME"], 1920 * float(row["FPOGX"]), 1080 * float(row["FPOGY"]), 1000 * float(row["FPOGD"]))
            for row in records(folder / "User 1_fixations.csv")]


@case(2, "made: a table with saccades in `eye_event`", "a.csv", columns=("x_px", "duration_ms"))
def events(folder):
    rows = []
    for i, (x, y, lasts) in enumerate(PAGE):
        rows += [("anna", "t", "fixation", x, y, lasts), ("anna", "t", "saccade", x + 45, y, 30)]
    table(folder, "a.csv", ["reader", "text", "eye_event", "x_px", "y_px", "duration_ms"], rows)
    return [(float(row["x_px"]), float(row["duration_ms"])) for row in records(folder / "a.csv") if row["eye_event"] == "fixation"]


@case(2, "made: durations with a mean of 4,231 ms", "a.csv", "--strict", refused=True, said="mean duration")
def too_long(folder):
    table(folder, "a.csv", ["reader", "text", "x_px", "y_px", "duration_ms"],
          [("anna", "t", x, y, 4231) for x, y, _ in PAGE])


@case(2, "made: EyeLink, places beyond `DISPLAY_COORDS`", "r.asc", said="right of the screen or below it", columns=("x_px", "y_px"))
def beyond_the_screen(folder):
    lines = ["MSG\t900 DISPLAY_COORDS 0 0 1023 767", "MSG\t1000 TRIALID frog", "START\t1000\tLEFT\tEVENTS",
             "EVENTS\tGAZE\tLEFT\tRATE\t1000.00"]
    lines += [f"EFIX L {2000 + 260 * i} {1999 + 260 * i + d} {d} {x + 900}.0 {y}.0 800" for i, (x, y, d) in enumerate(PAGE)]
    (folder / "r.asc").write_text("\n".join([*lines, "END\t20000\tEVENTS\tRES\t30\t30"]) + "\n")
    return [tuple(map(float, line.split()[5:7])) for line in lines if line.startswith("EFIX")]


# Item 3: marks of validity.


def tremor(i):
    """What eyes do at rest, in pixels."""
    chance = (i * 2654435761 ^ 0x5BD1E995) & 0xFFFFFFFF
    return (chance * 1664525 + 1013904223 & 0xFFFFFFFF) / 2**32


def rests(folder, column, good, bad, name="a.csv"):
    """Samples of rests; bad ones are far away."""
    rows = []
    for i in range(2400):
        x, y, _ = PAGE[i // 60]
        fine = (i // 60) % 5 != 2
        rows.append(("anna", "t", 4 * i, (x if fine else 5000) + tremor(i), y + tremor(i + 50000), good if fine else bad))
    table(folder, name, ["reader", "text", "time", "x_px", "y_px", column], rows)
    found = collections.defaultdict(list)
    for row in records(folder / name):
        if row[column] == good:
            found[int(row["time"]) // 240].append(float(row["x_px"]))
    return [(sum(x) / len(x),) for _, x in sorted(found.items())]


for column, good, bad in [("validity", "1", "0"), ("validity", "0", "4"), ("is_valid", "True", "False"), ("confidence", "0.98", "0.2")]:
    case(3, f"made: samples with `{column}`, good ones {good}", "a.csv", columns=("x_px",), near=1.5,
         said="samples are good where")(lambda folder, marks=(column, good, bad): rests(folder, *marks))


# Item 4: labels of areas.


@case(4, "made: areas with a blank before labels, and accents on their own", "f.csv", "--words", "w.csv", words=True,
      columns=("word", "char_start", "char_end"))
def labels(folder):
    words, rows, left = ["The", "cafe\u0301", "was", "u\u0308ber", "there", "at", "nineteen"], [], 100
    for i, word in enumerate(words, 1):
        wide = 12 * len(word.replace("\u0301", "").replace("\u0308", ""))
        blank = 0 if i == 1 else 12
        rows.append(("t", i, ("" if i == 1 else " ") + word, left, left + blank + wide, 100, 150))
        left += blank + wide
    table(folder, "w.csv", ["text", "IA_ID", "IA_LABEL", "IA_LEFT", "IA_RIGHT", "IA_TOP", "IA_BOTTOM"], rows)
    table(folder, "f.csv", ["reader", "text", "x_px", "y_px", "duration_ms"], [("anna", "t", 110 + 20 * i, 125, 200 + i) for i in range(12)])
    found, at = [], 0
    for row in records(folder / "w.csv"):
        label = row["IA_LABEL"].strip()
        size = sum(1 for c in label if not 0x300 <= ord(c) < 0x370)
        found.append((label, at, at + size))
        at += size + 1
    return found


@case(4, "made: `line_idx` from 0, `char_end` the last character", "f.csv", "--words", "w.csv",
      columns=("line", "x_char", "duration_ms"))
def lines_from_0(folder):
    words = [("t", n // 8 + 1, n + 1, "tiger", 6 * (n % 8), 6 * (n % 8) + 4) for n in range(48)]
    table(folder, "w.csv", ["text", "line", "word_index", "word", "char_start", "char_end"], words)
    rows = [("anna", "t", i * 2 % 48 // 8, 6 * (i * 2 % 8) + 0.5 + i % 5, 180 + i % 60) for i in range(120)]
    table(folder, "f.csv", ["reader", "text", "line_idx", "x_char", "duration_ms"], rows)
    return [(int(row["line_idx"]) + 1, float(row["x_char"]), float(row["duration_ms"])) for row in records(folder / "f.csv")]


# Item 5: several readings of a text.


def report_of_data_viewer(folder, index):
    header = ["RECORDING_SESSION_LABEL", "item", "CURRENT_FIX_INDEX", "CURRENT_FIX_X", "CURRENT_FIX_Y", "CURRENT_FIX_DURATION"]
    rows = [("P1", item, i + 1, *PAGE[(i + 5 * turn) % 40]) for turn, item in enumerate(["s", "t", "s"]) for i in range(15)]
    keep = [at for at in range(6) if index or at != 2]
    table(folder, "fix.txt", [header[at] for at in keep], [[row[at] for at in keep] for row in rows], "\t")
    found, turns, last = [], collections.Counter(), None
    for row in records(folder / "fix.txt", "\t"):
        turns[row["item"]] += row["item"] != last
        last = row["item"]
        found.append((last, float(turns[last]), *(float(row[name]) for name in header[3:])))
    return found


for index in [True, False]:
    case(5, f"made: Data Viewer, without trial or onset, {'with' if index else 'without'} an index", "fix.txt",
         columns=("text", "trial", "x_px", "y_px", "duration_ms"))(lambda folder, index=index: report_of_data_viewer(folder, index))


@case(5, "real: OneStop, a report of Data Viewer", "fixations.csv", raw="dataviewer-onestop/fixations.csv",
      columns=("reader", "x_px", "y_px", "duration_ms"))
def onestop(folder):
    (folder / "fixations.csv").write_bytes((RAW / "dataviewer-onestop/fixations.csv").read_bytes())
    found = []
    for row in records(folder / "fixations.csv"):
        x, y = (missing_or_number(row[f"CURRENT_FIX_{axis}"]) for axis in "XY")
        found.append((row["participant_id"], x if y != "" else "", y if x != "" else "", float(row["CURRENT_FIX_DURATION"])))
    return found


def missing_or_number(cell):
    return "" if cell in ("", ".", "NA") else float(cell)


# Item 6: names of files.


def named_files(folder, texts):
    found = []
    for reader in ["P01", "P02"]:
        for part in ["A", "B"]:
            rows = [((f"{part}{i // 12}",) if texts else ()) + (260 * i, *PAGE[(i + 3 * ord(part) + ord(reader[2])) % 40]) for i in range(36)]
            table(folder, f"{reader}_{part}.csv", (["text"] if texts else []) + ["onset", "x_px", "y_px", "duration_ms"], rows)
            for row in records(folder / f"{reader}_{part}.csv"):
                found.append((reader, row.get("text", part), float(row["x_px"]), float(row["duration_ms"])))
    return found


NAMES = ["P01_A.csv", "P01_B.csv", "P02_A.csv", "P02_B.csv"]
for texts in [False, True]:
    case(6, f"made: names of files tell who reads, texts are in {'a column' if texts else 'them as well'}", *NAMES,
         pasted="--from-name", columns=("reader", "text", "x_px", "duration_ms"))(lambda folder, texts=texts: named_files(folder, texts))


@case(6, "the same, with a pattern that texts in the rows contradict", *NAMES, "--from-name", "(?<reader>[^_]+)_(?<text>[^.]+)",
      refused=True, said="where rows before have")
def contradicted(folder):
    named_files(folder, True)


@case(6, "made: Data Viewer, a label for each session of a reader", "fix.txt", pasted="--from-reader",
      columns=("reader", "session", "x_px", "duration_ms"))
def labels_of_sessions(folder):
    header = ["RECORDING_SESSION_LABEL", "item", "CURRENT_FIX_INDEX", "CURRENT_FIX_X", "CURRENT_FIX_Y", "CURRENT_FIX_DURATION"]
    labels = ["S01_1", "S01_2", "S02_1", "S02_2"]
    rows = [(label, "s", i + 1, *PAGE[(i + 5 * turn) % 40]) for turn, label in enumerate(labels) for i in range(15)]
    table(folder, "fix.txt", header, rows, "\t")
    return [(*row[header[0]].split("_"), float(row[header[3]]), float(row[header[5]])) for row in records(folder / "fix.txt", "\t")]


# Item 7: SWIFT.


def swift(lines, items, reader):
    found = []
    for line in lines:
        sentence, word, letter, lasts = line.split()[:4]
        text = items[int(sentence) - 1].split()
        start = sum(len(other) + 1 for other in text[:int(word) - 1])
        found.append((reader, sentence, start - 1 + float(letter), float(lasts)))
    return found


@case(7, "made: SWIFT with 10 columns", "fixseqin_1.dat", "--text", "items.txt", "--reader", "r",
      columns=("reader", "text", "x_char", "duration_ms"))
def swift_of_ten(folder):
    (folder / "items.txt").write_text("The old dog sleeps here\nA cafe is open late\n")
    rows = [f"{1 + i // 15} {1 + i * 2 % 5} {0.5 + i % 3:.2f} {150 + 3 * i} 7 {int(i % 15 == 0)} 0 0 {i} 10" for i in range(30)]
    (folder / "fixseqin_1.dat").write_text("\n".join(rows) + "\n")
    return swift(rows, (folder / "items.txt").read_text().splitlines(), "r")


def swift_real(folder, sequence):
    for name in ["items.txt", sequence]:
        (folder / name).write_bytes((RAW / "swift" / name).read_bytes())
    lines = (folder / sequence).read_text().splitlines()
    return [("r", line.split()[0], float(line.split()[3])) for line in lines if line.strip()]


for sequence in [f"fixseqin_{n}-1abcd.dat" for n in range(1, 6)]:
    case(7, f"real: SWIFT, `{sequence}`", sequence, "--text", "items.txt", "--reader", "r", raw=f"swift/{sequence}",
         columns=("reader", "text", "duration_ms"))(lambda folder, sequence=sequence: swift_real(folder, sequence))


# Item 8: Tobii Pro Lab.


def pro_lab(folder, unit, samples):
    header = ["Recording timestamp", "Participant name", "Presented Stimulus name", "Event", "Eye movement type",
              "Gaze event duration", "Eye movement type index", "Fixation point X", "Fixation point Y"]
    rows, time = [], 1000
    for i, (x, y, lasts) in enumerate(PAGE, 1):
        for k in range(lasts // 8 if samples else 1):
            rows.append((unit * (time + 8 * k), "anna", "page 1", "MouseEvent" if k == 1 else "", "Fixation", lasts, i, x, y))
        time += lasts + 30
    table(folder, "t.tsv", header, rows, "\t")
    seen = {}
    for row in records(folder / "t.tsv", "\t"):
        numbers = (row["Fixation point X"], row["Fixation point Y"], row["Gaze event duration"])
        seen.setdefault(row["Eye movement type index"], (*map(float, numbers), float(row["Recording timestamp"]) / unit))
    return list(seen.values())


for unit, samples in [(1, True), (1000, True), (1, False), (1000, False)]:
    case(8, f"made: Tobii Pro Lab, times in {'ms' if unit == 1 else 'microseconds'} without a label, a row for each "
         f"{'sample' if samples else 'fixation'}", "t.tsv", columns=("x_px", "y_px", "duration_ms", "onset_ms"))(
        lambda folder, how=(unit, samples): pro_lab(folder, *how))


# Item 9: advice that works when it is pasted.


@case(9, "made: samples with `x_left`", "a.csv", "--format", "samples", pasted="--map", columns=("x_px",), near=1.5)
def advice_of_samples(folder):
    found = rests(folder, "validity", "1", "0")
    text = (folder / "a.csv").read_text().replace("x_px,y_px", "x_left,y_left")
    (folder / "a.csv").write_text(text)
    return found


@case(9, "made: durations in `how long`, an unknown name", "a.csv", pasted={"duration=COLUMN": "duration=how long"},
      columns=("x_px", "duration_ms"))
def advice_of_tables(folder):
    table(folder, "a.csv", ["reader", "text", "x_px", "y_px", "how long"], [("anna", "t", *row) for row in PAGE])
    return [(float(row["x_px"]), float(row["how long"])) for row in records(folder / "a.csv")]


# Item 10: an import that would replace its own input.


@case(10, "made: `--overwrite --out .` beside its input", "fixations.csv", out=".", refused=True, said="", unchanged="fixations.csv")
def own_input(folder):
    table(folder, "fixations.csv", ["reader", "text", "x_px", "y_px", "duration_ms"], [("anna", "t", *row) for row in PAGE])


# Item 11: formats.


def places(path, **rest):
    return [tuple(float(row[name]) for name in ("x", "y", "duration")) for row in records(path, **rest)]


IN_PIXELS = ("x_px", "y_px", "duration_ms")


@case(11, "made: a table of R, separated by blanks", "a.txt", columns=IN_PIXELS)
def of_r(folder):
    lines = ['"reader" "text" "x" "y" "duration"'] + [f'"{i}" "anna" "t one" {x} {y} {d}' for i, (x, y, d) in enumerate(PAGE, 1)]
    (folder / "a.txt").write_text("\n".join(lines) + "\n")
    return [tuple(map(float, line.split()[-3:])) for line in lines[1:]]


@case(11, "made: starts and ends, no duration", "a.csv", columns=IN_PIXELS)
def starts_and_ends(folder):
    table(folder, "a.csv", ["reader", "text", "start", "end", "x", "y"], [("anna", "t", 260 * i, 260 * i + d, x, y) for i, (x, y, d) in enumerate(PAGE)])
    return [(float(row["x"]), float(row["y"]), float(row["end"]) - float(row["start"])) for row in records(folder / "a.csv")]


@case(11, "made: Pupil Labs, `fixations.csv`", "fixations.csv", "--screen-px", "1920x1080", columns=IN_PIXELS)
def pupil_labs(folder):
    table(folder, "fixations.csv", ["id", "start_timestamp", "duration", "norm_pos_x", "norm_pos_y", "confidence"],
          [(i, 0.26 * i, d, round(x / 1920, 5), round(1 - y / 1080, 5), 0.9) for i, (x, y, d) in enumerate(PAGE)])
    return [(1920 * float(row["norm_pos_x"]), 1080 * (1 - float(row["norm_pos_y"])), float(row["duration"]))
            for row in records(folder / "fixations.csv")]


@case(11, "made: DA1", "s1.da1", columns=("text", "line", "x_char", "duration_ms"))
def da1(folder):
    lines = []
    for trial in range(1, 5):
        cells = [trial, 2, 10 + trial, 3000, 0, 0, 0, 10]
        for i in range(10):
            cells += [5 * i, 0, 260 * i, 260 * i + 180 + i]
        lines.append(" ".join(map(str, cells)))
    (folder / "s1.da1").write_text("\n".join(lines) + "\n")
    found = []
    for line in lines:
        cells = [int(cell) for cell in line.split()]
        for character, row, start, end in zip(*(cells[8 + k::4] for k in range(4))):
            found.append((f"{cells[2]}_{cells[1]}", row + 1, character + 0.5, end - start))
    return found


@case(11, "made: SMI BeGaze, statistics of events", "e.txt", columns=IN_PIXELS)
def smi(folder):
    header = ["Stimulus", "Participant", "Category", "Event Start Trial Time [ms]", "Event End Trial Time [ms]", "Event Duration [ms]",
              "Fixation Position X [px]", "Fixation Position Y [px]", "Eye L/R"]
    rows = []
    for i, (x, y, d) in enumerate(PAGE):
        rows += [("page.png", "P1", "Fixation", 260 * i, 260 * i + d, d, x, y, "Right"),
                 ("page.png", "P1", "Saccade", 260 * i + d, 260 * i + 250, 250 - d, "-", "-", "Right")]
    table(folder, "e.txt", header, rows, "\t")
    return [tuple(float(row[name]) for name in header[6:8] + header[5:6]) for row in records(folder / "e.txt", "\t") if row["Category"] == "Fixation"]


@case(11, "made: JSON of eyekit", "a.json", columns=IN_PIXELS)
def eyekit(folder):
    fixations = [{"x": x, "y": y, "start": 260 * i, "end": 260 * i + d} for i, (x, y, d) in enumerate(PAGE)]
    (folder / "a.json").write_text(json.dumps({"trial_0": {"participant_id": "anna", "passage_id": "p", "fixations": {"__FixationSequence__": fixations}}}))
    read = json.loads((folder / "a.json").read_text())["trial_0"]["fixations"]["__FixationSequence__"]
    return [(f["x"], f["y"], f["end"] - f["start"]) for f in read]


@case(11, "made: jsPsych with WebGazer", "a.json", columns=("x_px",), near=1.5)
def jspsych(folder):
    data = [{"x": PAGE[i // 20][0] + tremor(i), "y": PAGE[i // 20][1] + tremor(i + 5000), "t": 15 * i} for i in range(600)]
    (folder / "a.json").write_text(json.dumps([{"trial_index": 3, "subject": "anna", "webgazer_data": data}]))
    found = collections.defaultdict(list)
    for sample in json.loads((folder / "a.json").read_text())[0]["webgazer_data"]:
        found[sample["t"] // 300].append(sample["x"])
    return [(sum(x) / len(x),) for _, x in sorted(found.items())]


@case(11, "made: areas by character (pymovements), a table in pixels", "f.csv", "--words", "w.csv", words=True,
      columns=("word", "char_start", "char_end"))
def characters(folder):
    text, rows = "The old dog sleeps here", []
    for at, letter in enumerate(text):
        word = text[:at].count(" ") + 1
        rows.append(("p", letter, word, text.split()[word - 1], 100 + 12 * at, 100, 12, 40))
    table(folder, "w.csv", ["page", "char", "word_idx", "word", "top_left_x", "top_left_y", "width", "height"], rows)
    table(folder, "f.csv", ["reader", "page", "x_px", "y_px", "duration_ms"], [("anna", "p", 110 + 20 * i, 120, 200 + i) for i in range(12)])
    return [(found[0], found.start(), found.end()) for found in re.finditer(r"\S+", text)]


@case(11, "made: a folder in place of files", ".", columns=("reader", "x_px", "y_px", "duration_ms"))
def of_folder(folder):
    found = []
    for n, name in enumerate(["anna", "ben"]):
        table(folder, f"{name}.csv", ["text", "x", "y", "duration"], [("t", x, y, d + 5 * n) for x, y, d in PAGE])
        found += [(name, *row) for row in places(folder / f"{name}.csv")]
    (folder / "README.txt").write_text("see the manual\n")
    return found


def workbook():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return packed.getvalue()


for name, content, line in [("a.xlsx", workbook(), "pandas.read_excel"), ("a.rda", b"RDX3\nX\n", "write.csv"),
                            ("a.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "scipy.io"), ("a.edf", b"SR_RESEARCH_COMBINED_FILE", "edf2asc")]:
    case(11, f"made: the beginning of `{name}`", name, refused=True, said=re.escape(line))(
        lambda folder, name=name, content=content: (folder / name).write_bytes(content + bytes(600)) and None)


@case(11, "real: SB-SAT, a report of fixations", "18sat_fixfinal.csv", raw="sbsat/18sat_fixfinal.csv",
      columns=("reader", "x_px", "y_px", "duration_ms"))
def sbsat(folder):
    name = "18sat_fixfinal.csv"
    (folder / name).write_bytes((RAW / "sbsat" / name).read_bytes())
    columns = ["CURRENT_FIX_X", "CURRENT_FIX_Y", "CURRENT_FIX_DURATION"]
    return [(row["RECORDING_SESSION_LABEL"], *(float(row[column]) for column in columns)) for row in records(folder / name)]


# Item 12: many files.


@case(12, "made: 40 files of one kind, with columns that are not read", *[f"r{n}.csv" for n in range(40)], shown="`r0.csv` to `r39.csv`",
      as_text="40 files: |ignored", columns=("reader", "x_px", "duration_ms"))
def many(folder):
    found = []
    for n in range(40):
        table(folder, f"r{n}.csv", ["text", "x_px", "y_px", "duration_ms", "mood"], [("t", x, y, d + n % 9, i % 3) for i, (x, y, d) in enumerate(PAGE)])
        found += [(f"r{n}", float(row["x_px"]), float(row["duration_ms"])) for row in records(folder / f"r{n}.csv")]
    return found


# Running.


def rounded(row):
    def cell(value):
        try:
            return round(float(value), 2)
        except ValueError:
            return value

    return tuple(cell(value) for value in row)


def alike(found, wanted, near):
    """How many rows are in both, whatever their order; `near` compares numbers in order instead."""
    if near is None:
        return sum((collections.Counter(map(rounded, found)) & collections.Counter(map(rounded, wanted))).values())
    close = [all(math.isclose(float(a), float(b), abs_tol=near) for a, b in zip(*rows)) for rows in zip(found, wanted)]
    return sum(close)


def command(folder, arguments, out="out"):
    line = [COMMAND, "import", *arguments, "--out", out] + (["--overwrite"] if out != "out" else ["--json"])
    return subprocess.run(line, cwd=folder, capture_output=True, text=True)


def advised(message, pasted):
    """The arguments that a message says to add, with what it leaves open."""
    if isinstance(pasted, dict):
        return ["--map", next(iter(pasted.values()))]
    found = re.search(rf"{pasted} ('[^']+'|\"[^\"]+\"|\S+)", message)
    return shlex.split(found[0].rstrip(";,.)")) if found else []


def check(case):
    """What came of a case, how many rows are alike, and whether that is as it should be."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wanted = case["make"](folder)
        before = {path: path.read_bytes() for path in folder.iterdir()}
        arguments, outcome = case["arguments"], []
        done = command(folder, arguments, case.get("out", "out"))
        if case.get("pasted"):
            said = done.stderr + ("\n".join(json.loads(done.stdout)["warnings"]) if done.returncode == 0 else "")
            more = advised(said, case["pasted"])
            outcome.append(("warned" if done.returncode == 0 else "refused") + "; pasted: `" + shlex.join(more) + "`")
            for path in folder.glob("out/*"):
                path.unlink()
            done = command(folder, arguments + more + ([] if "overwrite" in arguments else ["--overwrite"]))
        said = done.stdout + done.stderr
        if case.get("refused"):
            good = done.returncode == 1 and re.search(case["said"], said) is not None
            good &= all(path.read_bytes() == content for path, content in before.items())
            told = json.loads(done.stderr)["error"]["message"] if done.stderr.startswith("{") else done.stderr
            outcome.append("refused: " + " ".join(told.split())[:110].replace("|", "\\|") + " ...")
            return "; ".join(outcome), "nothing written", good
        if done.returncode != 0:
            return f"FAILED: {' '.join(done.stderr.split())[:300]}", "", False
        report = json.loads(done.stdout)
        good = re.search(case.get("said", ""), said) is not None
        outcome.append("imported" + (f", {len(report['warnings'])} warned of" if report["warnings"] else ""))
        if case.get("as_text"):
            text = subprocess.run([COMMAND, "import", *arguments, "--out", "text"], cwd=folder, capture_output=True, text=True)
            good &= all(part in text.stdout for part in case["as_text"].split("|"))
            outcome.append(f"{len(text.stdout.splitlines())} lines of report")
        file = "words.csv" if case.get("words") else "fixations.csv"
        rows = list(csv.DictReader(io.StringIO((folder / "out" / file).read_text())))
        found = [tuple(row.get(column, "") for column in case["columns"]) for row in rows]
        count = alike(found, wanted, case.get("near"))
        return "; ".join(outcome), f"{count} / {max(len(found), len(wanted))}", good and count == max(len(found), len(wanted))


def main():
    print("| item | file | command | outcome | agreement |\n|---|---|---|---|---|")
    failed = skipped = 0
    for case in sorted(CASES, key=lambda case: case["item"]):
        shown = case.get("shown") or "`" + shlex.join(case["arguments"]).replace("|", "\\|") + "`"
        if case.get("raw") and not (RAW / case["raw"]).exists():
            skipped += 1
            print(f"SKIPPED: {RAW / case['raw']} is not here", file=sys.stderr)
            continue
        outcome, agreement, good = check(case)
        failed += not good
        print(f"| {case['item']} | {case['what']} | {shown} | {outcome}{'' if good else ' NOT AS IT SHOULD BE'} | {agreement} |", flush=True)
    print(f"{len(CASES) - skipped} files, {failed} not as they should be, {skipped} skipped", file=sys.stderr)
    sys.exit(failed > 0)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    COMMAND = str(pathlib.Path(sys.argv[1]).resolve())
    parent = pathlib.Path(__file__).resolve().parents[2].parent
    RAW = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else parent / "shared/corpora/raw"
    main()
