/* The kernels of transforms: rows of complex and real numbers, and the parts of a long transform, by cached plans.
 * Must not know: StarPU, the order of the stages' work. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/fft.h"
#include "ops/fft/fft.h"
#include "runtime/base/held.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

/* Unused plans are freed, the least recently used first, beyond KEPT plans, and beyond KEPT_BYTES bytes in addition to twice the largest. */
enum { KEPT = 64, KEPT_BYTES = 4 << 20 }; /* limit of memory */

typedef struct entry {
    orr__fft *plan;
    bool wide;
    int users;
    size_t bytes;
    uint64_t used;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, making = PTHREAD_MUTEX_INITIALIZER;
static entry table[KEPT];
static uint64_t clock_;

static void put(void *p, bool wide, int64_t i, double v)
{
    if (wide)
        ((double *)p)[i] = v;
    else
        ((float *)p)[i] = (float)v;
}

/* cos and sin of −2π·k/n, 0 ≤ k < n, from an angle of at most π/4. */
static void root(int64_t k, int64_t n, double v[2])
{
    int64_t quarter = (int64_t)((__extension__(__int128) 4 * k) / n);
    double part =
        (double)((int64_t)(4 * (__extension__(__int128) k) - (__extension__(__int128) quarter) * n)) / (double)n;
    double half_pi = 1.5707963267948966;
    double c = 2 * part > 1 ? sin(half_pi * (1 - part)) : cos(half_pi * part);
    double s = 2 * part > 1 ? cos(half_pi * (1 - part)) : sin(half_pi * part);
    v[0] = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
    v[1] = quarter == 0 ? -s : quarter == 1 ? -c : quarter == 2 ? s : c;
}

static void free_plan(orr__fft *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->nstage; i++) {
        free(p->twiddle[i]);
        free(p->root[i]);
        free(p->near[i]);
    }
    free_plan(p->inner);
    free(p->chirp);
    free(p->filter);
    free(p->whole.coarse);
    free(p->whole.fine);
    free(p->lane);
    free(p);
}

static void *numbers(int64_t count, bool wide, size_t *bytes)
{
    size_t size = ((size_t)(count ? count : 1) * (wide ? 8 : 4) + 63) & ~(size_t)63;
    *bytes += size;
    return aligned_alloc(64, size);
}

/* The radices of a length as single steps, 8 and 4 first, and an even number of these where possible. False: a prime
 * factor exceeds ORR__FFT_RADIX. */
static bool factor(int64_t n, int *radix, int *count)
{
    static const int prime[] = { 3, 5, 7, 11, 13 };
    int twos = 0;
    *count = 0;
    for (; n > 1 && n % 2 == 0; n /= 2)
        twos++;
    int fours = twos % 3 == 0 || twos == 1 ? 0 : twos % 3 == 1 ? 2 : 1, eights = (twos - 2 * fours) / 3;
    if ((eights + fours) % 2 && eights > 1) { /* in pairs */
        eights -= 2;
        fours += 3;
    }
    for (int i = 0; i < eights; i++)
        radix[(*count)++] = 8;
    for (int i = 0; i < fours; i++)
        radix[(*count)++] = 4;
    if (twos == 1)
        radix[(*count)++] = 2;
    for (size_t i = 0; i < sizeof prime / sizeof *prime; i++)
        for (; n > 1 && n % prime[i] == 0; n /= prime[i])
            radix[(*count)++] = prime[i];
    return n == 1;
}

static void add_stage(orr__fft *p, int first, int radix)
{
    p->first[p->nstage] = first;
    p->radix[p->nstage++] = radix;
}

/* Stages of two steps come first: of the radices 8 and 4 the largest is paired with the smallest, then the other
 * radices are paired as far as they fit. Stages of one step follow. */
static bool plan_stages(orr__fft *p)
{
    int radix[2 * ORR__FFT_STAGES], count, even = 0, from = 0;
    if (!factor(p->n, radix, &count))
        return false;
    while (even < count && radix[even] % 4 == 0)
        even++;
    if (p->n >= ORR__T_FFT_TWO_STEPS) {
        int last = even - 1;
        for (; from < last; from++, last--)
            add_stage(p, radix[from], radix[from] * radix[last]);
        int rest = from > last ? 0 : radix[last]; /* unpaired: paired with other radices */
        from = even;
        if (rest)
            radix[--from] = rest;
        for (; from + 1 < count && radix[from + 1] <= 5; from += 2)
            add_stage(p, radix[from], radix[from] * radix[from + 1]);
        if (from < count && radix[from] == 8)
            add_stage(p, 4, radix[from++]);
    }
    for (; from < count; from++)
        if (radix[from] == 8) {
            add_stage(p, 0, 4);
            add_stage(p, 0, 2);
        } else {
            add_stage(p, 0, radix[from]);
        }
    return true;
}

