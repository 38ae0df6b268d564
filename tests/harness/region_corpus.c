/* Regions of a corpus: from the numbers of codelets/nest/content.c back to a region, and drawn data.
 * Must not know: texts, compilers. */
#include "config.h"

#include <math.h>
#include "codelets/emit/emit.h"
#include "runtime/base/hash.h"
#include "tests/harness/harness.h"
#include "tests/harness/region_corpus.h"

typedef struct {
    const char *at;
    bool failed;
} reader;

static int64_t number(reader *t)
{
    char *end;
    int64_t v = strtoll(t->at, &end, 10);
    t->failed = t->failed || end == t->at;
    t->at = end;
    return v;
}

/* A number of elements of an array with capacity `most`. */
static int count(reader *t, int most)
{
    int64_t n = number(t);
    t->failed = t->failed || n < 0 || n > most;
    return t->failed ? 0 : (int)n;
}

static void numbers(reader *t, int64_t *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = number(t);
}

static void read_head(reader *t, orr__region *r)
{
    r->nest =
        (int)(number(t) >> 60 & 3); /* the rest are mechanisms that were switched off: those of this process apply */
    r->loops = (orr__loops)number(t);
    r->search = number(t) != 0;
    r->rmask = (uint32_t)number(t);
    r->rank = count(t, ORR__REGION_RANK);
    r->ninstr = count(t, RB_INSTR);
    r->naccess = count(t, RB_ACCESS);
    r->nin = count(t, RB_INPUTS);
    r->nout = count(t, ORR__REGION_OUTS);
    r->out_count = number(t);
    numbers(t, r->dim, r->rank);
    for (int k = 0; k < r->nout; k++) {
        r->out_reg[k] = (int16_t)number(t);
        r->out_dtype[k] = (uint8_t)number(t);
        r->rop[k] = (int)number(t);
    }
}

/* Slots are numbered from that of the first instruction with one; a later one may have a lower slot. */
static void read_instructions(reader *t, rb *b)
{
    int64_t slot[RB_INSTR], least = 0;
    for (int i = 0; i < b->r.ninstr; i++) {
        orr__rinstr *in = &b->instr[i];
        in->kind = (uint8_t)number(t);
        in->dtype = (uint8_t)number(t);
        in->op = (int16_t)number(t);
        in->x = (int16_t)number(t);
        in->y = (int16_t)number(t);
        in->z = (int16_t)number(t);
        in->a = (int16_t)number(t);
        slot[i] = number(t);
        least = slot[i] != INT64_MIN && slot[i] < least ? slot[i] : least;
    }
    for (int i = 0; i < b->r.ninstr; i++) {
        orr__rinstr *in = &b->instr[i];
        in->slot = slot[i] == INT64_MIN ? -1 : (int32_t)(slot[i] - least);
        int end = in->slot + orr__emit_scalars(in);
        b->nscalar = end > b->nscalar ? end : b->nscalar;
        t->failed = t->failed || b->nscalar > RB_SCALARS;
    }
}

static void read_accesses(reader *t, rb *b)
{
    for (int k = 0; k < b->r.naccess; k++) {
        orr__access *a = &b->access[k];
        a->input = (int)number(t);
        a->offset = number(t);
        a->box = (uint32_t)number(t);
        a->placed = number(t) != 0;
        a->by = number(t);
        numbers(t, a->stride, b->r.rank);
        if (a->box) {
            numbers(t, a->lo, b->r.rank);
            numbers(t, a->hi, b->r.rank);
        }
    }
    for (int i = 0; i < b->r.nin; i++) {
        b->in_dtype[i] = (uint8_t)number(t);
        b->in_count[i] = number(t);
    }
}

static void set_scalars(rb *b)
{
    for (int i = 0; i < b->r.ninstr; i++) {
        const orr__rinstr *in = &b->instr[i];
        orr__scalar value[3] = { { .i = 3 }, { .i = 5 }, { .i = 97 } };
        int n = in->slot < 0 ? 0 : orr__emit_scalars(in);
        bool whole = in->kind == ORR__RI_RANDOM || !orr__is_float((orr_dtype)in->dtype);
        for (int k = 0; k < n; k++)
            b->scalar[in->slot + k] = whole ? value[k] : (orr__scalar){ .f = 0.75 + 0.01 * (in->slot + k) };
        if (in->kind == ORR__RI_RANDOM && in->op == ORR__DPERMUTATION)
            b->scalar[in->slot + 1].i = INT64_C(1) << 40;
    }
}

