"""The heat equation on a square plate: steps by slices, ten in one evaluation, beside the exact solution."""
import math
import sys

import orrery as o

N, RATE, STEPS = 128, 0.2, 50


def step(u):
    """u + rate · (the four neighbours' sum − 4 u); the border of the plate stays 0."""
    p = o.pad(u, [1, 1], [1, 1], 0.0)
    return u + (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4.0 * u) * RATE


# A product of sines keeps its form: each step multiplies it by 1 − rate · (4 − 4 cos θ).
angle = math.pi / (N + 1)
line = o.sin(o.arange(1.0, N + 1.0) * angle)
start = line[:, None] * line[None, :]
u = start
for k in range(1, STEPS + 1):
    u = step(u)
    if k % 10 == 0:
        u.eval()
factor = (1 - RATE * (4 - 4 * math.cos(angle))) ** STEPS
worst = o.max(o.abs(u - start * factor)).item()
print("%d steps, largest difference to the solution: %.1e: %s" % (STEPS, worst, "right" if worst < 1e-12 else "WRONG"))
sys.exit(worst >= 1e-12)
