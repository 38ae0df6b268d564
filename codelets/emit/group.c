/* Kernels in which the items of a group fold together: the share of each item, and the tree that joins the shares.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/span.h"
#include "codelets/emit/call.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

/* Sums in the values' own precision are compensated for rounding, as the host's are. */
static bool compensated(const orr__region *r, bool fp64)
{
    orr_dtype t = (orr_dtype)r->instr[r->out_reg[0]].dtype;
    return !r->search && r->rop[0] == ORR__RSUM && orr__is_float(t) && (t == ORR_F64 || !fp64);
}

/* -- functions: orr_first, orr_step, orr_join, each with the fold's number ------------------------------------------ */

static void unpack(orr__text *t, const orr__region *r, const char *from, bool fp64)
{
    orr__text_addf(t, "    %s fold = %s.fold;\n", orr__emit_type(orr__emit_fold_dtype(r, fp64)), from);
    if (r->search)
        orr__text_addf(t, "    orr_i64 where = %s.where;\n", from);
    if (compensated(r, fp64))
        orr__text_addf(t, "    %s plain = %s.plain, lost = %s.lost;\n", orr__emit_type(orr__emit_fold_dtype(r, fp64)),
                       from, from);
}

static void pack(orr__text *t, const orr__region *r, bool fp64)
{
    orr__text_add(t, "    a.fold = fold;\n");
    if (r->search)
        orr__text_add(t, "    a.where = where;\n");
    if (compensated(r, fp64))
        orr__text_add(t, "    a.plain = plain;\n    a.lost = lost;\n");
    orr__text_add(t, "    return a;\n}\n");
}

/* Of equal values the first place, in whichever order they were found. */
static void join_arg(orr__text *t, const orr__region *r)
{
    char sign = r->rop[0] == ORR__RMAX ? '>' : '<';
    bool nan = orr__is_float((orr_dtype)r->instr[r->out_reg[0]].dtype);
    orr__text_addf(t, "    const int more = b.fold %c a.fold%s;\n", sign,
                   nan ? " || (b.fold != b.fold && a.fold == a.fold)" : "");
    orr__text_addf(t, "    const int less = a.fold %c b.fold%s;\n", sign,
                   nan ? " || (a.fold != a.fold && b.fold == b.fold)" : "");
    orr__text_add(t, "    if (b.where < 0)\n        return a;\n    if (a.where < 0)\n        return b;\n"
                     "    return more || (!less && b.where < a.where) ? b : a;\n}\n");
}

/* The errors of both sums are kept, and the error of adding them (Knuth). */
static void join_compensated(orr__text *t, const char *type)
{
    orr__text_addf(t,
                   "    const %s sum = a.fold + b.fold, part = sum - a.fold;\n"
                   "    const %s error = (a.fold - (sum - part)) + (b.fold - part);\n"
                   "    a.lost = a.lost + b.lost - error;\n    a.fold = sum;\n    a.plain = a.plain + b.plain;\n"
                   "    return a;\n}\n",
                   type, type);
}

static void step_compensated(orr__text *t, const char *type, int reg)
{
    orr__text_addf(t,
                   "    const %s add = r%d - lost, next = fold + add;\n"
                   "    lost = (next - fold) - add;\n    fold = next;\n    plain += r%d;\n",
                   type, reg, reg);
}

static void functions_of(orr__text *t, const orr__region *r, int n, bool fp64)
{
    const char *wide = orr__emit_type(orr__emit_fold_dtype(r, fp64));
    const char *value = orr__emit_type((orr_dtype)r->instr[r->out_reg[0]].dtype);
    bool arg = r->search, exact = compensated(r, fp64);
    orr__text_addf(t, "typedef struct { %s fold%s;%s } orr_acc%d;\n", wide, exact ? ", plain, lost" : "",
                   arg ? " orr_i64 where;" : "", n);
    orr__text_addf(t, "ORR_FN orr_acc%d orr_first%d(void)\n{\n    orr_acc%d a;\n", n, n, n);
    orr__emit_fold_begin(t, r, fp64);
    if (exact)
        orr__text_addf(t, "    const %s plain = 0, lost = 0;\n", wide);
    pack(t, r, fp64);
    orr__text_addf(t, "ORR_FN orr_acc%d orr_step%d(orr_acc%d a, %s r%d%s)\n{\n", n, n, n, value, r->out_reg[0],
                   arg ? ", orr_i64 at" : "");
    unpack(t, r, "a", fp64);
    if (exact)
        step_compensated(t, wide, r->out_reg[0]);
    else
        orr__emit_fold_step(t, r, fp64);
    pack(t, r, fp64);
    orr__text_addf(t, "ORR_FN orr_acc%d orr_join%d(orr_acc%d a, orr_acc%d b)\n{\n", n, n, n, n);
    if (arg) {
        join_arg(t, r);
    } else if (exact) {
        join_compensated(t, wide);
    } else {
        unpack(t, r, "a", fp64);
        orr__text_addf(t, "    const %s r%d = b.fold;\n", wide, r->out_reg[0]);
        orr__emit_fold_step(t, r, fp64);
        pack(t, r, fp64);
    }
}

