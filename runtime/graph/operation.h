/* The contract of an operation: one struct of facts and callbacks, all that the library knows of the operation. It is defined beside the
 * operation's public function in ops/<operation>.c; its kernels are rows of the backends' tables.
 * Must not know: any single operation. */
#ifndef ORR_GRAPH_OPERATION_H
#define ORR_GRAPH_OPERATION_H

#include <stdbool.h>
#include <stdint.h>
#include <orrery/tensor.h>
#include "runtime/graph/spread.h"

struct orr__node;
struct orr__capture;
struct orr__reference; /* ops/reference.h */
struct orr__back;      /* ops/back.h      */
struct orr__lowering;  /* ops/lowering.h  */
struct orr__view;
struct orr__distribution; /* runtime/graph/distribution.h */

/* The role of the operation's nodes in the graph. */
typedef enum {
    ORR__ROLE_COMPUTED,    /* a value that an evaluation computes                                */
    ORR__ROLE_VALUE,       /* a value that exists                                                */
    ORR__ROLE_PLACEHOLDER, /* a value that is given at submission                                */
    ORR__ROLE_POISON,      /* an error instead of a value                                        */
    ORR__ROLE_THROUGH      /* the node has the value of its last operand; captures skip the node */
} orr__role;

/* The pattern of an operation: how the elements of its result depend on those of its operands. The fuser decides by it. */
typedef enum {
    ORR__PATTERN_NONE,    /* none: roles other than ORR__ROLE_COMPUTED                                       */
    ORR__PATTERN_VIEW,    /* elements of operand 0 at other places: `see` maps the places                    */
    ORR__PATTERN_ELEMENT, /* an element from the operands' elements at the same place: `lower`               */
    ORR__PATTERN_GATHER,  /* elements of operand 0 at places that operand 1 holds: `lower`                   */
    ORR__PATTERN_CHOICE,  /* an element of one of the operands, chosen by place: `lower`; a kernel for many   */
    ORR__PATTERN_FOLD,    /* attr.rop over the axes attr.mask of operand 0: loops of the fuser's own          */
    ORR__PATTERN_SEARCH,  /* the index of the max or min along attr.axis of operand 0: loops of the fuser's own */
    ORR__PATTERN_PRODUCT, /* operand 0 · operand 1 over the last two axes: a product of the backend           */
    ORR__PATTERN_KERNEL   /* a kernel of its own on whole arrays in row-major order                           */
} orr__pattern;

/* The attributes of a node: numbers that belong to the structure of a graph. Numbers that may change from step to step are scalars of the
 * node. This table is the one description of them, from which are made: the struct, the bits by which an operation's row says which
 * attributes it has, a node's part of every key, equality, the rules of the verifier, and the printer. An attribute that the row
 * does not name is zero. Columns: bit, type, field, its length. */
#define ORR__ATTRS(ATTR)                                                                                               \
    ATTR(AXIS, int32_t, axis, )                                                                                        \
    ATTR(INDEX, int32_t, index, )                                                                                      \
    ATTR(MASK, uint32_t, mask, )                                                                                       \
    ATTR(ROP, uint16_t, rop, )                                                                                         \
    ATTR(DIST, uint16_t, dist, )                                                                                       \
    ATTR(PERM, int8_t, perm, [ORR_MAX_RANK])                                                                           \
    ATTR(START, int64_t, start, [ORR_MAX_RANK])                                                                        \
    ATTR(STEP, int64_t, step, [ORR_MAX_RANK])

#define ORR__ATTR_FIELD(bit, type, field, length) type field length;
typedef struct orr__attr {
    ORR__ATTRS(ORR__ATTR_FIELD)
} orr__attr;

#define ORR__ATTR_NUMBER(bit, type, field, length) ORR__ATTR_NUMBER_##bit,
enum { ORR__ATTRS(ORR__ATTR_NUMBER) ORR__ATTR_NUMBERS };
#define ORR__ATTR_BIT(bit, type, field, length) ORR__ATTR_##bit = 1 << ORR__ATTR_NUMBER_##bit,
enum { ORR__ATTRS(ORR__ATTR_BIT) ORR__ATTR_ALL = (1 << ORR__ATTR_NUMBERS) - 1 };

