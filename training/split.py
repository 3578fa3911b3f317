"""Splits people with a population into the two files that ship.

    python3 split.py all.people FOLDER

Writes people.safetensors, without the population, and population.json. Needs numpy and safetensors.
"""

import json
import pathlib
import struct
import sys

import numpy as np
from safetensors.numpy import save

source, folder = pathlib.Path(sys.argv[1]).read_bytes(), pathlib.Path(sys.argv[2])
(length,) = struct.unpack("<Q", source[:8])
header = json.loads(source[8 : 8 + length])
metadata = header.pop("__metadata__")
parts = {}
for name, part in header.items():
    start, end = (8 + length + offset for offset in part["data_offsets"])
    parts[name] = np.frombuffer(source[start:end], dtype={"U8": np.uint8, "F32": np.float32}[part["dtype"]]).reshape(part["shape"])
(folder / "population.json").write_bytes(parts.pop("population").tobytes())
(folder / "people.safetensors").write_bytes(save(parts, metadata=metadata))
