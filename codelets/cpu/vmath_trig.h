/* f64 circular functions for processors with fused multiply-adds, for arguments of any size.
 * Must not know: loops, processors without them. */
#ifndef ORR_CPU_VMATH_TRIG_H
#define ORR_CPU_VMATH_TRIG_H

#include "codelets/cpu/vmath_base.h"

#if VM_FMA

/* 2/π in four parts for x below 2^55, then for every 32 exponents, without the bits whose products with such an x are
 * multiples of 4. From 2^503 on they are scaled by 2^512. */
static const double vm_turn[128] = {
    0x1.45f306dc9c883p-1,   -0x1.6b01ec5417056p-55,  -0x1.6447e493ad4cep-109, 0x1.e21c820ff28b2p-163,
    0x1.17cc1b727220bp-3,   -0x1.ac07b1505c159p-57,  -0x1.911f924eb5336p-111, -0x1.de37df00d74e3p-167,
    0x1.391054a7f09d6p-34,  -0x1.70565911f924fp-91,  0x1.2b3278872084p-145,   -0x1.ae9c5421443aap-200,
    0x1.f09d5f47d4d37p-66,  0x1.c0db6295993c4p-120,  0x1.c820ff28b1d5fp-175,  -0x1.443a9e48db91cp-232,
    0x1.d4d377036d8a5p-98,  0x1.993c439041fe5p-152,  0x1.63abdebbc561bp-208,  0x1.c91b8e909374cp-262,
    0x1.6d8a5664f10e4p-130, 0x1.07f9458eaf7afp-186,  -0x1.d4f246dc8e2dfp-243, 0x1.374b801924bbbp-298,
    0x1.e21c820ff28b2p-163, -0x1.508510ea79237p-218, 0x1.b8e909374b802p-274,  -0x1.b6d115f62e6dep-328,
    0x1.f9458eaf7aef1p-194, 0x1.61b7246e3a425p-248,  -0x1.168ffcdb688bp-303,  0x1.3a32439fc3bd6p-357,
    0x1.7aef1586dc91cp-226, -0x1.c5bdb22d1ff9bp-280, -0x1.b4457d8b9b78cp-334, -0x1.e214e34ed658cp-392,
    0x1.b92371d2126e9p-259, 0x1.c00c925dd413ap-313,  0x1.921cfe1deb1cbp-368,  0x1.29a73ee88235fp-424,
    0x1.09374b801924cp-290, -0x1.15f62e6de301ep-344, -0x1.0a71a76b2c609p-399, 0x1.1046bea5d7689p-453,
    0x1.924bba8274648p-326, 0x1.cfe1deb1cb12ap-380,  -0x1.63045df7282b4p-434, -0x1.44bb7b16638fep-488,
    0x1.3a32439fc3bd6p-357, 0x1.cb129a73ee882p-412,  0x1.afa975da24275p-467,  -0x1.8e3f652e8207p-522,
    0x1.f877ac72c4a6ap-386, -0x1.822efb9415a29p-441, 0x1.a24274ce38136p-495,  -0x1.741037d8cdc54p-549,
    0x1.894d39f74411bp-419, -0x1.5a28976f62cc7p-477, -0x1.fb29741037d8dp-533, 0x1.1d639835339f5p-588,
    0x1.a208d7d4baed1p62,   0x1.09d338e04d68cp7,     -0x1.037d8cdc538dp-49,   0x1.a99cfa4e422fcp-103,
    0x1.75da24274ce38p29,   0x1.35a2fbf209cc9p-27,   -0x1.4e33e566305b2p-83,  0x1.08bf177bf2507p-137,
    0x1.a671c09ad17ep-2,    -0x1.bec66e29c67cbp-56,  0x1.9cfa4e422fc5ep-111,  -0x1.036be27003b4p-167,
    0x1.a2fbf209cc8ebp-35,  0x1.cc1a99cfa4e42p-91,   0x1.7e2ef7e4a0ec8p-146,  -0x1.da00087e99fcp-206,
    0x1.cc8eb1cc1a99dp-67,  -0x1.6c6f740e8840ep-125, 0x1.41d8ffc4bffefp-179,  0x1.6603fbcbc462dp-238,
    0x1.a99cfa4e422fcp-103, 0x1.77bf250763ff1p-157,  0x1.7ffde05980fefp-212,  0x1.788c5ad05369p-267,
    0x1.c845f8bbdf928p-132, 0x1.d8ffc4bffef03p-187,  -0x1.9fc04343b9d29p-242, -0x1.f592e092c9813p-296,
    0x1.efc941d8ffc4cp-163, -0x1.0fd33f8086877p-227, -0x1.d297d64b824b2p-282, -0x1.8130d834f648bp-336,
    0x1.ff897ffde0598p-196, 0x1.fde5e2316b415p-253,  -0x1.2e092c98130d8p-308, -0x1.a7b24585ce04dp-363,
    0x1.7816603fbcbc4p-226, 0x1.8b5a0a6d1f6d3p-280,  0x1.9fb3c9f2c26ddp-334,  0x1.e8c7ecd3cbfd4p-389,
    0x1.bcbc462d6829bp-258, 0x1.1f6d367ecf27dp-312,  -0x1.3d922c2e70266p-366, 0x1.e5fea2d7527bbp-420,
    0x1.6829b47db4dap-290,  -0x1.30d834f648b0cp-344, 0x1.8fd9a797fa8b6p-398,  -0x1.5b08a7028341dp-453,
    0x1.b4d9fb3c9f2c2p-322, 0x1.b74f463f669e6p-376,  -0x1.5d28ad8453814p-436, -0x1.a0e84c2f8c608p-492,
    0x1.3e584dba7a32p-355,  -0x1.32c3402ba515bp-409, -0x1.14e050683a131p-466, 0x1.0739f78a5292fp-520,
    0x1.3d18fd9a797fbp-386, -0x1.d28ad84538142p-440, 0x1.7c5ecf41ce7dep-494,  0x1.4a525d4d7f6bfp-549,
    0x1.e5fea2d7527bbp-420, -0x1.c0a0d0742617cp-475, -0x1.8c10eb5ada2b3p-529, 0x1.fdafd88fc6ae8p-583,
    0x1.d49eeb1faf97cp-450, 0x1.7b3d0739f78a5p-504,  0x1.497535fdafd89p-559,  -0x1.ca8bdea7f33eep-618,
};

