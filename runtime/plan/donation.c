/* Donation: an output uses the memory of an input without a later reader, the input's last reader being the step that writes the output.
 * The donor is a temporary, whose memory is free then in any case; or a leaf, the old value of a variable, whose memory is free only
 * where the evaluation finds no other reader (runtime/graph/donation.h): that is decided for each run, which is right
 * either way. One test decides for both.
 * Must not know: who else holds a value, StarPU. */
#include "config.h"

#include "codelets/emit/emit.h"
#include "runtime/graph/donation.h"
#include "runtime/plan/passes.h"

/* A map, or a product with an epilogue that writes no product as it is: outputs are written element by element. Where an index may be
 * wrong, the step may be done again, and needs its inputs. */
static bool writes_elements(const orr__region *r)
{
    bool epilogue = r->product && r->rank == 3 && r->ninstr > 0;
    for (int k = 0; k < r->nout; k++)
        epilogue = epilogue && r->out_reg[k] != 0;
    return (orr__region_is_map(r) || epilogue) && !r->rows && orr__emit_flags(r) == 0;
}

/* The region that writes the elements of a step's outputs, *k its number of the step's input k; NULL: none does. The epilogue of a call
 * does: where it writes over what it reads, its kernel has the call's result elsewhere. */
static const orr__region *writer(const orr__region *r, int *k)
{
    if (!r->call.op || !r->epilogue)
        return writes_elements(r) ? r : NULL;
    *k -= r->call.nin;
    return *k >= 0 && writes_elements(r->epilogue) ? r->epilogue : NULL;
}

/* Input k is read, wherever it is, in the element that is written. */
static bool reads_elements(const orr__region *r, int k)
{
    int axes = r->product ? r->rank - 1 : r->rank; /* not along k */
    for (int a = 0; a < r->naccess; a++) {
        int64_t step = 1;
        if (r->access[a].input != k)
            continue;
        if (r->access[a].offset != 0 || r->access[a].box || (r->product && a < 2))
            return false;
        for (int d = axes - 1; d >= 0; d--) {
            if (r->dim[d] != 1 && r->access[a].stride[d] != step)
                return false;
            step *= r->dim[d];
        }
    }
    return r->in_count[k] == r->out_count;
}

/* The last instruction that reads input k; -1: something else than loads and element-wise instructions may read it.
 *
 * Every kernel for a CPU keeps to this: C loops load all of an element, and of a whole block if they are cut into stages, before
 * they store any of it (codelets/emit/cloop_map.c); the interpreter writes an output of a block when it computes that register, and
 * reads an input until the last instruction that reads it (codelets/cpu/program_run.c). Neither promises a compiler that outputs and
 * inputs lie apart. Kernels for devices promise nothing: a step that has one uses no donor. */
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

/* A kernel of its own whose result may have the memory of input k: the operands of a call are the inputs of its region. */
static bool rewrites(const orr__region *r, int k)
{
    return r->call.op && r->call.op->donor == k + 1 && !r->epilogue && r->nout == 1 && r->in_count[k] == r->out_count;
}

/* Output n may be written where input k is read, if no later step reads that. */
static bool is_legal(const orr__plan *p, const orr__step *s, int k, int n)
{
    const orr__region *r = s->region->epilogue ? s->region->epilogue : s->region;
    const orr__value *u = &p->value[s->in[k]], *v = &p->value[s->out[n]];
    int kind = r->call.op ? (int)ORR__RI_EW : r->instr[r->out_reg[n]].kind;
    if (u->output >= 0 || u->recipient >= 0 || v->donor >= 0 || u->local || v->local || v->count == 0 ||
        orr_dtype_size(u->dtype) != orr_dtype_size(v->dtype) || (kind != ORR__RI_EW && kind != ORR__RI_CAST))
        return false;
    if (u->leaf >= 0) /* its tiles become those of the output */
        return v->output >= 0 && u->dtype == v->dtype && orr__value_bytes(u) >= ORR__DONATION_LEAST;
    return u->ntiles == v->ntiles && u->tile == v->tile;
}

/* Of several the output that is computed first: the others stay for inputs that are read longer. */
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

/* Temporaries first: their memory is certain. Bundles write to their own memory, and in low memory leaves stay. */
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
