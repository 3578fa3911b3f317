"""How well readers with the mouse are known again: see README.md beside this file.

    measure.py GAZEPRINT MOTR FOLDER
"""

import collections
import csv
import json
import pathlib
import random
import subprocess
import sys

TO_ENROL, TO_VERIFY, OTHERS, RATE = 3, 2, 3, "0.01"


def main(command, motr, folder):
    motr, folder = pathlib.Path(motr), pathlib.Path(folder)
    with open(motr / "fixations.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    read = collections.defaultdict(dict)
    for row in rows:
        read[row["reader"]].setdefault(row["text"], []).append(row)
    readers = sorted(read)
    learned, tested = readers[::2], readers[1::2]

    def write(name, wanted):
        place = folder / name
        place.mkdir(parents=True)
        with open(place / "fixations.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            for reader, text in wanted:
                writer.writerows(read[reader][text])
        (place / "words.csv").write_bytes((motr / "words.csv").read_bytes())
        return place

    def run(*arguments):
        return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)

    durations = ("--min-duration", "25", "--max-duration", "4000")
    people = write("people", [(reader, text) for reader in learned for text in read[reader]])
    run("population", people, *durations, "--out", folder / "people.json").check_returncode()
    random.seed(1)
    counts, scores = collections.Counter(), {True: [], False: []}
    for reader in tested:
        known = list(read[reader])[:TO_ENROL]
        enrolled = write(f"enrolled-{reader}", [(reader, text) for text in known])
        gallery = folder / f"{reader}.gallery"
        run("enroll", enrolled, "--gallery", gallery, "--people", folder / "people.json",
            *durations).check_returncode()
        for other in [reader, *random.sample([name for name in tested if name != reader], OTHERS)]:
            texts = [text for text in read[other] if text not in known][-TO_VERIFY:]
            probe = write(f"probe-{reader}-{other}", [(other, text) for text in texts])
            said = run("verify", probe, "--reader", reader, "--gallery", gallery, "--fmr", RATE,
                       "--json", "--forget", "--allow-unsupported")
            answer = json.loads(said.stdout)
            counts[other == reader, answer["decision"]] += 1
            scores[other == reader].append(answer["ratio"])
    pairs = [(own > other) + 0.5 * (own == other) for own in scores[True] for other in scores[False]]
    for (is_own, decision), count in sorted(counts.items()):
        print("of the reader" if is_own else "of others", decision, count)
    print(f"true claims outscore false ones in {sum(pairs) / len(pairs):.3f} of pairs")


if __name__ == "__main__":
    main(*sys.argv[1:])
