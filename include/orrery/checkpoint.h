/* Checkpoints: the state of a run in a file, from which the run continues with the same bits.
 * Must not know: how a step is computed.
 *
 * A checkpoint lists the parts of a run's state: variables, modules, optimisers, and plain memory of the program (step,
 * epoch, a schedule, a loader's position). orr_checkpoint_save writes all parts and the calling thread's generator of
 * random numbers; orr_checkpoint_load reads them back, all or nothing. Two generations are kept, PATH.0.npz and PATH.1.npz.
 * A save overwrites the older one, and a file appears whole or not at all, so that at least one whole generation exists
 * whenever the process ends. Each array has a CRC-32. ORRERY_DETERMINISTIC=1 makes the steps between checkpoints
 * reproducible bit for bit. A checkpoint is used by one thread at a time. */
#ifndef ORRERY_CHECKPOINT_H
#define ORRERY_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <orrery/nn.h>
#include <orrery/optim.h>
#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The list of a run's parts, and the place of its files. */
typedef struct orr_checkpoint orr_checkpoint;

/** Makes an empty checkpoint for the files PATH.0.npz and PATH.1.npz. Nothing is read or written yet.
 * @param path  without an ending; its folder exists
 * @return      free with orr_checkpoint_free; NULL on ORR_EINVAL (NULL, empty, too long), ORR_ENOMEM. */
ORR_API orr_checkpoint *orr_checkpoint_new_at(const char *file, int line, const char *path);
#define orr_checkpoint_new(...) orr_checkpoint_new_at(ORR_HERE, __VA_ARGS__)
/** Frees the list; parts and files stay. NULL is fine. */
ORR_API void orr_checkpoint_free(orr_checkpoint *c);

/** Adds a variable (borrowed) under a name of its own. bfloat16 is kept as float32, which is exact.
 * errors:   ORR_EINVAL (NULL, no variable, the name is empty, taken or longer than 63 bytes), ORR_ENOMEM. */
ORR_API orr_status orr_checkpoint_add_variable_at(const char *file, int line, orr_checkpoint *c, const char *name,
                                                  orr_tensor *variable);
#define orr_checkpoint_add_variable(...) orr_checkpoint_add_variable_at(ORR_HERE, __VA_ARGS__)
/** Adds all parameters and states of a module (borrowed).
 * errors:   as orr_checkpoint_add_variable. */
ORR_API orr_status orr_checkpoint_add_module_at(const char *file, int line, orr_checkpoint *c, const char *name,
                                                orr_module *m);
#define orr_checkpoint_add_module(...) orr_checkpoint_add_module_at(ORR_HERE, __VA_ARGS__)
/** Adds the state, the number of steps and the learning rate of an optimiser (borrowed).
 * errors:   as orr_checkpoint_add_variable. */
ORR_API orr_status orr_checkpoint_add_optim_at(const char *file, int line, orr_checkpoint *c, const char *name,
                                               orr_optim *o);
#define orr_checkpoint_add_optim(...) orr_checkpoint_add_optim_at(ORR_HERE, __VA_ARGS__)
/** Adds `bytes` bytes of the program's memory (borrowed), which hold no pointers.
 * errors:   as orr_checkpoint_add_variable. */
ORR_API orr_status orr_checkpoint_add_bytes_at(const char *file, int line, orr_checkpoint *c, const char *name,
                                               void *data, size_t bytes);
#define orr_checkpoint_add_bytes(...) orr_checkpoint_add_bytes_at(ORR_HERE, __VA_ARGS__)

/** Evaluates all parts and writes them over the older generation. After an error both generations are as they were. Ranks: as
 * orr_module_save.
 * errors:   ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM, and those of orr_eval. */
ORR_API orr_status orr_checkpoint_save_at(const char *file, int line, orr_checkpoint *c);
#define orr_checkpoint_save(...) orr_checkpoint_save_at(ORR_HERE, __VA_ARGS__)
/** Reads the newest whole generation into the parts, all or nothing. A damaged one is left out, with a line in the log.
 * Ranks: all ranks call it, and read the same file; none keeps more than its part of a distributed array.
 * @param found  false: there is no file, and the parts are as they were. NULL is fine.
 * errors:   ORR_EINVAL (the file is of other parts: the message names the first difference), ORR_ESHAPE, ORR_EDTYPE,
 *           ORR_EFORMAT (both generations are damaged), ORR_EIO, ORR_ENOMEM, ORR_ERANK (the ranks see different files). */
ORR_API orr_status orr_checkpoint_load_at(const char *file, int line, orr_checkpoint *c, bool *found);
#define orr_checkpoint_load(...) orr_checkpoint_load_at(ORR_HERE, __VA_ARGS__)
/** Returns the number of the generation that was last written or read, from 1; 0: none. */
ORR_API int64_t orr_checkpoint_generation(const orr_checkpoint *c);

/** Catches a signal that announces the end of the process: SIGTERM, or SIGUSR1 of Slurm's --signal. The handler only sets a flag;
 * the loop calls orr_checkpoint_stopping or orr_checkpoint_due. Before orr_init too, and best there: orr_init may take
 * seconds, and a signal that arrives before this call ends the process.
 * errors:   ORR_EINVAL (the signal cannot be caught). */
ORR_API orr_status orr_checkpoint_catch_at(const char *file, int line, int signal);
#define orr_checkpoint_catch(...) orr_checkpoint_catch_at(ORR_HERE, __VA_ARGS__)
/** Returns whether a caught signal has arrived. Safe from any thread. */
ORR_API bool orr_checkpoint_stopping(void);
/** Returns whether it is time to save: a caught signal has arrived, or `seconds` have passed since the last save or load, or
 * since creation. */
ORR_API bool orr_checkpoint_due(const orr_checkpoint *c, double seconds);

#ifdef __cplusplus
}
#endif
#endif
