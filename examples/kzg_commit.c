/* A polynomial commitment by Kate, Zaverucha and Goldberg: one point stands for 1024 coefficients, and one more point
 * proves a value of the polynomial. The secret of the set-up is in this source: the program is a demonstration and protects
 * nothing.
 * Must not know: anything but the public headers. */
#include <orrery.h>

enum { N = 1024 };

static orr_tensor *number(const char *text)
{
    return orr_reshape(orr_field_parse(ORR_FR254, &text, 1), ORR_SHAPE_0D);
}

/* 1, t, t², …: each step doubles the number of powers. */
static orr_tensor *powers(orr_tensor *t)
{
    orr_tensor *row = orr_ones(ORR_FR254, ORR_SHAPE(1));
    for (uint64_t n = 1; n < N; n *= 2)
        row = orr_concat(ORR_TENSORS(row, orr_mul(row, orr_field_pow(t, (uint64_t[4]){ n }))), 0);
    return row;
}

/* The equation e(c − y·G, H) = e(proof, t·H − z·H), as a product that is 1. */
static orr_tensor *holds(orr_tensor *c, orr_tensor *z, orr_tensor *y, orr_tensor *proof, orr_tensor *th)
{
    orr_tensor *g = orr_curve_generator(ORR_G1), *h = orr_curve_generator(ORR_G2);
    orr_tensor *left = orr_curve_add(ORR_G1, c, orr_curve_neg(ORR_G1, orr_curve_multiply(ORR_G1, g, y)));
    orr_tensor *right = orr_curve_add(ORR_G2, th, orr_curve_neg(ORR_G2, orr_curve_multiply(ORR_G2, h, z)));
    return orr_curve_pairing_check(orr_stack(ORR_TENSORS(left, orr_curve_neg(ORR_G1, proof)), 0),
                                   orr_stack(ORR_TENSORS(h, right), 0));
}

int main(void)
{
    static uint64_t coefficient[N][4];
    char text[2][ORR_FIELD_TEXT];
    double yes = 0, no = 1;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();

    /* Set-up: t^i·G and t·H. A real one is made by many parties, none of whom knows t. */
    orr_tensor *t = number("0x1d0c5ec2e7");
    orr_tensor *setup = orr_curve_multiply(ORR_G1, orr_curve_generator(ORR_G1), powers(t));
    orr_tensor *th = orr_curve_multiply(ORR_G2, orr_curve_generator(ORR_G2), t);

    for (uint64_t i = 0; i < N; i++)
        coefficient[i][0] = 3 * i + 1;
    orr_tensor *p = orr_from(ORR_FR254, ORR_SHAPE(N), coefficient);
    orr_tensor *commitment = orr_curve_msm(ORR_G1, setup, p);

    /* The proof of p(z) = y commits to (p − y)/(x − z). */
    orr_tensor *z = number("65537"), *y = orr_field_poly_eval(p, z);
    orr_tensor *divisor = orr_stack(ORR_TENSORS(orr_neg(z), number("1")), 0);
    orr_tensor *quotient = orr_field_poly_divide(p, divisor).quotient;
    orr_tensor *proof = orr_curve_msm(ORR_G1, orr_slice_axis(setup, 0, 0, N - 1, 1), quotient);

    orr_tensor *wrong = orr_add(y, orr_scalar(1));
    if (orr_item(holds(commitment, z, y, proof, th), &yes) != ORR_OK ||
        orr_item(holds(commitment, z, wrong, proof, th), &no) != ORR_OK ||
        orr_field_text(commitment, 0, text[0]) != ORR_OK || orr_field_text(y, 0, text[1]) != ORR_OK)
        return orr_error_print(stderr);
    printf("commitment, x: %s\np(65537) = %s: %s\nand one more: %s\n", text[0], text[1],
           yes == 1 ? "proved" : "refused", no == 1 ? "proved" : "refused");
    (void)orr_scope_end(s);
    if (orr_shutdown() != ORR_OK)
        return orr_error_print(stderr);
    return yes == 1 && no == 0 ? 0 : 1;
}