/* The factors between the two steps of a stage, indexed by the first step's output, then by the second step's input. */
static bool fill_near(orr__fft *p, int i, bool wide, size_t *bytes)
{
    int n = p->radix[i], second = n / p->first[i];
    double v[2];
    if (!(p->near[i] = numbers(2 * n, wide, bytes)))
        return false;
    for (int k = 0; k < n; k++) {
        root(k / second * (k % second), n, v);
        put(p->near[i], wide, k, v[0]);
        put(p->near[i], wide, n + k, v[1]);
    }
    return true;
}

static bool fill_stages(orr__fft *p, bool wide, size_t *bytes)
{
    int64_t m = p->n;
    for (int i = 0; i < p->nstage; i++) {
        int r = p->radix[i], least = p->first[i] ? 0 : 1;
        int64_t n = m, rows = r - least;
        double v[2];
        m /= r;
        if (!(p->twiddle[i] = numbers(2 * rows * m, wide, bytes)))
            return false;
        for (int j = least; j < r; j++)
            for (int64_t q = 0; q < m; q++) {
                root(j * q % n, n, v);
                put(p->twiddle[i], wide, (j - least) * m + q, v[0]);
                put(p->twiddle[i], wide, (rows + j - least) * m + q, v[1]);
            }
        if (p->first[i] && !fill_near(p, i, wide, bytes))
            return false;
        if (p->first[i] || r <= 5)
            continue;
        if (!(p->root[i] = numbers(2 * r, wide, bytes)))
            return false;
        for (int j = 0; j < r; j++) {
            root(j, r, v);
            put(p->root[i], wide, j, v[0]);
            put(p->root[i], wide, r + j, v[1]);
        }
    }
    return true;
}

static orr__fft *make(int64_t n, int64_t whole, bool wide, size_t *bytes);

/* l: the convolution's length. */
static bool fill_chirp(orr__fft *p, int64_t l, bool wide, size_t *bytes)
{
    int64_t n = p->n;
    size_t z = wide ? 8 : 4, none = 0;
    p->inner = make(l, 0, wide, bytes);
    p->chirp = numbers(2 * n, wide, bytes);
    p->filter = numbers(2 * l, wide, bytes);
    char *pairs = numbers(2 * l, wide, &none), *scratch = numbers(4 * l, wide, &none);
    bool ok = p->inner && p->chirp && p->filter && pairs && scratch;
    if (ok) {
        memset(pairs, 0, 2 * (size_t)l * z);
        for (int64_t k = 0; k < n; k++) {
            double v[2];
            root((int64_t)((__extension__(unsigned __int128) k) * (unsigned __int128)k % (unsigned __int128)(2 * n)),
                 2 * n, v);
            put(p->chirp, wide, k, v[0]);
            put(p->chirp, wide, n + k, v[1]);
            for (int64_t at = k ? l - k : 0, turn = 0; turn < 2; turn++, at = k) {
                put(pairs, wide, 2 * at, v[0] / (double)l); /* the scale factor of the inverse transform */
                put(pairs, wide, 2 * at + 1, -v[1] / (double)l);
            }
        }
        orr__cpu_vec()->fft_row[wide](p->inner, pairs, pairs, false, scratch);
        for (int64_t k = 0; k < l; k++)
            for (int c = 0; c < 2; c++)
                memcpy((char *)p->filter + (size_t)(c * l + k) * z, pairs + (size_t)(2 * k + c) * z, z);
    }
    free(pairs);
    free(scratch);
    return ok;
}

