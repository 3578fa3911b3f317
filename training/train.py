"""Trains the network of the voice `embedding`: one corpus file each in DATA, weights and curves out.

    python3 train.py DATA --leave provo,motr --out network.safetensors

A reading is turned into 128 numbers that differ between people. The network learns to name the reader of a reading among all
readers of the same corpus; the layer that names is thrown away. One person in ten of every corpus has no part in learning: they
say how good the network is on people it never met, and the spreads of `people` are learned from them. Where people have several
sessions, readings that are compared come from different ones. See README.md beside this file.
"""

import argparse
import hashlib
import json
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn

STEPS_PER_EPOCH = 80
# The continuous inputs, which noise is added to; the first three need no words.
CONTINUOUS, WORDLESS = 12, 3


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("data", type=pathlib.Path, help="folder of CORPUS.safetensors, as `gazeprint export --to inputs` writes them")
    p.add_argument("--leave", default="", help="corpora to learn nothing from, separated by commas")
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--epochs", type=int, default=200)
    p.add_argument("--hidden", type=int, default=160)
    p.add_argument("--pooled", type=int, default=192)
    p.add_argument("--embedding", type=int, default=128)
    p.add_argument("--dropout", type=float, default=0.3)
    p.add_argument("--readers", type=int, default=192, help="readers a step")
    p.add_argument("--readings", type=int, default=4, help="readings of each")
    p.add_argument("--window", type=int, default=96, help="longest stretch of a reading, in fixations")
    p.add_argument("--rate", type=float, default=2e-3)
    p.add_argument("--noise", type=float, default=0.1)
    p.add_argument("--blank", type=float, default=0.08, help="share of inputs that are blanked in a reading")
    p.add_argument("--wordless", type=float, default=0.25, help="share of readings of which the words are hidden")
    return p.parse_args()


def is_held_out(corpus, reader):
    """One person in ten, by name: the same people whatever else is learned from."""
    return hashlib.sha256(f"{corpus}/{reader}".encode()).digest()[0] < 26


class Readings:
    """All readings, side by side on the device."""

    def __init__(self, folder, leave, window, device):
        inputs, lengths, self.reader, self.session, corpus_of, held, self.corpora = [], [], [], [], [], [], []
        readers, longest = 0, 2 * window
        for path in sorted(folder.glob("*.safetensors")):
            if path.stem in leave:
                continue
            with safe_open(path, "np") as file:
                names = json.loads(file.metadata()["readers"])
                x = file.get_tensor("inputs").astype(np.float32)
                count, reader = file.get_tensor("fixations").astype(int), file.get_tensor("reader").astype(int)
                session = file.get_tensor("session").astype(int)
            mean, sd = x.mean(0), x.std(0) + 1e-3
            x = np.clip((x - mean) / sd, -4, 4)
            place = np.arange(len(x)) - np.repeat(np.cumsum(count) - count, count)
            row = np.repeat(np.arange(len(count)), count)
            padded = np.zeros((len(count), longest, x.shape[1]), np.float32)
            kept = place < longest
            padded[row[kept], place[kept]] = x[kept]
            inputs.append(torch.tensor(padded))
            lengths.append(np.minimum(count, longest))
            self.reader.append(reader + readers)
            self.session.append(session)
            corpus_of += [len(self.corpora)] * len(names)
            held += [is_held_out(path.stem, name) for name in names]
            self.corpora.append(path.stem)
            readers += len(names)
        self.inputs = torch.cat(inputs).to(device)
        self.lengths = torch.tensor(np.concatenate(lengths), device=device)
        self.reader, self.session = np.concatenate(self.reader), np.concatenate(self.session)
        self.corpus = torch.tensor(corpus_of, device=device)
        self.held_out = np.array(held)


class Dropped(nn.Module):
    """Dropout; on a CPU by a quicker source of random bytes than PyTorch's, which would take half of the time."""

    def __init__(self, rate, random):
        super().__init__()
        self.rate, self.random = rate, random

    def forward(self, x):
        if not self.training or x.is_cuda:
            return F.dropout(x, self.rate, self.training)
        bound = round(self.rate * 256)
        kept = torch.from_numpy(self.random.integers(0, 256, x.shape, np.uint8)) >= bound
        return x * kept / (1 - bound / 256)


