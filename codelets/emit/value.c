/* One instruction of a region as one line of a kernel; loads and stores.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <stdio.h>
#include "codelets/emit/emit.h"
#include "ops/ops.h"
#include "ops/rounding.h"

/* Element number of access a at the current point. wide: in 64 bits, if the number itself is a value. */
void orr__emit_index(orr__text *t, const orr__region *r, const orr__layout *l, int a, bool wide)
{
    const uint8_t *move = l->move + (size_t)a * ORR_MAX_RANK;
    const char *type = wide ? "orr_i64" : "orr_idx";
    int at = l->at[a];
    if (l->joined && l->joined[a]) {
        if (r->access[a].input < 0)
            orr__text_addf(t, "join%d[i%d - q]", a, r->rank - 1);
        else
            orr__text_addf(t, "i%d - q", r->rank - 1);
        return;
    }
    orr__text_addf(t, "(%s)W(%d)", type, at++);
    if (l->linear) {
        if (move[0] == ORR__MOVE_UNIT)
            orr__text_addf(t, " + (%s)i", type);
        return;
    }
    for (int d = 0; d < r->rank; d++) {
        if (move[d] == ORR__MOVE_NONE)
            continue;
        orr__text_addf(t, " + (%s)i%d", type, d);
        if (move[d] == ORR__MOVE_ANY)
            orr__text_addf(t, " * (%s)W(%d)", type, at++);
        else if (move[d] > ORR__MOVE_ANY)
            orr__text_addf(t, " * %d", move[d] - ORR__MOVE_ANY);
    }
}

int orr__emit_by(const orr__region *r, const orr__layout *l, int a)
{
    const uint8_t *move = l->move + (size_t)a * ORR_MAX_RANK;
    int word = l->at[a] + 1;
    for (int d = 0; d < r->rank && !l->linear; d++)
        word += move[d] == ORR__MOVE_ANY;
    return word;
}

int orr__emit_box_words(const orr__access *a)
{
    int n = 0;
    for (uint32_t box = a->box; box; box &= box - 1)
        n += 2;
    return n;
}

int64_t *orr__emit_box_fill(const orr__access *a, int64_t row, int64_t *word)
{
    for (uint32_t box = a->box; box; box &= box - 1) {
        int d = __builtin_ctz(box);
        *word++ = a->lo[d] - (d ? 0 : row);
        *word++ = a->hi[d] - (d ? 0 : row);
    }
    return word;
}

orr__reading orr__emit_reading(const orr__region *r, const orr__layout *l, const orr__around *around, int a)
{
    if (!r->access[a].box)
        return ORR__READ_ALWAYS;
    if (around->boxed == ORR__BOXED_SET)
        return around->inside >> l->boxes[a] & 1u ? ORR__READ_ALWAYS : ORR__READ_NEVER;
    bool columns = l->column && l->column[a] >= 0;
    return around->boxed == ORR__BOXED_ALL && !columns ? ORR__READ_ALWAYS : ORR__READ_TESTED;
}

static void inside_on_axes(orr__text *t, const orr__region *r, const orr__layout *l, int a)
{
    int word = orr__emit_by(r, l, a);
    orr__text_add(t, "1");
    for (int d = 0; d < r->rank; d++)
        if (r->access[a].box >> d & 1u) {
            orr__text_addf(t, " && i%d >= (orr_idx)W(%d) && i%d < (orr_idx)W(%d)", d, word, d, word + 1);
            word += 2;
        }
}

void orr__emit_inside(orr__text *t, const orr__region *r, const orr__layout *l, const orr__around *around, int a)
{
    orr__reading reading = orr__emit_reading(r, l, around, a);
    int last = r->rank - 1;
    if (reading != ORR__READ_TESTED) {
        orr__text_add(t, reading == ORR__READ_ALWAYS ? "1" : "0");
        return;
    }
    if (around->boxed == ORR__BOXED_TESTED || around->boxed == ORR__BOXED_AXES) {
        if (around->boxed == ORR__BOXED_TESTED)
            orr__text_addf(t, "(set >> %d & 1)", l->boxes[a]);
        else
            inside_on_axes(t, r, l, a);
        return;
    }
    bool range = around->boxed == ORR__BOXED_RANGE;
    if (l->column && l->column[a] >= 0)
        orr__text_addf(t, "columns%d[i%d - q] != 0%s", l->column[a], last, range ? " && " : "");
    if (range)
        orr__text_addf(t, "i%d >= lo%d && i%d < hi%d", last, a, last, a);
}

