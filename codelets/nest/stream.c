/* C loops over more data than caches hold: inputs are prefetched, outputs are stored past the caches.
 * Must not know: the meaning of instructions.
 *
 * A store to a line that is in no cache reads the line first; for a large output this is a third of the traffic and useless. The innermost
 * loop therefore writes a block of the output into a small array, and non-temporal stores copy it to its destination (Intel 64 and IA-32
 * Architectures Optimization Reference Manual, "Non-temporal store bus traffic"). Small outputs are stored normally: their reader finds
 * them in a cache. */
#include "config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"

/* IN_L1, IN_L2: the target caches, as __builtin_prefetch numbers them. MASK: accesses in a mask of one word. */
enum { IN_L1 = 3, IN_L2 = 2, MASK = 63 }; /* limit of arithmetic */

static const char stream_text[] =
    "#if defined(__AVX512F__)\n"
    "typedef float orr_line __attribute__((vector_size(64), may_alias));\n"
    "#define ORR_PAST(to, x) __builtin_ia32_movntps512((float *)(to), x)\n"
    "#elif defined(__AVX__)\n"
    "typedef float orr_line __attribute__((vector_size(32), may_alias));\n"
    "#define ORR_PAST(to, x) __builtin_ia32_movntps256((float *)(to), x)\n"
    "#elif defined(__SSE2__)\n"
    "typedef float orr_line __attribute__((vector_size(16), may_alias));\n"
    "#define ORR_PAST(to, x) __builtin_ia32_movntps((float *)(to), x)\n"
    "#endif\n"
    "#if defined(__clang__) && defined(ORR_PAST)\n"
    "#undef ORR_PAST\n"
    "#define ORR_PAST(to, x) __builtin_nontemporal_store(x, (orr_line *)(to))\n"
    "#endif\n"
    "#ifdef ORR_PAST\n"
    "#define ORR_PASSES 1\n"
    "#define orr_passed() __builtin_ia32_sfence()\n"
    "ORR_FN void orr_past(void *to, const void *from, orr_idx n)\n{\n"
    "    const orr_idx line = sizeof(orr_line);\n"
    "    char *t = to;\n    const char *f = from;\n    orr_idx k = -(orr_i64)t & (line - 1);\n"
    "    k = k < n ? k : n;\n    if (k)\n        __builtin_memcpy(t, f, k);\n"
    "    for (; k + line <= n; k += line) {\n"
    "        orr_line x;\n        __builtin_memcpy(&x, f + k, sizeof x);\n        ORR_PAST(t + k, x);\n    }\n"
    "    if (k < n)\n        __builtin_memcpy(t + k, f + k, n - k);\n}\n"
    "#else\n"
    "#define ORR_PASSES 0\n"
    "#define orr_passed() (void)0\n"
    "ORR_FN void orr_past(void *to, const void *from, orr_idx n) { __builtin_memcpy(to, from, n); }\n"
    "#endif\n";

static int64_t large(void)
{
    static _Atomic int64_t known;
    int64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes == 0) {
        bytes = sysconf(_SC_LEVEL3_CACHE_SIZE) / 4;
        bytes = ORR__MAX(ORR__T_LAST_CACHE, bytes);
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}

/* True if access b reads, element after element, the data that access a reads at most NEAR bytes later. The lines are then in a cache. */
static bool follows(const orr__region *r, int a, int b)
{
    const orr__access *x = &r->access[a], *y = &r->access[b];
    bool forward = true;
    if (a == b || x->input != y->input || x->placed || y->placed || memcmp(x->stride, y->stride, sizeof x->stride))
        return false;
    for (int d = 0; d < r->rank; d++)
        forward = forward && x->stride[d] >= 0;
    int64_t bytes = (y->offset - x->offset) * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[x->input]);
    if (bytes == 0)
        return b < a;
    return (forward     ? bytes
            : bytes < 0 ? -bytes
                        : bytes) > 0 &&
           (forward ? bytes < ORR__CACHE_SHARE : bytes < ORR__CACHE_LINE && b < a);
}

int64_t orr__cloop_leads(const orr__region *r)
{
    int64_t leads = -1;
    for (int a = 0; a < r->naccess && a < MASK && !orr__ablated(ORR__OFF_SHARED_STREAMS); a++)
        for (int b = 0; b < r->naccess && r->access[a].input >= 0; b++)
            if (follows(r, a, b))
                leads &= ~(INT64_C(1) << a);
    return leads;
}

