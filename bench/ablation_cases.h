/* Short cases of orrery-bench ablation: one for each mechanism that the other cases do not reach.
 * Must not know: mechanisms, how a case is timed. */
#ifndef ORR_BENCH_ABLATION_CASES_H
#define ORR_BENCH_ABLATION_CASES_H

/* Name of case i; NULL at the end. */
const char *ablation_case(int i);
/* Run in this process, while the library runs. prepare: 0, or 1 and the library has the error; once: one call. */
int ablation_prepare(const char *name);
int ablation_once(void *unused);
void ablation_drop(void);

#endif
