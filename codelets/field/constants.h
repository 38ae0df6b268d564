/* Numbers that follow from the moduli of BN254. Made by tests/golden/field/make_constants.py: do not edit.
 * Must not know: arithmetic. */
#ifndef ORR_FIELD_CONSTANTS_H
#define ORR_FIELD_CONSTANTS_H

#include "codelets/field/field.h"
#include "runtime/base/primes.h"

static const orr__mod52 orr__fr52 = {
    .p = { 0x1f593f0000001u, 0x4879b9709143eu, 0x181585d2833e8u, 0xa029b85045b68u, 0x030644e72e131u },
    .twice = { 0x3eb27e0000002u, 0x90f372e12287cu, 0x302b0ba5067d0u, 0x405370a08b6d0u, 0x060c89ce5c263u },
    .inverse = 0x1f593efffffffu,
};
static const orr__mod52 orr__fq52 = {
    .p = { 0x08c16d87cfd47u, 0x916871ca8d3c2u, 0x181585d97816au, 0xa029b85045b68u, 0x030644e72e131u },
    .twice = { 0x1182db0f9fa8eu, 0x22d0e3951a784u, 0x302b0bb2f02d5u, 0x405370a08b6d0u, 0x060c89ce5c263u },
    .inverse = 0x20782e4866389u,
};

/* 5^((r - 1) / 2^28), of order 2^28, and its inverse; 5 generates the units. */
static const orr__fe orr__fr_root = { { 0x636e735580d13d9cu, 0xa22bf3742445ffd6u, 0x56452ac01eb203d8u, 0x1860ef942963f9e7u } };
static const orr__fe orr__fr_root_inverse = { { 0x89bcc016584bb683u, 0xe8d9887f0164a50cu, 0x755e95cb795eda3du, 0x0f572b871323b130u } };
static const orr__fe orr__fr_generator = { { 0x1b0d0ef99fffffe6u, 0xeaba68a3a32a913fu, 0x47d8eb76d8dd0689u, 0x15d0085520f5bbc3u } };
static const orr__fe orr__fr_half = { { 0x783c14d81ffffffeu, 0xaf982f6f0c8d1eddu, 0x8f5f7492fcfd4f45u, 0x1f37631a3d9cbfacu } };

/* y^2 = x^3 + 3; over Fq2 = Fq[u]/(u^2 + 1) y^2 = x^3 + 3/(9 + u). The generators are those of Ethereum's EIP-197. */
static const orr__fe orr__g1_b = { { 0x7a17caa950ad28d7u, 0x1f6ac17ae15521b9u, 0x334bea4e696bd284u, 0x2a1f6744ce179d8eu } };
static const orr__fq2 orr__g2_b = { { { { 0x3bf938e377b802a8u, 0x020b1b273633535du, 0x26b7edf049755260u, 0x2514c6324384a86du } },
      { { 0x38e7ecccd1dcff67u, 0x65f0b37d93ce0d3eu, 0xd749d0dd22ac00aau, 0x0141b9ce4a688d4du } } } };
static const orr__fe orr__fq_half = { { 0x87bee7d24f060572u, 0xd0fd2add2f1c6ae5u, 0x8f5f7492fcfd4f44u, 0x1f37631a3d9cbfacu } };
static const orr__g1 orr__g1_generator = { { { 0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, 0x0e0a77c19a07df2fu } },
    { { 0xa6ba871b8b1e1b3au, 0x14f1d651eb8e167bu, 0xccdd46def0f28c58u, 0x1c14ef83340fbe5eu } } };
static const orr__g2 orr__g2_generator = {
    { { { { 0x8e83b5d102bc2026u, 0xdceb1935497b0172u, 0xfbb8264797811adfu, 0x19573841af96503bu } },
      { { 0xafb4737da84c6140u, 0x6043dd5a5802d8c4u, 0x09e950fc52a02f86u, 0x14fef0833aea7b6bu } } } },
    { { { { 0x619dfa9d886be9f6u, 0xfe7fd297f59e9b78u, 0xff9e1a62231b7dfeu, 0x28fd7eebae9e4206u } },
      { { 0x64095b56c71856eeu, 0xdc57f922327d3cbbu, 0x55f935be33351076u, 0x0da4a0e693fd6482u } } } } };

/* Plain integers. (q + 1) / 4 is the exponent of a square root. */
static const orr__fe orr__fq_root_exponent = { { 0x4f082305b61f3f52u, 0x65e05aa45a1c72a3u, 0x6e14116da0605617u, 0x0c19139cb84c680au } };
static const orr__fe orr__fq_above_half = { { 0x9e10460b6c3e7ea3u, 0xcbc0b548b438e546u, 0xdc2822db40c0ac2eu, 0x183227397098d014u } };

