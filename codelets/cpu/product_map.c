/* The epilogue of a matrix product as a separate map, over one batch's rows and columns or over several batches, with
 * the product as an additional input.
 * Must not know: how the product is computed. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/array.h"
#include "runtime/base/held.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product_map.h"
#include "codelets/cpu/call.h"
#include "runtime/base/threshold.h"

struct orr__tail {
    orr__region region; /* dims m, n, or batch…, m, n; some of them merged                  */
    orr__kernel *kernel;
    int *input;  /* the matmul's number of each input except the last, the product   */
    int *access; /* the matmul's number of each access except the last, the product's */
    int kept;
    int out[ORR__REGION_OUTS]; /* the matmul's number of each output                       */
    int64_t m, n;
    int64_t batch; /* elements per place of the first batch axis; 0: the map is over rows and columns only */
};

enum { FEW = 32 }; /* accesses and inputs that need no memory */

static bool keeps(const orr__region *r, int k)
{
    return r->out_reg[k] == 0 && r->out_dtype[k] == r->instr[0].dtype;
}

static orr_status allocate(orr__tail *t, const orr__region *r)
{
    orr__region *x = &t->region;
    size_t ni = (size_t)r->nin + 1, na = (size_t)r->naccess + 1, n = (size_t)r->ninstr + 1;
    t->input = orr__alloc_n(ni, sizeof *t->input);
    t->access = orr__alloc_n(na, sizeof *t->access);
    x->instr = orr__alloc_n(n, sizeof *x->instr);
    x->access = orr__alloc_n(na, sizeof *x->access);
    x->in = orr__alloc_n(ni, sizeof *x->in);
    x->in_dtype = orr__alloc_n(ni, sizeof *x->in_dtype);
    x->in_count = orr__alloc_n(ni, sizeof *x->in_count);
    return t->input && t->access && x->instr && x->access && x->in && x->in_dtype && x->in_count ? ORR_OK : ORR_ENOMEM;
}

static int input(orr__tail *t, const orr__region *r, int i)
{
    orr__region *x = &t->region;
    for (int k = 0; k < x->nin; k++)
        if (t->input[k] == i)
            return k;
    t->input[x->nin] = i;
    x->in[x->nin] = r->in[i];
    x->in_dtype[x->nin] = r->in_dtype[i];
    x->in_count[x->nin] = r->in_count[i];
    return x->nin++;
}

/* Access a of the matmul; its axes m and n are those of the map. */
static int access(orr__tail *t, const orr__region *r, int a)
{
    orr__region *x = &t->region;
    const orr__access *from = &r->access[a];
    for (int k = 0; k < x->naccess; k++)
        if (t->access[k] == a)
            return k;
    t->access[x->naccess] = a;
    orr__access *to = &x->access[x->naccess];
    *to = *from;
    to->input = from->input < 0 ? -1 : input(t, r, from->input);
    memset(to->stride, 0, sizeof to->stride);
    for (int d = 0; d < x->rank; d++)
        to->stride[d] = from->stride[r->rank - 1 - x->rank + d];
    return x->naccess++;
}

/* f16 and bf16 products are read as they are multiplied, in f32, and rounded in the map's first instruction. */
static void instructions(orr__tail *t, const orr__region *r)
{
    orr__region *x = &t->region;
    orr_dtype made = (orr_dtype)r->instr[0].dtype, takes = t->kept < 0 ? orr__compute_dtype(made) : made;
    int16_t more = takes != made; /* registers before the matmul's register 0 */
    for (int i = 0; i < r->ninstr; i++) {
        orr__rinstr in = r->instr[i];
        in.x = (int16_t)(in.x < 0 ? -1 : in.x + more);
        in.y = (int16_t)(in.y < 0 ? -1 : in.y + more);
        in.z = (int16_t)(in.z < 0 ? -1 : in.z + more);
        in.a = (int16_t)(in.a < 0 ? -1 : access(t, r, in.a));
        x->instr[i + more] = in;
    }
    int a = x->naccess++, product = x->nin++;
    x->access[a] = (orr__access){ .input = product };
    x->in_count[product] = 1;
    for (int d = x->rank - 1; d >= 0; d--) {
        x->access[a].stride[d] = x->in_count[product];
        x->in_count[product] *= x->dim[d];
    }
    x->in[product] = -1;
    x->in_dtype[product] = (uint8_t)takes;
    x->instr[0] = (orr__rinstr){ ORR__RI_LOAD, (uint8_t)takes, 0, -1, -1, -1, (int16_t)a, -1 };
    if (more)
        x->instr[1] = (orr__rinstr){ ORR__RI_CAST, (uint8_t)made, 0, 0, -1, -1, -1, -1 };
    x->ninstr = r->ninstr + more;
    for (int k = 0; k < r->nout; k++)
        if (k != t->kept) {
            t->out[x->nout] = k;
            x->out[x->nout] = r->out[k];
            x->out_dtype[x->nout] = r->out_dtype[k];
            x->out_reg[x->nout++] = (int16_t)(r->out_reg[k] + more);
        }
}

/* Elements per place of the first batch axis if they are few; 0: they are many, or the axis does not exist. */
static int64_t few_at_a_place(const orr__region *r)
{
    int64_t n = 1;
    for (int d = 1; d < r->rank - 1; d++)
        n *= r->dim[d];
    return r->rank > 3 && r->dim[0] > 0 &&
                   n * (int64_t)orr__dtype_size((orr_dtype)r->instr[0].dtype) <= ORR__T_FIRST_CACHE
               ? n
               : 0;
}

