#!/usr/bin/env python3
"""Makes gradients.txt beside it: cotangents of complex functions as JAX has them. Needs jax.

One line:  <name> <re z> <im z> <re w> <im w> <re ct> <im ct> <re r> <im r>   (hexadecimal floats)
r is the cotangent of z, ct that of the result; w is a second operand, which some functions have. A real result has a real
cotangent: im ct is 0. acosh is written out: the derivative in JAX has the wrong sign left of the imaginary axis; and so is sign,
whose derivative there is 0.
"""
import os

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
rng = np.random.default_rng(3)
ONE = {"exp": jnp.exp, "log": jnp.log, "sqrt": jnp.sqrt, "sin": jnp.sin, "cos": jnp.cos, "tan": jnp.tan,
       "asin": jnp.arcsin, "acos": jnp.arccos, "atan": jnp.arctan, "sinh": jnp.sinh, "cosh": jnp.cosh,
       "tanh": jnp.tanh, "asinh": jnp.arcsinh, "acosh": lambda z: jnp.log(z + jnp.sqrt(z - 1) * jnp.sqrt(z + 1)), "atanh": jnp.arctanh, "log2": jnp.log2,
       "log10": jnp.log10, "log1p": jnp.log1p, "expm1": jnp.expm1, "reciprocal": lambda z: 1 / z,
       "square": jnp.square, "neg": jnp.negative, "conj": jnp.conj, "abs": jnp.abs, "angle": jnp.angle,
       "real": jnp.real, "imag": jnp.imag}
LATER = {"sign": lambda z: z / jnp.abs(z)}
TWO = {"add": jnp.add, "sub": jnp.subtract, "mul": jnp.multiply, "div": jnp.divide, "pow": jnp.power}


def cotangent(f, z, *more):
    r, back = jax.vjp(lambda v: f(v, *more), z)
    ct = complex(rng.standard_normal(), rng.standard_normal())
    ct = np.complex128(ct) if jnp.iscomplexobj(r) else np.float64(ct.real)
    return ct, complex(back(jnp.asarray(ct))[0])


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "gradients.txt"), "w") as out:
    for name, f in list(ONE.items()) + list(TWO.items()) + list(LATER.items()):
        for _ in range(4):
            z, w = (np.complex128(complex(*rng.standard_normal(2))) for _ in range(2))
            ct, r = cotangent(f, z, *([w] if name in TWO else []))
            v = [z.real, z.imag, w.real, w.imag, ct.real, ct.imag, r.real, r.imag]
            out.write(" ".join([name] + [float(x).hex() for x in v]) + "\n")
