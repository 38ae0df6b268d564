/* Lowers a region's instructions to operations on blocks: the order of the axes, locations of registers, block size.
 * Must not know: launches, memory. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "ops/ops.h"
#include "ops/rounding.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

enum {
    BLOCK_MOST = 1024, /* limit of order */
    BLOCK_LEAST = 128, /* limit of order: two rows of half as many are in a block */
};

typedef struct {
    const orr__region *r;
    orr__kernel *k;
    int32_t first_scalar;
    int *last; /* number of the last operation that uses a register, -1: none */
    bool *once;
    bool *uniform; /* computed from scalars only                                 */
    bool *per_row; /* one value per row of a block: folds and values computed from them */
    bool *spread;  /* … also spread over its row, as register n + i               */
    bool *still;   /* constant along the last axis                               */
    int *free_slot, nfree;
} ctx;

static int operand_count(const orr__rinstr *in)
{
    return in->z >= 0 ? 3 : in->y >= 0 ? 2 : in->x >= 0 ? 1 : 0;
}

/* True if an access reads the same elements in every block: only the last axis moves it, and a block is whole rows. */
static bool periodic(const orr__kernel *k, const orr__access *a)
{
    if (a->box)
        return false;
    for (int d = 0; d < k->rank; d++) {
        bool last_row = d == k->rank - 1 && k->rank > 1 && k->first != d && k->dim[d] <= BLOCK_LEAST / 2;
        if (k->dim[d] != 1 && a->stride[d] != 0 && !last_row)
            return false;
    }
    return true;
}

static void find_shape(ctx *c, int i)
{
    const orr__rinstr *in = &c->r->instr[i];
    const int16_t operand[3] = { in->x, in->y, in->z };
    bool computed = in->kind == ORR__RI_EW || in->kind == ORR__RI_CAST, some = false, all = computed;
    c->uniform[i] = computed || in->kind == ORR__RI_SCALAR;
    for (int n = 0; n < operand_count(in); n++) {
        c->uniform[i] = c->uniform[i] && c->uniform[operand[n]];
        some = some || c->per_row[operand[n]];
        all = all && (c->per_row[operand[n]] || c->uniform[operand[n]]);
    }
    c->per_row[i] = in->kind == ORR__RI_FOLD || (some && all);
    c->still[i] = in->a < 0 || in->kind == ORR__RI_PLACE ||
                  (c->k->access[in->a].stride[c->k->rank - 1] == 0 && !c->k->access[in->a].box);
    for (int n = 0; n < operand_count(in); n++)
        c->still[i] = c->still[i] && (c->still[operand[n]] || in->kind == ORR__RI_FOLD);
}

static void find_once(ctx *c)
{
    for (int i = 0; i < c->r->ninstr; i++) {
        const orr__rinstr *in = &c->r->instr[i];
        const int16_t operand[3] = { in->x, in->y, in->z };
        bool once = in->kind == ORR__RI_SCALAR || in->kind == ORR__RI_CAST || in->kind == ORR__RI_EW ||
                    (in->kind != ORR__RI_FOLD && periodic(c->k, &c->k->access[in->a]));
        for (int n = 0; n < operand_count(in); n++)
            once = once && c->once[operand[n]];
        c->once[i] = once;
        find_shape(c, i);
    }
}

static orr_status lower(ctx *c, int i, orr__vop *op)
{
    static const uint8_t kind[] = {
        [ORR__RI_LOAD] = ORR__VLOAD,     [ORR__RI_SCALAR] = ORR__VSCALAR, [ORR__RI_IOTA] = ORR__VIOTA,
        [ORR__RI_RANDOM] = ORR__VRANDOM, [ORR__RI_CAST] = ORR__VCAST,     [ORR__RI_EW] = ORR__VROW,
        [ORR__RI_FOLD] = ORR__VFOLD,     [ORR__RI_PLACE] = ORR__VPLACE,   [ORR__RI_GATHER] = ORR__VTAKE,
        [ORR__RI_INSIDE] = ORR__VINSIDE
    };
    const orr__region *r = c->r;
    const orr__rinstr *in = &r->instr[i];
    bool part = in->kind == ORR__RI_LOAD && c->k->access[in->a].box;
    *op = (orr__vop){ .kind = part ? ORR__VPART : kind[in->kind],
                      .dtype = in->dtype,
                      .per_row = c->per_row[i],
                      .still = in->kind == ORR__RI_GATHER && c->still[in->x],
                      .once = c->once[i],
                      .reg = (int16_t)i,
                      .x = in->x,
                      .y = in->y,
                      .z = in->z,
                      .slot = -1,
                      .out = -1,
                      .access = in->a,
                      .dist = in->op,
                      .scalar = in->slot < 0 ? -1 : in->slot - c->first_scalar };
    if (in->kind == ORR__RI_CAST || in->kind == ORR__RI_FOLD || in->kind == ORR__RI_PLACE)
        op->from = r->instr[in->x].dtype;
    if (in->kind != ORR__RI_EW)
        return ORR_OK;
    orr_dtype t = (orr_dtype)r->instr[orr__ew(in->op)->cond ? in->y : in->x].dtype;
    orr__vecfn *const *rows = c->k->vec->row[orr__compute_dtype(t)];
    op->row = rows ? rows[in->op - ORR__OP_EW] : NULL;
    if (!op->row)
        return orr__fail(orr__region_site(r), ORR_EINTERNAL, "%s does not take %s", orr__ew(in->op)->op.name,
                         orr_dtype_name(t));
    orr__rounding rounding = orr__ew_rounding(in->op);
    if (!orr__ew(in->op)->to_bool && rounding != ORR__ROUND_NONE)
        op->round = in->dtype == ORR_F16    ? c->k->vec->round_f16
                    : in->dtype == ORR_BF16 ? c->k->vec->round_bf16[rounding == ORR__ROUND_FIT]
                                            : NULL;
    return ORR_OK;
}

