"""Holds a packed corpus against the folder it was packed from, by a reader of its own.

    python3 scripts/references/packed_corpus.py PACKED FOLDER

The layout is described in crates/gazeprint-io/src/packed.rs. Fractions are exact: nothing is compared as a
floating-point number. Needs Python 3.9 or later, nothing else.
"""

import csv
import sys
import zlib
from fractions import Fraction
from itertools import islice

MAGIC = b"gazeprint-packed-corpus 1\n"


def numbers(data):
    """Everything before the columns is numbers and names; this hands them out."""
    place = 0

    def number():
        nonlocal place
        value, shift = 0, 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def name():
        nonlocal place
        length = number()
        place += length
        return data[place - length : place].decode()

    def column(count):
        nonlocal place
        width = data[place]
        planes = [data[place + 1 + k * count : place + 1 + (k + 1) * count] for k in range(width)]
        place += 1 + width * count
        return [sum(byte << (8 * k) for k, byte in enumerate(cells)) for cells in zip(*planes)]

    def rest():
        return len(data) - place

    return number, name, column, rest


def unfolded(value):
    return value // 2 if value % 2 == 0 else -(value + 1) // 2


def summed(column):
    total, out = 0, []
    for value in column:
        total += unfolded(value)
        out.append(total)
    return out


def unpack(file):
    packed = open(file, "rb").read()
    assert packed.startswith(MAGIC), "no packed corpus"
    number, name, column, rest = numbers(zlib.decompress(packed[len(MAGIC) :]))
    readers = [name() for _ in range(number())]
    texts, words = [], {}
    for _ in range(number()):
        text, _group = name(), name()
        texts.append(text)
        for _ in range(number()):
            line, end = unfolded(number()), 0
            for _ in range(number()):
                index = number()
                start = end + unfolded(number())
                end = start + number()
                words[text, index] = (line, start, end)
    readings = []
    for _ in range(number()):
        reader, text = readers[number()], texts[number()]
        assert (name(), name()) == ("1", "1"), "session and trial"
        readings.append((reader, text, number() - 1, number()))
    count = sum(reading[3] for reading in readings)
    rows = zip(summed(column(count)), summed(column(count)), column(count))
    assert rest() == 0, "more than fixations"
    orders = {(reader, text): order for reader, text, order, _ in readings}
    fixations = [
        (reader, text, *row)
        for reader, text, _, fixations in readings
        for row in islice(rows, fixations)
    ]
    return words, orders, fixations


def table(folder, name):
    with open(f"{folder}/{name}.csv", newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def main(packed, folder):
    words, orders, fixations = unpack(packed)
    expected = {
        (row["text"], int(row["word_index"])): (
            int(row["line"]),
            int(row["char_start"]),
            int(row["char_end"]),
        )
        for row in table(folder, "words")
    }
    assert words == expected, "words differ"
    expected = {
        (row["reader"], row["text"]): int(row["trial_order"]) for row in table(folder, "trials")
    }
    assert orders == expected, "orders differ"
    there = list(table(folder, "fixations"))
    assert len(there) == len(fixations), "numbers of fixations differ"
    for row, (reader, text, line, parts, duration) in zip(there, fixations):
        assert (row["reader"], row["text"], int(row["line"])) == (reader, text, line), row
        assert Fraction(row["x_char"]) == Fraction(parts, 1000), row
        assert Fraction(row["duration_ms"]) == duration, row
    print(f"{len(words)} words, {len(orders)} readings, {len(fixations)} fixations: the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
