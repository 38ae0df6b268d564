/* Launches of user-defined kernels: their arguments, and the C function.
 * Must not know: StarPU, plans, devices. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/call.h"
#include "codelets/user/user.h"
#include "runtime/base/callback.h"

void orr__user_see(const orr__launch *l, bool host, orr__user_view *v)
{
    const orr__region *r = l->region;
    const orr__define *d = orr__define_op(r->call.op);
    for (int i = 0; i < r->nin; i++)
        v->in[i] = (orr_kernel_array){ host ? l->in[i] : NULL, (orr_dtype)r->in_dtype[i], r->call.in[i] };
    for (int i = 0; i < ORR_MAX_KERNEL_PARAMS; i++)
        v->param[i] = i < d->k.n_params ? l->scalar[r->call.slot + i].f : 0;
    v->message[0] = '\0';
    v->args = (orr_kernel_args){ .n_inputs = r->nin,
                                 .n_params = d->k.n_params,
                                 .in = v->in,
                                 .param = v->param,
                                 .out = host ? l->out[0] : NULL,
                                 .out_dtype = (orr_dtype)r->out_dtype[0],
                                 .out_shape = r->call.out,
                                 .lo = l->lo,
                                 .hi = l->hi,
                                 .user = d->k.user,
                                 .message = v->message,
                                 .message_size = sizeof v->message };
}

orr_status orr__cpu_kernel_user(const orr__kernel *k, const orr__launch *l)
{
    orr__user_view v;
    (void)k;
    if (l->hi <= l->lo || l->region->out_count == 0)
        return ORR_OK;
    orr__user_see(l, true, &v);
    return orr__user_cpu(orr__cpu_site(l), orr__define_op(l->region->call.op), &v.args);
}

bool orr__region_needs_device(const orr__region *r)
{
    return orr__region_is_users(r) && !orr__define_op(r->call.op)->k.cpu;
}

bool orr__region_is_users(const orr__region *r)
{
    return r->call.op && r->call.op->id == ORR__OP_user;
}

/* -- on devices ------------------------------------------------------------------------------------------------ */

static int64_t row_size(const orr__region *r)
{
    return r->dim[0] > 0 ? r->out_count / r->dim[0] : 0;
}

int64_t orr__user_items(const orr__launch *l)
{
    const orr__region *r = l->region;
    orr__user_view v;
    if (l->hi <= l->lo || r->out_count == 0)
        return 0;
    if (!orr__define_op(r->call.op)->k.items)
        return (l->hi - l->lo) * row_size(r);
    orr__user_see(l, false, &v);
    const char *outer = orr__callback_begins(r->call.op->name);
    int64_t items = orr__define_op(r->call.op)->k.items(&v.args);
    orr__callback_ends(outer);
    return items;
}

bool orr__user_in_place(const orr__launch *l)
{
    for (int i = 0; l->in_off && i < l->region->nin; i++)
        if (l->in_off[i] != 0 && l->region->in_count[i] > 0)
            return false;
    return !l->out_off || l->out_off[0] == l->lo * row_size(l->region);
}

static int64_t *put_array(int64_t *to, const orr_shape *s)
{
    *to++ = s->rank;
    for (int d = 0; d < ORR_MAX_RANK; d++)
        *to++ = d < s->rank ? s->dim[d] : 1;
    *to++ = orr__shape_count(s);
    return to;
}

int orr__user_words(const orr__launch *l, bool fp64, int64_t *word)
{
    const orr__region *r = l->region;
    int64_t *to = word;
    *to++ = orr__user_items(l);
    *to++ = l->lo;
    *to++ = l->hi;
    memset(to, 0, ORR_MAX_KERNEL_PARAMS * sizeof *to);
    for (int i = 0; i < orr__define_op(r->call.op)->k.n_params; i++) {
        double v = l->scalar[r->call.slot + i].f;
        float f = (float)v;
        if (fp64)
            memcpy((char *)to + (size_t)i * sizeof v, &v, sizeof v);
        else
            memcpy((char *)to + (size_t)i * sizeof f, &f, sizeof f);
    }
    to = put_array(to + ORR_MAX_KERNEL_PARAMS, &r->call.out);
    for (int i = 0; i < r->nin; i++)
        to = put_array(to, &r->call.in[i]);
    return (int)(to - word);
}