/* The columns of a longer transform use lanes. A transform of real numbers, computed as pairs, needs none. */
static bool fill_whole(orr__fft *p, int64_t whole, bool wide, size_t *bytes)
{
    orr__fft_powers *w = &p->whole;
    double v[2];
    while ((int64_t)1 << 2 * w->bits < whole)
        w->bits++;
    int64_t size = (int64_t)1 << w->bits;
    *w = (orr__fft_powers){ whole, (whole - 1) / size + 1, w->bits, NULL, NULL };
    w->coarse = numbers(2 * w->ncoarse, true, bytes);
    w->fine = numbers(2 * size, true, bytes);
    if (!w->coarse || !w->fine)
        return false;
    for (int64_t i = 0; i < w->ncoarse; i++) {
        root(i * size, whole, v);
        w->coarse[i] = v[0];
        w->coarse[w->ncoarse + i] = v[1];
    }
    for (int64_t i = 0; i < size; i++) {
        root(i % whole, whole, v);
        w->fine[i] = v[0];
        w->fine[size + i] = v[1];
    }
    if (whole <= 2 * p->n)
        return true;
    int64_t lanes = orr__fft_lanes(wide);
    if (!(p->lane = numbers(2 * p->n * lanes, wide, bytes)))
        return false;
    for (int64_t k = 0; k < p->n; k++)
        for (int64_t g = 0; g < lanes; g++) {
            root(k * g % whole, whole, v);
            put(p->lane, wide, k * lanes + g, v[0]);
            put(p->lane, wide, (p->n + k) * lanes + g, v[1]);
        }
    return true;
}

static orr__fft *make(int64_t n, int64_t whole, bool wide, size_t *bytes)
{
    orr__fft *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->n = n;
    bool ok;
    if (whole < 0) {
        size_t inner = 0;
        ok = fill_chirp(p, -whole, wide, &inner);
        free_plan(p->inner);
        p->inner = NULL;
        p->whole.n = whole;
        *bytes += (size_t)(2 * n - 2 * whole) * (wide ? 8 : 4);
    } else if (plan_stages(p)) {
        ok = fill_stages(p, wide, bytes);
    } else {
        p->nstage = 0;
        ok = fill_chirp(p, orr__fft_smooth(2 * n - 1), wide, bytes);
    }
    if (ok && (whole <= 0 || fill_whole(p, whole, wide, bytes)))
        return p;
    free_plan(p);
    return NULL;
}

/* The entry for a new plan: a free one, or the least recently used one without users. Called under the lock. */
static entry *vacant(size_t bytes)
{
    size_t all, largest = bytes;
    for (;;) {
        entry *oldest = NULL, *empty = NULL;
        all = bytes;
        for (int i = 0; i < KEPT; i++) {
            entry *e = &table[i];
            empty = !e->plan ? e : empty;
            all += e->plan ? e->bytes : 0;
            largest = e->plan && e->bytes > largest ? e->bytes : largest;
            if (e->plan && !e->users && (!oldest || e->used < oldest->used))
                oldest = e;
        }
        if (empty && (all <= 2 * largest + KEPT_BYTES || !oldest))
            return empty;
        if (!oldest)
            return NULL;
        free_plan(oldest->plan);
        orr__held_sub(ORR_MEMORY_TABLES, oldest->bytes);
        memset(oldest, 0, sizeof *oldest);
    }
}

static entry *find(int64_t n, int64_t whole, bool wide)
{
    for (int i = 0; i < KEPT; i++)
        if (table[i].plan && table[i].plan->n == n && table[i].plan->whole.n == whole && table[i].wide == wide) {
            table[i].users++;
            table[i].used = ++clock_;
            return &table[i];
        }
    return NULL;
}

static bool found(int64_t n, int64_t whole, bool wide, entry **kept)
{
    (void)pthread_mutex_lock(&lock);
    *kept = find(n, whole, wide);
    (void)pthread_mutex_unlock(&lock);
    return *kept != NULL;
}

/* whole: the length of the longer transform of which plan n is a part. *kept: the entry to release after use; NULL: the
 * plan is the caller's own. One plan is made at a time: all tasks of a transform need the same one. */
static orr__fft *acquire(int64_t n, int64_t whole, bool wide, entry **kept)
{
    size_t bytes = sizeof(orr__fft);
    if (found(n, whole, wide, kept))
        return (*kept)->plan;
    (void)pthread_mutex_lock(&making);
    orr__fft *p = found(n, whole, wide, kept) ? (*kept)->plan : make(n, whole, wide, &bytes);
    if (p && !*kept) {
        (void)pthread_mutex_lock(&lock);
        if ((*kept = vacant(bytes))) {
            **kept = (entry){ p, wide, 1, bytes, ++clock_ };
            orr__held_add(ORR_MEMORY_TABLES, bytes);
        }
        (void)pthread_mutex_unlock(&lock);
    }
    (void)pthread_mutex_unlock(&making);
    return p;
}

static void release(orr__fft *p, entry *kept)
{
    if (!kept) {
        free_plan(p);
        return;
    }
    (void)pthread_mutex_lock(&lock);
    kept->users--;
    (void)pthread_mutex_unlock(&lock);
}

