/* Convolutions by oneDNN. Arrays whose layout is not the one that its kernel prefers are reordered, and so is the
 * result. Primitives are made once per shape of a launch. A reordered w is reused until its values change.
 * Must not know: launches, plans. */
#include "config.h"

#include "codelets/cpu/conv_onednn.h"
#include "codelets/cpu/cpu.h"
#include "runtime/base/ablation.h"
#include "runtime/base/exit.h"
#include "runtime/base/held.h"
#include "runtime/base/pool.h"

#if defined HAVE_ONEDNN
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cpu/onednn.h"
#include "codelets/cpu/turn.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

enum { X, W, Y, ARRAYS, AXES = ORR__CONV_AXES };

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t desc;
typedef const_dnnl_memory_desc_t const_desc;
static dnnl_status_t describe(desc *d, int n, const dnnl_dims_t dims, const dnnl_dims_t strides)
{
    return strides ? dnnl_memory_desc_create_with_strides(d, n, dims, dnnl_f32, strides)
                   : dnnl_memory_desc_create_with_tag(d, n, dims, dnnl_f32, dnnl_format_tag_any);
}
static void forget(desc *d)
{
    if (*d)
        (void)dnnl_memory_desc_destroy(*d);
}
static bool copy(desc *to, const_desc from)
{
    return from && dnnl_memory_desc_clone(to, from) == dnnl_success;
}
static dnnl_status_t describe_blocks(desc *d, int n, const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    return dnnl_memory_desc_create_with_tag(d, n, dims, dnnl_f32, tag);
}
static dnnl_status_t describe_part(desc *d, const desc *of, const dnnl_dims_t dims, const dnnl_dims_t from)
{
    return dnnl_memory_desc_create_submemory(d, *of, dims, from);
}
#define GIVEN(d) (*(d))
#else
typedef dnnl_memory_desc_t desc;
typedef const dnnl_memory_desc_t *const_desc;
static dnnl_status_t describe(desc *d, int n, const dnnl_dims_t dims, const dnnl_dims_t strides)
{
    return strides ? dnnl_memory_desc_init_by_strides(d, n, dims, dnnl_f32, strides)
                   : dnnl_memory_desc_init_by_tag(d, n, dims, dnnl_f32, dnnl_format_tag_any);
}
static void forget(desc *d)
{
    (void)d;
}
static bool copy(desc *to, const_desc from)
{
    *to = from ? *from : *to;
    return from != NULL;
}
static dnnl_status_t describe_blocks(desc *d, int n, const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    return dnnl_memory_desc_init_by_tag(d, n, dims, dnnl_f32, tag);
}
static dnnl_status_t describe_part(desc *d, const desc *of, const dnnl_dims_t dims, const dnnl_dims_t from)
{
    return dnnl_memory_desc_init_submemory(d, of, dims, from);
}
#define GIVEN(d) (d)
#endif

/* The primitives for launches with these numbers of images and channels. */
/* Bytes of a primitive and its code, which the library does not tell: about, as measured. */
enum { PRIMITIVE = 96 << 10 }; /* limit of memory */

typedef struct made {
    struct made *next;
    int64_t n, mx, my;
    bool refused;
    desc lies[ARRAYS], wants[ARRAYS]; /* layouts of the arrays as stored, and as the kernel requires them */
    bool same[ARRAYS];                /* the kernel accepts the stored layout */
    bool last[ARRAYS];             /* channels last: reordered by our own loops, which are faster than the library's */
    size_t bytes[ARRAYS], scratch; /* of an array in the kernel's layout */
    dnnl_primitive_t run, reorder[ARRAYS];
    size_t held; /* bytes, as counted */
} made;

/* w in a kernel's layout. */
typedef struct kept {
    struct kept *next;
    const made *of;
    int64_t at; /* its first element */
    uint64_t content;
    int uses; /* guarded by the lock; the list has one */
    void *data;
    size_t cap;
} kept;

typedef struct {
    made *first;
    kept *w;
    struct {
        uint64_t content, before; /* of w in this step, and in the previous one */
        int64_t done;             /* channels of the result that are done         */
    } step;
} held;

/* A kernel's description while it is built. */
typedef struct {
    desc plain[ARRAYS], any[ARRAYS];
    int block; /* channels per block of x and y where their number allows it; 0: the library's choice */
    dnnl_dims_t stride, dilation, front, behind;
    dnnl_engine_t engine;
    dnnl_primitive_desc_t kernel;
} plan;

/* -- one engine of the process, streams for each thread ------------------------------------------------------------- */

static dnnl_engine_t engine(void)
{
    static _Atomic(dnnl_engine_t) one;
    dnnl_engine_t e = atomic_load(&one), none = NULL;
    if (e || !orr__onednn_open() || dnnl_engine_create(&e, dnnl_cpu, 0) != dnnl_success)
        return e;
    if (!atomic_compare_exchange_strong(&one, &none, e)) {
        (void)dnnl_engine_destroy(e);
        e = none;
    }
    return e;
}

/* Sets the library's team size, which is 1: tasks are the parallelism. The number becomes part of a kernel when it is
 * made. Returns the previous value, for the caller's own use of OpenMP. */
