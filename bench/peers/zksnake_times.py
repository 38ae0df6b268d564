#!/usr/bin/env python3
"""Sums of multiples on BN254's G1 by zksnake (PyPI; arkworks, compiled from Rust), one thread: lines "NAME seconds" for
orrery-bench private-field. usage: RAYON_NUM_THREADS=1 zksnake_times.py [MOST_LOG2]"""
import os
import random
import sys
import time

os.environ.setdefault("RAYON_NUM_THREADS", "1")
from zksnake.ecc import EllipticCurve  # noqa: E402

curve = EllipticCurve("BN254")
most = int(sys.argv[1]) if len(sys.argv) > 1 else 18
random.seed(254)
n = 1 << most
points = curve.batch_mul(curve.G1(), [random.randrange(curve.order) for _ in range(n)])
scalars = [random.randrange(curve.order) for _ in range(n)]
for log in range(16, most + 1):
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        curve.multiexp(points[: 1 << log], scalars[: 1 << log])
        best = min(best, time.process_time() - begin)
    print(f"msm-{log}-1", best)