void orr__emit_array(orr__text *t, const orr__region *r, const orr__layout *l, int a)
{
    bool packed = l->packed && l->packed[a], joined = l->joined && l->joined[a];
    orr__text_addf(t, joined ? "join%d" : packed ? "pack%d" : "in%d", joined || packed ? a : r->access[a].input);
}

void orr__emit_element(orr__text *t, const orr__region *r, const orr__layout *l, const orr__rinstr *in)
{
    orr__emit_index(t, r, l, in->a, false);
    if (in->kind == ORR__RI_GATHER)
        orr__text_addf(t, " + (orr_idx)r%d * (orr_idx)W(%d)", in->x, orr__emit_by(r, l, in->a));
}

void orr__emit_wrong(orr__text *t, int flag, const char *number, const char *index)
{
    orr__text_addf(t, "    ORR_WRONG(flag + %d, %s, %s)\n", flag, number, index);
}

/* Where a flag reports out-of-range indices, such a place becomes -1, and nothing is read at it. Elsewhere it becomes
 * 0, and `bad` is set. */
static void place(orr__text *t, const orr__region *r, const orr__layout *l, const orr__rinstr *in, int n)
{
    int by = orr__emit_by(r, l, in->a), flag = 0;
    char number[16], index[16];
    orr__text_addf(t,
                   "    const orr_i64 k%d = r%d, at%d = k%d < 0 ? k%d + W(%d) : k%d;\n"
                   "    const orr_i64 no%d = (orr_i64)(at%d < 0) | (orr_i64)(at%d >= W(%d));\n",
                   n, in->x, n, n, n, by, n, n, n, n, by);
    if (!l->flag) {
        orr__text_addf(t, "    bad |= no%d;\n    const orr_i64 r%d = no%d ? 0 : at%d;\n", n, n, n, n);
        return;
    }
    for (int i = 0; i < n; i++)
        flag += r->instr[i].kind == ORR__RI_PLACE ? ORR__FLAG_INTS : 0;
    orr__text_addf(t, "    const orr_i64 r%d = no%d ? -1 : at%d;\n    if (no%d) {\n    const orr_i64 q%d = ", n, n, n,
                   n, n);
    orr__emit_index(t, r, l, in->a, true);
    orr__text_add(t, ";\n");
    (void)snprintf(number, sizeof number, "q%d", n);
    (void)snprintf(index, sizeof index, "k%d", n);
    orr__emit_wrong(t, flag, number, index);
    orr__text_add(t, "    }\n");
}

/* The value of a place outside of the array. */
static const char *nothing(orr_dtype t)
{
    return orr__is_field(t) ? "orr_zero_element()"
           : t == ORR_C64   ? "orr_zero_c64()"
           : t == ORR_C128  ? "orr_zero_c128()"
                            : "0";
}

/* A column of joined rows outside of the box is read all the same and masked to 0 bitwise: no jump, no masked load. */
static void load_column(orr__text *t, const orr__region *r, const orr__layout *l, const orr__rinstr *in, orr_dtype from)
{
    bool f32 = from == ORR_F32, f64 = from == ORR_F64;
    if (f32 || f64)
        orr__text_add(t, f32 ? "orr_bits_f32(orr_f32_bits(" : "orr_bits_f64(orr_f64_bits(");
    else
        orr__text_addf(t, "(%s)(", orr__emit_storage(from));
    orr__emit_array(t, r, l, in->a);
    orr__text_add(t, "[");
    orr__emit_element(t, r, l, in);
    orr__text_addf(t, "]%s & (%s)columns%d[i%d - q])", f32 || f64 ? ")" : "",
                   f32   ? "orr_u32"
                   : f64 ? "orr_u64"
                         : orr__emit_storage(from),
                   l->column[in->a], r->rank - 1);
    orr__text_add(t, orr__is_half(from) ? ")" : "");
}

