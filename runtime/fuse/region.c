/* Regions as data: merging of axes, key, label, cost; checks, printing, freeing.
 * Must not know: how nodes were grouped, how a kernel computes. */
#include "config.h"

#include <stdlib.h>
#include "ops/ops.h"
#include "runtime/base/decimal.h"
#include "runtime/base/hash.h"
#include "runtime/fuse/group.h"

static const char *const rop_name[] = { "sum", "prod", "max", "min", "any", "all" };

void orr__region_blocks(orr__region *r, void (*f)(void *block, void *arg), void *arg)
{
    f(r->instr, arg);
    f(r->access, arg);
    f(r->in, arg);
    f(r->in_dtype, arg);
    f(r->in_count, arg);
    f(r->call.in, arg);
    if (r->epilogue)
        orr__region_blocks(r->epilogue, f, arg);
    f(r->epilogue, arg);
}

static void free_block(void *block, void *unused)
{
    (void)unused;
    free(block);
}

void orr__region_free(orr__region *r)
{
    orr__region_blocks(r, free_block, NULL);
    memset(r, 0, sizeof *r);
}

static void *copy(const void *from, size_t size)
{
    void *to = malloc(size ? size : 1);
    if (to && size)
        memcpy(to, from, size);
    return to;
}

orr__region *orr__region_copy(const orr__region *r)
{
    orr__region *c = copy(r, sizeof *r);
    if (!c)
        return NULL;
    c->epilogue = NULL;
    c->instr = copy(r->instr, (size_t)r->ninstr * sizeof *r->instr);
    c->access = copy(r->access, (size_t)r->naccess * sizeof *r->access);
    c->in = copy(r->in, (size_t)r->nin * sizeof *r->in);
    c->in_dtype = copy(r->in_dtype, (size_t)r->nin);
    c->in_count = copy(r->in_count, (size_t)r->nin * sizeof *r->in_count);
    c->call.in = r->call.op ? copy(r->call.in, (size_t)r->call.nin * sizeof *r->call.in) : NULL;
    if (c->instr && c->access && c->in && c->in_dtype && c->in_count && (c->call.in || !r->call.op))
        return c;
    orr__region_free(c);
    free(c);
    return NULL;
}

static uint32_t without_bit(uint32_t mask, int d)
{
    return (mask & ((1u << d) - 1)) | mask >> (d + 1) << d;
}

static void remove_axis(orr__region *r, int d)
{
    r->rmask = without_bit(r->rmask, d);
    r->rank--;
    for (int k = d; k < r->rank; k++)
        r->dim[k] = r->dim[k + 1];
    for (int i = 0; i < r->naccess; i++) {
        orr__access *a = &r->access[i];
        for (int k = d; k < r->rank; k++) {
            a->stride[k] = a->stride[k + 1];
            a->lo[k] = a->lo[k + 1];
            a->hi[k] = a->hi[k + 1];
        }
        a->stride[r->rank] = a->lo[r->rank] = a->hi[r->rank] = 0;
        a->box = without_bit(a->box, d);
    }
}

static bool reduced(const orr__region *r, int d)
{
    return r->rmask >> d & 1u;
}

/* True if an access has a box along axis d. */
static bool boxed(const orr__region *r, int d)
{
    bool any = false;
    for (int i = 0; i < r->naccess; i++)
        any = any || (r->access[i].box >> d & 1u);
    return any;
}

/* True if axes d and d + 1 can be one longer axis. A box contains rows of axis d + 1 as a whole or not at all. */
static bool mergeable(const orr__region *r, int d)
{
    if (reduced(r, d) != reduced(r, d + 1) || boxed(r, d + 1))
        return false;
    for (int i = 0; i < r->naccess; i++) {
        const int64_t *s = r->access[i].stride;
        if (s[d] != s[d + 1] * r->dim[d + 1])
            return false;
    }
    return true;
}

static void merge_boxes(orr__region *r, int d)
{
    for (int i = 0; i < r->naccess; i++) {
        orr__access *a = &r->access[i];
        if (a->box >> d & 1u) {
            a->box |= 1u << (d + 1);
            a->lo[d + 1] = a->lo[d] * r->dim[d + 1];
            a->hi[d + 1] = a->hi[d] * r->dim[d + 1];
        }
    }
}

