/* The CPU backend: prepares regions, and dispatches launches to the code of their kind.
 * Must not know: how any kind is computed. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product.h"
#include "codelets/cpu/product_map.h"
#include "codelets/cpu/call.h"
#include "codelets/emit/call.h"
#include "ops/ops.h"
#include "runtime/base/clock.h"
#include "runtime/base/held.h"
#include "runtime/base/spill.h"
#include "runtime/base/threshold.h"

static bool probe(char *why, size_t size)
{
    if (why && size)
        why[0] = '\0';
    return true;
}

static bool reduced(const orr__region *r, int d)
{
    return (r->rmask >> d & 1u) != 0;
}

/* Score of axis d as the innermost loop: by accesses with stride 1, or with stride 0. */
static int liking(const orr__region *r, int d)
{
    int n = 0;
    for (int a = 0; a < r->naccess; a++)
        if (r->access[a].input >= 0)
            n += r->access[a].stride[d] == 1 ? 8 : r->access[a].stride[d] == 0 ? 1 : 0;
    return n;
}

/* The last axis longer than 1 that is reduced, or kept, as `want` says; -1: none. */
static int last_axis(const orr__region *r, bool want)
{
    for (int d = r->rank - 1; d >= 0; d--)
        if (reduced(r, d) == want && r->dim[d] != 1)
            return d;
    return -1;
}

/* Order of the axes: kept…, reduced…; or kept…, reduced…, kept…, where the kept axes after `from` are innermost. */
static void order_axes(const orr__region *r, orr__kernel *k, int axis[ORR__REGION_RANK])
{
    int n = 0, from = r->rank;
    if (r->rmask) {
        int kept = last_axis(r, false), red = last_axis(r, true);
        int like = kept < 0 ? -1 : red < 0 ? 1 : liking(r, kept) - liking(r, red);
        k->rows = like > 0 || (like == 0 && kept > red);
        from = !k->rows ? r->rank : red >= 0 && red < kept ? red + 1 : kept;
        for (int d = 0; d < from; d++)
            if (!reduced(r, d))
                axis[n++] = d;
        k->nouter = n;
        for (int d = 0; d < r->rank; d++)
            if (reduced(r, d))
                axis[n++] = d;
        k->nreduced = n - k->nouter;
        for (int d = from; d < r->rank; d++)
            if (!reduced(r, d))
                axis[n++] = d;
        return;
    }
    for (int d = 0; d < r->rank; d++)
        axis[d] = d;
}

/* The axis along which a load has its neighbours while it has a stride along the last axis, as in a transpose; -1:
 * none. */
static int find_across(const orr__region *r)
{
    int last = r->rank - 1;
    if (!orr__region_is_map(r) || orr__region_rows(r) || r->dim[last] < 8)
        return -1;
    for (int a = 0; a < r->naccess; a++) {
        const int64_t *s = r->access[a].stride;
        if (r->access[a].input < 0 || (s[last] >= -4 && s[last] <= 4))
            continue;
        for (int d = 0; d < last; d++)
            if ((s[d] == 1 || s[d] == -1) && r->dim[d] >= 8)
                return d;
    }
    return -1;
}

/* Sets axis d of an access to axis `of` of `from`. */
static void see_axis(orr__access *a, int d, const orr__access *from, int of)
{
    a->stride[d] = from->stride[of];
    a->lo[d] = from->lo[of];
    a->hi[d] = from->hi[of];
    a->box |= (from->box >> of & 1u) << d;
}

static orr_status permute(const orr__region *r, orr__kernel *k)
{
    int axis[ORR__REGION_RANK];
    order_axes(r, k, axis);
    k->rank = r->rank;
    k->naccess = r->naccess;
    k->access = orr__alloc_n((size_t)r->naccess + 1, sizeof *k->access);
    if (!k->access)
        return ORR_ENOMEM;
    for (int d = 0; d < r->rank; d++) {
        k->dim[d] = r->dim[axis[d]];
        k->first = axis[d] == 0 ? d : k->first;
    }
    for (int a = 0; a < r->naccess; a++) {
        k->access[a] = r->access[a];
        k->access[a].box = 0;
        for (int d = 0; d < r->rank; d++)
            see_axis(&k->access[a], d, &r->access[a], axis[d]);
    }
    return ORR_OK;
}

static orr__own *own_new(void)
{
    orr__own *o = orr__alloc(sizeof *o);
    if (o && pthread_mutex_init(&o->lock, NULL) != 0) {
        free(o);
        o = NULL;
    }
    return o;
}

