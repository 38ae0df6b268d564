/* The kernel of fft: rows of complex numbers, by plans that are kept.
 * Must not know: StarPU, the order of the stages' work. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/fft.h"

/* Plans that nobody uses are freed, the least recently used first, beyond so many or so many bytes. */
enum { KEPT = 64, KEPT_BYTES = 128 << 20 };

typedef struct entry {
    orr__fft *plan;
    bool wide;
    int users;
    size_t bytes;
    uint64_t used;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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
    double c = part > 0.5 ? sin(half_pi * (1 - part)) : cos(half_pi * part);
    double s = part > 0.5 ? cos(half_pi * (1 - part)) : sin(half_pi * part);
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
    }
    free_plan(p->inner);
    free(p->chirp);
    free(p->filter);
    free(p);
}

static void *numbers(int64_t count, bool wide, size_t *bytes)
{
    size_t size = ((size_t)(count ? count : 1) * (wide ? 8 : 4) + 63) & ~(size_t)63;
    *bytes += size;
    return aligned_alloc(64, size);
}

/* Radices from the first stage to the last: 4 where it goes; false: a larger prime than ORR__FFT_RADIX. */
static bool factor(int64_t n, orr__fft *p)
{
    static const int radix[] = { 4, 2, 3, 5, 7, 11, 13 };
    for (size_t i = 0; i < sizeof radix / sizeof *radix; i++)
        while (n % radix[i] == 0 && n > 1) {
            p->radix[p->nstage++] = radix[i];
            n /= radix[i];
        }
    return n == 1;
}

static bool fill_stages(orr__fft *p, bool wide, size_t *bytes)
{
    int64_t m = p->n;
    for (int i = 0; i < p->nstage; i++) {
        int r = p->radix[i];
        int64_t n = m;
        double v[2];
        m /= r;
        if (!(p->twiddle[i] = numbers(2 * (r - 1) * m, wide, bytes)))
            return false;
        for (int j = 1; j < r; j++)
            for (int64_t q = 0; q < m; q++) {
                root(j * q % n, n, v);
                put(p->twiddle[i], wide, (j - 1) * m + q, v[0]);
                put(p->twiddle[i], wide, (r - 1) * m + (j - 1) * m + q, v[1]);
            }
        if (r <= 5)
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

static orr__fft *make(int64_t n, bool wide, size_t *bytes);

/* The least 2^a·3^b·5^c that is not below n. */
static int64_t smooth(int64_t n)
{
    int64_t best = INT64_MAX;
    for (int64_t five = 1; five <= 5 * n && five < best; five *= 5)
        for (int64_t three = five; three < best; three *= 3) {
            int64_t v = three;
            while (v < n)
                v *= 2;
            best = v < best ? v : best;
            if (three >= n)
                break;
        }
    return best;
}

static bool fill_chirp(orr__fft *p, bool wide, size_t *bytes)
{
    int64_t n = p->n, l = smooth(2 * n - 1);
    size_t z = wide ? 8 : 4, none = 0;
    p->inner = make(l, wide, bytes);
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
                put(pairs, wide, 2 * at, v[0] / (double)l); /* the inverse transform's factor */
                put(pairs, wide, 2 * at + 1, -v[1] / (double)l);
            }
        }
        orr__cpu_vec()->fft[wide](p->inner, pairs, pairs, false, scratch);
        for (int64_t k = 0; k < l; k++)
            for (int c = 0; c < 2; c++)
                memcpy((char *)p->filter + (size_t)(c * l + k) * z, pairs + (size_t)(2 * k + c) * z, z);
    }
    free(pairs);
    free(scratch);
    return ok;
}

static orr__fft *make(int64_t n, bool wide, size_t *bytes)
{
    orr__fft *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->n = n;
    bool ok;
    if (factor(n, p)) {
        ok = fill_stages(p, wide, bytes);
    } else {
        p->nstage = 0;
        ok = fill_chirp(p, wide, bytes);
    }
    if (ok)
        return p;
    free_plan(p);
    return NULL;
}

/* The entry to use for a new plan: a free one, or the least recently used one without users. Under the lock. */
static entry *vacant(size_t bytes)
{
    size_t all = bytes;
    for (;;) {
        entry *oldest = NULL, *empty = NULL;
        all = bytes;
        for (int i = 0; i < KEPT; i++) {
            entry *e = &table[i];
            empty = !e->plan ? e : empty;
            all += e->plan ? e->bytes : 0;
            if (e->plan && !e->users && (!oldest || e->used < oldest->used))
                oldest = e;
        }
        if (empty && (all <= KEPT_BYTES || !oldest))
            return empty;
        if (!oldest)
            return NULL;
        free_plan(oldest->plan);
        memset(oldest, 0, sizeof *oldest);
    }
}

static entry *find(int64_t n, bool wide)
{
    for (int i = 0; i < KEPT; i++)
        if (table[i].plan && table[i].plan->n == n && table[i].wide == wide) {
            table[i].users++;
            table[i].used = ++clock_;
            return &table[i];
        }
    return NULL;
}

/* *kept: the entry to release after use; NULL: the plan is the caller's own. */
static orr__fft *acquire(int64_t n, bool wide, entry **kept)
{
    size_t bytes = sizeof(orr__fft);
    (void)pthread_mutex_lock(&lock);
    *kept = find(n, wide);
    (void)pthread_mutex_unlock(&lock);
    if (*kept)
        return (*kept)->plan;
    orr__fft *p = make(n, wide, &bytes);
    if (!p)
        return NULL;
    (void)pthread_mutex_lock(&lock);
    *kept = find(n, wide);
    if (*kept) { /* another thread was first */
        free_plan(p);
        p = (*kept)->plan;
    } else if ((*kept = vacant(bytes))) {
        **kept = (entry){ p, wide, 1, bytes, ++clock_ };
    }
    (void)pthread_mutex_unlock(&lock);
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

orr_status orr__cpu_kernel_fft(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    bool wide = r->out_dtype[0] == ORR_C128, inverse = (r->call.attr.mask & 1u) != 0;
    int64_t n = r->call.out.dim[r->call.out.rank - 1];
    size_t row = (size_t)n * (wide ? 16 : 8), none = 0;
    entry *kept = NULL;
    if (l->hi <= l->lo || n == 0)
        return ORR_OK;
    orr__fft *plan = acquire(n, wide, &kept);
    void *scratch = plan ? numbers((int64_t)orr__fft_scratch(plan), wide, &none) : NULL;
    orr_status st =
        scratch ? ORR_OK
                : orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for a transform of %lld numbers", (long long)n);
    for (int64_t i = l->lo; i < l->hi && st == ORR_OK; i++)
        kernel->vec->fft[wide](plan, (const char *)l->in[0] + (size_t)i * row, (char *)l->out[0] + (size_t)i * row,
                               inverse, scratch);
    free(scratch);
    if (plan)
        release(plan, kept);
    return st;
}
