"""Fixations from samples by two published methods, with NumPy.

Needs Python 3.10 and NumPy 2 (pip install numpy).

    python scripts/references/fixation_detection.py

writes two tables to crates/gazeprint-io/tests/fixtures:

* detection_samples.csv: case, interval in ms, time in ms, x and y in degrees (empty: missing);
* detection_fixations.csv: case, method, onset and duration in ms, mean x and y, gap (samples are
  missing since the fixation before).

Methods, written from the publications and in terms of arrays, not of runs and states:

* engbert-kliegl: Engbert & Kliegl (2003, Vision Research 43, 1035-1045): velocities over five
  samples, (x[n+2] + x[n+1] - x[n-1] - x[n-2]) / (6 dt), and next to an end over three; for each
  component the threshold 6 sqrt(median(v^2) - median(v)^2); saccades lie outside of the ellipse of
  thresholds for at least 6 ms; fixations are what lies between, if they last 60 ms.
* ivt: Olsen (2012, The Tobii I-VT fixation filter): velocity between the ends of a window of 20 ms
  (cut off at the ends), under 30 degrees per second; neighbours under 75 ms and at most 0.5 degrees
  apart are merged; at least 60 ms.

Missing samples end fixations in both.
"""

from pathlib import Path

import numpy as np

OUT = Path(__file__).parents[2] / "crates/gazeprint-io/tests/fixtures"


def simulate(rng, interval, seconds, noise, losses):
    """A line of reading: rests with drift and noise, joined by steep smooth steps."""
    n = int(seconds * 1000 / interval)
    time = np.arange(n) * interval
    x, y = np.full(n, -8.0), np.zeros(n)
    at = rng.uniform(150, 250)
    while at < time[-1]:
        step = -rng.uniform(1, 2) if rng.random() < 0.2 else rng.uniform(1, 4)
        length = 20 + 4 * abs(step)
        phase = np.clip((time - at) / length, 0, 1)
        rise = phase - np.sin(2 * np.pi * phase) / (2 * np.pi)
        x += step * rise
        y += rng.normal(0, 0.15) * rise
        at += length + rng.gamma(9, 25)
    x += rng.normal(0, noise, n)
    y += rng.normal(0, noise, n)
    for start, length in losses:
        lost = (time >= start) & (time < start + length)
        x[lost] = y[lost] = np.nan
    return time, np.round(x, 4), np.round(y, 4)


def stretches(mask):
    """First and one past the last index of each stretch of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return edges.reshape(-1, 2)


def eyes_rest(time, x, y, interval, spans, weights):
    """Rows of fixations, short ones left out; a gap where samples went missing since the last."""
    rows, since = [], 0
    for first, end in spans:
        duration = time[end - 1] - time[first] + interval
        if duration < 60 - 1e-9:
            continue
        counted = weights[first:end]
        gap = int(np.isnan(x[since:first]).any())
        rows.append(
            (time[first], duration, x[first:end][counted].mean(), y[first:end][counted].mean(), gap)
        )
        since = end
    return rows


def engbert_kliegl(time, x, y, interval):
    def velocity(p):
        v = np.full(len(p), np.nan)
        v[1:-1] = (p[2:] - p[:-2]) / (2 * interval)
        five = np.full(len(p), np.nan)
        five[2:-2] = (p[4:] + p[3:-1] - p[1:-3] - p[:-4]) / (6 * interval)
        return np.where(np.isnan(five), v, five)

    def threshold(v):
        return 6 * np.sqrt(np.nanmedian(v**2) - np.nanmedian(v) ** 2)

    vx, vy = velocity(x), velocity(y)
    with np.errstate(invalid="ignore"):
        fast = (vx / threshold(vx)) ** 2 + (vy / threshold(vy)) ** 2 > 1
    saccade = np.zeros(len(x), bool)
    for first, end in stretches(fast):
        saccade[first:end] = (end - first) * interval >= 6
    rest = ~saccade & ~np.isnan(x)
    return eyes_rest(time, x, y, interval, stretches(rest), rest)


def ivt(time, x, y, interval):
    half = max(1, int(10 / interval))
    present = ~np.isnan(x)
    slow = np.zeros(len(x), bool)
    for first, end in stretches(present):
        i = np.arange(first, end)
        a, b = np.maximum(i - half, first), np.minimum(i + half, end - 1)
        speed = 1000 * np.hypot(x[b] - x[a], y[b] - y[a]) / np.maximum(time[b] - time[a], 1e-9)
        slow[first:end] = speed < 30
    merged = []
    for first, end in stretches(slow):
        if merged:
            start, before = merged[-1]
            s, t = slice(start, before), slice(first, end)
            apart = np.hypot(
                x[s][slow[s]].mean() - x[t].mean(), y[s][slow[s]].mean() - y[t].mean()
            )
            together = present[before:first].all()
            if together and time[first] - time[before - 1] < 75 and apart <= 0.5:
                merged[-1] = (start, end)
                continue
        merged.append((first, end))
    return eyes_rest(time, x, y, interval, merged, slow)


def main():
    rng = np.random.default_rng(2003)
    cases = {
        "250 Hz": (4.0, 2.6, 0.01, [(700, 120)]),
        "500 Hz": (2.0, 1.6, 0.02, [(500, 2), (1100, 90)]),
        "1000 Hz": (1.0, 1.0, 0.01, [(0, 30), (610, 60)]),
        "1000 Hz, noisy": (1.0, 0.8, 0.12, []),
        "2000 Hz": (0.5, 0.5, 0.005, []),
    }
    samples, fixations = ["case,interval,time,x,y"], ["case,method,onset,duration,x,y,gap"]
    for case, (interval, seconds, noise, losses) in cases.items():
        time, x, y = simulate(rng, interval, seconds, noise, losses)
        name = f'"{case}"' if "," in case else case
        for row in zip(time, x, y):
            cells = ["" if np.isnan(v) else f"{v:g}" for v in row]
            samples.append(f"{name},{interval:g}," + ",".join(cells))
        for method in (engbert_kliegl, ivt):
            found = method(time, x, y, interval)
            assert found, (case, method)
            for onset, duration, mx, my, gap in found:
                label = method.__name__.replace("_", "-")
                fixations.append(
                    f"{name},{label},{onset:g},{duration:g},{mx:.12g},{my:.12g},{gap}"
                )
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "detection_samples.csv").write_text("\n".join(samples) + "\n")
    (OUT / "detection_fixations.csv").write_text("\n".join(fixations) + "\n")


if __name__ == "__main__":
    main()
