/* Outputs of more data than caches hold are stored past the caches.
 * Must not know: the meaning of instructions.
 *
 * A store to a line that is in no cache reads the line first; for a large output this is a third of the traffic and useless. The innermost
 * loop therefore writes a block of the output into a small array, and non-temporal stores copy it to its destination (Intel 64 and IA-32
 * Architectures Optimization Reference Manual, "Non-temporal store bus traffic"). Only whole lines are stored so: memory is written by lines, and a
 * part of one costs a transfer of its own. Small outputs are stored normally: their reader finds them in a cache. */
#include "config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"

static const char past_text[] =
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
    "    char *t = to;\n    const char *f = from;\n    orr_idx k = -(orr_i64)t & 63;\n"
    "    k = k < n ? k : n;\n    if (k)\n        __builtin_memcpy(t, f, k);\n"
    "    for (; k + 64 <= n; k += 64)\n"
    "        for (orr_idx j = k; j < k + 64; j += sizeof(orr_line)) {\n"
    "            orr_line x;\n            __builtin_memcpy(&x, f + j, sizeof x);\n"
    "            ORR_PAST(t + j, x);\n        }\n"
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

int64_t orr__cloop_bytes(const orr__region *r)
{
    int64_t points = 1, cells = 1, bytes = 0;
    for (int d = 0; d < r->rank; d++) {
        points *= r->dim[d];
        cells *= (r->rmask >> d & 1u) || (r->loops == ORR__LOOPS_PER_ROW && d == r->rank - 1) ? 1 : r->dim[d];
    }
    if (points < ORR__T_CORE_CACHES / ORR__CACHE_LINE || orr__ablated(ORR__OFF_STREAMING))
        return 0;
    for (int k = 0; k < r->nout; k++)
        bytes += cells * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[k]);
    int64_t leads = orr__cloop_leads(r);
    bool tiled = orr__cloop_may_tile(r) >= 0; /* each element is read once */
    for (int a = 0; a < r->naccess; a++)
        if (r->access[a].input >= 0 &&
            (r->access[a].stride[r->rank - 1] == 1 || (tiled && r->access[a].stride[r->rank - 1] != 0)) &&
            (a >= ORR__CLOOP_LEADS || leads >> a & 1))
            bytes += points * (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[r->access[a].input]);
    return bytes;
}

int64_t orr__cloop_reach(const orr__launch *l)
{
    const orr__region *r = l->region;
    int64_t bytes = orr__cloop_bytes(r);
    if (!bytes)
        return ORR__CLOOP_NEAR;
    int64_t share = bytes / r->dim[0] * (l->hi - l->lo);
    if (share >= ORR__T_CORE_CACHES)
        return bytes >= large() ? ORR__CLOOP_PAST : ORR__CLOOP_FAR;
    return bytes < ORR__T_CORE_CACHES || orr__cloop_side(r) >= 0 ? ORR__CLOOP_NEAR : ORR__CLOOP_FAR;
}

int64_t orr__cloop_most_reach(const orr__cloop *c)
{
    return orr__cloop_reach(&(orr__launch){ .region = c->r, .hi = c->r->dim[0] });
}

void orr__cloop_past_functions(const orr__cloop *c, orr__text *t)
{
    if (orr__region_is_map(c->r) && (c->side < 0 ? c->r->loops != ORR__LOOPS_PER_ROW : orr__cloop_goes_past(c)))
        orr__text_add(t, past_text);
}

/* True if the work is so small that reading the line of the output dominates. Otherwise an additional store that waits costs more.
 * Rows have computed their values before. */
bool orr__cloop_pays(const orr__cloop *c)
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
void orr__cloop_past_begin(const orr__cloop *c, int elements)
{
    const orr__region *r = c->r;
    bool past = (orr__cloop_pays(c) || c->side >= 0) && !c->pitched;
    for (int k = 0; k < r->nout; k++) {
        const char *apart = "";
        orr__nest_array(c->n, 0, orr__emit_storage((orr_dtype)r->out_dtype[k]), line(c, k),
                        orr__nest_say(c->n, "%d", elements + (c->pitched ? ORR__CACHE_LINE : 0)));
        for (int i = 0; i < r->nin; i++)
            apart = orr__nest_say(c->n, "%s && (const void *)out%d != in%d", apart, k, i);
        orr__nest_set(c->n, "const int past%d = %s && W(%d) == %d%s", k, past ? "ORR_PASSES" : "0", ORR__CLOOP_REACH_AT,
                      ORR__CLOOP_PAST, apart);
    }
}

/* A block that may be computed twice stays in its small array until it is final: an output may share the memory of an input. */
void orr__cloop_past_block(const orr__cloop *c)
{
    const orr__region *r = c->r;
    bool waits = c->pitched || orr__cloop_has_near(c);
    for (int k = 0; k < r->nout; k++)
        orr__nest_address(c->n, orr__emit_storage((orr_dtype)r->out_dtype[k]), orr__cloop_name(c, "to", k),
                          waits ? line(c, k) : orr__nest_say(c->n, "past%d ? %s : %s", k, line(c, k), place(c, k)));
}

void orr__cloop_past_stores(const orr__cloop *c)
{
    for (int k = 0; k < c->r->nout; k++)
        orr__cloop_output_register(c, k, orr__cloop_name(c, "to", k), orr__nest_say(c->n, "i%d - q", c->r->rank - 1));
}

void orr__cloop_past_copy(const orr__cloop *c, const char *to)
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
        orr__nest_copy(c->n, "orr_past(%s)", from);
        if (waits) {
            orr__nest_else(c->n);
            orr__nest_copy(c->n, "__builtin_memcpy(%s)", from);
        }
        orr__nest_close(c->n, 1);
    }
}

void orr__cloop_past_end(const orr__cloop *c)
{
    (void)orr__nest_if(c->n, "W(%d) == %d", ORR__CLOOP_REACH_AT, ORR__CLOOP_PAST);
    orr__nest_set(c->n, "orr_passed()");
    orr__nest_close(c->n, 1);
}
