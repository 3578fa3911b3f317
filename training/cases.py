"""Records what PyTorch makes of some inputs, for the tests of the Rust forward pass.

    python3 cases.py ../crates/gazeprint/people/people.safetensors ../crates/gazeprint/tests/fixtures/network.json
"""

import argparse
import json
import sys

import torch
from safetensors.torch import load_file

from train import Network


def main():
    weights = load_file(sys.argv[1])
    hidden, inputs = weights["input.weight"].shape
    sizes = argparse.Namespace(
        hidden=hidden, pooled=weights["pool.weight"].shape[0], embedding=weights["embed.weight"].shape[0], dropout=0.0, seed=1
    )
    network = Network(inputs, sizes)
    network.load_state_dict({k: v for k, v in weights.items() if k in network.state_dict()})
    network.eval()
    torch.manual_seed(7)
    cases = []
    for fixations in (1, 2, 7, 12, 33, 96):
        x = torch.randn(1, fixations, inputs).clamp(-4, 4)
        with torch.no_grad():
            z = network(x, torch.tensor([fixations]))[0]
        cases.append({"inputs": [[round(v, 6) for v in row] for row in x[0].tolist()], "embedding": z.tolist()})
    # Rounded inputs, so that both see the same numbers.
    for case in cases:
        x = torch.tensor([case["inputs"]])
        with torch.no_grad():
            case["embedding"] = network(x, torch.tensor([x.shape[1]]))[0].tolist()
    with open(sys.argv[2], "w") as file:
        json.dump(cases, file)
        file.write("\n")


if __name__ == "__main__":
    main()
