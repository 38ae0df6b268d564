/* Epilogues: a map that is the only reader of a call's result becomes part of the call's step. It runs on each piece of the result while
 * that is in cache. (The fuser makes the epilogues of products.)
 * Must not know: the operations, how a kernel computes, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "codelets/emit/emit.h"
#include "runtime/base/hash.h"
#include "runtime/plan/passes.h"

enum { INPUTS_MOST = 24 }; /* limit of memory */

/* The only region that reads `node`, as its input *input; -1: there are several, there is none, or the node is an
 * output. */
static int only_reader(const orr__planner *p, const orr__readers *readers, int node, int *input)
{
    int reader = readers->reads[node] == 1 ? readers->last[node] : -1;
    const orr__region *r = reader >= 0 ? &p->regions.region[reader] : NULL;
    for (int i = 0; r && i < r->nin; i++)
        *input = r->in[i] == node ? i : *input;
    return reader;
}

/* True if row i of the map is row i of the call. Splits the map's axis 0 for this if possible. */
static bool same_rows(orr__region *map, int64_t rows)
{
    if (map->dim[0] == rows)
        return true;
    if (map->dim[0] % rows || map->rank == ORR__REGION_RANK)
        return false;
    for (int a = 0; a < map->naccess; a++)
        if (map->access[a].box)
            return false;
    int64_t inner = map->dim[0] / rows;
    memmove(&map->dim[1], &map->dim[0], (size_t)map->rank * sizeof *map->dim);
    map->rank++;
    map->dim[0] = rows;
    map->dim[1] = inner;
    for (int a = 0; a < map->naccess; a++) {
        int64_t *s = map->access[a].stride;
        memmove(&s[1], &s[0], (size_t)(map->rank - 1) * sizeof *s);
        s[0] *= inner;
    }
    return true;
}

/* True if each element of the input is read at the place that the map writes. */
static bool in_place(const orr__region *map, int input)
{
    for (int a = 0; a < map->naccess; a++) {
        int64_t step = 1;
        for (int d = map->rank - 1; d >= 0 && map->access[a].input == input; step *= map->dim[d--])
            if (map->dim[d] != 1 && map->access[a].stride[d] != step)
                return false;
        if (map->access[a].input == input && (map->access[a].offset || map->access[a].box || map->access[a].placed))
            return false;
    }
    return true;
}

static bool fits(const orr__region *call, orr__region *map, int input)
{
    return orr__region_is_map(map) && !orr__region_rows(map) && map->nout == 1 && map->nin + call->nin <= INPUTS_MOST &&
           orr__emit_flags(map) == 0 && map->out_count == call->out_count &&
           orr_dtype_size((orr_dtype)map->out_dtype[0]) == orr_dtype_size((orr_dtype)call->out_dtype[0]) &&
           in_place(map, input) && same_rows(map, call->dim[0]);
}

/* Makes `input` the last input. */
static void put_last(orr__region *map, int input)
{
    int last = map->nin - 1;
    int32_t node = map->in[input];
    uint8_t dtype = map->in_dtype[input];
    int64_t count = map->in_count[input];
    for (int i = input; i < last; i++) {
        map->in[i] = map->in[i + 1];
        map->in_dtype[i] = map->in_dtype[i + 1];
        map->in_count[i] = map->in_count[i + 1];
    }
    map->in[last] = node;
    map->in_dtype[last] = dtype;
    map->in_count[last] = count;
    for (int a = 0; a < map->naccess; a++) {
        int *of = &map->access[a].input;
        *of = *of == input ? last : *of > input ? *of - 1 : *of;
    }
}

