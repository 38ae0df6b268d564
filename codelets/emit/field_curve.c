/* Kernels on points of G1: tests whether they are on the curve, and Pippenger's buckets. The latter take several
 * launches: lists of the points of each bucket, the sums of buckets, the sums of runs of buckets, the sums of the runs.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/field.h"

static const char xyzz_text[] = ORR__TEXT(
    typedef struct {
        orr_element x;
        orr_element y;
        orr_element zz;
        orr_element zzz;
    } orr_point;
    ORR_FN int orr_is_zero(orr_element x) {
        orr_u32 any = 0u;
        for (int k = 0; k < 8; k++)
            any |= x.l[k];
        return any == 0u;
    })
    /* The point at infinity, whose zz is 0. */
    ORR__TEXT(ORR_FN orr_point orr_infinity(void) {
        orr_point z;
        z.x = z.y = z.zz = z.zzz = F(zero)();
        return z;
    })
    /* dbl-2008-s-1, add-2008-s and madd-2008-s of the Explicit-Formulas Database. */
    ORR__TEXT(ORR_CALL orr_point orr_double(orr_point p) {
        const orr_element u = F(add)(p.y, p.y);
        const orr_element v = F(mul)(u, u);
        const orr_element w = F(mul)(u, v);
        const orr_element s = F(mul)(p.x, v);
        orr_element m = F(mul)(p.x, p.x);
        orr_point z;
        m = F(add)(F(add)(m, m), m);
        z.x = F(sub)(F(mul)(m, m), F(add)(s, s));
        z.y = F(sub)(F(mul)(m, F(sub)(s, z.x)), F(mul)(w, p.y));
        z.zz = F(mul)(v, p.zz);
        z.zzz = F(mul)(w, p.zzz);
        return z;
    })
    /* a + b, where b has the coordinates u = x·zz', s = y·zzz' at the common scale. */
    ORR__TEXT(ORR_CALL orr_point orr_plus(orr_point a, orr_point b) {
        orr_element u;
        orr_element s;
        orr_element p;
        orr_element r;
        orr_point z;
        if (orr_is_zero(b.zz))
            return a;
        if (orr_is_zero(a.zz))
            return b;
        u = F(mul)(a.x, b.zz);
        s = F(mul)(a.y, b.zzz);
        p = F(sub)(F(mul)(b.x, a.zz), u);
        r = F(sub)(F(mul)(b.y, a.zzz), s);
        if (orr_is_zero(p))
            return orr_is_zero(r) ? orr_double(a) : orr_infinity();
        z.zz = F(mul)(p, p);
        z.zzz = F(mul)(p, z.zz);
        u = F(mul)(u, z.zz);
        z.x = F(sub)(F(sub)(F(mul)(r, r), z.zzz), F(add)(u, u));
        z.y = F(sub)(F(mul)(r, F(sub)(u, z.x)), F(mul)(s, z.zzz));
        z.zz = F(mul)(F(mul)(a.zz, b.zz), z.zz);
        z.zzz = F(mul)(F(mul)(a.zzz, b.zzz), z.zzz);
        return z;
    }) ORR__TEXT(ORR_CALL orr_point orr_plus_affine(orr_point a, orr_element x, orr_element y) {
        orr_element p;
        orr_element r;
        orr_element q;
        orr_point z;
        if (orr_is_zero(a.zz)) {
            z.x = x;
            z.y = y;
            z.zz = z.zzz = ORR_ONE;
            return z;
        }
        p = F(sub)(F(mul)(x, a.zz), a.x);
        r = F(sub)(F(mul)(y, a.zzz), a.y);
        if (orr_is_zero(p))
            return orr_is_zero(r) ? orr_double(a) : orr_infinity();
        z.zz = F(mul)(p, p);
        z.zzz = F(mul)(p, z.zz);
        q = F(mul)(a.x, z.zz);
        z.x = F(sub)(F(sub)(F(mul)(r, r), z.zzz), F(add)(q, q));
        z.y = F(sub)(F(mul)(r, F(sub)(q, z.x)), F(mul)(a.y, z.zzz));
        z.zz = F(mul)(a.zz, z.zz);
        z.zzz = F(mul)(a.zzz, z.zzz);
        return z;
    });

/* -- on the curve? ------------------------------------------------------------------------------------------------------- */

static bool is_g1(const orr__region *r)
{
    return r->call.attr.axis == ORR_G1;
}

static bool can_points(const orr__region *r)
{
    int what = r->call.attr.index;
    return is_g1(r) && (what == ORR__POINTS_CHECK || what == ORR__POINTS_NEG || what == ORR__POINTS_CONTAINS);
}

static int no_words(const orr__region *r)
{
    (void)r;
    return 0;
}

