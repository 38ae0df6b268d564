#!/usr/bin/env python3
"""Makes cdf.txt beside it: exact distribution functions at many points. Needs scipy.

One line: <distribution> <a> <b> <mean> <variance> <number of points> (<point> <P(X <= point)>)…
"""
import os
import numpy as np
from scipy import stats

CASES = [("gamma", stats.gamma(a), a, 0) for a in [0.05, 0.5, 1, 3.7, 250]]
CASES += [("beta", stats.beta(a, b), a, b) for a, b in [(0.3, 0.4), (2, 5), (1, 1), (80, 40)]]
CASES += [("poisson", stats.poisson(r), r, 0) for r in [0.3, 9.5, 10, 47.3, 3000]]
CASES += [("binomial", stats.binom(n, p), n, p) for n, p in [(1, 0.3), (20, 0.4), (40, 0.9), (1000, 0.02), (500, 0.5), (100000, 0.31)]]
CASES += [("exponential", stats.expon(scale=s), s, 0) for s in [1, 2.5]]
lines = []
for name, d, a, b in CASES:
    q = d.ppf(np.linspace(0.002, 0.998, 80))
    if name in ("poisson", "binomial"):
        q = np.unique(np.round(q))
    else:
        q = np.unique(q[q > 1e-300])
    lines.append(" ".join([name, repr(float(a)), repr(float(b)), repr(float(d.mean())), repr(float(d.var())), str(len(q))] +
                          [f"{float(x)!r} {float(d.cdf(x))!r}" for x in q]))
open(os.path.join(os.path.dirname(__file__), "cdf.txt"), "w").write("\n".join(lines) + "\n")