/* x less a multiple of 4 */
VM_FN double vm_mod4(double x)
{
    return VM_FMA64(rint(x * 0.25), -4.0, x);
}

/* a + b = the result + *low, exactly */
VM_FN double vm_sum(double a, double b, double *low)
{
    double s = a + b, c = s - a;
    *low = (a - (s - c)) + (b - c);
    return s;
}

/* x = k·π/2 + r + *low, |r| ≤ π/4; the low bits of the result are k. */
VM_FN uint64_t vm_turns_f64(double x, double *r, double *low)
{
    int64_t i = (int64_t)(vm_bits64(fabs(x)) >> 52) - 1046;
    i = (i < 0 ? 0 : i) >> 5 << 2;
    x = fabs(x) >= 0x1p503 ? x * 0x1p-512 : x;
    double c0 = vm_turn[i], c1 = vm_turn[i + 1], c2 = vm_turn[i + 2], c3 = vm_turn[i + 3];
    double p0 = x * c0, e0 = VM_FMA64(x, c0, -p0), p1 = x * c1, e1 = VM_FMA64(x, c1, -p1);
    double p2 = x * c2, e2 = VM_FMA64(x, c2, -p2), a, b, c, d;
    double t = vm_sum(vm_sum(vm_mod4(p0), vm_mod4(e0), &a), vm_mod4(p1), &b), n = vm_sum(e1, p2, &c);
    double q = t + VM_ROUND64, f = vm_sum(t - (q - VM_ROUND64), n, &d);
    d = d + (a + (b + (c + VM_FMA64(x, c3, e2))));
    *r = f * 0x1.921fb54442d18p0;
    *low = VM_FMA64(f, 0x1.921fb54442d18p0, -*r) + VM_FMA64(f, 0x1.1a62633145c07p-54, d * 0x1.921fb54442d18p0);
    return vm_bits64(q);
}

/* The sine and the cosine of r + low: 2^-55, 2^-59 */
VM_FN double vm_sine_f64(double r, double low)
{
    double z = r * r, s = 0x1.5e0a4fc16be59p-33;
    s = VM_FMA64(s, z, -0x1.ae6008d114485p-26);
    s = VM_FMA64(s, z, 0x1.71de37946ed6dp-19);
    s = VM_FMA64(s, z, -0x1.a01a019e820aep-13);
    s = VM_FMA64(s, z, 0x1.1111111110babp-7);
    s = VM_FMA64(s, z, -0x1.5555555555555p-3);
    return r + VM_FMA64(r * z, s, low);
}

VM_FN double vm_cosine_f64(double r, double low)
{
    double z = r * r, c = -0x1.907cd8ff5ede7p-37;
    c = VM_FMA64(c, z, 0x1.1eeb67d026ec6p-29);
    c = VM_FMA64(c, z, -0x1.27e4fa16cc2d1p-22);
    c = VM_FMA64(c, z, 0x1.a01a019f4ddfdp-16);
    c = VM_FMA64(c, z, -0x1.6c16c16c16963p-10);
    c = VM_FMA64(c, z, 0x1.5555555555555p-5);
    double h = 0.5 * z, w = 1.0 - h;
    return w + VM_FMA64(z * z, c, ((1.0 - w) - h) - r * low);
}

VM_FN double vm_far_sin_f64(double x)
{
    double r, low;
    uint64_t k = vm_turns_f64(x, &r, &low);
    double v = k & 1 ? vm_cosine_f64(r, low) : vm_sine_f64(r, low);
    return vm_double(vm_bits64(v) ^ (k & 2) << 62);
}

VM_FN double vm_far_cos_f64(double x)
{
    double r, low;
    uint64_t k = vm_turns_f64(x, &r, &low);
    double v = k & 1 ? vm_sine_f64(r, low) : vm_cosine_f64(r, low);
    return vm_double(vm_bits64(v) ^ ((k + 1) & 2) << 62);
}

VM_FN double vm_tan_f64(double x)
{
    double r, low;
    uint64_t k = vm_turns_f64(x, &r, &low);
    double s = vm_sine_f64(r, low), c = vm_cosine_f64(r, low);
    double v = (k & 1 ? -c : s) / (k & 1 ? s : c);
    return fabs(x) < 0x1p-64 ? x : v;
}

#endif
#endif
