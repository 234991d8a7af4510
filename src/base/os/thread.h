/* thread.h - threads of the project's own, beside the program's. */
#ifndef VZ_OS_THREAD_H
#define VZ_OS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Signals of the program are for its own threads; those that a fault raises stay, or it would end without a handler.
 * False: the system allows no more threads. */
bool vz_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