/* Merges axes, so that kernels have fewer loops and contiguous accesses show as such. The last two axes of a matmul
 * stay. */
static void merge_axes(orr__region *r)
{
    int fixed = r->loops == ORR__LOOPS_PRODUCT ? 3 : orr__region_rows(r) ? 1 : 0, least = fixed ? fixed : 1;
    for (int d = r->rank - 1 - fixed; d >= 0 && r->rank > least; d--)
        if (r->dim[d] == 1 && !boxed(r, d) && (!reduced(r, d) || (r->rmask & (r->rmask - 1))))
            remove_axis(r, d);
    fixed -= r->loops == ORR__LOOPS_PRODUCT; /* batches that share the right factor are rows of one product */
    for (int d = r->rank - 2 - fixed; d >= 0; d--)
        if (mergeable(r, d)) {
            merge_boxes(r, d);
            r->dim[d + 1] *= r->dim[d];
            remove_axis(r, d);
        }
}

static void moved(int64_t *of, int from, int to)
{
    int64_t x = of[from];
    for (int step = from < to ? 1 : -1, k = from; k != to; k += step)
        of[k] = of[k + step];
    of[to] = x;
}

static uint32_t moved_bit(uint32_t mask, int from, int to)
{
    uint32_t rest = without_bit(mask, from), below = (1u << to) - 1;
    return (rest & below) | (rest & ~below) << 1 | (mask >> from & 1u) << to;
}

/* The axes between take one place each. */
static void move_axis(orr__region *r, int from, int to)
{
    moved(r->dim, from, to);
    r->rmask = moved_bit(r->rmask, from, to);
    for (int i = 0; i < r->naccess; i++) {
        orr__access *a = &r->access[i];
        moved(a->stride, from, to);
        moved(a->lo, from, to);
        moved(a->hi, from, to);
        a->box = moved_bit(a->box, from, to);
    }
}

/* Inputs that are contiguous along axis d. */
static int contiguous(const orr__region *r, int d)
{
    int n = 0;
    for (int i = 0; i < r->naccess; i++)
        n += r->access[i].input >= 0 && (r->access[i].stride[d] == 1 || r->access[i].stride[d] == -1);
    return n;
}

/* Moves the folded axis along which most inputs are contiguous to the end, if fewer are so along the last axis, which is kept: rows are folded,
 * instead of columns of transposed inputs. */
static void end_with_folded(orr__region *r)
{
    int last = r->rank - 1, best = last;
    for (int d = 0; d < last && !reduced(r, last); d++)
        best = reduced(r, d) && contiguous(r, d) > contiguous(r, best) ? d : best;
    if (best != last)
        move_axis(r, best, last);
}

/* Moves a kept axis to the front, from which tiles are cut, if the first and the last axis are folded and the first kept axis is longer
 * than the first one. Its tiles need no partial results, and each fold keeps its order. */
static void lead_with_kept(orr__region *r)
{
    int d = 0;
    if (r->search || !reduced(r, 0) || !reduced(r, r->rank - 1))
        return;
    while (d < r->rank && reduced(r, d))
        d++;
    if (d < r->rank && r->dim[d] > r->dim[0])
        move_axis(r, d, 0);
}

/* The kind of stride that a kernel depends on: 0 broadcast, 1 contiguous, 2 any other stride. */
static uint8_t stride_class(int64_t s)
{
    return s == 0 ? 0 : s == 1 ? 1 : 2;
}

/* The key is equal in every process: performance models are stored under it. */
static uint64_t key_of_call(const orr__region *r)
{
    int32_t head[4] = { ORR__OP_EW, r->call.op->version, r->nin, r->out_dtype[0] };
    uint64_t h = orr__hash(head, sizeof head, 0x0ea57);
    h = orr__hash(r->in_dtype, (size_t)r->nin, h);
    return orr__hash(r->call.op->name, strlen(r->call.op->name), h);
}

