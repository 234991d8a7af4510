/* store.h - the calls of a store: values, trees, copies, journals, locks. The contract of an
 * operation stands beside its member in store_class.h. */
#ifndef VZ_STORE_STORE_H
#define VZ_STORE_STORE_H

#include "store/store/store_class.h"

/* Opens the directory `path` (must exist). writable=false never writes, on no account. */
vz_store *vz_store_open_directory(const char *path, bool writable, vz_error *err);
/* Makes the directory first (parents must exist); fails with VZ_EXISTS if it is there and
 * `exclusive`. */
vz_store *vz_store_create_directory(const char *path, bool exclusive, vz_error *err);
vz_store *vz_store_new_memory(vz_error *err);
void vz_store_close(vz_store *store); /* NULL is fine */
/* The store, called by that path from now on. Taken over: NULL where there is no memory for it,
 * and then it is closed. */
vz_store *vz_store_with_path(vz_store *store, const char *path, vz_error *err);

/* These call the class and count. Names as in the class. */
bool vz_store_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err);
bool vz_store_get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                         bool *found, vz_error *err);
/* A read of a value counts as a get. Closing twice is fine. */
bool vz_store_open_value(vz_store *store, const char *key, vz_store_value_use use, vz_store_value *value, bool *found,
                         vz_error *err);
bool vz_store_read_value(vz_store *store, const char *key, const vz_store_value *value, const vz_range *ranges,
                         size_t count, vz_buffer *out, vz_error *err);
bool vz_store_value_changed(vz_store *store, const char *key, const vz_store_value *value);
void vz_store_close_value(vz_store *store, vz_store_value *value);
bool vz_store_stat(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err);
bool vz_store_put(vz_store *store, const char *key, vz_bytes value, vz_error *err);
/* Only of stores that have the function. */
bool vz_store_put_parts(vz_store *store, const char *key, vz_parts value, vz_error *err);
/* stamp->exists=false: it was put, and is not reported. */
bool vz_store_put_stamped(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err);
bool vz_store_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err);
/* Only of stores that have the function. */
bool vz_store_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                     vz_version *now, vz_error *err);
bool vz_store_del(vz_store *store, const char *key, vz_error *err);
bool vz_store_del_tree(vz_store *store, const char *prefix, vz_error *err);
bool vz_store_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err);
bool vz_store_exchange_trees(vz_store *store, const char *a, const char *b, bool *done, vz_error *err);
bool vz_store_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);
/* Values that are put at a prefix, or below it, are not seen by other readers of the store until it
 * is published. Then all are seen in one step. They are read, listed, renamed and deleted under
 * their keys as ever, and gone when the writer dies. A prefix inside of an unpublished one goes
 * there when it is published. Nothing to do for stores that show nothing before commit. */
bool vz_store_begin(vz_store *store, const char *prefix, vz_error *err);
bool vz_store_publish(vz_store *store, const char *prefix, vz_error *err);
/* Does the key lie at a prefix that waits so? Then nobody else has put anything there. */
bool vz_store_hides(vz_store *store, const char *key);
/* After VZ_EXISTS from one of these, or from rename_tree. Has the entry in the way another name,
 * because the file system takes "A" and "a" for one? Then another key has to be taken. */
bool vz_store_names_collide(vz_store *store, const char *key);
/* Has somebody else made something at the prefix since it was begun? Then ours goes to it at
 * once, value by value. */
bool vz_store_give_way(vz_store *store, const char *prefix, vz_error *err);
/* The stored shape of the array at the prefix does not fit its chunks, or will not fit them, until
 * the change ends. If the writer dies before that, or closes the store, the next one hears of
 * it. */
bool vz_store_begin_shape_change(vz_store *store, const char *prefix, vz_error *err);
void vz_store_end_shape_change(vz_store *store, const char *prefix);
/* Visits arrays that writers left so. An array for which the visit returns true is done with.
 * Others are left to the next writer, and all of them if another process writes in the store. */
typedef struct vz_lease_dead_writer vz_lease_dead_writer;
typedef bool (*vz_store_shape_change_visit)(void *context, const vz_lease_dead_writer *writer, const char *prefix);
void vz_store_each_shape_change(vz_store *store, vz_store_shape_change_visit visit, void *context);
/* Removes a value below the prefix, if nobody wrote it since the writer was found dead. */
bool vz_store_del_left(vz_store *store, const vz_lease_dead_writer *writer, const char *key, vz_error *err);
/* Is a tree that is deleted gone in one step for other readers, and after a crash, or its
 * documents before all else? Else they are to be deleted first. */
