/* The loops for one dtype: T is the stored type, R the type of the computation; LD and ST convert between them;
 * M(exp) is R's exp.
 * Must not know: Orrery. Included once for each dtype by hand_loops.c. */

#define LOOP(name) static void JOIN(name, TAG)(const hand_args *args, int64_t lo, int64_t hi)
#define IN(k) ((const T *)args->in[k])
#define OUT(k) ((T *)args->out[k])

LOOP(poly6)
{
    const T *restrict x = IN(0);
    T *restrict y = OUT(0);
    for (int64_t i = lo; i < hi; i++) {
        R t = (R)HAND_A * LD(x, i) + (R)HAND_B;
        R q = ((R)HAND_C2 * t + (R)HAND_C1) * t + (R)HAND_C0;
        ST(y, i, q > 0 ? q : (R)HAND_ALPHA * q);
    }
}

LOOP(silu)
{
    const T *restrict x = IN(0);
    T *restrict y = OUT(0);
    for (int64_t i = lo; i < hi; i++) {
        R t = (R)HAND_A * LD(x, i) + (R)HAND_B;
        ST(y, i, t / (1 + M(exp)(-t)));
    }
}

LOOP(gelu)
{
    const T *restrict x = IN(0);
    T *restrict y = OUT(0);
    for (int64_t i = lo; i < hi; i++) {
        R t = (R)HAND_A * LD(x, i) + (R)HAND_B;
        R u = (R)0.7978845608028654 * (t + (R)0.044715 * t * t * t);
        ST(y, i, (R)0.5 * t * (1 + M(tanh)(u)));
    }
}

LOOP(black_scholes)
{
    const T *restrict s = IN(0), *restrict k = IN(1), *restrict years = IN(2);
    T *restrict call = OUT(0), *restrict put = OUT(1);
    for (int64_t i = lo; i < hi; i++) {
        R price = LD(s, i), strike = LD(k, i), t = LD(years, i);
        R root = (R)HAND_SIGMA * M(sqrt)(t);
        R d1 = (M(log)(price / strike) + (R)(HAND_RATE + 0.5 * HAND_SIGMA * HAND_SIGMA) * t) / root;
        R d2 = d1 - root;
        R n1 = (R)0.5 + (R)0.5 * M(erf)(d1 * (R)0.7071067811865476);
        R n2 = (R)0.5 + (R)0.5 * M(erf)(d2 * (R)0.7071067811865476);
        R paid = strike * M(exp)((R)-HAND_RATE * t);
        R c = price * n1 - paid * n2;
        ST(call, i, c);
        ST(put, i, c - price + paid);
    }
}

LOOP(compare)
{
    const T *restrict a = IN(0), *restrict b = IN(1);
    uint8_t *restrict y = args->out[0];
    for (int64_t i = lo; i < hi; i++)
        y[i] = LD(a, i) * LD(b, i) - (R)4.1 * LD(a, i) > (R)2.5 * LD(b, i);
}

LOOP(softmax)
{
    for (int64_t r = lo; r < hi; r++) {
        const T *restrict x = IN(0) + r * HAND_COLS;
        T *restrict y = OUT(0) + r * HAND_COLS;
        R e[HAND_COLS], most = LD(x, 0), sum = 0;
        for (int i = 1; i < HAND_COLS; i++)
            most = LD(x, i) > most ? LD(x, i) : most;
        for (int i = 0; i < HAND_COLS; i++) {
            e[i] = M(exp)(LD(x, i) - most);
            sum += e[i];
        }
        R scale = 1 / sum;
        for (int i = 0; i < HAND_COLS; i++)
            ST(y, i, e[i] * scale);
    }
}

static inline void JOIN(normalise, TAG)(const R *restrict x, T *restrict y, const T *restrict gain,
                                        const T *restrict bias)
{
    R sum = 0, square = 0;
    for (int i = 0; i < HAND_COLS; i++)
        sum += x[i];
    R mean = sum / HAND_COLS;
    for (int i = 0; i < HAND_COLS; i++)
        square += (x[i] - mean) * (x[i] - mean);
    R scale = 1 / M(sqrt)(square / HAND_COLS + (R)HAND_EPS);
    for (int i = 0; i < HAND_COLS; i++)
        ST(y, i, (x[i] - mean) * scale * LD(gain, i) + LD(bias, i));
}

