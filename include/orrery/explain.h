/* What would be done to compute a tensor, and why: for people who ask why something is slow.
 * Must not know: how it is done. */
#ifndef ORRERY_EXPLAIN_H
#define ORRERY_EXPLAIN_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Prints how `t` would be evaluated now: each kernel with its key, whether it is compiled, its predicted time and tiles; the
 * calls that went into it, and which of them stay inside; what it reads, and of each value that another kernel makes, why
 * the two are not one; bytes moved with and without fusion. docs/fusion.md says how to read it.
 * Computes nothing. Errors: what poison carries, ORR_EINVAL (NULL), ORR_ESTATE, ORR_ENOMEM. Thread-safe. */
ORR_API orr_status orr_explain_at(const char *file, int line, FILE *to, orr_tensor *t);
#define orr_explain(...) orr_explain_at(ORR_HERE, __VA_ARGS__)

/** Writes the graph behind `t` in Graphviz's DOT language: one box per node; with `fused`, a frame around the nodes of
 * each kernel. `dot -Tsvg` draws it. Computes nothing. Errors: as orr_explain. */
ORR_API orr_status orr_explain_dot_at(const char *file, int line, FILE *to, orr_tensor *t, bool fused);
#define orr_explain_dot(...) orr_explain_dot_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