#define ORR__ATTR_SIZE(bit, type, field, length) +sizeof(((orr__attr *)0)->field)
_Static_assert(sizeof(orr__attr) == 0 ORR__ATTRS(ORR__ATTR_SIZE),
               "no padding: attributes are equal if their bytes are");

enum {
    ORR__OP_ORIGIN = 1,      /* two nodes differ although operands and attributes are equal           */
    ORR__OP_STOPS = 2,       /* no gradient flows through a node                                      */
    ORR__OP_ORDERED = 4,     /* a view whose elements keep their row-major order: it shares the buffer */
    ORR__OP_BY_PLACE = 8,    /* an element depends on its place, so it is computed at that place only */
    ORR__OP_UNIFORM = 16,    /* every element is s[0]                                                 */
    ORR__OP_MAY_FAIL = 32,   /* the kernel may refuse its data: a matrix, an index                   */
    ORR__OP_BLAS = 64,       /* the kernel calls BLAS: the bits depend on how many rows a call has   */
    ORR__OP_TILES = 128,     /* a large call is a graph of operations on tiles (codelets/cholesky.h) */
    ORR__OP_SUMS = 256,      /* an element is a sum: its last bits depend on the order              */
    ORR__OP_OVERLAPS = 512,  /* a view that shows elements more than once: it reads a buffer       */
    ORR__OP_FLOATS = 1024,   /* the operands are floats                                            */
    ORR__OP_SEVERAL = 2048,  /* an element from several ones of the operand: a short fold, unrolled */
    ORR__OP_POSTS = 4096,    /* the kernel may post the work to another thread and return (orr__ending) */
    ORR__OP_PLACES = 8192,   /* a node requests how its operand lies over ranks                         */
    ORR__OP_BORROWS = 16384, /* a long call may use the cores of idle workers (orr__step's borrows)     */
    ORR__OP_SLICES = 32768   /* a view: every attr.step-th element of the operand from attr.start on     */
};

/* The place of an index that a composition found out of range. It stays out of range in a sum of eight, and the message gives no
 * value for one between a half and 16 times as much. */
#define ORR__NO_PLACE (-(INT64_C(1) << 58))

/* Operands of every dtype are real numbers or bool, unless an operation says otherwise. */
enum { ORR__TAKES_COMPLEX = 1, ORR__TAKES_FIELD = 2, ORR__TAKES_ANY = 3 };

/* A kernel's call: all facts on which it depends, except values and dtypes. */
typedef struct orr__call {
    const struct orr__op *op;
    orr__attr attr;
    orr_shape out;
    int nin;
    orr_shape *in;
    int32_t slot; /* the first of the node's scalars in the capture */
    /* Arrays may have their channels, axis 1, in blocks of `block`: (n, c / block, …, block). Bit k of `blocked`: operand k has, if its
     * kernel accepts it; ORR__CALL_RESULT: the result has. */
    int block;
    uint32_t blocked;
    /* The number of parts into which the terms are divided: row k of the space is the partial result of part k. 0: rows are of the
     * result. */
    int64_t parts;
} orr__call;
enum { ORR__CALL_RESULT = 1 << 30 }; /* limit of a format */

/* A kernel's work. product: the flops run at the speed of a product; else one after the other. */
typedef struct orr__workload {
    double flops;
    bool product;
} orr__workload;

/* The computations of all ranks together. */
enum { ORR__JOINT_PRODUCT, ORR__JOINT_CHOLESKY, ORR__JOINT_LU, ORR__JOINT_SOLVE, ORR__JOINT_DET };

