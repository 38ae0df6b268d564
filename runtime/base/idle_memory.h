/* The thread that returns idle memory to the system. It sleeps while there is none.
 * Must not know: engines, which memory is idle. */
#ifndef ORR_BASE_IDLE_MEMORY_H
#define ORR_BASE_IDLE_MEMORY_H

/* orr_init: the thread starts when memory first becomes free. orr_shutdown: joins it. */
void orr__idle_memory_start(void);
void orr__idle_memory_stop(void);
/* Memory may be idle from now on. Costs a load while the thread is awake. */
void orr__idle_memory_wake(void);

#endif