/* The output that operation i may write directly. Each other output of its register is a store. */
static int straight(const ctx *c, int i)
{
    const orr__region *r = c->r;
    if (!orr__region_is_map(r) || r->loops == ORR__LOOPS_PER_ROW || c->once[i] || c->per_row[i] ||
        orr__is_half((orr_dtype)r->instr[i].dtype))
        return -1;
    for (int n = 0; n < r->nout; n++)
        if (r->out_reg[n] == i && r->out_dtype[n] == r->instr[i].dtype)
            return n;
    return -1;
}

/* A further operation with one operand. */
static orr__vop *add(ctx *c, orr__vkind kind, int16_t reg, int16_t x)
{
    orr__vop *op = &c->k->op[c->k->nop++];
    *op = (orr__vop){
        .kind = kind, .reg = reg, .x = x, .y = -1, .z = -1, .slot = -1, .out = -1, .access = -1, .scalar = -1
    };
    return op;
}

/* The register that holds x, one value per row, spread over each row. */
static int16_t spread(ctx *c, int16_t x)
{
    int16_t reg = (int16_t)(c->r->ninstr + x);
    if (!c->spread[x])
        add(c, ORR__VSPREAD, reg, x)->dtype = c->r->instr[x].dtype;
    c->spread[x] = true;
    return reg;
}

/* Operand x as instruction i reads it: folds and per-element values read whole rows. */
static int16_t seen(ctx *c, int i, int16_t x)
{
    bool whole = !c->per_row[i] || c->r->instr[i].kind == ORR__RI_FOLD;
    return x >= 0 && whole && c->per_row[x] ? spread(c, x) : x;
}

static orr_status emit_instr(ctx *c, int i)
{
    orr__vop op;
    if (lower(c, i, &op) != ORR_OK)
        return ORR_EINTERNAL;
    op.x = seen(c, i, op.x);
    op.y = seen(c, i, op.y);
    op.z = seen(c, i, op.z);
    op.out = (int16_t)straight(c, i);
    c->k->op[c->k->nop++] = op;
    return ORR_OK;
}

/* Stores register i to its outputs, except to the one that the operation writes directly. */
static void emit_stores(ctx *c, int i, int not_this)
{
    const orr__region *r = c->r;
    for (int n = 0; n < r->nout && orr__region_is_map(r); n++) {
        if (r->out_reg[n] != i || n == not_this)
            continue;
        bool picks = r->loops == ORR__LOOPS_PER_ROW;
        int16_t x = c->per_row[i] && !picks ? spread(c, (int16_t)i) : (int16_t)i;
        orr__vop *op = add(c, picks ? ORR__VPICK : ORR__VSTORE, -1, x);
        op->per_row = c->per_row[i];
        op->dtype = r->out_dtype[n];
        op->from = r->instr[i].dtype;
        op->out = (int16_t)n;
    }
}

static orr_status emit(ctx *c)
{
    const orr__region *r = c->r;
    orr__kernel *k = c->k;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < r->ninstr; i++) {
            if (c->last[i] < 0 || (pass == 0) != c->once[i])
                continue;
            if (emit_instr(c, i) != ORR_OK)
                return ORR_EINTERNAL;
            if (pass == 1)
                emit_stores(c, i, k->op[k->nop - 1].out);
        }
        if (pass == 0)
            k->nonce = k->nop;
    }
    for (int i = 0; i < r->ninstr; i++) /* a value computed once is stored in every block */
        if (c->once[i])
            emit_stores(c, i, -1);
    return ORR_OK;
}

/* last[i]: the last operation (its index in k->op) that reads register i; the last of all for kept values. A place is
 * computed even if nothing is read at it. */