static int threads(int n)
{
    static _Atomic(void *) set, get;
    void *s = atomic_load(&set), *g = atomic_load(&get);
    if (!s && (s = orr__onednn_openmp("omp_set_num_threads")) && (g = orr__onednn_openmp("omp_get_max_threads"))) {
        atomic_store(&get, g);
        atomic_store(&set, s);
    }
    if (!s || !g)
        return 0;
    int (*max)(void), was;
    void (*put)(int);
    memcpy(&max, &g, sizeof max);
    memcpy(&put, &s, sizeof put);
    was = max();
    if (n > 0 && n != was)
        put(n);
    return was;
}

/* -- descriptions ------------------------------------------------------------------------------------------------------ */

static dnnl_format_tag_t blocks_tag(int block, int axes)
{
    return axes == 2 ? (block == 8 ? dnnl_nChw8c : dnnl_nChw16c) : (block == 8 ? dnnl_nCdhw8c : dnnl_nCdhw16c);
}

/* Dimensions of an array: batch or groups, then channels, then the spatial axes of the convolution. block > 0: the
 * array is stored in blocks of that many channels, as part of an array with `whole` channels, and the kernel must
 * accept it so. */
static bool array(plan *c, int which, const int64_t *head, int nhead, const int64_t *stride, const int64_t *tail,
                  int axes, int block, int64_t whole)
{
    dnnl_dims_t dims, strides;
    int n = nhead + axes;
    int64_t step = 1;
    for (int d = 0; d < nhead; d++)
        dims[d] = head[d];
    for (int d = 0; d < axes; d++)
        dims[nhead + d] = tail[AXES - axes + d];
    for (int d = n - 1; d >= nhead; d--) {
        strides[d] = step;
        step *= dims[d];
    }
    for (int d = nhead - 1; d >= 0; d--)
        strides[d] = stride[d];
    if (block) {
        dnnl_dims_t all, none = { 0 };
        desc parent;
        memcpy(all, dims, sizeof all);
        all[1] = whole;
        if (describe_blocks(&parent, n, all, blocks_tag(block, axes)) != dnnl_success)
            return false;
        bool ok = describe_part(&c->plain[which], &parent, dims, none) == dnnl_success;
        forget(&parent);
        return ok && describe_blocks(&c->any[which], n, dims, blocks_tag(block, axes)) == dnnl_success;
    }
    return describe(&c->plain[which], n, dims, strides) == dnnl_success &&
           (c->block && which != W && dims[1] % c->block == 0
                ? describe_blocks(&c->any[which], n, dims, blocks_tag(c->block, axes))
                : describe(&c->any[which], n, dims, NULL)) == dnnl_success;
}

/* The boxes of the three arrays for a launch: images [n0, n0 + n), a number of groups, channels from ax or ay on. */
typedef struct {
    int64_t n0, n, groups, ax, mx, ay, my, aw;
} part;

/* Channels [lo, hi) of the result: of whole images; or, of one image or of all weights, whole groups or some channels
 * of one group. False: none of these, or no channel. */
static bool part_of(const orr__conv_job *j, part *q)
{
    const orr__conv *v = j->v;
    bool back = j->of == 'x';
    int64_t per = back ? v->c : v->o, all = per * v->groups, nw = orr__conv_count(v->w);
    if (all == 0 || j->hi <= j->lo)
        return false;
    int64_t image = j->of == 'w' ? 0 : j->lo / all, lo = j->lo - image * all, hi = j->hi - image * all;
    *q = (part){ .n = v->n, .groups = v->groups, .mx = v->groups * v->c, .my = v->groups * v->o };
    if (j->of != 'w') {
        q->n0 = image;
        q->n = lo == 0 && hi % all == 0 ? hi / all : 1;
    }
    if (j->of == 'w' || hi % all || lo) {
        int64_t group = lo / per, groups = (hi - 1) / per + 1 - group, first = lo % per;
        if (hi > all || (groups > 1 && (first || hi % per)))
            return false;
        q->groups = groups;
        q->ax = group * v->c + (back ? first : 0);
        q->ay = group * v->o + (back ? 0 : first);
        q->mx = back ? hi - lo : groups * v->c;
        q->my = back ? groups * v->o : hi - lo;
        q->aw = (q->ay * v->c + (back ? first : 0)) * nw;
    }
    return !(j->block_x && (q->ax % j->block || q->mx % j->block)) &&
           !(j->block_y && (q->ay % j->block || q->my % j->block));
}

/* The dimensions of a part of w: groups if there are several, channels of y and of x, spatial axes. Returns the number of axes before the
 * spatial ones. */
static int dims_of_w(const orr__conv *v, const part *q, int axes, dnnl_dims_t dims)
{
    int n = 0;
    if (q->groups > 1)
        dims[n++] = q->groups;
    dims[n++] = q->groups == 1 ? q->my : v->o;
    dims[n++] = q->groups == 1 ? q->mx : v->c;
    for (int d = 0; d < axes; d++)
        dims[n + d] = v->w[AXES - axes + d];
    return n;
}

static bool arrays(plan *c, const orr__conv_job *j, const part *q, int axes)
{
    const orr__conv *v = j->v;
    int64_t nx = orr__conv_count(v->x), nw = orr__conv_count(v->w), ny = orr__conv_count(v->y);
    int64_t cx = v->groups * v->c, cy = v->groups * v->o;
    int64_t ws[3] = { v->o * v->c * nw, v->c * nw, nw };
    dnnl_dims_t wd;
    int nwd = dims_of_w(v, q, axes, wd);
    return array(c, X, (int64_t[]){ q->n, q->mx }, 2, (int64_t[]){ cx * nx, nx }, v->x, axes, j->block_x ? j->block : 0,
                 cx) &&
           array(c, W, wd, nwd, ws + 3 - nwd, v->w, axes, 0, 0) &&
           array(c, Y, (int64_t[]){ q->n, q->my }, 2, (int64_t[]){ cy * ny, ny }, v->y, axes, j->block_y ? j->block : 0,
                 cy);
}

