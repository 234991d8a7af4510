/* file_system.h - what file systems promise beyond reading and writing: locks, how far these
 * reach, a sync of all, and what new files inherit. */
#ifndef VZ_OS_FILE_SYSTEM_H
#define VZ_OS_FILE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Is it on a file system that one kernel has mounted at a time? False where that is not known. */
bool vz_os_is_of_one_kernel(int file);
/* All that was written and renamed in the file system of the open directory is on the disk. The
 * directory may be open as a place only (vz_os_place). Errors of writing back are reported since
 * it was opened. 0, or an errno. */
int vz_os_sync_file_system(int directory);

/* -- What new files inherit -- */
/* Has the directory an access list (`inherited`: one for what is made in it)? */
bool vz_os_has_access_list(int directory, bool inherited);
/* The group of what is made in the directory. */
gid_t vz_os_group_of_new(const struct stat *directory);
/* Do files that are made in either get the same labels and quotas, and can they be renamed from
 * one to the other? Both are open directories. False where that is not known. */
bool vz_os_inherit_equally(int a, int b);
/* Copies extended attributes, those that this process may set. */
void vz_os_copy_attributes(int from, int to);

/* -- Limits -- */
bool vz_os_may_grow_to(uint64_t size); /* may a file of this process be so large? */

/* -- Locks --
 * advisory ones, of the open file and not of the process. Two threads that opened a file for
 * themselves meet each other's locks, and a forked child shares its parent's. Closing the last
 * descriptor ends them. All answer 0, or -1 and errno. */
typedef enum vz_os_lock_kind { VZ_OS_UNLOCK, VZ_OS_LOCK_SHARED, VZ_OS_LOCK_EXCLUSIVE } vz_os_lock_kind;

/* The whole file (flock). */
/* Without waiting: EWOULDBLOCK where another one has it. ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL or
 * EBADF: the file system has no such locks, or not for this descriptor. */
int vz_os_lock(int file, vz_os_lock_kind kind);
int vz_os_lock_waiting(int file, vz_os_lock_kind kind); /* EINTR: a signal came first */

/* One byte, which need not be there. */
/* Without waiting: EAGAIN or EACCES where another one has it. ENOLCK: there can be no such locks
 * here. EMFILE or ENFILE: there are too many open files. */
int vz_os_lock_byte(int file, uint64_t byte, vz_os_lock_kind kind);
/* Would that lock be refused? `file` need not be writable for an exclusive one. */
int vz_os_find_byte_lock(int file, uint64_t byte, vz_os_lock_kind kind, bool *held);
/* Does the file's own file system keep them? Else they are files in /var/tmp: a process that has
 * another /var/tmp does not meet them, nor does another machine. A copy of a descriptor that
 * vz_os_dup made does not keep them then. */
bool vz_os_byte_locks_are_in_file(void);
/* Why this thread's last call for a lock on a byte failed, in brackets behind a blank, to be put
 * behind a text. Empty where errno says all. */
const char *vz_os_lock_trouble(void);

/* How far they reach. */
typedef enum vz_os_lock_reach {
    VZ_OS_REACH_UNKNOWN, /* some who use the file may not meet them */
    VZ_OS_REACH_KERNEL,  /* one kernel has the file system mounted at a time, and all its processes
                          * meet them */
    VZ_OS_REACH_OVERLAY, /* as before, but who sees the directories below meets other locks */
    VZ_OS_REACH_SERVER   /* the server of a network file system keeps them */
} vz_os_lock_reach;

vz_os_lock_reach vz_os_reach_of_locks(int file);

#endif