static void find_last(ctx *c, bool *kept)
{
    const orr__region *r = c->r;
    for (int i = 0; i < r->ninstr; i++)
        c->last[i] = r->instr[i].kind == ORR__RI_PLACE ? 0 : -1;
    for (int n = 0; n < r->nout; n++)
        c->last[r->out_reg[n]] = 0;
    for (int i = r->ninstr - 1; i >= 0; i--) {
        const int16_t operand[3] = { r->instr[i].x, r->instr[i].y, r->instr[i].z };
        for (int n = 0; n < operand_count(&r->instr[i]); n++)
            if (c->last[i] >= 0 && c->last[operand[n]] < 0)
                c->last[operand[n]] = 0;
    }
    for (int i = 0; i < r->ninstr; i++)
        kept[i] = c->once[i];
    for (int n = 0; n < r->nout && !orr__region_is_map(r); n++)
        kept[r->out_reg[n]] = true;
}

static void place_registers(ctx *c, const bool *kept)
{
    orr__kernel *k = c->k;
    int *slot_of = c->free_slot + k->nreg;
    for (int o = 0; o < k->nop; o++)
        for (int n = 0; n < 3; n++) {
            int16_t x = n == 0 ? k->op[o].x : n == 1 ? k->op[o].y : k->op[o].z;
            if (x >= 0)
                c->last[x] = o;
        }
    for (int o = 0; o < k->nop; o++) {
        orr__vop *op = &k->op[o];
        if (op->kind != ORR__VSTORE && op->kind != ORR__VPICK) {
            if (op->out < 0)
                op->slot = (int16_t)(c->nfree ? c->free_slot[--c->nfree] : k->nslot++);
            slot_of[op->reg] = op->slot;
        }
        const int16_t operand[3] = { op->x, op->y, op->z };
        for (int n = 0; n < 3; n++) {
            int16_t x = operand[n];
            bool again = (n > 0 && x == operand[0]) || (n > 1 && x == operand[1]);
            if (x >= 0 && !again && c->last[x] == o && !kept[x] && slot_of[x] >= 0)
                c->free_slot[c->nfree++] = slot_of[x];
        }
    }
}

/* All registers of a block stay in the first cache (a load's register is its array, or a copy). A short last axis gives
 * whole rows. */
static void choose_block(orr__kernel *k, const orr__region *r)
{
    size_t bytes = 0, widest = 1;
    for (int o = 0; o < k->nop; o++) {
        size_t s = orr_dtype_size(orr__compute_dtype((orr_dtype)k->op[o].dtype));
        widest = ORR__MAX(s, widest);
        bytes += k->op[o].out >= 0 ? s : 0;
    }
    k->slot_bytes = widest;
    bytes += widest * (size_t)k->nslot + (orr__region_is_map(r) ? 0 : 8 * (size_t)r->nout);
    int64_t b = (int64_t)(ORR__T_FIRST_CACHE / bytes) & ~(int64_t)63;
    b = b > BLOCK_MOST ? BLOCK_MOST : ORR__MAX(BLOCK_LEAST, b);
    int64_t row = k->dim[k->rank - 1];
    if (row > 0 && (row <= b / 2 || (orr__region_rows(r) && row <= b)))
        b = b / row * row;
    else if (orr__region_rows(r))
        b = row;
    k->block = b;
    k->slot_bytes = (widest * (size_t)b + 63) & ~(size_t)63;
}

orr_status orr__program(const orr__region *r, orr__kernel *k)
{
    size_t n = (size_t)r->ninstr;
    ctx c = { .r = r,
              .k = k,
              .first_scalar = orr__first_scalar(r),
              .last = orr__alloc_n(2 * n + 1, sizeof *c.last),
              .once = orr__alloc_n(7 * n + 1, sizeof *c.once),
              .free_slot = orr__alloc_n(4 * n + 1, sizeof *c.free_slot) };
    bool *kept = c.once + 4 * n; /* of 2n registers: those of instructions, and their spread values */
    k->nreg = 2 * r->ninstr;
    k->op = orr__alloc_n(2 * n + n * ORR__REGION_OUTS + ORR__REGION_OUTS, sizeof *k->op);
    orr_status st = c.last && c.once && c.free_slot && k->op ? ORR_OK : ORR_ENOMEM;
    if (st == ORR_OK) {
        c.uniform = c.once + n;
        c.per_row = c.once + 2 * n;
        c.spread = c.once + 3 * n;
        c.still = c.once + 6 * n;
        find_once(&c);
        find_last(&c, kept);
        st = emit(&c);
    }
    if (st == ORR_OK) {
        place_registers(&c, kept);
        choose_block(k, r);
        orr__vop *exact = realloc(k->op, (size_t)(k->nop + 1) * sizeof *exact);
        k->op = exact ? exact : k->op;
    }
    free(c.last);
    free(c.once);
    free(c.free_slot);
    return st;
}
