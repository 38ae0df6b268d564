/* Trains an LSTM on a noisy sum of two waves, forecasts the continuation from its own outputs, and draws both as
 * SVG.
 * usage: lstm_forecast [picture.svg [steps]]
 * Must not know: anything but the public headers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <orrery.h>

enum { SEEN = 400, AHEAD = 100, ALL = SEEN + AHEAD, WINDOW = 80, BATCH = 16, HIDDEN = 32, STEPS = 500 };

typedef struct network {
    orr_module *lstm, *out, *all;
} network;

static void waves(float *y)
{
    uint64_t state = 3;
    for (int t = 0; t < ALL; t++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double noise = t < SEEN ? ((double)(state >> 11) * 0x1p-53 - 0.5) * 0.05 : 0.0;
        y[t] = (float)(0.6 * sin(2 * 3.14159265 * t / 25) + 0.3 * sin(2 * 3.14159265 * t / 60 + 1) + noise);
    }
}

/* Trains on several windows: each value is predicted from those before it. */
static orr_status train(const network *n, const float *y, int steps)
{
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_ADAM);
    orr_schedule schedule = { .kind = ORR_SCHEDULE_ONE_CYCLE, .lr = 0.01, .steps = steps };
    orr_optim *opt = orr_optim_of_module(ORR_OPTIM_ADAM, n->all, &o);
    orr_status st = opt ? ORR_OK : orr_error_status();
    for (int k = 0; st == ORR_OK && k < steps; k++) {
        float x[BATCH][WINDOW], want[BATCH][WINDOW];
        double value = 0.0;
        for (int b = 0; b < BATCH; b++)
            for (int t = 0, first = (k * 131 + b * 37) % (SEEN - WINDOW - 1); t < WINDOW; t++) {
                x[b][t] = y[first + t];
                want[b][t] = y[first + t + 1];
            }
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = orr_mse(orr_forward(n->all, orr_from(ORR_F32, ORR_SHAPE(BATCH, WINDOW, 1), x)),
                                   orr_from(ORR_F32, ORR_SHAPE(BATCH, WINDOW, 1), want));
        st = orr_optim_set_lr(opt, orr_schedule_lr(&schedule, k));
        if (st == ORR_OK)
            st = orr_optim_step(opt, loss);
        if (st == ORR_OK)
            st = orr_item(loss, &value);
        if (st == ORR_OK && (k % 100 == 0 || k + 1 == steps))
            printf("step %3d   loss %.8f\n", k, value);
        (void)orr_scope_end(s);
    }
    orr_optim_free(opt);
    return st;
}

/* Reads the known values, then predicts each value from the previous one; the state is kept. */
static orr_status forecast(const network *n, const float *y, float *ahead)
{
    orr_tensor *state[2] = { NULL, NULL };
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(1, WINDOW, 1), y + SEEN - WINDOW);
    orr_status st = ORR_OK;
    for (int t = 0; st == ORR_OK && t < AHEAD; t++) {
        orr_tensor *h = orr_recurrent_forward(n->lstm, x, NULL, state);
        x = orr_forward(n->out, orr_slice_axis(h, 1, -1, ORR_END, 1)); /* the last value, as the next input */
        st = orr_eval_all(ORR_TENSORS(x, state[0], state[1]));
        double value = 0.0;
        if (st == ORR_OK)
            st = orr_item(x, &value);
        ahead[t] = (float)value;
    }
    (void)orr_scope_end(s);
    return st;
}

static void line(FILE *f, const char *colour, const float *y, int from, int to, int shift)
{
    (void)fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", colour);
    for (int t = from; t < to; t++)
        (void)fprintf(f, "%d,%.1f ", 20 + 4 * (t - SEEN + AHEAD), 150 - 120 * (double)y[t - shift]);
    (void)fprintf(f, "\"/>\n");
}

static int draw(const char *path, const float *y, const float *ahead)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return 1;
    (void)fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"840\" height=\"300\">\n"
                     "<rect width=\"840\" height=\"300\" fill=\"#fff\"/>\n"
                     "<text x=\"20\" y=\"20\" font-family=\"sans-serif\" font-size=\"14\">two waves: seen (black), "
                     "what follows (grey), forecast (red)</text>\n");
    line(f, "#000", y, SEEN - AHEAD, SEEN, 0);
    line(f, "#aaa", y, SEEN, ALL, 0);
    line(f, "#d22", ahead, SEEN, ALL, SEEN);
    (void)fprintf(f, "</svg>\n");
    return fclose(f) != 0;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "lstm_forecast.svg";
    int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : STEPS;
    static float y[ALL], ahead[AHEAD];
    double error = 0.0;
    waves(y);
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(1);
    network n = { .lstm = orr_recurrent(ORR_CELL_LSTM, 1, HIDDEN, NULL),
                  .out = orr_dense(HIDDEN, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT) };
    n.all = orr_sequential(ORR_MODULES(n.lstm, n.out));
    bool ok = n.all && train(&n, y, steps) == ORR_OK && forecast(&n, y, ahead) == ORR_OK;
    if (!ok)
        (void)orr_error_print(stderr);
    for (int t = 0; t < AHEAD; t++)
        error += fabs((double)ahead[t] - (double)y[SEEN + t]) / AHEAD;
    if (ok && draw(path, y, ahead) == 0)
        printf("mean error of %d values ahead: %.3f; drawn in %s\n", AHEAD, error, path);
    orr_module_free(n.all);
    return orr_shutdown() == ORR_OK && ok && (error < 0.3 || steps < STEPS) ? 0 : 1;
}
