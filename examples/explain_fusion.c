/* Explains how a block of a network would be computed: in words, or as Graphviz's DOT before or after fusion.
 * usage: explain_fusion [text|before|after] */
#include <stdio.h>
#include <string.h>
#include <orrery.h>

/* Normalises over the last axis: zero mean, unit variance. */
static orr_tensor *normalised(orr_tensor *x)
{
    orr_tensor *d = orr_sub(x, orr_mean(x, ORR_AXES(-1), true));
    orr_tensor *v = orr_mean(orr_square(d), ORR_AXES(-1), true);
    return orr_mul(d, orr_rsqrt(orr_add(v, orr_scalar(1e-5))));
}

/* normalised(x + dropout(gelu(x·w + b))) */
static orr_tensor *block(void)
{
    orr_tensor *x = orr_zeros(ORR_F32, ORR_SHAPE(512, 256));
    orr_tensor *w = orr_zeros(ORR_F32, ORR_SHAPE(256, 256)), *b = orr_zeros(ORR_F32, ORR_SHAPE(256));
    if (orr_eval(x) != ORR_OK || orr_eval(w) != ORR_OK || orr_eval(b) != ORR_OK)
        return NULL;
    orr_tensor *h = orr_gelu_tanh(orr_add(orr_matmul(x, w), b));
    orr_tensor *kept =
        orr_where(orr_bernoulli(ORR_SHAPE(512, 256), 0.9), orr_mul(h, orr_scalar(1 / 0.9)), orr_scalar(0));
    return normalised(orr_add(x, kept));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "text";
    bool text = !strcmp(what, "text"), after = !strcmp(what, "after");
    if (argc > 2 || (!text && !after && strcmp(what, "before") != 0)) {
        fprintf(stderr, "usage: explain_fusion [text|before|after]\n");
        return 2;
    }
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = block();
    orr_status st = !y ? orr_error_status() : text ? orr_explain(stdout, y) : orr_explain_dot(stdout, y, after);
    (void)orr_scope_end(s);
    if (st != ORR_OK)
        return orr_error_print(stderr);
    return orr_shutdown() == ORR_OK ? 0 : 1;
}