class Network(nn.Module):
    """What gazeprint runs: `src/network` has the same in Rust. Fixations of all readings stand one below the other."""

    def __init__(self, inputs, a):
        super().__init__()
        h, random = a.hidden, np.random.default_rng(a.seed)
        self.input = nn.Linear(inputs, h)
        self.conv = nn.ModuleList(nn.Conv1d(h, h, 3, padding=1) for _ in range(3))
        self.norm = nn.ModuleList(nn.LayerNorm(h) for _ in range(3))
        self.pool = nn.Linear(h, a.pooled)
        self.embed = nn.Linear(2 * a.pooled, a.embedding)
        self.out = nn.LayerNorm(a.embedding)
        self.drop, self.drop_less = Dropped(a.dropout, random), Dropped(0.2, random)

    def forward(self, x, lengths):
        reading = torch.repeat_interleave(torch.arange(len(lengths), device=x.device), lengths)
        end = torch.cumsum(lengths, 0)
        is_first, is_last = (torch.zeros(len(reading), 1, dtype=torch.bool, device=x.device) for _ in range(2))
        is_first[end - lengths], is_last[end - 1] = True, True
        y = self.input(x[torch.arange(x.shape[1], device=x.device)[None] < lengths[:, None]])
        for conv, norm in zip(self.conv, self.norm):
            z = norm(y)
            before = F.pad(z[:-1], (0, 0, 1, 0)).masked_fill(is_first, 0)
            after = F.pad(z[1:], (0, 0, 0, 1)).masked_fill(is_last, 0)
            weight = conv.weight.permute(0, 2, 1).flatten(1)
            z = F.linear(torch.cat([before, z, after], 1), weight, conv.bias)
            y = y + self.drop(F.gelu(z, approximate="tanh"))
        z = F.gelu(self.pool(self.drop(y)), approximate="tanh").float()
        n = lengths[:, None].float()
        mean, square = (torch.zeros(len(n), z.shape[1], device=x.device).index_add_(0, reading, v) / n for v in (z, z * z))
        sd = (square - mean * mean).clamp_min(1e-5).sqrt()
        return self.out(self.embed(self.drop_less(torch.cat([mean, sd], 1))))


class Naming(nn.Module):
    """Names readers: for learning alone."""

    def __init__(self, readers, a):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.readers = nn.Linear(a.embedding, readers)
        nn.init.normal_(self.readers.weight, std=0.05)
        # How much more a longer reading says, and how much several together.
        self.power, self.scale = nn.Parameter(torch.tensor(0.5)), nn.Parameter(torch.tensor(0.0))

    def forward(self, embedding, lengths):
        return self.readers(self.drop(embedding)).float() * (lengths[:, None].float() / 12) ** self.power


def disturbed(data, chosen, a):
    """A random stretch of each reading, with noise, blanked inputs and sometimes without words."""
    device = data.inputs.device
    x, n = data.inputs[chosen], data.lengths[chosen]
    start = (torch.rand(len(chosen), device=device) * (n - a.window + 1).clamp_min(1)).long() * (n > a.window)
    places = (start[:, None] + torch.arange(a.window, device=device)[None]).clamp_max(x.shape[1] - 1)
    x = torch.gather(x, 1, places[..., None].expand(-1, -1, x.shape[2]))
    n = n.clamp_max(a.window)
    number = torch.arange(x.shape[2], device=device)
    x = x + torch.randn_like(x) * a.noise * (number < CONTINUOUS)
    x = x.masked_fill(torch.rand(len(chosen), 1, x.shape[2], device=device) < a.blank, 0)
    x = x.masked_fill((torch.rand(len(chosen), 1, 1, device=device) < a.wordless) & (number >= WORDLESS), 0)
    return x * (torch.arange(a.window, device=device)[None, :, None] < n[:, None, None]), n


