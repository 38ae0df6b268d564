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
    X(STAGE) /* from 0                                                                */                               \
    X(STAGES)                                                                                                          \
    X(LOG)    /* of the length                                                        */                               \
    X(LANES)  /* log of the transforms of a block                                     */                               \
    X(DONE)   /* log of the product of the radices of the stages before               */                               \
    X(RADIX)  /* log of this stage's                                                  */                               \
    X(FULL)   /* log of the order of w                                                */                               \
    X(FIRST)  /* first block of the launch                                            */                               \
    X(BLOCKS) /* of a whole                                                           */                               \
    X(BLOCK)                                                                                                           \
    X(LANE)                                                                                                            \
    X(HIGH)                                                                                                            \
    X(LOW)                                                                                                             \
    X(BEFORE) /* is element i multiplied by s^(place + i·STEP) before the first stage? */                             \
    X(AFTER)  /* after the last: 0 by no power, 1 by w^(place·i), 2 by s^(place + i·STEP) */                         \
    X(STEP)
#define NAME(name) #name,
#define NUMBER(name) name##_,
static const char *const name[] = { WORDS(NAME) };
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
    int64_t k = own[STAGE_], log = own[LOG_], n = own[STAGES_];
    own[DONE_] = log * k / n;
    own[RADIX_] = log * (k + 1) / n - own[DONE_];
    word[0] = (l->hi - l->lo) << (own[LANES_] + log - own[RADIX_]);
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
    own[STAGE_] = 0;
    own[STAGES_] = log > RADIX ? (log + RADIX - 1) / RADIX : 1;
    own[LOG_] = log;
    own[LANES_] = lanes;
    own[FULL_] = full;
    own[FIRST_] = l->lo;
    own[BLOCKS_] = (int64_t)1 << (full - log - lanes);
    own[BEFORE_] = own[AFTER_] = 0;
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
    own[BLOCK_] = own[LANE_] = 0;
    own[HIGH_] = 32;
    own[LOW_] = own[STEP_] = 1;
    own[BEFORE_] = c->nin > 1 && !c->attr.index;
    own[AFTER_] = c->nin > 1 && c->attr.index ? 2 : 0;
}

/* dim: transforms, blocks, the length, transforms of a block. */
static void fill_columns(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    const int64_t *dim = c->out.dim, nb = dim[1] * dim[3];
    int64_t *own = word + ORR__CALL_OWN;
    fill_any(l, word, log_of(dim[2]), log_of(dim[3]), log_of(dim[2] * nb));
    put_scale(own, c, log_of(dim[2] * nb));
    own[BLOCK_] = dim[3];
    own[LANE_] = 1;
    own[HIGH_] = 32 * nb;
    own[LOW_] = own[STEP_] = nb;
    own[BEFORE_] = c->nin > 1 && !c->attr.index;
    own[AFTER_] = 1;
}

static void fill_rows(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    const int64_t *dim = c->out.dim, na = dim[1] * dim[3], width = c->in[0].dim[3];
    int64_t *own = word + ORR__CALL_OWN;
    fill_any(l, word, log_of(dim[2]), log_of(dim[3]), log_of(dim[2] * na));
    own[BLOCK_] = dim[3] * width;
    own[LANE_] = width;
    own[HIGH_] = 32 * na;
    own[LOW_] = 1;
    own[STEP_] = na;
    own[AFTER_] = c->nin > 1 && c->attr.index ? 2 : 0;
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
    if (++own[STAGE_] >= own[STAGES_])
        return false;
    stage(own, l, word);
    return true;
}

static void functions(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    (void)r;
    orr__emit_field_begin(t, d, ORR_FR254);
    orr__text_add(t, "typedef orr_element orr_part;\n");
}

/* w^(e·2^shift), by the squares of w. */
static const char root_text[] = ORR__TEXT(orr_element root = ORR_ONE; for (int b = 0; exponent >> b; b++) {
    if (exponent >> b & 1u) {
        orr_element square;
        orr_word_element(square, W_SQUARES + 4 * (b + shift));
        root = F(mul)(root, square);
    }
});

static const char place_text[] =
    ORR__TEXT(const int log = (int)W_LOG; const int lanes = (int)W_LANES; const int done = (int)W_DONE;
              const int radix = (int)W_RADIX; const int full = (int)W_FULL; const int sub = log - radix;
              const int count = 1 << radix; const int last = W_STAGE + 1 == W_STAGES;
              const orr_idx lane = e & (((orr_idx)1 << lanes) - 1); const orr_idx rest = e >> lanes;
              const orr_idx u = rest & (((orr_idx)1 << sub) - 1); const orr_idx block = rest >> sub;
              const orr_idx q = u & (((orr_idx)1 << done) - 1); const orr_idx part = u >> done;
              const orr_idx there = (orr_idx)W_FIRST + block; const orr_idx whole = there / (orr_idx)W_BLOCKS;
              const orr_idx within = there - whole * (orr_idx)W_BLOCKS; const orr_idx place = (within << lanes) + lane;
              orr_element v[16]; orr_element f; orr_element step; orr_u32 exponent; int shift = 0;);

