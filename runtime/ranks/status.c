/* One status of all ranks.
 * Must not know: what it is the status of. */
#include "config.h"

#include <stdio.h>
#include "runtime/ranks/ranks.h"

orr_status orr__ranks_agree(orr__site at, orr_status st)
{
    if (orr__ranks() == 1)
        return st;
    int32_t worst = (int32_t)st;
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_MAX,
                        .dtype = ORR_I32,
                        .group = orr__group_all(),
                        .in = &worst,
                        .out = &worst,
                        .count = 1,
                        .name = "agreement" };
    orr_status sent = orr__exchange_wait(at, &x);
    if (st != ORR_OK || sent != ORR_OK)
        return st != ORR_OK ? st : sent;
    return worst == 0 ? ORR_OK
                      : orr__fail(at, ORR_ERANK, "another rank has failed with %s; its own message says why",
                                  orr_status_name((orr_status)worst));
}

orr_status orr__ranks_first(orr__site at, orr_status st)
{
    struct {
        int64_t status;
        char text[1016];
    } word = { .status = st };
    if (orr__ranks() == 1)
        return st;
    if (st != ORR_OK)
        (void)snprintf(word.text, sizeof word.text, "%s", orr_error_message());
    orr__exchange x = { .kind = ORR__EXCHANGE_BROADCAST,
                        .dtype = ORR_U8,
                        .group = orr__group_all(),
                        .in = &word,
                        .out = &word,
                        .count = sizeof word,
                        .name = "status" };
    orr_status sent = orr__exchange_wait(at, &x);
    if (sent != ORR_OK || orr__rank() == 0)
        return sent != ORR_OK ? sent : st;
    return word.status == ORR_OK ? st : orr__fail_text((orr_status)word.status, word.text);
}