typedef struct orr__op {
    int id; /* position in ops/structural.def; element-wise rows from ORR__OP_EW on */
    const char *name;
    int8_t arity; /* -1: one or more */
    uint8_t role, pattern;
    uint8_t attrs;   /* ORR__ATTR_…: the attributes of a node      */
    uint16_t flags;  /* ORR__OP_…                                  */
    uint8_t kinds;   /* ORR__TAKES_…: operands other than real numbers */
    uint8_t options; /* bits of attr.mask that `record` uses       */
    float flops;     /* per element                                */

    /* The public function, with its arguments as attributes: axis, bits of mask, and start and step per axis, with axes and lengths as
     * users write them. The tests call it: goldens, random graphs, gradients. NULL: the tests have their own call. */
    orr_tensor *(*record)(const char *file, int line, orr_tensor *const *in, const orr__attr *a);
    /* The rule that a node breaks, in words; NULL: none. */
    const char *(*verify)(const struct orr__node *n, const struct orr__node *const *in, int nin);
    /* The node that node i of the capture equals for every value; i: none. */
    int (*identity)(const struct orr__capture *p, int i);
    /* The value, one element after the other. */
    orr_status (*reference)(const struct orr__reference *j);
    /* Bits of the node's shape: the elements of an integer node i of the capture that are not the operation's true value, as they wrap
     * or divide by 0. NULL, as for nodes of other dtypes: there is none, or, with the last error set, no memory. */
    struct orr__node *(*wrapped)(orr__site at, const struct orr__capture *p, int i);
    /* Bits of the shape of the operand of indices: those out of range. The last operand but the updates has them. */
    struct orr__node *(*outside)(orr__site at, const struct orr__capture *p, int i);
    /* The cotangent of operand k, in public operations; NULL: none flows there. */
    orr_tensor *(*vjp)(const struct orr__back *b, int k);
    /* The sum of the node over the axes in mask, which are removed, if it can be computed in a better way than from the node; NULL: it
     * cannot. The node may be shared with other threads: its inputs are read under the graph lock. */
    struct orr__node *(*summed)(orr__site at, struct orr__node *n, uint32_t mask);
    /* VIEW: from `v`, which sees the node, makes *w, which sees the operand of shape `in`; false: no affine map
     * exists. */
    bool (*see)(const struct orr__node *n, const orr_shape *in, const struct orr__view *v, struct orr__view *w);
    /* The rule for an operand's distribution: sets need and out, and returns true. False, or NULL: no rule; operands are gathered and
     * every rank computes the whole. */
    bool (*distribute)(orr__spread_rule *r);
    /* True if the ranks of a grid compute the node together, for operands of shapes `of` that lie as in[0 …). Then sets *out, which is whole before, and
     * those of `in` that are to lie in another way. */
    bool (*jointly)(const struct orr__node *n, const orr_shape *of, struct orr__distribution *in,
                    struct orr__distribution *out);
    uint8_t joint; /* ORR__JOINT_…: their computation */
    /* ELEMENT, GATHER, CHOICE: the register that holds node i of the capture as `v` sees it. */
    int (*lower)(struct orr__lowering *c, int i, const struct orr__view *v);
    /* FOLD: the operation of the pattern ELEMENT that has the same value, for nodes that fold few elements; NULL: none. */
    const struct orr__op *unrolled;
    /* KERNEL: the work; NULL: `flops` per element of the result. */
    orr__workload (*work)(const orr__call *c);
    /* The iteration space, whose axis 0 is cut into tiles: the rank; NULL: the result's shape. */
    int (*space)(const orr__call *c, int64_t *dim);
    /* May the axis be cut? NULL: yes. */
    bool (*cuts)(const orr__call *c);
    /* Terms of a sum that `parts` of a call may divide; NULL: none. */
    int64_t (*terms)(const orr__call *c);
    int8_t
        donor; /* KERNEL: 1 + the operand in whose memory the kernel may write the result, both being of one shape; 0: none */
    int8_t indices; /* MAY_FAIL: 1 + the operand of indices along axis, if these alone can be wrong; 0: else */
    uint8_t
        inverse; /* bits of attr.mask with which a node is the inverse of a matrix, as of no operation without one */
    int panel;   /* KERNEL: least rows of a task if tasks outnumber workers, since each packs an operand; 0: any */
    int version; /* of a user's kernel: part of its key */
} orr__op;

static inline orr__workload orr__call_work(const orr__call *c)
{
    double n = 1;
    for (int d = 0; d < c->out.rank; d++)
        n *= (double)c->out.dim[d];
    return c->op->work ? c->op->work(c) : (orr__workload){ .flops = n * (double)c->op->flops };
}
static inline bool orr__call_cuts(const orr__call *c)
{
    return !c->op->cuts || c->op->cuts(c);
}

/* Ids: the graph's own operations, those of ops/structural.def, element-wise rows. */
enum { ORR__OP_ROLES = 5, ORR__OP_EW = 128 }; /* limit of a format */

/* The operations whose meaning is the graph's own. */
extern const orr__op orr__op_leaf, orr__op_placeholder, orr__op_poison, orr__op_detach, orr__op_result;

#endif
