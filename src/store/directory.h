/* directory.h - the inside of a directory store, for the directory*.c files only. */
#ifndef VZ_STORE_DIRECTORY_H
#define VZ_STORE_DIRECTORY_H

#include "store/store.h"
#include <stdatomic.h>
#include <sys/types.h>

#define VZ_STORE_DEPTH_MAX 4096 /* levels below a key that are walked: more than a path can name */

struct vz_directory {
    vz_store base;
    int root;             /* descriptor of the root */
    atomic_bool unsynced; /* something was written since the last sync */
};

static inline struct vz_directory *vz_directory_of(vz_store *store)
{
    return (struct vz_directory *)store;
}

/* The errno says that no such key can exist. */
bool vz_directory_is_missing(int sys_errno);

/* directory_write.c */
bool vz_directory_put(vz_store *store, const char *key, vz_bytes value, vz_error *err);
bool vz_directory_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err);
bool vz_directory_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err);
bool vz_directory_exchange_trees(vz_store *store, const char *a, const char *b, bool *done, vz_error *err);
bool vz_directory_sync(vz_store *store, vz_error *err);

/* directory_tree.c */
bool vz_directory_list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);
bool vz_directory_del(vz_store *store, const char *key, vz_error *err);
bool vz_directory_del_tree(vz_store *store, const char *prefix, vz_error *err);

#endif
