/* The cases of orrery-bench privacy, computed in this process on request: bench/fusion_serve.c.
 * Must not know: what they are measured against. */
#ifndef ORR_BENCH_PRIVATE_DP_H
#define ORR_BENCH_PRIVATE_DP_H

/* name: "private" or "plain" (training steps), "gaussian", "laplace", "discrete-gaussian", "discrete-laplace". 0, or 1. */
int private_dp_ours_prepare(const char *name);
int private_dp_ours_once(void *unused);
void private_dp_ours_drop(void);

#endif
