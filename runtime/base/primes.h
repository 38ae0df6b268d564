/* The moduli of BN254. Made by tests/golden/field/make_constants.py: do not edit.
 * Must not know: arithmetic. */
#ifndef ORR_BASE_PRIMES_H
#define ORR_BASE_PRIMES_H

#include "runtime/base/mont.h"

static const orr__mod orr__fr = {
    .p = { { 0x43e1f593f0000001u, 0x2833e84879b97091u, 0xb85045b68181585du, 0x30644e72e131a029u } },
    .one = { { 0xac96341c4ffffffbu, 0x36fc76959f60cd29u, 0x666ea36f7879462eu, 0x0e0a77c19a07df2fu } },
    .square = { { 0x1bb8e645ae216da7u, 0x53fe3ab1e35c59e3u, 0x8c49833d53bb8085u, 0x0216d0b17f4e44a5u } },
    .inverse = 0xc2e1f593efffffffu,
};
static const orr__mod orr__fq = {
    .p = { { 0x3c208c16d87cfd47u, 0x97816a916871ca8du, 0xb85045b68181585du, 0x30644e72e131a029u } },
    .one = { { 0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, 0x0e0a77c19a07df2fu } },
    .square = { { 0xf32cfc5b538afa89u, 0xb5e71911d44501fbu, 0x47ab1eff0a417ff6u, 0x06d89f71cab8351fu } },
    .inverse = 0x87d20782e4866389u,
};

#endif