static uint64_t key_of(const orr__region *r)
{
    if (r->call.op)
        return key_of_call(r);
    int32_t head[5] = { orr__region_class(r) | (r->loops == ORR__LOOPS_PER_ROW ? 1 << 8 : 0), r->rank,
                        (int32_t)r->rmask, r->nin, r->nout };
    uint64_t h = orr__hash(head, sizeof head, 0x0ea57);
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        int16_t f[8] = { in->kind, in->dtype, in->op, in->x, in->y, in->z, in->a, 0 };
        h = orr__hash(f, sizeof f, h);
    }
    for (int i = 0; i < r->naccess; i++) {
        uint8_t c[ORR__REGION_RANK + 4] = { (uint8_t)r->access[i].input };
        for (int d = 0; d < r->rank; d++)
            c[d + 1] = stride_class(r->access[i].stride[d]);
        c[ORR__REGION_RANK + 1] = r->access[i].placed;
        c[ORR__REGION_RANK + 2] = (uint8_t)r->access[i].box;
        c[ORR__REGION_RANK + 3] = (uint8_t)(r->access[i].box >> 8);
        h = orr__hash(c, sizeof c, h);
    }
    if (r->nin)
        h = orr__hash(r->in_dtype, (size_t)r->nin, h);
    h = orr__hash(r->out_dtype, (size_t)r->nout, h);
    h = orr__hash(r->rop, (size_t)r->nout * sizeof r->rop[0], h);
    return orr__hash(r->out_reg, (size_t)r->nout * sizeof r->out_reg[0], h);
}

static void append(orr__region *r, const char *word, const char *sep)
{
    size_t n = strlen(r->label), left = sizeof r->label - n;
    if (left > strlen(word) + strlen(sep) + 1)
        snprintf(r->label + n, left, "%s%s", n ? sep : "", word);
}

static void label(orr__region *r, const char *const *as)
{
    const char *last = NULL;
    r->label[0] = '\0';
    for (int k = r->nout - 1; k >= 0 && r->rmask && !r->search; k--)
        append(r, rop_name[r->rop[k]], "+");
    if (r->search)
        append(r, r->rop[0] == ORR__RMAX ? "argmax" : "argmin", "");
    else if (r->call.op || r->loops == ORR__LOOPS_PRODUCT)
        append(r, r->call.op ? r->call.op->name : "matmul", "");
    const char *sep = r->loops == ORR__LOOPS_PRODUCT || !r->rmask ? "+" : " ";
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        const char *word = in->kind == ORR__RI_EW       ? orr__ew(in->op)->op.name
                           : in->kind == ORR__RI_CAST   ? "cast"
                           : in->kind == ORR__RI_RANDOM ? "random"
                           : in->kind == ORR__RI_IOTA   ? "iota"
                           : in->kind == ORR__RI_PLACE  ? "take"
                           : in->kind == ORR__RI_INSIDE ? "part"
                           : in->kind == ORR__RI_FOLD   ? rop_name[in->op]
                                                        : NULL;
        const char *whole = as ? as[i] : NULL;
        word = whole ? (last && !strcmp(last, whole) ? NULL : whole) : word;
        last = whole ? whole : word ? NULL : last;
        if (word) {
            append(r, word, sep);
            sep = "+";
        }
    }
    if (!r->label[0])
        append(r, r->naccess ? "copy" : "fill", "");
}

void orr__region_relabel(orr__region *r, const char *const *as)
{
    label(r, as);
}

void orr__region_finish(orr__region *r)
{
    if (orr__region_loops(r)) {
        merge_axes(r);
        end_with_folded(r);
        lead_with_kept(r);
    }
    label(r, NULL);
    orr__region_cost(r);
    r->key = key_of(r);
}

static void fit(void *array, int n, size_t size)
{
    void *exact = n > 0 ? realloc(*(void **)array, (size_t)n * size) : NULL;
    if (exact)
        *(void **)array = exact;
}

void orr__region_fit(orr__region *r)
{
    fit(&r->instr, r->ninstr, sizeof *r->instr);
    fit(&r->access, r->naccess, sizeof *r->access);
    fit(&r->in, r->nin, sizeof *r->in);
    fit(&r->in_dtype, r->nin, sizeof *r->in_dtype);
    fit(&r->in_count, r->nin, sizeof *r->in_count);
}

/* 1 if the access does not move along the last axis, a matmul's k. Work on the product is done for k = 0 too. */
static int along_k(const orr__region *r, const orr__access *a)
{
    return r->loops == ORR__LOOPS_PRODUCT && a - r->access >= 2;
}