/* Scratch memory of a kernel is the caller's, since threads share the kernel. */
static bool describe_kernel(plan *c, char of)
{
    dnnl_prop_kind_t kind = of == 'y' ? dnnl_forward_inference : dnnl_forward_training;
    dnnl_primitive_desc_t hint = NULL;
    dnnl_primitive_attr_t attr = NULL;
    desc *x = &c->any[X], *w = &c->any[W], *y = &c->any[Y];
    bool ok = dnnl_primitive_attr_create(&attr) == dnnl_success &&
              dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user) == dnnl_success;
#if DNNL_VERSION_MAJOR >= 3
    if (ok)
        ok = dnnl_convolution_forward_primitive_desc_create(of == 'y' ? &c->kernel : &hint, c->engine, kind,
                                                            dnnl_convolution_direct, *x, *w, NULL, *y, c->stride,
                                                            c->dilation, c->front, c->behind, attr) == dnnl_success;
    if (ok && of == 'x')
        ok = dnnl_convolution_backward_data_primitive_desc_create(&c->kernel, c->engine, dnnl_convolution_direct, *x,
                                                                  *w, *y, c->stride, c->dilation, c->front, c->behind,
                                                                  hint, attr) == dnnl_success;
    if (ok && of == 'w')
        ok = dnnl_convolution_backward_weights_primitive_desc_create(&c->kernel, c->engine, dnnl_convolution_direct, *x,
                                                                     *w, NULL, *y, c->stride, c->dilation, c->front,
                                                                     c->behind, hint, attr) == dnnl_success;
#else
    dnnl_convolution_desc_t d;
    ok = ok &&
         dnnl_dilated_convolution_forward_desc_init(&d, kind, dnnl_convolution_direct, x, w, NULL, y, c->stride,
                                                    c->dilation, c->front, c->behind) == dnnl_success &&
         dnnl_primitive_desc_create(of == 'y' ? &c->kernel : &hint, &d, attr, c->engine, NULL) == dnnl_success;
    if (ok && of == 'x')
        ok = dnnl_dilated_convolution_backward_data_desc_init(&d, dnnl_convolution_direct, x, w, y, c->stride,
                                                              c->dilation, c->front, c->behind) == dnnl_success;
    if (ok && of == 'w')
        ok = dnnl_dilated_convolution_backward_weights_desc_init(&d, dnnl_convolution_direct, x, w, NULL, y, c->stride,
                                                                 c->dilation, c->front, c->behind) == dnnl_success;
    if (ok && of != 'y')
        ok = dnnl_primitive_desc_create(&c->kernel, &d, attr, c->engine, hint) == dnnl_success;
#endif
    if (hint)
        (void)dnnl_primitive_desc_destroy(hint);
    if (attr)
        (void)dnnl_primitive_attr_destroy(attr);
    return ok;
}

static int axes_of(const orr__conv *v)
{
    return v->x[0] > 1 || v->w[0] > 1 || v->y[0] > 1 ? 3 : 2;
}

static void plan_end(plan *c)
{
    if (c->kernel)
        (void)dnnl_primitive_desc_destroy(c->kernel);
    for (int k = 0; k < ARRAYS; k++) {
        forget(&c->plain[k]);
        forget(&c->any[k]);
    }
    *c = (plan){ .kernel = NULL };
}

/* True for kernels of the library that are written for no particular processor. */
static bool is_plain(dnnl_primitive_desc_t kernel)
{
    const char *name = NULL;
    return dnnl_primitive_desc_query(kernel, dnnl_query_impl_info_str, 0, &name) != dnnl_success || !name ||
           strncmp(name, "ref", 3) == 0 || strstr(name, "gemm");
}

static bool plan_for(plan *c, const orr__conv_job *j, const part *q, int block)
{
    const orr__conv *v = j->v;
    int axes = axes_of(v);
    c->block = block;
    for (int d = 0; d < axes; d++) {
        int k = AXES - axes + d;
        c->stride[d] = v->stride[k];
        c->dilation[d] = v->dilation[k] - 1;
        c->front[d] = v->before[k];
        c->behind[d] = (v->y[k] - 1) * v->stride[k] + v->dilation[k] * (v->w[k] - 1) + 1 - v->x[k] - v->before[k];
        if (c->behind[d] < 0) /* elements that no window reaches */
            c->behind[d] = 0;
    }
    return (c->engine = engine()) && arrays(c, j, q, axes) && describe_kernel(c, j->of);
}

/* Blocks are as wide as this processor's kernels require. Channels last, the layout that the library prefers, saves a
 * few per cent of the kernel's time at best, adds half of it at worst, and costs more in the reorders. */
static bool plan_kernel(plan *c, const orr__conv_job *j, const part *q)
{
    static const int blocks[] = { 16, 8 };
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        if (plan_for(c, j, q, blocks[b]) && !is_plain(c->kernel))
            return true;
        plan_end(c);
    }
    return plan_for(c, j, q, 0);
}

