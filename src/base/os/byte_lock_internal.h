/* byte_lock_internal.h - locks on single bytes where they are files of their own: what becomes of
 * them with the descriptor through which they were taken (byte_lock_posix.c). */
#ifndef VZ_OS_BYTE_LOCK_INTERNAL_H
#define VZ_OS_BYTE_LOCK_INTERNAL_H

/* The descriptor is about to be closed, and its locks go with it. errno stays what it is. */
void vz_os_byte_locks_end(int file);
/* `copy` is a further descriptor of what `file` has open: it holds the locks, too. */
void vz_os_byte_locks_copy(int file, int copy);

#endif
