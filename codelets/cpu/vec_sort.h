/* Quicksort of keys of type T in registers V, with the macros of vec_sort.c as its steps. No include guard.
 * Must not know: instruction sets.
 *
 * An array is split by a pivot: lanes below it go to the front, the others to a second array, which is appended. Arrays that fit into a few
 * registers are sorted by K. E. Batcher's bitonic network ("Sorting networks and their applications", 1968). */

enum { F(LANES) = sizeof(V) / sizeof(T), F(SMALL) = F(LANES) * REGISTERS, F(SAMPLES) = 2 * F(LANES) };

static inline V F(numbers)(void)
{
    return F(NUMBERS);
}

/* Compares lanes at distance `by` within each register: the lower keys go to lanes without `bit`. */
#define INSIDE(by, bit)                                                                                                \
    do {                                                                                                               \
        const V at_ = F(TURNED)(by);                                                                                   \
        for (int i = 0; i < n; i++) {                                                                                  \
            V other_ = F(PERMUTE)(r[i], at_);                                                                          \
            r[i] = F(PICK)(F(CHOICE)(bit), F(MIN)(r[i], other_), F(MAX)(r[i], other_));                                \
        }                                                                                                              \
    } while (0)

/* n registers, a power of two: first each register's lanes, then merges of ever more registers, the later half reversed. */
static inline __attribute__((always_inline)) void F(network)(V *r, const int n)
{
    enum { L = F(LANES) };
    for (int k = 2; k <= L; k *= 2) {
        INSIDE(k - 1, k / 2);
        for (int by = k / 4; by > 0; by /= 2)
            INSIDE(by, by);
    }
    const V back = F(TURNED)(L - 1);
    for (int k = 2; k <= n; k *= 2) {
        for (int b = 0; b < n; b += k)
            for (int i = 0; i < k / 4 + (k == 2); i++) { /* pairs of pairs, since the greater ones are reversed */
                int lo = b + i, hi = b + k / 2 - 1 - i, up = b + k / 2 + i, down = b + k - 1 - i;
                V x = F(PERMUTE)(r[down], back), y = F(PERMUTE)(r[up], back), u = r[lo], v = r[hi];
                r[lo] = F(MIN)(u, x);
                r[up] = F(MAX)(u, x);
                if (k > 2) {
                    r[hi] = F(MIN)(v, y);
                    r[down] = F(MAX)(v, y);
                }
            }
        for (int by = k / 4; by > 0; by /= 2)
            for (int b = 0; b + 2 * by <= n; b += 2 * by)
                for (int i = b; i < b + by; i++) {
                    V u = r[i], v = r[i + by];
                    r[i] = F(MIN)(u, v);
                    r[i + by] = F(MAX)(u, v);
                }
        for (int by = L / 2; by > 0; by /= 2)
            INSIDE(by, by);
    }
}

#define SIZE(name, count)                                                                                              \
    static __attribute__((noinline)) void F(name)(T * a)                                                               \
    {                                                                                                                  \
        V r[count];                                                                                                    \
        for (int i = 0; i < count; i++)                                                                                \
            r[i] = LOAD(a + i * F(LANES));                                                                             \
        F(network)(r, count);                                                                                          \
        for (int i = 0; i < count; i++)                                                                                \
            STORE(a + i * F(LANES), r[i]);                                                                             \
    }
SIZE(one, 1)
SIZE(two, 2)
SIZE(four, 4)
SIZE(eight, 8)
SIZE(sixteen, 16)
#undef SIZE

/* n ≤ SMALL; the array is padded with the greatest key. */
static void F(small)(T *a, int64_t n)
{
    T whole[F(SMALL)];
    int count = 1;
    while (count * F(LANES) < n)
        count *= 2;
    T *x = count * F(LANES) == n ? a : whole;
    if (x != a) {
        memcpy(x, a, (size_t)n * sizeof *x);
        for (int64_t k = n; k < count * F(LANES); k++)
            x[k] = GREATEST;
    }
    if (count == 1)
        F(one)(x);
    else if (count == 2)
        F(two)(x);
    else if (count == 4)
        F(four)(x);
    else if (count == 8)
        F(eight)(x);
    else
        F(sixteen)(x);
    if (x != a)
        memcpy(a, x, (size_t)n * sizeof *x);
}

static T F(pivot)(const T *a, int64_t n)
{
    T x[F(SAMPLES)];
    for (int64_t k = 0; k < F(SAMPLES); k++)
        x[k] = a[k * n / F(SAMPLES)];
    F(two)(x);
    return x[F(SAMPLES) / 2];
}

/* Moves the keys below p to the front, then the others; returns the number of the former. b: space for n. A store of a whole register after
 * the keys so far stays within keys that have been read. */
static int64_t F(split)(T *a, int64_t n, T p, T *b)
{
    enum { L = F(LANES) };
    const V pivot = F(SET1)(p);
    int64_t low = 0, high = 0, i = 0;
    for (; i + L <= n; i += L) {
        V v = LOAD(a + i);
        F(MASK) m = F(BELOW)(v, pivot);
        int count = __builtin_popcount(m);
        STORE(a + low, F(COMPRESS)(m, v));
        STORE(b + high, F(COMPRESS)((F(MASK))(m ^ (F(MASK))((1u << L) - 1)), v));
        low += count;
        high += L - count;
    }
    for (; i < n; i++) {
        T x = a[i];
        a[low] = x;
        b[high] = x;
        low += x < p;
        high += x >= p;
    }
    memcpy(a + low, b, (size_t)high * sizeof *b);
    return low;
}

/* False: too many bad pivots. */
static bool F(quick)(T *a, int64_t n, T *b, int depth)
{
    while (n > F(SMALL)) {
        T p = F(pivot)(a, n);
        int64_t low = F(split)(a, n, p, b);
        if (depth-- == 0)
            return false;
        if (low == 0) { /* the pivot is the least: all equal keys go first */
            if (p == GREATEST)
                return true;
            low = F(split)(a, n, (T)(p + 1), b);
        } else if (!F(quick)(a, low, b, depth)) {
            return false;
        }
        a += low;
        n -= low;
    }
    F(small)(a, n);
    return true;
}

static bool F(sort)(void *keys, int64_t n, void *scratch)
{
    T *a = keys;
    int depth = 8;
    for (int64_t k = 0; k < n; k++) /* the order of unsigned numbers */
        a[k] ^= LEAST;
    for (int64_t k = n; k > 0; k /= 2)
        depth += 2;
    bool done = F(quick)(a, n, scratch, depth);
    for (int64_t k = 0; k < n; k++)
        a[k] ^= LEAST;
    return done;
}
#undef INSIDE