/* The pairing: q and r are polynomials of x. (9 + u)^(i (q^k - 1) / 6) for the Frobenius maps. */
#define ORR__BN_X 0x44e992b44a6909f1u
static const orr__fq2 orr__frobenius_1[6] = {
    { { { { 0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, 0x0e0a77c19a07df2fu } },
      { { 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } } },
    { { { { 0xaf9ba69633144907u, 0xca6b1d7387afb78au, 0x11bded5ef08a2087u, 0x02f34d751a1f3a7cu } },
      { { 0xa222ae234c492d72u, 0xd00f02a4565de15bu, 0xdc2ff3a253dfc926u, 0x10a75716b3899551u } } } },
    { { { { 0xb5773b104563ab30u, 0x347f91c8a9aa6454u, 0x7a007127242e0991u, 0x1956bcd8118214ecu } },
      { { 0x6e849f1ea0aa4757u, 0xaa1c7b6d89f89141u, 0xb6e713cdfae0ca3au, 0x26694fbb4e82ebc3u } } } },
    { { { { 0xe4bbdd0c2936b629u, 0xbb30f162e133bacbu, 0x31a9d1b6f9645366u, 0x253570bea500f8ddu } },
      { { 0xa1d77ce45ffe77c7u, 0x07affd117826d1dbu, 0x6d16bd27bb7edc6bu, 0x2c87200285defeccu } } } },
    { { { { 0x7361d77f843abe92u, 0xa5bb2bd3273411fbu, 0x9c941f314b3e2399u, 0x15df9cddbb9fd3ecu } },
      { { 0x5dddfd154bd8c949u, 0x62cb29a5a4445b60u, 0x37bc870a0c7dd2b9u, 0x24830a9d3171f0fdu } } } },
    { { { { 0xc970692f41690fe7u, 0xe240342127694b0bu, 0x32bee66b83c459e8u, 0x12aabced0ab08841u } },
      { { 0x0d485d2340aebfa9u, 0x05193418ab2fcc57u, 0xd3b0a40b8a4910f5u, 0x2f21ebb535d2925au } } } },
};
static const orr__fq2 orr__frobenius_2[6] = {
    { { { { 0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, 0x0e0a77c19a07df2fu } },
      { { 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } } },
    { { { { 0xca8d800500fa1bf2u, 0xf0c5d61468b39769u, 0x0e201271ad0d4418u, 0x04290f65bad856e6u } },
      { { 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } } },
    { { { { 0x3350c88e13e80b9cu, 0x7dce557cdb5e56b9u, 0x6001b4b8b615564au, 0x2682e617020217e0u } },
      { { 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } } },
    { { { { 0x68c3488912edefaau, 0x8d087f6872aabf4fu, 0x51e1a24709081231u, 0x2259d6b14729c0fau } },
      { { 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } } },
    { { { { 0x71930c11d782e155u, 0xa6bb947cffbe3323u, 0xaa303344d4741444u, 0x2c3b3f0d26594943u } },
      { { 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } } },
    { { { { 0x08cfc388c494f1abu, 0x19b315148d1373d4u, 0x584e90fdcb6c0213u, 0x09e1685bdf2f8849u } },
      { { 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } } },
};
static const orr__fq2 orr__frobenius_3[6] = {
    { { { { 0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, 0x0e0a77c19a07df2fu } },
      { { 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } } },
    { { { { 0x365316184e46d97du, 0x0af7129ed4c96d9fu, 0x659da72fca1009b5u, 0x08116d8983a20d23u } },
      { { 0xb1df4af7c39c1939u, 0x3d9f02878a73bf7fu, 0x9b2220928caf0ae0u, 0x26684515eff054a6u } } } },
    { { { { 0xc9af22f716ad6badu, 0xb311782a4aa662b2u, 0x19eeaf64e248c7f4u, 0x20273e77e3439f82u } },
      { { 0xacc02860f7ce93acu, 0x3933d5817ba76b4cu, 0x69e6188b446c8467u, 0x0a46036d4417cc55u } } } },
    { { { { 0x5764af0aaf46471eu, 0xdc50792e873e0fc1u, 0x86a673ff881d04f6u, 0x0b2eddb43c30a74cu } },
      { { 0x9a490f32787e8580u, 0x8fd16d7ff04af8b1u, 0x4b39888ec6027bf2u, 0x03dd2e705b52a15du } } } },
    { { { { 0x448a93a57b6762dfu, 0xbfd62df528fdeadfu, 0xd858f5d00e9bd47au, 0x06b03d4d3476ec58u } },
      { { 0x2b19daf4bcc936d1u, 0xa1a54e7a56f4299fu, 0xb533eee05adeaef1u, 0x170c812b84dda0b2u } } } },
    { { { { 0xe0bc4b2275cf559fu, 0xc238b945c154e60fu, 0x803982a5929a7d5eu, 0x15ce052df7e4a37eu } },
      { { 0x2d28efbdbf3799a7u, 0x9b097e3c1ad60773u, 0x982d4113af4a535bu, 0x24e18991e3056063u } } } },
};

#endif