/* True if the access stays inside its input for every iteration. */
static bool in_bounds(const orr__region *r, const orr__access *a)
{
    int64_t lo = a->offset, hi = a->offset;
    int axes = r->rank - along_k(r, a);
    for (int d = 0; d < axes; d++) {
        bool part = a->box >> d & 1u;
        int64_t n = part ? a->hi[d] - a->lo[d] : r->dim[d];
        if (n <= 0)
            return true;
        lo += part ? a->stride[d] * a->lo[d] : 0;
        hi += part ? a->stride[d] * a->lo[d] : 0;
        int64_t reach = a->stride[d] * (n - 1);
        if (reach < 0)
            lo += reach;
        else
            hi += reach;
    }
    return a->input < 0 || (lo >= 0 && hi < r->in_count[a->input]);
}

/* True if a gathered read stays inside its input for every place. */
static bool places_in_bounds(const orr__region *r, const orr__rinstr *in)
{
    if (in->kind != ORR__RI_GATHER)
        return true;
    const orr__rinstr *place = &r->instr[in->x];
    if (place->kind != ORR__RI_PLACE || !r->access[in->a].placed)
        return false;
    int64_t most = r->access[place->a].by - 1;
    orr__access first = r->access[in->a], last = first;
    last.offset += last.by * most;
    return most < 0 || (in_bounds(r, &first) && in_bounds(r, &last));
}

static const char *check(const orr__region *r)
{
    if (r->rank < 1 || r->rank > ORR__REGION_RANK || r->nout < 1 || r->nout > ORR__REGION_OUTS)
        return "rank or number of outputs";
    if (r->search && (!r->rmask || r->nout != 1))
        return "a search without an axis, or with several outputs";
    if ((r->call.op != NULL) + (r->loops == ORR__LOOPS_PRODUCT) + (r->rmask != 0) > 1)
        return "a fold, a product and a kernel in one";
    for (int i = 0; i < r->naccess; i++) {
        if (r->access[i].input >= r->nin)
            return "an access to no input";
        if (!r->access[i].placed && !in_bounds(r, &r->access[i]))
            return "an access leaves its input";
        if (r->access[i].box && (r->access[i].placed || r->loops == ORR__LOOPS_PRODUCT))
            return "a part of what is not read as it is";
    }
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        if (in->x >= i || in->y >= i || in->z >= i || in->a >= r->naccess)
            return "an instruction uses what is not there yet";
        if (!places_in_bounds(r, in))
            return "a gathered read leaves its input";
    }
    for (int i = 0; i < r->ninstr; i++) {
        if ((r->instr[i].kind == ORR__RI_PRODUCT) != (r->loops == ORR__LOOPS_PRODUCT && i == 0))
            return "a product out of its place";
        if (r->instr[i].kind == ORR__RI_FOLD && !orr__region_rows(r))
            return "a row's fold outside of rows";
    }
    if (orr__region_loops(r) && (r->loops != ORR__LOOPS_PRODUCT || r->ninstr))
        for (int k = 0; k < r->nout; k++)
            if (r->out_reg[k] < 0 || r->out_reg[k] >= r->ninstr)
                return "an output without a register";
    return NULL;
}

orr_status orr__regions_verify(const orr__capture *p, const orr__regions *rs)
{
    for (int i = 0; i < rs->n; i++) {
        const orr__region *r = &rs->region[i];
        const char *why = check(r);
        for (int k = 0; !why && k < r->nin; k++)
            if (r->in[k] < 0 || r->in[k] >= p->n)
                why = "an input that is not computed before";
        if (why)
            return orr__fail(orr__region_site(r), ORR_EINTERNAL, "region %d: %s", i, why);
    }
    return ORR_OK;
}

void orr__regions_free(orr__regions *rs)
{
    for (int i = 0; i < rs->n; i++)
        orr__region_free(&rs->region[i]);
    free(rs->region);
    free(rs->home);
    for (int i = 0; i < rs->nreason; i++)
        free(rs->reason[i]);
    free(rs->reason);
    memset(rs, 0, sizeof *rs);
}

