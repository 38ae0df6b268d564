/* Trains a character transformer (4 layers, 4 heads, width 128, context 128) on a text, then generates with a cache of keys
 * and values.
 * usage: tiny_gpt [text [steps [initial.npz [losses.txt]]]]
 * The default text is Debian's copy of the GPL. initial.npz gets the weights before the first step and
 * losses.txt the loss of each step, for a comparison with the same steps elsewhere (bench/peers/tiny_gpt.py).
 * Must not know: anything but the public headers. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>

enum { CONTEXT = 128, WIDTH = 128, HEADS = 4, LAYERS = 4, HIDDEN = 512, CHARACTERS = 128, BATCH = 8, GENERATED = 400 };

/* The network: modules "tokens", "blocks", "norm", "head", and one row of "positions" for each position. */
typedef struct model {
    orr_module *m;
    orr_tensor *positions;
    int64_t place; /* position of the first character of an input */
} model;

static orr_tensor *apply(const orr_module *m, orr_tensor *const *x, int n, void *user)
{
    const model *g = user;
    (void)n;
    int64_t length = orr_tensor_shape(x[0]).dim[1];
    orr_tensor *place = orr_arange(ORR_I64, (double)g->place, (double)(g->place + length), 1);
    orr_tensor *h = orr_add(orr_forward(orr_module_part(m, 0), x[0]), orr_embedding(g->positions, place, -1));
    for (int i = 1; i < 4; i++)
        h = orr_forward(orr_module_part(m, i), h);
    return h;
}

static orr_module *blocks(void)
{
    orr_heads_options o = { .causal = true, .norm_first = true, .activation = ORR_ACTIVATION_GELU };
    orr_module *b[LAYERS];
    for (int i = 0; i < LAYERS; i++)
        b[i] = orr_encoder_block(WIDTH, HEADS, HIDDEN, &o);
    return orr_sequential(b, LAYERS);
}

static bool build(model *g)
{
    orr_seed(1);
    if (!(g->m = orr_module_new("tiny_gpt", apply, g, NULL)))
        return false;
    g->positions =
        orr_module_add_parameter(g->m, "positions", orr_randn(ORR_F32, ORR_SHAPE(CONTEXT, WIDTH), 0.0, 0.02));
    return g->positions && orr_module_add_part(g->m, "tokens", orr_embedding_layer(CHARACTERS, WIDTH, -1)) &&
           orr_module_add_part(g->m, "blocks", blocks()) &&
           orr_module_add_part(g->m, "norm", orr_layer_norm_layer(ORR_SHAPE(WIDTH), NULL)) &&
           orr_module_add_part(g->m, "head",
                               orr_dense_with(ORR_F32, WIDTH, CHARACTERS, ORR_ACTIVATION_LINEAR,
                                              ORR_INITIALISER_DEFAULT, ORR_INITIALISER_NONE));
}

static int64_t *read_text(const char *path, int64_t *n)
{
    FILE *f = fopen(path, "rb");
    int64_t *text = NULL, cap = 0;
    *n = 0;
    for (int c; f && (c = getc(f)) != EOF;) {
        if (*n == cap) {
            cap = cap ? 2 * cap : 4096;
            int64_t *more = realloc(text, (size_t)cap * sizeof *more);
            if (!more)
                break;
            text = more;
        }
        text[(*n)++] = c < CHARACTERS ? c : '?';
    }
    if (f)
        (void)fclose(f);
    return text;
}

static double now(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The characters of step number k, and the character that follows each of them. */
static void batch(const int64_t *text, int64_t n, int k, int64_t *x, int64_t *y)
{
    for (int64_t b = 0; b < BATCH; b++) {
        int64_t first = ((int64_t)k * 7919 + b * 104729) % (n - CONTEXT - 1);
        memcpy(x + b * CONTEXT, text + first, CONTEXT * sizeof *x);
        memcpy(y + b * CONTEXT, text + first + 1, CONTEXT * sizeof *y);
    }
}

static orr_status train(const model *g, const int64_t *text, int64_t n, int steps, FILE *losses)
{
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_ADAMW);
    orr_optim *opt = orr_optim_of_module(ORR_OPTIM_ADAMW, g->m, &o);
    orr_status st = opt ? ORR_OK : orr_error_status();
    double begin = now();
    for (int k = 0; st == ORR_OK && k < steps; k++) {
        static int64_t x[BATCH * CONTEXT], y[BATCH * CONTEXT];
        orr_scope *s = orr_scope_begin();
        double value = 0.0;
        batch(text, n, k, x, y);
        orr_tensor *logits = orr_forward(g->m, orr_from(ORR_I64, ORR_SHAPE(BATCH, CONTEXT), x));
        orr_tensor *loss = orr_cross_entropy(logits, orr_from(ORR_I64, ORR_SHAPE(BATCH, CONTEXT), y));
        st = orr_optim_step(opt, loss);
        if (st == ORR_OK)
            st = orr_item(loss, &value);
        if (losses)
            (void)fprintf(losses, "%.7f\n", value);
        if (st == ORR_OK && (k % 20 == 0 || k + 1 == steps))
            printf("step %4d   loss %.4f   %.0f characters/s\n", k, value,
                   (double)(k + 1) * BATCH * CONTEXT / (now() - begin));
        (void)fflush(stdout);
        (void)orr_scope_end(s);
    }
    orr_optim_free(opt);
    return st;
}

