/* Recurrences on CUDA, one launch per step, beside the processor's kernel: every cell, forward, backward, and backward to the first
 * states, with and without lengths, of all sequences at once and of some at a time.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include "ops/nn/recurrence.h"
#include "ops/ops.h"
#include "runtime/base/element.h"
#include "tests/harness/cuda_help.h"

/* There are more sequences and units than in one tile, and no multiple of it. */
enum { BATCH = 19, STEPS = 3, UNITS = 37, MOST = 7, GRADIENT = 1 };

typedef struct {
    orr__region r;
    orr_shape shape[MOST];
    uint8_t dtype[MOST];
    int64_t count[MOST];
    int32_t node[MOST];
    void *in[MOST];
} call;

static void operand(call *c, orr_dtype t, orr_shape s)
{
    int k = c->r.nin++;
    c->shape[k] = s;
    c->dtype[k] = (uint8_t)t;
    c->count[k] = orr__shape_count(&s);
    c->in[k] = calloc((size_t)c->count[k], sizeof(double));
    ORR_REQUIRE(c->in[k] != NULL);
    for (int64_t i = 0; i < c->count[k]; i++)
        orr__scalar_store(
            (char *)c->in[k] + i * (int64_t)orr_dtype_size(t), t,
            t == ORR_I64
                ? (orr__scalar){ .i = i % (STEPS + 1) }
                : orr__scalar_cast((orr__scalar){ .f = sin(0.3 + 2.0 * k + (double)i) / (k ? 4 : 1) }, ORR_F64, t));
}

/* Makes the operands as ops/nn/recurrence.h defines them. */
static void make(call *c, orr_cell cell, uint32_t mask, bool gradient, orr_dtype t)
{
    bool lstm = cell == ORR_CELL_LSTM, gru = cell == ORR_CELL_GRU;
    int64_t wide = (lstm ? 4 : gru ? 3 : 1) * UNITS;
    *c = (call){ 0 };
    c->r.call.attr = (orr__attr){ .index = (int32_t)cell, .mask = mask };
    orr__recur f = orr__recur_of(&c->r.call.attr, STEPS, &ORR_SHAPE(BATCH, UNITS), gradient);
    operand(c, t, gradient ? ORR_SHAPE(BATCH, f.planes, UNITS) : ORR_SHAPE(BATCH, STEPS, wide));
    if (gradient)
        operand(c, t, ORR_SHAPE(BATCH, STEPS, UNITS));
    if (gradient && lstm)
        operand(c, t, ORR_SHAPE(BATCH, UNITS));
    operand(c, t, ORR_SHAPE(UNITS, wide));
    operand(c, t, ORR_SHAPE(BATCH, UNITS));
    if (lstm)
        operand(c, t, ORR_SHAPE(BATCH, UNITS));
    if (mask & ORR__RECUR_BIAS)
        operand(c, t, ORR_SHAPE(wide));
    if (mask & ORR__RECUR_LENGTHS)
        operand(c, ORR_I64, ORR_SHAPE(BATCH));
    c->r.call.op = gradient ? &orr__op_recurrence_grad : &orr__op_recurrence;
    c->r.call.out = !gradient ? ORR_SHAPE(BATCH, f.planes, UNITS)
                    : f.first ? ORR_SHAPE(BATCH, f.states, UNITS)
                              : ORR_SHAPE(BATCH, STEPS, f.back * UNITS);
    c->r.call.nin = c->r.nin;
    c->r.call.in = c->shape;
    c->r.in = c->node;
    c->r.in_dtype = c->dtype;
    c->r.in_count = c->count;
    c->r.nout = 1;
    c->r.out_dtype[0] = (uint8_t)t;
    c->r.out_count = orr__shape_count(&c->r.call.out);
    c->r.rank = 2;
    c->r.dim[0] = BATCH;
    c->r.dim[1] = c->r.out_count / BATCH;
    orr__region_finish(&c->r);
}

