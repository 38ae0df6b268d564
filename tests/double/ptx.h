/* PTX's instructions that C lacks, and blocks of threads that meet at barriers: what the C text of tests/double/ptx includes.
 * Must not know: which kernel. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { PTX_THREADS = 1024, PTX_WARP = 32, PTX_STACK = 65536, PTX_FAILED = 719, PTX_SAYS = 8, PTX_COPIES = 64 };

static _Thread_local struct {
    unsigned tid, ntid, ctaid, nctaid;
    char *shared;
} ptx;

static void ptx_thread(char **given);
static const size_t ptx_sizes[PTX_GIVEN + 1];

static void ptx_quit(const char *fault)
{
    (void)fprintf(stderr, "cuda double: %s, in thread %u of block %u\n", fault, ptx.tid, ptx.ctaid);
    _exit(99);
}

/* -- memory ---------------------------------------------------------------------------------------------------------- */

static inline char *ptx_at(uintptr_t p, size_t bytes)
{
    if (p % bytes != 0)
        ptx_quit("an address is not a multiple of its access");
    return (char *)p;
}

static inline char *ptx_shared(uint64_t at, size_t bytes)
{
    if (at + bytes > PTX_SHARED)
        ptx_quit("a thread touches shared memory behind the end");
    return ptx_at((uintptr_t)ptx.shared + at, bytes);
}

static inline bool ptx_is_shared(uint64_t p)
{
    return p - (uintptr_t)ptx.shared < PTX_SHARED;
}

#define PTX_MEMORY(n, type)                                                                                            \
    static inline type ptx_load_##n(const char *p)                                                                     \
    {                                                                                                                  \
        type x;                                                                                                        \
        memcpy(&x, p, sizeof x);                                                                                       \
        return x;                                                                                                      \
    }                                                                                                                  \
    static inline void ptx_store_##n(char *p, type x)                                                                  \
    {                                                                                                                  \
        memcpy(p, &x, sizeof x);                                                                                       \
    }
PTX_MEMORY(8, uint8_t)
PTX_MEMORY(16, uint16_t)
PTX_MEMORY(32, uint32_t)
PTX_MEMORY(64, uint64_t)

/* -- numbers --------------------------------------------------------------------------------------------------------- */