static void members(orr__text *t, const orr__region *r)
{
    for (int n = 0; n < r->ninstr + r->nout; n++)
        if (orr__emit_folds(r, n))
            orr__text_addf(t, "    orr_acc%d a%d;\n", n, n);
}

void orr__emit_group_functions(orr__text *t, const orr__region *r, bool fp64)
{
    for (int n = 0; n < r->ninstr + r->nout; n++)
        if (orr__emit_folds(r, n)) {
            orr__region fold = orr__emit_fold_of(r, n);
            functions_of(t, &fold, n, fp64);
        }
    orr__text_add(t, "typedef union {\n");
    members(t, r);
    orr__text_add(t, "} orr_share;\n");
    if (orr__region_rows(r))
        return;
    orr__text_add(t, "typedef struct {\n");
    members(t, r);
    orr__text_add(t, "} orr_part;\n");
}

/* -- inside the kernel ------------------------------------------------------------------------------------------ */

/* `line`: the element. Items beyond the last element compute it again and do not store it (`live`). `lane`: the number of this item among
 * those that fold the element. `hop`: items from one lane to the next. `home`: lane 0's item. */
void orr__emit_group_begin(orr__text *t, const orr__dialect *d, const orr__layout *l)
{
    orr__text_addf(t, "#define ORR_BLOCKS W(%d)\n", l->group_at + ORR__GROUP_BLOCKS);
    orr__text_addf(t, "    %sorr_share share[%d];\n%s", d->share, d->group, d->seat);
    orr__text_addf(t, "    const int shape = (int)W(%d), across = shape >> 4, lanes = 1 << (shape & 15);\n",
                   l->group_at + ORR__GROUP_SHAPE);
    orr__text_addf(t, "    const int width = %d >> (shape & 15), hop = across ? width : 1;\n", d->group);
    orr__text_addf(t, "    const int parts = (int)W(%d), part = (int)(block & ((1 << parts) - 1));\n    (void)part;\n",
                   l->group_at + ORR__GROUP_PARTS);
    orr__text_add(t, "    const int seat = across ? me & (width - 1) : me >> (shape & 15);\n"
                     "    const int lane = across ? me / width : me & (lanes - 1);\n"
                     "    const int home = across ? seat : me - lane;\n"
                     "    const orr_idx line_ = (block >> parts) * width + seat;\n"
                     "    const int live = line_ < (orr_idx)W(0);\n"
                     "    const orr_idx line = live ? line_ : (orr_idx)W(0) - 1;\n");
}

void orr__emit_group_join(orr__text *t, const orr__region *fold, int n, bool fp64)
{
    orr__text_addf(t,
                   "    share[me].a%d = acc%d;\n    for (int k = lanes >> 1; k > 0; k >>= 1) {\n        ORR_BARRIER;\n"
                   "        if (lane < k)\n"
                   "            share[me].a%d = orr_join%d(share[me].a%d, share[me + k * hop].a%d);\n    }\n"
                   "    ORR_BARRIER;\n    acc%d = share[home].a%d;\n    ORR_BARRIER;\n",
                   n, n, n, n, n, n, n, n);
    const char *wide = orr__emit_type(orr__emit_fold_dtype(fold, fp64));
    /* The compensation of an infinite sum is NaN; the plain sum is then correct. */
    if (fold->search)
        orr__text_addf(t, "    const orr_i64 fold%d = acc%d.where < 0 ? 0 : acc%d.where;\n", n, n, n);
    else if (compensated(fold, fp64))
        orr__text_addf(t,
                       "    const %s sum%d = acc%d.fold - acc%d.lost;\n"
                       "    const %s fold%d = sum%d == sum%d ? sum%d : acc%d.plain;\n",
                       wide, n, n, n, wide, n, n, n, n, n);
    else
        orr__text_addf(t, "    const %s fold%d = acc%d.fold;\n", wide, n, n);
}