/* A plan in use, and its memory: first that of the plan for `lanes` lanes, then `more` numbers. */
typedef struct {
    orr__fft *plan;
    entry *kept;
    char *scratch, *more;
} use;

static orr_status begin(const orr__launch *l, use *u, int64_t n, int64_t whole, bool wide, int64_t lanes, int64_t more)
{
    size_t own = 0, none = 0;
    *u = (use){ 0 };
    u->plan = acquire(n, whole, wide, &u->kept);
    if (u->plan) {
        own = (orr__fft_scratch(u->plan) * (size_t)lanes * (wide ? 8 : 4) + 63) & ~(size_t)63;
        u->scratch = numbers((int64_t)(own / (wide ? 8 : 4)) + more, wide, &none);
    }
    if (!u->scratch)
        return orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for a transform of %lld numbers", (long long)n);
    u->more = u->scratch + own;
    return ORR_OK;
}

static void end(use *u)
{
    free(u->scratch);
    if (u->plan)
        release(u->plan, u->kept);
}

static int64_t last(const orr_shape *s)
{
    return s->dim[s->rank - 1];
}

static bool is_wide(orr_dtype t)
{
    return orr__dtype_size(orr__is_complex(t) ? orr__part_dtype(t) : t) == 8;
}

orr_status orr__cpu_kernel_fft(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    bool wide = is_wide((orr_dtype)r->out_dtype[0]), inverse = (r->call.attr.mask & 1u) != 0;
    int64_t n = last(&r->call.out);
    size_t row = (size_t)n * (wide ? 16 : 8);
    use u;
    if (l->hi <= l->lo || n == 0)
        return ORR_OK;
    orr_status st = begin(l, &u, n, 0, wide, 1, 0);
    for (int64_t i = l->lo; i < l->hi && st == ORR_OK; i++)
        kernel->vec->fft_row[wide](u.plan, (const char *)l->in[0] + (size_t)i * row,
                                   (char *)l->out[0] + (size_t)i * row, inverse, u.scratch);
    end(&u);
    return st;
}

/* -- rows of real numbers: pairs of them are complex numbers --------------------------------------------------------- */

orr_status orr__cpu_kernel_rfft(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    bool wide = is_wide((orr_dtype)r->out_dtype[0]);
    int64_t h = last(&r->call.out) - 1;
    size_t pair = wide ? 16 : 8;
    use u;
    if (l->hi <= l->lo)
        return ORR_OK;
    orr_status st = begin(l, &u, h, 2 * h, wide, 1, 2 * h);
    for (int64_t i = l->lo; i < l->hi && st == ORR_OK; i++) {
        kernel->vec->fft_row[wide](u.plan, (const char *)l->in[0] + (size_t)(i * h) * pair, u.more, false, u.scratch);
        kernel->vec->fft_half[wide](&u.plan->whole, u.more, (char *)l->out[0] + (size_t)(i * (h + 1)) * pair, 0, h + 1,
                                    false);
    }
    end(&u);
    return st;
}

orr_status orr__cpu_kernel_irfft(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    bool wide = is_wide((orr_dtype)r->out_dtype[0]);
    int64_t h = last(&r->call.out) / 2;
    size_t pair = wide ? 16 : 8;
    use u;
    if (l->hi <= l->lo)
        return ORR_OK;
    orr_status st = begin(l, &u, h, 2 * h, wide, 1, 2 * h);
    for (int64_t i = l->lo; i < l->hi && st == ORR_OK; i++) {
        kernel->vec->fft_half[wide](&u.plan->whole, (const char *)l->in[0] + (size_t)(i * (h + 1)) * pair, u.more, 0, h,
                                    true);
        kernel->vec->fft_row[wide](u.plan, u.more, (char *)l->out[0] + (size_t)(i * h) * pair, true, u.scratch);
    }
    end(&u);
    return st;
}

/* Iteration: elements of the result. */
static orr_status half(const orr__kernel *kernel, const orr__launch *l, bool inverse)
{
    const orr__region *r = l->region;
    bool wide = is_wide((orr_dtype)r->out_dtype[0]);
    int64_t from = last(&r->call.in[0]), to = last(&r->call.out), h = inverse ? to : from;
    size_t pair = wide ? 16 : 8;
    use u;
    if (l->hi <= l->lo)
        return ORR_OK;
    orr_status st = begin(l, &u, 1, 2 * h, wide, 1, 0);
    for (int64_t i = l->lo, next; i < l->hi && st == ORR_OK; i = next) {
        int64_t row = i / to, first = row * to;
        next = first + to < l->hi ? first + to : l->hi;
        kernel->vec->fft_half[wide](&u.plan->whole, (const char *)l->in[0] + (size_t)(row * from) * pair,
                                    (char *)l->out[0] + (size_t)first * pair, i - first, next - first, inverse);
    }
    end(&u);
    return st;
}