static inline float ptx_f32(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline double ptx_f64(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline uint32_t ptx_bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline uint64_t ptx_bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float ptx_ftz(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* To 0 ... 1; NaN is 0. */
#define ptx_sat(x) ((x) > 0 ? (x) < 1 ? (x) : 1 : 0)

#define PTX_ROUNDED(name, type, to, expression)                                                                        \
    static __attribute__((noinline)) to name(type a, int mode)                                                         \
    {                                                                                                                  \
        int before = fegetround();                                                                                     \
        (void)fesetround(mode);                                                                                        \
        volatile type x = a;                                                                                           \
        volatile to r = (to)(expression);                                                                              \
        (void)fesetround(before);                                                                                      \
        return r;                                                                                                      \
    }
PTX_ROUNDED(ptx_sqrt_f32, float, float, __builtin_sqrtf(x))
PTX_ROUNDED(ptx_sqrt_f64, double, double, __builtin_sqrt(x))
PTX_ROUNDED(ptx_rcp_f32, float, float, 1 / x)
PTX_ROUNDED(ptx_rcp_f64, double, double, 1 / x)
PTX_ROUNDED(ptx_f32_by, long double, float, x) /* f64 and 64-bit integers are exact in it */
PTX_ROUNDED(ptx_f64_by, long double, double, x)

#define PTX_ROUNDED_2(name, type, expression)                                                                          \
    static __attribute__((noinline)) type name(type a, type b, int mode)                                               \
    {                                                                                                                  \
        int before = fegetround();                                                                                     \
        (void)fesetround(mode);                                                                                        \
        volatile type x = a, y = b;                                                                                    \
        volatile type r = expression;                                                                                  \
        (void)fesetround(before);                                                                                      \
        return r;                                                                                                      \
    }
#define PTX_ROUNDED_OPS(t, type)                                                                                       \
    PTX_ROUNDED_2(ptx_add_##t, type, x + y)                                                                            \
    PTX_ROUNDED_2(ptx_sub_##t, type, x - y)                                                                            \
    PTX_ROUNDED_2(ptx_mul_##t, type, x *y)                                                                             \
    PTX_ROUNDED_2(ptx_div_##t, type, x / y)
PTX_ROUNDED_OPS(f32, float)
PTX_ROUNDED_OPS(f64, double)

#define PTX_ROUNDED_FMA(t, type, function)                                                                             \
    static __attribute__((noinline)) type ptx_fma_##t(type a, type b, type c, int mode)                                \
    {                                                                                                                  \
        int before = fegetround();                                                                                     \
        (void)fesetround(mode);                                                                                        \
        volatile type x = a, y = b, z = c;                                                                             \
        volatile type r = function(x, y, z);                                                                           \
        (void)fesetround(before);                                                                                      \
        return r;                                                                                                      \
    }
PTX_ROUNDED_FMA(f32, float, fmaf)
PTX_ROUNDED_FMA(f64, double, fma)

/* The upper half of the operand, and of the result, alone. */
static inline double ptx_rcp_approx(double x)
{
    double r = 1 / ptx_f64(ptx_bits_f64(x) & ~(uint64_t)UINT32_MAX);
    return ptx_f64(ptx_bits_f64(r) & ~(uint64_t)UINT32_MAX);
}

static inline double ptx_rsqrt_approx(double x)
{
    double r = 1 / sqrt(ptx_f64(ptx_bits_f64(x) & ~(uint64_t)UINT32_MAX));
    return ptx_f64(ptx_bits_f64(r) & ~(uint64_t)UINT32_MAX);
}

/* -0 is below 0; NaN loses, or wins. */
#define ptx_min(a, b, nan)                                                                                             \
    ((a) != (a) || (b) != (b)                  ? (nan)        ? NAN                                                    \
                                                 : (a) != (a) ? (b)                                                    \
                                                              : (a)                                                    \
                      : (a) < (b) || ((a) == (b) && signbit(a)) ? (a)                                                  \
                                               : (b))
#define ptx_max(a, b, nan)                                                                                             \
    ((a) != (a) || (b) != (b)                   ? (nan)        ? NAN                                                   \
                                                  : (a) != (a) ? (b)                                                   \
                                                               : (a)                                                   \
                       : (a) > (b) || ((a) == (b) && !signbit(a)) ? (a)                                                \
                                                : (b))

static inline uint16_t ptx_f16_of(float x)
{
    double a = fabs((double)x);
    uint16_t sign = (uint16_t)(ptx_bits_f32(x) >> 16 & 0x8000);
    int e;
    if (x != x)
        return 0x7fff;
    if (a >= 65520)
        return sign | 0x7c00;
    (void)frexp(a, &e);
    if (e < -13 || a == 0)
        e = -13;
    return (uint16_t)(sign | (((e + 14) << 10) + (int)rint(ldexp(a, 11 - e)) - 1024));
}

static inline float ptx_of_f16(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double a = e == 31 ? (m ? NAN : INFINITY) : e == 0 ? ldexp(m, -24) : ldexp(m + 1024, e - 25);
    return (float)(h & 0x8000 ? -a : a);
}

static inline uint16_t ptx_bf16_of(float x)
{
    uint32_t u = ptx_bits_f32(x);
    return x != x ? 0x7fff : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static inline float ptx_of_bf16(uint16_t h)
{
    return ptx_f32((uint32_t)h << 16);
}

/* To 10 bits behind the point, halves away from 0. */
static inline float ptx_tf32(float x)
{
    return x - x == 0 ? ptx_f32((ptx_bits_f32(x) + 0x1000) & 0xffffe000) : x;
}

/* From a whole number: the nearest of the type; NaN is 0, and the sign's bit alone where one of both types has 64 bits. */
#define PTX_INTEGER(t, type, lo, hi, bits)                                                                             \
    static inline type ptx_##t##_from(double x, int f64)                                                               \
    {                                                                                                                  \
        if (x != x)                                                                                                    \
            return f64 || (bits) == 64 ? (type)((uint64_t)1 << ((bits)-1)) : 0;                                        \
        return x >= (double)(hi) ? (type)(hi) : x <= (double)(lo) ? (type)(lo) : (type)x;                              \
    }                                                                                                                  \
    static inline type ptx_##t##_sat(uint64_t u, int is_signed)                                                        \
    {                                                                                                                  \
        __int128 x = is_signed ? (__int128)(int64_t)u : (__int128)u;                                                   \
        return x > (__int128)(hi) ? (type)(hi) : x < (__int128)(lo) ? (type)(lo) : (type)x;                            \
    }
PTX_INTEGER(s8, int8_t, INT8_MIN, INT8_MAX, 8)
PTX_INTEGER(u8, uint8_t, 0, UINT8_MAX, 8)
PTX_INTEGER(s16, int16_t, INT16_MIN, INT16_MAX, 16)
PTX_INTEGER(u16, uint16_t, 0, UINT16_MAX, 16)
PTX_INTEGER(s32, int32_t, INT32_MIN, INT32_MAX, 32)
PTX_INTEGER(u32, uint32_t, 0, UINT32_MAX, 32)
PTX_INTEGER(s64, int64_t, INT64_MIN, INT64_MAX, 64)
PTX_INTEGER(u64, uint64_t, 0, UINT64_MAX, 64)

/* A division by zero is not defined: all bits here, as on existing devices. */
#define PTX_DIVISION(t, type, negative)                                                                                \
    static inline type ptx_div_##t(type a, type b)                                                                     \
    {                                                                                                                  \
        return b == 0 ? (type)-1 : (negative) && b == (type)-1 ? (type)(0 - (uint64_t)a) : (type)(a / b);              \
    }                                                                                                                  \
    static inline type ptx_rem_##t(type a, type b)                                                                     \
    {                                                                                                                  \
        return b == 0 ? a : (negative) && b == (type)-1 ? 0 : (type)(a % b);                                           \
    }
PTX_DIVISION(s16, int16_t, 1)
PTX_DIVISION(u16, uint16_t, 0)
PTX_DIVISION(s32, int32_t, 1)
PTX_DIVISION(u32, uint32_t, 0)
PTX_DIVISION(s64, int64_t, 1)
PTX_DIVISION(u64, uint64_t, 0)

/* -- bits ------------------------------------------------------------------------------------------------------------ */

static inline uint32_t ptx_lop3(uint32_t a, uint32_t b, uint32_t c, int table)
{
    uint32_t r = 0;
    for (int i = 0; i < 8; i++)
        if (table >> i & 1)
            r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}

static inline uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t select)
{
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t s = select >> 4 * i & 15;
        uint8_t byte = (uint8_t)(both >> 8 * (s & 7));
        r |= (uint32_t)(s & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << 8 * i;
    }
    return r;
}

/* `n` bits from `at` on; of a signed type the field's sign fills the rest. */
static inline uint64_t ptx_bfe(uint64_t x, uint32_t at, uint32_t n, unsigned bits, int is_signed)
{
    at &= 255;
    n &= 255;
    unsigned top = at + n - 1 < bits - 1 ? at + n - 1 : bits - 1;
    bool sign = is_signed && n > 0 && x >> top & 1;
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (uint64_t)(i < n && at + i < bits ? x >> (at + i) & 1 : sign) << i;
    return r;
}

static inline uint64_t ptx_bfi(uint64_t a, uint64_t b, uint32_t at, uint32_t n, unsigned bits)
{
    at &= 255;
    n &= 255;
    for (unsigned i = 0; i < n && at + i < bits; i++)
        b = (b & ~((uint64_t)1 << (at + i))) | (a >> i & 1) << (at + i);
    return b;
}

static inline uint64_t ptx_brev(uint64_t x, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

static inline uint32_t ptx_bfind(uint64_t x, unsigned bits, int is_signed, int amount)
{
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    x &= all;
    if (is_signed && x >> (bits - 1))
        x = ~x & all;
    if (x == 0)
        return UINT32_MAX;
    unsigned at = 63 - (unsigned)__builtin_clzll(x);
    return amount ? bits - 1 - at : at;
}

/* -- threads that meet ----------------------------------------------------------------------------------------------- */

/* Where a thread waits: at a barrier of its block (the mask is 0) or with threads of its warp. Each place of the text has a number.
 * A thread begins as a context of its own, which serves for all blocks; from then on it and the block jump, which needs no call of the
 * system. */
static _Thread_local struct {
    ucontext_t begin;
    jmp_buf home, fibre[PTX_THREADS];
    bool made[PTX_THREADS]; /* the fibre is there, and waits for a block */
    char *stack;
    char **given;
    struct {
        uint32_t mask;
        int site; /* 0: it does not wait */
        bool ended;
        unsigned phase;             /* of its meetings with its warp */
        uint64_t says[2][PTX_SAYS]; /* to the others of its warp, in turn */
        int copies;                 /* that run ahead, and the groups of them that were sent */
        int sent;
    } thread[PTX_THREADS];
    struct {
        char *to;
        const char *from;
        int size, bytes, group;
    } (*copy)[PTX_COPIES];
} ptx_block;

static void ptx_wait(uint32_t mask, int site)
{
    unsigned me = ptx.tid;
    ptx_block.thread[me].mask = mask;
    ptx_block.thread[me].site = site;
    if (_setjmp(ptx_block.fibre[me]) == 0)
        _longjmp(ptx_block.home, 1);
}

static inline void ptx_barrier(int site)
{
    ptx_wait(0, site);
}

static inline void ptx_meet(uint32_t mask, int site)
{
    if (!(mask >> ptx.tid % PTX_WARP & 1))
        ptx_quit("a thread meets a warp's threads without being one of them");
    ptx_wait(mask, site);
}

/* Says a number to the warp; the others' are then at ptx_said. Nobody is further than one meeting ahead. */
static unsigned ptx_tell(const uint64_t *x, int n, uint32_t mask, int site)
{
    unsigned phase = ptx_block.thread[ptx.tid].phase++ % 2;
    memcpy(ptx_block.thread[ptx.tid].says[phase], x, (size_t)n * sizeof *x);
    ptx_meet(mask, site);
    return phase;
}

static inline const uint64_t *ptx_told(unsigned lane, unsigned phase)
{
    return ptx_block.thread[ptx.tid / PTX_WARP * PTX_WARP + lane].says[phase];
}

static inline unsigned ptx_say(uint32_t x, uint32_t mask, int site)
{
    return ptx_tell(&(uint64_t){ x }, 1, mask, site);
}

static inline uint32_t ptx_said(unsigned lane, unsigned phase)
{
    return (uint32_t)*ptx_told(lane, phase);
}

enum { PTX_UP, PTX_DOWN, PTX_BFLY, PTX_IDX };

static inline uint32_t ptx_shuffle(uint32_t x, uint32_t by, uint32_t limit, uint32_t mask, int how, int site,
                                   int *valid)
{
    unsigned phase = ptx_say(x, mask, site), lane = ptx.tid % PTX_WARP, segment = limit >> 8 & 31, clamp = limit & 31;
    int most = (int)((lane & segment) | (clamp & ~segment)), from = (int)lane;
    by &= 31;
    if (how == PTX_UP)
        from -= (int)by;
    else if (how == PTX_DOWN)
        from += (int)by;
    else
        from = how == PTX_BFLY ? (int)(lane ^ by) : (int)((lane & segment) | (by & ~segment));
    *valid = how == PTX_UP ? from >= most : from <= most;
    if (!*valid)
        return x;
    if (!(mask >> from & 1))
        ptx_quit("a shuffle reads a thread that does not take part");
    return ptx_said((unsigned)from, phase);
}

static inline uint32_t ptx_ballot(bool x, uint32_t mask, int site)
{
    unsigned phase = ptx_say(x, mask, site);
    uint32_t all = 0;
    for (unsigned lane = 0; lane < PTX_WARP; lane++)
        if (mask >> lane & 1)
            all |= ptx_said(lane, phase) << lane;
    return all;
}

/* -- matrices -------------------------------------------------------------------------------------------------------- */

enum { PTX_HALF, PTX_BRAIN, PTX_TF32, PTX_F64 };

/* Element i of a register. */
static inline double ptx_element(uint64_t r, int i, int kind)
{
    uint16_t half = (uint16_t)(r >> 16 * i);
    return kind == PTX_F64    ? ptx_f64(r)
           : kind == PTX_TF32 ? ptx_f32((uint32_t)r & 0xffffe000)
           : kind == PTX_HALF ? ptx_of_f16(half)
                              : ptx_of_bf16(half);
}

/* The sum of row `row` times column `col` of the fragments of a warp: `na` registers of the rows, `nb` of the columns. A register has the
 * elements of one row (of those 8 apart, in turn) that a lane of four has; `deep` terms. */
static double ptx_row_by_column(unsigned row, unsigned col, int na, int nb, int deep, int kind, unsigned phase)
{
    int n = kind <= PTX_BRAIN ? 2 : 1, tall = na / nb;
    double sum = 0;
    for (int k = 0; k < deep; k++) {
        unsigned lane = (unsigned)(k / n % 4), block = (unsigned)(k / n / 4);
        const uint64_t *a = ptx_told(row % 8 * 4 + lane, phase), *b = ptx_told(col * 4 + lane, phase);
        sum += ptx_element(a[block * (unsigned)tall + row / 8], k % n, kind) *
               ptx_element(b[(unsigned)na + block], k % n, kind);
    }
    return sum;
}

/* The lane's elements of a sum: two neighbours of row g, and of row g + 8 where there are 16 rows. Products and their sum are rounded once
 * (of f64, as the processor's sums are). */
static void ptx_mma(double *sum, const uint64_t *given, int na, int nb, int deep, int kind, int site)
{
    unsigned lane = ptx.tid % PTX_WARP, phase = ptx_tell(given, na + nb, UINT32_MAX, site);
    for (unsigned i = 0; i < 2u * (unsigned)(na / nb); i++)
        sum[i] += ptx_row_by_column(lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2, na, nb, deep, kind, phase);
}

/* Four matrices of 8 rows, whose addresses are those that 8 lanes each give; a lane gets two neighbours of a row, or of a column. */
static void ptx_ldmatrix(uint32_t got[4], ptrdiff_t at, int turned, int site)
{
    unsigned lane = ptx.tid % PTX_WARP, phase = ptx_say((uint32_t)at, UINT32_MAX, site);
    for (unsigned i = 0; i < 4; i++) {
        uint16_t pair[2];
        for (unsigned k = 0; k < 2; k++) {
            unsigned row = turned ? lane % 4 * 2 + k : lane / 4, col = turned ? lane / 4 : lane % 4 * 2 + k;
            memcpy(&pair[k], ptx.shared + ptx_said(8 * i + row, phase) + 2 * col, 2);
        }
        got[i] = (uint32_t)pair[1] << 16 | pair[0];
    }
}

/* -- copies that run ahead ------------------------------------------------------------------------------------------- */

static void ptx_copy(char *to, const char *from, int size, uint32_t bytes)
{
    int n = ptx_block.thread[ptx.tid].copies++;
    if (n == PTX_COPIES || bytes > (uint32_t)size)
        ptx_quit("more copies run ahead than one waits for, or one of more bytes than it has");
    if (bytes > 0 && (uintptr_t)from % (size_t)size != 0)
        ptx_quit("a copy that runs ahead is not aligned");
    ptx_block.copy[ptx.tid][n].to = to;
    ptx_block.copy[ptx.tid][n].from = from;
    ptx_block.copy[ptx.tid][n].size = size;
    ptx_block.copy[ptx.tid][n].bytes = (int)bytes;
    ptx_block.copy[ptx.tid][n].group = ptx_block.thread[ptx.tid].sent;
}

static void ptx_sent(void)
{
    ptx_block.thread[ptx.tid].sent++;
}

/* Does the copies of all groups but the last `open` ones: as late as is allowed. */
static void ptx_arrived(int open)
{
    int left = 0, all = ptx_block.thread[ptx.tid].copies, last = ptx_block.thread[ptx.tid].sent - open;
    for (int i = 0; i < all; i++) {
        char *to = ptx_block.copy[ptx.tid][i].to;
        int bytes = ptx_block.copy[ptx.tid][i].bytes;
        if (ptx_block.copy[ptx.tid][i].group >= last) {
            ptx_block.copy[ptx.tid][left++] = ptx_block.copy[ptx.tid][i];
            continue;
        }
        memcpy(to, ptx_block.copy[ptx.tid][i].from, (size_t)bytes);
        memset(to + bytes, 0, (size_t)(ptx_block.copy[ptx.tid][i].size - bytes));
    }
    ptx_block.thread[ptx.tid].copies = left;
}

static void ptx_body(void)
{
    for (;;) {
        ptx_thread(ptx_block.given);
        if (ptx_block.thread[ptx.tid].copies > 0)
            ptx_quit("a kernel ends before its copies have arrived");
        ptx_block.thread[ptx.tid].ended = true;
        if (_setjmp(ptx_block.fibre[ptx.tid]) == 0)
            _longjmp(ptx_block.home, 1);
    }
}

/* Runs a thread until it waits or ends. */
static void ptx_turn(unsigned me)
{
    ucontext_t *c = &ptx_block.begin;
    ptx.tid = me;
    if (_setjmp(ptx_block.home) != 0)
        return;
    if (ptx_block.made[me])
        _longjmp(ptx_block.fibre[me], 1);
    ptx_block.made[me] = true;
    (void)getcontext(c);
    c->uc_stack.ss_sp = ptx_block.stack + (size_t)me * PTX_STACK;
    c->uc_stack.ss_size = PTX_STACK;
    c->uc_link = NULL;
    makecontext(c, ptx_body, 0);
    (void)setcontext(c);
}

/* Do all threads of the mask wait at the place where this one waits? */
static bool ptx_met(unsigned me, unsigned threads)
{
    unsigned first = ptx_block.thread[me].mask ? me / PTX_WARP * PTX_WARP : 0;
    unsigned n = ptx_block.thread[me].mask ? PTX_WARP : threads;
    for (unsigned i = first; i < first + n; i++)
        if (!ptx_block.thread[me].mask || ptx_block.thread[me].mask >> (i - first) & 1)
            if (i >= threads || ptx_block.thread[i].ended || ptx_block.thread[i].site != ptx_block.thread[me].site ||
                ptx_block.thread[i].mask != ptx_block.thread[me].mask)
                return false;
    return true;
}

/* Lets go of the threads that have met; their number. */
static unsigned ptx_release(unsigned threads)
{
    static _Thread_local bool met[PTX_THREADS];
    unsigned n = 0;
    bool block = ptx_block.thread[0].site && !ptx_block.thread[0].mask && ptx_met(0, threads);
    for (unsigned i = 0; i < threads; i++)
        n += met[i] = block || (!ptx_block.thread[i].ended && ptx_block.thread[i].mask && ptx_met(i, threads));
    for (unsigned i = 0; i < threads; i++)
        if (met[i])
            ptx_block.thread[i].site = 0;
    return n;
}

/* Runs a block, whose threads have their turns in ascending order or (from: 1) in descending order; false: threads wait for ever. */
static bool ptx_run(unsigned threads, int from)
{
    unsigned left = threads;
    if (!ptx_block.stack && !(ptx_block.stack = malloc((size_t)PTX_THREADS * PTX_STACK)))
        return false;
    if (!ptx_block.copy && !(ptx_block.copy = malloc(PTX_THREADS * sizeof *ptx_block.copy)))
        return false;
    memset(ptx_block.thread, 0, threads * sizeof *ptx_block.thread);
    for (unsigned round = 0; left > 0; round++) {
        for (unsigned j = 0; j < threads; j++) {
            unsigned i = (round + (unsigned)from) % 2 ? threads - 1 - j : j;
            if (ptx_block.thread[i].ended || ptx_block.thread[i].site)
                continue;
            ptx_turn(i);
            left -= ptx_block.thread[i].ended;
        }
        if (left > 0 && ptx_release(threads) == 0) {
            memset(ptx_block.made, 0, sizeof ptx_block.made); /* they are inside of the kernel */
            return false;
        }
    }
    return true;
}

/* -- what the double calls ------------------------------------------------------------------------------------------- */

int emu_params(size_t *size)
{
    memcpy(size, ptx_sizes, PTX_GIVEN * sizeof *size);
    return PTX_GIVEN;
}

int emu_launch(unsigned grid, unsigned block, void **param, int from)
{
    static _Thread_local char shared[PTX_SHARED] __attribute__((aligned(256)));
    ptx.shared = shared;
    ptx.ntid = block;
    ptx.nctaid = grid;
    ptx_block.given = (char **)param;
    for (unsigned b = 0; b < grid; b++) {
        ptx.ctaid = from == 1 ? grid - 1 - b : b;
        memset(shared, 0xa5, sizeof shared);
        if (PTX_MEETS && !ptx_run(block, from == 1))
            return PTX_FAILED;
        for (unsigned t = 0; !PTX_MEETS && t < block; t++) {
            ptx.tid = from == 1 ? block - 1 - t : t;
            ptx_thread(ptx_block.given);
        }
    }
    return 0;
}
