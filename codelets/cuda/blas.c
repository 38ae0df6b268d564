/* Matrix products through cuBLASLt: the supported regions, the descriptors, and the choice of an algorithm, cached per
 * shape. cuBLASLt is column-major, our matrices are row-major: it computes Cᵀ = Bᵀ · Aᵀ, and our b is its first
 * operand.
 * Must not know: generated kernels, StarPU. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "ops/ops.h"
#include "runtime/base/buffer.h"
#include "runtime/base/dtype.h"
#include "runtime/base/env.h"

enum { SHAPES = 256, CALLS = 256, ALIGNED = 256 }; /* limit of a library */

bool orr__cu_lt_activations;

/* The key of a choice of algorithm, compared as bytes. */
typedef struct {
    int64_t m, n, k, lda, ldb, batches, step_a, step_b, step_d;
    int32_t type, compute, trans_a, trans_b, epilogue, align;
} problem;

typedef struct orr__cu_shape {
    struct orr__cu_shape *next;
    problem p;
    void *desc, *a, *b, *d;
    orr__lt_choice choice;
    bool refused;
} shape;

/* -- supported regions ----------------------------------------------------------------------------------------- */

static orr_dtype made(const orr__region *r)
{
    return (orr_dtype)(r->ninstr > 0 ? r->instr[0].dtype : r->out_dtype[0]);
}

static bool is_row(const orr__rinstr *in, const char *name)
{
    return in->kind == ORR__RI_EW && strcmp(orr__ew(in->op)->op.name, name) == 0;
}

/* True if an access reads one value per column of the product, contiguously. */
static bool along_n(const orr__region *r, int a)
{
    const orr__access *c = &r->access[a];
    int n = r->rank - 2;
    for (int d = 0; d < r->rank; d++)
        if (d != n && r->dim[d] != 1 && c->stride[d] != 0)
            return false;
    return c->input >= 0 && r->in_dtype[c->input] == made(r) && (c->stride[n] == 1 || r->dim[n] == 1);
}

/* product [+ bias] [relu | gelu_tanh], each of the product's dtype, and nothing else. */
bool orr__cu_product_is(const orr__region *r, orr__cu_product *p)
{
    orr_dtype t = made(r);
    int at = 1, last = 0;
    *p = (orr__cu_product){ .epilogue = ORR__LT_PLAIN, .bias = -1 };
    if (r->nout != 1 || r->out_dtype[0] != t)
        return false;
    if (r->ninstr < 2)
        return true;
    for (int i = 0; i < r->ninstr; i++)
        if (r->instr[i].dtype != t)
            return false;
    if (t == ORR_F64) /* the library has no epilogues for f64 */
        return false;
    const orr__rinstr *in = r->instr;
    if (r->ninstr > 2 && in[1].kind == ORR__RI_LOAD && is_row(&in[2], "add") && along_n(r, in[1].a) &&
        ((in[2].x == 0 && in[2].y == 1) || (in[2].x == 1 && in[2].y == 0))) {
        p->bias = in[1].a;
        p->epilogue = ORR__LT_WITH_BIAS;
        last = 2;
        at = 3;
    }
    if (orr__cu_lt_activations && at < r->ninstr && in[at].x == last &&
        (is_row(&in[at], "relu") || (is_row(&in[at], "gelu_tanh") && t != ORR_F32))) {
        int which = is_row(&in[at], "relu") ? ORR__LT_RELU : ORR__LT_GELU;
        p->epilogue = p->bias >= 0 ? p->epilogue | which : which;
        last = at++;
    }
    return at == r->ninstr && r->out_reg[0] == last;
}

/* -- one launch as the library sees it ---------------------------------------------------------------------------- */

static bool type_of(orr_dtype t, problem *p)
{
    p->compute = ORR__LT_COMPUTE_32F;
    switch (t) {
    case ORR_F16: p->type = ORR__LT_R16; return true;
    case ORR_BF16: p->type = ORR__LT_BF16; return true;
    case ORR_F32:
        p->type = ORR__LT_R32;
        p->compute = orr__env.tf32 ? ORR__LT_COMPUTE_TF32 : ORR__LT_COMPUTE_32F;
        return true;
    case ORR_F64:
        p->type = ORR__LT_R64;
        p->compute = ORR__LT_COMPUTE_64F;
        return true;
    default: return false;
    }
}

/* True if a matrix of `rows` × `cols` elements with strides `down` and `across` has contiguous rows or contiguous
 * columns. An axis of one element may have any stride. */
