#!/usr/bin/env python3
"""Reference values for the traits of gazeprint-eval.

Requirements (in a virtual environment; the versions that made the committed values):

    pip install numpy==2.4.6 scipy==1.17.1 pandas==3.1.1

Run from the root of the repository:

    python scripts/references/traits.py

It writes crates/gazeprint-cli/tests/fixtures/traits: a made-up corpus, and in expected.csv the traits of
its readers, which tests/traits.rs compares with.

Everything is computed from the rows of the corpus, by the definitions in docs/traits.md: words by a search
over their regions, passes and saccade types by comparing words, estimates by numpy on all values at once
(numpy.mean, numpy.std, numpy.polyfit), intervals by leaving texts out one by one and computing anew, with
quantiles of scipy.stats. Reliability is not: its halves are random numbers of ours.
"""

import math
import pathlib

import numpy as np
import pandas as pd
from scipy import stats

OUT = pathlib.Path("crates/gazeprint-cli/tests/fixtures/traits")
SHORTEST, LONGEST = 50, 1500


def made_up():
    """Five readers, seven texts of one to three lines, places with three decimals."""
    rng = np.random.default_rng(2026)
    words, fixations = [], []
    texts = {}
    for t in range(7):
        lines, index = [], 0
        for line in range(1, 2 + t % 3):
            start, row = 0, []
            for _ in range(int(rng.integers(6, 11))):
                end = start + int(rng.integers(2, 10))
                index += 1
                row.append((index, start, end))
                words.append((f"t{t}", line, index, start, end))
                start = end + 1
            lines.append(row)
        texts[f"t{t}"] = lines
    for r in range(5):
        # The last reader read a single text; the others all, and two of them one text twice.
        own = [("t0", 1)] if r == 4 else [(t, 1) for t in texts] + ([("t3", 2)] if r < 2 else [])
        for text, trial in own:
            clock = 100.0
            for number, line in enumerate(texts[text], 1):
                length = line[-1][2]
                x = rng.uniform(0, 6)
                while True:
                    duration = float(round(rng.gamma(6, 35 + 3 * r)))
                    onset = round(clock, 1) if r != 2 else ""
                    deg = lambda mean, sd: round(float(rng.normal(mean, sd)), 3)
                    amplitude = abs(rng.normal(2.2, 0.8)) + 0.2
                    moved = (round(float(amplitude), 3), deg(0, 0.2), round(20 + 2.5 * amplitude, 1),
                             round(float(120 * amplitude**0.6 * math.exp(rng.normal(0, 0.1))), 1),
                             round(float(rng.uniform(0.3, 0.6)), 3), abs(deg(0.1, 0.03)),
                             abs(deg(0.12, 0.03)), deg(0, 1), deg(0, 1))
                    moved = moved if r in (0, 3) else ("",) * 9
                    fixations.append((f"r{r}", text, trial, number, round(float(x), 3), duration, onset, *moved))
                    clock += duration + 30
                    u = rng.uniform()
                    step = rng.gamma(8, 1.0 + 0.1 * r) if u < 0.72 else -rng.gamma(3, 1.5) if u < 0.9 else rng.uniform(-2, 3)
                    x += step
                    if x >= length:
                        if rng.uniform() < 0.3:
                            # Off the text: does not count.
                            fixations.append((f"r{r}", text, trial, number, round(float(x) + 3, 3), 200.0, "", *("",) * 9))
                        break
                    x = max(x, 0)
    kinematics = ["sac_dx_deg", "sac_dy_deg", "sac_duration_ms", "sac_peak_velocity", "sac_skew",
                  "fix_sd_x_deg", "fix_sd_y_deg", "fix_drift_x", "fix_drift_y"]
    columns = ["reader", "text", "trial", "line", "x_char", "duration_ms", "onset_ms", *kinematics]
    return (pd.DataFrame(words, columns=["text", "line", "word_index", "char_start", "char_end"]),
            pd.DataFrame(fixations, columns=columns))