static void own_free(orr__own *o)
{
    if (o && o->forget)
        o->forget(o->data);
    if (o)
        orr__form_unref(o->form);
    if (o)
        (void)pthread_mutex_destroy(&o->lock);
    free(o);
}

static void release(orr__kernel *k)
{
    if (!k || !orr__kernel_drop(k))
        return;
    orr__held_sub(ORR_MEMORY_PROGRAMS, k->held);
    orr__cpu_tier_release(k);
    orr__tail_free(k->tail);
    own_free(k->own);
    release(k->epilogue);
    free(k->access);
    free(k->op);
    free(k);
}

/* Its parts are counted here, once it is complete; the kernels of its epilogue and its tail count themselves. */
static void count(orr__kernel *k)
{
    k->held = orr__held_size(k) + orr__held_size(k->access) + orr__held_size(k->op) + orr__held_size(k->own) +
              orr__tail_size(k->tail);
    for (int i = 0; i < k->ncompiled; i++)
        k->held += orr__held_size(k->compiled[i].word);
    orr__held_add(ORR_MEMORY_PROGRAMS, k->held);
}

/* any and all fold values of bool. */
static orr_status prepare_fold(const orr__region *r, orr__kernel *k)
{
    orr__region wider = *r;
    wider.instr = orr__alloc_n((size_t)(r->ninstr + r->nout), sizeof *r->instr);
    if (!wider.instr)
        return ORR_ENOMEM;
    memcpy(wider.instr, r->instr, (size_t)r->ninstr * sizeof *r->instr);
    k->nout = r->nout;
    for (int n = 0; n < r->nout; n++) {
        int16_t x = r->out_reg[n];
        bool logic = !r->search && (r->rop[n] == ORR__RANY || r->rop[n] == ORR__RALL);
        if (logic && r->instr[x].dtype != ORR_BOOL) {
            wider.instr[wider.ninstr] = (orr__rinstr){ ORR__RI_CAST, ORR_BOOL, 0, x, -1, -1, -1, -1 };
            x = (int16_t)wider.ninstr++;
        }
        wider.out_reg[n] = x;
        k->result[n] = x;
        k->folded[n] = wider.instr[x].dtype;
        k->rop[n] = r->rop[n];
    }
    orr_status st = orr__program(&wider, k);
    free(wider.instr);
    return st;
}

static orr_status make(const orr__region *r, orr__kernel **out);

/* Kernels of loops are shared. Those of operations on whole arrays keep data of their inputs. */
static orr_status prepare(const orr__region *r, orr__kernel **out)
{
    unsigned char content[32];
    *out = NULL;
    if (!orr__region_loops(r))
        return make(r, out);
    if (!orr__kernel_content(r, content))
        return ORR_ENOMEM;
    if ((*out = orr__kernel_find(content)))
        return ORR_OK;
    orr__kernel *made;
    orr_status st = make(r, &made);
    if (st == ORR_OK && (*out = orr__kernel_share(made, content)) != made)
        release(made); /* another thread was first */
    return st;
}

static orr_status make(const orr__region *r, orr__kernel **out)
{
    *out = NULL;
    orr__kernel *k = orr__alloc(sizeof *k);
    if (!k)
        return ORR_ENOMEM;
    k->refs = 1;
    k->vec = orr__cpu_vec();
    k->first = -1;
    k->across = find_across(r);
    orr_status st = ORR_OK;
    bool loops = orr__region_loops(r) && r->loops != ORR__LOOPS_PRODUCT;
    if (loops)
        st = permute(r, k);
    if (st == ORR_OK && loops)
        st = r->rmask ? prepare_fold(r, k) : orr__program(r, k);
    k->few = st == ORR_OK && loops ? orr__vrun_may_few(k, r) : 0;
    if (st == ORR_OK && r->call.op && !(k->own = own_new()))
        st = orr__fail(orr__region_site(r), ORR_ENOMEM, "no memory for the kernel");
    if (st == ORR_OK && r->epilogue)
        st = prepare(r->epilogue, &k->epilogue);
    k->small = r->loops == ORR__LOOPS_PRODUCT && orr__product_is_small(r);
    if (st == ORR_OK && r->loops == ORR__LOOPS_PRODUCT && r->ninstr)
        st = (k->tail = orr__tail_new(r, k->small)) ? ORR_OK : orr_error_status();
    if (st == ORR_OK)
        st = orr__cpu_tier_prepare(k, r);
    if (st != ORR_OK) {
        release(k);
        return st;
    }
    count(k);
    *out = k;
    return ORR_OK;
}