/* gain and bias are the first row of in[1] and in[2] */
LOOP(layer_norm)
{
    for (int64_t r = lo; r < hi; r++) {
        const T *restrict x = IN(0) + r * HAND_COLS;
        R row[HAND_COLS];
        for (int i = 0; i < HAND_COLS; i++)
            row[i] = LD(x, i);
        JOIN(normalise, TAG)(row, OUT(0) + r * HAND_COLS, IN(1), IN(2));
    }
}

LOOP(embedding)
{
    const int32_t *restrict number = args->in[3];
    for (int64_t r = lo; r < hi; r++) {
        const T *restrict x = IN(0) + (int64_t)number[r] * HAND_COLS;
        R row[HAND_COLS];
        for (int i = 0; i < HAND_COLS; i++)
            row[i] = LD(x, i) * (R)HAND_A;
        JOIN(normalise, TAG)(row, OUT(0) + r * HAND_COLS, IN(1), IN(2));
    }
}

LOOP(dropout_norm)
{
    const uint32_t limit = (uint32_t)(HAND_DROP * 4294967296.0);
    for (int64_t r = lo; r < hi; r++) {
        const T *restrict x = IN(0) + r * HAND_COLS, *restrict residual = IN(3) + r * HAND_COLS;
        R row[HAND_COLS];
        for (int i = 0; i < HAND_COLS; i++) {
            uint32_t word = mixed((uint32_t)(r * HAND_COLS) + (uint32_t)i + args->seed);
            R kept = word >= limit ? LD(x, i) * (R)(1.0 / (1.0 - HAND_DROP)) : 0;
            row[i] = kept + LD(residual, i);
        }
        JOIN(normalise, TAG)(row, OUT(0) + r * HAND_COLS, IN(1), IN(2));
    }
}

LOOP(squares)
{
    const T *restrict x = IN(0);
    double sum = 0.0;
    for (int64_t i = lo; i < hi; i++)
        sum += (double)(LD(x, i) * LD(x, i));
    args->partial[0] = sum;
}

LOOP(columns)
{
    double *restrict sum = args->partial, *restrict square = args->partial + HAND_COLS;
    memset(sum, 0, sizeof(double[2 * HAND_COLS]));
    for (int64_t r = lo; r < hi; r++) {
        const T *restrict x = IN(0) + r * HAND_COLS;
        for (int i = 0; i < HAND_COLS; i++) {
            double v = (double)LD(x, i);
            sum[i] += v;
            square[i] += v * v;
        }
    }
}

LOOP(adam)
{
    T *restrict p = args->in[0], *restrict m = args->in[2], *restrict v = args->in[3];
    const T *restrict grad = IN(1);
    double root = sqrt(1.0 - pow(HAND_BETA2, args->step));
    R rate = (R)(HAND_LR * root / (1.0 - pow(HAND_BETA1, args->step))), eps = (R)(HAND_ADAM_EPS * root);
    for (int64_t i = lo; i < hi; i++) {
        R g = LD(grad, i);
        R mean = LD(m, i) + (R)(1.0 - HAND_BETA1) * (g - LD(m, i));
        R square = LD(v, i) + (R)(1.0 - HAND_BETA2) * (g * g - LD(v, i));
        ST(m, i, mean);
        ST(v, i, square);
        ST(p, i, LD(p, i) - rate * mean / (M(sqrt)(square) + eps));
    }
}

/* Four ops: multiply, add, maximum, subtract. */
#define STEP                                                                                                           \
    t = t * (R)HAND_MUL;                                                                                               \
    t = t + v;                                                                                                         \
    t = t > (R)HAND_FLOOR ? t : (R)HAND_FLOOR;                                                                         \
    t = t - (R)HAND_SUB;
#define STEP2 STEP STEP
#define STEP4 STEP2 STEP2
#define STEP8 STEP4 STEP4
#define CHAIN(name, steps)                                                                                             \
    LOOP(name)                                                                                                         \
    {                                                                                                                  \
        const T *restrict x = IN(0);                                                                                   \
        T *restrict y = OUT(0);                                                                                        \
        for (int64_t i = lo; i < hi; i++) {                                                                            \
            R v = LD(x, i), t = v;                                                                                     \
            steps ST(y, i, t);                                                                                         \
        }                                                                                                              \
    }
CHAIN(chain4, STEP)
CHAIN(chain8, STEP2)
CHAIN(chain16, STEP4)
CHAIN(chain32, STEP8)

#undef CHAIN
#undef STEP8
#undef STEP4
#undef STEP2
#undef STEP
#undef OUT
#undef IN
#undef LOOP
#undef TAG
#undef M
#undef ST
#undef LD
#undef R
#undef T