bool rco_read(const char *line, rb *b)
{
    const char *label = strchr(line, ' '), *words = strstr(line, " : ");
    if (strncmp(line, "kernel ", 7) != 0 || !label || !words)
        return false;
    reader t = { .at = words + 3 };
    rb_begin(b, RB_MAP, 0, (int64_t[1]){ 0 });
    read_head(&t, &b->r);
    if (t.failed)
        return false;
    read_instructions(&t, b);
    read_accesses(&t, b);
    set_scalars(b);
    (void)snprintf(b->r.label, sizeof b->r.label, "%.*s", (int)(words - label - 1), label + 1);
    b->r.file = "corpus";
    b->r.key = orr__hash(words, strlen(words), 0);
    return !t.failed && t.at[strspn(t.at, " \n")] == '\0';
}

double rco_bytes(const rb *b)
{
    double bytes = 0;
    for (int i = 0; i < b->r.nin; i++)
        bytes += (double)b->in_count[i] * (double)orr_dtype_size((orr_dtype)b->in_dtype[i]);
    for (int k = 0; k < b->r.nout; k++)
        bytes += (double)b->r.out_count * (double)orr_dtype_size((orr_dtype)b->r.out_dtype[k]);
    return bytes;
}

/* Integers are valid places of each axis that is read by index. */
static int64_t most_index(const rb *b)
{
    int64_t most = 7;
    bool any = false;
    for (int i = 0; i < b->r.ninstr; i++)
        if (b->instr[i].kind == ORR__RI_PLACE) {
            int64_t by = b->access[b->instr[i].a].by;
            most = any && most < by ? most : by;
            any = true;
        }
    return most > 0 ? most : 1;
}

static double special(unsigned long long *state)
{
    static const double of[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30, -1e30, 1e-40 };
    return of[orr_test_rand(state) % (sizeof of / sizeof *of)];
}

/* Draws a block, and repeats it: drawing takes longer than a launch. */
static void fill(void *p, orr_dtype t, int64_t n, int how, int64_t most, unsigned long long *state)
{
    enum { DRAWN = 40009, ONE_IN = 32 };
    size_t size = orr_dtype_size(t);
    int64_t some = n < DRAWN ? n : DRAWN;
    for (int64_t i = 0; i < some; i++) {
        double u = (double)(orr_test_rand(state) >> 11) * 0x1p-53;
        orr__scalar f = { .f = how == RCO_PLAIN ? 0.05 + 1.95 * u : 8 * u - 4 };
        if (how == RCO_ANY && orr_test_rand(state) % ONE_IN == 0)
            f.f = special(state);
        orr__scalar whole = { .i = (int64_t)(orr_test_rand(state) % (uint64_t)most) };
        bool number = orr__is_float(t) || orr__is_complex(t);
        orr__scalar_store((char *)p + (size_t)i * size, t,
                          number ? orr__scalar_cast(f, ORR_F64, t) : orr__scalar_cast(whole, ORR_I64, t));
    }
    for (int64_t done = some; done < n; done += some)
        memcpy((char *)p + (size_t)done * size, p, (size_t)(n - done < some ? n - done : some) * size);
}

bool rco_draw(const rb *b, int how, rco_data *d)
{
    unsigned long long state = 11;
    bool ok = true;
    *d = (rco_data){ { 0 }, { 0 } };
    for (int i = 0; i < b->r.nin && ok; i++) {
        orr_dtype t = (orr_dtype)b->in_dtype[i];
        ok = (d->in[i] = calloc((size_t)b->in_count[i] + 1, orr_dtype_size(t))) != NULL;
        if (ok)
            fill(d->in[i], t, b->in_count[i], how, most_index(b), &state);
    }
    for (int k = 0; k < b->r.nout && ok; k++)
        ok = (d->out[k] = calloc((size_t)b->r.out_count + 1, orr_dtype_size((orr_dtype)b->r.out_dtype[k]))) != NULL;
    if (!ok)
        rco_free(d);
    return ok;
}

void rco_free(rco_data *d)
{
    for (int i = 0; i < RB_INPUTS; i++)
        free(d->in[i]);
    for (int k = 0; k < ORR__REGION_OUTS; k++)
        free(d->out[k]);
    *d = (rco_data){ { 0 }, { 0 } };
}

uint64_t rco_bits(const rb *b, const rco_data *d)
{
    uint64_t hash = 0;
    for (int k = 0; k < b->r.nout; k++) {
        orr_dtype t = (orr_dtype)b->r.out_dtype[k];
        size_t size = orr_dtype_size(t);
        for (int64_t i = 0; i < b->r.out_count; i++) {
            const char *p = (const char *)d->out[k] + (size_t)i * size;
            orr__scalar v = orr__is_float(t) ? orr__scalar_load(p, t) : (orr__scalar){ .f = 0 };
            hash = isnan(v.f) ? orr__hash("nan", 3, hash) : orr__hash(p, size, hash);
        }
    }
    return hash;
}
