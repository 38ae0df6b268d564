/* Body of product.c's plain loops for one dtype. REAL and TINY_OF, the function's name, are defined by who includes it.
 * Must not know: dtypes other than REAL. */

static void TINY_OF(const mat *a, const mat *b, REAL *c)
{
    const REAL *x = (const void *)a->p, *y = (const void *)b->p;
    for (int64_t i = 0; i < a->rows; i++, x += a->rs, c += b->cols) {
        int64_t j = 0;
        for (; b->cs == 1 && j + FOUR <= b->cols; j += FOUR) {
            REAL sum[FOUR] = { 0 };
            for (int64_t k = 0; k < a->cols; k++)
                for (int q = 0; q < FOUR; q++)
                    sum[q] += x[k * a->cs] * y[k * b->rs + j + q];
            memcpy(c + j, sum, sizeof sum);
        }
        for (; j < b->cols; j++) {
            REAL sum = 0;
            for (int64_t k = 0; k < a->cols; k++)
                sum += x[k * a->cs] * y[k * b->rs + j * b->cs];
            c[j] = sum;
        }
    }
}