/* One item per point. */
static void fill_points(const orr__launch *l, int64_t *word)
{
    word[0] = l->hi - l->lo;
    word[ORR__CALL_FIRST] = l->lo;
}

static void functions_points(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    (void)r;
    orr__emit_field_begin(t, d, ORR_FQ254);
}

static void text_points(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    orr__text_addf(t, "    const orr_element x = in0[(orr_idx)W(%d) + 2 * e], y = in0[(orr_idx)W(%d) + 2 * e + 1];\n",
                   in_at, in_at);
    orr__text_add(t, ORR__TEXT(int on = 1; orr_u32 any = 0u; orr_element b = F(add)(ORR_ONE, ORR_ONE);
                               b = F(add)(b, ORR_ONE); for (int k = 0; k < 8; k++) any |= x.l[k] | y.l[k];
                               if (any) on = F(equal)(F(mul)(y, y), F(add)(F(mul)(F(mul)(x, x), x), b));));
    if (r->call.attr.index == ORR__POINTS_CONTAINS) {
        orr__text_addf(t, "    out0[(orr_idx)W(%d) + e] = (orr_u8)on;\n", l->out_at);
        return;
    }
    orr__text_add(t, "    if (!on) {\n");
    orr__emit_wrong(t, 0, "e", "(orr_i64)0");
    orr__text_addf(t, "    }\n    out0[(orr_idx)W(%d) + 2 * e] = x;\n    out0[(orr_idx)W(%d) + 2 * e + 1] = %s;\n",
                   l->out_at, l->out_at, r->call.attr.index == ORR__POINTS_NEG ? "F(sub)(F(zero)(), y)" : "y");
}

static orr_status refuse_point(const orr__region *r, int64_t number)
{
    return orr__fail(orr__region_site(r), ORR_EINDEX, "point %lld of operand 0 is not on the curve", (long long)number);
}

const orr__emit_call orr__emit_kernel_field_points = { .flags = 1,
                                                       .can = can_points,
                                                       .words = no_words,
                                                       .fill = fill_points,
                                                       .functions = functions_points,
                                                       .text = text_points,
                                                       .refuse = refuse_point };

/* -- scalars ---------------------------------------------------------------------------------------------------------------- */

enum { BITS = ORR__CALL_OWN, DIGITS_END };

static int words_digits(const orr__region *r)
{
    (void)r;
    return DIGITS_END - ORR__CALL_OWN;
}

static void fill_digits(const orr__launch *l, int64_t *word)
{
    fill_points(l, word);
    word[BITS] = l->region->call.attr.index;
}

static void functions_digits(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    (void)r;
    orr__emit_field_begin(t, d, ORR_FR254);
}

/* Adds to the integer 2^(c·w + c - 1) for each window w but the last. */
static void text_digits(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    (void)r;
    orr__text_addf(t, "    const int c = (int)W(%d), windows = (255 + c - 1) / c;\n    orr_element z;\n", BITS);
    orr__text_addf(t,
                   "    orr_u64 sum[4], carry = 0;\n    for (int k = 0; k < 8; k++)\n        z.l[k] = k == 0;\n"
                   "    z = F(mul)(in0[(orr_idx)W(%d) + e], z);\n",
                   in_at);
    orr__text_add(t, ORR__TEXT(
                         for (int k = 0; k < 4; k++) sum[k] = 0; for (int w = 0; w < windows - 1; w++) {
                             const int bit = w * c + c - 1;
                             sum[bit / 64] |= (orr_u64)1 << bit % 64;
                         } for (int k = 0; k < 4; k++) {
                             const orr_u64 v = (orr_u64)z.l[2 * k + 1] << 32 | z.l[2 * k];
                             const orr_u64 s = v + sum[k];
                             sum[k] = s + carry;
                             carry = (orr_u64)((s < v) | (sum[k] < s));
                         }));
    orr__text_addf(t, "    for (int k = 0; k < 4; k++)\n        out0[(orr_idx)W(%d) + 4 * e + k] = sum[k];\n",
                   l->out_at);
}

const orr__emit_call orr__emit_kernel_field_digits = {
    .words = words_digits, .fill = fill_digits, .functions = functions_digits, .text = text_digits
};

/* -- windows ------------------------------------------------------------------------------------------------------------------ */

/* A row is a window of a chunk of points. The memory of a launch, in words of 32 bits: the first point of each bucket
 * of each row, the next point in the bucket for each point of each row, the buckets' sums, the runs' sums. */
