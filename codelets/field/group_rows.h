/* Rows of points: sums, multiples, checks, compressed form. Included once per curve.
 * Must not know: which curve. */

static void rows_add(void *z, const void *x, int64_t sx, const void *y, int64_t sy, int64_t n)
{
    pairs l = { .n = 0 };
    for (int64_t i = 0; i < n; i++)
        pairs_put(&l, (AFFINE *)z + i, (const AFFINE *)x + i * sx, (const AFFINE *)y + i * sy);
    pairs_end(&l);
}

static void rows_neg(void *z, const void *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        AFFINE p = ((const AFFINE *)x)[i];
        p.y = f_neg(p.y);
        ((AFFINE *)z)[i] = p;
    }
}

static void rows_affine(void *z, const void *x, int64_t n)
{
    const XYZZ *from = x;
    AFFINE *to = z;
    F before[64];
    for (int64_t at = 0; at < n; at += 64) {
        int count = n - at < 64 ? (int)(n - at) : 64; /* limit of memory */
        F p = f_one();
        for (int i = 0; i < count; i++) {
            before[i] = p;
            if (!f_is_zero(from[at + i].zz))
                p = f_mul(p, from[at + i].zzz);
        }
        p = f_invert(p);
        for (int i = count - 1; i >= 0; i--) {
            XYZZ v = from[at + i];
            if (f_is_zero(v.zz)) {
                to[at + i] = infinity;
                continue;
            }
            F inverse = f_mul(p, before[i]), zz = f_mul(inverse, v.zz);
            p = f_mul(p, v.zzz);
            to[at + i] = (AFFINE){ f_mul(v.x, f_square(zz)), f_mul(v.y, inverse) };
        }
    }
}

static void rows_multiply(void *z, const void *x, int64_t sx, const orr__fe *k, int64_t sk, int64_t n)
{
    XYZZ wide[64];
    for (int64_t at = 0; at < n; at += 64) {
        int count = n - at < 64 ? (int)(n - at) : 64; /* limit of memory */
        for (int i = 0; i < count; i++) {
            orr__fe e = fe_leave(k[(at + i) * sk], &orr__fr);
            wide[i] = x_multiply(((const AFFINE *)x)[(at + i) * sx], e.l);
        }
        rows_affine((AFFINE *)z + at, wide, count);
    }
}

static int64_t rows_check(const void *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!on_curve(((const AFFINE *)x)[i]))
            return i;
    return -1;
}

/* r·p is infinity. */
static int64_t rows_check_order(const void *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!f_is_zero(x_multiply(((const AFFINE *)x)[i], orr__fr.p.l).zz))
            return i;
    return -1;
}

/* x, little-endian. Its highest bit marks that y is the larger root, the next bit that the point is infinity. */
enum { LARGER = 0x80, INFINITE = 0x40, COORDINATE = (int)sizeof(F) };

static void rows_compress(void *bytes, const void *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const AFFINE p = ((const AFFINE *)x)[i];
        unsigned char *b = (unsigned char *)bytes + i * COORDINATE;
        ORR__FK(write)(ORR__FQ, b, (const orr__fe *)(const void *)&p.x, COORDINATE / 32);
        if (is_infinity(p))
            b[COORDINATE - 1] = INFINITE;
        else if (f_is_larger(p.y))
            b[COORDINATE - 1] |= LARGER;
    }
}

static int64_t rows_decompress(void *z, const void *bytes, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const unsigned char *from = (const unsigned char *)bytes + i * COORDINATE;
        unsigned char b[COORDINATE];
        AFFINE *p = (AFFINE *)z + i;
        memcpy(b, from, sizeof b);
        const int flags = b[COORDINATE - 1] & (LARGER | INFINITE);
        b[COORDINATE - 1] &= (unsigned char)~(LARGER | INFINITE);
        if (ORR__FK(read)(ORR__FQ, (orr__fe *)(void *)&p->x, b, COORDINATE / 32) >= 0)
            return i;
        p->y = infinity.y;
        if (flags & INFINITE) {
            if (flags & LARGER || !f_is_zero(p->x))
                return i;
            continue;
        }
        if (!f_root(&p->y, f_add(f_mul(f_square(p->x), p->x), CURVE_B)))
            return i;
        if (f_is_larger(p->y) != !!(flags & LARGER))
            p->y = f_neg(p->y);
    }
    return -1;
}
