/* Status codes, error messages, and the site macro by which a message names the caller's file and line.
 * Must not know: anything of tensors beyond their name. */
#ifndef ORRERY_STATUS_H
#define ORRERY_STATUS_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ORR_API __attribute__((visibility("default")))
#define ORR_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define ORR_API
#define ORR_PRINTF(fmt, first)
#endif

/** File and line of a call in the user's source. Every public function that can fail on the user's arguments is a
 * macro `orr_f(…)` over a function `orr_f_at(ORR_HERE, …)`; bindings call the `_at` form directly. The file name
 * must outlive the tensors made with it, as a string literal does. */
#define ORR_HERE __FILE__, __LINE__

/** Result of a call. ORR_OK is 0. */
typedef enum orr_status {
    ORR_OK = 0,     /**< done                                                               */
    ORR_EINVAL,     /**< an argument makes no sense: NULL, out of its range                 */
    ORR_ESHAPE,     /**< shapes, ranks or sizes do not fit, or overflow                     */
    ORR_EDTYPE,     /**< dtypes do not fit; the message names the cast to write             */
    ORR_EAXIS,      /**< an axis out of range, or twice                                     */
    ORR_EINDEX,     /**< an index (a value in a tensor) out of range                        */
    ORR_ENOMEM,     /**< out of memory; no state is lost, the next call may work            */
    ORR_EIO,        /**< a file cannot be opened, read or written                           */
    ORR_EFORMAT,    /**< a file's content does not fit its header                            */
    ORR_ESTATE,     /**< not initialised, or shut down already                              */
    ORR_EHANDLE,    /**< a tensor used after its scope ended, after orr_free, or never made */
    ORR_EGRAPH,     /**< a placeholder without a value, a foreign graph, a missing gradient */
    ORR_EDEVICE,    /**< a device or its library failed                                     */
    ORR_EENV,       /**< an environment variable's value makes no sense                     */
    ORR_ENUMERIC,   /**< a matrix is singular or not positive definite: found by evaluation */
    ORR_ERANK,      /**< another rank of a distributed program has failed; the message names it */
    ORR_ECANCELLED, /**< the evaluation was cancelled, or its time limit has passed, before it computed the value */
    ORR_EINTERNAL   /**< a fault of the library: please report it                           */
} orr_status;

/** Name of a status, e.g. "ORR_ESHAPE". Never NULL. Thread-safe. */
ORR_API const char *orr_status_name(orr_status s);

/** Returns the calling thread's last error as one line, `file:line: op: message`; "" without an error. Valid until
 * the thread's next failing call. */
ORR_API const char *orr_error_message(void);

/** Returns the status of the calling thread's last error; ORR_OK without an error. */
ORR_API orr_status orr_error_status(void);

/** Clears the calling thread's last error. */
ORR_API void orr_error_clear(void);

/** Prints the last error and a newline to `to`. Returns 1, so that `return orr_error_print(stderr);` ends main. */
ORR_API int orr_error_print(FILE *to);

/** Weight of a line of the log. */
typedef enum orr_log_level { ORR_LOG_ERROR, ORR_LOG_WARNING, ORR_LOG_INFO, ORR_LOG_DEBUG } orr_log_level;

/** Takes a line of the log: text without level and newline, valid during the call. It may be called by any thread of the library, by one at
 * a time, and must not call the library; what it logs by doing so goes to stderr, and an evaluation is ORR_ESTATE. */
typedef void (*orr_log_fn)(orr_log_level level, const char *text, void *user);

/** Directs the lines that ORRERY_LOG admits to `fn`, with `user`. NULL: to stderr, as "orrery: level: text", which is the default. When it
 * returns, the former function is not called any more, unless a call of it has called this. Errors: none. Thread-safe, also before orr_init
 * and after orr_shutdown; a child of fork has the function of its parent. */
ORR_API void orr_log_to(orr_log_fn fn, void *user);

#ifdef __cplusplus
}
#endif
#endif