bool vz_store_deletes_at_once(vz_store *store);
/* journal.c: lines that tell what is about to change, which whoever opens the store finds until
 * it is closed, however this process ends. */
/* Adds a line, without its end; true without one where a store shows nothing before commit, or
 * may not be written. */
bool vz_store_journal_add(vz_store *store, const char *line, vz_error *err);
/* Hands over each line of all journals that are there, those of living writers too; ends at the
 * first false. Without a journal that cannot be read nobody knows where names went: that is an
 * error. */
typedef bool (*vz_journal_visit)(void *context, const char *line, bool is_last, vz_error *err);
bool vz_store_journals(vz_store *store, vz_journal_visit visit, void *context, vz_error *err);
bool vz_store_has_journals(vz_store *store);  /* of dead writers, as found when it was opened for
                                               * writing */
void vz_store_journals_done(vz_store *store); /* what those tell is in the store now: they go */
/* Documents have all that ours tells: it begins anew, if it is long. */
void vz_store_journal_renew(vz_store *store);
void vz_store_journal_keep(vz_store *store); /* ours is to stay when the store is closed */
/* Several processes write the store together, under one set of keys. A value that is begun, or has
 * no name, lies at its place in the store, and not in a staging area. One of them, `leads`, changes
 * names; the others have no staging area. Right after opening. */
void vz_store_share_names(vz_store *store, bool leads);
/* From now on forked children see how often the store was written, where the system can show
 * them; until vz_store_unshare. */
void vz_store_share(vz_store *store);
void vz_store_unshare(vz_store *store);
/* In a forked child: nobody wrote to the store since the fork, and none of the other children
 * was reported so before. */
bool vz_store_take_over(vz_store *store);
bool vz_store_check_change(vz_store *store, const char *prefix, vz_error *err);
/* VZ_STORE_NOTHING where the store cannot tell. */
bool vz_store_look(vz_store *store, const char *key, vz_store_key_kind *kind, vz_error *err);
/* Looks for the value `name` in each of those prefixes below one that lie in the store; what
 * cannot be reported counts as not there. */
bool vz_store_look_below(vz_store *store, const char *prefix, const char *name, vz_entry_probe *looks, size_t count,
                         vz_error *err);
bool vz_store_each_entry(vz_store *store, const char *prefix, vz_entry_visit visit, void *context, vz_error *err);
bool vz_store_has(vz_store *store, const char *key, bool *has, vz_error *err);
bool vz_store_verify(vz_store *store, const char *key, vz_error *err);
/* false: it is none with a file */
bool vz_store_unused(vz_store *store, uint64_t *size, uint64_t *unused);
bool vz_store_each_leftover(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err);
/* NULL also where the kind has none. */
vz_store *vz_store_above(vz_store *store, bool writable, vz_error *err);
bool vz_store_has_above(const vz_store *store); /* stores of this kind may lie in one another */
bool vz_store_above_may_have(vz_store *store, const char *key);
bool vz_store_may_be_inside(const vz_store *store, const vz_store *above);
bool vz_store_is_own(const vz_store *store);
bool vz_store_is_at(const vz_store *store, const char *path);
/* false: values take what they are, and nothing was reported. */
bool vz_store_claims(vz_store *store, bool (*has)(const char *key), uint64_t *values, uint64_t *own);
bool vz_store_sync(vz_store *store, vz_error *err);
bool vz_store_commit(vz_store *store, vz_error *err);
bool vz_store_flush(vz_store *store, vz_error *err);
/* Of a zip file or a one-file store that is open for writing: another file takes its place, with
 * its mode and owner. VZ_UNSUPPORTED: nothing in such a store is dead. VZ_BUSY: somebody else
 * writes it. */
bool vz_store_compact(vz_store *store, uint64_t *before, uint64_t *after, vz_error *err);
bool vz_store_keeps_back(const vz_store *store); /* what is put is nowhere before a commit */
bool vz_store_drain(vz_store *store, vz_error *err);
bool vz_store_has_unwritten(vz_store *store, const char *prefix); /* "": anything at all */
bool vz_store_is_uncommitted(const vz_store *store);
/* The time of the store itself, of a directory's root, follows if anything was written since the
 * last call. */
