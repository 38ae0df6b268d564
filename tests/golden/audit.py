#!/usr/bin/env python3
"""Lists the functions of docs/array-api.def that have no golden in a dtype for which the standard has them. From the root of the tree.

A golden is a case by the function's name in the texts of tests/golden/ and the dtypes of its operands there, or the dtype behind the
colon. Element-wise functions have one file a dtype; transforms of one axis are computed in both widths from the same case. With -v:
also why a function has none in a dtype. Exit status 1 where one is missing.
"""
import glob
import re
import sys

REAL, COMPLEX = {"float32", "float64"}, {"complex64", "complex128"}
INTEGER = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
# Why there is no case at all
NO_CASE = {
    "asarray": "the values of every case come through it", "empty": "no value", "empty_like": "no value",
    "from_dlpack": "tests/api/io_formats.c", "can_cast": "tests/array/arrange.c", "finfo": "tests/array/arrange.c",
    "iinfo": "tests/array/arrange.c", "isdtype": "tests/array/arrange.c", "result_type": "tests/array/arrange.c",
    "__array_namespace_info__": "no value", "full": "tests/ops/views.c", "ones": "tests/ops/views.c", "zeros": "tests/ops/views.c",
}
# Why there is none of complex numbers
NO_COMPLEX = {
    "complex numbers have no order": "max min argmax argmin sort argsort searchsorted clip ceil floor trunc maximum minimum less less_equal "
                                     "greater greater_equal remainder floor_divide hypot logaddexp nextafter arange",
    "the sign of real numbers": "copysign signbit atan2",
    "real numbers alone": "rfft rfftn ihfft fftfreq rfftfreq linspace",
}
NO_REAL = {"complex numbers alone": "imag ifft irfft irfftn hfft"}
# The standard has them for floating-point numbers alone
FLOATING = set("acos acosh asin asinh atan atan2 atanh copysign cos cosh divide exp expm1 hypot imag log log1p log2 log10 logaddexp "
               "nextafter reciprocal signbit sin sinh sqrt tan tanh mean std var cholesky det eigh eigvalsh inv matrix_norm "
               "matrix_power matrix_rank pinv qr slogdet solve svd svdvals vector_norm fft ifft fftn ifftn rfft irfft rfftn irfftn hfft "
               "ihfft fftfreq rfftfreq linspace".split())
# The standard has them for integers and truths alone
WHOLE = set("bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor logical_and logical_not "
            "logical_or logical_xor".split())


def why_not(reasons):
    return {name: why for why, names in reasons.items() for name in names.split()}


def goldens():
    have = {}
    for path in glob.glob("tests/golden/numpy/*.txt"):
        name = None
        for line in open(path, errors="replace"):
            word = line.split(None, 2)
            if word[:1] == ["case"]:
                name, _, dtype = word[1].partition(":")
                have.setdefault(name, set()).add(dtype)
            elif word[:1] == ["in"] and name:
                have[name].add(word[1])
    short = {"f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
    for folder in ("elementwise", "complex"):
        for key, dtype in short.items():
            for path in glob.glob(f"tests/golden/{folder}/{key}.txt"):
                for name in re.findall(r"^([a-z_][a-z_0-9]*) \d+", open(path, errors="replace").read(), re.M):
                    have.setdefault(name, set()).add(dtype)
    for name in re.findall(r"^([a-z_][a-z_0-9]*) ", open("tests/golden/elementwise/ints.txt").read(), re.M):
        have.setdefault(name, set()).add("int32")
    for line in open("tests/golden/fft/fft.txt"):
        name, _, _, _, real = line.split(None, 5)[:5]
        have.setdefault(name, set()).update(REAL if real == "1" else COMPLEX)
    return have


def main(verbose):
    have, no_complex, no_real = goldens(), why_not(NO_COMPLEX), why_not(NO_REAL)
    category, missing, count = "", [], 0
    for line in open("docs/array-api.def"):
        m = re.match(r'CATEGORY\( \w+, \d+, "(.*)" \)', line)
        category = m.group(1) if m else category
        m = re.match(r"ROW\( (\w+), +(\w+),", line)
        if not m:
            continue
        name, ours = m.group(1), m.group(2).replace("orr_", "")
        count += 1
        if name in NO_CASE:
            if verbose:
                print(f"{category}: {name}: {NO_CASE[name]}")
            continue
        got = have.get(name, set()) | have.get(ours, set())
        want = set() if name in WHOLE else REAL | COMPLEX
        for reasons, dtypes in ((no_complex, COMPLEX), (no_real, REAL)):
            if name in reasons and want:
                want = want - dtypes
                if verbose:
                    print(f"{category}: {name}: none in {', '.join(sorted(dtypes))}: {reasons[name]}")
        lack = sorted(want - got)
        if name not in FLOATING and not got & INTEGER:
            lack.append("integers")
        if lack:
            missing.append(f"{category}: {name}: none in {', '.join(lack)}")
    print("\n".join(missing + [f"{count} functions, {len(missing)} without a golden in a dtype"]))
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main("-v" in sys.argv[1:]))
