#!/usr/bin/env python3
"""Rewrites the tables of docs/benchmarks.md from the output of orrery-bench --json.

    table.py fusion.json docs/benchmarks.md "2-core x86-64, Debian 12"

Between the marks <!-- fusion --> and <!-- /fusion --> stands nothing that a person has typed.
Must not know: how anything was measured.
"""
import json
import re
import sys

# What docs and tests promise at the large size: ours beside STREAM triad.
GOAL = {"poly6": 0.90, "silu": 0.90, "compare": 0.90, "sum-squares": 0.90, "adam": 0.90, "gelu": 0.75,
        "black-scholes": 0.75, "softmax": 0.75, "layer-norm": 0.75}
LOOP, FAST, UNFUSED, INSIDE = "C loop", "C loop, -ffast-math", "ORRERY_FUSE=off", "its kernels, all workers"
DEFAULT = ", default malloc"  # the same peer, whose large results are mapped anew in every call
LOOP_GOAL, CHAIN_GOAL = 0.95, 0.7
SHORT = {"float32": "f32", "float64": "f64", "bfloat16": "bf16"}


class Row:
    def __init__(self, record):
        p = record["params"]
        self.case, self.n, self.workers, self.dtype = p["expr"], p["n"], p["workers"], SHORT[p["dtype"]]
        self.ms, self.triad = record["value"], record["ratio"]
        self.over = {k: v / self.ms for k, v in record["peers"].items() if v is not None}
        peers = {k: v for k, v in self.over.items() if k not in (LOOP, FAST, UNFUSED, INSIDE)}
        self.peers = {k: v for k, v in peers.items() if not k.endswith(DEFAULT)}
        self.fresh = min((v for k, v in peers.items() if k.endswith(DEFAULT)), default=None)
        self.ops = p.get("ops", 0)
        self.large = self.n > 1 << 16
        self.inside = record["peers"].get(INSIDE)
        self.limit = record["reference"]["value"]
        self.gain = self.over[UNFUSED] / self.ops if self.ops and UNFUSED in self.over else None

    def misses(self):
        """The ratio to each goal, 1: just reached; with the goals that are missed."""
        out = []
        if self.large and self.case in GOAL and self.dtype == "f32":
            out.append((self.triad / GOAL[self.case], "triad"))
        out.append((self.over[LOOP] / LOOP_GOAL, "C loop"))
        out += [(v, k.split()[0]) for k, v in self.peers.items()]
        if self.large and self.gain is not None and not (self.ops == 32 and self.over[LOOP] >= 0.9):
            out.append((self.gain / CHAIN_GOAL, "0.7·K"))
        return sorted(m for m in out if m[0] < 1)

    def why(self, cached):
        """Where the time goes: cached, the same case in cache, has the kernel alone."""
        if self.inside is None:
            return "–"
        share = self.inside / self.ms / (self.workers if self.large else 1)
        if not self.large:
            return "%.2f µs in the kernel, %.2f µs in recording, look-up and freeing" % (
                1e3 * self.inside, 1e3 * (self.ms - self.inside))
        parts = ["%.0f %% in kernels" % (100 * min(share, 1))]
        if cached and cached.inside:
            parts.append("in cache %.2f ns an element and core, of triad's %.2f" % (
                1e6 * cached.inside / cached.n, 1e6 * self.limit * self.workers / self.n))
        return "; ".join(parts)

    def worst(self):
        missed = self.misses()
        return missed[0][0] if missed else 1 + min(self.over[LOOP], *self.peers.values(), self.over[LOOP])


def table(rows, peers):
    names = [p.split()[0] for p in peers]
    head = ["case", "n", "dtype", "workers", "ms", "triad", "C loop", "-ffast-math"] + names + ["default malloc", "off/K", "behind"]
    lines = ["| " + " | ".join(head) + " |", "|---|---|---|" + "--:|" * (len(head) - 4) + "---|"]
    for r in rows:
        cell = [r.case, "2^%d" % (r.n.bit_length() - 1), r.dtype, str(r.workers), "%.3g" % r.ms, "%.2f" % r.triad,
                "%.2f" % r.over[LOOP], "%.2f" % r.over[FAST] if FAST in r.over else "–"]
        cell += ["%.2f" % r.peers[p] if p in r.peers else "–" for p in peers]
        cell += ["%.2f" % r.fresh if r.fresh is not None else "–"]
        cell += ["%.2f" % r.gain if r.gain is not None else "–", ", ".join(m[1] for m in r.misses())]
        lines.append("| " + " | ".join(cell) + " |")
    return lines


def reasons(rows, behind):
    """One line for each case that is behind: the reason by its own measurement."""
    small = {(r.case, r.dtype): r for r in rows if not r.large and r.workers == 1}
    lines = ["| case | n | dtype | workers | where the time goes |", "|---|---|---|--:|---|"]
    for r in behind:
        lines.append("| %s | 2^%d | %s | %d | %s |" % (r.case, r.n.bit_length() - 1, r.dtype, r.workers,
                                                        r.why(small.get((r.case, r.dtype)))))
    return lines


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        records = [r for r in json.load(f)["records"] if r["case"] == "fusion"]
    rows = sorted((Row(r) for r in records), key=Row.worst)
    peers = sorted({p for r in rows for p in r.peers})
    behind, reached = [r for r in rows if r.misses()], [r for r in rows if not r.misses()]
    out = ["<!-- fusion -->", "",
           "Machine: %s. Peers: %s." % (sys.argv[3], ", ".join(peers) or "none"), "",
           "%d of %d are behind one of their goals; the worst come first." % (len(behind), len(rows)), ""]
    out += table(behind, peers) + ["", "Why, from the same run:", ""] + reasons(rows, behind) if behind else []
    out += ["", "All goals reached:", ""] + table(reached, peers) if reached else []
    out += ["", "<!-- /fusion -->"]
    with open(sys.argv[2], encoding="utf-8") as f:
        text = f.read()
    new, n = re.subn(r"<!-- fusion -->.*?<!-- /fusion -->", lambda _: "\n".join(out), text, flags=re.S)
    if n != 1:
        sys.exit(sys.argv[2] + ": the marks <!-- fusion --> … <!-- /fusion --> are not there, once")
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(new)


if __name__ == "__main__":
    main()