/* The stages write to the memory between and to the result in turn, so that the last stage writes the result. */
static const char load_text[] =
    ORR__TEXT(const int turn = (int)(W_STAGES - W_STAGE) & 1; for (int j = 0; j < count; j++) {
        const orr_idx at = q + ((part + ((orr_idx)j << (sub - done))) << done);
        if (W_STAGE == 0)
            v[j] = X[(whole * (orr_idx)W_BLOCKS << (lanes + log)) + within * (orr_idx)W_BLOCK + lane * (orr_idx)W_LANE +
                     (at >> 5) * (orr_idx)W_HIGH + (at & 31) * (orr_idx)W_LOW];
        else if (turn)
            v[j] = scratch[(((block << log) + at) << lanes) + lane];
        else
            v[j] = Z[(((there << log) + at) << lanes) + lane];
    });

/* The elements of an item as a transform by a root of order 2^radix: decimation in frequency, results in bit-reversed order. */
static const char butterfly_text[] = ORR__TEXT(orr_word_element(step, W_SQUARES + 4 * (full - radix));
                                               for (int middle = count >> 1; middle > 0; middle >>= 1) {
                                                   f = ORR_ONE;
                                                   for (int j = 0; j < middle; j++) {
                                                       for (int b = j; b < count; b += 2 * middle) {
                                                           const orr_element x = v[b];
                                                           const orr_element y = v[b + middle];
                                                           const orr_element d = F(sub)(x, y);
                                                           v[b] = F(add)(x, y);
                                                           v[b + middle] = j > 0 ? F(mul)(d, f) : d;
                                                       }
                                                       f = F(mul)(f, step);
                                                   }
                                                   step = F(mul)(step, step);
                                               });

static const char store_text[] = ORR__TEXT(for (int j = 0; j < count; j++) {
    const orr_idx at = q + (((part << radix) + j) << done);
    int from = 0;
    for (int b = 0; b < radix; b++)
        from |= (j >> b & 1) << (radix - 1 - b);
    orr_element x = v[from];
    if (factors) {
        x = F(mul)(x, f);
        f = F(mul)(f, step);
    }
    if (turn)
        Z[(((there << log) + at) << lanes) + lane] = x;
    else
        scratch[(((block << log) + at) << lanes) + lane] = x;
});

static void text(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    orr__emit_field_words(t, name, OWN);
    orr__text_addf(t, "#define W_SQUARES %d\n#define X (in0 + W(%d))\n#define Z (out0 + W(%d))\n",
                   ORR__CALL_OWN + SQUARES, in_at, l->out_at);
    orr__text_add(t, place_text);
    orr__text_add(t, load_text);
    if (r->call.nin > 1) {
        orr__text_addf(t, "    const orr_element shifted = in1[W(%d)];\n", in_at + 1);
        orr__text_add(t, ORR__TEXT(if (W_BEFORE && W_STAGE == 0) {
                          f = orr_power(shifted, (orr_u32)(place + u * (orr_idx)W_STEP));
                          step = orr_power(shifted, (orr_u32)((orr_idx)W_STEP << sub));
                          for (int j = 0; j < count; j++) {
                              v[j] = F(mul)(v[j], f);
                              f = F(mul)(f, step);
                          }
                      }));
    }
    orr__text_add(t, butterfly_text);
    /* Factors of the results: between stages powers of one root, after the last stage those of columns, rows and cosets. */
    orr__text_add(t, "    int factors = !last && part > 0;\n    f = step = ORR_ONE;\n    if (factors) {\n"
                     "    exponent = (orr_u32)part; shift = full - log + done;\n");
    orr__text_add(t, root_text);
    orr__text_add(t, "    step = root;\n    }\n    if (last) {\n");
    orr__text_addf(t, "    orr_word_element(f, %d);\n", ORR__CALL_OWN + SCALE);
    orr__text_add(
        t, "    factors = 1;\n    if (W_AFTER == 1) {\n    shift = 0; exponent = (orr_u32)(place << sub);\n    {\n");
    orr__text_add(t, root_text);
    orr__text_add(t, "    step = root;\n    }\n    exponent = (orr_u32)(place * q);\n    {\n");
    orr__text_add(t, root_text);
    orr__text_add(t, "    f = F(mul)(f, root);\n    }\n    }\n");
    if (r->call.nin > 1)
        orr__text_add(t, ORR__TEXT(if (W_AFTER == 2) {
                          step = orr_power(shifted, (orr_u32)((orr_idx)W_STEP << sub));
                          f = F(mul)(f, orr_power(shifted, (orr_u32)(place + q * (orr_idx)W_STEP)));
                      }));
    orr__text_add(t, "    }\n");
    orr__text_add(t, store_text);
}

const orr__emit_call orr__emit_kernel_field_transform = {
    .words = words, .fill = fill_transform, .functions = functions, .text = text, .scratch = scratch, .next = next
};
const orr__emit_call orr__emit_kernel_field_columns = {
    .words = words, .fill = fill_columns, .functions = functions, .text = text, .scratch = scratch, .next = next
};
const orr__emit_call orr__emit_kernel_field_rows = { .can = can_rows,
                                                     .words = words,
                                                     .fill = fill_rows,
                                                     .functions = functions,
                                                     .text = text,
                                                     .scratch = scratch,
                                                     .next = next };
