#!/usr/bin/env python3
"""Makes place.txt: optimal placements of random instances. Needs glpsol (GLPK) in the path.

One line an instance:  <seed> <latency> <throughput> <contiguous latency>      (-1: no placement exists; ?: not asked)
The first two are GLPK's optima of a mixed-integer program, the last is a dynamic program over sets of devices. The instance is a
function of the seed; tests/api/place.c draws the same.

    make_place.py [INSTANCES [SECONDS [FIRST]]]     1000 instances; an instance that takes GLPK longer than SECONDS is left out (20);
                                                    FIRST: goes on with this seed (1)
"""
import os
import re
import subprocess
import sys
import tempfile

MASK = (1 << 64) - 1


class Random:
    def __init__(self, seed):
        self.state = seed

    def __call__(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        return (z ^ z >> 31) % n


def instance(seed):
    r = Random(seed)
    n, m = 4 + r(21), 2 + r(5)
    shard = [(1 + r(100), 1 + r(1000), r(50)) for _ in range(n)]
    total = sum(s[0] for s in shard)
    device = [(total * (90 + r(110)) // (100 * m), 1 + r(8), 1 + r(4), r(5)) for _ in range(m)]
    return shard, device


def work(shard, device, i, d):
    return shard[i][1] / device[d][1]


def transfer(shard, device, i, a, b):
    if a == b:
        return 0.0
    return max(device[a][3], device[b][3]) + shard[i][2] / min(device[a][2], device[b][2])


def glpk(shard, device, throughput, seconds):
    n, m = len(shard), len(device)
    xs = [f"x{i}_{d}" for i in range(n) for d in range(m)]
    ys = {(i, a, b): f"y{i}_{a}_{b}" for i in range(n - 1) for a in range(m) for b in range(m)}
    lines = ["Minimize", " goal: "]
    cost = {d: [] for d in range(m)}
    for i in range(n):
        for d in range(m):
            cost[d].append(f"+ {work(shard, device, i, d)!r} x{i}_{d}")
    for (i, a, b), y in ys.items():
        if a != b:
            cost[b].append(f"+ {transfer(shard, device, i, a, b)!r} {y}")
    if throughput:
        lines.append(" T")
    else:
        lines += [" " + t for d in range(m) for t in cost[d]]
    lines.append("Subject To")
    if throughput:
        for d in range(m):
            lines += [f" load{d}: "] + [" " + t for t in cost[d]] + [" - T <= 0"]
    for i in range(n):
        lines.append(f" one{i}: " + " + ".join(f"x{i}_{d}" for d in range(m)) + " = 1")
    for d in range(m):
        lines.append(f" room{d}: " + " + ".join(f"{shard[i][0]} x{i}_{d}" for i in range(n)) + f" <= {device[d][0]}")
    for i in range(n - 1):
        for a in range(m):
            lines.append(f" from{i}_{a}: " + " + ".join(ys[i, a, b] for b in range(m)) + f" - x{i}_{a} = 0")
            lines.append(f" to{i}_{a}: " + " + ".join(ys[i, b, a] for b in range(m)) + f" - x{i + 1}_{a} = 0")
    lines += ["Binary"] + [" " + x for x in xs] + ["End"]
    with tempfile.TemporaryDirectory() as folder:
        lp, out = os.path.join(folder, "p.lp"), os.path.join(folder, "p.sol")
        with open(lp, "w") as f:
            f.write("\n".join(lines) + "\n")
        run = subprocess.run(["glpsol", "--lp", lp, "-o", out, "--tmlim", str(seconds), "--cuts"], capture_output=True)
        if run.returncode != 0:  # GLPK's own assertions end some runs
            return None
        text = open(out).read()
    status = re.search(r"Status:\s+(.*)", text).group(1)
    if "INTEGER OPTIMAL" in status:
        return float(re.search(r"Objective:\s+\S+ = (\S+)", text).group(1))
    return -1.0 if "EMPTY" in status or "INFEASIBLE" in status else None


def contiguous(shard, device):
    n, m = len(shard), len(device)
    best = {(0, 0, -1): 0.0}  # parts placed, devices used, the last device
    for i in range(n):
        for (at, used, last), t in [(k, v) for k, v in best.items() if k[0] == i]:
            for d in range(m):
                if used >> d & 1:
                    continue
                now = t + (transfer(shard, device, i - 1, last, d) if i else 0.0)
                room = device[d][0]
                for j in range(i, n):
                    room -= shard[j][0]
                    if room < 0:
                        break
                    now += work(shard, device, j, d)
                    key = (j + 1, used | 1 << d, d)
                    if now < best.get(key, float("inf")):
                        best[key] = now
    ends = [v for k, v in best.items() if k[0] == n]
    return min(ends) if ends else -1.0


def main():
    count, seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else 20
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "place.txt"), "w" if first == 1 else "a") as f:
        for seed in range(first, count + 1):
            shard, device = instance(seed)
            latency = glpk(shard, device, False, seconds)
            busy = glpk(shard, device, True, seconds) if len(shard) <= 12 else None
            say = ["?" if v is None else repr(v) for v in (latency, busy, contiguous(shard, device))]
            f.write(f"{seed} {' '.join(say)}\n")
            f.flush()


main()
