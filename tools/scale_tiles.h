/* Shared by the simulated graphs of tasks on tiles: ranks, their tasks, their messages.
 * Must not know: where a machine's numbers come from. */
#ifndef ORR_TOOLS_SCALE_TILES_H
#define ORR_TOOLS_SCALE_TILES_H

#include <stddef.h>
#include "tools/scale.h"

/* A task or an array that is sent: what it is, and the tile's row and column; step: the panel that a task belongs to. */
typedef struct {
    int what, i, j, step;
} scale_item;

enum { SCALE_WHATS = 8 };

/* key: the urgency, the row, the column, so that the least key comes first. Small, since a rank may have thousands. */
typedef struct {
    uint64_t key;
    int what, step;
} scale_ready;

enum { SCALE_PLACE_BITS = 20 }; /* of a row or a column in the key */

typedef struct {
    scale_ready *at; /* a heap of four children a node */
    int n, room;
    int idle, open; /* idle: workers without a task; open: inserted panels */
    double link_out, link_in, thread;
    int *left; /* by panel: tasks of this rank */
} scale_rank;

/* A moment that is still to come: the end of a task, or a stage of a message. */
typedef struct scale_event scale_event;
typedef struct scale_domain scale_domain;
typedef struct scale_lane scale_lane;
typedef struct scale_sim scale_sim;

/* A plan inserts panels in order. A rank inserts a panel when it has done all tasks of the panel that is a window earlier. */
typedef struct {
    /* Counts each rank's tasks by panel; makes the plan's own state. False: no memory. */
    bool (*begin)(scale_sim *s);
    void (*end)(scale_sim *s);
    /* A rank has inserted a panel; a task has ended there; an array, its own or another rank's, can be read there. */
    void (*opened)(scale_sim *s, int rank, int panel);
    void (*ended)(scale_sim *s, int rank, scale_item task);
    void (*came)(scale_sim *s, int rank, scale_item array);
    /* Other ranks that read an array, each once, in a fixed order, to s->list. */
    int (*readers)(scale_sim *s, scale_item array);
    double (*seconds)(const scale_sim *s, scale_item task);
    double (*elements)(const scale_sim *s, int what); /* of an array that is sent */
} scale_plan;

struct scale_sim {
    const scale_machine *m;
    const scale_graph *g;
    const scale_plan *plan;
    int nt, panels, ranks, window, p, q;
    double kind_seconds[SCALE_KINDS], copy_seconds; /* of a task on whole tiles; of a copy of a tile */
    double wire[SCALE_WHATS], handle[SCALE_WHATS], staged[SCALE_WHATS], bytes[SCALE_WHATS];
    scale_rank *rank;
    int *list;
    /* Tiles of a rank are together, so are the bits of a panel on a rank: of arrays for its rows, then of those for its columns. */
    int local_rows, local_cols, words;
    int *state;
    uint64_t *there;
    void *own; /* of the plan */
    bool ok;
    /* of the engine */
    double now;
    bool shared;  /* fewer cores than workers and threads */
    double cores; /* of a domain */
    int domains_of_node, domains;
    scale_domain *domain;
    struct scale_moment *heap;
    size_t moments, room;
    scale_lane *lane;
    int lanes;
    scale_event *event;
    uint32_t unused, events, order;
    double worked, communicated, messages, sent;
};

static inline int scale_owner(const scale_sim *s, int i, int j)
{
    return i % s->p * s->q + j % s->q;
}

/* The state of tile (i, j), by its owner's row i / p and column j / q. */
static inline int *scale_state(const scale_sim *s, int rank, int i, int j)
{
    return &s->state[((size_t)rank * (size_t)s->local_rows + (size_t)(i / s->p)) * (size_t)s->local_cols +
                     (size_t)(j / s->q)];
}

/* The bit of an array of panel k that rank's tasks of row i of the matrix read, or those of column j. */
static inline bool scale_bit(const scale_sim *s, int rank, int k, int at)
{
    return s->there[((size_t)rank * (size_t)s->panels + (size_t)k) * (size_t)s->words + (size_t)at / 64] >> at % 64 & 1;
}

static inline void scale_bit_set(scale_sim *s, int rank, int k, int at)
{
    s->there[((size_t)rank * (size_t)s->panels + (size_t)k) * (size_t)s->words + (size_t)at / 64] |= UINT64_C(1)
                                                                                                     << at % 64;
}

static inline int scale_of_row(const scale_sim *s, int i)
{
    return i / s->p;
}

static inline int scale_of_col(const scale_sim *s, int j)
{
    return s->local_rows + j / s->q;
}

/* The least index ≥ from that equals part modulo parts. */
static inline int scale_first(int from, int parts, int part)
{
    return from + ((part - from) % parts + parts) % parts;
}

/* Lets a task run; small urgencies come first, then small rows, then small columns. */
void scale_push(scale_sim *s, int rank, scale_item task, int urgency);
/* The rank's workers take tasks. */
void scale_start(scale_sim *s, int rank);
/* An array is complete on `from`: it goes to all readers, and can be read here if `here` is set. */
void scale_spread(scale_sim *s, int from, scale_item array, bool here);

extern const scale_plan scale_plan_cholesky, scale_plan_product, scale_plan_lu;

#endif