static orr__cpu_call *const kernels[ORR__OP_EW] = {
#define OP_NONE(name)
#define OP_KERNEL(name) [ORR__OP_##name] = orr__cpu_kernel_##name,
#define OP_BLOCKED(name) OP_KERNEL(name)
#define OP(name, cpu, emit, doc) OP_##cpu(name)
#include "ops/structural.def"
#undef OP_BLOCKED
#undef OP_KERNEL
};

/* The operations whose kernels accept operands in orders other than row-major. */
static const struct {
    orr__cpu_blocks *blocks;
    orr__cpu_form *form;
} orders[ORR__OP_EW] = {
#define OP_KERNEL(name)
#define OP_BLOCKED(name) [ORR__OP_##name] = { orr__cpu_blocks_##name, orr__cpu_form_##name },
#define OP(name, cpu, emit, doc) OP_##cpu(name)
#include "ops/structural.def"
};

static uint32_t blocks(const orr__region *r, int block)
{
    bool knows = r->call.op && r->call.op->id < ORR__OP_EW && orders[r->call.op->id].blocks;
    return knows ? orders[r->call.op->id].blocks(r, block) : 0;
}

const char *orr__cpu_library(const orr__region *r)
{
    if (orr__region_is_users(r))
        return orr__region_needs_device(r) ? "none" : "the program's own function";
    if (!(r->call.op->flags & (ORR__OP_BLAS | ORR__OP_TILES)))
        return "a kernel of its own";
    return orr__emit_call_of(r) ? "BLAS or a library of its kind" : "BLAS (devices have no kernel for it)";
}

static orr_status launch(orr__kernel *k, const orr__launch *l);

enum { INPUTS_MOST = 32 };

/* The result of a call is the last input of its epilogue. It may use the output's memory unless another input of the
 * epilogue does. */
static bool writes_over_input(const orr__region *r, const orr__launch *l)
{
    bool over = false;
    for (int i = r->call.nin; i < r->nin; i++)
        over = over || l->in[i] == l->out[0];
    return over;
}

/* The form input of an operation is its second input, a convolution's weights. */
static int form_input(const orr__region *r)
{
    return r->call.op && r->call.op->id < ORR__OP_EW && orders[r->call.op->id].form ? 1 : -1;
}

/* The rows of a call's result that are computed before its epilogue runs on them. */
static int64_t part_rows(const orr__region *r)
{
    int64_t row = r->out_count / r->dim[0] * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[0]);
    return row && ORR__T_CORE_CACHES / row ? ORR__T_CORE_CACHES / row : 1;
}

/* Adds the forms launch by launch, each in parts if the kernel has an epilogue. */
static bool make_form(const orr__kernel *k, const orr__region *r, int64_t rows, orr__value_form **f)
{
    for (int64_t from = 0; from < r->dim[0]; from += rows) {
        int64_t end = r->dim[0] - from < rows ? r->dim[0] : from + rows, part = r->epilogue ? part_rows(r) : rows;
        for (int64_t lo = from; lo < end; lo += part) {
            orr__launch l = { .region = r, .lo = lo, .hi = end - lo < part ? end : lo + part };
            if (!orders[r->call.op->id].form(k, &l, f))
                return false;
        }
    }
    return *f != NULL;
}

static orr__value_form *form(orr__kernel *k, const orr__region *r, int64_t rows)
{
    orr__own *own = k->own;
    (void)pthread_mutex_lock(&own->lock);
    bool known = own->rows == rows;
    orr__value_form *f = known && own->form ? orr__form_ref(own->form) : NULL;
    (void)pthread_mutex_unlock(&own->lock);
    if (known)
        return f;
    if (!make_form(k, r, rows, &f)) {
        orr__form_unref(f);
        f = NULL;
    }
    (void)pthread_mutex_lock(&own->lock);
    orr__form_unref(own->form);
    own->form = f ? orr__form_ref(f) : NULL;
    own->rows = rows;
    (void)pthread_mutex_unlock(&own->lock);
    return f;
}

