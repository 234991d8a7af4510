/* byte_lock_internal.h - locks on single bytes where they are files of their own
 * (lock_file_posix.c). They go with the descriptor through which they were taken
 * (byte_lock_posix.c). */
#ifndef VZ_OS_BYTE_LOCK_INTERNAL_H
#define VZ_OS_BYTE_LOCK_INTERNAL_H

#include "base/os/file_system.h"

/* The descriptor is about to be closed, and its locks go with it. errno stays what it is. */
void vz_os_byte_locks_end(int file);
/* `copy` is about to become a further descriptor of what `file` has open: it holds the locks, too.
 * 0, or -1 and EMFILE: it holds none. */
int vz_os_byte_locks_copy(int file, int copy);

/* ---- the files ---- */

typedef struct vz_os_locked_byte {
    dev_t device;
    ino_t inode;
    uint64_t byte;
} vz_os_locked_byte;

/* A descriptor of the byte's file, or -1 and errno:
 * - ENOENT: nobody has made it
 * - ENOLCK: it cannot be opened
 * - EMFILE, ENFILE: there are too many open files */
int vz_os_lock_file_open(const vz_os_locked_byte *byte);
int vz_os_lock_file_make(const vz_os_locked_byte *byte); /* as before, but never ENOENT */
bool vz_os_lock_file_try(int lock, vz_os_lock_kind kind);
/* Removes the byte's file unless somebody has locked it. Only within the gate. */
void vz_os_lock_file_drop(const vz_os_locked_byte *byte);

/* One process at a time is within the gate. A descriptor; -1: EAGAIN where another process did not
 * leave it, else as vz_os_lock_file_make. */
int vz_os_gate_enter(void);
void vz_os_gate_leave(int gate); /* errno stays what it is */

/* Sets what vz_os_lock_trouble answers in this thread; NULL: nothing. */
void vz_os_lock_trouble_set(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
