/* The region of a part of a product, cut along its terms, and the region that makes a factor for that part alone.
 * Must not know: how many parts there are and why, values, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "ops/ew_id.h"
#include "runtime/base/buffer.h"
#include "runtime/plan/passes.h"

static orr_dtype sums_dtype(const orr__region *whole)
{
    return orr__compute_dtype((orr_dtype)whole->in_dtype[whole->access[0].input]);
}

/* The length of the axis of factor o other than its terms. In memory a factor is (terms, other), BY_TERMS, or (other, terms), ACROSS. */
static int64_t other_axis(const orr__region *whole, int o)
{
    return whole->dim[o];
}

orr__factor_order orr__product_factor_order(const orr__region *whole, int o)
{
    const orr__access *a = &whole->access[o];
    int64_t k = whole->dim[2], n = other_axis(whole, o), of_k = a->stride[2], of_n = a->stride[o];
    if (a->offset != 0 || whole->in_count[a->input] != k * n)
        return ORR__FACTOR_OTHER;
    return of_k == n && of_n == 1   ? ORR__FACTOR_BY_TERMS
           : of_k == 1 && of_n == k ? ORR__FACTOR_ACROSS
                                    : ORR__FACTOR_OTHER;
}

/* -- a part of a product --------------------------------------------------------------------------------------- */

typedef struct {
    const orr__region *whole;
    const orr__part *part;
    orr__region *r;
} builder;

static int input(builder *b, int of)
{
    const orr__region *w = b->whole;
    orr__region *r = b->r;
    for (int k = 0; k < r->nin; k++)
        if (r->in[k] == w->in[of])
            return k;
    r->in[r->nin] = w->in[of];
    r->in_dtype[r->nin] = w->in_dtype[of];
    r->in_count[r->nin] = w->in_count[of];
    return r->nin++;
}

/* Adds the access to factor o, which exists as a whole, or for these terms alone. */
static void factor(builder *b, int o)
{
    const orr__region *w = b->whole;
    const orr__part *p = b->part;
    int64_t n = other_axis(w, o), terms = p->hi - p->lo;
    orr__access *a = &b->r->access[b->r->naccess++];
    *a = w->access[o];
    a->input = input(b, a->input);
    if (!(p->own >> o & 1u)) {
        a->offset += p->lo * a->stride[2];
        return;
    }
    b->r->in_count[a->input] = terms * n;
    if (orr__product_factor_order(w, o) == ORR__FACTOR_ACROSS)
        a->stride[o] = terms;
}

static void instruct(builder *b, orr__rinstr in)
{
    b->r->instr[b->r->ninstr++] = in;
}

/* Adds sums of other terms, in the order of the inputs. */
static void add_sums(builder *b, orr_dtype t)
{
    orr__region *r = b->r;
    int16_t sum = (int16_t)(r->ninstr - 1);
    for (int k = 0; k < b->part->sums; k++) {
        r->access[r->naccess] = (orr__access){ .input = r->nin, .stride = { b->whole->dim[1], 1 } };
        r->in[r->nin] = -1;
        r->in_dtype[r->nin] = (uint8_t)t;
        r->in_count[r->nin++] = b->whole->out_count;
        instruct(b, (orr__rinstr){ ORR__RI_LOAD, (uint8_t)t, 0, -1, -1, -1, (int16_t)r->naccess++, -1 });
        int16_t more = (int16_t)(r->ninstr - 1);
        if (sum >= 0)
            instruct(b, (orr__rinstr){ ORR__RI_EW, (uint8_t)t, ORR__EW_add, sum, more, -1, -1, -1 });
        sum = (int16_t)(r->ninstr - 1);
    }
}

