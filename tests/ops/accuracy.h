/* Accuracy of the element-wise rows: exact values, distances, arguments, and the rows as each tier computes them.
 * Must not know: how a value is computed. */
#ifndef ORR_TESTS_ACCURACY_H
#define ORR_TESTS_ACCURACY_H

#include "ops/ops.h"

/* The exact result for given arguments: NaN, an infinity, a zero with its sign, or hi + lo. A result beyond the range
 * of every dtype is clamped: above 2^1030 and below 2^-1200. */
typedef struct {
    long double hi;
    double lo;
} acc_exact;

/* True if there is an exact function for the row. */
bool acc_knows(const orr__ewrow *row);
/* Computes the exact result by MPFR. For halves, too, the arguments are exact and the result is the true one. */
void acc_exactly(const orr__ewrow *row, orr_dtype dtype, const double in[3], acc_exact *out);
void acc_done(void); /* frees MPFR's caches */

/* The distance in units in the last place of the exact value; subnormals have the smallest unit, and infinity is the
 * number after the largest. INFINITY: only one is NaN, an exact infinity or zero is missed, or a sign is wrong. scale:
 * measure at this magnitude if it is larger. */
double acc_ulps(orr_dtype dtype, double got, const acc_exact *want, double scale);
/* The scale documented for the row, else 0. */
double acc_scale(const orr__ewrow *row, const double in[3]);
/* The row's bound for the dtype, at an exact result. */
double acc_bound(const orr__ewrow *row, orr_dtype dtype);

/* Arguments. The first `domain` are drawn from the row's usual domain; the rest are spread over all bit patterns, or
 * hard. */
typedef struct {
    int n, domain;
    double *in[3];
} acc_args;
typedef struct {
    int spread, domain; /* numbers for f32; f64 has an eighth; unary f16 and bf16 use all 65536, or each fifth */
} acc_size;
extern const acc_size acc_table_size, acc_test_size;
bool acc_args_make(const orr__ewrow *row, orr_dtype dtype, acc_size size, acc_args *a); /* false: no memory */
void acc_args_free(acc_args *a);
/* "x, y" of case i, and its digits in hexadecimal. */
const char *acc_args_text(const acc_args *a, int i, char *buf, size_t size);

/* The measured rows: those on floats with the dtype of their operands and an exact function; those of ORR_ACC_ROWS, if
 * it is set. NULL at the end. */
const orr__ewrow *acc_row(int i);
/* ACC_PART, a variable of the environment: of each row one of the dtypes, another one for each of ACC_PARTS numbers. */
#define ACC_PART "ORR_ACC_PART"
enum { ACC_PARTS = 4 };
bool acc_takes(const orr__ewrow *row, orr_dtype dtype);
extern const orr_dtype acc_dtype[4];

/* -- tiers: each is a process of its own, this program run again with other settings -------------------- */

/* BASE: the interpreter on a processor without fused multiply-adds. */
enum { ACC_TIER0, ACC_BASE, ACC_TIER1, ACC_TIER1_CLANG, ACC_OPENCL, ACC_TIERS };
extern const char *const acc_tier_name[ACC_TIERS];

typedef struct {
    int pid, fd;    /* fd: results in the order of rows and dtypes */
    char what[160]; /* the tier's description, or the reason why it is missing */
    bool there;
} acc_tier;

/* Starts this program as that tier; `cache`: the test's own directory for kernels. */
void acc_tier_start(acc_tier *t, int which, acc_size size, const char *cache);
/* Results of the next row and dtype: n values into got. Returns 't': computed by the tier, 'o': by something else (no
 * compiled kernel, another device), 'x': failed. */
char acc_tier_next(acc_tier *t, int n, double *got);
void acc_tier_end(acc_tier *t);
/* Called first in main. If this process is a tier, it computes, and returns true with the exit status. */
bool acc_tier_main(int *status);

#endif
