/* The reason, in words, why a value goes through memory between two regions.
 * Must not know: how nodes were grouped. */
#include "config.h"

#include <stdio.h>
#include "runtime/fuse/region.h"

/* The reason that the fuser recorded, from its lines "%NODE name[ -> %READER[ name]]: why"; NULL: none. */
static const char *noted(const orr__regions *rs, int node, int to)
{
    char begin[16];
    int n = snprintf(begin, sizeof begin, "%%%d ", node), reader;
    for (int i = 0; i < rs->nreason; i++) {
        const char *line = rs->reason[i], *colon = strstr(line, ": "), *arrow = strstr(line, " -> %");
        if (strncmp(line, begin, (size_t)n) || !colon)
            continue;
        bool other = arrow && arrow < colon && sscanf(arrow, " -> %%%d", &reader) == 1 && rs->home[reader] >= 0 &&
                     rs->home[reader] != to;
        if (!other)
            return colon + 2;
    }
    return NULL;
}

static bool is_operand(const orr__region *r, int node)
{
    for (int a = 0; a < 2 && a < r->naccess; a++)
        if (r->access[a].input >= 0 && r->in[r->access[a].input] == node)
            return true;
    return false;
}

static bool by_number(const orr__region *r, int node)
{
    for (int a = 0; a < r->naccess; a++)
        if (r->access[a].placed && r->access[a].input >= 0 && r->in[r->access[a].input] == node)
            return true;
    return false;
}

/* The reason that the reader gives; NULL: none. */
static const char *by_reader(const orr__region *r, int node)
{
    if (by_number(r, node))
        return "its elements are read by number, in any order";
    if (r->loops == ORR__LOOPS_PRODUCT && is_operand(r, node))
        return "a matrix product reads its operands many times over";
    return r->call.op ? "the kernel that reads it needs the whole array in memory" : NULL;
}

/* The reason that the region gives that makes the value; NULL: none. */
static const char *by_maker(const orr__region *r)
{
    if (r->rmask)
        return "it is the result of a reduction, which is complete only after its last input element";
    if (r->loops == ORR__LOOPS_PRODUCT)
        return "it is a matrix product, and the kernel that reads it goes over other elements";
    return r->call.op ? "it is made by a kernel of its own" : NULL;
}

const char *orr__fuse_why(const orr__regions *rs, int node, int from, int to)
{
    const orr__region *a = &rs->region[from], *b = &rs->region[to];
    double n = 1;
    for (int d = 0; d < b->rank; d++)
        n *= (double)b->dim[d];
    const char *why = noted(rs, node, to);
    if (!why)
        why = by_reader(b, node);
    if (!why)
        why = by_maker(a);
    if (!why && n != (double)a->out_count)
        why = "the kernel that reads it goes over another number of elements";
    return why ? why : "its reader's kernel is full, reads it in another order, or depends on a kernel between the two";
}