/* Adds the whole region's work on its product, which is the last register so far. */
static void finish(builder *b)
{
    const orr__region *w = b->whole;
    orr__region *r = b->r;
    int16_t before = (int16_t)(r->ninstr - 1), at = (int16_t)(r->naccess - 2);
    for (int i = 1; i < w->ninstr; i++) {
        orr__rinstr in = w->instr[i];
        in.x = (int16_t)(in.x < 0 ? -1 : in.x + before);
        in.y = (int16_t)(in.y < 0 ? -1 : in.y + before);
        in.z = (int16_t)(in.z < 0 ? -1 : in.z + before);
        in.a = (int16_t)(in.a < 0 ? -1 : in.a + at);
        instruct(b, in);
    }
    for (int a = 2; a < w->naccess; a++) {
        orr__access *to = &r->access[r->naccess++];
        *to = w->access[a];
        to->input = to->input < 0 ? -1 : input(b, to->input);
    }
    for (int k = 0; k < w->nout; k++) {
        r->out[k] = w->out[k];
        r->out_dtype[k] = w->out_dtype[k];
        r->out_reg[k] = (int16_t)((w->ninstr ? w->out_reg[k] : 0) + before);
    }
    r->nout = w->nout;
}

static bool allocate(builder *b)
{
    const orr__region *w = b->whole;
    orr__region *r = b->r;
    size_t sums = (size_t)b->part->sums, nin = (size_t)w->nin + sums;
    r->in = orr__alloc_n(nin, sizeof *r->in);
    r->in_dtype = orr__alloc_n(nin, sizeof *r->in_dtype);
    r->in_count = orr__alloc_n(nin, sizeof *r->in_count);
    r->access = orr__alloc_n((size_t)w->naccess + sums, sizeof *r->access);
    r->instr = orr__alloc_n((size_t)w->ninstr + 2 * sums + 2, sizeof *r->instr);
    return r->in && r->in_dtype && r->in_count && r->access && r->instr;
}

orr__region *orr__product_part(const orr__region *whole, const orr__part *part)
{
    orr_dtype t = sums_dtype(whole), made = (orr_dtype)(whole->ninstr ? whole->instr[0].dtype : whole->out_dtype[0]);
    builder b = { .whole = whole, .part = part, .r = calloc(1, sizeof *b.r) };
    orr__region *r = b.r;
    if (!r || !allocate(&b)) {
        if (r)
            orr__region_free(r);
        free(r);
        return NULL;
    }
    bool multiplies = part->hi > part->lo;
    r->loops = multiplies ? ORR__LOOPS_PRODUCT : ORR__LOOPS_MAP;
    r->rank = multiplies ? 3 : 2;
    memcpy(r->dim, whole->dim, sizeof r->dim);
    r->dim[2] = part->hi - part->lo;
    r->call.slot = -1;
    r->file = whole->file;
    r->line = whole->line;
    r->out_count = whole->out_count;
    for (int o = 0; o < 2 && multiplies; o++)
        factor(&b, o);
    if (multiplies)
        instruct(&b, (orr__rinstr){ ORR__RI_PRODUCT, (uint8_t)t, 0, -1, -1, -1, -1, -1 });
    add_sums(&b, t);
    if (part->ends && t != made)
        instruct(&b, (orr__rinstr){ ORR__RI_CAST, (uint8_t)made, 0, (int16_t)(r->ninstr - 1), -1, -1, -1, -1 });
    if (part->ends) {
        finish(&b);
    } else {
        r->nout = 1;
        r->out[0] = -1;
        r->out_dtype[0] = (uint8_t)t;
        r->out_reg[0] = (int16_t)(r->ninstr - 1);
        r->ninstr = part->sums ? r->ninstr : 0;
    }
    orr__region_finish(r);
    return r;
}

/* -- the maker of a factor ---------------------------------------------------------------------------------------- */

/* True if the map's axes are d0 and d1, or a single one of both together. */
static bool over_both(const orr__region *map, int64_t d0, int64_t d1)
{
    return (map->rank == 1 && map->dim[0] == d0 * d1) || (map->rank == 2 && map->dim[0] == d0 && map->dim[1] == d1);
}

