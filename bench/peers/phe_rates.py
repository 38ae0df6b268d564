#!/usr/bin/env python3
"""Paillier sums by python-phe (PyPI: phe, gmpy2), one core: lines "NAME numbers-per-second" for orrery-bench private-sums.
usage: phe_rates.py [BITS]"""
import sys
import time

from phe import paillier, util

bits = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
public, private = paillier.generate_paillier_keypair(n_length=bits)
if not util.HAVE_GMP:
    sys.exit("phe_rates.py: phe has no gmpy2 here")


def rate(count, f):
    best = 0.0
    for _ in range(3):
        begin = time.perf_counter()
        f()
        best = max(best, count / (time.perf_counter() - begin))
    return best


numbers = [i * 7 - 300 for i in range(60)]
encrypted = [public.encrypt(x) for x in numbers]
print("encrypt", rate(len(numbers), lambda: [public.encrypt(x) for x in numbers]))
print("decrypt", rate(len(numbers), lambda: [private.decrypt(x) for x in encrypted]))
print("sum", rate(len(numbers) * 20, lambda: [sum(encrypted[1:], encrypted[0]) for _ in range(20)]))
