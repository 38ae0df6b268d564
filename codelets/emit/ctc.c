/* The kernels of connectionist temporal classification: a group of items computes one sequence, shares its states, and
 * steps through its times. Sums over alignments are kept as logarithms in the widest float of the device.
 * Must not know: devices, the languages' words. */
#include "config.h"

#include <string.h>
#include "codelets/emit/call.h"

/* The text of the argument, which is code of the kernel, not of this program. */
#define TEXT(...) #__VA_ARGS__ "\n"

/* first: the sequence of the launch's first group. each: numbers of scratch memory per sequence. */
static const char *const names[] = { "first", "times", "batch", "classes", "longest", "blank", "each" };
enum { WORDS = sizeof names / sizeof *names };

static int words(const orr__region *r)
{
    (void)r;
    return WORDS;
}

static bool gradient(const orr__call *c)
{
    return c->out.rank == 3;
}

/* Rows of states: for a gradient those of all times, otherwise those of a time and of the one before; then two for the
 * backward pass. */
static int64_t rows(const orr__call *c)
{
    return gradient(c) ? c->in[0].dim[0] + 2 : 2;
}

static int64_t numbers(const orr__call *c)
{
    return rows(c) * (2 * c->in[1].dim[1] + 1);
}

static void fill(const orr__launch *l, int64_t *word)
{
    const orr__call *c = &l->region->call;
    const int64_t *p = c->in[0].dim,
                  own[WORDS] = { l->lo, p[0], p[1], p[2], c->in[1].dim[1], c->attr.index, numbers(c) };
    memcpy(word + ORR__CALL_OWN, own, sizeof own);
    word[0] = l->hi - l->lo;
}

static int64_t blocks(const orr__launch *l)
{
    return l->hi - l->lo;
}

static size_t scratch(const orr__launch *l)
{
    return (size_t)((l->hi - l->lo) * numbers(&l->region->call)) * sizeof(double);
}

/* A refusal's number identifies the fault: for each sequence the two lengths, then the labels. */
static int64_t refusals(const orr__call *c)
{
    return c->in[1].dim[1] + 2;
}

static bool can(const orr__region *r)
{
    const orr__call *c = &r->call;
    return (r->out_dtype[0] == ORR_F32 || r->out_dtype[0] == ORR_F64) &&
           refusals(c) < INT32_MAX / (c->in[0].dim[1] + 1);
}

static orr_status refuse(const orr__region *r, int64_t number)
{
    const orr__call *c = &r->call;
    orr__site at = orr__region_site(r);
    long long n = number / refusals(c), k = number % refusals(c), classes = c->in[0].dim[2];
    if (k < 2)
        return orr__fail(at, ORR_EINDEX, "the %s length of sequence %lld is not in 0 … %lld", k ? "target" : "input", n,
                         (long long)(k ? c->in[1].dim[1] : c->in[0].dim[0]));
    return orr__fail(at, ORR_EINDEX, "label %lld of sequence %lld is no class of %lld, or the blank %lld", k - 2, n,
                     classes, (long long)c->attr.index);
}

/* -- text -------------------------------------------------------------------------------------------------- */

static void functions(orr__text *t, const orr__dialect *d, const orr__region *r)
{
    (void)d, (void)r;
    orr__text_add(t, "typedef orr_widest orr_part;\n#define NOTHING (-(orr_widest)orr_bits_f32(0x7f800000u))\n");
    orr__text_add(t, TEXT(ORR_FN orr_widest orr_plus(orr_widest x, orr_widest y) {
                      const orr_widest most = x > y ? x : y;
                      return x == y && x == NOTHING ? x : most + log1p(exp(x > y ? y - x : x - y));
                  }));
}

/* The text's names: A and B are rows of states of the forward and backward passes, P is the logarithm of a state's
 * class. */
static void begin(orr__text *t, const orr__region *r, int in_at)
{
    bool all = gradient(&r->call);
    for (int k = 0; k < WORDS; k++)
        orr__text_addf(t, "    const orr_idx %s = (orr_idx)W(%d);\n", names[k], ORR__CALL_OWN + k);
    orr__text_addf(t,
                   "#define A(t, i) scratch[base + (orr_i64)(%s) * width + (i)]\n"
                   "#define B(t, i) scratch[base + (orr_i64)(times + ((t) & 1)) * width + (i)]\n",
                   all ? "t" : "(t) & 1");
    orr__text_addf(t,
                   "#define LABEL(i) in1[(orr_idx)W(%d) + n * longest + (i)]\n"
                   "#define CLASS(i) ((i) & 1 ? (orr_idx)LABEL((i) / 2) : blank)\n"
                   "#define P(t, i) (orr_widest)in0[(orr_idx)W(%d) + ((t) * batch + n) * classes + CLASS(i)]\n"
                   "#define JUMPS(i) (((i) & 1) && (i) >= 3 && CLASS(i) != CLASS((i) - 2))\n",
                   in_at + 1, in_at);
    orr__text_addf(t,
                   "    const orr_idx n = first + block, width = 2 * longest + 1;\n"
                   "    const orr_i64 base = (orr_i64)block * each;\n"
                   "    const orr_i64 length = in2[(orr_idx)W(%d) + n], labels = in3[(orr_idx)W(%d) + n];\n"
                   "    ORR_SHARE int bad;\n",
                   in_at + 2, in_at + 3);
}

