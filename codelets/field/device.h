/* Kernels of field elements for devices, in limbs of 32 bits: OpenCL C and CUDA C. ORR_P and ORR_INVERSE are the modulus
 * and -1/p mod 2^32; KERNEL, FN, GLOBAL, CONST, ID, u32, u64 and i64 are the dialect's (device_text.c).
 * Must not know: which field, which device. It is compiled on the device alone. */

/* Eight limbs from the lowest on: in memory the same as four of 64 bits. */
typedef struct {
    u32 l[8];
} fe;

FN fe fe_reduce(fe x)
{
    CONST u32 p[8] = ORR_P;
    fe z;
    u64 borrow = 0;
    UNROLL
    for (int i = 0; i < 8; i++) {
        u64 d = (u64)x.l[i] - p[i] - borrow;
        z.l[i] = (u32)d;
        borrow = d >> 63;
    }
    UNROLL
    for (int i = 0; i < 8; i++)
        z.l[i] = borrow ? x.l[i] : z.l[i];
    return z;
}

FN fe fe_add(fe x, fe y)
{
    u64 carry = 0;
    UNROLL
    for (int i = 0; i < 8; i++) {
        carry += (u64)x.l[i] + y.l[i];
        x.l[i] = (u32)carry;
        carry >>= 32;
    }
    return fe_reduce(x);
}

FN fe fe_sub(fe x, fe y)
{
    CONST u32 p[8] = ORR_P;
    u64 borrow = 0, carry = 0;
    UNROLL
    for (int i = 0; i < 8; i++) {
        u64 d = (u64)x.l[i] - y.l[i] - borrow;
        x.l[i] = (u32)d;
        borrow = d >> 63;
    }
    UNROLL
    for (int i = 0; i < 8; i++) {
        carry += (u64)x.l[i] + (borrow ? p[i] : 0);
        x.l[i] = (u32)carry;
        carry >>= 32;
    }
    return x;
}

/* x·y/2^256, row by row, each followed by its step of Montgomery's reduction. */
FN fe fe_mul(fe x, fe y)
{
    CONST u32 p[8] = ORR_P;
    fe t = { { 0, 0, 0, 0, 0, 0, 0, 0 } };
    UNROLL
    for (int i = 0; i < 8; i++) {
        u64 c = 0;
        UNROLL
        for (int j = 0; j < 8; j++) {
            c += (u64)x.l[j] * y.l[i] + t.l[j];
            t.l[j] = (u32)c;
            c >>= 32;
        }
        u32 top = (u32)c, u = t.l[0] * ORR_INVERSE;
        c = ((u64)u * p[0] + t.l[0]) >> 32;
        UNROLL
        for (int j = 1; j < 8; j++) {
            c += (u64)u * p[j] + t.l[j];
            t.l[j - 1] = (u32)c;
            c >>= 32;
        }
        t.l[7] = top + (u32)c;
    }
    return fe_reduce(t);
}

KERNEL orr_field_add(GLOBAL fe *z, GLOBAL const fe *x, i64 sx, GLOBAL const fe *y, i64 sy, i64 n)
{
    i64 i = ID;
    if (i < n)
        z[i] = fe_add(x[i * sx], y[i * sy]);
}

KERNEL orr_field_sub(GLOBAL fe *z, GLOBAL const fe *x, i64 sx, GLOBAL const fe *y, i64 sy, i64 n)
{
    i64 i = ID;
    if (i < n)
        z[i] = fe_sub(x[i * sx], y[i * sy]);
}

KERNEL orr_field_mul(GLOBAL fe *z, GLOBAL const fe *x, i64 sx, GLOBAL const fe *y, i64 sy, i64 n)
{
    i64 i = ID;
    if (i < n)
        z[i] = fe_mul(x[i * sx], y[i * sy]);
}

KERNEL orr_field_neg(GLOBAL fe *z, GLOBAL const fe *x, i64 sx, i64 n)
{
    i64 i = ID;
    fe zero = { { 0, 0, 0, 0, 0, 0, 0, 0 } };
    if (i < n)
        z[i] = fe_sub(zero, x[i * sx]);
}

KERNEL orr_field_square(GLOBAL fe *z, GLOBAL const fe *x, i64 sx, i64 n)
{
    i64 i = ID;
    if (i < n)
        z[i] = fe_mul(x[i * sx], x[i * sx]);
}

/* z += a[0]·x */
KERNEL orr_field_axpy(GLOBAL fe *z, GLOBAL const fe *a, GLOBAL const fe *x, i64 n)
{
    i64 i = ID;
    if (i < n)
        z[i] = fe_add(z[i], fe_mul(a[0], x[i]));
}

/* One stage of Stockham's transform of length n, s 1, 2, 4, … n/2: the two elements of one butterfly. w: n/2 powers of a
 * root of order n. After all stages the values are in natural order. */
KERNEL orr_field_ntt_stage(GLOBAL fe *y, GLOBAL const fe *x, GLOBAL const fe *w, i64 s, i64 n)
{
    i64 i = ID, count = n / 2;
    if (i < count) {
        i64 p = i / s, q = i % s;
        fe a = x[q + s * p], b = x[q + s * p + count];
        y[q + s * 2 * p] = fe_add(a, b);
        y[q + s * (2 * p + 1)] = fe_mul(fe_sub(a, b), w[p * s]);
    }
}