def seen(words, path):
    """What one reading shows: rows (trait, x, y)."""
    out = []
    lines = {n: w.sort_values("char_start") for n, w in words.groupby("line")}
    before_line, total = {}, 0
    for n in sorted(lines):
        before_line[n] = total
        total += len(lines[n])
    furthest, last, events = -1, None, []
    for row in path.itertuples():
        own = lines[row.line]
        ends = list(own.char_end)
        # The blank before a word belongs to it; that before the first one only if it is at 0.
        starts = [min(int(own.char_start.iloc[0]) - 1, 0)] + ends[:-1]
        word = next((i for i, (a, b) in enumerate(zip(starts, ends)) if a <= row.x_char < b), None)
        if word is None or not SHORTEST <= row.duration_ms <= LONGEST:
            continue
        e = dict(line=row.line, word=word, x=row.x_char, d=row.duration_ms, a=starts[word], b=ends[word])
        letters = list(own.char_end - own.char_start)
        e["len"] = letters[word]
        e["next"] = letters[word + 1] if word + 1 < len(letters) else None
        e["end"] = word + 1 == len(letters)
        number = before_line[row.line] + word
        e["new"], e["number"] = number > furthest, number
        furthest = max(furthest, number)
        e["place"] = number / total
        e["type"] = None
        if last is not None and last["line"] == row.line:
            step = word - last["word"]
            e["type"] = "refixation" if step == 0 else "regression" if step < 0 else "next_word" if step == 1 else "forward_skip"
        e["from"] = last if e["type"] else None
        events.append(e)
        last = e
    add = lambda name, y, x=0.0: out.append((name, float(x), float(y)))
    both = lambda name, y: (add(name, y), add(name + "_sd", y))
    for k, e in enumerate(events):
        both("fixation_duration", e["d"])
        add("duration_new_word", e["d"], e["new"])
        add("duration_line_end", e["d"], e["end"])
        add("duration_by_place", e["d"], e["place"])
        if e["type"] is None:
            both("line_start", e["x"])
            both("initial_duration", e["d"])
        else:
            f = e["from"]
            for kind in ["refixation", "next_word", "forward_skip", "regression"]:
                add(kind + "_rate", e["type"] == kind)
            # Nobody tells a move of less than a thousandth of a character from none.
            amplitude = max(abs(e["x"] - f["x"]), 1e-3)
            both(e["type"] + "_amplitude", amplitude)
            both(e["type"] + "_duration", e["d"])
            if e["x"] > f["x"]:
                both("forward_amplitude", amplitude)
            add("regression_line_end", e["type"] == "regression", f["end"])
            if e["type"] in ("next_word", "forward_skip"):
                add("skip_by_length", e["type"] == "forward_skip", f["next"])
                if e["new"]:
                    middle = (e["a"] + e["b"]) / 2
                    both("launch_distance", e["a"] - f["x"])
                    both("landing", (e["x"] - e["a"]) / (e["b"] - e["a"]))
                    add("landing_by_launch", e["x"] - middle, f["x"] - middle)
        if e["new"]:
            gaze = e["d"]
            for after in events[k + 1:]:
                if after["type"] != "refixation":
                    break
                gaze += after["d"]
            again = k + 1 < len(events) and events[k + 1]["type"] == "refixation"
            edge = 2 * abs((e["x"] - e["a"]) / (e["b"] - e["a"]) - 0.5)
            both("gaze_duration", gaze)
            add("first_fixation_duration", e["d"])
            if not again:
                add("single_fixation_duration", e["d"])
            add("refixation_probability", again)
            add("duration_by_length", e["d"], e["len"])
            add("gaze_by_length", gaze, e["len"])
            add("refixation_by_length", again, e["len"])
            add("duration_by_landing", e["d"], edge)
            add("refixation_by_landing", again, edge)
    if events:
        # A word is skipped where the first fixation on it or further on is further on.
        for w in range(max(e["number"] for e in events) + 1):
            add("skipping_probability", next(e["number"] for e in events if e["number"] >= w) > w)
        n, time = max(e["number"] for e in events) + 1, sum(e["d"] for e in events)
        add("words_per_minute", n, time / 60000)
        add("fixations_per_word", len(events), n)
        first, end = path.iloc[0], path.iloc[-1]
        elapsed = float(end.onset_ms) + end.duration_ms - float(first.onset_ms)
        if elapsed >= time:
            add("words_per_minute_elapsed", n, elapsed / 60000)
    for row in path.itertuples():
        if not (SHORTEST <= row.duration_ms <= LONGEST) or math.isnan(row.sac_dx_deg):
            continue
        # Files have more digits than our numbers of four bytes.
        four = {k: float(np.float32(getattr(row, k))) for k in path.columns if k.startswith(("sac_", "fix_"))}
        amplitude = math.hypot(four["sac_dx_deg"], four["sac_dy_deg"])
        both("saccade_amplitude", amplitude)
        add("saccade_duration", four["sac_duration_ms"])
        add("saccade_skew", four["sac_skew"])
        add("dispersion", math.hypot(four["fix_sd_x_deg"], four["fix_sd_y_deg"]))
        add("drift_speed", math.hypot(four["fix_drift_x"], four["fix_drift_y"]))
        if four["sac_peak_velocity"] >= 0.9 * 1000 * amplitude / four["sac_duration_ms"]:
            add("peak_velocity", four["sac_peak_velocity"])
            for name in ("main_sequence_velocity", "main_sequence_slope"):
                add(name, math.log(four["sac_peak_velocity"]), math.log(amplitude))
    return out


