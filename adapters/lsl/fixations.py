"""Fixations from samples of gaze, one sample after another.

Times are in milliseconds; places in the unit of the samples, of which `per_degree` make a degree. A sample without a
place is a loss of signal: it ends a fixation, and marks the next one.
"""

import math
from collections import deque
from dataclasses import dataclass

SHORTEST_MS = 60.0


@dataclass
class Fixation:
    """Where the eye rested, and for how long."""

    onset: float
    duration: float
    x: float
    y: float
    gap: bool


class Rest:
    """Samples that may be a fixation."""

    def __init__(self, losses):
        self.losses = losses
        self.first = self.last = None
        self.sums = [0.0, 0.0]
        self.count = 0

    def add(self, sample):
        time, x, y = sample
        self.first = time if self.first is None else self.first
        self.last = time
        self.sums = [self.sums[0] + x, self.sums[1] + y]
        self.count += 1

    def join(self, other):
        self.last = other.last
        self.sums = [a + b for a, b in zip(self.sums, other.sums)]
        self.count += other.count

    def middle(self):
        return self.sums[0] / self.count, self.sums[1] / self.count


class Detector:
    """What all ways to find fixations have in common."""

    def __init__(self, interval):
        self.interval = interval
        self.losses = 0
        self.losses_told = 0

    def fixation(self, rest):
        """The fixation that a rest is, if it lasts."""
        duration = rest.last - rest.first + self.interval
        if duration < SHORTEST_MS - 1e-9:
            return []
        x, y = rest.middle()
        found = Fixation(rest.first, duration, x, y, rest.losses > self.losses_told)
        self.losses_told = rest.losses
        return [found]

    def see(self, time, x, y):
        """The fixations that have ended with this sample."""
        if math.isfinite(x) and math.isfinite(y):
            return self.take((time, x, y))
        ended = self.end()
        self.losses += 1
        return ended


class Ivt(Detector):
    """Where the eye is slower than 30 degrees per second over 20 ms; neighbours under 75 ms and at most half a degree
    apart are one fixation (Salvucci & Goldberg 2000; Olsen 2012)."""

    SPEED = 30.0
    HALF_WINDOW_MS = 10.0
    PAUSE_MS = 75.0
    APART = 0.5

    def __init__(self, interval, per_degree=1.0):
        super().__init__(interval)
        self.per_degree = per_degree
        self.half = max(1, int(self.HALF_WINDOW_MS / interval))
        self.samples = deque(maxlen=2 * self.half + 1)
        self.unseen = 0
        self.rest = None
        self.before = None

    def take(self, sample):
        self.samples.append(sample)
        self.unseen += 1
        return self.classify() if self.unseen > self.half else []

    def classify(self):
        """Looks at the first sample that was not looked at, between those that are known on both sides."""
        at = len(self.samples) - self.unseen
        self.unseen -= 1
        first, last = self.samples[max(at - self.half, 0)], self.samples[min(at + self.half, len(self.samples) - 1)]
        way = math.hypot(last[1] - first[1], last[2] - first[2]) / self.per_degree
        is_slow = 1000.0 * way / max(last[0] - first[0], 1e-9) < self.SPEED
        sample = self.samples[at]
        if is_slow:
            self.rest = self.rest or Rest(self.losses)
            self.rest.add(sample)
        ended = [] if is_slow or not self.rest else self.close()
        # What came before is known to be whole when the rest that goes on is too far from it.
        begun = self.rest.first if self.rest else sample[0]
        if self.before and begun - self.before.last >= self.PAUSE_MS:
            ended += self.tell()
        return ended

    def close(self):
        rest, self.rest = self.rest, None
        if self.before and rest.first - self.before.last < self.PAUSE_MS:
            (x, y), (u, v) = self.before.middle(), rest.middle()
            if math.hypot(u - x, v - y) / self.per_degree <= self.APART:
                self.before.join(rest)
                return []
        ended = self.tell()
        self.before = rest
        return ended

    def tell(self):
        before, self.before = self.before, None
        return self.fixation(before) if before else []

    def end(self):
        """What is left, when the signal is lost or ends."""
        ended = []
        while self.unseen:
            ended += self.classify()
        if self.rest:
            ended += self.close()
        self.samples.clear()
        return ended + self.tell()


class Idt(Detector):
    """Where the gaze stays within a degree: its width and height together (Salvucci & Goldberg 2000)."""

    WITHIN = 1.0

    def __init__(self, interval, per_degree=1.0):
        super().__init__(interval)
        self.most = self.WITHIN * per_degree
        self.window = deque()
        self.is_resting = False

    def spread(self):
        return sum(
            max(sample[axis] for sample in self.window) - min(sample[axis] for sample in self.window)
            for axis in (1, 2)
        )

    def take(self, sample):
        self.window.append(sample)
        if self.spread() <= self.most:
            lasted = sample[0] - self.window[0][0] + self.interval
            self.is_resting = self.is_resting or lasted >= SHORTEST_MS
            return []
        if self.is_resting:
            self.window.pop()
            ended = self.end()
            self.window.append(sample)
            return ended
        while self.spread() > self.most:
            self.window.popleft()
        return []

    def end(self):
        rest = Rest(self.losses)
        for sample in self.window:
            rest.add(sample)
        was_resting, self.is_resting = self.is_resting, False
        self.window.clear()
        return self.fixation(rest) if was_resting else []


DETECTORS = {"ivt": Ivt, "idt": Idt}
