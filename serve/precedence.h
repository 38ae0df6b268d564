/* The precedence of the threads that compute, which is less than that of the others if there are several clients.
 * Must not know: what the threads do. */
#ifndef ORR_SERVE_PRECEDENCE_H
#define ORR_SERVE_PRECEDENCE_H

#include <stdbool.h>

/* The calling thread, and the threads that it starts afterwards, compute for one of several clients: they get less of a core than other
 * threads do, and one of those that wakes up does not wait for the end of their turn. */
void serve_precedence_low(void);
/* The calling thread, and the threads that it starts afterwards, receive and answer: one of them that wakes up does not wait for the end of
 * another thread's turn, be it of another process. */
void serve_precedence_prompt(void);
/* While a client sends more than its share (`much`), these threads get next to nothing of a core that others want, else as before: as far as
 * the system lets a process raise its priority again. Called at intervals, by one thread. */
void serve_precedence_look(bool much, double now);

#endif
