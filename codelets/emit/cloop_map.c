/* C loops around a region's instructions, and whole loop nests for element-wise regions.
 * Must not know: reductions, the meaning of instructions. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/cloop_internal.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"

/* A gathered input is read in memory if its place is computed outside of the innermost loop. */
bool orr__cloop_lies(const orr__cloop *c, int n)
{
    const orr__rinstr *in = &c->r->instr[n];
    int last = c->r->rank - 1;
    bool still = in->kind == ORR__RI_GATHER && c->at[in->x] < last;
    return (in->kind == ORR__RI_LOAD || still) && !orr__is_half((orr_dtype)in->dtype) && !c->r->access[in->a].box &&
           c->lay.move[in->a * ORR_MAX_RANK + last] == ORR__MOVE_UNIT;
}

void orr__cloop_passes(const orr__cloop *c, int pos, int from, int to)
{
    for (int i = 0; i < c->r->ninstr; i++)
        if (c->at[i] == pos && c->pass[i] >= from && c->pass[i] <= to && c->r->instr[i].kind != ORR__RI_FOLD)
            orr__cloop_value(c, i);
}

void orr__cloop_values(const orr__cloop *c, int pos)
{
    orr__cloop_passes(c, pos, 0, 0);
}

void orr__cloop_open(const orr__cloop *c, int from, int to)
{
    for (int p = from; p < to; p++) {
        int d = c->order[p];
        orr__text_addf(c->t, "    for (orr_idx i%d = 0; i%d < W(%d); i%d++) {\n", d, d, orr__cloop_size_at(c->r, d), d);
        orr__cloop_values(c, p);
    }
}

void orr__cloop_close(const orr__cloop *c, int from, int to)
{
    for (int p = from; p < to; p++)
        orr__text_add(c->t, "    }\n");
}

void orr__cloop_nothing(const orr__cloop *c)
{
    for (int d = 0; d < c->r->rank; d++)
        orr__text_addf(c->t, "    if (W(%d) <= 0)\n        return 0;\n", orr__cloop_size_at(c->r, d));
}

bool orr__cloop_split(const orr__cloop *c)
{
    bool any = false;
    for (int a = 0; a < c->r->naccess; a++)
        any = any || c->r->access[a].box;
    return any && !orr__ablated(ORR__OFF_BORDERS);
}

/* The length of the innermost loops. */
static const char *length_of(const orr__cloop *c, char to[16])
{
    (void)snprintf(to, 16, c->joins ? "joined" : "W(%d)", orr__cloop_size_at(c->r, c->r->rank - 1));
    return to;
}

/* Elements [whole, over) of the last axis are inside of all boxes. They begin at a vector of the output. */
static void interior(const orr__cloop *c)
{
    const orr__region *r = c->r;
    char size[16];
    orr__text_addf(c->t, "    orr_idx whole = 0, over = %s;\n", length_of(c, size));
    for (int a = 0; a < r->naccess; a++)
        if (r->access[a].box)
            orr__text_addf(c->t, "    whole = lo%d > whole ? lo%d : whole, over = hi%d < over ? hi%d : over;\n", a, a,
                           a, a);
    orr__text_addf(c->t, "    whole = (whole + %d) / %d * %d;\n", ORR__CLOOP_VECTOR - 1, ORR__CLOOP_VECTOR,
                   ORR__CLOOP_VECTOR);
    orr__text_addf(c->t, "    if (over < whole)\n        whole = over = %s;\n", size);
}

orr__cloop orr__cloop_parts(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, outer = c->joins ? last - 1 : last;
    for (int a = 0; a < r->naccess; a++) {
        uint32_t box = r->access[a].box;
        int word = orr__emit_by(r, &c->lay, a);
        if (!box)
            continue;
        orr__text_addf(c->t, "    const int part%d = 1", a);
        for (int d = 0; d < outer; d++)
            if (box >> d & 1u) {
                orr__text_addf(c->t, " & (i%d >= W(%d)) & (i%d < W(%d))", d, word, d, word + 1);
                word += 2;
            }
        orr__text_addf(c->t, ";\n    const orr_idx lo%d = ", a);
        if (c->joins)
            orr__cloop_join_part(c, a, word);
        else if (box >> last & 1u)
            orr__text_addf(c->t, "W(%d), hi%d = part%d ? W(%d) : W(%d);\n", word, a, a, word + 1, word);
        else
            orr__text_addf(c->t, "0, hi%d = part%d ? W(%d) : 0;\n", a, a, orr__cloop_size_at(r, last));
        orr__text_addf(c->t, "    (void)lo%d, (void)hi%d;\n", a, a);
    }
    if (orr__cloop_split(c) && !c->nset)
        interior(c);
    orr__cloop in = *c;
    in.around.boxed = ORR__BOXED_RANGE;
    return in;
}

