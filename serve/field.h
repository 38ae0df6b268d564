/* Works on finite fields and curves: elements as decimal or 0x texts in JSON.
 * Must not know: who asked, and when it runs. */
#ifndef ORR_SERVE_FIELD_H
#define ORR_SERVE_FIELD_H

#include "serve/work.h"

/* Reads the parameters and operands of a SERVE_FIELD or SERVE_MSM. On false, the reply holds the reason. */
bool serve_field_understand(serve_work *w, const json_t *p);
/* Reads {"field", "data"}, the body of a SERVE_KEEP: nested lists of numbers. */
bool serve_field_array(serve_work *w, const json_t *p);
/* Computes the work and sets its reply. */
void serve_field_run(serve_work *w);
/* The reply of a SERVE_SHOW: {"field", "data"}. */
void serve_field_show(serve_work *w);

/* A formula for the time of the operation, whose kernels the cost model knows roughly. */
double serve_field_seconds(const serve_work *w);
/* Elements of its result. */
double serve_field_result(const serve_work *w);

#endif
