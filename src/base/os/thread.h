/* thread.h - threads of the project's own, beside the program's. */
#ifndef VZ_OS_THREAD_H
#define VZ_OS_THREAD_H

#include "base/util/error.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Signals of the program are for its own threads; those that a fault raises stay, or it would
 * end without a handler. False: the system allows no more threads. */
bool vz_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* -- Thread pool --
 * worker threads for chunk work. Workers never call HDF5. One pool per module instance, started at first use,
 * restarted in a forked child. */
/* One task: index in 0..count-1, worker in 0..vz_pool_width()-1 (use it to pick per-worker
 * scratch). */
typedef bool (*vz_pool_job)(void *context, size_t index, unsigned worker, vz_error *err);

/* Sets the number of threads that work at once, the caller included (0: what affinity and cgroup
 * allow). */
void vz_pool_set_threads(unsigned threads);
unsigned vz_pool_width(void);

/* Runs task 0..count-1, the caller taking part, and returns when all ended. After a failure no
 * further index is begun; the first error wins. Signals are blocked in workers. Not re-entrant
 * from a task. */
bool vz_pool_run(vz_pool_job task, void *context, size_t count, vz_error *err);

/* As vz_pool_run, for tasks that are about so many bytes in all. Fewer than VZ_POOL_BYTES_MIN
 * are done by the time that another thread is awake: then the caller does all of it. */
#define VZ_POOL_BYTES_MIN ((uint64_t)16 << 10)
bool vz_pool_run_bytes(vz_pool_job task, void *context, size_t count, uint64_t bytes, vz_error *err);

/* Is the caller one of several threads that are in a run? */
bool vz_pool_works_together(void);

/* Has the thread that runs the pool make a call, for what no other thread may do, and returns
 * when it is made: in a worker when that thread comes to it (between its own tasks, and in its
 * own calls of this), else at once. */
typedef void (*vz_pool_call)(void *argument);
void vz_pool_on_caller(vz_pool_call call, void *argument);

/* Per-worker memory that lives from call to call; valid indexes are those a task is given. */
struct vz_buffer *vz_pool_scratch(unsigned worker, unsigned slot);
#define VZ_POOL_SCRATCH_SLOTS 4

/* Ends the threads (they start again at the next run) and frees scratch. */
void vz_pool_stop(void);

#endif
