/* The table of thresholds as text and as a page.
 * Must not know: the users of a threshold. */
#include "config.h"

#include <stdio.h>
#include <orrery/info.h>
#include "runtime/api/file_sink.h"
#include "runtime/base/signals.h"
#include "runtime/base/threshold.h"

typedef struct {
    const char *name, *unit, *reason, *command;
    int value;
} row;

#define THRESHOLD(name, value, unit, reason, command) { #name, unit, reason, command, value },
static const row table[] = {
#include "runtime/base/threshold.def"
};
#undef THRESHOLD

static const char head[] = "# Thresholds\n\n"
                           "Plans and kernels are chosen by predicted cost and by measurement. The numbers of this "
                           "table remain: each was tuned on a machine, and changes\n"
                           "speed or memory, never a result beyond the order of a sum. The source uses them by name "
                           "(`ORR__T_` and the name; `runtime/base/threshold.def`),\n"
                           "and `tests/tree/thresholds` finds numbers that stand elsewhere and that no comment calls a "
                           "limit of a kind (`limit of memory`: the test lists\n"
                           "the kinds). The command measures a number on another machine: build once with the old "
                           "value and once with the new one, and compare in turns.\n"
                           "`tests/codelets/corpus_race` is described in [fusion.md](fusion.md). `orrery-info "
                           "--thresholds` prints the table as text; `make docs-pages` writes this page.\n\n"
                           "| name | value | unit | reason | command |\n|---|--:|---|---|---|\n";

orr_status orr_thresholds_print(FILE *to, bool markdown)
{
    ORR__GUARD_WRITES;
    orr__site at = ORR__SITE(NULL, 0, "thresholds_print");
    if (!to)
        return orr__fail(at, ORR_EINVAL, "the file is NULL");
    if (markdown)
        (void)fputs(head, to);
    else
        (void)fprintf(to, "%-18s %10s %-24s %-50s %s\n", "name", "value", "unit", "measured by", "reason");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const row *r = &table[i];
        if (markdown)
            (void)fprintf(to, "| %s | %d | %s | %s | `%s` |\n", r->name, r->value, r->unit, r->reason, r->command);
        else
            (void)fprintf(to, "%-18s %10d %-24s %-50s %s\n", r->name, r->value, r->unit, r->command, r->reason);
    }
    return orr__printed(at, to);
}
