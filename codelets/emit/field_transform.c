/* Kernels of number-theoretic transforms: Stockham stages of radix 16 and less, one launch per stage, one item per butterfly. The columns
 * and the rows of a long transform are transforms, too, with other element positions.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include "codelets/emit/field.h"

enum { RADIX = 4 }; /* an item has at most 2^RADIX elements */

/* The positions of an operand: element i of transform `lane` of a block is at block·BLOCK + lane·LANE + (i / 32)·HIGH + (i mod 32)·LOW of
 * the 2^(LANES + LOG)·BLOCKS elements of the whole. In the result and in the memory between stages, lanes are adjacent. s and w are the
 * shift and a root of order 2^FULL, whose squares are at SQUARES. `place` is the number of a column or a row. */
#define WORDS(X)                                                                                                       \
    X(stage) /* from 0                                                                */                               \
    X(stages)                                                                                                          \
    X(length) /* of the length                                                        */                               \
    X(lanes)  /* log of the transforms of a block                                     */                               \
    X(done)   /* log of the product of the radices of the stages before               */                               \
    X(radix)  /* log of this stage's                                                  */                               \
    X(full)   /* log of the order of w                                                */                               \
    X(first)  /* first block of the launch                                            */                               \
    X(blocks) /* of a whole                                                           */                               \
    X(block_step)                                                                                                      \
    X(lane_step)                                                                                                       \
    X(high_step)                                                                                                       \
    X(low_step)                                                                                                        \
    X(before) /* is element i multiplied by s^(place + i·STEP) before the first stage? */                             \
    X(after)  /* after the last: 0 by no power, 1 by w^(place·i), 2 by s^(place + i·STEP) */                         \
    X(element_step)
#define NAME(name) #name,
#define NUMBER(name) name##_,
static const char *const names[] = { WORDS(NAME) NULL };
enum { WORDS(NUMBER) OWN };
enum { SCALE = OWN, SQUARES = SCALE + ORR__LIMBS, END = SQUARES + ORR__LIMBS * (ORR__NTT_MAX + 1) };

static int words(const orr__region *r)
{
    (void)r;
    return END;
}

/* Sets the words for the stage in word STAGE. */
static void stage(int64_t *own, const orr__launch *l, int64_t *word)
{
    int64_t k = own[stage_], log = own[length_], n = own[stages_];
    own[done_] = log * k / n;
    own[radix_] = log * (k + 1) / n - own[done_];
    word[0] = (l->hi - l->lo) << (own[lanes_] + log - own[radix_]);
}

static void fill_any(const orr__launch *l, int64_t *word, int log, int lanes, int full)
{
    const orr__call *c = &l->region->call;
    const bool inverse = c->attr.index != 0;
    int64_t *own = word + ORR__CALL_OWN;
    orr__fe w = inverse ? orr__fr_root_inverse : orr__fr_root;
    for (int i = 0; i < ORR__NTT_MAX - full; i++)
        w = fe_square(w, &orr__fr);
    for (int i = 0; i <= ORR__NTT_MAX; i++, w = fe_square(w, &orr__fr))
        orr__emit_field_put(own + SQUARES + ORR__LIMBS * i, w);
    orr__emit_field_put(own + SCALE, orr__fr.one);
    own[stage_] = 0;
    own[stages_] = log > RADIX ? (log + RADIX - 1) / RADIX : 1;
    own[length_] = log;
    own[lanes_] = lanes;
    own[full_] = full;
    own[first_] = l->lo;
    own[blocks_] = (int64_t)1 << (full - log - lanes);
    own[before_] = own[after_] = 0;
    word[ORR__CALL_FIRST] = 0;
    stage(own, l, word);
}

static void put_scale(int64_t *own, const orr__call *c, int full)
{
    orr__fe scale = orr__fr.one;
    for (int i = 0; c->attr.index && i < full; i++)
        scale = fe_mul(scale, orr__fr_half, &orr__fr);
    orr__emit_field_put(own + SCALE, scale);
}