orr_status orr__cpu_kernel_fft_unpack(const orr__kernel *kernel, const orr__launch *l)
{
    return half(kernel, l, false);
}

orr_status orr__cpu_kernel_fft_pack(const orr__kernel *kernel, const orr__launch *l)
{
    return half(kernel, l, true);
}

/* -- one long row: columns, then rows ----------------------------------------------------------------------------------- */

/* Iteration: columns of the operand. */
orr_status orr__cpu_kernel_fft_columns(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    bool wide = is_wide((orr_dtype)r->out_dtype[0]), inverse = (r->call.attr.mask & 1u) != 0;
    int64_t cols = r->call.out.dim[1], n = r->call.out.dim[2], lanes = orr__fft_lanes(wide);
    size_t pair = wide ? 16 : 8;
    use u;
    if (l->hi <= l->lo)
        return ORR_OK;
    orr_status st = begin(l, &u, n, n * cols, wide, lanes, 0);
    for (int64_t i = l->lo, next; i < l->hi && st == ORR_OK; i = next) {
        int64_t line = i / cols, c = i % cols, left = cols - c < l->hi - i ? cols - c : l->hi - i;
        next = i + ORR__MIN(left, lanes);
        kernel->vec->fft_lanes[wide](u.plan, (const char *)l->in[0] + (size_t)(line * cols * n + c) * pair, cols,
                                     (int)(next - i), c, (char *)l->out[0] + (size_t)(i * n) * pair, inverse,
                                     u.scratch);
    }
    end(&u);
    return st;
}

/* Iteration: blocks of the operand's columns, each with one column per lane. */
orr_status orr__cpu_kernel_fft_rows(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    bool wide = is_wide((orr_dtype)r->out_dtype[0]), inverse = (r->call.attr.mask & 1u) != 0;
    int64_t n = r->call.in[0].dim[1], cols = r->call.in[0].dim[2], blocks = r->call.out.dim[1];
    int64_t lanes = orr__fft_lanes(wide);
    size_t pair = wide ? 16 : 8;
    use u;
    if (l->hi <= l->lo)
        return ORR_OK;
    orr_status st = begin(l, &u, n, 0, wide, lanes, 0);
    for (int64_t i = l->lo; i < l->hi && st == ORR_OK; i++) {
        int64_t line = i / blocks, c = i % blocks * lanes;
        kernel->vec->fft_lanes[wide](u.plan, (const char *)l->in[0] + (size_t)(line * cols * n + c) * pair, cols,
                                     (int)(cols - c < lanes ? cols - c : lanes), c,
                                     (char *)l->out[0] + (size_t)(i * n * lanes) * pair, inverse, u.scratch);
    }
    end(&u);
    return st;
}

/* -- one long row with a large prime factor: a convolution with a chirp, in steps --------------------------------------------- */

/* Iteration: numbers of the result. */
orr_status orr__cpu_kernel_fft_chirp(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    bool wide = is_wide((orr_dtype)r->out_dtype[0]), inverse = (r->call.attr.mask & 1u) != 0;
    unsigned step = r->call.attr.mask >> 1;
    int64_t n = r->call.attr.index, to = r->call.out.dim[1], from = step == 0 ? n : last(&r->call.in[0]);
    int64_t length = step == 0 ? to : from;
    size_t z = wide ? 8 : 4, pair = 2 * z;
    use u;
    if (l->hi <= l->lo)
        return ORR_OK;
    orr_status st = begin(l, &u, n, -length, wide, 0, 0);
    for (int64_t i = l->lo, next; i < l->hi && st == ORR_OK; i = next) {
        int64_t k = i % to, count = to - k < l->hi - i ? to - k : l->hi - i, some = from - k < count ? from - k : count;
        const char *w = step == 1 ? u.plan->filter : u.plan->chirp;
        char *out = (char *)l->out[0] + (size_t)i * pair;
        next = i + count;
        some = ORR__MAX(some, 0);
        kernel->vec->fft_times[wide]((const char *)l->in[0] + (size_t)(i / to * from + k) * pair, w + (size_t)k * z,
                                     step == 1 ? length : n, out, some, inverse);
        memset(out + (size_t)some * pair, 0, (size_t)(count - some) * pair);
    }
    end(&u);
    return st;
}
