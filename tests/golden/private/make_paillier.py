#!/usr/bin/env python3
"""Makes paillier.txt beside it: keys, plain numbers and ciphertexts by python-phe (PyPI: phe, gmpy2), names of keys by hashlib.
Lines: n p q name | r m c | … in hexadecimal; c encrypts m with the noise r^n."""
import hashlib
import os
import random

from phe import paillier

HERE = os.path.dirname(os.path.abspath(__file__))
rng = random.Random(4)
with open(os.path.join(HERE, "paillier.txt"), "w") as out:
    for bits in (512, 1024, 2048):
        while True: # primes that are 3 mod 4 and make a modulus of all the bits
            public, private = paillier.generate_paillier_keypair(n_length=bits)
            if private.p % 4 == 3 and private.q % 4 == 3 and public.n.bit_length() == bits:
                break
        name = hashlib.sha256(int(public.n).to_bytes(bits // 8, "big")).hexdigest()[:32]
        print("key", bits, "%x" % public.n, "%x" % private.p, "%x" % private.q, name, file=out)
        for case in range(40 if bits < 2048 else 15):
            m = rng.choice([0, 1, public.n - 1, rng.randrange(public.n), rng.randrange(2**40)])
            r = rng.randrange(1, public.n)
            c = public.raw_encrypt(m, r_value=r)
            assert private.raw_decrypt(c) == m
            print("%x" % r, "%x" % m, "%x" % c, file=out)
        print("end 0 0", file=out)