static dnnl_query_t query_of(char of, int which)
{
    const dnnl_query_t query[ARRAYS] = { of == 'x' ? dnnl_query_diff_src_md : dnnl_query_src_md,
                                         of == 'w' ? dnnl_query_diff_weights_md : dnnl_query_weights_md,
                                         of == 'y' ? dnnl_query_dst_md : dnnl_query_diff_dst_md };
    return query[which];
}

static int result_of(char of)
{
    return of == 'x' ? X : of == 'w' ? W : Y;
}

/* -- primitives and kernels that are kept ------------------------------------------------------------------------------------------------------- */

static void made_free(made *m)
{
    if (m->run)
        (void)dnnl_primitive_destroy(m->run);
    for (int k = 0; k < ARRAYS; k++) {
        if (m->reorder[k])
            (void)dnnl_primitive_destroy(m->reorder[k]);
        forget(&m->lies[k]);
        forget(&m->wants[k]);
    }
    orr__held_sub(ORR_MEMORY_LIBRARIES, m->held);
    free(m);
}

static void kept_unref(kept *k)
{
    if (--k->uses > 0)
        return;
    orr__pool_put(k->data, 0, k->cap);
    free(k);
}

static void forget_kept(held *h)
{
    for (kept *k = h->w, *next; k; k = next) {
        next = k->next;
        kept_unref(k);
    }
    h->w = NULL;
}

static void held_free(void *data)
{
    held *h = data;
    forget_kept(h);
    for (made *m = h->first, *next; m; m = next) {
        next = m->next;
        made_free(m);
    }
    free(h);
}

static bool make_reorder(made *m, int which, bool back, dnnl_engine_t e)
{
    dnnl_primitive_desc_t d = NULL;
    desc *from = back ? &m->wants[which] : &m->lies[which], *to = back ? &m->lies[which] : &m->wants[which];
    bool ok = dnnl_reorder_primitive_desc_create(&d, GIVEN(from), e, GIVEN(to), e, NULL) == dnnl_success &&
              dnnl_primitive_create(&m->reorder[which], d) == dnnl_success;
    if (d)
        (void)dnnl_primitive_desc_destroy(d);
    return ok;
}

/* True if this array of images is stored with its channels last. */
static bool has_channels_last(const_desc d, const int64_t *head, const int64_t *tail, int axes)
{
    dnnl_dims_t dims = { head[0], head[1] }, strides = { 0, 1 };
    int64_t step = head[1];
    desc last;
    for (int k = axes - 1; k >= 0; k--) {
        dims[2 + k] = tail[AXES - axes + k];
        strides[2 + k] = step;
        step *= dims[2 + k];
    }
    strides[0] = step;
    if (describe(&last, 2 + axes, dims, strides) != dnnl_success)
        return false;
    bool yes = dnnl_memory_desc_equal(d, GIVEN(&last));
    forget(&last);
    return yes;
}

static bool make(made *m, const orr__conv_job *j, const part *q)
{
    int axes = axes_of(j->v);
    const int64_t *tail[ARRAYS] = { j->v->x, NULL, j->v->y }, channels[ARRAYS] = { q->mx, 0, q->my };
    plan c = { .kernel = NULL };
    bool ok = plan_kernel(&c, j, q) && dnnl_primitive_create(&m->run, c.kernel) == dnnl_success;
    orr__exit_watch_beyond(ORR__LIBRARY_ONEDNN);
    for (int k = 0; k < ARRAYS && ok; k++) {
        const_desc want = dnnl_primitive_desc_query_md(c.kernel, query_of(j->of, k), 0);
        ok = want && copy(&m->wants[k], want) && copy(&m->lies[k], GIVEN(&c.plain[k]));
        if (!ok)
            break;
        m->same[k] = dnnl_memory_desc_equal(want, GIVEN(&c.plain[k]));
        m->bytes[k] = m->same[k] ? 0 : dnnl_memory_desc_get_size(want);
        m->last[k] = k != W && !(k == X ? j->block_x : j->block_y) &&
                     has_channels_last(want, (int64_t[]){ q->n, channels[k] }, tail[k], axes);
        ok = m->same[k] || m->last[k] || make_reorder(m, k, k == result_of(j->of), c.engine);
    }
    const_desc scratch = ok ? dnnl_primitive_desc_query_md(c.kernel, dnnl_query_scratchpad_md, 0) : NULL;
    m->scratch = scratch ? dnnl_memory_desc_get_size(scratch) : 0;
    plan_end(&c);
    return ok;
}

/* The primitives for such a launch, made if necessary; NULL: the library cannot. */
static const made *made_of(orr__own *own, const orr__conv_job *j, const part *q)
{
    held *h = own->data;
    if (!h && !(h = own->data = calloc(1, sizeof *h)))
        return NULL;
    own->forget = held_free;
    made *m = h->first;
    while (m && !(m->n == q->n && m->mx == q->mx && m->my == q->my))
        m = m->next;
    if (!m && (m = calloc(1, sizeof *m))) {
        *m = (made){ .next = h->first, .n = q->n, .mx = q->mx, .my = q->my };
        m->refused = !make(m, j, q);
        m->held = orr__held_size(m) + (m->run ? PRIMITIVE : 0);
        for (int k = 0; k < ARRAYS; k++)
            m->held += m->reorder[k] ? PRIMITIVE : 0;
        orr__held_add(ORR_MEMORY_LIBRARIES, m->held);
        h->first = m;
    }
    return m && !m->refused ? m : NULL;
}

