/* The evaluation of a tensor, explained: kernels, tiles, bytes, and the reasons against fusion.
 * Must not know: how a value is computed. */
#ifndef ORRERY_EXPLAIN_H
#define ORRERY_EXPLAIN_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Prints how `t` would be evaluated now, and computes nothing. docs/fusion.md explains the text.
 * For each kernel: its key, whether it is compiled, its predicted time and tiles, the calls in it and those among them
 * that stay in registers, and its inputs, each from another kernel with the reason why the two are not fused. The last
 * line has the bytes moved with and without fusion.
 * errors:   the error of a poison, ORR_EINVAL (NULL), ORR_ESTATE, ORR_ENOMEM.
 * threads:  safe from any thread. */
ORR_API orr_status orr_explain_at(const char *file, int line, FILE *to, orr_tensor *t);
#define orr_explain(...) orr_explain_at(ORR_HERE, __VA_ARGS__)

/** Writes the graph of `t` in Graphviz's DOT language: a box per node, and with `fused` a frame around the nodes of
 * each kernel. `dot -Tsvg` draws it. Computes nothing.
 * errors:   as orr_explain. */
ORR_API orr_status orr_explain_dot_at(const char *file, int line, FILE *to, orr_tensor *t, bool fused);
#define orr_explain_dot(...) orr_explain_dot_at(ORR_HERE, __VA_ARGS__)

/** Prints the notes of the time since orr_init: for each source line that matters, its share of the time, the share of the machine's
 * bound that its kernels reach, and the change by which time would be won, the largest gain first. A line is "FILE:LINE: note: TEXT", which
 * editors read (docs/seeing.md). Notes are taken while ORRERY_NOTES is set, and are written to its file at the end in any case.
 * errors:   ORR_ESTATE (ORRERY_NOTES is not set), ORR_EINVAL (NULL), ORR_EIO.
 * threads:  safe from any thread. */
ORR_API orr_status orr_notes(FILE *to);

#ifdef __cplusplus
}
#endif
#endif
