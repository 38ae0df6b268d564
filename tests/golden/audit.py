#!/usr/bin/env python3
"""Lists the functions of docs/array-api.def that have no golden, and those whose goldens lack a dtype. From the root of the tree.

A golden is a case by the function's name in the texts of tests/golden/ and the dtypes of its operands there. Functions without a
value to compare (creation by a shape, inspection, DLPack, utilities of dtypes) are left out. Element-wise functions of floats have
one file a dtype; transforms are computed in f32 and f64 from the same case, as tests/ops/fft.c does. Exit status 0.
"""
import glob
import re

FLOATS = {"float32", "float64"}
ALL = FLOATS | {"complex64", "complex128"}
NO_VALUE = {"Creation", "Data types", "Inspection", "Utility"}
ORDERED = {"max", "min", "argmax", "argmin", "sort", "argsort", "searchsorted", "clip", "ceil", "floor", "trunc", "round", "maximum",
           "minimum", "less", "less_equal", "greater", "greater_equal", "remainder", "floor_divide", "atan2", "copysign", "hypot",
           "logaddexp", "signbit", "nextafter", "quantile", "median", "eigvals", "eig", "rfft", "rfftn", "ihfft", "real", "imag", "conj"}
PARTS = {"f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}

have = {}
for path in glob.glob("tests/golden/numpy/*.txt"):
    name = None
    for line in open(path, errors="replace"):
        word = line.split(None, 2)
        if len(word) > 1 and word[0] == "case":
            name = word[1]
        elif len(word) > 1 and word[0] == "in" and name:
            have.setdefault(name, set()).add(word[1])
for folder in ("elementwise", "complex"):
    for short, dtype in PARTS.items():
        for path in glob.glob(f"tests/golden/{folder}/{short}.txt"):
            for line in open(path, errors="replace"):
                m = re.match(r"([a-z_][a-z_0-9]*) \d+", line)
                if m:
                    have.setdefault(m.group(1), set()).add(dtype)
for line in open("tests/golden/elementwise/ints.txt"):
    m = re.match(r"([a-z_][a-z_0-9]*) ", line)
    if m:
        have.setdefault(m.group(1), set()).add("integers")
for line in open("tests/golden/fft/fft.txt"):
    have.setdefault(line.split(None, 1)[0], set()).update(FLOATS | {"complex64", "complex128"})

category = ""
for line in open("docs/array-api.def"):
    m = re.match(r'CATEGORY\( \w+, \d+, "(.*)" \)', line)
    category = m.group(1) if m else category
    m = re.match(r"ROW\( (\w+), +(\w+),", line)
    if not m or category in NO_VALUE:
        continue
    name = m.group(1)
    got = have.get(name, set()) | have.get(m.group(2).replace("orr_", ""), set())
    want = set() if name.startswith(("bitwise", "logical")) else FLOATS if name in ORDERED or name.startswith("is") else ALL
    lack = want - got
    if not got:
        print(f"{category}: {name}: no golden by this name")
    elif lack:
        print(f"{category}: {name}: none in {', '.join(sorted(lack))}")