/* Other numbers of images may have the same layout of the same part of w. */
static bool same_weights(const made *a, const made *b)
{
    return a == b ||
           (a->mx == b->mx && a->my == b->my && dnnl_memory_desc_equal(GIVEN(&a->wants[W]), GIVEN(&b->wants[W])));
}

/* w in m's layout, with one use for the caller; NULL: not kept. */
static kept *kept_of(orr__own *own, const made *m, int64_t at, uint64_t content)
{
    held *h = own->data;
    kept *k = content ? h->w : NULL;
    while (k && !(k->at == at && k->content == content && same_weights(k->of, m)))
        k = k->next;
    if (k)
        k->uses++;
    return k;
}

/* A new entry, which the caller fills in before it is kept. Its memory comes from the pool, so that values of other
 * steps can reuse it, but is not counted as a value. NULL if a value of that size would exceed the limit. */
static kept *kept_new(const made *m, int64_t at, uint64_t content)
{
    kept *k = orr__pool_has_room(m->bytes[W]) ? calloc(1, sizeof *k) : NULL;
    if (!k)
        return NULL;
    *k = (kept){ .of = m, .at = at, .content = content, .uses = 1 };
    if ((k->data = orr__pool_lend(m->bytes[W], &k->cap)))
        return k;
    orr_error_clear();
    free(k);
    return NULL;
}

/* Adds an entry; entries of other values are dropped. */
static void keep(orr__own *own, kept *k)
{
    held *h = own->data;
    for (kept **at = &h->w; *at;) {
        kept *old = *at;
        if (old->content == k->content) {
            at = &old->next;
        } else {
            *at = old->next;
            kept_unref(old);
        }
    }
    k->next = h->w;
    h->w = k;
    k->uses++;
}

/* Notes that the job's channels of the result are done. w stays in the kernel's layout between steps only if two steps
 * had the same w: a variable in training has another value in each step. */
static void count(orr__own *own, const orr__conv_job *j)
{
    held *h = own->data;
    const orr__conv *v = j->v;
    if (h->step.content != j->content) {
        h->step.content = j->content;
        h->step.done = 0;
    }
    h->step.done += j->hi - j->lo;
    if (h->step.done < v->n * v->groups * (j->of == 'x' ? v->c : v->o))
        return;
    if (h->step.before != j->content)
        forget_kept(h);
    h->step.before = j->content;
    h->step.done = 0;
}

/* -- execution ---------------------------------------------------------------------------------------------------------- */

/* A launch: the arrays, and their copies in the kernel's layout. */
typedef struct {
    const made *m;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t own[ARRAYS], as[ARRAYS], scratch;
} call;

static bool execute(const call *c, dnnl_primitive_t p, int n, const dnnl_exec_arg_t *args)
{
    return dnnl_primitive_execute(p, c->stream, n, args) == dnnl_success && dnnl_stream_wait(c->stream) == dnnl_success;
}

/* `own`: the array as stored; `as`: the copy. */
static bool reorder(const call *c, const orr__conv_job *j, int which, bool back, char *own, char *as)
{
    const made *m = c->m;
    const orr__conv *v = j->v;
    dnnl_memory_t from = back ? c->as[which] : c->own[which], to = back ? c->own[which] : c->as[which];
    int64_t n = which == X ? m->mx : m->my, all = v->groups * (which == X ? v->c : v->o);
    int64_t places = orr__conv_count(which == X ? v->x : v->y);
    for (int64_t i = 0; i < m->n && m->last[which]; i++) {
        char *rows = own + (size_t)(i * all * places) * sizeof(float),
             *last = as + (size_t)(i * n * places) * sizeof(float);
        orr__sheet s = back ? (orr__sheet){ last, rows, n, places, 1, n, places }
                            : (orr__sheet){ rows, last, places, n, 1, places, n };
        orr__turn(&s, sizeof(float));
    }
    return m->last[which] ||
           execute(c, m->reorder[which], 2, (dnnl_exec_arg_t[]){ { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } });
}

static bool memory(const call *c, dnnl_memory_t *to, const desc *d, const void *data)
{
    return dnnl_memory_create(to, GIVEN(d), c->engine, (void *)(uintptr_t)data) == dnnl_success;
}

/* `copies`: memory for the reordered arrays. w: memory of w in the kernel's layout, to be filled in with `fill`. */
static bool compute(call *c, const orr__conv_job *j, const char *const data[ARRAYS], char *copies, void *w, bool fill)
{
    const int arg[ARRAYS] = { j->of == 'x' ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC,
                              j->of == 'w' ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
                              j->of == 'y' ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST };
    const made *m = c->m;
    int result = result_of(j->of), n = ARRAYS;
    dnnl_exec_arg_t args[ARRAYS + 1];
    desc raw;
    char *at[ARRAYS] = { NULL };
    for (int k = 0; k < ARRAYS; k++) {
        char *to = m->same[k] ? NULL : k == W && w ? w : copies;
        if (!memory(c, &c->own[k], &m->lies[k], data[k]) || (to && !memory(c, &c->as[k], &m->wants[k], to)))
            return false;
        if (to == copies)
            copies += (m->bytes[k] + 63) / 64 * 64;
        at[k] = to;
        if (to && k != result && (k != W || !w || fill) && !reorder(c, j, k, false, (char *)(uintptr_t)data[k], to))
            return false;
        args[k] = (dnnl_exec_arg_t){ arg[k], to ? c->as[k] : c->own[k] };
    }
    if (m->scratch) {
        dnnl_dims_t size = { (int64_t)(m->scratch + 3) / 4 }, one = { 1 };
        if (describe(&raw, 1, size, one) != dnnl_success)
            return false;
        bool ok = memory(c, &c->scratch, &raw, copies);
        forget(&raw);
        if (!ok)
            return false;
        args[n++] = (dnnl_exec_arg_t){ DNNL_ARG_SCRATCHPAD, c->scratch };
    }
    return execute(c, m->run, n, args) &&
           (m->same[result] || reorder(c, j, result, true, (char *)(uintptr_t)data[result], at[result]));
}