/* A sequence that cannot be computed is reported and treated as empty. */
static void check(orr__text *t)
{
    orr__text_add(t, "    if (me == 0)\n        bad = 0;\n    ORR_BARRIER;\n"
                     "    const orr_i64 some = labels < 0 || labels > longest ? 2 : 2 + labels;\n"
                     "    for (orr_i64 k = me; k < some; k += ORR_GROUP) {\n"
                     "        const orr_i64 value = k == 0 ? length : k == 1 ? labels : LABEL((orr_idx)k - 2);\n"
                     "        const orr_i64 most = k == 0 ? times : k == 1 ? longest : classes - 1;\n"
                     "        const orr_i64 which = (orr_i64)n * (longest + 2) + k;\n"
                     "        if (value >= 0 && value <= most && (k < 2 || value != blank))\n            continue;\n"
                     "        bad = 1;\n");
    orr__emit_wrong(t, 0, "which", "value");
    orr__text_add(t,
                  "    }\n    ORR_BARRIER;\n"
                  "    const orr_idx steps = bad ? 0 : (orr_idx)length, states = bad ? 1 : 2 * (orr_idx)labels + 1;\n");
}

static const char forth_text[] =
    TEXT(for (orr_idx i = me; steps > 0 && i < states; i += ORR_GROUP) A(0, i) = i < 2 ? P(0, i) : NOTHING; ORR_FENCE;
         for (orr_idx t = 1; t < steps; t++) {
             for (orr_idx i = me; i < states; i += ORR_GROUP) {
                 orr_widest sum = A(t - 1, i);
                 if (i > 0)
                     sum = orr_plus(sum, A(t - 1, i - 1));
                 if (JUMPS(i))
                     sum = orr_plus(sum, A(t - 1, i - 2));
                 A(t, i) = sum + P(t, i);
             }
             ORR_FENCE;
         } const orr_widest total = steps == 0   ? states == 1 ? (orr_widest)0 : NOTHING
                                    : states > 1 ? orr_plus(A(steps - 1, states - 1), A(steps - 1, states - 2))
                                                 : A(steps - 1, 0););

/* Each state's share of a time replaces its forward row, after every item has read the total from it. Without any alignment there is no
 * gradient. */
static const char back_text[] =
    TEXT(ORR_FENCE; const orr_idx back = total == NOTHING ? 0 : steps; for (orr_idx t = back - 1; t >= 0; t--) {
        for (orr_idx i = me; i < states; i += ORR_GROUP) {
            orr_widest sum = i + 2 < states ? NOTHING : (orr_widest)0;
            if (t + 1 < back) {
                sum = B(t + 1, i);
                if (i + 1 < states)
                    sum = orr_plus(sum, B(t + 1, i + 1));
                if (i + 2 < states && JUMPS(i + 2))
                    sum = orr_plus(sum, B(t + 1, i + 2));
            }
            A(t, i) = exp(A(t, i) + sum - total);
            B(t, i) = sum + P(t, i);
        }
        ORR_FENCE;
    });

/* An item computes a time: the shares of states with the same class are added in a fixed order. */
static const char share_text[] = TEXT(for (orr_idx k = me; k < times * classes; k += ORR_GROUP) Z[k] = 0; ORR_FENCE;
                                      for (orr_idx t = me; t < back; t += ORR_GROUP) {
                                          orr_widest sum = 0;
                                          for (orr_idx i = 0; i < states; i += 2)
                                              sum += A(t, i);
                                          Z[t * classes + blank] = (TYPE)(0 - sum);
                                          for (orr_idx i = 1; i < states; i += 2)
                                              Z[t * classes + CLASS(i)] -= (TYPE)A(t, i);
                                      });

static void text(orr__text *t, const orr__region *r, const orr__layout *l, int in_at)
{
    orr__text_addf(t, "#define TYPE %s\n", orr__emit_type((orr_dtype)r->out_dtype[0]));
    begin(t, r, in_at);
    check(t);
    orr__text_add(t, forth_text);
    if (!gradient(&r->call)) {
        orr__text_addf(t, "    if (me == 0)\n        out0[(orr_idx)W(%d) + n] = (TYPE)(0 - total);\n", l->out_at);
        return;
    }
    orr__text_addf(t, "#define Z (out0 + (orr_idx)W(%d) + n * times * classes)\n", l->out_at);
    orr__text_add(t, back_text);
    orr__text_add(t, share_text);
}

/* Loss and gradient have one text, which asks the call which of the two it is. */
#define KERNEL                                                                                                         \
    {                                                                                                                  \
        .flags = 1, .can = can, .words = words, .fill = fill, .text = text, .blocks = blocks, .functions = functions,  \
        .refuse = refuse, .scratch = scratch                                                                           \
    }
const orr__emit_call orr__emit_kernel_ctc_loss = KERNEL;
const orr__emit_call orr__emit_kernel_ctc_grad = KERNEL;
