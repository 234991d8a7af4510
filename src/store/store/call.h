/* call.h - what every call of a store begins and ends with, and the staging area that calls go
 * to where a store has one. */
#ifndef VZ_STORE_CALL_H
#define VZ_STORE_CALL_H

#include "store/store/request.h"
#include "store/store/store.h"
#include <limits.h>

/* Where a key is: in `store` under `key`, which may be `text` or the key that was asked for. It
 * borrows both. */
typedef struct vz_store_key_location {
    vz_store *store;
    const char *key;
    char text[PATH_MAX];
} vz_store_key_location;

/* The operations of a staging area: a place for what is unfinished, where no reader of the store
 * meets it. A kind of store that has one sets them, with `stage`, when the store is opened for
 * writing (directory_open.c).
 * - `stage` is the area's own state, which only these functions understand.
 * - Keys and prefixes are checked, relative to the store, and borrowed for the call.
 * - False: the call failed with err set. The caller adds the store and the key.
 * - `place` and `wrote` may be called from several threads at once. All others come from one
 *   thread. */
typedef struct vz_store_staging_class {
    /* The store in which staged keys lie, made if need be. The area owns it. NULL with err set. */
    vz_store *(*store)(struct vz_staging *staging, vz_error *err);
    /* Where the key is now. Fails only for want of memory or of a staging area. */
    bool (*place)(struct vz_staging *staging, const char *key, vz_store_key_location *place, vz_error *err);
    /* A value was put under the key: it must be there when it is moved. */
    void (*wrote)(struct vz_staging *staging, const char *key);
    /* As vz_store_begin, and so on: vz_store has the contracts. */
    bool (*begin)(struct vz_staging *staging, const char *prefix, vz_error *err);
    bool (*publish)(struct vz_staging *staging, const char *prefix, vz_error *err);
    bool (*exchange)(struct vz_staging *staging, const char *a, const char *b, bool *done, vz_error *err);
    bool (*rename)(struct vz_staging *staging, const char *from, const char *to, vz_error *err);
    bool (*del_tree)(struct vz_staging *staging, const char *prefix, vz_error *err);
    bool (*give_way)(struct vz_staging *staging, const char *prefix, vz_error *err);
    bool (*hides)(struct vz_staging *staging, const char *key);
    bool (*names_collide)(struct vz_staging *staging, const char *key);
    /* Removes what is staged, unless this is a forked child: then it is the parent's. */
    void (*free)(struct vz_staging *staging);
} vz_store_staging_class;

/* These fail with VZ_INVALID for what is no key, and with ENAMETOOLONG where the store has a
 * longest one. */
bool vz_store_call_check_key(const vz_store *store, const char *key, vz_error *err);
/* "" is one */
bool vz_store_call_check_prefix(const vz_store *store, const char *prefix, vz_error *err);

bool vz_store_call_check_writable(const vz_store *store, vz_error *err); /* VZ_READ_ONLY */

#endif