static int log_of(int64_t n)
{
    int log = 0;
    while ((int64_t)1 << log < n)
        log++;
    return log;
}

static void fill_transform(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    int64_t *own = word + ORR__CALL_OWN;
    int log = log_of(c->out.dim[c->out.rank - 1]);
    fill_any(l, word, log, 0, log);
    put_scale(own, c, log);
    own[block_step_] = own[lane_step_] = 0;
    own[high_step_] = 32;
    own[low_step_] = own[element_step_] = 1;
    own[before_] = c->nin > 1 && !c->attr.index;
    own[after_] = c->nin > 1 && c->attr.index ? 2 : 0;
}

/* dim: transforms, blocks, the length, transforms of a block. */
static void fill_columns(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    const int64_t *dim = c->out.dim, nb = dim[1] * dim[3];
    int64_t *own = word + ORR__CALL_OWN;
    fill_any(l, word, log_of(dim[2]), log_of(dim[3]), log_of(dim[2] * nb));
    put_scale(own, c, log_of(dim[2] * nb));
    own[block_step_] = dim[3];
    own[lane_step_] = 1;
    own[high_step_] = 32 * nb;
    own[low_step_] = own[element_step_] = nb;
    own[before_] = c->nin > 1 && !c->attr.index;
    own[after_] = 1;
}

static void fill_rows(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    const int64_t *dim = c->out.dim, na = dim[1] * dim[3], width = c->in[0].dim[3];
    int64_t *own = word + ORR__CALL_OWN;
    fill_any(l, word, log_of(dim[2]), log_of(dim[3]), log_of(dim[2] * na));
    own[block_step_] = dim[3] * width;
    own[lane_step_] = width;
    own[high_step_] = 32 * na;
    own[low_step_] = 1;
    own[element_step_] = na;
    own[after_] = c->nin > 1 && c->attr.index ? 2 : 0;
}

/* True if the first half of the input is in blocks of 32 columns, as HIGH and LOW require. */
static bool can_rows(const orr__region *r)
{
    return r->call.in[0].rank == 4 && r->call.in[0].dim[3] == 32;
}

/* Bytes for all transforms of the launch; 0 if there is only one stage. */
static size_t scratch(const orr__launch *l)
{
    const orr_shape *s = &l->region->call.out;
    int64_t rows = l->region->dim[0], row = rows > 0 ? orr__shape_count(s) / rows : 0;
    return row >> RADIX > 1 ? (size_t)(row * (l->hi - l->lo)) * sizeof(orr__fe) : 0;
}

static bool next(const orr__launch *l, int64_t *word)
{
    int64_t *own = word + ORR__CALL_OWN;
    if (++own[stage_] >= own[stages_])
        return false;
    stage(own, l, word);
    return true;
}

static void parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l)
{
    orr__emit_field_parameters(t, undo, r, l);
    orr__text_define(t, undo, "SCALE", "%d", ORR__CALL_OWN + SCALE);
    orr__text_define(t, undo, "SQUARES", "%d", ORR__CALL_OWN + SQUARES);
    if (r->call.nin > 1)
        orr__text_define(t, undo, "SHIFT(at)", "IN1(at)");
}

static const char helpers[] = "typedef orr_element orr_part;\n";
static const char text[] =
#include "codelets/emit/kernels/field_transform.ctext"
    ;
#define KERNEL(filler, condition)                                                                                      \
    {                                                                                                                  \
        .can = condition, .words = words, .names = names, .fill = filler, .functions = orr__emit_field_functions,      \
        .helpers = helpers, .body = text, .parameters = parameters, .scratch = scratch, .next = next                   \
    }
const orr__emit_call orr__emit_kernel_field_transform = KERNEL(fill_transform, NULL);
const orr__emit_call orr__emit_kernel_field_columns = KERNEL(fill_columns, NULL);
const orr__emit_call orr__emit_kernel_field_rows = KERNEL(fill_rows, can_rows);