RATES = {k + "_rate" for k in ("refixation", "next_word", "forward_skip", "regression")}
RATES |= {"skipping_probability", "refixation_probability"}
SLOPES = {"landing_by_launch", "duration_by_length", "gaze_by_length", "refixation_by_length", "skip_by_length",
          "duration_new_word", "duration_line_end", "duration_by_place", "duration_by_landing",
          "refixation_by_landing", "regression_line_end"}
RATIOS = {"words_per_minute", "words_per_minute_elapsed", "fixations_per_word"}
MAIN = {"main_sequence_velocity", "main_sequence_slope"}


def estimate(name, x, y):
    x, y = np.asarray(x), np.asarray(y)
    if name.endswith("_sd"):
        return float(np.std(y, ddof=1)) if len(y) > 1 else None
    if name in RATIOS:
        return float(y.sum() / x.sum()) if len(y) else None
    if name in SLOPES or name in MAIN:
        if len(y) < (20 if name in MAIN else 3) or np.ptp(x) == 0:
            return None
        slope, level = np.polyfit(x, y, 1)
        return float(np.exp(level + slope * math.log(2.5))) if name == "main_sequence_velocity" else float(slope)
    return float(y.mean()) if len(y) else None


def interval(name, texts, value, n):
    if len(texts) < 2:
        return None
    left_out = []
    for g in texts:
        rest = [row for other in texts if other != g for row in texts[other]]
        left_out.append(estimate(name, [x for x, _ in rest], [y for _, y in rest]))
    if any(v is None for v in left_out):
        return None
    g = len(texts)
    t = stats.t.ppf(0.975, g - 1)
    positive = name.endswith("_sd") or name in RATIOS or name == "main_sequence_velocity"
    scale = np.log if positive else np.asarray
    if positive and (value <= 0 or min(left_out) <= 0):
        return None
    variance = (g - 1) / g * float(((scale(np.array(left_out)) - scale(value)) ** 2).sum())
    if name in RATES:
        independent = min(value * (1 - value) / variance, n) if variance > 0 else n
        effective = independent * min((stats.t.ppf(0.975, n - 1) / t) ** 2, 1) if n > 1 else independent
        posterior = stats.beta(value * effective + 0.5, (1 - value) * effective + 0.5)
        low = 0.0 if value == 0 else min(posterior.ppf(0.025), value)
        high = 1.0 if value == 1 else max(posterior.ppf(0.975), value)
        return low, high
    half = t * math.sqrt(variance)
    return (value * math.exp(-half), value * math.exp(half)) if positive else (value - half, value + half)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    words, fixations = made_up()
    words.to_csv(OUT / "words.csv", index=False)
    fixations.to_csv(OUT / "fixations.csv", index=False)
    # Numbers as they stand in the file.
    fixations = pd.read_csv(OUT / "fixations.csv")
    rows = []
    for reader, own in fixations.groupby("reader", sort=False):
        by_trait = {}
        for (text, _), path in own.groupby(["text", "trial"], sort=False):
            for name, x, y in seen(words[words.text == text], path):
                by_trait.setdefault(name, {}).setdefault(text, []).append((x, y))
        for name, texts in by_trait.items():
            pairs = [pair for text in texts.values() for pair in text]
            value = estimate(name, [x for x, _ in pairs], [y for _, y in pairs])
            ci = interval(name, texts, value, len(pairs)) if value is not None else None
            low, high = ci if ci else (None, None)
            rows.append((reader, name, value, low, high, len(pairs), len(texts)))
    columns = ["reader", "trait", "estimate", "low", "high", "observations", "texts"]
    table = pd.DataFrame(rows, columns=columns).sort_values(["reader", "trait"])
    table.to_csv(OUT / "expected.csv", index=False)


if __name__ == "__main__":
    main()
