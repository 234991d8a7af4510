/* process.h - which process opened a store, and whether it still runs: what a forked child inherits is the parent's to
 * write. */
#ifndef VZ_OS_PROCESS_H
#define VZ_OS_PROCESS_H

#include "base/util/error.h"
#include <stdint.h>

typedef struct vz_process vz_process; /* shared by all that one process opened for writing */

long vz_process_id(void);                             /* of the one that asks */
void vz_process_unlike(uint64_t number[2]);           /* one that no other call and no other process is given */
vz_process *vz_process_take(vz_error *err);           /* of the one that asks, watched; NULL with err set: no memory */
void vz_process_leave(vz_process *process);           /* NULL is fine */
bool vz_process_has_ended(const vz_process *process); /* where nothing tells, it is taken to run */

#endif