/* Launches once for each range of sequences; returns the difference from the processor's result. */
static double difference(call *c, int pieces)
{
    orr_dtype t = (orr_dtype)c->r.out_dtype[0];
    size_t z = orr_dtype_size(t), bytes = (size_t)c->r.out_count * z;
    char *want = calloc(1, bytes), *got = calloc(1, bytes);
    void *dev[MOST], *out;
    orr__kernel *host = NULL, *device = NULL;
    double off = 0;
    ORR_CHECK(want && got);
    if (!want || !got)
        return INFINITY;
    orr__launch l = { .region = &c->r, .hi = BATCH, .in = c->in, .out = (void *[]){ want } };
    ORR_CHECK(orr__cpu.prepare(&c->r, &host) == ORR_OK && orr__cpu.launch(host, &l) == ORR_OK);
    for (int i = 0; i < c->r.nin; i++)
        dev[i] = cuda_buffer(c->in[i], (size_t)c->count[i] * orr_dtype_size((orr_dtype)c->dtype[i]));
    out = cuda_buffer(got, bytes);
    orr_status st = orr__cuda.prepare(&c->r, &device);
    for (int k = 0; k < pieces && st == ORR_OK; k++) {
        orr__launch part = { .region = &c->r,
                             .lo = BATCH * k / pieces,
                             .hi = BATCH * (k + 1) / pieces,
                             .in = dev,
                             .out = &out,
                             .queue = cu.stream };
        st = orr__cuda.launch(device, &part);
    }
    ORR_CHECK_MSG(st == ORR_OK && cuda_fetch(got, out, bytes), "%s", orr_error_message());
    for (int64_t i = 0; i < c->r.out_count; i++) {
        double w = orr__scalar_f64(orr__scalar_load(want + i * (int64_t)z, t), t);
        double d = fabs(w - orr__scalar_f64(orr__scalar_load(got + i * (int64_t)z, t), t));
        off = d <= off ? off : d;
    }
    orr__cpu.release(host);
    orr__cuda.release(device);
    for (int i = 0; i < c->r.nin; i++)
        cuda_drop(dev[i]);
    cuda_drop(out);
    free(want);
    free(got);
    return off;
}

static void every_cell(orr_dtype t, double bound)
{
    for (int cell = ORR_CELL_RNN; cell <= ORR_CELL_GRU; cell++)
        for (int k = 0; k < 6; k++) {
            bool gates = cell >= ORR_CELL_LSTM;
            uint32_t mask = k % 2 ? ORR__RECUR_REVERSE | ORR__RECUR_LENGTHS : 0;
            mask |= k / 2 == 2 ? ORR__RECUR_FIRST : 0;
            mask |= k == 1 && gates ? ORR__RECUR_KEEPS : 0;
            mask |= k < 2 && cell == ORR_CELL_GRU ? ORR__RECUR_BIAS : 0;
            for (int pieces = 1; pieces < 4; pieces += 2) {
                call c;
                make(&c, (orr_cell)cell, mask, k / 2 >= GRADIENT, t);
                double off = difference(&c, pieces);
                ORR_CHECK_MSG(off < bound, "cell %d, case %d, %d pieces: off by %g", cell, k, pieces, off);
                for (int i = 0; i < c.r.nin; i++)
                    free(c.in[i]);
            }
        }
}

static void recurrences_are_the_processors(void)
{
    if (!cu.ok)
        ORR_SKIP("%s", cu.why);
    every_cell(ORR_F32, 2e-5);
    every_cell(ORR_F64, 1e-13);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(recurrences_are_the_processors), { 0 } };
    /* Many launches: strict memory is for the long form. */
    (void)setenv("CUDA_DOUBLE_STRICT", getenv("ORR_TEST_FULL") ? "1" : "0", 0);
    cuda_start();
    int status = orr_test_main(argc, argv, "codelets.cuda_recurrence", tests);
    orr__cuda.stop();
    return status;
}