static bool lies(int64_t rows, int64_t cols, int64_t down, int64_t across, int32_t *trans, int64_t *ld)
{
    if ((across == 1 || cols == 1) && (down >= cols || rows == 1)) {
        *trans = 0;
        *ld = rows == 1 || down < cols ? cols : down;
        return true;
    }
    *trans = 1;
    *ld = cols == 1 || across < rows ? rows : across;
    return (down == 1 || rows == 1) && (across >= rows || cols == 1);
}

/* The axes of the launch: the last batch axis is passed to the library; axes before it become separate calls. */
static bool understand(const orr__launch *l, problem *p)
{
    const orr__region *r = l->region;
    const orr__access *a = &r->access[0], *b = &r->access[1];
    int nb = r->rank - 3;
    int64_t rows = l->hi - l->lo;
    p->m = nb ? r->dim[nb] : rows;
    p->n = r->dim[nb + 1];
    p->k = r->dim[nb + 2];
    p->batches = nb == 0 ? 1 : nb == 1 ? rows : r->dim[nb - 1];
    if (p->m <= 0 || p->n <= 0 || p->k <= 0 || p->batches <= 0)
        return false;
    p->step_a = nb ? a->stride[nb - 1] : 0;
    p->step_b = nb ? b->stride[nb - 1] : 0;
    p->step_d = p->m * p->n;
    if (!lies(p->m, p->k, a->stride[nb], a->stride[nb + 2], &p->trans_a, &p->lda) ||
        !lies(p->k, p->n, b->stride[nb + 2], b->stride[nb + 1], &p->trans_b, &p->ldb))
        return false;
    if (p->batches > 1 && (p->step_a < 0 || p->step_b < 0))
        return false;
    /* One matrix b for all batches, and contiguous matrices a: this is a single product. */
    if (p->batches > 1 && p->step_b == 0 && !p->trans_a && p->step_a == p->m * p->lda) {
        p->m *= p->batches;
        p->batches = 1;
    }
    if (p->batches == 1)
        p->step_a = p->step_b = p->step_d = 0;
    return p->m <= INT32_MAX && p->n <= INT32_MAX && p->k <= INT32_MAX && p->batches <= INT32_MAX;
}

/* -- descriptors -------------------------------------------------------------------------------------------------- */

static void drop(const orr__lt *lt, shape *s)
{
    if (s->desc)
        (void)lt->desc_destroy(s->desc);
    if (s->a)
        (void)lt->layout_destroy(s->a);
    if (s->b)
        (void)lt->layout_destroy(s->b);
    if (s->d)
        (void)lt->layout_destroy(s->d);
    free(s);
}

void orr__cu_shapes_free(shape *s)
{
    const orr__lt *lt = s ? orr__cu_lt(NULL) : NULL;
    for (shape *next; s; s = next) {
        next = s->next;
        drop(lt, s);
    }
}

static int layout(const orr__lt *lt, void **out, const problem *p, int64_t rows, int64_t cols, int64_t ld, int64_t step)
{
    int32_t batches = (int32_t)p->batches;
    int code = lt->layout_create(out, p->type, (uint64_t)rows, (uint64_t)cols, ld);
    if (code == 0 && batches > 1)
        code = lt->layout_set(*out, ORR__LT_BATCHES, &batches, sizeof batches);
    if (code == 0 && batches > 1)
        code = lt->layout_set(*out, ORR__LT_BATCH_STRIDE, &step, sizeof step);
    return code;
}

static int set_bias(const orr__lt *lt, const shape *s, uintptr_t at)
{
    const void *bias = (const void *)at;
    return at ? lt->desc_set(s->desc, ORR__LT_BIAS, &bias, sizeof bias) : 0;
}

/* A row-major r × c matrix is a column-major c × r one: "not transposed" here is cuBLASLt's N. */
static int describe(const orr__lt *lt, shape *s)
{
    const problem *p = &s->p;
    int scale = p->type == ORR__LT_R64 ? ORR__LT_R64 : ORR__LT_R32;
    int code = lt->desc_create(&s->desc, p->compute, scale);
    if (code == 0)
        code = lt->desc_set(s->desc, ORR__LT_TRANSA, &p->trans_b, sizeof p->trans_b);
    if (code == 0)
        code = lt->desc_set(s->desc, ORR__LT_TRANSB, &p->trans_a, sizeof p->trans_a);
    if (code == 0)
        code = lt->desc_set(s->desc, ORR__LT_EPILOGUE, &p->epilogue, sizeof p->epilogue);
    if (code == 0)
        code = p->trans_b ? layout(lt, &s->a, p, p->k, p->n, p->ldb, p->step_b)
                          : layout(lt, &s->a, p, p->n, p->k, p->ldb, p->step_b);
    if (code == 0)
        code = p->trans_a ? layout(lt, &s->b, p, p->m, p->k, p->lda, p->step_a)
                          : layout(lt, &s->b, p, p->k, p->m, p->lda, p->step_a);
    return code == 0 ? layout(lt, &s->d, p, p->n, p->m, p->n, p->step_d) : code;
}