static void end(call *c)
{
    for (int k = 0; k < ARRAYS; k++) {
        if (c->as[k])
            (void)dnnl_memory_destroy(c->as[k]);
        if (c->own[k])
            (void)dnnl_memory_destroy(c->own[k]);
    }
    if (c->scratch)
        (void)dnnl_memory_destroy(c->scratch);
    if (c->stream)
        (void)dnnl_stream_destroy(c->stream);
}

/* Elements [at, at + count) of w, which some jobs read, in the layout of these jobs. Slices of the first axis lie at the same place in both
 * layouts, and are converted one after the other. */
typedef struct {
    int64_t at, count, slice; /* slice: elements of each */
    desc lies, wants, slice_lies, slice_wants;
} piece;
typedef struct {
    orr__value_form base;
    int n;
    piece *of;
} pieces;

/* Is w's form the layout that these primitives require? */
static bool is_in_form(const orr__value_form *f, const made *m, int64_t at)
{
    const pieces *p = (const pieces *)f;
    bool yes = false;
    for (int i = 0; i < p->n && !yes; i++)
        yes = p->of[i].at == at && dnnl_memory_desc_equal(GIVEN(&p->of[i].wants), GIVEN(&m->wants[W]));
    return yes;
}

static bool launch(orr__own *own, const orr__conv_job *j, const part *q, const made *m)
{
    const orr__conv *v = j->v;
    int64_t nx = orr__conv_count(v->x), ny = orr__conv_count(v->y), z = (int64_t)sizeof(float);
    const char *x = j->of == 'x' ? j->to : j->x, *w = j->of == 'w' ? j->to : j->w, *y = j->of == 'y' ? j->to : j->y;
    const char *const data[ARRAYS] = { x + (q->n0 * v->groups * v->c + q->ax) * nx * z, w + q->aw * z,
                                       y + (q->n0 * v->groups * v->o + q->ay) * ny * z };
    size_t copies = m->scratch + 64;
    kept *k = NULL;
    bool fill = false;
    void *formed = j->form ? (char *)(uintptr_t)data[W] : NULL;
    if (formed && !is_in_form(j->form, m, q->aw))
        return false;
    if (!formed && !m->same[W] && j->of != 'w' && j->content) {
        (void)pthread_mutex_lock(&own->lock);
        k = kept_of(own, m, q->aw, j->content);
        (void)pthread_mutex_unlock(&own->lock);
        fill = !k && (k = kept_new(m, q->aw, j->content));
    }
    for (int i = 0; i < ARRAYS; i++)
        copies += m->same[i] || (i == W && (k || formed)) ? 0 : (m->bytes[i] + 63) / 64 * 64;
    call c = { .m = m, .engine = engine() };
    char *more = orr__scratch(copies);
    bool ok = more && dnnl_stream_create(&c.stream, c.engine, dnnl_stream_default_flags) == dnnl_success &&
              compute(&c, j, data, more,
                      formed ? formed
                      : k    ? k->data
                             : NULL,
                      fill);
    end(&c);
    if (k) {
        (void)pthread_mutex_lock(&own->lock);
        if (fill && ok)
            keep(own, k);
        kept_unref(k);
        count(own, j);
        (void)pthread_mutex_unlock(&own->lock);
    }
    return ok;
}

/* By measurement BLAS is faster for the backward pass to few channels, and loops are faster for single planes. */
static bool worth(const orr__conv *v, char of, int64_t channels)
{
    enum { FEW = 4 };
    double terms = (double)orr__conv_count(v->w) * (double)orr__conv_count(v->y) * (double)channels;
    terms *= of == 'x' ? (double)v->o : of == 'y' ? (double)v->c : (double)v->c * (double)v->n;
    bool depthwise = v->groups > 1 && v->c == 1 && v->o == 1;
    return 2 * terms >= ORR__T_ONEDNN_WORK &&
           (depthwise || of == 'w' || v->c > (of == 'x' ? FEW : 1) || (of == 'y' && v->o > 1));
}

/* True for groups of one channel that do not fill blocks: loops over the rows as stored take less time
 * (codelets/cpu/conv.c). */
static bool rows_are_faster(const orr__conv *v, char of)
{
    enum { APART = 4, BLOCK = ORR__VECTOR };
    bool apart = of == 'w' || (of == 'y' && v->stride[2] > APART) ||
                 (of == 'x' && (v->stride[0] != 1 || v->stride[1] != 1 || v->stride[2] != 1));
    return v->groups > 1 && v->c == 1 && v->o == 1 && !apart && v->groups % BLOCK != 0;
}

static bool suits(const orr__conv_job *j, part *q)
{
    bool free = !j->block_x && !j->block_y;
    if (free && (orr__ablated(ORR__OFF_ONEDNN) || !worth(j->v, j->of, j->hi - j->lo) || rows_are_faster(j->v, j->of)))
        return false;
    return part_of(j, q) && engine();
}

