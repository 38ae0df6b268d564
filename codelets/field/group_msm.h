/* Σ k_i·p_i by Pippenger's buckets: signed digits; buckets are filled by affine sums in rounds of pairs. Per curve.
 * Must not know: which curve, which thread runs which window. */

/* A window's buckets hold Σ of the points whose digit is ±1, ±2, … Points are processed in blocks. A block is sorted by
 * bucket, together with the bucket's own point, and neighbours in a bucket are added until one is left. */
typedef struct buckets {
    int64_t count, block;
    AFFINE *sum;         /* one per bucket */
    AFFINE *from, *to;   /* a block and all sums, twice */
    uint32_t *size, *at; /* per bucket: number of points, position of the first */
    int32_t *digit;      /* per point of a block */
} buckets;

static int64_t msm_block(int64_t n, int64_t count)
{
    enum { LEAST = ORR__CACHE_SHARE / 64 }; /* points of G1 that are near */
    int64_t block = 4 * count < LEAST ? LEAST : 4 * count;
    return block < n ? block : n;
}

static size_t msm_work(int64_t n, int c)
{
    int64_t count = (int64_t)1 << (c - 1), block = msm_block(n, count);
    return (size_t)(3 * count + 2 * block) * sizeof(AFFINE) + (size_t)(2 * count + block) * sizeof(uint32_t);
}

static buckets msm_lay_out(void *work, int64_t n, int c)
{
    buckets b;
    b.count = (int64_t)1 << (c - 1);
    b.block = msm_block(n, b.count);
    b.sum = work;
    b.from = b.sum + b.count;
    b.to = b.from + b.count + b.block;
    b.size = (uint32_t *)(void *)(b.to + b.count + b.block);
    b.at = b.size + b.count;
    b.digit = (int32_t *)(void *)(b.at + b.count);
    return b;
}

/* Rounds of sums of neighbours, until no bucket has two points. */
static void msm_fold(buckets *b)
{
    pairs l = { .n = 0 };
    for (bool more = true; more;) {
        uint32_t at = 0;
        more = false;
        for (int64_t k = 0; k < b->count; k++) {
            uint32_t n = b->size[k], first = b->at[k];
            for (uint32_t i = 0; i + 1 < n; i += 2)
                pairs_put(&l, b->to + at + i / 2, b->from + first + i, b->from + first + i + 1);
            if (n % 2)
                b->to[at + n / 2] = b->from[first + n - 1];
            b->at[k] = at;
            b->size[k] = n = (n + 1) / 2;
            at += n;
            more = more || n > 1;
        }
        pairs_end(&l);
        AFFINE *t = b->from;
        b->from = b->to;
        b->to = t;
    }
}

static void msm_add_block(buckets *b, const AFFINE *p, const orr__msmscalar *k, int64_t n, int w, int c, bool top)
{
    memset(b->size, 0, (size_t)b->count * sizeof *b->size);
    for (int64_t i = 0; i < n; i++) {
        int32_t d = is_infinity(p[i]) ? 0 : orr__msm_digit(&k[i], w, c, top);
        b->digit[i] = d;
        if (d)
            b->size[(d < 0 ? -d : d) - 1]++;
    }
    uint32_t at = 0;
    for (int64_t j = 0; j < b->count; j++) {
        b->at[j] = at;
        if (b->size[j] && !is_infinity(b->sum[j])) {
            b->from[at++] = b->sum[j];
            at += b->size[j]++;
        } else {
            at += b->size[j];
        }
    }
    /* at[j] advances through its bucket, and is set back by the size. */
    for (int64_t j = 0; j < b->count; j++)
        b->at[j] += b->size[j] && !is_infinity(b->sum[j]);
    for (int64_t i = 0; i < n; i++) {
        int32_t d = b->digit[i];
        if (d == 0)
            continue;
        AFFINE v = p[i];
        if (d < 0) {
            v.y = f_neg(v.y);
            d = -d;
        }
        b->from[b->at[d - 1]++] = v;
    }
    for (int64_t j = 0; j < b->count; j++)
        b->at[j] -= b->size[j];
    msm_fold(b);
    for (int64_t j = 0; j < b->count; j++)
        if (b->size[j])
            b->sum[j] = b->from[b->at[j]];
}

/* Σ j·bucket_j, from the last bucket on: each running sum is added to the total. */
static XYZZ msm_total(const buckets *b)
{
    XYZZ running = x_from(infinity), total = running;
    for (int64_t j = b->count - 1; j >= 0; j--) {
        running = x_add_affine(running, b->sum[j]);
        total = x_add(total, running);
    }
    return total;
}

static void msm_window(void *sum, const void *points, const orr__msmscalar *k, int64_t n, int w, int c, void *work)
{
    const AFFINE *p = points;
    buckets b = msm_lay_out(work, n, c);
    memset(b.sum, 0, (size_t)b.count * sizeof *b.sum);
    for (int64_t i = 0; i < n; i += b.block)
        msm_add_block(&b, p + i, k + i, n - i < b.block ? n - i : b.block, w, c, w == orr__msm_windows(c) - 1);
    *(XYZZ *)sum = msm_total(&b);
}

static void msm_join(void *z, const void *sums, int64_t chunks, int c)
{
    const XYZZ *s = sums;
    XYZZ v = x_from(infinity);
    for (int w = orr__msm_windows(c) - 1; w >= 0; w--) {
        for (int i = 0; i < c && !f_is_zero(v.zz); i++)
            v = x_double(v);
        for (int64_t i = 0; i < chunks; i++)
            v = x_add(v, s[w * chunks + i]);
    }
    *(AFFINE *)z = x_affine(v);
}
