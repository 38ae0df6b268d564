/* Inside of lowering: a region under construction, and how nodes are seen from its iteration space.
 * Must not know: why the nodes were grouped so. */
#ifndef ORR_FUSE_LOWER_H
#define ORR_FUSE_LOWER_H

#include "runtime/fuse/group.h"

/* How the iteration space sees a node: axis a of the node stands at off[a] + mul[a] · i[ax[a]] (ax −1: at off[a]). One
 * iteration axis per node axis is enough for every view that is looked through. Axis `taken`, -1: none, stands at off
 * + mul · register `place`. The node is there for lo[d] ≤ i[d] < hi[d] alone, for axes d in `box` of the iteration. */
typedef struct {
    int8_t ax[ORR_MAX_RANK], taken;
    int16_t place;
    int64_t off[ORR_MAX_RANK], mul[ORR_MAX_RANK];
    uint32_t box;
    int64_t lo[ORR__REGION_RANK], hi[ORR__REGION_RANK];
} orr__lview;

typedef struct {
    int node, reg;
    orr__lview v;
} orr__memo;

typedef struct {
    const orr__group *g;
    const orr__capture *p;
    orr__region *r;
    int home;
    int refused; /* a root that this region sees otherwise than it must to have it inside, -1 */
    orr__memo *memo;
    int nmemo, memo_cap;
    int instr_cap, access_cap, in_cap;
    bool oom;
} orr__lowering;

bool orr__lower_grow(orr__lowering *c, void *array, int *cap, int need, size_t size);
/* The region's number for the buffer of node x. */
int orr__lower_input(orr__lowering *c, int x);
/* The affine map of a row-major array of shape s seen through v. */
orr__access orr__lower_affine(const orr_shape *s, const orr__lview *v, int in);
int16_t orr__lower_access(orr__lowering *c, orr__access a);
int orr__lower_instr(orr__lowering *c, orr__rinstr in);
/* v sees node i, a view; the result sees its input. */
orr__lview orr__lower_through(const orr__capture *p, int i, const orr__lview *v);
orr__lview orr__lower_identity(int rank);
/* The register that holds node i as v sees it. */
int orr__lower_node(orr__lowering *c, int i, const orr__lview *v);
/* What else of the region of `home` is read elsewhere becomes an output, seen through v. */
void orr__lower_outputs(orr__lowering *c, const orr__lview *v);

/* lower_take.c: a take as reads of what it takes from, at computed places. */
int orr__lower_take(orr__lowering *c, int i, const orr__lview *v);
/* Is take, concat or pad i, a root, alone, and are its operands buffers in row-major order? Then whole rows are copied. */
bool orr__takes_buffers(const orr__group *g, int i);

/* lower_concat_pad.c: a concat or pad as a choice between what it is made of, by place. */
int orr__lower_parts(orr__lowering *c, int i, const orr__lview *v);

/* lower_buffers.c: the region of node i, whose kernel takes whole buffers. */
void orr__lower_whole(orr__lowering *c, int i);
/* Makes the region iterate over shape s. */
void orr__lower_space(orr__region *r, const orr_shape *s);

/* lower_product.c: the region of root `home`, which is a matmul or has one inside; a product met in it. */
void orr__lower_matmul(orr__lowering *c, int matmul);
int orr__lower_product(orr__lowering *c, int i, const orr__lview *v);

#endif