int64_t orr__conv_onednn_images(const orr__conv_job *j)
{
    const orr__conv *v = j->v;
    int64_t x = j->block_x ? 0 : v->c * orr__conv_count(v->x), y = j->block_y ? 0 : v->o * orr__conv_count(v->y);
    int64_t w = v->c * v->o * orr__conv_count(v->w), image = (x + y) * v->groups * (int64_t)sizeof(float);
    return image == 0 || (!j->once && 4 * w > x + y) ? v->n : ORR__MAX(ORR__T_CORE_CACHES / image, 1);
}

bool orr__conv_onednn(orr__own *own, const orr__conv_job *j)
{
    part q;
    if (!suits(j, &q))
        return false;
    int was = threads(1);
    (void)pthread_mutex_lock(&own->lock);
    const made *m = made_of(own, j, &q);
    (void)pthread_mutex_unlock(&own->lock);
    bool ok = m && launch(own, j, &q, m);
    (void)threads(was);
    return ok;
}

/* -- w in its form ---------------------------------------------------------------------------------------------------- */

/* Converts one slice; false: it is unchanged. */
static bool turn_slice(const call *place, dnnl_primitive_t run, const desc *source, const desc *target, char *at,
                       void *scratch, size_t bytes)
{
    call c = { .engine = place->engine, .stream = place->stream };
    bool ok = memory(&c, &c.own[W], source, scratch) && memory(&c, &c.as[W], target, at);
    memcpy(scratch, at, bytes);
    ok = ok && execute(&c, run, 2, (dnnl_exec_arg_t[]){ { DNNL_ARG_FROM, c.own[W] }, { DNNL_ARG_TO, c.as[W] } });
    if (!ok)
        memcpy(at, scratch, bytes);
    c.stream = NULL; /* the caller's */
    end(&c);
    return ok;
}

/* Converts the first `count` elements, whole slices; returns the number of elements that are converted. */
static int64_t turn_slices(const piece *p, char *host, void *scratch, bool back, int64_t count)
{
    const desc *source = back ? &p->slice_wants : &p->slice_lies, *target = back ? &p->slice_lies : &p->slice_wants;
    char *to = host + (size_t)p->at * sizeof(float);
    dnnl_primitive_desc_t d = NULL;
    dnnl_primitive_t run = NULL;
    call c = { .engine = engine() };
    dnnl_engine_t e = c.engine;
    bool ok = e && dnnl_stream_create(&c.stream, e, dnnl_stream_default_flags) == dnnl_success &&
              dnnl_reorder_primitive_desc_create(&d, GIVEN(source), e, GIVEN(target), e, NULL) == dnnl_success &&
              dnnl_primitive_create(&run, d) == dnnl_success;
    int64_t done = 0;
    while (ok && done < count &&
           turn_slice(&c, run, source, target, to + (size_t)done * sizeof(float), scratch,
                      (size_t)p->slice * sizeof(float)))
        done += p->slice;
    end(&c);
    if (run)
        (void)dnnl_primitive_destroy(run);
    if (d)
        (void)dnnl_primitive_desc_destroy(d);
    return done;
}

static bool turn_piece(const piece *p, char *host, void *scratch, bool back)
{
    int64_t done = turn_slices(p, host, scratch, back, p->count);
    if (done < p->count)
        (void)turn_slices(p, host, scratch, !back, done);
    return done == p->count;
}

static bool turn(const orr__value_form *base, void *host, void *scratch, bool back)
{
    const pieces *f = (const pieces *)base;
    int was = threads(1), n = 0;
    for (; n < f->n && turn_piece(&f->of[n], host, scratch, back); n++)
        ;
    bool ok = n == f->n;
    while (!ok && n-- > 0)
        (void)turn_piece(&f->of[n], host, scratch, !back);
    (void)threads(was);
    return ok;
}

static bool same_piece(const piece *p, const piece *q)
{
    return p->at == q->at && p->count == q->count && dnnl_memory_desc_equal(GIVEN(&p->lies), GIVEN(&q->lies)) &&
           dnnl_memory_desc_equal(GIVEN(&p->wants), GIVEN(&q->wants));
}

static bool same_pieces(const orr__value_form *f, const orr__value_form *g)
{
    const pieces *p = (const pieces *)f, *q = (const pieces *)g;
    bool same = p->n == q->n;
    for (int i = 0; i < p->n && same; i++)
        same = same_piece(&p->of[i], &q->of[i]);
    return same;
}

static void forget_piece(piece *p)
{
    forget(&p->lies);
    forget(&p->wants);
    forget(&p->slice_lies);
    forget(&p->slice_wants);
}

static void free_pieces(orr__value_form *base)
{
    pieces *f = (pieces *)base;
    for (int i = 0; i < f->n; i++)
        forget_piece(&f->of[i]);
    free(f->of);
    free(f);
}

/* Slices of so many places of the first axis. The slices are separate in the kernel's layout if the first one has no gaps there: layouts are
 * linear in blocks of an axis. */