static void load(orr__text *t, const orr__region *r, const orr__layout *l, const orr__around *around,
                 const orr__rinstr *in)
{
    orr_dtype from = (orr_dtype)r->in_dtype[r->access[in->a].input];
    orr__reading reading = orr__emit_reading(r, l, around, in->a);
    bool tested = in->kind == ORR__RI_LOAD && reading == ORR__READ_TESTED;
    if (orr__is_half(from))
        orr__text_addf(t, "orr_%s_to_f32(", orr__emit_suffix(from));
    if (in->kind == ORR__RI_GATHER && l->flag)
        orr__text_addf(t, "r%d < 0 ? %s : ", in->x, nothing(from));
    if (reading == ORR__READ_NEVER) {
        orr__text_addf(t, "%s%s", nothing(from), orr__is_half(from) ? ")" : "");
        return;
    }
    if (tested && around->boxed == ORR__BOXED_ALL && !around->masked) {
        load_column(t, r, l, in, from);
        return;
    }
    bool chosen = tested || around->masked;
    if (around->masked)
        orr__text_addf(t, "(%s)lane < left%s", orr__emit_lane(around->masked), tested ? " && " : "");
    if (tested)
        orr__emit_inside(t, r, l, around, in->a);
    if (chosen)
        orr__text_add(t, " ? ");
    orr__emit_array(t, r, l, in->a);
    orr__text_add(t, "[");
    orr__emit_element(t, r, l, in);
    if (chosen)
        orr__text_addf(t, "] : %s", nothing(from));
    else
        orr__text_add(t, "]");
    orr__text_add(t, orr__is_half(from) ? ")" : "");
}

/* The argument word as a value of the register type of `dtype`. */
void orr__emit_word(orr__text *t, orr_dtype dtype, int word, bool fp64)
{
    if (!orr__is_float(dtype))
        orr__text_addf(t, "(%s)W(%d)", orr__emit_type(dtype), word);
    else if (dtype == ORR_F64 && fp64)
        orr__text_addf(t, "orr_bits_f64((orr_u64)W(%d))", word);
    else
        orr__text_addf(t, "orr_bits_f32((orr_u32)W(%d))", word);
}

/* Ints wrap, so they are computed unsigned; floats are computed in f64 and rounded once. */
static void iota(orr__text *t, const orr__region *r, const orr__layout *l, const orr__rinstr *in, int n, int word)
{
    orr_dtype dtype = (orr_dtype)in->dtype, calc = orr__is_float(dtype) ? ORR_F64 : ORR_U64;
    char name[16];
    (void)snprintf(name, sizeof name, "q%d", n);
    orr__text_addf(t, "    const %s %s = ", orr__emit_type(calc), name);
    orr__emit_word(t, calc, word, true);
    orr__text_add(t, " + ");
    orr__emit_word(t, calc, word + 1, true);
    orr__text_addf(t, " * (%s)(", orr__emit_type(calc));
    orr__emit_index(t, r, l, in->a, true);
    orr__text_addf(t, ");\n    const %s r%d = ", orr__emit_type(dtype), n);
    orr__emit_cast(t, calc, dtype, name, true);
}

bool orr__emit_bounded(const orr__region *r, const orr__rinstr *in)
{
    if (in->kind != ORR__RI_EW || in->y < 0 || r->instr[in->y].kind != ORR__RI_SCALAR)
        return false;
    if (!orr__is_float((orr_dtype)in->dtype) || in->x == in->y)
        return false;
    if (in->op == ORR__EW_clip)
        return in->z != in->x && r->instr[in->z].kind == ORR__RI_SCALAR;
    return in->op == ORR__EW_maximum || in->op == ORR__EW_minimum;
}

const char *orr__emit_near(const orr__rinstr *in)
{
    bool real = in->kind == ORR__RI_EW && orr__is_float((orr_dtype)in->dtype);
    return !real ? NULL : in->op == ORR__EW_sin ? "sin" : in->op == ORR__EW_cos ? "cos" : NULL;
}

/* If y and z are not NaN, a NaN in x propagates by itself. */
static void bounded(orr__text *t, const orr__region *r, const orr__rinstr *in)
{
    const char *type = orr__emit_operand(r, in) == ORR_F64 ? "f64" : "f32";
    if (in->op == ORR__EW_clip)
        orr__text_addf(t, "orr_below_%s(orr_above_%s(r%d, r%d), r%d)", type, type, in->x, in->y, in->z);
    else
        orr__text_addf(t, "orr_%s_%s(r%d, r%d)", in->op == ORR__EW_maximum ? "above" : "below", type, in->x, in->y);
}

/* Register n as an operand. Whether a place is inside of a box is a constant where the loop is inside of a known set
 * of boxes. */
