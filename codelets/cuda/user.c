/* Launches of a user's CUDA C.
 * Must not know: how its text is made, StarPU. */
#include "config.h"

#include "codelets/cuda/cuda.h"
#include "codelets/user/user.h"

orr_status orr__cu_user(orr__cu_unit *u, const orr__launch *l)
{
    orr__site at = orr__cu_site(l->region);
    int64_t word[ORR__USER_WORDS];
    int group =
        orr__define_op(l->region->call.op)->k.group > 0 ? orr__define_op(l->region->call.op)->k.group : ORR__EMIT_USER;
    void *function = NULL;
    (void)orr__user_words(l, true, word);
    if (word[0] <= 0)
        return ORR_OK;
    if (!orr__user_in_place(l))
        return orr__fail(at, ORR_EDEVICE, "an operand of the kernel %s is not contiguous in the memory of the device",
                         l->region->call.op->name);
    orr_status st = orr__cu_unit_function(at, u, &function);
    return st == ORR_OK ? orr__cu_enqueue(at, function, l, NULL, 0, word, sizeof word, word[0], group) : st;
}
