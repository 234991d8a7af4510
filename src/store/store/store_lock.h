/* store_lock.h - locks on whole stores: many readers or one writer, between processes that ask for it; and who changes
 * documents now. */
#ifndef VZ_STORE_STORE_LOCK_H
#define VZ_STORE_STORE_LOCK_H

#include "store/store/store_read.h"

typedef enum vz_lock_wish { VZ_LOCK_NO, VZ_LOCK_YES, VZ_LOCK_IF_POSSIBLE } vz_lock_wish;

/* Locks the store on the value `key`, or with "" on itself, for one writer (`exclusive`) or many readers, until
 * vz_store_lock_leave. VZ_BUSY (EWOULDBLOCK) when somebody holds it; true without a lock where there are none, or it is
 * not wanted, or only if possible. */
bool vz_store_lock_acquire(vz_store *store, vz_store_lock *lock, const char *key, bool exclusive, vz_lock_wish wish,
                           vz_error *err);
/* Others may come in now: as readers (`shared`), or at all. */
bool vz_store_lock_relax(vz_store_lock *lock, bool shared, vz_error *err);
void vz_store_lock_leave(vz_store_lock *lock);
/* Could it be had? */
bool vz_store_lock_check(vz_store *store, const char *key, vz_lock_wish wish, vz_error *err);

/* Tries the lock on the value `key` for a moment, to find out whether locks keep processes on all machines apart.
 * *descriptor: what holds it, the caller's to close; -1 unless it is VZ_TRIED_GOT. */
typedef enum vz_tried { VZ_TRIED_NO_LOCKS, VZ_TRIED_GOT, VZ_TRIED_HELD } vz_tried;
vz_tried vz_store_try_lock(const vz_store *store, const char *key, int *descriptor);
void vz_store_end_try(int descriptor); /* -1 is fine */

/* Between looking at a document and replacing it no other process of ours does so: waits up to 10 s for who has the
 * lock, then VZ_BUSY. True without a lock where the file system has none. Only for stores that replace in place. */
bool vz_store_keep_out(vz_store *store, vz_error *err);
void vz_store_let_in(vz_store *store);
bool vz_store_replaces_in_place(const vz_store *store);

/* Not a lock that shuts anybody out: a mark on the store that a look finds, and that goes with the process. */
void vz_store_mark_swmr(vz_store *store);
bool vz_store_has_swmr_mark(const vz_store *store); /* another process's; false where the system cannot tell */

#endif