static bool cut(piece *p, dnnl_dims_t dims, int64_t places)
{
    const dnnl_dims_t origin = { 0 };
    const int64_t all = dims[0], slice = p->count / all * places;
    dims[0] = places;
    forget(&p->slice_lies);
    forget(&p->slice_wants);
    memset(&p->slice_lies, 0, sizeof p->slice_lies);
    memset(&p->slice_wants, 0, sizeof p->slice_wants);
    bool ok = all % places == 0 && describe_part(&p->slice_lies, &p->lies, dims, origin) == dnnl_success &&
              describe_part(&p->slice_wants, &p->wants, dims, origin) == dnnl_success &&
              dnnl_memory_desc_get_size(GIVEN(&p->slice_wants)) == (size_t)slice * sizeof(float);
    dims[0] = all;
    p->slice = slice;
    return ok;
}

static bool cut_into_slices(piece *p, dnnl_dims_t dims)
{
    static const int64_t places[] = { 8, 16, 32, 64 }; /* widths of blocks */
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (cut(p, dims, places[i]))
            return true;
    return cut(p, dims, dims[0]);
}

/* Takes p; false: p is not added. */
static bool add_piece(orr__value_form **f, piece *p)
{
    pieces *all = *f ? (pieces *)*f : calloc(1, sizeof *all);
    if (!all)
        return false;
    if (!*f) {
        all->base = (orr__value_form){ .turn = turn, .same = same_pieces, .free = free_pieces };
        atomic_init(&all->base.refs, 1);
        *f = &all->base;
    }
    for (int i = 0; i < all->n; i++)
        if (same_piece(&all->of[i], p)) {
            forget_piece(p);
            return true;
        }
    piece *more = realloc(all->of, ((size_t)all->n + 1) * sizeof *more);
    if (!more)
        return false;
    all->of = more;
    all->of[all->n++] = *p;
    if (all->base.scratch < (size_t)p->slice * sizeof(float))
        all->base.scratch = (size_t)p->slice * sizeof(float);
    return true;
}

bool orr__conv_onednn_form(orr__own *own, const orr__conv_job *j, orr__value_form **f)
{
    const orr__conv *v = j->v;
    part q;
    if (!suits(j, &q))
        return false;
    bool apart = q.groups > 1 || q.mx == v->c; /* rows of w, from the first column to the last */
    int64_t count = q.my * v->c * orr__conv_count(v->w);
    int was = threads(1);
    (void)pthread_mutex_lock(&own->lock);
    const made *m = made_of(own, j, &q);
    (void)pthread_mutex_unlock(&own->lock);
    (void)threads(was);
    piece p = { .at = q.aw, .count = count };
    dnnl_dims_t dims;
    (void)dims_of_w(v, &q, axes_of(v), dims);
    bool ok = m && apart && !m->same[W] && m->bytes[W] == (size_t)count * sizeof(float) &&
              copy(&p.lies, GIVEN(&m->lies[W])) && copy(&p.wants, GIVEN(&m->wants[W])) && cut_into_slices(&p, dims) &&
              add_piece(f, &p);
    if (!ok)
        forget_piece(&p);
    return ok;
}

/* Each element is in one piece. */
bool orr__conv_onednn_formed(const orr__value_form *base, const orr__conv *v)
{
    const pieces *f = (const pieces *)base;
    int64_t all = v->groups * v->o * v->c * orr__conv_count(v->w), count = 0;
    for (int i = 0; f && i < f->n; i++) {
        count += f->of[i].count;
        for (int k = 0; k < i; k++)
            if (f->of[i].at < f->of[k].at + f->of[k].count && f->of[k].at < f->of[i].at + f->of[i].count)
                return false;
    }
    return count == all;
}

/* The library may prefer a layout that loops cannot use, (n, …, c). Along a chain, its kernel for blocks is faster than
 * the preferred kernel with its reorders. */
unsigned orr__conv_onednn_blocks(const orr__conv *v, char of, int block)
{
    int64_t channels = v->n * v->groups * (of == 'x' ? v->c : v->o);
    orr__conv_job j = { .v = v, .of = of, .hi = of == 'w' ? v->groups * v->o : channels, .block = block };
    part q;
    unsigned bits = 0;
    if ((block != 8 && block != 16) || orr__ablated(ORR__OFF_ONEDNN) || !worth(v, of, j.hi) || !part_of(&j, &q) ||
        !engine())
        return 0;
    int was = threads(1);
    int64_t cx = v->groups * v->c, cy = v->groups * v->o;
    unsigned both = (cx % block == 0 ? 1u : 0) | (cy % block == 0 ? 2u : 0);
    for (unsigned some = 1; some <= both; some++) {
        plan c = { .kernel = NULL };
        j.block_x = some & 1;
        j.block_y = some & 2;
        bool can = (some & both) == some && plan_kernel(&c, &j, &q) && !is_plain(c.kernel);
        bits = some < 3 ? bits | (can ? some : 0) : can ? bits : 0;
        plan_end(&c);
    }
    (void)threads(was);
    return bits;
}

#else

int64_t orr__conv_onednn_images(const orr__conv_job *j)
{
    return j->v->n;
}

bool orr__conv_onednn(orr__own *own, const orr__conv_job *j)
{
    (void)own, (void)j;
    return false;
}

bool orr__conv_onednn_form(orr__own *own, const orr__conv_job *j, orr__value_form **f)
{
    (void)own, (void)j, (void)f;
    return false;
}

bool orr__conv_onednn_formed(const orr__value_form *f, const orr__conv *v)
{
    (void)f, (void)v;
    return false;
}

unsigned orr__conv_onednn_blocks(const orr__conv *v, char of, int block)
{
    (void)v, (void)of, (void)block;
    return 0;
}

#endif