/* A split reduction keeps f16 and bf16 sums in f32 until the end; by default the library would also add the partial
 * sums in 16 bits. */
static int choose(const orr__lt *lt, orr__cu_stream_memory *memory, shape *s)
{
    bool half = s->p.type == ORR__LT_R16 || s->p.type == ORR__LT_BF16;
    void *pref = NULL;
    int got = 0, code = lt->pref_create(&pref);
    size_t workspace = memory->workspace ? ORR__CU_WORKSPACE : 0;
    uint32_t align = (uint32_t)s->p.align, parts = half ? ORR__LT_IN_COMPUTE_TYPE : ORR__LT_ANY_REDUCTION;
    if (code == 0)
        code = lt->pref_set(pref, ORR__LT_WORKSPACE, &workspace, sizeof workspace);
    if (code == 0)
        code = lt->pref_set(pref, ORR__LT_REDUCTIONS, &parts, sizeof parts);
    for (int i = 0; i < 4 && code == 0; i++) /* of a, b, c, d */
        code = lt->pref_set(pref, ORR__LT_ALIGN_A + i, &align, sizeof align);
    if (code == 0)
        code = lt->heuristic(memory->lt, s->desc, s->a, s->b, s->d, s->d, pref, 1, &s->choice, &got);
    if (pref)
        (void)lt->pref_destroy(pref);
    return code == 0 && (got < 1 || s->choice.state != 0) ? 1 : code;
}

/* The shape's entry, moved to the front of the stream's list; the last entry is dropped if there are too many. */
static shape *find(const orr__lt *lt, orr__cu_stream_memory *memory, const problem *p, uintptr_t bias)
{
    shape **at = &memory->shape, *s;
    int n = 0;
    while (*at && memcmp(&(*at)->p, p, sizeof *p) != 0 && n++ < SHAPES - 1)
        at = &(*at)->next;
    s = *at;
    if (s && memcmp(&s->p, p, sizeof *p) != 0) {
        orr__cu_shapes_free(s);
        *at = s = NULL;
    }
    if (s) {
        *at = s->next;
    } else {
        if (!(s = orr__alloc(sizeof *s)))
            return NULL;
        s->p = *p;
        int code = describe(lt, s);
        if (code == 0)
            code = set_bias(lt, s, bias); /* the choice may depend on whether there is a bias */
        if (code == 0)
            code = choose(lt, memory, s);
        s->refused = code != 0;
        if (s->refused)
            orr__log(3, "cuBLASLt does not take a product of (%lld, %lld) by (%lld, %lld): status %d", (long long)p->m,
                     (long long)p->k, (long long)p->k, (long long)p->n, code);
    }
    s->next = memory->shape;
    memory->shape = s;
    return s;
}

/* -- launches ------------------------------------------------------------------------------------------------------- */

/* Once per worker. Without device memory for the workspace, none is used. */
static bool move_in(const orr__lt *lt, orr__cu_stream_memory *memory)
{
    if (memory->lt)
        return true;
    if (lt->create(&memory->lt) != 0) {
        memory->lt = NULL;
        return false;
    }
    if (orr__cu(NULL)->alloc(&memory->workspace, ORR__CU_WORKSPACE) != ORR__CU_OK)
        memory->workspace = 0;
    return true;
}

typedef struct {
    uintptr_t a, b, d, bias;
} pointers;