void orr__cloop_blocks(const orr__cloop *c, const char *from, const char *to, int length)
{
    orr__text_addf(c->t, "    for (orr_idx q = %s; q < %s; q += %d) {\n", from, to, length);
    orr__text_addf(c->t, "    const orr_idx e = %s - q < %d ? %s : q + %d;\n", to, length, to, length);
}

void orr__cloop_parts_of_block(const orr__cloop *c)
{
    orr__text_addf(c->t, "    for (orr_idx b = q; b < e; b += %d) {\n    const orr_idx f = e - b < %d ? e : b + %d;\n",
                   ORR__T_OUT_BLOCK, ORR__T_OUT_BLOCK, ORR__T_OUT_BLOCK);
}

void orr__cloop_inner(const orr__cloop *c, const char *from, const char *to)
{
    int last = c->r->rank - 1;
    bool alone = c->around.boxed == ORR__BOXED_TESTED;
    orr__text_addf(c->t, "%s    for (orr_idx i%d = %s; i%d < %s; i%d++) {\n%s", alone ? "" : "    ORR_LOOP\n", last,
                   from, last, to, last, alone ? "    ORR_ALONE\n" : "");
}

void orr__cloop_left(orr__text *t, const char *count)
{
    orr__text_addf(t, "    const int left = (int)(%s);\n    int live = left;\n    __asm__(\"\" : \"+r\"(live));\n",
                   count);
}

/* AVX2 masks elements of four and eight bytes, AVX-512 elements of any size. */
int orr__cloop_maskable(const orr__cloop *c)
{
    const orr__region *r = c->r;
    int last = r->rank - 1, least = 8;
    for (int n = 0; n < r->ninstr; n++) {
        const orr__rinstr *in = &r->instr[n];
        if (c->at[n] < last)
            continue;
        if (in->kind == ORR__RI_GATHER || in->kind == ORR__RI_PLACE || in->kind == ORR__RI_RANDOM ||
            orr__is_compound((orr_dtype)in->dtype))
            return 0;
        if (in->kind == ORR__RI_LOAD) {
            int size = (int)orr_dtype_size((orr_dtype)r->in_dtype[r->access[in->a].input]);
            least = ORR__MIN(size, least);
            if (c->lay.move[in->a * ORR_MAX_RANK + last] == ORR__MOVE_ANY)
                return 0;
        }
    }
    for (int k = 0; k < r->nout; k++) {
        int size = (int)orr_dtype_size((orr_dtype)r->out_dtype[k]);
        least = ORR__MIN(size, least);
        if (orr__is_compound((orr_dtype)r->out_dtype[k]))
            return 0;
    }
    return least < 4 ? 64 : 32;
}

/* Bytes of the narrowest number that the innermost loop computes with. One vector of these goes with several vectors of wider ones. */
static int narrowest(const orr__cloop *c)
{
    int least = 8;
    for (int n = 0; n < c->r->ninstr; n++) {
        orr_dtype t = orr__compute_dtype((orr_dtype)c->r->instr[n].dtype);
        if (c->at[n] == c->r->rank - 1 && t != ORR_BOOL && orr_dtype_size(t) < 8)
            least = 4;
    }
    return least;
}

static bool is_paced(const orr__cloop *c)
{
    return orr__cloop_work(c) > ORR__T_PACED_WORK;
}

static const char *pace_type(const orr__cloop *c)
{
    return orr__cloop_widest(c) > 4 ? "orr_u16" : "orr_u8";
}

static void loop_body(const orr__cloop *c, void (*body)(const orr__cloop *c, void *arg), void *arg)
{
    body(c, arg);
    orr__text_add(c->t, "    }\n");
}