int64_t orr__cloop_reach(const orr__launch *l)
{
    const orr__region *r = l->region;
    int64_t points = 1, cells = 1, bytes = 0;
    for (int d = 0; d < r->rank; d++) {
        points *= r->dim[d];
        cells *= (r->rmask >> d & 1u) || (r->loops == ORR__LOOPS_PER_ROW && d == r->rank - 1) ? 1 : r->dim[d];
    }
    if (points < ORR__T_CORE_CACHES / ORR__CACHE_LINE || orr__ablated(ORR__OFF_STREAMING))
        return ORR__CLOOP_NEAR;
    for (int k = 0; k < r->nout; k++)
        bytes += cells * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[k]);
    int64_t leads = orr__cloop_leads(r);
    for (int a = 0; a < r->naccess; a++)
        if (r->access[a].input >= 0 && r->access[a].stride[r->rank - 1] == 1 && (a >= MASK || leads >> a & 1))
            bytes += points * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[r->access[a].input]);
    if (bytes >= large() && bytes / r->dim[0] * (l->hi - l->lo) >= ORR__T_CORE_CACHES)
        return ORR__CLOOP_PAST;
    return bytes >= ORR__T_CORE_CACHES ? ORR__CLOOP_FAR : ORR__CLOOP_NEAR;
}

void orr__cloop_stream_functions(const orr__cloop *c, orr__text *t)
{
    if (orr__region_is_map(c->r) && c->r->loops != ORR__LOOPS_PER_ROW)
        orr__text_add(t, stream_text);
}

/* True if the loop is limited by memory, not by arithmetic. */
static bool light(const orr__cloop *c)
{
    return orr__cloop_work(c) <= ORR__COST_FUNCTION;
}

/* True if the work is so small that reading the line of the output dominates. Otherwise an additional store that waits costs more.
 * Rows have computed their values before. */
static bool pays(const orr__cloop *c)
{
    return orr__region_rows(c->r) || orr__cloop_work(c) <= ORR__T_LOOP_WORK;
}

static const char *line(const orr__cloop *c, int k)
{
    return orr__nest_say(c->n, "line%d_out", k);
}

/* The place of a block's first element in output k. */
static const char *place(const orr__cloop *c, int k)
{
    return orr__nest_say(c->n, "out%d + (orr_idx)W(%d) + at + q", k, c->lay.out_at + k);
}

/* An output that shares the memory of an input finds its lines in cache: they have just been read. */
void orr__cloop_stream_begin(const orr__cloop *c)
{
    const orr__region *r = c->r;
    bool past = pays(c) && !c->pitched;
    for (int k = 0; k < r->nout; k++) {
        const char *apart = "";
        orr__nest_array(c->n, 0, orr__emit_storage((orr_dtype)r->out_dtype[k]), line(c, k),
                        orr__nest_say(c->n, "%d", ORR__BLOCK_ELEMENTS + (c->pitched ? ORR__CACHE_LINE : 0)));
        for (int i = 0; i < r->nin; i++)
            apart = orr__nest_say(c->n, "%s && (const void *)out%d != in%d", apart, k, i);
        orr__nest_set(c->n, "const int past%d = %s && W(%d) == %d%s", k, past ? "ORR_PASSES" : "0", ORR__CLOOP_REACH_AT,
                      ORR__CLOOP_PAST, apart);
    }
}

/* Is access a read, and contiguous, in the innermost loop? */
static bool runs(const orr__cloop *c, int a)
{
    const orr__region *r = c->r;
    if (r->access[a].input < 0 || c->lay.packed[a] || (c->joins && c->lay.joined[a]) ||
        c->lay.move[a * ORR_MAX_RANK + r->rank - 1] != ORR__MOVE_UNIT)
        return false;
    if (orr__emit_reading(r, &c->lay, &c->around, a) == ORR__READ_NEVER ||
        (r->access[a].box && c->around.boxed == ORR__BOXED_TESTED))
        return false;
    for (int i = 0; i < r->ninstr; i++)
        if (r->instr[i].kind == ORR__RI_LOAD && r->instr[i].a == a)
            return true;
    return false;
}

/* May another access read the lines of access a? */
static bool shared(const orr__cloop *c, int a)
{
    bool any = false;
    for (int b = 0; b < c->r->naccess; b++)
        any = any || (a != b && c->r->access[b].input == c->r->access[a].input && runs(c, b));
    return any;
}

/* Prefetches elements [from, to) of the input that the innermost loop reads in order, `ahead` bytes further on. row: an axis along which
 * accesses that do not move are already in cache, or -1. */
