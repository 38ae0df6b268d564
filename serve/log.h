/* The log: one JSON object a line.
 * Must not know: payloads and tokens; no caller passes them. */
#ifndef ORR_SERVE_LOG_H
#define ORR_SERVE_LOG_H

#include <stdbool.h>

typedef enum serve_level { SERVE_LOG_ERROR, SERVE_LOG_EVENT, SERVE_LOG_REQUEST } serve_level;

/* path NULL: standard error. false: it cannot be opened (errno). */
bool serve_log_open(const char *path, const char *level);
void serve_log_close(void);
/* members: further members of the object, as `"key": value`. Texts in them go through serve_quote. Thread-safe. */
void serve_log(serve_level level, const char *event, const char *members, ...) __attribute__((format(printf, 3, 4)));
/* `text` as a JSON string in `buf`, quotes included; a longer text is cut. Returns buf. */
char *serve_quote(char *buf, int size, const char *text);

#endif
