#!/usr/bin/env python3
"""Makes peer.safetensors, peer.h5, complex.h5 and peer.csv in this folder, with the safetensors library, h5py and NumPy.

Element k (row-major) of an array is that of make_io.py: 7k mod 23 (unsigned), 7k mod 23 - 5 (signed), that over 4 (float),
k mod 3 = 0 (bool); complex ones have that of element 2k and that of element 2k + 1 as their parts.
"""
from pathlib import Path

import h5py
import numpy as np
from safetensors.numpy import save_file

HERE = Path(__file__).parent


def values(shape, dtype):
    d = np.dtype(dtype)
    k = np.arange(int(np.prod(shape)), dtype=np.int64) * 7 % 23
    if d.kind == "b":
        k = np.arange(int(np.prod(shape))) % 3 == 0
    elif d.kind == "i":
        k = k - 5
    elif d.kind == "f":
        k = (k - 5) / 4
    return k.astype(d).reshape(shape)


DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
arrays = {d: values((3, 5), d) for d in DTYPES}
arrays["scalar"] = values((), "float32")
arrays["empty"] = values((0, 4), "float64")
arrays["layer.0/w\u00e9ight \"q\" \u6f22"] = values((2, 3, 4), "float32")
save_file(arrays, HERE / "peer.safetensors", {"format": "np", "made by": "make_formats.py"})
with h5py.File(HERE / "peer.h5", "w", libver=("earliest", "v110")) as f:
    for d in DTYPES:
        f["all/" + d] = arrays[d]
    f["big"] = values((3, 5), ">f8")
    f["scalar"] = values((), "float32")
    f.create_dataset("packed", data=values((40, 50), "int32"), compression="gzip", chunks=(10, 50))
    f["text"] = "no numbers"
with h5py.File(HERE / "complex.h5", "w", libver=("earliest", "v110")) as f:
    both = values((3, 10), "float64")
    pairs = both[:, 0::2] + 1j * both[:, 1::2]
    f["complex64"] = pairs.astype("complex64")
    f["complex128"] = pairs
    f["big"] = pairs.astype(">c16")
    f.create_dataset("packed", data=pairs.astype("complex64"), compression="gzip", shuffle=True, chunks=(2, 5))
    f["scalar"] = np.complex128(complex(-1.25, 0.5))
    f["other"] = np.zeros(3, [("x", "f4"), ("y", "f4")])
    f["mixed"] = np.zeros(3, [("r", "f4"), ("i", "f8")])
    f["gap"] = np.zeros(3, np.dtype({"names": ["r", "i"], "formats": ["f4", "f4"], "offsets": [0, 8], "itemsize": 16}))
    f["turned"] = np.zeros(3, np.dtype({"names": ["i", "r"], "formats": ["f4", "f4"]}))
np.savetxt(HERE / "peer.csv", values((4, 3), "float64"), delimiter=",", header="x,y,z")
