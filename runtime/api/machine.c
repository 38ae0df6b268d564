/* The machine's numbers, for people.
 * Must not know: how they are measured. */
#include "config.h"
#include <stdio.h>
#include <orrery/info.h>
#include "runtime/engine/engine.h"
#include "runtime/plan/profile.h"

orr_status orr_machine_measure(bool again)
{
    return orr__engine_measure(ORR__SITE(NULL, 0, "machine_measure"), again);
}

int orr_machine_list(orr_machine_number *numbers, int max)
{
    orr__profile now = *orr__profile_now(), fixed = orr__profile_fixed;
    const orr__profile_row *row;
    int n = 0;
    for (; (row = orr__profile_table((size_t)n)); n++)
        if (numbers && n < max) {
            orr_machine_number *to = &numbers[n];
            *to = (orr_machine_number){ .value = *orr__profile_at(&now, row), .fixed = *orr__profile_at(&fixed, row) };
            (void)snprintf(to->name, sizeof to->name, "%s", row->name);
            (void)snprintf(to->unit, sizeof to->unit, "%s", row->unit);
            (void)snprintf(to->meaning, sizeof to->meaning, "%s", row->meaning);
        }
    return n;
}