/* Prints access k, with its box and its place. */
static void print_access(FILE *to, const orr__region *r, int k)
{
    const orr__access *a = &r->access[k];
    fprintf(to, "      a%d: in%d[%lld", k, a->input, (long long)a->offset);
    for (int d = 0; d < r->rank; d++)
        fprintf(to, " + %lld·i%d", (long long)a->stride[d], d);
    fprintf(to, "]");
    for (int d = 0; d < r->rank; d++)
        if (a->box >> d & 1u)
            fprintf(to, " %lld ≤ i%d < %lld", (long long)a->lo[d], d, (long long)a->hi[d]);
    if (a->placed)
        fprintf(to, a->input < 0 ? " of %lld places" : " + %lld·place", (long long)a->by);
    fputc('\n', to);
}

void orr__region_print_instr(FILE *to, const orr__region *r, int i)
{
    const orr__rinstr *in = &r->instr[i];
    const char *dt = orr_dtype_name((orr_dtype)in->dtype);
    switch (in->kind) {
    case ORR__RI_LOAD: fprintf(to, "r%d = load in%d @a%d : %s", i, r->access[in->a].input, in->a, dt); return;
    case ORR__RI_SCALAR: fprintf(to, "r%d = scalar s%d : %s", i, in->slot, dt); return;
    case ORR__RI_IOTA: fprintf(to, "r%d = iota @a%d s%d : %s", i, in->a, in->slot, dt); return;
    case ORR__RI_RANDOM: fprintf(to, "r%d = random @a%d s%d : %s", i, in->a, in->slot, dt); return;
    case ORR__RI_FOLD: fprintf(to, "r%d = %s of the row of r%d : %s", i, rop_name[in->op], in->x, dt); return;
    case ORR__RI_INSIDE: fprintf(to, "r%d = inside @a%d : %s", i, in->a, dt); return;
    case ORR__RI_PLACE: fprintf(to, "r%d = place of r%d @a%d : %s", i, in->x, in->a, dt); return;
    case ORR__RI_GATHER:
        fprintf(to, "r%d = gather in%d @a%d r%d : %s", i, r->access[in->a].input, in->a, in->x, dt);
        return;
    case ORR__RI_CAST: fprintf(to, "r%d = cast r%d : %s", i, in->x, dt); return;
    case ORR__RI_PRODUCT: fprintf(to, "r%d = the product : %s", i, dt); return;
    default: break;
    }
    fprintf(to, "r%d = %s r%d", i, orr__ew(in->op)->op.name, in->x);
    if (in->y >= 0)
        fprintf(to, " r%d", in->y);
    if (in->z >= 0)
        fprintf(to, " r%d", in->z);
    fprintf(to, " : %s", dt);
}

static const char *kind_name(const orr__region *r)
{
#define LOOPS(name, text) text,
    static const char *const of_loops[] = { ORR__LOOPS(LOOPS) };
#undef LOOPS
    return r->call.op ? "kernel" : r->search ? "search" : r->rmask ? "fold" : of_loops[r->loops];
}

static void print_region(FILE *to, const orr__region *r, int i)
{
    fprintf(to, "  region %d: %s \"%s\" over (", i, kind_name(r), r->label);
    for (int d = 0; d < r->rank; d++)
        fprintf(to, "%s%lld%s", d ? ", " : "", (long long)r->dim[d], reduced(r, d) ? "r" : "");
    fprintf(to, ") ->");
    for (int k = 0; k < r->nout; k++)
        fprintf(to, " %%%d", r->out[k]);
    fprintf(to, " from");
    for (int k = 0; k < r->nin; k++)
        fprintf(to, " %%%d", r->in[k]);
    fprintf(to, "   %.3g flop, %.3g bytes, key %016llx\n", r->flops, r->bytes, (unsigned long long)r->key);
    for (int k = 0; k < r->naccess; k++)
        print_access(to, r, k);
    for (int k = 0; k < r->ninstr; k++) {
        fputs("      ", to);
        orr__region_print_instr(to, r, k);
        fputc('\n', to);
    }
}

void orr__regions_print(FILE *to, const orr__regions *rs)
{
    ORR__WITH_POINT;
    fprintf(to, "fuse: %d region%s\n", rs->n, rs->n == 1 ? "" : "s");
    for (int i = 0; i < rs->n; i++)
        print_region(to, &rs->region[i], i);
    for (int i = 0; i < rs->nreason; i++)
        fprintf(to, "  not fused: %s\n", rs->reason[i]);
}