static void lanes_of_run(const orr__cloop *c, const char *count)
{
    orr__text_addf(c->t, "    for (int lane = 0; lane < %s; lane++) {\n    const orr_idx i%d = v + lane;\n", count,
                   c->r->rank - 1);
}

void orr__cloop_run(const orr__cloop *c, const char *from, const char *to, void (*body)(const orr__cloop *c, void *arg),
                    void *arg)
{
    int vector = c->around.boxed == ORR__BOXED_TESTED ? 0 : orr__cloop_maskable(c), size = narrowest(c),
        many = ORR__T_MAP_BLOCK / orr__cloop_widest(c);
    char count[32];
    (void)snprintf(count, sizeof count, "ORR_VECTOR / %d", size);
    if (vector) {
        orr__text_addf(c->t, "#if ORR_VECTOR >= %d\n    {\n    const orr_idx end = %s;\n    orr_idx v = %s;\n", vector,
                       to, from);
        if (is_paced(c)) {
            char several[16];
            (void)snprintf(several, sizeof several, "%d", many);
            orr__text_addf(c->t, "    for (; end - v >= %d; v += %d) {\n    ORR_PACE(%s, %d)\n    ORR_LOOP\n", many,
                           many, pace_type(c), many);
            lanes_of_run(c, several);
            orr__text_add(c->t, "    ORR_STEP(lane)\n");
            loop_body(c, body, arg);
            orr__text_add(c->t, "    ORR_PACED\n    }\n");
        }
        orr__text_addf(c->t, "    for (; end - v >= %s; v += %s) {\n    ORR_VECTOR_LOOP\n", count, count);
        lanes_of_run(c, count);
        loop_body(c, body, arg);
        orr__text_add(c->t, "    }\n    if (v < end) {\n");
        orr__cloop_left(c->t, "end - v");
        orr__text_add(c->t, "    ORR_VECTOR_LOOP\n");
        lanes_of_run(c, count);
        orr__cloop masked = *c;
        masked.around.masked = true;
        loop_body(&masked, body, arg);
        orr__text_add(c->t, "    }\n    }\n#else\n");
    }
    orr__cloop_inner(c, from, to);
    loop_body(c, body, arg);
    orr__text_add(c->t, vector ? "#endif\n" : "");
}

static void wide_loop(const orr__cloop *c, void (*body)(const orr__cloop *c, void *arg), void *arg)
{
    const orr__cloop in = orr__cloop_widen(c, "begins", "ends", ORR__CLOOP_BLOCK);
    orr__cloop_inner(&in, "begins", "ends");
    loop_body(&in, body, arg);
}

typedef struct {
    void (*body)(const orr__cloop *c, void *arg);
    void *arg;
} set_body;

static void loops_of_set(const orr__cloop *c, void *arg)
{
    const set_body *b = arg;
    wide_loop(c, b->body, b->arg);
}

