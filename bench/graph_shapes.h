/* Graphs of nine shapes and any size, and the processor time that each stage of their evaluation takes.
 * Must not know: the limits of tests, the form of a benchmark's records. */
#ifndef ORR_BENCH_GRAPH_SHAPES_H
#define ORR_BENCH_GRAPH_SHAPES_H

#include <orrery.h>

/* Stages. PLAN: fusing and planning, the difference between a first evaluation and a later one. */
enum { GRAPH_RECORD, GRAPH_GRADIENT, GRAPH_PLAN, GRAPH_RUN, GRAPH_STAGES };
extern const char *const graph_stages[GRAPH_STAGES];

/* Names of the shapes, NULL at the end. */
extern const char *const graph_shapes[];

/* Records a graph of about `nodes` nodes and its gradient, evaluates it, and does so once more. seconds: of the calling thread's
 * processor time in each stage, whose size is fixed by the shape and the number of nodes. value: the sum of the results, the same for
 * both turns, else ORR_EINTERNAL. */
orr_status graph_shape_measure(int shape, int nodes, double seconds[GRAPH_STAGES], double *value);

/* The slope of log(seconds) against log(nodes), fitted to n points. 1: linear. */
double graph_slope(int n, const double *nodes, const double *seconds);

#endif