#define WORDS(X)                                                                                                       \
    X(STAGE)                                                                                                           \
    X(ROWS)  /* of the launch                                              */                                          \
    X(FIRST) /* the first of them, among all                               */                                          \
    X(BITS)  /* of a digit                                                 */                                          \
    X(WINDOWS)                                                                                                         \
    X(CHUNKS)                                                                                                          \
    X(EACH) /* points per chunk, except the last                          */                                           \
    X(MOST) /* points of the last chunk                                   */                                           \
    X(RUN)  /* log of the buckets of a run                                */                                           \
    X(NEXT) /* positions of the parts of the memory                       */                                           \
    X(BUCKETS)                                                                                                         \
    X(RUNS)
#define NAME(name) #name,
#define NUMBER(name) name##_,
static const char *const name[] = { WORDS(NAME) };
enum { WORDS(NUMBER) OWN };

enum { HEADS, LINKS, SUMS, PARTS, TOTALS, STAGES };
enum { POINT = 32, RUNS = 6 }; /* words of a point; log of the runs of a row, at most */

static bool can_windows(const orr__region *r)
{
    return is_g1(r);
}

static int words_windows(const orr__region *r)
{
    (void)r;
    return OWN;
}

static int log_run(int c)
{
    return c - 1 > RUNS ? c - 1 - RUNS : 0;
}

/* The items of each stage, or the words of memory that it fills. */
static int64_t items(const orr__call *c, int what, int64_t rows)
{
    const int bits = c->attr.index;
    const int64_t n = c->in[0].dim[0], chunks = c->attr.start[0], count = (int64_t)1 << (bits - 1);
    switch (what) {
    case LINKS: return rows * (n - n / chunks * (chunks - 1));
    case HEADS:
    case SUMS: return rows * count;
    case PARTS: return rows * (count >> log_run(bits));
    default: return rows;
    }
}

static void fill_windows(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    int64_t *own = word + ORR__CALL_OWN, n = c->in[0].dim[0], rows = l->hi - l->lo;
    own[STAGE_] = HEADS;
    own[ROWS_] = rows;
    own[FIRST_] = l->lo;
    own[BITS_] = c->attr.index;
    own[WINDOWS_] = orr__field_windows(c->attr.index);
    own[CHUNKS_] = c->attr.start[0];
    own[EACH_] = n / own[CHUNKS_];
    own[MOST_] = n - own[EACH_] * (own[CHUNKS_] - 1);
    own[RUN_] = log_run(c->attr.index);
    own[NEXT_] = items(c, HEADS, rows);
    own[BUCKETS_] = own[NEXT_] + items(c, LINKS, rows);
    own[RUNS_] = own[BUCKETS_] + POINT * items(c, SUMS, rows);
    word[0] = items(c, HEADS, rows);
    word[ORR__CALL_FIRST] = 0;
}

static size_t scratch(const orr__launch *l)
{
    const orr__call *c = &l->region->call;
    int64_t rows = l->hi - l->lo;
    return sizeof(uint32_t) * (size_t)(items(c, HEADS, rows) + items(c, LINKS, rows) +
                                       POINT * (items(c, SUMS, rows) + items(c, PARTS, rows)));
}

static bool next(const orr__launch *l, int64_t *word)
{
    int64_t *own = word + ORR__CALL_OWN;
    if (++own[STAGE_] == STAGES)
        return false;
    word[0] = items(&l->region->call, (int)own[STAGE_], own[ROWS_]);
    return true;
}

static void functions_windows(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    functions_points(t, d, r);
    orr__text_add(t, xyzz_text);
    orr__text_add(t, "typedef orr_u32 orr_part;\n#define orr_put(p, at) \\\n"
                     "    for (int k_ = 0; k_ < 8; k_++) { scratch[(at) + k_] = (p).x.l[k_]; "
                     "scratch[(at) + 8 + k_] = (p).y.l[k_]; scratch[(at) + 16 + k_] = (p).zz.l[k_]; "
                     "scratch[(at) + 24 + k_] = (p).zzz.l[k_]; }\n#define orr_get(p, at) \\\n"
                     "    for (int k_ = 0; k_ < 8; k_++) { (p).x.l[k_] = scratch[(at) + k_]; "
                     "(p).y.l[k_] = scratch[(at) + 8 + k_]; (p).zz.l[k_] = scratch[(at) + 16 + k_]; "
                     "(p).zzz.l[k_] = scratch[(at) + 24 + k_]; }\n");
}

