/* Points of y² = x³ + b: the group's law in affine and XYZZ coordinates, inline. Included once per curve; the includer
 * defines F (a coordinate), AFFINE, XYZZ, the f_ functions and CURVE_B. Formulas: Hankerson, Menezes, Vanstone; XYZZ as
 * in the Explicit-Formulas Database (madd-2008-s, add-2008-s, dbl-2008-s-1).
 * Must not know: which curve, arrays. */

static const AFFINE infinity;

ORR__INLINE bool is_infinity(AFFINE p)
{
    return f_is_zero(p.x) && f_is_zero(p.y);
}

static XYZZ x_double(XYZZ p)
{
    F u = f_add(p.y, p.y), v = f_square(u), w = f_mul(u, v), s = f_mul(p.x, v), m = f_square(p.x);
    XYZZ z;
    m = f_add(f_add(m, m), m);
    z.x = f_sub(f_square(m), f_add(s, s));
    z.y = f_sub(f_mul(m, f_sub(s, z.x)), f_mul(w, p.y));
    z.zz = f_mul(v, p.zz);
    z.zzz = f_mul(w, p.zzz);
    return z;
}

static XYZZ x_from(AFFINE p)
{
    XYZZ z;
    memset(&z, 0, sizeof z);
    if (is_infinity(p))
        return z;
    z.x = p.x;
    z.y = p.y;
    z.zz = z.zzz = f_one();
    return z;
}

static XYZZ x_add_affine(XYZZ a, AFFINE b)
{
    if (is_infinity(b))
        return a;
    if (f_is_zero(a.zz))
        return x_from(b);
    F p = f_sub(f_mul(b.x, a.zz), a.x), r = f_sub(f_mul(b.y, a.zzz), a.y);
    XYZZ z;
    if (f_is_zero(p)) {
        if (f_is_zero(r))
            return x_double(a);
        memset(&z, 0, sizeof z);
        return z;
    }
    F pp = f_square(p), ppp = f_mul(p, pp), q = f_mul(a.x, pp);
    z.x = f_sub(f_sub(f_square(r), ppp), f_add(q, q));
    z.y = f_sub(f_mul(r, f_sub(q, z.x)), f_mul(a.y, ppp));
    z.zz = f_mul(a.zz, pp);
    z.zzz = f_mul(a.zzz, ppp);
    return z;
}

static XYZZ x_add(XYZZ a, XYZZ b)
{
    if (f_is_zero(b.zz))
        return a;
    if (f_is_zero(a.zz))
        return b;
    F u = f_mul(a.x, b.zz), s = f_mul(a.y, b.zzz);
    F p = f_sub(f_mul(b.x, a.zz), u), r = f_sub(f_mul(b.y, a.zzz), s);
    XYZZ z;
    if (f_is_zero(p)) {
        if (f_is_zero(r))
            return x_double(a);
        memset(&z, 0, sizeof z);
        return z;
    }
    F pp = f_square(p), ppp = f_mul(p, pp), q = f_mul(u, pp);
    z.x = f_sub(f_sub(f_square(r), ppp), f_add(q, q));
    z.y = f_sub(f_mul(r, f_sub(q, z.x)), f_mul(s, ppp));
    z.zz = f_mul(f_mul(a.zz, b.zz), pp);
    z.zzz = f_mul(f_mul(a.zzz, b.zzz), ppp);
    return z;
}

ORR__INLINE XYZZ x_neg(XYZZ p)
{
    p.y = f_neg(p.y);
    return p;
}

static AFFINE x_affine(XYZZ p)
{
    if (f_is_zero(p.zz))
        return infinity;
    F i = f_invert(p.zzz), zz = f_mul(i, p.zz); /* 1/ZZ = (ZZ/ZZZ)², as ZZ³ = ZZZ² */
    return (AFFINE){ f_mul(p.x, f_square(zz)), f_mul(p.y, i) };
}

static bool on_curve(AFFINE p)
{
    return is_infinity(p) || f_equal(f_square(p.y), f_add(f_mul(f_square(p.x), p.x), CURVE_B));
}

/* k·p with a plain integer k, by signed windows of four bits from the top: digits -8 … 7 and one carry. */
static XYZZ x_multiply(AFFINE p, const uint64_t k[4])
{
    XYZZ table[9], z;
    int8_t digit[65];
    int carry = 0;
    memset(&table[0], 0, sizeof table[0]);
    for (int i = 1; i <= 8; i++)
        table[i] = x_add_affine(table[i - 1], p);
    for (int i = 0; i < 64; i++) {
        int d = (int)(k[i / 16] >> i % 16 * 4 & 15) + carry;
        carry = d >= 8;
        digit[i] = (int8_t)(d - 16 * carry);
    }
    digit[64] = (int8_t)carry;
    z = table[0];
    for (int i = 64; i >= 0; i--) {
        if (!f_is_zero(z.zz))
            for (int j = 0; j < 4; j++)
                z = x_double(z);
        if (digit[i] > 0)
            z = x_add(z, table[digit[i]]);
        else if (digit[i] < 0)
            z = x_add(z, x_neg(table[-digit[i]]));
    }
    return z;
}
