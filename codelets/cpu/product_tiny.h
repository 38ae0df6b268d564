/* Body of product.c's plain loops for one dtype. The includer defines REAL and the functions' names TINY_OF and
 * TINY_ROWS.
 * Must not know: dtypes other than REAL. */

/* Rows [0, rows) of c, at most FOUR. Their sums are independent chains of additions. */
static inline void TINY_ROWS(int rows, const mat *a, const REAL *x, const mat *b, REAL *c)
{
    const REAL *y = (const void *)b->p;
    int64_t j = 0;
    for (; b->cs == 1 && j + FOUR <= b->cols; j += FOUR) {
        REAL sum[FOUR][FOUR] = { { 0 } };
        for (int64_t k = 0; k < a->cols; k++)
#pragma GCC unroll 4 /* the sums stay in registers */
            for (int i = 0; i < rows; i++)
                for (int q = 0; q < FOUR; q++)
                    sum[i][q] += x[i * a->rs + k * a->cs] * y[k * b->rs + j + q];
        for (int i = 0; i < rows; i++)
            memcpy(c + i * b->cols + j, sum[i], sizeof sum[i]);
    }
    for (; j < b->cols; j++)
        for (int i = 0; i < rows; i++) {
            REAL sum = 0;
            for (int64_t k = 0; k < a->cols; k++)
                sum += x[i * a->rs + k * a->cs] * y[k * b->rs + j * b->cs];
            c[i * b->cols + j] = sum;
        }
}

static void TINY_OF(const mat *a, const mat *b, REAL *c)
{
    const REAL *x = (const void *)a->p;
    int64_t i = 0;
    for (; i + FOUR <= a->rows; i += FOUR)
        TINY_ROWS(FOUR, a, x + i * a->rs, b, c + i * b->cols);
    for (; i < a->rows; i++)
        TINY_ROWS(1, a, x + i * a->rs, b, c + i * b->cols);
}