orr__tail *orr__tail_new(const orr__region *r, bool small)
{
    orr__tail *t = orr__alloc(sizeof *t);
    if (!t)
        return NULL;
    t->kept = -1;
    t->m = r->dim[r->rank - 3];
    t->n = r->dim[r->rank - 2];
    t->batch = small ? few_at_a_place(r) : 0;
    for (int k = 0; k < r->nout; k++)
        t->kept = t->kept < 0 && keeps(r, k) ? k : t->kept;
    orr_status st = allocate(t, r);
    if (st == ORR_OK) {
        orr__region *x = &t->region;
        x->loops = ORR__LOOPS_MAP;
        x->rank = t->batch ? r->rank - 1 : 2;
        x->out_count = 1;
        for (int d = 0; d < x->rank; d++) {
            x->dim[d] = r->dim[r->rank - 1 - x->rank + d];
            x->out_count *= x->dim[d];
        }
        x->call.slot = -1;
        x->file = r->file;
        x->line = r->line;
        instructions(t, r);
        orr__region_finish(x);
        st = orr__cpu.prepare(x, &t->kernel);
    }
    if (st == ORR_OK)
        return t;
    orr__tail_free(t);
    return NULL;
}

void orr__tail_free(orr__tail *t)
{
    if (!t)
        return;
    orr__cpu.release(t->kernel);
    orr__region_free(&t->region);
    free(t->input);
    free(t->access);
    free(t);
}

static void add_size(void *block, void *sum)
{
    *(size_t *)sum += orr__held_size(block);
}

size_t orr__tail_size(orr__tail *t)
{
    size_t all = 0;
    if (!t)
        return 0;
    orr__region_blocks(&t->region, add_size, &all);
    return all + orr__held_size(t->input) + orr__held_size(t->access) + orr__held_size(t);
}

bool orr__tail_of_batches(const orr__tail *t)
{
    return t->batch > 0;
}

int orr__tail_kept(const orr__tail *t)
{
    return t->kept;
}

orr_dtype orr__tail_takes(const orr__tail *t)
{
    return (orr_dtype)t->region.in_dtype[t->region.nin - 1];
}

orr__kernel *orr__tail_kernel(const orr__tail *t, const orr__region **r)
{
    *r = &t->region;
    return t->kernel;
}

/* The first element of batch q in access `a` of the matmul. */
static int64_t batch_offset(const orr__region *r, int a, int64_t q)
{
    int64_t offset = r->access[a].offset;
    for (int d = r->rank - 4; d >= 0; d--) {
        offset += (d ? q % r->dim[d] : q) * r->access[a].stride[d];
        q = d ? q / r->dim[d] : 0;
    }
    return offset;
}

static orr_status launch(const orr__tail *t, const orr__launch *l, int64_t q, int64_t lo, int64_t hi,
                         const void *product, orr__access *acc, void **in)
{
    orr__region x = t->region; /* rows of the product, or places, from lo on */
    orr__kernel k = *t->kernel;
    void *out[ORR__REGION_OUTS];
    int64_t first = t->batch ? l->region->dim[0] : t->m; /* rows of axis 0 before it was merged with others */
    int64_t by = first > 0 ? x.dim[0] / first : 1;
    memcpy(acc, x.access, (size_t)x.naccess * sizeof *acc);
    x.access = k.access = acc;
    for (int a = 0; a < x.naccess - 1; a++)
        acc[a].offset = t->batch ? l->region->access[t->access[a]].offset : batch_offset(l->region, t->access[a], q);
    acc[x.naccess - 1].offset = -lo * (t->batch ? t->batch : t->n);
    for (int a = 0; a < x.naccess; a++)
        for (int i = 0; i < k.ncompiled && acc[a].offset != t->region.access[a].offset; i++)
            k.compiled[i].word = NULL; /* the kept words have other offsets */
    for (int i = 0; i < x.nin - 1; i++)
        in[i] = l->in[t->input[i]];
    memcpy(&in[x.nin - 1], &product, sizeof product); /* which no map writes */
    for (int n = 0; n < x.nout; n++)
        out[n] = (char *)l->out[t->out[n]] +
                 (size_t)(t->batch ? 0 : q * t->m * t->n) * orr_dtype_size((orr_dtype)x.out_dtype[n]);
    /* The kernel may be shared: the scalars' numbers are those of the region that it was made for. */
    const orr__scalar *scalar = l->scalar;
    if (scalar)
        scalar += orr__first_scalar(l->region) - orr__first_scalar(&x);
    orr__seen seen = { .region = &x };
    orr__launch one = { .region = &x,
                        .lo = lo * by,
                        .hi = hi * by,
                        .in = in,
                        .out = out,
                        .scalar = scalar,
                        .seen = l->seen ? &seen : NULL };
    orr_status st = orr__cpu.launch(&k, &one);
    if (l->seen && l->seen->region == l->region && x.nout == l->region->nout) { /* the product is no output */
        l->seen->elements += seen.elements;
        for (int n = 0; n < x.nout; n++)
            l->seen->odd |= (seen.odd >> n & 1u) << t->out[n];
    }
    return st;
}

orr_status orr__tail_run(const orr__tail *t, const orr__launch *l, int64_t q, int64_t lo, int64_t hi,
                         const void *product)
{
    const orr__region *x = &t->region;
    orr__access few[FEW], *acc = orr__array_begin(few, sizeof few, (size_t)x->naccess, sizeof *acc);
    void *few_in[FEW], **in = orr__array_begin(few_in, sizeof few_in, (size_t)x->nin, sizeof *in);
    orr_status st = acc && in ? launch(t, l, q, lo, hi, product, acc, in) : ORR_ENOMEM;
    orr__array_end(acc, few);
    orr__array_end(in, few_in);
    return st;
}