static void operand(orr__text *t, const orr__region *r, const orr__layout *l, const orr__around *around, int n)
{
    const orr__rinstr *in = &r->instr[n];
    if (in->kind == ORR__RI_INSIDE && around->boxed == ORR__BOXED_SET && r->access[in->a].box)
        orr__emit_inside(t, r, l, around, in->a);
    else
        orr__text_addf(t, "r%d", n);
}

static void call(orr__text *t, const orr__region *r, const orr__layout *l, const orr__around *around,
                 const orr__rinstr *in)
{
    static const char *const name[] = { [ORR__ROUND_FIT] = "fit", [ORR__ROUND_ANY] = "round" };
    const orr__ewrow *row = orr__ew(in->op);
    orr__rounding rounding = orr__ew_rounding(in->op);
    bool half = !(l->unrounded && l->unrounded[in - r->instr]) && !row->to_bool && orr__is_half((orr_dtype)in->dtype) &&
                rounding != ORR__ROUND_NONE;
    if (l->no_nan && orr__emit_bounded(r, in)) {
        bounded(t, r, in);
        return;
    }
    if (half)
        orr__text_addf(t, "orr_%s_%s(", name[rounding], orr__emit_suffix((orr_dtype)in->dtype));
    const char *suffix = orr__emit_suffix(orr__emit_operand(r, in)), *near = around->near ? orr__emit_near(in) : NULL;
    if (near)
        orr__text_addf(t, "(far |= vm_is_far_%s(r%d), vm_near_%s_%s(", suffix, in->x, near, suffix);
    else
        orr__text_addf(t, "orr_%s_%s(", row->op.name, suffix);
    const int16_t from[3] = { in->x, in->y, in->z };
    for (int k = 0; k < row->arity; k++) {
        orr__text_add(t, k ? ", " : "");
        operand(t, r, l, around, from[k]);
    }
    orr__text_add(t, near ? "))" : ")");
    if (half)
        orr__text_add(t, ")");
}

void orr__emit_value(orr__text *t, const orr__region *r, const orr__layout *l, const orr__around *around, int n,
                     int *scalar, bool fp64)
{
    const orr__rinstr *in = &r->instr[n];
    orr_dtype dtype = (orr_dtype)in->dtype;
    int word = *scalar;
    *scalar += orr__emit_scalars(in);
    if (in->kind == ORR__RI_IOTA) {
        iota(t, r, l, in, n, word);
        orr__text_add(t, ";\n");
        return;
    }
    if (in->kind == ORR__RI_PLACE) {
        place(t, r, l, in, n);
        return;
    }
    if (in->kind == ORR__RI_RANDOM) {
        orr__text_addf(t, "    const orr_i64 q%d = ", n);
        orr__emit_index(t, r, l, in->a, true);
        orr__text_add(t, ";\n");
        orr__emit_random(t, in, n, word, NULL, fp64);
        return;
    }
    orr__text_addf(t, "    const %s r%d = ", orr__emit_type(dtype), n);
    char x[16];
    switch (in->kind) {
    case ORR__RI_LOAD:
    case ORR__RI_GATHER: load(t, r, l, around, in); break;
    case ORR__RI_INSIDE: orr__emit_inside(t, r, l, around, in->a); break;
    case ORR__RI_SCALAR: orr__emit_word(t, dtype, word, fp64); break;
    case ORR__RI_CAST:
        (void)snprintf(x, sizeof x, "r%d", in->x);
        if (l->unrounded && l->unrounded[n] && orr__compute_dtype((orr_dtype)r->instr[in->x].dtype) == ORR_F32)
            orr__text_add(t, x);
        else
            orr__emit_cast(t, (orr_dtype)r->instr[in->x].dtype, dtype, x, fp64);
        break;
    default: call(t, r, l, around, in); break;
    }
    orr__text_add(t, ";\n");
}

/* Stores the value named x, of dtype `from`, as element i of output k. */
void orr__emit_stored(orr__text *t, const orr__region *r, int k, orr_dtype from, const char *x, bool fp64)
{
    orr_dtype to = (orr_dtype)r->out_dtype[k];
    if (orr__is_half(to)) /* already rounded, by its instruction or by the cast */
        orr__text_addf(t, "orr_pack_%s(", orr__emit_suffix(to));
    orr__emit_cast(t, from, to, x, fp64);
    orr__text_add(t, orr__is_half(to) ? ");\n" : ";\n");
}