void orr__cloop_pieces(const orr__cloop *c, const char *from, const char *to,
                       void (*body)(const orr__cloop *c, void *arg), void *arg)
{
    if (!orr__cloop_split(c)) {
        orr__text_add(c->t, "    {\n");
        const orr__cloop in = orr__cloop_widen(c, from, to, ORR__CLOOP_BLOCK);
        orr__cloop_run(&in, from, to, body, arg);
        orr__text_add(c->t, "    }\n");
        return;
    }
    if (c->nset) {
        orr__cloop_each_set(c, from, to, "begins", "ends", loops_of_set, &(set_body){ body, arg });
        return;
    }
    orr__text_addf(c->t,
                   "    const orr_idx enters = whole < %s ? %s : whole < %s ? whole : %s;\n"
                   "    const orr_idx leaves = over < enters ? enters : over < %s ? over : %s;\n"
                   "    for (int piece = 0; piece < 3; piece++) {\n"
                   "    const orr_idx begins = piece == 0 ? %s : piece == 1 ? enters : leaves;\n"
                   "    const orr_idx ends = piece == 0 ? enters : piece == 1 ? leaves : %s;\n    if (piece == 1) {\n",
                   from, from, to, to, to, to, from, to);
    for (int piece = 1; piece >= 0; piece--) {
        orr__cloop in = *c;
        in.around.boxed = piece == 1 ? ORR__BOXED_ALL : c->around.boxed;
        wide_loop(&in, body, arg);
        orr__text_add(c->t, piece == 1 ? "    } else {\n" : "    }\n    }\n");
    }
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

typedef struct {
    int number, stages;
} stage;

static void stage_values(const orr__cloop *c, void *arg)
{
    const stage *s = arg;
    orr__cloop_stage_values(c, s->number, s->stages);
    if (s->number == s->stages - 1)
        orr__cloop_stream_stores(c);
}

typedef struct {
    int stages;
    const char *to;
    bool full, paced;
} block;

static void block_loops(const orr__cloop *c, void *arg)
{
    const block *b = arg;
    for (int s = 0; s < b->stages; s++) {
        stage at = { s, b->stages };
        if (!b->full) {
            orr__cloop_run(c, "q", b->to, stage_values, &at);
            continue;
        }
        orr__cloop_inner(c, "q", b->to);
        if (b->paced)
            orr__text_addf(c->t, "    ORR_STEP(i%d - q)\n", c->r->rank - 1);
        loop_body(c, stage_values, &at);
        orr__text_add(c->t, b->paced ? "    ORR_PACED\n" : "");
    }
}

/* The loops of a block, up to element `to`. All loads precede all stores, and pointers are not restrict: an output may share the memory of
 * an input that is read in the same element (runtime/plan/donation.c). */
static void whole_block(const orr__cloop *c, block b)
{
    orr__cloop_prefetch(c, "q", b.to);
    orr__cloop in = orr__cloop_widen(c, "q", b.to, ORR__T_OUT_BLOCK);
    in = orr__cloop_narrow_begin(&in, "q", ORR__T_OUT_BLOCK);
    orr__cloop_sure(&in, block_loops, &b);
    orr__cloop_narrow(&in, b.to);
    orr__cloop_stream_pass(c, b.to);
}

/* True if random numbers are drawn for several elements at a time. */
static bool draws(const orr__cloop *c)
{
    bool any = false;
    for (int n = 0; n < c->r->ninstr; n++)
        any = any || orr__cloop_draws(c, n);
    return any;
}

/* Unrolls over several vectors (ORR_PACE). A compiler that vectorises by the narrowest type writes each instruction once per vector of the
 * wider types. One byte stored per element therefore makes four vectors of f32, and two bytes four vectors of f64. The processor's
 * scheduler then holds four dependency chains instead of the distant end of one. */
static void full_block(const orr__cloop *c, int stages, int length)
{
    bool paced = is_paced(c);
    char to[24];
    (void)snprintf(to, sizeof to, "q + %d", length);
    if (paced)
        orr__text_addf(c->t, "    ORR_PACE(%s, %d)\n", pace_type(c), length);
    whole_block(c, (block){ stages, to, true, paced });
}

/* A row without functions and with little work is one loop, unless it is long: compilers handle its end best, and starting loops over blocks
 * takes longer than such a row. */
static bool has_row_loop(const orr__cloop *c, int stages)
{
    bool light = orr__cloop_work(c) <= ORR__T_LOOP_WORK;
    for (int n = 0; n < c->r->ninstr; n++)
        light = light && orr__cloop_flops(c, n) < ORR__COST_FUNCTION;
    return light && c->r->rank > 1 && stages == 1 && !c->joins && c->around.boxed != ORR__BOXED_TESTED && !draws(c) &&
           !orr__cloop_has_near(c);
}

/* Declares base<a>; returns the loops that read from there. */
static orr__cloop begin_of_row(const orr__cloop *c)
{
    orr__cloop in = *c;
    in.around.based = true;
    const orr__region *r = c->r;
    int last = r->rank - 1;
    for (int a = 0; a < r->naccess; a++) {
        if (!orr__emit_based(r, &c->lay, &in.around, a))
            continue;
        orr__text_addf(c->t, "    const %s *base%d;\n    {\n    const orr_idx i%d = 0;\n    base%d = ",
                       orr__emit_storage((orr_dtype)r->in_dtype[r->access[a].input]), a, last, a);
        orr__emit_array(c->t, r, &c->lay, &c->around, a);
        orr__text_add(c->t, " + (");
        orr__emit_index(c->t, r, &c->lay, a, false);
        orr__text_add(c->t, ");\n    }\n");
    }
    return in;
}

static void row_loop(const orr__cloop *c, const char *from, const char *to)
{
    stage at = { 0, 1 };
    orr__text_addf(c->t, "    if (W(%d) < %d && %s - %s <= %d) {\n    const orr_idx q = 0;\n", ORR__CLOOP_REACH_AT,
                   ORR__CLOOP_FAR, to, from, ORR__T_ROW_LOOP);
    orr__cloop_stream_block(c);
    orr__cloop in = begin_of_row(c);
    in = orr__cloop_widen(&in, from, to, ORR__T_ROW_LOOP);
    in = orr__cloop_narrow_begin(&in, from, ORR__T_ROW_LOOP);
    orr__cloop_inner(&in, from, to);
    loop_body(&in, stage_values, &at);
    orr__cloop_narrow(&in, to);
    orr__text_add(c->t, "    } else\n");
}

/* Blocks of [from, to). The compiler knows the length of full blocks. The remainder, and short rows, are computed vector by vector. */
static void blocks(const orr__cloop *c, int stages, int length, const char *from, const char *to)
{
    if (has_row_loop(c, stages))
        row_loop(c, from, to);
    orr__cloop_blocks(c, from, to, length);
    orr__cloop_stream_block(c);
    orr__cloop_join_block(c, length);
    const orr__cloop in = orr__cloop_all_ahead(c);
    if (c->around.boxed != ORR__BOXED_TESTED) {
        orr__text_addf(c->t, "    if (e - q == %d) {\n", length);
        full_block(&in, stages, length);
        orr__text_add(c->t, "    } else\n");
    }
    orr__text_add(c->t, "    {\n");
    whole_block(&in, (block){ stages, "e", false, false });
    orr__text_add(c->t, "    }\n    }\n");
}

typedef struct {
    int stages, length;
} set_blocks;

static void blocks_of_set(const orr__cloop *c, void *arg)
{
    const set_blocks *b = arg;
    blocks(c, b->stages, b->length, "from", "to");
}

/* A row in three pieces: the interior, where no access is tested against its box, and the borders. */
static void split_blocks(const orr__cloop *c, int stages, int length)
{
    char size[16];
    (void)length_of(c, size);
    if (c->nset) {
        orr__cloop_each_set(c, "0", size, "from", "to", blocks_of_set, &(set_blocks){ stages, length });
        return;
    }
    orr__text_addf(c->t,
                   "    for (int piece = 0; piece < 3; piece++) {\n"
                   "    const orr_idx from = piece == 0 ? 0 : piece == 1 ? whole : over;\n"
                   "    const orr_idx to = piece == 0 ? whole : piece == 1 ? over : %s;\n    if (piece == 1) {\n",
                   size);
    orr__cloop in = *c;
    in.around.boxed = ORR__BOXED_ALL;
    blocks(&in, stages, length, "from", "to");
    orr__text_add(c->t, "    } else {\n");
    blocks(c, stages, length, "from", "to");
    orr__text_add(c->t, "    }\n    }\n");
}

/* The outputs are contiguous: the innermost loop writes elements at, at + 1, … */
void orr__cloop_map(const orr__cloop *c)
{
    int last = c->r->rank - 1, loops = c->joins ? last - 1 : last, stages = orr__cloop_stages(c);
    int length = draws(c) || c->pitched ? ORR__T_OUT_BLOCK : ORR__T_MAP_BLOCK / orr__cloop_widest(c);
    char size[16];
    (void)length_of(c, size);
    orr__cloop_nothing(c);
    orr__cloop_join_columns(c, length);
    orr__text_add(c->t, "    orr_idx at = 0;\n");
    orr__cloop_stream_begin(c);
    orr__cloop_stage_begin(c, stages);
    orr__cloop_values(c, -1);
    orr__cloop_open(c, 0, loops);
    orr__cloop_join_begin(c, length);
    const orr__cloop in = orr__cloop_parts(c);
    if (orr__cloop_split(c))
        split_blocks(&in, stages, length);
    else
        blocks(&in, stages, length, "0", size);
    if (c->pitched)
        orr__text_addf(c->t, "    at += W(%d) * W(%d);\n", orr__cloop_size_at(c->r, last - 1),
                       orr__cloop_size_at(c->r, last));
    else
        orr__text_addf(c->t, "    at += %s;\n", size);
    orr__cloop_close(c, 0, loops);
    orr__cloop_stream_end(c);
}
