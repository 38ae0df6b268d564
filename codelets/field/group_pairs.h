/* Affine sums of many pairs of points by one inverse. Included once per curve.
 * Must not know: which curve, where pairs come from. */

enum { BATCH = 1024 };

/* Pairs with different x, and the few doubles. */
typedef struct pairs {
    int n, doubles;
    const AFFINE *a[BATCH], *b[BATCH], *twice[BATCH / 8];
    AFFINE *z[BATCH], *z_twice[BATCH / 8];
} pairs;

static void invert_few(F *v, int n)
{
    F before[PACK], p = f_one();
    for (int i = 0; i < n; i++) {
        before[i] = p;
        p = f_mul(p, v[i]);
    }
    p = f_invert(p);
    for (int i = n - 1; i >= 0; i--) {
        F x = v[i];
        v[i] = f_mul(p, before[i]);
        p = f_mul(p, x);
    }
}

/* Coordinates of a pack of points; packs are padded with a valid pair beyond the n-th. */
static void coordinates(const AFFINE *const *p, int n, bool second, P *x, P *y)
{
    const F *at_x[PACK], *at_y[PACK];
    AFFINE other = { f_one(), f_one() };
    if (second)
        other.x = f_sub(other.x, other.x);
    for (int i = 0; i < PACK; i++) {
        at_x[i] = i < n ? &p[i]->x : &other.x;
        at_y[i] = i < n ? &p[i]->y : &other.y;
    }
    *x = p_gather(at_x);
    *y = p_gather(at_y);
}

/* z = a + b, or 2a where b is NULL: λ = (yb - ya)/(xb - xa) or 3x²/2y; x = λ² - xa - xb, y = λ(xa - x) - ya.
 * den: of λ; before: the products of all earlier ones. */
static void sum_pairs(const AFFINE *const *a, const AFFINE *const *b, AFFINE *const *z, int count)
{
    P den[BATCH / PACK], before[BATCH / PACK], product = { 0 }, ax, ay, bx, by;
    F lane[PACK], *lanes[PACK], none[2];
    const F *read[PACK];
    for (int i = 0; i < PACK; i++) {
        lane[i] = f_one();
        read[i] = lanes[i] = &lane[i];
    }
    product = p_gather(read);
    for (int i = 0; i < count; i += PACK) {
        coordinates(a + i, count - i, false, &ax, &ay);
        if (b)
            coordinates(b + i, count - i, true, &bx, &by);
        den[i / PACK] = b ? p_sub(bx, ax) : p_add(ay, ay);
        before[i / PACK] = product;
        product = p_mul(product, den[i / PACK]);
    }
    p_scatter(lanes, product);
    invert_few(lane, PACK);
    product = p_gather(read);
    for (int i = (count - 1) / PACK * PACK; i >= 0; i -= PACK) {
        F *to_x[PACK], *to_y[PACK];
        P inverse = p_mul(product, before[i / PACK]), top;
        product = p_mul(product, den[i / PACK]);
        coordinates(a + i, count - i, false, &ax, &ay);
        if (b) {
            coordinates(b + i, count - i, true, &bx, &by);
            top = p_sub(by, ay);
        } else {
            bx = ax;
            top = p_square(ax);
            top = p_add(p_add(top, top), top);
        }
        P slope = p_mul(top, inverse), x = p_sub(p_sub(p_square(slope), ax), bx);
        for (int j = 0; j < PACK; j++) {
            to_x[j] = i + j < count ? &z[i + j]->x : &none[0];
            to_y[j] = i + j < count ? &z[i + j]->y : &none[1];
        }
        p_scatter(to_x, x);
        p_scatter(to_y, p_sub(p_mul(slope, p_sub(ax, x)), ay));
    }
}

static void pairs_end(pairs *l)
{
    if (l->n)
        sum_pairs(l->a, l->b, l->z, l->n);
    if (l->doubles)
        sum_pairs(l->twice, NULL, l->z_twice, l->doubles);
    l->n = l->doubles = 0;
}

/* *z = a + b, immediately or at pairs_end. z may be a or b; neither is written before. */
static void pairs_put(pairs *l, AFFINE *z, const AFFINE *a, const AFFINE *b)
{
    if (is_infinity(*a) || is_infinity(*b)) {
        *z = is_infinity(*a) ? *b : *a;
    } else if (!f_equal(a->x, b->x)) {
        l->a[l->n] = a;
        l->b[l->n] = b;
        l->z[l->n++] = z;
    } else if (f_equal(a->y, b->y)) {
        l->twice[l->doubles] = a;
        l->z_twice[l->doubles++] = z;
    } else {
        *z = infinity;
    }
    if (l->n == BATCH || l->doubles == BATCH / 8)
        pairs_end(l);
}
