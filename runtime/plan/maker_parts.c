/* Plans products part by part along their terms: a step for each, and steps that make factors for it.
 * Must not know: how many parts are worth it, how a part's region looks, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/maker.h"
#include "runtime/cost/model.h"

typedef orr__maker maker;

/* One part of a product, in n tiles (0: as many as are worth it). *made: its sum, unless it ends the product. */
static orr_status plan_part(maker *m, const orr__region *whole, const orr__part *part, const int *sums, int n,
                            int *made)
{
    orr__region *r = orr__product_part(whole, part);
    orr__step *s = orr__maker_step(m, r);
    int sum = s && !part->ends ? orr__maker_value(m, (orr_dtype)r->out_dtype[0], r->out_count, -1) : -1;
    if (!s || (!part->ends && sum < 0))
        return orr__maker_enomem(m);
    double us = orr__model_expect(r);
    s->out[0] = sum;
    orr_status st = orr__maker_complete(m, s, sums, us, n ? n : orr__region_tiles(r, us, false));
    *made = sum;
    return st;
}

/* What `map` makes of factor o for these terms: that stands for the factor until the next part's does. */
static orr_status plan_factor(maker *m, const orr__region *map, const orr__region *whole, int o, const orr__part *part)
{
    orr__region *r = orr__map_terms(map, whole, o, part->lo, part->hi);
    orr__step *s = orr__maker_step(m, r);
    double us = s ? orr__model_expect(r) : 0;
    return s ? orr__maker_complete(m, s, NULL, us, orr__region_tiles(r, us, false)) : orr__maker_enomem(m);
}

/* The region that makes factor o of product j part by part, NULL: it is there, or made as a whole. */
static orr__region *maker_of(const maker *m, const orr__regions *rs, int j, int o)
{
    int32_t node = rs->region[j].in[rs->region[j].access[o].input];
    for (int i = 0; m->reader && i < j; i++)
        if (m->reader[i] == j + 1 && rs->region[i].out[0] == node)
            return &rs->region[i];
    return NULL;
}

/* Into how many parts product j is cut for what is made for one part alone. */
int orr__maker_lean_parts(const maker *m, const orr__regions *rs, int j)
{
    const orr__region *map[2] = { NULL, NULL };
    double bytes = 0;
    for (int o = 0; o < 2 && rs->region[j].product; o++)
        if ((map[o] = maker_of(m, rs, j, o)) && map[o] != map[1 - o])
            bytes += (double)map[o]->out_count * (double)orr_dtype_size((orr_dtype)map[o]->out_dtype[0]);
    return bytes > 0 ? orr__lean_parts(&rs->region[j], bytes) : 1;
}

/* Product j in n parts: each added to those before, as tiles of rows; or (tiles = 0) beside each other, added up at the end. */
orr_status orr__maker_parts(maker *m, const orr__regions *rs, int j, int n, int tiles)
{
    const orr__region *w = &rs->region[j], *map[2] = { maker_of(m, rs, j, 0), maker_of(m, rs, j, 1) };
    int64_t terms = (w->dim[2] + n - 1) / n;
    int sum[ORR__PARTS_MOST];
    orr_status st = ORR_OK;
    n = (int)((w->dim[2] + terms - 1) / terms);
    for (int i = 0; i < n && st == ORR_OK; i++) {
        orr__part part = { i * terms, i == n - 1 ? w->dim[2] : (i + 1) * terms, tiles && i, tiles && i == n - 1,
                           (map[0] ? 1u : 0) | (map[1] ? 2u : 0) };
        for (int o = 0; o < 2 && st == ORR_OK; o++)
            if (map[o] && (o == 0 || map[1] != map[0]))
                st = plan_factor(m, map[o], w, o, &part);
        if (st == ORR_OK)
            st = plan_part(m, w, &part, sum, tiles ? tiles : 1, &sum[tiles ? 0 : i]);
        if (st != ORR_OK)
            break;
        orr__step *s = &m->plan->step[m->plan->nstep - 1];
        s->part = i;
        s->parts = n;
        s->adds = tiles && i;
    }
    return st != ORR_OK || tiles ? st : plan_part(m, w, &(orr__part){ .sums = n, .ends = true }, sum, 0, sum);
}

/* Lean plans: which factors are made for the terms of one part alone. */
orr_status orr__maker_find(maker *m, const orr__regions *rs)
{
    if (!(m->reader = calloc((size_t)rs->n + 1, sizeof *m->reader)))
        return orr__maker_enomem(m);
    for (int j = 0; j < rs->n; j++) {
        int i[2] = { orr__factor_maker(m->p, rs, j, 0), orr__factor_maker(m->p, rs, j, 1) };
        for (int o = 0; o < 2; o++)
            if (i[o] >= 0)
                m->reader[i[o]] = j + 1;
        if (orr__maker_lean_parts(m, rs, j) < 2)
            for (int o = 0; o < 2; o++)
                if (i[o] >= 0)
                    m->reader[i[o]] = 0;
    }
    return ORR_OK;
}
