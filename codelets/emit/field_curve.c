/* Kernels on points of G1: tests whether they are on the curve, and Pippenger's buckets. The latter take several
 * launches: lists of the points of each bucket, the sums of buckets, the sums of runs of buckets, the sums of the runs.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/field.h"

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

static const char *const names_points[] = { NULL };

/* One item per point. */
static void fill_points(const orr__launch *l, int64_t *word)
{
    word[0] = l->hi - l->lo;
    word[ORR__CALL_FIRST] = l->lo;
}

static void parameters_points(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    int what = r->call.attr.index;
    orr__emit_field_parameters(t, undo, r, l);
    if (what != ORR__POINTS_CHECK)
        orr__text_define(t, undo, what == ORR__POINTS_NEG ? "NEG" : "CONTAINS", "1");
}

static orr_status refuse_point(const orr__region *r, int64_t number)
{
    return orr__fail(orr__region_site(r), ORR_EINDEX, "point %lld of operand 0 is not on the curve", (long long)number);
}

static const char text_points[] =
#include "codelets/emit/kernels/field_points.ctext"
    ;
const orr__emit_call orr__emit_kernel_field_points = { .flags = 1,
                                                       .can = can_points,
                                                       .names = names_points,
                                                       .fill = fill_points,
                                                       .functions = orr__emit_field_functions,
                                                       .body = text_points,
                                                       .parameters = parameters_points,
                                                       .refuse = refuse_point };

/* -- scalars ---------------------------------------------------------------------------------------------------------------- */

static const char *const names_digits[] = { "bits", NULL };

static void fill_digits(const orr__launch *l, int64_t *word)
{
    fill_points(l, word);
    word[ORR__CALL_OWN] = l->region->call.attr.index;
}

static const char text_digits[] =
#include "codelets/emit/kernels/field_digits.ctext"
    ;
const orr__emit_call orr__emit_kernel_field_digits = { .names = names_digits,
                                                       .fill = fill_digits,
                                                       .functions = orr__emit_field_functions,
                                                       .body = text_digits,
                                                       .parameters = orr__emit_field_parameters };

/* -- windows ------------------------------------------------------------------------------------------------------------------ */

/* A row is a window of a chunk of points. The memory of a launch, in words of 32 bits: the first point of each bucket
 * of each row, the next point in the bucket for each point of each row, the buckets' sums, the runs' sums. */
#define WORDS(X, LONG)                                                                                                 \
    X(stage)                                                                                                           \
    X(rows)  /* of the launch                                              */                                          \
    X(first) /* the first of them, among all                               */                                          \
    X(bits)  /* of a digit                                                 */                                          \
    X(windows)                                                                                                         \
    X(chunks)                                                                                                          \
    X(each)    /* points per chunk, except the last                          */                                        \
    X(most)    /* points of the last chunk                                   */                                        \
    X(run_log) /* log of the buckets of a run                                */                                        \
    LONG(next) /* positions of the parts of the memory                       */                                        \
    LONG(buckets)                                                                                                      \
    LONG(runs)
#define NAME(name) #name,
#define LONG_NAME(name) "orr_i64 " #name,
#define NUMBER(name) name##_,
static const char *const names_windows[] = { WORDS(NAME, LONG_NAME) NULL };
enum { WORDS(NUMBER, NUMBER) };

enum { HEADS, LINKS, SUMS, PARTS, TOTALS, STAGES };
enum { POINT = 4 * 2 * ORR__LIMBS, RUNS = 6 }; /* words of a point; log of the runs of a row, at most */

static bool can_windows(const orr__region *r)
{
    return is_g1(r);
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
    own[stage_] = HEADS;
    own[rows_] = rows;
    own[first_] = l->lo;
    own[bits_] = c->attr.index;
    own[windows_] = orr__field_windows(c->attr.index);
    own[chunks_] = c->attr.start[0];
    own[each_] = n / own[chunks_];
    own[most_] = n - own[each_] * (own[chunks_] - 1);
    own[run_log_] = log_run(c->attr.index);
    own[next_] = items(c, HEADS, rows);
    own[buckets_] = own[next_] + items(c, LINKS, rows);
    own[runs_] = own[buckets_] + POINT * items(c, SUMS, rows);
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
    if (++own[stage_] == STAGES)
        return false;
    word[0] = items(&l->region->call, (int)own[stage_], own[rows_]);
    return true;
}

static const char helpers_windows[] =
#include "codelets/emit/kernels/field_curve.ctext"
    ;
static const char text_windows[] =
#include "codelets/emit/kernels/field_windows.ctext"
    ;
const orr__emit_call orr__emit_kernel_field_windows = { .can = can_windows,
                                                        .names = names_windows,
                                                        .fill = fill_windows,
                                                        .functions = orr__emit_field_functions,
                                                        .helpers = helpers_windows,
                                                        .body = text_windows,
                                                        .parameters = orr__emit_field_parameters,
                                                        .scratch = scratch,
                                                        .next = next };