/* Part by part: the call, then the epilogue. */
static orr_status with_epilogue(orr__kernel *k, const orr__launch *l)
{
    const orr__region *r = l->region, *e = r->epilogue;
    int64_t row = r->out_count / r->dim[0] * (int64_t)orr_dtype_size((orr_dtype)r->out_dtype[0]);
    int64_t rows = part_rows(r);
    void *in[INPUTS_MOST];
    orr_status st = ORR_OK;
    orr__seen seen = { .region = e };
    for (int i = 0; i < e->nin - 1; i++)
        in[i] = l->in[r->call.nin + i];
    char *part = writes_over_input(r, l) ? orr__scratch_for(ORR__FOR_RESULTS, (size_t)(rows * row)) : NULL;
    if (!part && writes_over_input(r, l))
        return ORR_ENOMEM;
    for (int64_t lo = l->lo; lo < l->hi && st == ORR_OK; lo += rows) {
        orr__launch call = *l, map = *l;
        call.lo = map.lo = lo;
        call.hi = map.hi = l->hi - lo < rows ? l->hi : lo + rows;
        void *result[1] = { part ? part - lo * row : l->out[0] };
        call.out = result;
        in[e->nin - 1] = result[0];
        st = kernels[r->call.op->id](k, &call);
        map.region = e;
        map.in = in;
        map.known = NULL;
        map.seen = l->seen ? &seen : NULL;
        st = st == ORR_OK ? launch(k->epilogue, &map) : st;
    }
    if (l->seen && l->seen->region == r) {
        l->seen->elements += seen.elements;
        l->seen->odd |= seen.odd;
    }
    return st;
}

static orr_status interpret(orr__kernel *k, const orr__launch *l)
{
    const orr__region *r = l->region;
    if (r->call.op && !kernels[r->call.op->id])
        return orr__fail(orr__cpu_site(l), ORR_EINTERNAL, "the processor has no kernel for it");
    if (r->call.op)
        return r->epilogue ? with_epilogue(k, l) : kernels[r->call.op->id](k, l);
    if (r->loops == ORR__LOOPS_PRODUCT)
        return orr__cpu_matmul(k, l);
    return r->rmask ? orr__cpu_reduce(k, l) : orr__cpu_map(k, l);
}

/* The interpreter's part of a launch. */
static orr_status interpret_part(orr__kernel *k, const orr__launch *l, const orr__pick *turn)
{
    uint32_t stands_for = turn->timed ? 1 : orr__cpu_tier_counts(&k->compiled[0]);
    if (!stands_for)
        return interpret(k, l);
    double t0 = turn->timed ? 0 : orr__now();
    orr_status st = interpret(k, l);
    if (turn->timed)
        orr__variants_end(turn, st == ORR_OK ? (double)(l->hi - l->lo) : 0);
    else
        orr__cpu_tier_spent(&k->compiled[0], stands_for * (orr__now() - t0));
    return st;
}

static orr_status launch_by_parts(orr__kernel *k, const orr__launch *l)
{
    orr_status st = ORR_OK;
    orr__launch part = *l, rest = *l;
    do {
        orr__pick turn = { .v = NULL };
        rest.lo = rest.hi;
        if (orr__cpu_tier_parts(k, &part, &rest, &turn))
            break;
        st = interpret_part(k, &part, &turn);
        part = rest;
    } while (st == ORR_OK && rest.lo < rest.hi);
    return st;
}

/* True for a fold along columns of a file, and for a map across its rows. The interpreter's strips of columns are as wide as the file's
 * read-ahead, and its windows have whole pages; the narrower parts of a compiled loop read the file several times. */
static bool walks_a_file(const orr__kernel *k, const orr__launch *l)
{
    bool any = orr__cpu_map_crosses(k, l);
    for (int i = 0; k->rows && i < l->region->nin && !any; i++)
        any = orr__spill_holds(l->in[i]);
    return any;
}

/* Elements by computed places of a file may be far from each other: nothing around them is read. True: there are such. */
static bool scatter_files(const orr__launch *l, bool on)
{
    const orr__region *r = l->region;
    bool any = false;
    for (int a = 0; orr__spill_on() && a < r->naccess; a++)
        if (r->access[a].placed && r->access[a].input >= 0 && orr__spill_holds(l->in[r->access[a].input])) {
            orr__spill_scatter(l->in[r->access[a].input], on);
            any = true;
        }
    return any;
}

static orr_status launch(orr__kernel *k, const orr__launch *l)
{
    static const orr__pick none;
    if (scatter_files(l, true)) { /* the interpreter announces rows */
        orr_status st = interpret(k, l);
        (void)scatter_files(l, false);
        return st;
    }
    if (!k->ncompiled || walks_a_file(k, l))
        return interpret(k, l);
    if (k->halves)
        return launch_by_parts(k, l);
    return orr__cpu_tier_launch(k, l) ? ORR_OK : interpret_part(k, l, &none);
}

const orr__backend orr__cpu = { .name = "cpu",
                                .probe = probe,
                                .least_rows = orr__gemm_least_rows,
                                .blocks = blocks,
                                .form_input = form_input,
                                .form = form,
                                .prepare = prepare,
                                .launch = launch,
                                .release = release };
