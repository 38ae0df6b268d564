"""Writes the calls of a test, with the bits of what they give, so that other languages replay them (tests/bindings/replay.py).

It must not know any function: the description of the API says what an argument is.

    let SLOT DTYPE RANK LENGTHS BITS          a tensor; bits of its elements in hexadecimal, - for none
    num SLOT BITS                             a number, which takes the dtype of the other operand
    do NAME SLOT ARGUMENTS                    a call; its tensors go to SLOT and the following ones
    is SLOT DTYPE RANK LENGTHS BITS           the value of a tensor
    end                                       tensors up to here are not used again
An argument is a number (a tensor's is its slot, −1: absent; a real number's is its bits), a word, or a list after its length (−1: absent).
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bindings"))
from description import Description  # noqa: E402

FLAT = -2**31


def bits(x):
    return struct.unpack("<q", struct.pack("<d", x))[0]


class Recorder:
    """The functions of the module `core`, each of which writes its calls; without a path it is the module itself."""

    def __new__(cls, core, path):
        return super().__new__(cls) if path else core

    def __init__(self, core, path):
        self._core, self._file = core, open(path, "w")  # noqa: SIM115
        self._d = Description(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include/orrery/api.json"))
        self._dtypes = {v["name"][4:].lower(): v["value"] for v in self._d.enums["orr_dtype"]["values"]}
        self._by_name = {f["name"][4:]: f for f in self._d.functions}
        self._slots, self._next, self._kept = {}, 0, []

    def _write(self, *words):
        print(*words, file=self._file)

    def end_(self):
        self._slots, self._next, self._kept = {}, 0, []
        self._write("end")

    def _dtype(self, t):
        name = t if isinstance(t, str) else t.name
        short = name.replace("float", "f").replace("uint", "u").replace("int", "i").replace("complex", "c").replace("bf", "bf")
        return self._dtypes[short]

    def _add(self, t):
        self._slots[id(t)] = self._next
        self._kept.append(t)
        self._next += 1

    def _array(self, word, slot, t):
        self._write(word, slot, self._dtype(t.dtype), t.ndim, *t.shape, t.tobytes().hex() or "-")

    def is_(self, t):
        """The value of a result is written."""
        self._array("is", self._slot(t), t)

    def is_of(self, t):
        """The same, and the bytes."""
        self.is_(t)
        return t.tobytes()

    def _slot(self, t):
        if t is None:
            return -1
        if not isinstance(t, self._core.Tensor):
            self._write("num", self._next, bits(t))
            self._next += 1
            return self._next - 1
        if id(t) not in self._slots:
            self._array("let", self._next, t)
            self._add(t)
        return self._slots[id(t)]

    def _listed(self, v, one):
        if v is None:
            return [-1]
        v = [v] if isinstance(v, (int, float, self._core.Tensor)) else list(v)
        return [len(v)] + [one(x) for x in v]

    def _enum(self, of, v):
        if not isinstance(v, str):
            return int(v or 0)
        return next(x["value"] for x in self._d.enums[of]["values"] if x["name"].lower().endswith("_" + v))

    def _words(self, a, v):
        role, of = a["role"], a.get("of", "").rstrip(" *")
        if role == "tensor":
            return [self._slot(v)]
        if role == "list":
            return self._listed(v, self._slot if of == "orr_tensor" else bits if of == "double" else int)
        if role in ("shape", "axes", "index"):
            return self._listed(v, int)
        if role == "real":
            return [bits(v or 0.0)]
        if role == "dtype":
            return [self._dtype(v)]
        if role == "enum":
            return [self._enum(a["type"], v)]
        if role == "axis":
            return [FLAT if v is None else int(v)]
        return [v if role == "text" else int(v or 0)]

    def __getattr__(self, name):
        f, fn = self._by_name.get(name), getattr(self._core, name)
        if not f or name == "from_bytes":
            return fn
        lengths = self._d.lengths(f)
        taken = [a for a in f["arguments"] if not a.get("given") and a["role"] not in ("out", "out list")
                 and not (a["role"] == "length" and a["name"] in lengths)]

        def recorded(*args, **options):
            result = fn(*args, **options)
            values = dict(zip((a["name"] for a in taken), args))
            words = [w for a in taken for w in self._words(a, values.get(a["name"], options.get(a["name"])))]
            self._write("do", name, self._next, *words)
            for t in [result] if isinstance(result, self._core.Tensor) else result or ():
                for one in t if isinstance(t, list) else [t]:
                    self._add(one)
            return result
        setattr(self, name, recorded)
        return recorded
