/* The steps of a product in parts: one for each part, and those that make factors for it.
 * Must not know: how many parts are worth it, how the region of a part looks, StarPU. */
#include "config.h"

#include "runtime/plan/passes.h"

orr__region *orr__factor_by_parts(const orr__planner *p, int j, int o)
{
    int made = p->cut[j].made[o];
    return made ? &p->regions.region[made - 1] : NULL;
}

/* Plans one part of a product, in n tiles (0: as many as are worth it). *made: its sum, unless it ends the product. */
static orr_status plan_part(orr__planner *p, const orr__region *whole, const orr__part *part, const int *sums, int n,
                            int *made)
{
    orr__region *r = orr__product_part(whole, part);
    orr__step *s = orr__new_step(p, r);
    int sum = s && !part->ends ? orr__new_value(p, (orr_dtype)r->out_dtype[0], r->out_count, -1) : -1;
    if (!s || (!part->ends && sum < 0))
        return orr__plan_enomem(p);
    double us = orr__model_expect(r);
    s->out[0] = sum;
    orr_status st = orr__complete_step(p, s, sums, us, n ? n : orr__region_tiles(r, us, false));
    *made = sum;
    return st;
}

/* Plans the step that makes factor o for these terms. Its value stands for the factor until that of the next part. */
static orr_status plan_factor(orr__planner *p, const orr__region *map, const orr__region *whole, int o,
                              const orr__part *part)
{
    orr__region *r = orr__map_terms(map, whole, o, part->lo, part->hi);
    orr__step *s = orr__new_step(p, r);
    double us = s ? orr__model_expect(r) : 0;
    return s ? orr__complete_step(p, s, NULL, us, orr__region_tiles(r, us, false)) : orr__plan_enomem(p);
}

/* Each part is added to the sum of those before it, in tiles of rows; or (in_turn 0) parts run in parallel and are added up at the end. */
orr_status orr__partial_product_steps(orr__planner *p, int j)
{
    const orr__region *w = &p->regions.region[j],
                      *map[2] = { orr__factor_by_parts(p, j, 0), orr__factor_by_parts(p, j, 1) };
    int n = p->cut[j].parts, tiles = p->cut[j].in_turn;
    int64_t terms = (w->dim[2] + n - 1) / n;
    int sum[ORR__PARTS_MOST];
    orr_status st = ORR_OK;
    n = (int)((w->dim[2] + terms - 1) / terms);
    for (int i = 0; i < n && st == ORR_OK; i++) {
        orr__part part = { i * terms, i == n - 1 ? w->dim[2] : (i + 1) * terms, tiles && i, tiles && i == n - 1,
                           (map[0] ? 1u : 0) | (map[1] ? 2u : 0) };
        for (int o = 0; o < 2 && st == ORR_OK; o++)
            if (map[o] && (o == 0 || map[1] != map[0]))
                st = plan_factor(p, map[o], w, o, &part);
        if (st == ORR_OK)
            st = plan_part(p, w, &part, sum, tiles ? tiles : 1, &sum[tiles ? 0 : i]);
        if (st != ORR_OK)
            break;
        orr__step *s = &p->plan->step[p->plan->nstep - 1];
        s->terms.part = i;
        s->terms.parts = n;
        s->terms.adds = tiles && i;
    }
    return st != ORR_OK || tiles ? st : plan_part(p, w, &(orr__part){ .sums = n, .ends = true }, sum, 0, sum);
}