/* Draws a character by its probability at temperature 0.8. */
static int64_t draw(const float *logit, uint64_t *state)
{
    double p[CHARACTERS], most = -INFINITY, sum = 0.0;
    for (int c = 0; c < CHARACTERS; c++)
        most = fmax(most, (double)logit[c]);
    for (int c = 0; c < CHARACTERS; c++)
        sum += p[c] = exp(((double)logit[c] - most) / 0.8);
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    double u = (double)(*state >> 11) * 0x1p-53 * sum;
    int64_t c = 0;
    while (c + 1 < CHARACTERS && (u -= p[c]) > 0)
        c++;
    return c;
}

/* The next character after `length` new ones. */
static orr_status next(model *g, orr_kv_cache *cache, const int64_t *in, int64_t length, uint64_t *state, int64_t *c)
{
    float logit[CHARACTERS];
    orr_scope *s = orr_scope_begin();
    g->place = orr_kv_cache_length(cache);
    orr_tensor *y = orr_forward_cached(cache, orr_from(ORR_I64, ORR_SHAPE(1, length), in));
    orr_status st = orr_read(orr_select(orr_select(y, 0, 0), 0, -1), logit, sizeof logit);
    (void)orr_scope_end(s);
    if (st == ORR_OK)
        *c = draw(logit, state);
    return st;
}

/* Generates text. When the context is full, its second half becomes the beginning of a new one. */
static orr_status generate(model *g)
{
    int64_t text[GENERATED + 1] = { 'T' }, fed = 0;
    uint64_t state = 5;
    orr_module_train(g->m, false);
    orr_kv_cache *cache = orr_kv_cache_new(g->m, 1, CONTEXT);
    orr_status st = cache ? ORR_OK : orr_error_status();
    double begin = now();
    for (int64_t n = 1; st == ORR_OK && n <= GENERATED; n++) {
        if (orr_kv_cache_length(cache) == CONTEXT) {
            orr_kv_cache_clear(cache);
            fed = n - CONTEXT / 2;
        }
        st = next(g, cache, text + fed, n - fed, &state, &text[n]);
        fed = n;
    }
    double seconds = now() - begin;
    for (int64_t n = 0; st == ORR_OK && n < GENERATED; n++)
        (void)putchar((int)text[n]);
    if (st == ORR_OK)
        printf("\n%.0f tokens/s\n", GENERATED / seconds);
    orr_kv_cache_free(cache);
    return st;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "/usr/share/common-licenses/GPL-3";
    int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 200;
    int64_t n;
    int64_t *text = read_text(path, &n);
    if (!text || n < CONTEXT + 2) {
        (void)fprintf(stderr, "tiny_gpt: %s cannot be read, or is shorter than %d characters\n", path, CONTEXT + 2);
        free(text);
        return 77;
    }
    model g = { 0 };
    FILE *losses = argc > 4 ? fopen(argv[4], "w") : NULL;
    bool ok = orr_init(NULL) == ORR_OK && build(&g);
    if (ok)
        printf("%lld parameters, %lld characters of %s\n", (long long)orr_module_size(g.m), (long long)n, path);
    if (ok && argc > 3)
        ok = orr_module_save(g.m, argv[3]) == ORR_OK;
    ok = ok && train(&g, text, n, steps, losses) == ORR_OK && generate(&g) == ORR_OK;
    if (!ok)
        (void)orr_error_print(stderr);
    if (losses)
        (void)fclose(losses);
    orr_module_free(g.m);
    free(text);
    return orr_shutdown() == ORR_OK && ok ? 0 : 1;
}
