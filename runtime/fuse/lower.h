/* Internals of lowering: a region under construction, and the nodes as its iterations see them.
 * Must not know: why the nodes were grouped so. */
#ifndef ORR_FUSE_LOWER_H
#define ORR_FUSE_LOWER_H

#include "runtime/fuse/group.h"

typedef struct {
    int node, reg;
    orr__view v;
} orr__memo;

/* The lowering of one region. */
typedef struct {
    orr__lowering face; /* must be first: operations see this */
    const orr__group *g;
    orr__region *r;
    int home;
    int refused; /* a root that this region cannot contain, since it reads it at other places; -1: none */
    orr__memo *memo;
    int nmemo, memo_cap;
    int instr_cap, access_cap, in_cap;
    bool oom;
} orr__builder;

/* The region's number for the buffer of node x. */
int orr__lower_input(orr__builder *c, int x);
int orr__lower_instr(orr__builder *c, orr__rinstr in);
/* v sees node i. If i is a view with an affine map, *w sees its operand; else false. */
bool orr__lower_through(const orr__capture *p, int i, const orr__view *v, orr__view *w);
/* The register that holds node i as v sees it. */
int orr__lower_node(orr__builder *c, int i, const orr__view *v);
/* Makes outputs of the region's values that other regions read, as seen through v. */
void orr__lower_outputs(orr__builder *c, const orr__view *v);
bool orr__lower_grow(orr__builder *c, void *array, int *cap, int need, size_t size);
/* Makes the region iterate over shape s. */
void orr__lower_space(orr__region *r, const orr_shape *s);

/* lower_call.c: the region of node i, whose kernel takes whole arrays. */
void orr__lower_call(orr__builder *c, int i);

/* lower_product.c. orr__lower_matmul lowers the region of c->home, which is the product `matmul` or contains it.
 * orr__lower_product returns the register of product i inside its region. */
void orr__lower_matmul(orr__builder *c, int matmul);
int orr__lower_product(orr__builder *c, int i, const orr__view *v);

#endif