class Sampler:
    """Draws readers by how much there is of them, and readings of each, from different sessions where there are several."""

    def __init__(self, data, a):
        self.a, self.random = a, np.random.default_rng(a.seed)
        by_reader = {}
        for i, reader in enumerate(data.reader):
            if not data.held_out[reader]:
                by_reader.setdefault(reader, {}).setdefault(data.session[i], []).append(i)
        self.readers = np.array(sorted(by_reader))
        self.sessions = [[np.array(s) for s in by_reader[r].values()] for r in self.readers]
        count = np.array([sum(map(len, s)) for s in self.sessions], float)
        self.probability = count / count.sum()

    def readings(self, sessions):
        k = self.a.readings
        if len(sessions) == 1:
            return self.random.choice(sessions[0], k, replace=len(sessions[0]) < k)
        order = self.random.permutation(len(sessions))
        return np.array([self.random.choice(sessions[order[i % len(order)]]) for i in range(k)])

    def draw(self):
        chosen = self.random.choice(len(self.readers), self.a.readers, p=self.probability)
        return self.readers[chosen], np.concatenate([self.readings(self.sessions[i]) for i in chosen])


def closeness(network, data):
    """Of readings of people held out: how often the nearest other reading of the corpus is by the same reader."""
    network.eval()
    found = {}
    with torch.no_grad():
        for number, name in enumerate(data.corpora):
            of_corpus = data.corpus[torch.tensor(data.reader, device=data.corpus.device)].cpu().numpy() == number
            rows = np.flatnonzero(of_corpus & data.held_out[data.reader])[:2048]
            if len(rows) < 2:
                continue
            chosen = torch.tensor(rows, device=data.inputs.device)
            z = F.normalize(network(data.inputs[chosen], data.lengths[chosen]).float(), dim=1)
            alike = z @ z.T
            alike.fill_diagonal_(-9)
            found[name] = float((data.reader[rows][alike.argmax(1).cpu().numpy()] == data.reader[rows]).mean())
    network.train()
    return found


def main():
    a = arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(a.seed)
    data = Readings(a.data, set(a.leave.split(",")), a.window, device)
    network = Network(data.inputs.shape[2], a).to(device)
    naming = Naming(len(data.held_out), a).to(device)
    both = [*network.parameters(), *naming.parameters()]
    optimiser = torch.optim.AdamW(both, lr=a.rate, weight_decay=0.02)
    steps = a.epochs * STEPS_PER_EPOCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, a.rate, total_steps=steps + 1, pct_start=0.15)
    sampler, curve, begin = Sampler(data, a), [], time.time()
    for step in range(steps):
        readers, readings = sampler.draw()
        x, n = disturbed(data, torch.tensor(readings, device=device), a)
        reader = torch.tensor(readers, device=device)
        with torch.autocast(device, torch.bfloat16):
            named = naming(network(x, n), n)
        elsewhere = data.corpus[None] != data.corpus[reader][:, None]
        together = named.view(len(readers), a.readings, -1).sum(1) * naming.scale.exp()
        alone = named.masked_fill(elsewhere.repeat_interleave(a.readings, 0), -1e4)
        loss = F.cross_entropy(alone, reader.repeat_interleave(a.readings))
        loss = loss + F.cross_entropy(together.masked_fill(elsewhere, -1e4), reader)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(both, 1.0)
        optimiser.step()
        schedule.step()
        if (step + 1) % (10 * STEPS_PER_EPOCH) == 0:
            curve.append({"epoch": (step + 1) // STEPS_PER_EPOCH, "loss": loss.item(), "held_out": closeness(network, data)})
            print(json.dumps(curve[-1]), flush=True)
    recipe = {k: str(v) if isinstance(v, pathlib.Path) else v for k, v in vars(a).items() if k not in ("data", "out")}
    metadata = {"format": "gazeprint-network", "version": "1", "corpora": json.dumps(data.corpora), "recipe": json.dumps(recipe)}
    tensors = {k: v.detach().float().cpu().contiguous() for k, v in network.state_dict().items()}
    save_file(tensors, a.out, metadata)
    a.out.with_suffix(".json").write_text(json.dumps({"recipe": recipe, "corpora": data.corpora, "curve": curve}, indent=1) + "\n")
    print(f"{a.out}: {steps} steps in {time.time() - begin:.0f} s, {sum(v.numel() for v in tensors.values())} numbers", flush=True)


if __name__ == "__main__":
    main()
