/* key_tree.h - the keys of a zip file as a tree of their parts, so that a listing and a move cost
 * what they touch. */
#ifndef VZ_KEYTREE_KEY_TREE_H
#define VZ_KEYTREE_KEY_TREE_H

#include "store/store/store.h"

#define VZ_KEYTREE_DEPTH_MAX 1024 /* parts of a key: bounds every recursion over the tree */

/* Where the bytes of a value are. */
typedef enum vz_keytree_where {
    VZ_KEYTREE_NOWHERE,
    VZ_KEYTREE_PACKED,  /* in the zip file, and others may know of it */
    VZ_KEYTREE_NEW,     /* there too, and it was not published yet */
    VZ_KEYTREE_SPOOLED, /* in the spool */
} vz_keytree_where;

typedef struct vz_keytree_value {
    uint8_t place;          /* vz_keytree_where */
    bool is_changed;        /* put or moved since others know of all values */
    bool is_moved;          /* its local header has another name */
    bool is_unproven;       /* of a directory that was not read as a whole: the entry itself has to
                             * have that name */
    uint16_t method, flags; /* of the entry */
    uint16_t next_flags;
    uint32_t crc;
    uint32_t slack;   /* new: free bytes before the local header */
    uint32_t lead;    /* bytes of the local header; 0: it has to be looked at */
    uint64_t offset;  /* of the entry's local header in the zip file; spooled: of the bytes in the
                       * spool */
    uint64_t stored;  /* bytes there */
    uint64_t size;    /* bytes of the value */
    uint64_t version; /* another one for each put */
    uint64_t next;    /* with next_flags: in the file that is being written, where
                       * vz_keytree_relocate finds it */
} vz_keytree_value;

typedef struct vz_keytree vz_keytree;
typedef bool (*vz_keytree_visit)(const char *key, bool is_hidden, vz_keytree_value *value, void *context,
                                 vz_error *err);

vz_keytree *vz_keytree_new(vz_error *err);
void vz_keytree_free(vz_keytree *tree); /* NULL is fine */
/* The value of a key, or NULL. */
vz_keytree_value *vz_keytree_find(const vz_keytree *tree, const char *key);
/* Replaces the value of a key that is there. VZ_LIMIT for a key with too many parts. */
bool vz_keytree_put(vz_keytree *tree, const char *key, const vz_keytree_value *value, vz_error *err);
/* Where the key before it was put. All zeros at first, and again after anything but
 * vz_keytree_add. */
typedef struct vz_keytree_cursor {
    vz_keytree *above;
    size_t length;
    char prefix[256];
} vz_keytree_cursor;
/* Adds one of many keys, of which each often has the prefix of the one before. The value is not
 * changed. */
bool vz_keytree_add(vz_keytree *tree, vz_keytree_cursor *cursor, const char *key, const vz_keytree_value *value,
                    vz_error *err);
/* The values that vz_keytree_remove would remove, in no order. */
void vz_keytree_values(const vz_keytree *tree, const char *key, bool with_below,
                       void (*visit)(const vz_keytree_value *value, void *context), void *context);
/* The value of the key (with_below: and all below it). Prefixes without members go with their
 * last one. True if there was any. */
bool vz_keytree_remove(vz_keytree *tree, const char *key, bool with_below);
/* As rename_tree of a store: VZ_NOT_FOUND, VZ_EXISTS. `to` is not below `from`. Moved entries are
 * marked. */
bool vz_keytree_move(vz_keytree *tree, const char *from, const char *to, vz_error *err);
/* Exchanges the entries at two keys, and below them. */
bool vz_keytree_exchange(vz_keytree *tree, const char *a, const char *b, vz_error *err);
/* As list of a store, in no order. */
bool vz_keytree_list(const vz_keytree *tree, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);
/* Every value in the order of a sorted directory: what has a slash in its key first, then the rest.
 * The members of a prefix are sorted by their bytes. Ends at the first false. */
bool vz_keytree_each(vz_keytree *tree, vz_keytree_visit visit, void *context, vz_error *err);
/* Every value that was changed since vz_keytree_shown, in no order. */
bool vz_keytree_each_changed(vz_keytree *tree, vz_keytree_visit visit, void *context, vz_error *err);
/* Every value is at `next` from now on: hidden ones in the spool, all others in the zip file. */
void vz_keytree_relocate(vz_keytree *tree);
/* Others know of every value that is not hidden. */
void vz_keytree_shown(vz_keytree *tree);
/* Is a part of the key a partial name? Such values are nobody's: they are not listed and not
 * packed. */
bool vz_keytree_is_hidden(const char *key);

#endif