/* -- how a launch is laid out -------------------------------------------------------------------------------------- */

/* Values that are adjacent in memory go to neighbouring items, so that the device coalesces the reads: values of one element or, if the
 * last axis is kept, of neighbouring elements. The shape depends on the region's sizes only, not on the range of the launch: the order of
 * additions is the same for any tiling that leaves folded axes whole. */
/* The logarithm of the items of the largest group; values of f32 that are an item's loads. */
enum { WHOLE = 10, FILLED = ORR__T_DEVICE_FLIGHT / 4 }; /* limit of the machine */

static int64_t shape_of(const orr__region *r, const orr__layout *l, int64_t count)
{
    int group = l->group;
    int last = r->rank - 1, log = 0, most = group;
    while (last > 0 && r->dim[last] == 1 && !orr__region_rows(r))
        last--;
    bool across = !orr__region_rows(r) && !(r->rmask >> last & 1u);
    if (l->alone)
        return 0;
    if (across) {
        int64_t side = 1;
        while (side < ORR__EMIT_WARP && side < r->out_count)
            side *= 2;
        most = (int)(group / side);
    }
    while ((2 << log) <= most && count >> (log + 1) >= ORR__MAX(4, l->span) &&
           !(across && r->out_count << log >= ORR__T_DEVICE_GROUPS * ORR__EMIT_WARP))
        log++;
    return log + (across ? 16 : 0);
}

void orr__emit_group_words(const orr__launch *l, const orr__layout *lay, int64_t *word)
{
    const orr__region *r = l->region;
    int64_t count = 1, *g = word + lay->group_at;
    for (int d = 0; d < r->rank; d++)
        if (orr__region_rows(r) ? d == r->rank - 1 : (r->rmask >> d & 1u) != 0)
            count *= d == 0 ? l->hi - l->lo : r->dim[d];
    if (orr__region_rows(r))
        word[0] = count > 0 ? word[0] / count : 0;
    g[ORR__GROUP_COUNT] = count;
    g[ORR__GROUP_SHAPE] = shape_of(r, lay, count);
    int64_t width = lay->group >> (g[ORR__GROUP_SHAPE] & 15);
    int64_t blocks = (word[0] + width - 1) / width, whole = (r->out_count + width - 1) / width;
    int parts = 0, lanes = (int)(g[ORR__GROUP_SHAPE] & 15);
    int64_t least = lay->alone || lay->group == 1 ? FILLED << WHOLE : FILLED << lanes;
    while (lay->scratch && whole << (parts + 1) <= ORR__T_DEVICE_GROUPS && count >> (parts + 1) >= least)
        parts++;
    g[ORR__GROUP_BLOCKS] = blocks << parts;
    g[ORR__GROUP_PARTS] = parts;
    g[ORR__GROUP_STAGE] = parts > 0;
}

size_t orr__emit_scratch(const orr__launch *launch, const orr__layout *l, const int64_t *word)
{
    const orr__emit_call *call = orr__emit_call_of(launch->region);
    if (call)
        return call->scratch ? call->scratch(launch) : 0;
    if (!l->scratch || word[l->group_at + ORR__GROUP_STAGE] == 0)
        return 0;
    return ((size_t)word[0] << word[l->group_at + ORR__GROUP_PARTS]) * (size_t)l->scratch;
}

/* Parts are adjacent, so that items along them read neighbours. */
static void second_stage(const orr__layout *l, int64_t *word)
{
    int64_t *g = word + l->group_at;
    int log = 0;
    g[ORR__GROUP_COUNT] = (int64_t)1 << g[ORR__GROUP_PARTS];
    g[ORR__GROUP_PARTS] = 0;
    g[ORR__GROUP_STAGE] = 2;
    while (!l->alone && 2 << log <= l->group && 2 << log <= g[ORR__GROUP_COUNT])
        log++;
    g[ORR__GROUP_SHAPE] = log;
    int64_t width = l->group >> log;
    g[ORR__GROUP_BLOCKS] = (word[0] + width - 1) / width;
}

bool orr__emit_next(const orr__launch *launch, const orr__layout *l, int64_t *word)
{
    const orr__emit_call *call = orr__emit_call_of(launch->region);
    if (call)
        return call->next && call->next(launch, word);
    if (!l->scratch || word[l->group_at + ORR__GROUP_STAGE] != 1)
        return false;
    second_stage(l, word);
    return true;
}
