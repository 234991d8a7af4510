/* process_internal.h - processes: what each system does in its own way. */
#ifndef VZ_OS_PROCESS_INTERNAL_H
#define VZ_OS_PROCESS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

/* The environment as the system keeps it; may be NULL. */
char **vz_os_environ(void);
/* A pipe that exec closes: 0; -1 and errno. */
int vz_os_pipe(int ends[2]);

/* A descriptor that tells when that process has ended; -1: the system has none. */
int vz_os_process_watch(long id);
/* Is the descriptor such a one still? A daemon closes all, and opens others of the same numbers. */
bool vz_os_process_is_watched(int descriptor);

/* Zeros that a forked child finds as zeros again, whatever this process wrote there. NULL: the
 * system has no such memory. */
void *vz_os_map_wiped_by_fork(size_t size);

#endif
