/* Donation: an output uses the memory of an input whose last reader is the step that writes the output. The donor is a temporary, whose
 * memory is then free, or a leaf, the old value of a variable. A leaf's memory is free only if the evaluation finds no other reader
 * (runtime/graph/donation.h); each run decides this, and the plan is correct in both cases. One test serves both kinds of donors.
 * Must not know: other holders of a value, StarPU. */
#include "config.h"

#include "codelets/emit/emit.h"
#include "runtime/base/threshold.h"
#include "runtime/graph/donation.h"
#include "runtime/plan/passes.h"

/* True if outputs are written element by element: by a map, or by a product whose epilogue does not write the product itself. False if
 * an index may be wrong: the step may then be repeated, and needs its inputs. */
static bool writes_elements(const orr__region *r)
{
    bool epilogue = r->loops == ORR__LOOPS_PRODUCT && r->rank == 3 && r->ninstr > 0;
    for (int k = 0; k < r->nout; k++)
        epilogue = epilogue && r->out_reg[k] != 0;
    return (orr__region_is_map(r) || epilogue) && !orr__region_rows(r) && orr__emit_flags(r) == 0;
}

/* The region that writes a step's outputs element by element, NULL: none. *k: the step's input k becomes its number in that region. The
 * epilogue of a call is one: if it overwrites its input, its kernel has the call's result elsewhere. */
static const orr__region *writer(const orr__region *r, int *k)
{
    if (!r->call.op || !r->epilogue)
        return writes_elements(r) ? r : NULL;
    *k -= r->call.nin;
    return *k >= 0 && writes_elements(r->epilogue) ? r->epilogue : NULL;
}

/* True if every read of input k is of the element that is written. */
static bool reads_elements(const orr__region *r, int k)
{
    int axes = r->loops == ORR__LOOPS_PRODUCT ? r->rank - 1 : r->rank; /* not along k */
    for (int a = 0; a < r->naccess; a++) {
        int64_t step = 1;
        if (r->access[a].input != k)
            continue;
        if (r->access[a].offset != 0 || r->access[a].box || (r->loops == ORR__LOOPS_PRODUCT && a < 2))
            return false;
        for (int d = axes - 1; d >= 0; d--) {
            if (r->dim[d] != 1 && r->access[a].stride[d] != step)
                return false;
            step *= r->dim[d];
        }
    }
    return r->in_count[k] == r->out_count;
}

/* The last instruction that reads input k; -1: something other than loads and element-wise instructions may read it.
 *
 * Every CPU kernel guarantees this order of reads and writes. C loops load all of an element, or of a whole block if they are cut into
 * stages, before they store any of it (codelets/nest/map.c). The interpreter writes an output of a block when it computes that
 * register, and reads an input until the last instruction that reads it (codelets/cpu/program_run.c). Neither promises a compiler that
 * outputs and inputs do not alias. Kernels for devices guarantee nothing: a step that has one uses no donor. */
static int last_read(const orr__region *r, int k)
{
    int last = -1;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        const int16_t operand[3] = { in->x, in->y, in->z };
        if (in->kind != ORR__RI_LOAD && in->a >= 0 && r->access[in->a].input == k)
            return -1;
        for (int n = 0; n < 3; n++) {
            const orr__rinstr *x = operand[n] >= 0 ? &r->instr[operand[n]] : NULL;
            if (x && x->kind == ORR__RI_LOAD && r->access[x->a].input == k)
                last = i;
        }
    }
    return last;
}

/* True for a call whose kernel may write its result over input k. The operands of a call are the inputs of its region. */
static bool rewrites(const orr__region *r, int k)
{
    return r->call.op && r->call.op->donor == k + 1 && !r->epilogue && r->nout == 1 && r->in_count[k] == r->out_count;
}

/* True if output n may use the memory of input k, provided that no later step reads that input. */
static bool is_legal(const orr__plan *p, const orr__step *s, int k, int n)
{
    const orr__region *r = s->region->epilogue ? s->region->epilogue : s->region;
    const orr__value *u = &p->value[s->in[k]], *v = &p->value[s->out[n]];
    int kind = r->call.op ? (int)ORR__RI_EW : r->instr[r->out_reg[n]].kind;
    if (u->output >= 0 || u->recipient >= 0 || v->donor >= 0 || u->local || v->local || v->count == 0 ||
        orr_dtype_size(u->dtype) != orr_dtype_size(v->dtype) || (kind != ORR__RI_EW && kind != ORR__RI_CAST))
        return false;
    if (u->leaf >= 0) /* the leaf gets the tiles of the output */
        return v->output >= 0 && u->dtype == v->dtype && orr__value_bytes(u) >= ORR__LARGE_VALUE;
    return u->ntiles == v->ntiles && u->tile == v->tile;
}

/* Prefers the output that is computed first: others stay for inputs that are read longer. */
int orr__donation_output(const orr__plan *p, int i, int k)
{
    const orr__step *s = &p->step[i];
    const orr__region *r = s->region;
    bool leaf = p->value[s->in[k]].leaf >= 0;
    bool call = rewrites(r, k);
    int of = k;
    const orr__region *w = call ? r : writer(r, &of);
    if (s->opencl || s->cuda || (leaf && !(orr__machine_here.one_memory && (p->cannot_fail || p->nchecks > 0))) || !w ||
        (!call && !reads_elements(w, of)))
        return -1;
    for (int j = 0; j < r->nin; j++)
        if (j != k && s->in[j] == s->in[k])
            return -1;
    if (call)
        return !leaf && is_legal(p, s, k, 0) ? 0 : -1;
    int last = last_read(w, of), best = -1;
    for (int n = 0; last >= 0 && n < w->nout; n++)
        if (w->out_reg[n] >= last && is_legal(p, s, k, n) && (best < 0 || w->out_reg[n] < w->out_reg[best]))
            best = n;
    return best;
}

static void donate(orr__plan *p, int i, int k)
{
    const orr__step *s = &p->step[i];
    int n = p->value[s->in[k]].last == i ? orr__donation_output(p, i, k) : -1;
    if (n < 0)
        return;
    p->value[s->in[k]].recipient = s->out[n];
    p->value[s->out[n]].donor = s->in[k];
    p->ndonors += p->value[s->in[k]].leaf >= 0;
}

/* Temporaries come first, since their memory is certain. Bundles write to their own memory. In low memory leaves are
 * no donors. */
orr_status orr__pass_donation(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    for (int i = 0; i < p->nstep; i++)
        for (int leaf = 0; leaf < (planner->low_memory ? 1 : 2) && !orr__step_bundled(p, i); leaf++)
            for (int k = 0; k < p->step[i].region->nin; k++)
                if ((p->value[p->step[i].in[k]].leaf >= 0) == leaf)
                    donate(p, i, k);
    return ORR_OK;
}