static void prefetch(const orr__cloop *c, const char *from, const char *to, int ahead, int cache, int row)
{
    const orr__region *r = c->r;
    for (int a = 0; a < r->naccess; a++) {
        if (!runs(c, a) || (row >= 0 && c->lay.move[a * ORR_MAX_RANK + row] == ORR__MOVE_NONE))
            continue;
        int size = (int)orr_dtype_size((orr_dtype)r->in_dtype[r->access[a].input]);
        orr__part *part = orr__nest_add(c->n, ORR__PART_PREFETCH, cache, a);
        if (a < MASK && shared(c, a))
            part->at = orr__nest_say(c->n, "W(%d) >> %d & 1", ORR__CLOOP_LEADS_AT, a);
        part->from = from;
        part->to = to;
        part->step = orr__nest_say(c->n, "%d", ahead / size);
    }
}

/* The second cache accepts more outstanding requests than the first, whose few are also needed by the stores past the caches. Maps with
 * such stores prefetch the line into the first cache soon after; compute-bound maps need neither. A reduction, which only reads, is fast
 * enough without the second prefetch. */
void orr__cloop_prefetch(const orr__cloop *c, const char *from, const char *to)
{
    int row = c->r->rank - 2;
    orr__part **mark = c->n->end;
    bool later = orr__region_is_map(c->r) && !orr__region_rows(c->r) && light(c);
    (void)orr__nest_if(c->n, "W(%d) >= %d", ORR__CLOOP_REACH_AT, later ? ORR__CLOOP_PAST : ORR__CLOOP_FAR);
    if (c->r->rmask && !c->r->search) {
        prefetch(c, from, to, ORR__T_AHEAD, IN_L2, -1);
    } else if (!orr__region_rows(c->r) && pays(c)) {
        prefetch(c, from, to, ORR__T_AHEAD, IN_L2, -1);
        prefetch(c, from, to, ORR__T_AHEAD / 4, IN_L1, -1);
    } else if (!orr__region_rows(c->r)) {
        prefetch(c, from, to, ORR__T_AHEAD, IN_L1, -1);
    } else if (row >= 0) {
        orr__nest_set(c->n, "const orr_idx next = i%d + 1, i%d = next", row, row);
        prefetch(c, from, to, 0, IN_L1, row);
    }
    orr__nest_close(c->n, 1);
    if (*mark && !(*mark)->body) /* the loop reads nothing in order */
        (void)orr__nest_take(c->n, mark);
}

void orr__cloop_prefetch_rows(const orr__cloop *c, const char *from, const char *to, int d, int rows)
{
    (void)orr__nest_if(c->n, "W(%d) >= %d", ORR__CLOOP_REACH_AT, ORR__CLOOP_FAR);
    (void)orr__cloop_along(c, ORR__LOOP_STEPS, d, orr__nest_say(c->n, "p + %d", rows),
                           orr__nest_say(c->n, "p + %d", 2 * rows));
    prefetch(c, from, to, 0, IN_L1, d);
    orr__nest_close(c->n, 2);
}

/* A block that may be computed twice stays in its small array until it is final: an output may share the memory of an input. */
void orr__cloop_stream_block(const orr__cloop *c)
{
    const orr__region *r = c->r;
    bool waits = c->pitched || orr__cloop_has_near(c);
    for (int k = 0; k < r->nout; k++)
        orr__nest_address(c->n, orr__emit_storage((orr_dtype)r->out_dtype[k]), orr__cloop_name(c, "to", k),
                          waits ? line(c, k) : orr__nest_say(c->n, "past%d ? %s : %s", k, line(c, k), place(c, k)));
}

void orr__cloop_stream_stores(const orr__cloop *c)
{
    for (int k = 0; k < c->r->nout; k++)
        orr__cloop_output_register(c, k, orr__cloop_name(c, "to", k), orr__nest_say(c->n, "i%d - q", c->r->rank - 1));
}

void orr__cloop_stream_pass(const orr__cloop *c, const char *to)
{
    const orr__region *r = c->r;
    bool waits = orr__cloop_has_near(c);
    for (int k = 0; k < r->nout; k++) {
        int size = (int)orr_dtype_size((orr_dtype)r->out_dtype[k]);
        if (c->pitched) {
            orr__cloop_join_rows(c, k, to);
            continue;
        }
        const char *from = orr__nest_say(c->n, "%s, %s, (%s - q) * %d", place(c, k), line(c, k), to, size);
        (void)orr__nest_if(c->n, "past%d", k);
        orr__nest_copy(c->n, k, "orr_past(%s)", from);
        if (waits) {
            orr__nest_else(c->n);
            orr__nest_copy(c->n, k, "__builtin_memcpy(%s)", from);
        }
        orr__nest_close(c->n, 1);
    }
}

void orr__cloop_stream_end(const orr__cloop *c)
{
    (void)orr__nest_if(c->n, "W(%d) == %d", ORR__CLOOP_REACH_AT, ORR__CLOOP_PAST);
    orr__nest_set(c->n, "orr_passed()");
    orr__nest_close(c->n, 1);
}
