#!/usr/bin/env python3
"""Makes account.txt beside it: random accountants' cases. Wants NumPy, SciPy and Opacus (PyPI). A line is a word and numbers:

    whole    q sigma alpha rdp      sampled Gaussian, integer order, by Opacus
    part     q sigma alpha rdp      other orders, by the trapezoidal rule, which is exact to rounding for what decays like a Gaussian
    laplace  b alpha rdp            by SciPy's quadrature
    exact    sigma epsilon delta    Gaussian without sampling, by SciPy's normal distribution
    spent    a b delta epsilon      of divergences a alpha + b log(alpha) at Opacus' orders, by Opacus

usage: make_account.py [CASES DIR]    so many of each in DIR/private/, which tests read by ORR_TEST_GOLDEN=DIR"""
import os
import sys
import warnings

import numpy as np
from scipy import integrate, special

warnings.filterwarnings("ignore")
from opacus.accountants.analysis import rdp as opacus

CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 0
HERE = os.path.join(sys.argv[2], "private") if CASES else os.path.dirname(os.path.abspath(__file__))
os.makedirs(HERE, exist_ok=True)
CASES = CASES or 150
ORDERS = [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 64))
rng = np.random.default_rng(2020)


def log_uniform(lo, hi):
    return float(np.exp(rng.uniform(np.log(lo), np.log(hi))))


def sampled(q, s, alpha):
    """log E[((1 - q) + q e^((2z - 1)/(2s²)))^alpha] / (alpha - 1), z of N(0, s²)."""
    h = s / 16
    z = np.arange(-14 * s, alpha + 14 * s, h)
    u = (2 * z - 1) / (2 * s * s)
    grow = alpha * np.where(u > 0, u + np.log(q + (1 - q) * np.exp(-np.abs(u))), np.log1p(q * np.expm1(np.minimum(u, 0))))
    log_weight = -z * z / (2 * s * s) + np.log(h / (s * np.sqrt(2 * np.pi)))
    most = (grow + log_weight).max()
    if most > 0 or grow.max() > 500:
        return (most + np.log(np.exp(grow + log_weight - most).sum())) / (alpha - 1)
    return np.log1p((np.exp(log_weight) * np.expm1(grow)).sum()) / (alpha - 1)


def laplace(b, alpha):
    """log ∫ p(x)^alpha p(x - 1)^(1 - alpha) dx / (alpha - 1), p of Laplace's distribution: the least exponent is taken out."""
    f = lambda x: np.exp((-alpha * abs(x) + (alpha - 1) * abs(x - 1)) / b - (alpha - 1) / b) / (2 * b)
    far = 60 * b
    parts = [integrate.quad(f, lo, hi, epsabs=0, epsrel=1e-13)[0] for lo, hi in ((-far, 0), (0, 1), (1, 1 + far))]
    return ((alpha - 1) / b + np.log(sum(parts))) / (alpha - 1)


with open(os.path.join(HERE, "account.txt"), "w") as out:
    for case in range(CASES):
        q, s = log_uniform(1e-4, 0.9), log_uniform(0.4, 20)
        a = int(rng.integers(2, 64))
        print("whole %.17g %.17g %d %.17g" % (q, s, a, opacus.compute_rdp(q=q, noise_multiplier=s, steps=1, orders=[a])[0]), file=out)
        q, s, a = log_uniform(1e-4, 0.9), log_uniform(0.4, 20), float(rng.uniform(1.05, 40))
        print("part %.17g %.17g %.17g %.17g" % (q, s, a, sampled(q, s, a)), file=out)
        b, a = log_uniform(0.1, 20), float(rng.uniform(1.05, 64))
        print("laplace %.17g %.17g %.17g" % (b, a, laplace(b, a)), file=out)
        s, e = log_uniform(0.3, 10), log_uniform(0.01, 8)
        d = special.ndtr(1 / (2 * s) - e * s) - np.exp(e + special.log_ndtr(-1 / (2 * s) - e * s))
        print("exact %.17g %.17g %.17g" % (s, e, d), file=out)
        a, b, d = log_uniform(1e-4, 1), log_uniform(1e-6, 0.1), log_uniform(1e-10, 1e-2)
        curve = a * np.array(ORDERS) + b * np.log(ORDERS)
        e, order = opacus.get_privacy_spent(orders=ORDERS, rdp=curve, delta=d)
        print("spent %.17g %.17g %.17g %.17g" % (a, b, d, e), file=out)