/* Moves the call of region j to the place of its reader `to`, which becomes its epilogue. */
static orr_status attach(orr__planner *p, int j, int to, int input)
{
    orr__region *call = &p->regions.region[j], *map = &p->regions.region[to];
    int n = call->nin, all = n + map->nin - 1;
    orr__region *own = malloc(sizeof *own);
    int32_t *in = realloc(call->in, ((size_t)all + 1) * sizeof *in);
    call->in = in ? in : call->in;
    uint8_t *dtype = realloc(call->in_dtype, (size_t)all + 1);
    call->in_dtype = dtype ? dtype : call->in_dtype;
    int64_t *count = realloc(call->in_count, ((size_t)all + 1) * sizeof *count);
    call->in_count = count ? count : call->in_count;
    if (!own || !in || !dtype || !count) {
        free(own);
        return orr__plan_enomem(p);
    }
    put_last(map, input);
    for (int i = 0; i < map->nin - 1; i++) {
        in[n + i] = map->in[i];
        dtype[n + i] = map->in_dtype[i];
        count[n + i] = map->in_count[i];
        call->bytes += (double)map->in_count[i] * (double)orr_dtype_size((orr_dtype)map->in_dtype[i]);
    }
    char label[sizeof call->label * 2 + 2];
    (void)snprintf(label, sizeof label, "%s+%s", call->label, map->label);
    memcpy(call->label, label, sizeof call->label - 1);
    call->nin = all;
    call->flops += map->flops;
    call->key = orr__hash(&map->key, sizeof map->key, call->key);
    call->out[0] = map->out[0];
    call->out_dtype[0] = map->out_dtype[0];
    *own = *map;
    call->epilogue = own;
    *map = *call;
    memset(call, 0, sizeof *call);
    return ORR_OK;
}

/* Removes empty regions, keeps the order of the others, and updates the homes of nodes. */
static orr_status close_up(orr__planner *p, int *now)
{
    orr__regions *rs = &p->regions;
    int n = 0;
    for (int j = 0; j < rs->n; j++)
        if (rs->region[j].rank) {
            if (n != j)
                rs->region[n] = rs->region[j];
            now[j] = n++;
        }
    for (int i = 0; i < p->capture->n; i++)
        if (rs->home[i] >= 0) {
            int j = rs->home[i];
            while (now[j] < 0)
                j = -2 - now[j];
            rs->home[i] = now[j];
        }
    rs->n = n;
    return ORR_OK;
}

/* Not with devices, where both are kernels of their own. */
orr_status orr__pass_epilogues(orr__planner *p)
{
    orr__regions *rs = &p->regions;
    orr_status st = ORR_OK;
    if (orr__machine_here.devices > 0 || orr__plan_fusion() == ORR__FUSE_NONE)
        return ORR_OK;
    int *now = malloc(((size_t)rs->n + 1) * sizeof *now);
    orr__readers readers = { NULL, NULL };
    if (!now || !orr__readers_find(p->capture, rs, &readers)) {
        orr__readers_free(&readers);
        free(now);
        return orr__plan_enomem(p);
    }
    for (int j = 0; j < rs->n && st == ORR_OK; j++) {
        orr__region *r = &rs->region[j];
        int input = 0, to = -1;
        now[j] = -1;
        if (r->call.op && !r->epilogue && (r->call.op->flags & ORR__OP_SUMS) && orr__call_work(&r->call).product &&
            orr__call_cuts(&r->call) && r->nout == 1 && r->dim[0] > 0 && r->out_count > 0 &&
            (p->low_memory || !orr__terms_apart(r, orr__plan_workers())))
            to = only_reader(p, &readers, r->out[0], &input);
        if (to > j && fits(r, &rs->region[to], input)) {
            st = attach(p, j, to, input);
            now[j] = -2 - to;
            for (int i = 0; i < rs->region[to].nin; i++) { /* the call's reads are there now */
                int *last = &readers.last[rs->region[to].in[i]];
                *last = *last == j ? to : *last;
            }
        }
    }
    if (st == ORR_OK)
        st = close_up(p, now);
    orr__readers_free(&readers);
    free(now);
    return st;
}