/* The pointers of one call: the batch axes except the last are at `index`. */
static pointers point(const orr__launch *l, int bias, uintptr_t out, int64_t out_off, const int64_t *index)
{
    const orr__region *r = l->region;
    int nb = r->rank - 3;
    int64_t size = (int64_t)orr_dtype_size(made(r)), number = 0;
    int64_t at[3] = { 0, 0, 0 };
    for (int k = 0; k < 3; k++) {
        const orr__access *c = k < 2 ? &r->access[k] : bias >= 0 ? &r->access[bias] : NULL;
        if (!c)
            continue;
        at[k] = c->offset + l->lo * c->stride[0] - (l->in_off ? l->in_off[c->input] : 0);
        for (int d = 0; d < nb - 1; d++)
            at[k] += index[d] * c->stride[d];
    }
    for (int d = 0; d < nb; d++)
        number = number * r->dim[d] + (d < nb - 1 ? index[d] : 0);
    int64_t first = (nb == 0 ? 0 : number * r->dim[nb] * r->dim[nb + 1]) - out_off;
    first += r->dim[0] > 0 ? l->lo * (r->out_count / r->dim[0]) : 0;
    pointers p = { .a = (uintptr_t)l->in[r->access[0].input] + (uintptr_t)(at[0] * size),
                   .b = (uintptr_t)l->in[r->access[1].input] + (uintptr_t)(at[1] * size),
                   .d = out + (uintptr_t)(first * size) };
    if (bias >= 0)
        p.bias = (uintptr_t)l->in[r->access[bias].input] + (uintptr_t)(at[2] * size);
    return p;
}

static int32_t alignment(const pointers *p)
{
    uintptr_t all = p->a | p->b | p->d | p->bias | ALIGNED;
    return (int32_t)(all & (~all + 1));
}

static int multiply(const orr__lt *lt, const orr__cu_stream_memory *memory, const shape *s, const pointers *p,
                    void *stream)
{
    static const float one32 = 1, zero32 = 0;
    static const double one64 = 1, zero64 = 0;
    bool wide = s->p.type == ORR__LT_R64;
    const void *one = wide ? (const void *)&one64 : &one32, *zero = wide ? (const void *)&zero64 : &zero32;
    void *d = (void *)p->d;
    struct {
        problem what;
        pointers where;
        orr__lt_choice how;
        orr__cu_address workspace;
    } call; /* all that the library is told */
    memset(&call, 0, sizeof call);
    call.what = s->p;
    call.where = *p;
    call.how = s->choice;
    call.workspace = memory->workspace;
    if (!orr__cu_record_call(&call, sizeof call))
        return 0;
    int code = set_bias(lt, s, p->bias);
    if (code != 0)
        return code;
    return lt->matmul(memory->lt, s->desc, one, (const void *)p->b, s->a, (const void *)p->a, s->b, zero, d, s->d, d,
                      s->d, s->choice.algo, (void *)(uintptr_t)memory->workspace,
                      memory->workspace ? ORR__CU_WORKSPACE : 0, stream);
}

/* The number of calls: one per place of the batch axes except the last. */
static int64_t calls_of(const orr__launch *l)
{
    int64_t n = 1;
    for (int d = 0; d < l->region->rank - 4; d++)
        n *= d == 0 ? l->hi - l->lo : l->region->dim[d];
    return n;
}

static void place(const orr__launch *l, int64_t call, int64_t *index)
{
    for (int d = l->region->rank - 5; d >= 0; d--) {
        int64_t n = d == 0 ? l->hi - l->lo : l->region->dim[d];
        index[d] = call % n;
        call /= n;
    }
}

orr_status orr__cu_product_launch(const orr__cu_product *product, const orr__launch *l, void *out, int64_t out_off,
                                  bool *done)
{
    const orr__lt *lt = orr__cu_lt(NULL);
    orr__site at = orr__cu_site(l->region);
    orr__cu_stream_memory *memory = NULL;
    problem p;
    memset(&p, 0, sizeof p);
    *done = false;
    p.epilogue = product->epilogue;
    if (!lt || !type_of(made(l->region), &p) || !understand(l, &p) || calls_of(l) > CALLS)
        return ORR_OK;
    orr_status st = orr__cu_stream_memory_of(at, l->queue, &memory);
    if (st != ORR_OK || !move_in(lt, memory))
        return st;
    for (int64_t i = 0; i < calls_of(l); i++) {
        int64_t index[ORR__REGION_RANK] = { 0 };
        place(l, i, index);
        pointers q = point(l, product->bias, (uintptr_t)out, out_off, index);
        if (!orr__cu_aligned(
                (const void *)q
                    .bias)) /* the epilogue reads vectors of it; the alignments given to the heuristic are those of matrices only */
            return ORR_OK;
        p.align = alignment(&q);
        shape *s = find(lt, memory, &p, q.bias);
        if (!s)
            return ORR_ENOMEM;
        if (s->refused && i == 0)
            return ORR_OK;
        int code = s->refused ? 1 : multiply(lt, memory, s, &q, l->queue);
        if (code != 0)
            return orr__fail(at, ORR_EDEVICE, "CUDA: cublasLtMatmul: status %d", code);
    }
    *done = true;
    return ORR_OK;
}