/* Point k of a row's chunk, its digit, and whether the point exists. */
static const char digit_text[] = ORR__TEXT(const int bits = (int)W_BITS; const orr_idx count = (orr_idx)1 << (bits - 1);
                                           const orr_idx run = (orr_idx)1 << W_RUN; orr_point sum; orr_point total;)
    ORR__TEXT(if (W_STAGE == 0) scratch[e] = 0xffffffffu; else if (W_STAGE == 1) {
        const orr_idx row = e / (orr_idx)W_MOST;
        const orr_idx k = e - row * (orr_idx)W_MOST;
        const orr_idx there = (orr_idx)W_FIRST + row;
        const orr_idx window = there / (orr_idx)W_CHUNKS;
        const orr_idx chunk = there - window * (orr_idx)W_CHUNKS;
        const orr_idx from = chunk * (orr_idx)W_EACH + k;
        if (k < (orr_idx)W_EACH || chunk == (orr_idx)W_CHUNKS - 1) {
            const int at = (int)window * bits;
            orr_u64 v = K[4 * from + at / 64] >> at % 64;
            orr_i64 digit;
            orr_u32 any = 0u;
            if (at % 64 && at / 64 < 3)
                v |= K[4 * from + at / 64 + 1] << (64 - at % 64);
            digit = (orr_i64)(v & (((orr_u64)1 << bits) - 1));
            if (window != (orr_idx)W_WINDOWS - 1)
                digit -= (orr_i64)count;
            for (int j = 0; j < 8; j++)
                any |= P[2 * from].l[j] | P[2 * from + 1].l[j];
            if (digit != 0 && any) {
                const orr_idx bucket = row * count + (orr_idx)(digit < 0 ? -digit : digit) - 1;
                const orr_u32 less = digit < 0 ? 0x80000000u : 0u;
                scratch[W_NEXT + e] = orr_swap(&scratch[bucket], (orr_u32)k | less);
            }
        }
    })
    /* The highest bit of a place marks that the point's negative is added. */
    ORR__TEXT(if (W_STAGE == 2) {
        const orr_idx row = e / count;
        const orr_idx there = (orr_idx)W_FIRST + row;
        const orr_idx first = there % (orr_idx)W_CHUNKS * (orr_idx)W_EACH;
        orr_u32 at = scratch[e];
        sum = orr_infinity();
        while (at != 0xffffffffu) {
            const orr_idx k = (orr_idx)(at & 0x7fffffffu);
            const orr_element x = P[2 * (first + k)];
            orr_element y = P[2 * (first + k) + 1];
            if (at >> 31)
                y = F(sub)(F(zero)(), y);
            sum = orr_plus_affine(sum, x, y);
            at = scratch[W_NEXT + row * (orr_idx)W_MOST + k];
        }
        orr_put(sum, W_BUCKETS + (orr_i64)e * 32);
    })
    /* Σ (j + 1)·bucket_j over a run: the run's own sum with weights, plus its plain sum times the number of its first
     * bucket. */
    ORR__TEXT(if (W_STAGE == 3) {
        orr_point b;
        orr_idx before = e * run % count;
        sum = orr_infinity();
        total = orr_infinity();
        for (orr_idx j = run - 1; j >= 0; j--) {
            orr_get(b, W_BUCKETS + ((orr_i64)e * run + j) * 32);
            sum = orr_plus(sum, b);
            total = orr_plus(total, sum);
        }
        for (; before > 0; before >>= 1) {
            if (before & 1)
                total = orr_plus(total, sum);
            sum = orr_double(sum);
        }
        orr_put(total, W_RUNS + (orr_i64)e * 32);
    }) ORR__TEXT(if (W_STAGE == 4) {
        orr_point b;
        total = orr_infinity();
        for (orr_idx j = 0; j < count / run; j++) {
            orr_get(b, W_RUNS + ((orr_i64)e * (count / run) + j) * 32);
            total = orr_plus(total, b);
        }
        for (int k = 0; k < 4; k++) {
            Z[16 * ((orr_idx)W_FIRST + e) + k] = (orr_u64)total.x.l[2 * k + 1] << 32 | total.x.l[2 * k];
            Z[16 * ((orr_idx)W_FIRST + e) + 4 + k] = (orr_u64)total.y.l[2 * k + 1] << 32 | total.y.l[2 * k];
            Z[16 * ((orr_idx)W_FIRST + e) + 8 + k] = (orr_u64)total.zz.l[2 * k + 1] << 32 | total.zz.l[2 * k];
            Z[16 * ((orr_idx)W_FIRST + e) + 12 + k] = (orr_u64)total.zzz.l[2 * k + 1] << 32 | total.zzz.l[2 * k];
        }
    });

static void text_windows(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    (void)r;
    orr__emit_field_words(t, name, OWN);
    orr__text_addf(t, "#define P (in0 + W(%d))\n#define K (in1 + W(%d))\n#define Z (out0 + W(%d))\n", in_at, in_at + 1,
                   l->out_at);
    orr__text_add(t, digit_text);
}

const orr__emit_call orr__emit_kernel_field_windows = { .can = can_windows,
                                                        .words = words_windows,
                                                        .fill = fill_windows,
                                                        .functions = functions_windows,
                                                        .text = text_windows,
                                                        .scratch = scratch,
                                                        .next = next };
