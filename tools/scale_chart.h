/* The picture of orrery-scale.
 * Must not know: the source of the figures. */
#ifndef ORR_TOOLS_SCALE_CHART_H
#define ORR_TOOLS_SCALE_CHART_H

#include <stdbool.h>

enum { SCALE_POINTS = 16 };
typedef struct {
    char label[160];
    int panel, colour;
    bool dashed;
    int n;
    double nodes[SCALE_POINTS], efficiency[SCALE_POINTS];
} scale_curve;

/* Draws curves over the number of nodes, panels side by side, each with a legend below. False: the file cannot be
 * written. */
bool scale_chart(const char *path, const char *note, const scale_curve *c, int n, const char *const *panel, int panels);

#endif
