#!/usr/bin/env python3
"""Makes the files of this folder with NumPy (2.x): arrays in every dtype, order and format version, and how NumPy prints.

Element k (row-major) of an array is 7k mod 23 (unsigned), 7k mod 23 - 5 (signed), that over 4 (float), k mod 3 = 0 (bool).
"""
import gzip
import io
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
np.set_printoptions(threshold=1000, linewidth=75)


def values(shape, dtype):
    k = np.arange(int(np.prod(shape)), dtype=np.int64) * 7 % 23
    d = np.dtype(dtype)
    if d.kind == "b":
        k = np.arange(int(np.prod(shape))) % 3 == 0
    elif d.kind == "i":
        k = k - 5
    elif d.kind == "f":
        k = (k - 5) / 4
    return k.astype(d).reshape(shape)


def raw(name, header, data=b"", version=(1, 0)):
    h = header.encode("latin1")
    size = struct.pack("<H" if version[0] == 1 else "<I", len(h))
    (HERE / name).write_bytes(b"\x93NUMPY" + bytes(version) + size + h + data)


def npy():
    for code in ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]:
        for order in "<>":
            np.save(HERE / f"c_{code}_{'le' if order == '<' else 'be'}.npy", values((3, 5), order + code))
    np.save(HERE / "fortran_f4_be.npy", np.asfortranarray(values((3, 4, 5), ">f4")))
    np.save(HERE / "fortran_i2.npy", np.asfortranarray(values((40, 3), "<i2")))
    np.save(HERE / "fortran_u1_rank5.npy", np.asfortranarray(values((2, 3, 2, 2, 3), "u1")))
    np.save(HERE / "scalar_f8.npy", values((), "<f8"))
    np.save(HERE / "empty_f4.npy", values((0, 3), "<f4"))
    np.save(HERE / "rank8_i4.npy", values((1, 2, 1, 2, 1, 2, 1, 2), "<i4"))
    np.save(HERE / "rank9_u1.npy", values((1,) * 9, "u1"))
    with open(HERE / "version2_f4.npy", "wb") as f:
        np.lib.format.write_array(f, values((3, 5), "<f4"), version=(2, 0))
    with open(HERE / "version3_f4.npy", "wb") as f:
        np.lib.format.write_array(f, values((3, 5), "<f4"), version=(3, 0))
    raw("python2_i4.npy", "{'shape': (3L, 5L), 'fortran_order': False, 'descr': \"<i4\"}\n", values((3, 5), "<i4").tobytes())
    raw("odd_bool.npy", "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }\n", bytes([0, 1, 2, 255]))


def refused():
    np.save(HERE / "no_object.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
    np.save(HERE / "no_text.npy", np.array(["ab", "c"]))
    np.save(HERE / "no_dates.npy", np.zeros(2, "<M8[s]"))
    np.save(HERE / "no_records.npy", np.zeros(2, [("a", "<f4"), ("b", "<i2")]))
    np.save(HERE / "no_longdouble.npy", np.zeros(2, np.longdouble))


def npz():
    a, b, c = values((3, 5), "<f4"), values((4,), "<i8"), values((), "|b1")
    np.savez(HERE / "stored.npz", a=a, b=b, c=c)
    np.savez_compressed(HERE / "deflated.npz", a=a, b=b, c=c, big=np.zeros((100, 100), "<f8"))
    for file, first in ("other.npz", []), ("twice.npz", [("a.npy", c)]):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as z:
            for name, x in [*first, ("a.npy", a), ("folder/b.npy", b)]:
                buf = io.BytesIO()
                np.save(buf, x)
                z.writestr(name, buf.getvalue(), zipfile.ZIP_DEFLATED)
            z.writestr("readme.txt", "no array")
            z.comment = b"a comment behind the end record"
        (HERE / file).write_bytes(out.getvalue())


def idx():
    codes = {"u1": 0x08, "i1": 0x09, "i2": 0x0B, "i4": 0x0C, "f4": 0x0D, "f8": 0x0E}
    for name, code in codes.items():
        x = values((3, 5), ">" + name)
        data = struct.pack(">BBBBII", 0, 0, code, 2, 3, 5) + x.tobytes()
        (HERE / f"{name}.idx").write_bytes(data)
        if name in ("u1", "f4"):
            (HERE / f"{name}.idx.gz").write_bytes(gzip.compress(data, mtime=0))


def printed():
    rng = np.random.default_rng(1)
    cases = [
        values((3, 5), "<f4"), values((3, 5), "<i4"), values((7,), "|b1"), values((2, 3, 4), "<f8"),
        np.array([1.0, 2.0, 3.0], "<f4"), np.array([0.1, 0.25, 100.0], "<f4"), np.array([0.1, 1 / 3, 2 / 3]),
        np.array([1e-5, 1.0, 2.5], "<f8"), np.array([1e10, 1.5, -2.25e-3], "<f4"), np.array([1e100, 1e-100, 1.0]),
        np.array([np.nan, 1.5, np.inf, -np.inf], "<f4"), np.array([np.nan, np.nan]), np.array([np.inf, -np.inf, 1e10]),
        np.array([0.0, -0.0], "<f4"), np.array([-1.5, 0.001, 999.0]), np.array([0.0001, 0.1], "<f4"),
        np.zeros((0,), "<f4"), np.zeros((2, 0), "<i4"), np.arange(100, dtype="<i8"), np.arange(60) / 7,
        np.arange(5000, dtype="<i4"), np.arange(40 * 30, dtype="<f4").reshape(40, 30),
        np.arange(12 * 11 * 10, dtype="<i2").reshape(12, 11, 10), rng.standard_normal((9, 13)).astype("<f4"),
        rng.standard_normal((3, 3)).astype("<f2"), np.array([[[[-7]]]], "<i8"), np.array([2**64 - 1, 0], "<u8"),
        np.array([123456789.0, 0.5]), np.array([65504.0, 6e-8], "<f2"), np.array([12345678.9, 1e7]),
        rng.integers(0, 2, (4, 300)).astype(bool), rng.standard_normal((1001,)) * 1e5,
    ]
    np.savez_compressed(HERE / "print.npz", **{f"p{i:02}": x for i, x in enumerate(cases)})
    text = ""
    for i, x in enumerate(cases):
        text += f"== p{i:02}\n{x.dtype.name} {x.shape}\n{x}\n"
    (HERE / "print.txt").write_text(text + "==\n")


if __name__ == "__main__":
    npy()
    refused()
    npz()
    idx()
    printed()
    print(f"made with NumPy {np.__version__}", file=sys.stderr)
