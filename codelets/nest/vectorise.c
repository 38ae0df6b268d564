/* The innermost loop vector by vector, the last vector masked; several vectors at a time.
 * Must not know: what the loop computes. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "runtime/base/minmax.h"

/* Bytes of the narrowest element that the innermost loop moves; 0: an operand whose elements cannot be masked. */
static int narrowest_moved(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, least = 8;
    for (int n = 0; n < r->ninstr; n++) {
        const orr__rinstr *in = &r->instr[n];
        if (c->at[n] < last)
            continue;
        if ((in->kind == ORR__RI_GATHER && !c->joins) || in->kind == ORR__RI_PLACE || in->kind == ORR__RI_RANDOM ||
            orr__is_compound((orr_dtype)in->dtype))
            return 0;
        if (in->kind == ORR__RI_LOAD) {
            int size = (int)orr_dtype_size((orr_dtype)r->in_dtype[r->access[in->a].input]);
            least = ORR__MIN(size, least);
            if (c->lay.move[in->a * ORR_MAX_RANK + last] >= ORR__MOVE_ANY && !(c->lay.joined && c->lay.joined[in->a]))
                return 0;
        }
    }
    for (int k = 0; k < r->nout; k++) {
        int size = (int)orr_dtype_size((orr_dtype)r->out_dtype[k]);
        least = ORR__MIN(size, least);
        if (orr__is_compound((orr_dtype)r->out_dtype[k]))
            return 0;
    }
    return least;
}

/* AVX2 masks elements of four and eight bytes, AVX-512 elements of any size. */
int orr__cloop_maskable(const orr__cloop *c)
{
    int least = narrowest_moved(c);
    return !least ? 0 : least < 4 ? 4 * ORR__VECTOR : 2 * ORR__VECTOR;
}

typedef struct {
    int least, most;
} sizes;

/* Bytes of the numbers that the innermost loop computes with. */
static sizes computed(const orr__cloop *c)
{
    sizes s = { 8, 1 };
    for (int n = 0; n < c->r->ninstr; n++) {
        orr_dtype t = orr__compute_dtype((orr_dtype)c->r->instr[n].dtype);
        int size = (int)orr__dtype_size(t);
        if (c->at[n] != c->r->rank - 1)
            continue;
        s.least = t != ORR_BOOL ? ORR__MIN(size, s.least) : s.least;
        s.most = ORR__MAX(size, s.most);
    }
    return s;
}

int orr__cloop_widest(const orr__cloop *c)
{
    int most = 4;
    for (int n = 0; n < c->r->ninstr; n++) {
        int size = (int)orr__dtype_size((orr_dtype)c->r->instr[n].dtype);
        most = c->at[n] == c->r->rank - 1 && size > most ? size : most;
    }
    return most;
}

bool orr__cloop_moves_narrow(const orr__cloop *c)
{
    int least = narrowest_moved(c);
    return least == 1 || least == 2;
}

bool orr__cloop_is_paced(const orr__cloop *c)
{
    return orr__cloop_work(c) > ORR__T_LIGHT;
}

void orr__cloop_pace(const orr__cloop *c, int length)
{
    orr__nest_set(c->n, "ORR_PACE(%s, %d)", orr__cloop_widest(c) > 4 ? "orr_u16" : "orr_u8", length);
}

void orr__cloop_left(const orr__cloop *c, const char *count)
{
    const char *type = orr__emit_lane(narrowest_moved(c));
    orr__nest_set(c->n, "const %s left = (%s)(%s)", type, type, count);
    orr__nest_set(c->n, "%s live = left", type);
    orr__nest_set(c->n, "__asm__(\"\" : \"+r\"(live))");
}

static bool mask_part(orr__part *part, void *size)
{
    part->around.masked = *(const int *)size;
    return true;
}

void orr__cloop_mask(const orr__cloop *c, orr__part **mark)
{
    int size = narrowest_moved(c);
    orr__part *list = orr__nest_take(c->n, mark);
    orr__nest_each(&list, mask_part, &size);
    orr__nest_put(c->n, list);
}

/* The body of the loop for `count` elements from v on. */
static void lanes(const orr__cloop *c, int how, const orr__part *loop, const char *count, bool paced)
{
    (void)orr__nest_loop(c->n, how | ORR__LOOP_INT, "lane", "0", count, NULL);
    orr__nest_set(c->n, "const orr_idx %s = v + lane", loop->name);
    if (paced)
        orr__nest_set(c->n, "ORR_STEP(lane)");
    orr__nest_put(c->n, orr__nest_clone(c->n, loop->body));
    orr__nest_close(c->n, 1);
}

/* Loop of vectors of `count` elements as long as they are whole. */
static void vectors(const orr__cloop *c, const orr__part *loop, const char *count)
{
    (void)orr__nest_loop(c->n, ORR__LOOP_WHOLE, "v", NULL, "end", count);
    lanes(c, ORR__LOOP_ONCE, loop, count, false);
    orr__nest_close(c->n, 1);
}

void orr__cloop_vectorise(const orr__cloop *c, orr__part **mark, const char *from, const char *to)
{
    orr__nest *n = c->n;
    int vector = c->around.boxed == ORR__BOXED_TESTED ? 0 : orr__cloop_maskable(c);
    sizes s = computed(c);
    const char *count = orr__nest_say(n, "ORR_VECTOR / %d", s.least < 8 ? 4 : 8);
    const char *many = orr__nest_say(n, "%d", ORR__T_MAP_BLOCK / orr__cloop_widest(c));
    orr__part *loop = vector ? orr__nest_take(n, mark) : NULL;
    if (!loop)
        return;
    orr__nest_if(n, "ORR_VECTOR >= %d", vector)->how = ORR__MASK_COMPILED;
    orr__nest_block(n);
    orr__nest_set(n, "const orr_idx end = %s", to);
    orr__nest_set(n, "orr_idx v = %s", from);
    if (orr__cloop_is_paced(c)) {
        (void)orr__nest_loop(n, ORR__LOOP_WHOLE, "v", NULL, "end", many);
        orr__cloop_pace(c, ORR__T_MAP_BLOCK / orr__cloop_widest(c));
        lanes(c, ORR__LOOP_VECTOR | ORR__LOOP_PACED, loop, many, true);
        orr__nest_set(n, "ORR_PACED");
        orr__nest_close(n, 1);
    }
    if (s.most < 4)
        vectors(c, loop, orr__nest_say(n, "ORR_VECTOR / %d", s.most));
    vectors(c, loop, count);
    (void)orr__nest_if(n, "v < end");
    orr__cloop_left(c, "end - v");
    orr__part **masked = n->end;
    lanes(c, ORR__LOOP_ONCE, loop, count, false);
    orr__cloop_mask(c, masked);
    orr__nest_close(n, 2);
    orr__nest_else(n);
    orr__nest_put(n, loop);
    orr__nest_close(n, 1);
}