static int64_t first_axis(const orr__region *whole, int o)
{
    return orr__product_factor_order(whole, o) == ORR__FACTOR_BY_TERMS ? whole->dim[2] : other_axis(whole, o);
}

static bool map_terms_can(const orr__region *map, const orr__region *whole, int o)
{
    orr__factor_order lies = orr__product_factor_order(whole, o);
    int64_t d0 = first_axis(whole, o), d1 = whole->dim[2] * other_axis(whole, o) / (d0 > 0 ? d0 : 1);
    if (!orr__region_is_map(map) || map->nout != 1 || map->loops == ORR__LOOPS_PER_ROW || lies == ORR__FACTOR_OTHER ||
        !over_both(map, d0, d1) || (orr__region_rows(map) && (lies != ORR__FACTOR_BY_TERMS || map->rank != 2)))
        return false;
    for (int a = 0; a < map->naccess; a++)
        if (map->access[a].box || map->access[a].placed)
            return false;
    return true;
}

orr__region *orr__map_terms(const orr__region *map, const orr__region *whole, int o, int64_t lo, int64_t hi)
{
    int axis = orr__product_factor_order(whole, o) == ORR__FACTOR_BY_TERMS ? 0 : 1;
    int64_t d0 = first_axis(whole, o), n = other_axis(whole, o);
    orr__region *r = orr__region_copy(map);
    if (!r)
        return NULL;
    if (r->rank == 1) {
        r->rank = 2;
        r->dim[1] = r->dim[0] / d0;
        r->dim[0] = d0;
        for (int a = 0; a < r->naccess; a++) {
            r->access[a].stride[1] = r->access[a].stride[0];
            r->access[a].stride[0] *= r->dim[1];
        }
    }
    r->dim[axis] = hi - lo;
    r->out_count = (hi - lo) * n;
    for (int a = 0; a < r->naccess; a++)
        r->access[a].offset += lo * r->access[a].stride[axis];
    orr__region_finish(r);
    return r;
}

/* True if the node has readers other than the factors of product j. */
static bool read_elsewhere(const orr__regions *rs, const orr__readers *readers, int j, int32_t node)
{
    const orr__region *w = &rs->region[j];
    int own = 0;
    for (int k = 0; k < w->nin; k++)
        own += w->in[k] == node;
    for (int a = 2; a < w->naccess; a++)
        if (w->access[a].input >= 0 && w->in[w->access[a].input] == node)
            return true;
    return readers->reads[node] > own;
}

/* True if the map's inputs are small, or leaves: they stay until the last part is made. */
static bool reads_little(const orr__capture *p, const orr__region *map)
{
    double bytes = 0;
    for (int k = 0; k < map->nin; k++)
        if (p->leaf_of[map->in[k]] < 0)
            bytes += (double)map->in_count[k] * (double)orr_dtype_size((orr_dtype)map->in_dtype[k]);
    return bytes * 8 <= (double)map->out_count * (double)orr_dtype_size((orr_dtype)map->out_dtype[0]);
}

int orr__factor_maker(const orr__capture *p, const orr__regions *rs, const orr__readers *readers, int j, int o)
{
    const orr__region *w = &rs->region[j];
    if (w->loops != ORR__LOOPS_PRODUCT || w->rank != 3 || !orr__is_float((orr_dtype)w->in_dtype[w->access[o].input]))
        return -1;
    const orr__access *a = &w->access[o], *b = &w->access[1 - o];
    int32_t node = w->in[a->input];
    int i = p->leaf_of[node] < 0 ? rs->home[node] : -1;
    bool twice = a->input == b->input && orr__product_factor_order(w, 0) != orr__product_factor_order(w, 1);
    return i >= 0 && i < j && rs->region[i].out[0] == node && !twice && map_terms_can(&rs->region[i], w, o) &&
                   reads_little(p, &rs->region[i]) && !read_elsewhere(rs, readers, j, node)
               ? i
               : -1;
}