void vz_store_touch(vz_store *store);
/* See renew above. */
bool vz_store_renew(vz_store *store, vz_error *err);
void vz_entries_sort(vz_entry *entries, size_t count); /* bytewise */
void vz_entries_free(vz_entry *entries, size_t count);
/* The memory of their names, which the caller frees; entries whose names do not lie there keep
 * theirs. */
vz_entry_names *vz_entries_take_names(vz_entry *entries, size_t count);
void vz_entry_names_free(vz_entry_names *names);
vz_store_counts vz_store_counted(const vz_store *store);

/* "<32 hexadecimal digits>-<n>.partial", a fresh name per call: temporary files, and the
 * prefixes of unlinked objects. */
#define VZ_PARTIAL_SIZE 160
bool vz_partial_name(char *name, size_t size, vz_error *err);
bool vz_partial_is_name(const char *name); /* of that form, or of one that means the same
                                            * (docs/format.md) */

bool vz_stamp_equal(const vz_stamp *a, const vz_stamp *b);
/* Of a value in a store that tells versions by stamps. */
vz_version vz_version_of(const vz_stamp *stamp, bool lasts);
bool vz_version_equal(const vz_version *a, const vz_version *b);

/* -- Copies of trees --
 * A tree moves by a copy and a deletion where the store cannot rename. */
/* Keeps the contract of rename_tree, in more than one step. Needs the class's get, put, stat,
 * list and del_tree. */
bool vz_store_move_by_copy(vz_store *store, const char *from, const char *to, vz_error *err);

/* Copies a value and all that lies below it, over what is there, perhaps into another store. */
bool vz_store_copy_tree(vz_store *from_store, const char *from, vz_store *to_store, const char *to, vz_error *err);

/* -- Locks --
 * On whole stores: many readers or one writer, among processes that ask for it; and the lock of a
 * process that changes documents. */
typedef enum vz_store_lock_policy { VZ_LOCK_NO, VZ_LOCK_YES, VZ_LOCK_IF_POSSIBLE } vz_store_lock_policy;

/* Locks the store on the value `key`, or with "" on itself, for one writer (`exclusive`) or many
 * readers, until vz_store_lock_leave. VZ_BUSY (EWOULDBLOCK) when somebody holds it; true without
 * a lock where there are none, or it is not wanted, or only if possible. */
bool vz_store_lock_acquire(vz_store *store, vz_store_lock *lock, const char *key, bool exclusive,
                           vz_store_lock_policy policy, vz_error *err);
/* Others may come in now: as readers (`shared`), or at all. */
bool vz_store_lock_relax(vz_store_lock *lock, bool shared, vz_error *err);
void vz_store_lock_leave(vz_store_lock *lock);
/* Could it be had? */
bool vz_store_lock_check(vz_store *store, const char *key, vz_store_lock_policy policy, vz_error *err);

/* Tries the lock on the value `key` for a moment, to find out whether locks keep processes on
 * all machines apart. *descriptor: what holds it, the caller's to close; -1 unless it is
 * VZ_TRIED_GOT. */
typedef enum vz_store_lock_result { VZ_TRIED_NO_LOCKS, VZ_TRIED_GOT, VZ_TRIED_HELD } vz_store_lock_result;
vz_store_lock_result vz_store_try_lock(const vz_store *store, const char *key, int *descriptor);
void vz_store_end_try(int descriptor); /* -1 is fine */

/* Between looking at a document and replacing it no other process of ours does so. Waits up to 10 s
 * for the owner of the lock, then VZ_BUSY. True without a lock where the file system has none. Only
 * for stores that replace in place. */
bool vz_store_keep_out(vz_store *store, vz_error *err);
void vz_store_let_in(vz_store *store);
bool vz_store_replaces_in_place(const vz_store *store);

/* Not a lock that shuts anybody out: a mark on the store that a look finds, and that goes with
 * the process. */
void vz_store_mark_swmr(vz_store *store);
bool vz_store_has_swmr_mark(const vz_store *store); /* another process's; false where the system
                                                     * cannot tell */

#endif
