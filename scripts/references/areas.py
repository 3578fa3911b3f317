#!/usr/bin/env python3
"""Areas under false accepts over false rejects, from the scores that a study wrote: another way to the area of study.json.

    scripts/references/areas.py DIR...

Prints for each method, as means over splits: the area with one threshold for all claims, which is that of study.json as far as
scores are written out, and the average over probes of the part of impostors who are before the genuine reader. Needs Python alone.
"""

import bisect
import csv
import math
import pathlib
import sys
from collections import defaultdict


def ratios(scores):
    """Of each claimed reader's score to the sum over the others, in logarithms; a mean over as many is as good."""
    most = max(scores.values())
    parts = {reader: math.exp(score - most) for reader, score in scores.items()}

    def others(reader):
        rest = [score for name, score in scores.items() if name != reader]
        top = max(rest)
        return top + math.log(sum(math.exp(score - top) for score in rest))

    total = sum(parts.values())
    # A difference is exact enough where the others hold a good part of the sum.
    return {
        reader: score - (most + math.log(total - parts[reader]) if parts[reader] < 0.5 * total else others(reader))
        for reader, score in scores.items()
    }


def areas(file):
    probes, genuine = defaultdict(dict), {}
    with open(file, newline="") as rows:
        for row in csv.DictReader(rows):
            probe = row["split"], row["probe"]
            probes[probe][row["claimed_reader"]] = float(row["score"])
            genuine[probe] = row["true_reader"]
    true_claims, false_claims, before = defaultdict(list), defaultdict(list), defaultdict(list)
    for (split, number), scores in probes.items():
        reader = genuine[split, number]
        impostors = [name for name in scores if name != reader]
        ratio = ratios(scores)
        true_claims[split].append(ratio[reader])
        false_claims[split].extend(ratio[name] for name in impostors)
        before[split].append(sum(scores[name] > scores[reader] for name in impostors) / len(impostors))
    one_threshold = []
    for split, claims in false_claims.items():
        claims.sort()
        outscored = sum(
            len(claims) - (bisect.bisect_left(claims, ratio) + bisect.bisect_right(claims, ratio)) / 2
            for ratio in true_claims[split]
        )
        one_threshold.append(outscored / len(claims) / len(true_claims[split]))
    over_probes = [sum(parts) / len(parts) for parts in before.values()]
    return [sum(values) / len(values) for values in (one_threshold, over_probes)]


for folder in sys.argv[1:]:
    for file in sorted(pathlib.Path(folder, "scores").glob("*.csv")):
        one, over = areas(file)
        print(f"{folder} {file.stem} {one:.7f} {over:.7f}")
