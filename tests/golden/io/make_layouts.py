#!/usr/bin/env python3
"""Makes layouts.h5 and unwritten.h5 beside it. Needs h5py.

layouts.h5: a data set for each place and each filter of its elements, which are 0, 1, 2, …; compact, contiguous and checked
are read, the others are refused. unwritten.h5: data sets of which a part, or everything, was never written.
"""
import os
import warnings

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def make(f, name, shape, filters, dtype="int32"):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    filters(plist)
    space = h5py.h5s.create_simple(shape)
    h5py.Dataset(h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(np.dtype(dtype)), space, plist))[...] = (
        np.arange(np.prod(shape)).reshape(shape))


def chunked(*steps):
    def apply(plist):
        plist.set_chunk((4, 4))
        for step in steps:
            step(plist)
    return apply


with h5py.File(os.path.join(HERE, "layouts.h5"), "w", libver=("earliest", "v110")) as f:
    make(f, "compact", (7, 13), lambda p: p.set_layout(h5py.h5d.COMPACT))
    make(f, "contiguous", (7, 11), lambda p: None)
    make(f, "checked", (7, 9), chunked(lambda p: p.set_shuffle(), lambda p: p.set_deflate(9), lambda p: p.set_fletcher32()))
    make(f, "scaled", (7, 8), chunked(lambda p: p.set_scaleoffset(h5py.h5z.SO_INT, 0)))
    make(f, "twice", (7, 6), chunked(lambda p: p.set_deflate(1), lambda p: p.set_shuffle(), lambda p: p.set_deflate(1)))
    f.create_dataset("outside", (7, 5), "int32", external=[("layouts.h5", 0, 140)])
    virtual = h5py.VirtualLayout((7, 3), "int32")
    virtual[...] = h5py.VirtualSource("layouts.h5", "contiguous", (7, 11))[:, :3]
    f.create_virtual_dataset("virtual", virtual)
    odd = h5py.h5t.IEEE_F32LE.copy()
    odd.set_fields(31, 22, 9, 0, 22)
    h5py.h5d.create(f.id, b"odd", odd, h5py.h5s.create_simple((7, 2)))

with h5py.File(os.path.join(HERE, "unwritten.h5"), "w", libver=("earliest", "v110")) as f:
    f.create_dataset("partial", (6, 8), "int32", chunks=(2, 4), fillvalue=-1)[2:4, 4:8] = np.arange(8).reshape(2, 4)
    grown = f.create_dataset("grown", (3, 4), "float64", maxshape=(None, 4), chunks=(2, 4), compression="gzip", shuffle=True)
    grown[...] = np.arange(12).reshape(3, 4)
    grown.resize((7, 4))
    f.create_dataset("never", (4,), "float32", fillvalue=2.5)
    f.create_dataset("none", (4, 4), "uint8", chunks=(2, 2))
    sparse = f.create_dataset("inner/sparse", (20000, 100), "int16", chunks=(10, 10), fillvalue=7)
    sparse[12345, 67] = 42
    f.create_dataset("endless", (1 << 30, 1 << 16), "int8", chunks=(16, 16))[0, 0] = 1
